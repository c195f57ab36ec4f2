"""Vegeta's two tables of a distribution: ``hist[…]`` and ``hdrplot``.

Some keep only these. The histogram::

    Bucket           #     %       Histogram
    [0s,     1ms]    0     0.00%
    [1ms,    2ms]    4078  45.31%  #################################
    [100ms,  +Inf]   13    0.14%

and the plot's data, from version 12.6 on::

    Value(ms)   Percentile  TotalCount  1/(1-Percentile)
    1.216689    0.000000    0           1.000000
    1.877548    0.500000    4500        2.000000
    134.911352  1.000000    9000        10000000.000000

A histogram tells counts, from which no percentile of the vocabulary follows: its sum alone is kept.
The plot tells the percentiles 50, 75, 80, 90 and 95 (it has no row at 99) and the count. Its first
and last rows are the sketch's ends, which were seen 1 % off the least and the greatest latency, so
they are not kept. Not recorded in either: rates, times, success, the target.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.vegeta.readings import Block
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import scale, step

#: Digits that a count of requests may have.
_DIGITS = 18
_STATS = {f"0.{percent}0000": f"p{percent}" for percent in (50, 75, 80, 90, 95)}


class Table(Block):
    """A table of which each line is a row until one says that it is the last."""

    ROW: ClassVar[re.Pattern[str]]
    _is_whole = False

    @classmethod
    def starts(cls, text: str) -> bool:
        """Whether this line is the table's header."""
        return cls.SIGNATURE.match(text) is not None

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Take a line; False if it is no row of the table."""
        del is_last
        if line == self.reading.line:
            return True
        row = None if self._is_whole else self.ROW.fullmatch(text)
        if row is None:
            return False
        self.reading.last_line = line
        self._is_whole = self._take(line, *row.groups())
        return True

    @abstractmethod
    def _take(self, line: int, *fields: str) -> bool:
        """Take a row; True if it is the last one."""

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and, where its last row is missing, that it is cut."""
        if not self._is_whole:
            what = f"the {self.FORM} table is truncated: its last row is missing"
            yield self.warn(what, "write it again with `vegeta report`, or ingest the raw results")
        if self.reading.rows:
            yield self.reading


class Histogram(Table):
    """Counts by latency, of which only the sum is kept."""

    FORM = "hist"
    SIGNATURE = regex(r"^[ \t#>|*/]*+Bucket[ \t]++#[ \t]++%[ \t]++Histogram[ \t]*+$", re.MULTILINE)
    ROW = regex(
        r"\[[^\s,\[]++,\s*+([^\s\[\]]++)\]\s++(\d++)\s++(?:\d++\.\d\d|NaN)%(?:\s++#*+)?\s*+"
    )
    _sum = 0
    _outsized: tuple[int, str] | None = None

    def _take(self, line: int, *fields: str) -> bool:
        end, count = fields
        if len(count) > _DIGITS:
            self._outsized = self._outsized or (line, count)
        else:
            self._sum += int(count)
        if end == "+Inf" and self._outsized is None:
            self.reading.add("requests", "count", float(self._sum), "1", line, origin="computed")
        return end == "+Inf"

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading, and which count of it is none."""
        if self._outsized is not None:
            line, count = self._outsized
            shown = f"which begins with {show_part(count, _DIGITS)}, has {len(count)} digits"
            what = f"a bucket count, {shown}, so no number of requests is recorded"
            yield self.warn(what, "fix the line, or ingest the raw results", line)
        yield from super().close()


class Plot(Table):
    """Latencies by percentile."""

    FORM = "hdrplot"
    SIGNATURE = regex(
        r"^[ \t#>|*/]*+Value\(ms\)[ \t]++Percentile[ \t]++TotalCount[ \t]++1/\(1-Percentile\)"
        r"[ \t]*+$",
        re.MULTILINE,
    )
    ROW = regex(r"(\d+\.\d{6})\s+(\d\.\d{6})\s+(\d+)\s+\d+(?:\.\d+)?\s*")

    def _take(self, line: int, *fields: str) -> bool:
        value, percentile, count = fields
        if stat := _STATS.get(percentile):
            seconds, resolution = scale(value, -3), step(value, -3)
            self.reading.add("latency", stat, seconds, "s", line, resolution=resolution)
        if percentile == "1.000000":
            self.reading.add("requests", "count", float(count), "1", line)
        return percentile == "1.000000"

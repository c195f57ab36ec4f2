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
from abc import ABC, abstractmethod
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.vegeta.readings import begin
from benchkit.units import scale, step

HIST = re.compile(r"Bucket\s++#\s++%\s++Histogram\s*+$")
PLOT = re.compile(r"Value\(ms\)\s++Percentile\s++TotalCount\s++1/\(1-Percentile\)\s*+$")
_BUCKET = re.compile(
    r"\[[^\s,]++,\s*+([^\s\]]++)\]\s++(\d{1,18}+)\s++(?:\d++\.\d\d|NaN)%(?:\s++#*+)?\s*+"
)
_POINT = re.compile(r"(\d+\.\d{6})\s+(\d\.\d{6})\s+(\d+)\s+\d+(?:\.\d+)?\s*")
_STATS = {
    "0.500000": "p50",
    "0.750000": "p75",
    "0.800000": "p80",
    "0.900000": "p90",
    "0.950000": "p95",
}
_LAST = "1.000000"


class Table(ABC):
    """A table, line by line; a line that is no row of it ends it."""

    is_tail = False
    form = ""
    header = HIST

    def __init__(self, label: str, line: int, command: str) -> None:
        self.reading = begin(self.form, line, command)
        self._label = label
        self._is_whole = False

    @classmethod
    def open(cls, label: str, line: int, text: str, command: str) -> Table | None:
        """Return a table that begins at this line, if one does."""
        return cls(label, line, command) if cls.header.match(text) else None

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Take a line; False if it is no row of the table."""
        del is_last
        if line == self.reading.line:
            return True
        if self._is_whole or not self._read(line, text):
            return False
        self.reading.last_line = line
        return True

    @abstractmethod
    def _read(self, line: int, text: str) -> bool:
        """Take a row; False if it is none."""

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and, where its last row is missing, that it is cut."""
        if not self._is_whole:
            self.reading.status = "partial"
            what = f"the {self.form} table is cut: its last row is missing"
            hint = "write it anew with `vegeta report`, or ingest the raw results"
            yield Diagnostic(self._label, self.reading.last_line, what, hint, "warning")
        if self.reading.rows:
            yield self.reading


class Histogram(Table):
    """Counts by latency, of which only the sum is kept."""

    form = "hist"
    _sum = 0

    def _read(self, line: int, text: str) -> bool:
        match = _BUCKET.fullmatch(text)
        if match is None:
            return False
        self._sum += int(match[2])
        self._is_whole = match[1] == "+Inf"
        if self._is_whole:
            self.reading.add("requests", "count", float(self._sum), "1", line, origin="computed")
        return True


class Plot(Table):
    """Latencies by percentile."""

    form = "hdrplot"
    header = PLOT

    def _read(self, line: int, text: str) -> bool:
        match = _POINT.fullmatch(text)
        if match is None:
            return False
        value, percentile, count = match.groups()
        stat = _STATS.get(percentile)
        if stat is not None:
            seconds = scale(value, -3)
            self.reading.add("latency", stat, seconds, "s", line, resolution=step(value, -3))
        self._is_whole = percentile == _LAST
        if self._is_whole:
            self.reading.add("requests", "count", float(count), "1", line)
        return True

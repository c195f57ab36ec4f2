"""Vegeta's distribution tables (``hist[…]`` and ``hdrplot``) and its JSON report.

Some people keep only a table. The histogram::

    Bucket           #     %       Histogram
    [0s,     1ms]    0     0.00%
    [1ms,    2ms]    4078  45.31%  #################################
    [100ms,  +Inf]   13    0.14%

and the data of the plot, from version 12.6 on::

    Value(ms)   Percentile  TotalCount  1/(1-Percentile)
    1.216689    0.000000    0           1.000000
    1.877548    0.500000    4500        2.000000
    134.911352  1.000000    9000        10000000.000000

A histogram contains counts per bucket, which yield no percentile of the vocabulary, so only their
sum is kept. The plot contains the percentiles 50, 75, 80, 90 and 95 (there is no row at 99) and the
count. Its first and last rows are the ends of the sketch, which were observed 1 % off the minimum
and maximum latency, so they are not kept. Not recorded in either: rates, times, success, the
target.

The JSON report is the third form.

It is the most precise summary. Users of the library also print it themselves, sometimes before it
is complete::

    {"latencies":{"total":32650762956,"mean":3627862,"50th":1877548,"90th":5967472,"95th":8117921,"99th":36563349,"max":134911352,"min":1216689},"bytes_in":{"total":0,"mean":0},"bytes_out":{"total":0,"mean":0},"earliest":"2026-11-21T00:21:47.490698251Z","latest":"2026-11-21T00:22:17.487485851Z","end":"2026-11-21T00:22:17.489625129Z","duration":29996787600,"wait":2139278,"requests":9000,"rate":300.0321274402063,"throughput":300.01073160387733,"success":1,"status_codes":{"200":9000},"errors":[]}

Versions: all; times are whole nanoseconds. Versions before 5.7 have no rate and no times of day,
before 5.0.1 no wait, before 12.6 no throughput, before 12.8 no 90th and min. Not recorded: the
target, the offered rate, the number of each error. The counts of ``buckets`` are not kept.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.documents import decoder_of, line_of, read_moment
from benchkit.parsers.vegeta.readings import Block, finish
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import scale, step

#: Maximum number of digits in a count of requests.
_DIGITS = 18
_STATS = {f"0.{percent}0000": f"p{percent}" for percent in (50, 75, 80, 90, 95)}
_START = regex(r'\{\s*(?:"|$)')
_STRING = regex(r'"(?:\\.|[^"\\]++)*+"?')
_NEEDED = ("latencies", "bytes_in", "bytes_out", "requests", "status_codes")
#: Maximum size of a report.
_LONGEST = 64 << 20

#: Paths in the object, with their names in the text report.
_NAMES = {
    "requests": "requests.total",
    "rate": "requests.rate",
    "throughput": "requests.throughput",
    "duration": "duration.attack",
    "wait": "duration.wait",
} | {
    path: path.removesuffix("th")
    for path in (
        *("bytes_in.total", "bytes_in.mean", "bytes_out.total", "bytes_out.mean"),
        *("latencies.min", "latencies.mean", "latencies.50th", "latencies.90th"),
        *("latencies.95th", "latencies.99th", "latencies.max"),
    )
}


class Table(Block):
    """A table whose last row is recognised by its content."""

    ROW: ClassVar[re.Pattern[str]]
    _is_whole = False

    @classmethod
    def starts(cls, text: str) -> bool:
        """Return whether this line is the table's header."""
        return cls.SIGNATURE.match(text) is not None

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Read a line; return False if it is not a row of the table."""
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
        """Read a row; return whether it is the last one."""

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading, and a warning if its last row is missing."""
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
        """Yield the reading, and a warning for an impossible count."""
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
    _above = (0.0, 0.0, 0.0)
    _fallen = 0

    def _take(self, line: int, *fields: str) -> bool:
        value, percentile, count = fields
        above, self._above = self._above, (float(value), float(percentile), float(count))
        if any(before > here for before, here in zip(above, self._above, strict=True)):
            self._fallen = self._fallen or line
        if stat := _STATS.get(percentile):
            seconds, resolution = scale(value, -3), step(value, -3)
            self.reading.add("latency", stat, seconds, "s", line, resolution=resolution)
        if percentile == "1.000000":
            self.reading.add("requests", "count", float(count), "1", line)
        return percentile == "1.000000"

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading, or only a warning if a number is below the one in the row above."""
        if self._fallen:
            what = "a number in this row is below that in the row above; the table is left out"
            yield self.warn(what, "use the table as vegeta wrote it", self._fallen)
            self.reading.rows = []
        yield from super().close()


class JsonReport(Block):
    """An object that may be a report, collected line by line until its last brace."""

    FORM = "json"
    SIGNATURE = regex(
        r'"latencies"\s*:\s*\{\s*"(?:total|mean|50th|90th|95th|99th|max|min)"\s*:\s*\d'
    )

    def __init__(self, label: str, line: int, command: str) -> None:
        super().__init__(label, line, command)
        self._lines: list[str] = []
        self._depth = self._size = 0

    @classmethod
    def starts(cls, text: str) -> bool:
        """Return whether an object begins at this line."""
        is_likely = (
            text.startswith("{")
            or text.strip() == "{"
            or JsonReport.SIGNATURE.search(text) is not None
        )
        return is_likely and _START.search(text) is not None

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Read a line; return False if the object is complete, or the line is not JSON."""
        del is_last
        if not self._lines:
            text = text[_START.search(text).start() :]  # type: ignore[union-attr]
        elif not self._depth or not _continues(text) or self._size > _LONGEST:
            return False
        self._size += len(text)
        self._lines.append(text)
        self.reading.last_line = line
        bare = _STRING.sub("", text)
        self._depth += bare.count("{") - bare.count("}")
        return True

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading, or nothing if the object is not a report."""
        text = "\n".join(self._lines)
        try:
            report, _ = decoder_of(text).raw_decode(text)
        except (ValueError, RecursionError):
            if JsonReport.SIGNATURE.search(text):
                what = "the JSON report is truncated or damaged, so none of it is reliable"
                hint = "write it again with `vegeta report -type=json`"
                yield Diagnostic(self._label, self.reading.line, what, hint)
            return
        if isinstance(report, dict) and all(name in report for name in _NEEDED):
            self._fill(report)
            yield from finish(self.reading, self._label)
            yield self.reading

    def _fill(self, report: dict[str, Any]) -> None:
        for path, name in _NAMES.items():
            number = _find(report, *path.split("."))
            if number is not None and name.startswith(("duration", "latencies")):
                self.put(name, number / 1e9, self._place(number), 1e-9)
            elif number is not None:
                self.put(name, float(number), self._place(number), None)
        reading, codes = self.reading, report["status_codes"]
        for code in codes if isinstance(codes, dict) else ():
            count = _find(codes, code)
            if count is not None:
                at = self._place(count)
                reading.add("responses", "count", float(count), "1", at, subject=code)
        success, attack, wait = (_find(report, name) for name in ("success", "duration", "wait"))
        if success is not None:
            self.put("success.ratio", 1.0 - success, self._place(success), None)
        if attack is not None and wait is not None:
            at, reading.duration = self._place(attack), (attack + wait) / 1e9
            reading.add(
                "duration", "total", reading.duration, "s", at, resolution=1e-9, origin="computed"
            )
        reading.started_at = read_moment(report.get("earliest"))

    def _place(self, number: float) -> int:
        """Return the source line of a number."""
        return self.reading.line - 1 + line_of(number, 1)


def _continues(text: str) -> bool:
    """Return whether a line may be part of an object and does not begin another report."""
    begins_anew = text.startswith("{") and JsonReport.SIGNATURE.search(text) is not None
    return text.strip()[:1] in '"{}[],' and not begins_anew


def _find(report: Any, *path: str) -> float | None:  # noqa: ANN401 - what a decoder makes
    """Return the number at a path of the object, if there is one."""
    for name in path:
        report = report.get(name) if isinstance(report, dict) else None
    is_number = isinstance(report, int | float) and not isinstance(report, bool)
    return report if is_number and abs(report) < 2**63 else None

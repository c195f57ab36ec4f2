"""Vegeta's text report, of every version, by the names in its brackets.

Versions differ in which values stand behind a label, and each line says itself which they are. A
report of vegeta 12::

    Requests      [total, rate, throughput]         9000, 300.04, 300.02
    Duration      [total, attack, wait]             29.998s, 29.996s, 1.595ms
    Latencies     [min, mean, 50, 90, 95, 99, max]  1.187ms, 3.783ms, 2.311ms, 6.061ms, 7.692ms, 33.187ms, 137.822ms
    Bytes In      [total, mean]                     0, 0.00
    Bytes Out     [total, mean]                     0, 0.00
    Success       [ratio]                           100.00%
    Status Codes  [code:count]                      200:9000
    Error Set:

Versions: up to 5.0.0 ``Duration [total]`` is the attack alone; up to 5.6 ``Requests [total]`` has no
rate; 12.6 adds the throughput, 12.8 min and 90, and from then on times are rounded to the next
smaller unit. Not recorded: target, offered rate, start, how many of each error.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.vegeta.readings import begin, finish
from benchkit.units import Quantity, parse_duration, scale, step

LABELS = ("Requests", "Duration", "Latencies", "Bytes In", "Bytes Out", "Success", "Status Codes")
LINE = re.compile(
    r"(?:^|[\s|>#:*/\"'])(Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes)\s++"
    r"\[((?:total|mean|min|ratio|code:count)[^\[\]]*+)\]\s*+(.*)"
)
#: Of a report, or of the tail of one.
SIGNATURE = re.compile(
    r"(?:^|[\s|>#:*/\"'])"
    r"(?:Requests\s++\[total[^\[\]]*+\]\s++\d|Status Codes\s+\[code:count\]\s+\d+:\d)",
    re.MULTILINE,
)
_ERRORS = re.compile(r"(?:^|[\s|>#:*/\"'])Error Set:\s*$")
#: What vegeta lists there: what its HTTP client reports, and statuses.
_ERROR = re.compile(r"[\s|>#*]*+(?:[A-Z][A-Za-z]{2,9} \"?\w{2,6}://|\d{3} [A-Z])")
_CODE = re.compile(r"(\d{1,3}):(\d{1,18})")
_PERCENTAGE = re.compile(r"(?:\d{1,2}(?:\.\d{1,15})?|100(?:\.0{1,15})?)%", re.ASCII)
_UNDEFINED = frozenset({"NaN", "+Inf", "-Inf", "NaN%"})

#: What stands behind a label: metric, stat, unit, subject, how it is written.
_VALUES = {
    ("Requests", "total"): ("requests", "count", "1", None, "count"),
    ("Requests", "rate"): ("request_rate", "mean", "1/s", None, "hundredths"),
    ("Requests", "throughput"): ("success_rate_per_second", "mean", "1/s", None, "hundredths"),
    ("Duration", "total"): ("duration", "total", "s", None, "time"),
    ("Duration", "attack"): ("duration", "total", "s", "attack", "time"),
    ("Duration", "wait"): ("duration", "total", "s", "wait", "time"),
    ("Latencies", "min"): ("latency", "min", "s", None, "time"),
    ("Latencies", "mean"): ("latency", "mean", "s", None, "time"),
    ("Latencies", "max"): ("latency", "max", "s", None, "time"),
    ("Bytes In", "total"): ("bytes_in", "total", "B", None, "count"),
    ("Bytes In", "mean"): ("bytes_in", "mean", "B", None, "hundredths"),
    ("Bytes Out", "total"): ("bytes_out", "total", "B", None, "count"),
    ("Bytes Out", "mean"): ("bytes_out", "mean", "B", None, "hundredths"),
}
_WRITTEN = {
    "count": re.compile(r"\d+"),
    "hundredths": re.compile(r"\d+\.\d\d"),
    "time": re.compile(r"0|(?:[\d.]++(?:ns|us|µs|μs|ms|s|m|h)){1,9}+(?<![mh])"),
}


class TextReport:
    """One report, line by line; a line that does not continue it ends it."""

    def __init__(self, label: str, line: int, command: str) -> None:
        self.reading = begin("text", line, command)
        self.is_tail = False
        self._label = label
        self._next = 0
        self._is_whole = False
        self._problem = ""

    @classmethod
    def open(cls, label: str, line: int, text: str, command: str) -> TextReport | None:
        """Return a report that begins at this line, if one does."""
        match = LINE.search(text)
        if match is None or not match[3][:1].isdigit():
            return None
        report = cls(label, line, command)
        report._next = LABELS.index(match[1])
        report.is_tail = report._next > 0
        return report

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Take a line; False if it is not the report's next one."""
        if self._is_whole:
            is_error = _ERROR.match(text) is not None
            self.reading.last_line = line if is_error else self.reading.last_line
            return is_error
        if self._next == len(LABELS):
            self._is_whole = _ERRORS.search(text) is not None
            self.reading.last_line = line if self._is_whole else self.reading.last_line
            return self._is_whole
        match = LINE.search(text)
        if match is None or match[1] != LABELS[self._next]:
            return not text.strip() and not is_last
        self._next += 1
        self.reading.last_line = line
        try:
            self._read(match[1], match[2], match[3].rstrip(), line, is_last=is_last)
        except ValueError as error:
            self._problem = self._problem or f"'{match[1]}' {error}"
        return True

    def _read(self, label: str, names: str, values: str, line: int, *, is_last: bool) -> None:
        ends_open = label == "Status Codes" or (values[-1:].isdigit() and "," not in names)
        if is_last and ends_open:
            msg = "is the last line, so that its numbers may be cut"
            raise ValueError(msg)
        if label == "Status Codes":
            self._read_codes(values, line)
        elif label == "Success":
            self._read_success(values, line)
        else:
            self._read_values(label, _split(names), _split(values), line)

    def _read_values(self, label: str, names: list[str], values: list[str], line: int) -> None:
        if len(names) != len(values):
            msg = f"has {len(values)} values for {len(names)} names"
            raise ValueError(msg)
        if names == ["total"] and label == "Duration":
            names = ["attack"]
        for name, text in zip(names, values, strict=True):
            entry = _VALUES.get((label, name))
            if entry is None and label == "Latencies" and name.replace(".", "").isdigit():
                entry = ("latency", f"p{name}", "s", None, "time")
            if entry is None or text in _UNDEFINED:
                continue
            metric, stat, unit, subject, written = entry
            number = _parse(text, written)
            self._add(metric, stat, number, unit, line, subject)

    def _add(
        self, metric: str, stat: str, number: Quantity, unit: str, line: int, subject: str | None
    ) -> None:
        exact = metric == "requests" or (stat == "total" and unit == "B")
        resolution = None if exact else number.resolution
        self.reading.add(
            metric, stat, number.value, unit, line, subject=subject, resolution=resolution
        )
        if (metric, subject) == ("duration", None):
            self.reading.duration = number.value

    def _read_success(self, text: str, line: int) -> None:
        if text in _UNDEFINED:
            return
        if not _PERCENTAGE.fullmatch(text):
            msg = f"is not a percentage: {text[:40]!r}"
            raise ValueError(msg)
        failed = float(1 - Fraction(text[:-1]) / 100)
        resolution = step(text[:-1], -2)
        self.reading.add(
            "error_rate", "mean", failed, "1", line, resolution=resolution, origin="computed"
        )

    def _read_codes(self, text: str, line: int) -> None:
        parts = text.split()
        codes = [match for match in map(_CODE.fullmatch, parts) if match is not None]
        if len(codes) != len(parts):
            msg = f"holds something else than code:count: {text[:40]!r}"
            raise ValueError(msg)
        for code in codes:
            self.reading.add("responses", "count", float(code[2]), "1", line, subject=code[1])

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and what was wrong with it."""
        if self._next < len(LABELS) and not self._problem:
            self._problem = f"ends before '{LABELS[self._next]}'"
        if self.is_tail or self._problem:
            self.reading.status = "partial"
        if self._problem:
            what = f"the report is cut or garbled: it {self._problem}; the rest of it is kept"
            hint = "ingest the whole output, or the raw results"
            yield Diagnostic(self._label, self.reading.last_line, what, hint, "warning")
        yield from finish(self.reading, self._label)
        if self.reading.rows:
            yield self.reading


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _parse(text: str, written: str) -> Quantity:
    if not _WRITTEN[written].fullmatch(text):
        msg = f"holds {text!r} for a {written.removesuffix('s')}"
        raise ValueError(msg)
    if written == "time":
        return read_time(text)
    return Quantity(scale(text, 0), step(text))


def read_time(text: str) -> Quantity:
    """Read a time of a report; its resolution follows vegeta's rule, not the digits shown.

    Vegeta rounds to the next smaller unit and Go drops zeros at the end: ``4s`` is 4.000 s. Digits
    beyond that unit tell of a version that does not round, whose times are whole nanoseconds.

    Examples
    --------
    >>> read_time("4s"), read_time("10m0s").resolution, read_time("9.949883921s").resolution
    (Quantity(value=4.0, resolution=0.001), 1.0, 1e-09)
    """
    if text == "0":
        return Quantity(0.0, 1e-9)
    shown = parse_duration(text)
    if shown.value >= 3600 and shown.value % 60 == 0:
        return Quantity(shown.value, 60.0)
    units = ((60.0, 1.0), (1.0, 1e-3), (1e-3, 1e-6))
    rounded = next((finer for unit, finer in units if shown.value >= unit), 1e-9)
    return Quantity(shown.value, 1e-9 if shown.resolution < rounded else rounded)

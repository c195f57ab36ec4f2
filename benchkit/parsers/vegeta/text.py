"""Vegeta's text report in every version, identified by the names in its brackets.

Versions differ in the values after a label, and each line names the values it has. A report of
vegeta 12::

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
smaller unit. Not recorded: target, offered rate, start, the number of each error.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.vegeta.readings import Block, finish, measure_of
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_duration, scale, step

LABELS = ("Requests", "Duration", "Latencies", "Bytes In", "Bytes Out", "Success", "Status Codes")
LINE = regex(
    r"(?:^|[\s|>#:*/\"'])(Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes)\s++"
    r"\[((?:total|mean|min|ratio|code:count)[^\[\]]*+)\]\s*+(.*)"
)
_ERRORS = regex(r"(?:^|[\s|>#:*/\"'])Error Set:\s*$")
#: Entries of vegeta's error list: errors of its HTTP client, and statuses.
_ERROR = regex(r"[\s|>#*]*+(?:[A-Z][A-Za-z]{2,9} \"?\w{2,6}://|\d{3} [A-Z])")
_CODE = regex(r"(\d{1,3}):(\d{1,18})")
_UNDEFINED = frozenset({"NaN", "+Inf", "-Inf", "NaN%"})


def read_time(text: str) -> Quantity:
    """Read a time of a report; its resolution follows vegeta's rule, not the digits shown.

    Vegeta rounds to the next smaller unit, and Go drops trailing zeros: ``4s`` is 4.000 s. More
    digits than that come from a version that does not round; its times are whole nanoseconds.

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


#: How each value is written, and the function that reads it.
_WRITTEN: dict[str, tuple[re.Pattern[str], Callable[[str], Quantity]]] = {
    "count": (regex(r"\d+"), lambda text: Quantity(scale(text, 0), 1.0)),
    "hundredth": (regex(r"\d+\.\d\d"), lambda text: Quantity(scale(text, 0), step(text))),
    "time": (
        regex(r"0|(?:[\d.]++(?:ns|us|µs|μs|ms|s|m|h)){1,9}+(?<![mh])"),
        read_time,
    ),
    "percentage": (
        regex(r"(?:\d{1,2}(?:\.\d{1,15})?|100(?:\.0{1,15})?)%", re.ASCII),
        lambda text: Quantity(float(1 - Fraction(text[:-1]) / 100), step(text[:-1], -2)),
    ),
}


class TextReport(Block):
    """A report with labels in a fixed order."""

    FORM = "text"
    #: Pattern of a report, or of the tail of one.
    SIGNATURE = regex(
        r"(?:^|[\s|>#:*/\"'])"
        r"(?:Requests\s++\[total[^\[\]]*+\]\s++\d|Status Codes\s+\[code:count\]\s+\d+:\d)",
        re.MULTILINE,
    )
    _next = 0
    _is_whole = False
    #: Description and line of a problem.
    _problem: tuple[str, int] | None = None

    @classmethod
    def starts(cls, text: str) -> bool:
        """Return whether a report, or the tail of one, begins at this line."""
        match = LINE.search(text)
        return match is not None and match[3][:1].isdigit()

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Read a line; return False if it does not continue the report."""
        match = LINE.search(text)
        if match and line == self.reading.line:
            self._next = LABELS.index(match[1])
            self.is_tail = self._next > 0
        if self._is_whole:
            is_next = _ERROR.match(text) is not None
        elif self._next == len(LABELS):
            is_next = self._is_whole = _ERRORS.search(text) is not None
        elif match is None or match[1] != LABELS[self._next]:
            return not text.strip() and not is_last
        else:
            self._next, is_next = self._next + 1, True
            try:
                self._read(match[1], match[2], match[3].rstrip(), line, is_last=is_last)
            except ValueError as error:
                self._problem = self._problem or (f"the line '{match[1]}' {error}", line)
        if is_next:
            self.reading.last_line = line
        return is_next

    def _read(self, label: str, names: str, values: str, line: int, *, is_last: bool) -> None:
        ends_open = label == "Status Codes" or (values[-1:].isdigit() and "," not in names)
        if is_last and ends_open:
            raise ValueError("is the last line, so its numbers may be truncated")
        if label == "Status Codes":
            codes = [_CODE.fullmatch(part) for part in values.split()]
            if not all(codes):
                shown = show_part(values, 40)
                raise ValueError(f"contains something other than code:count: {shown}")
            for code in filter(None, codes):
                self.reading.add("responses", "count", float(code[2]), "1", line, subject=code[1])
        else:
            self._read_values(label.lower().replace(" ", "_"), _split(names), _split(values), line)

    def _read_values(self, label: str, names: list[str], values: list[str], line: int) -> None:
        if len(names) != len(values):
            raise ValueError(f"has {len(values)} values for {len(names)} names")
        if names == ["total"] and label == "duration":
            names = ["attack"]
        for name, text in zip(names, values, strict=True):
            measure = measure_of(f"{label}.{name}")
            if measure is None or text in _UNDEFINED:
                continue
            metric, stat, unit, _ = measure
            mean = "percentage" if metric == "error_rate" else "hundredth"
            written = "time" if unit == "s" else mean if stat == "mean" else "count"
            pattern, read = _WRITTEN[written]
            if not pattern.fullmatch(text):
                raise ValueError(
                    f"is not a percentage: {show_part(text, 40)}"
                    if written == "percentage"
                    else f"contains {show_part(text, 40)} instead of a {written}"
                )
            try:
                number = read(text)
            except ValueError as error:
                raise ValueError(f"contains {show_part(text, 20)}: {error}") from None
            resolution = None if written == "count" else number.resolution
            self.put(f"{label}.{name}", number.value, line, resolution)

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and its problems."""
        if self._next < len(LABELS) and not self._problem:
            self._problem = f"it ends before '{LABELS[self._next]}'", self.reading.last_line
        if self.is_tail:
            self.reading.status = "partial"
        if self._problem:
            problem, line = self._problem
            what = f"the report is truncated or garbled: {problem}; the rest is kept"
            yield self.warn(what, "ingest the whole output, or the raw results", line)
        yield from finish(self.reading, self._label)
        if self.reading.rows:
            yield self.reading


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]

"""Metric lines and console lines of k6.

Every version writes metric lines the same way; only the blocks around them changed.

    http_req_duration..............: avg=225.81µs min=61.15µs med=151.59µs max=10.31ms p(90)=…
      { expected_response:true }...: avg=225.81µs …      the line above, for a subset
    http_req_failed................: 0.00%  0 out of 15001         since 1.0
    http_req_failed................: 0.00%  ✓ 0          ✗ 5001    before: ✓ counts what is true
    http_reqs......................: 15001  500.012577/s
    vus............................: 2      min=0          max=3
    data_received..................: 3.1 MB 102 kB/s               decimal prefixes

Times are truncated (not rounded) to two decimals of their unit, or to whole seconds from one minute
on; percentages are truncated to two decimals. Rates per second are rounded to six decimals; data
sizes to one decimal below 10 of their unit, and to whole units above.

A terminal that is too narrow cuts lines: ``p(95)=21.44m`` is the beginning of ``21.44ms``, never
minutes (k6 writes ``21m26s``). Any value that may have been cut is dropped.

While it runs, k6 prints scenarios, progress and the last state on the console.

Only the console shows the offered load, the length of the run and the interrupted iterations.

      scenarios: (100.00%) 1 scenario, 200 max VUs, 1m0s max duration (incl. graceful stop):
               * shorten: 500.00 iterations/s for 30s (maxVUs: 50-200, gracefulStop: 30s)
    …
    running (0m30.0s), 000/050 VUs, 15001 complete and 0 interrupted iterations
    shorten ✓ [ 100% ] 000/050 VUs  30s  500.00 iters/s

``✓`` marks the end of a run, ``✗`` an aborted one. Scenarios that start iterations at a rate are an
open load; looping or iteration-counting VUs are a closed one; a mix of both is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from benchkit.parsers.base import Reading
from benchkit.parsers.k6.words import BUILTIN, Crossing, Kind, Measure, Number
from benchkit.regexes import regex
from benchkit.units import parse_bytes, parse_duration, read_number, scale

_MARK = r"(?:(?:[✓✗✔√]|Γ£[ôù]|âœ[“”—])\s++)?"
_LINE = regex(rf"{_MARK}(?P<name>\{{.*?\}}|[^\s.].*?)(?<!\.)\.{{3,}}+:\s++(?P<rest>\S.*)")
_VALUE = r"-?\d\S*?(?: [kMGTPEZY]?B)?"
_TREND = regex(r"(avg|min|med|max|count|p\(\d+(?:\.\d+)?\))=(\S*)")
_REST = regex(rf"{_TREND.pattern}(?:\s+{_TREND.pattern})*+")
#: Other values after a metric's name: the metric's kind, and its numbers under k6's names.
_SHAPES: dict[Kind, re.Pattern[str]] = {
    "counter": regex(rf"(?P<count>{_VALUE})\s+(?P<rate>{_VALUE})/s"),
    "gauge": regex(rf"(?P<value>{_VALUE})\s+min=(?P<min>{_VALUE})(?:\s+max=(?P<max>\S++).*)?"),
    "rate": regex(
        r"(?P<rate>\d+(?:\.\d+)?%)(?:\s+(?:(?P<passes>\d+) out of (?P<total>\d+)"
        r"|✓\s*(?P<passes_>\d+)\s+✗\s*(?P<fails>\d+)))?.*"
    ),
}
#: Units of a duration with the resolution of its last digit; the first match applies.
_STEPS = (("ns", 1e-9), ("µs", 1e-8), ("μs", 1e-8), ("us", 1e-8), ("ms", 1e-5))
_LONG = regex(r"\d[mh]\d")
RUNNING = regex(
    r"running \(((?:\d{1,15}(?:\.\d+)?[hms])+)\), \d+/(\d{1,9}) VUs, "
    r"(\d{1,15}) complete and (\d{1,15}) interrupted iterations"
)
_PROGRESS_MARK = regex(r"\S\s+(?P<mark>[✓✗]) \[[-=>\s\d%]*\] ")
_RATE = regex(r"^[^:]+: (?P<ramping>Up to )?(?P<rate>\d{1,15}\.\d+) iterations/s for ")
_LOOPING = regex(
    r"^[^:]+: (?:(?:Up to )?\d+ looping VUs for "
    r"|\d+ iterations (?:shared among|for each of) \d+ VUs|Externally controlled)"
    r"|^vus: \d+, max: \d+$"
)
_CROSSED = regex(r"thresholds on metrics '(?P<names>[^']*)' have been crossed")
_ABORTED = regex(r"test run was aborted|level=error msg=\"(?:test aborted|context canceled)")


class Line(NamedTuple):
    """A metric line before its numbers are read.

    Parameters
    ----------
    number, width : int
        The number of the line, and the number of columns that it fills, or minus the line in which
        it ends if it was wrapped.
    name, tags : str
        The metric's name, and its tags: ``expected_response:true``, ``scenario:a,group:b``, empty
        for the run.
    rest : str
        The text after the colon.
    """

    number: int
    width: int
    name: str
    tags: str
    rest: str

    @property
    def last(self) -> int:
        """The line in which it ends."""
        return max(self.number, -self.width)


def match_line(text: str) -> tuple[str, str] | None:
    """Return the name (or ``{ tags }``) and the rest of a metric line, None for any other line.

    Examples
    --------
    >>> match_line("   ✓ http_reqs......: 15001  500.012577/s")
    ('http_reqs', '15001  500.012577/s')
    """
    match = _LINE.match(text.strip())
    if match is None or match["rest"][0] not in "0123456789-acmp":
        return None
    return match["name"], match["rest"]


def is_rest(text: str) -> bool:
    """Return whether a text is the end of a trend's line, wrapped before one of its statistics.

    Examples
    --------
    >>> is_rest("max=2.12s p(90)=4.92µs   p(95)=9.92µs"), is_rest("p(95)=9.92µs, as expected")
    (True, False)
    """
    return _REST.fullmatch(text.strip()) is not None


def is_trend(rest: str) -> bool:
    """Return whether the values after the colon of a metric line are the statistics of a trend."""
    return _TREND.match(rest) is not None


def understand(line: Line) -> tuple[Measure | None, str | None]:
    """Read the numbers of a metric line.

    Returns
    -------
    measure : Measure or None
        The numbers before any truncation; None if nothing can be read.
    lost : str or None
        The key of the lost value if the end of the line is missing, empty if the line has no keys.
    """
    kind, pairs, lost = _part(line.rest)
    measure = Measure(line.name, line.tags, kind, "1")
    for key, text in pairs:
        try:
            number, unit = read_value(text, line.number)
        except ValueError:
            lost = key
            break
        if kind == "trend" and key == "count":
            measure.numbers[key] = number._replace(resolution=None)
            continue
        if kind == "trend" and unit == "1" != measure.unit:
            lost = key
            break
        if kind == "counter" and unit == "1":
            number = number._replace(resolution=1e-6 if key == "rate" else None)
        measure.unit, measure.numbers[key] = unit, number
    if (kind, measure.unit) == ("trend", "1") and BUILTIN.get(line.name) == ("trend", "s"):
        return None, pairs[0][0]
    return measure if pairs else None, lost


def _part(rest: str) -> tuple[Kind, list[tuple[str, str]], str | None]:
    """Return a metric's kind, its numbers as written, and the name of a truncated value."""
    if _TREND.match(rest):
        pairs = _TREND.findall(rest)
        return "trend", pairs, None if rest.endswith("=".join(pairs[-1])) else ""
    for kind, pattern in _SHAPES.items():
        if match := pattern.fullmatch(rest):
            words = match.groupdict().items()
            pairs = [(key.rstrip("_"), text) for key, text in words if text is not None]
            is_cut = kind == "gauge" and len(pairs) == 2
            return kind, pairs[:1] if is_cut else pairs, "max" if is_cut else None
    return "gauge", [], ""


def drop_doubtful(measure: Measure) -> str | None:
    """Drop a line's last number if its end may be missing; return the name of what was lost."""
    last = next(reversed(measure.numbers), "")
    if measure.kind == "trend" and (measure.unit == "1" or last == "count"):
        measure.numbers.pop(last, None)
        return last
    if measure.kind not in {"gauge", "rate"}:
        return None
    if last != "rate":
        del measure.numbers[last]
    return ""


def read_value(text: str, line: int) -> tuple[Number, str]:
    """Read a value as k6 prints it, in its base unit.

    Raises
    ------
    ValueError
        If the text is not whole: ``21.44m``.

    Examples
    --------
    >>> read_value("1m30s", 7)
    (Number(value=90.0, line=7, resolution=1.0, origin='reported'), 's')
    >>> read_value("3.1 MB", 7)[0].value
    3100000.0
    """
    if text.endswith("B"):
        data = parse_bytes(text, binary=False)
        return Number(data.value, line, data.resolution), "B"
    if text.endswith("s"):
        return Number(parse_duration(text).value, line, _step(text)), "s"
    if text.endswith("%"):
        return Number(scale(text[:-1], -2), line, 1e-4), "1"
    value = read_number(text)
    if not isfinite(value):
        msg = f"{text} is not finite"
        raise ValueError(msg)
    return Number(value, line, 1e-6 if "." in text else None), "1"


def _step(text: str) -> float:
    if _LONG.search(text):
        return 1.0
    plain = 1e-9 if text == "0s" else 1e-2
    return next((step for end, step in _STEPS if text.endswith(end)), plain)


@dataclass(slots=True)
class Console:
    """The console output of one run.

    Parameters
    ----------
    rates : list of float or None
        Iterations per second of each open scenario; None if they vary.
    looping : int
        The number of closed scenarios.
    state : tuple of str
        The last ``running`` line: time, users, complete and interrupted iterations.
    line : int
        The number of that line.
    crossed : list of Crossing
        The metrics whose thresholds k6 reports as crossed.
    finished, aborted : bool
        Whether that line is the last one of the run, and whether k6 was stopped early.
    """

    rates: list[float | None] = field(default_factory=list)
    looping: int = 0
    state: tuple[str, ...] = ()
    line: int = 0
    crossed: list[Crossing] = field(default_factory=list)
    finished: bool = False
    aborted: bool = False
    is_idle: bool = False
    _marks: bool = False

    def take(self, text: str, number: int) -> bool:
        """Read a line; return whether it is a console line."""
        if running := RUNNING.search(text):
            self.state, self.line = running.groups(), number
            self._marks, self.finished = True, False
            self.is_idle = "), 0/" in running[0]
        elif self._marks and (mark := _PROGRESS_MARK.search(text)):
            self.finished = True
            self.aborted |= mark["mark"] == "✗"
        else:
            self._marks &= bool(text)
            return self._note_other(text, number)
        return True

    def _note_other(self, text: str, number: int) -> bool:
        if crossed := _CROSSED.search(text):
            self.crossed = [Crossing(number, name.strip()) for name in crossed["names"].split(",")]
            return True
        self.aborted |= _ABORTED.search(text) is not None
        if rate := _RATE.match(text):
            self.rates.append(None if rate["ramping"] else float(rate["rate"]))
            return True
        looping = _LOOPING.match(text) is not None
        self.looping += looping
        return looping

    def is_of_next(self, text: str) -> bool:
        """Return whether a ``running`` line belongs to the next run: this one ended differently."""
        running = RUNNING.search(text)
        return self.finished and running is not None and running.groups() != self.state

    def describe(self, reading: Reading) -> None:
        """Fill in the fields that only the console shows."""
        if bool(self.rates) != bool(self.looping):  # with both kinds the model is unknown
            reading.load_model = "open" if self.rates else "closed"
        if not self.looping and len(self.rates) == 1:
            (reading.target_rate,) = self.rates
        if self.aborted:
            reading.status = "partial"
        if not self.finished:
            return
        time, users, complete, interrupted = self.state
        elapsed, line = parse_duration(time), self.line
        reading.duration = elapsed.value
        if reading.connections is None:
            reading.connections = int(users)
        reading.add("duration", "total", elapsed.value, "s", line, resolution=elapsed.resolution)
        if not any(row[:3] == (None, "iterations", "count") for row in reading.rows):
            reading.add("iterations", "count", float(complete), "1", line)
        reading.add("interrupted_iterations", "count", float(interrupted), "1", line)

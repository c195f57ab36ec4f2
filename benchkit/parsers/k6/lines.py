"""Metric lines of k6's end-of-test summary.

Every version writes these lines alike, only the blocks around them changed.

    http_req_duration..............: avg=225.81µs min=61.15µs med=151.59µs max=10.31ms p(90)=…
      { expected_response:true }...: avg=225.81µs …      the line above, for a subset
    http_req_failed................: 0.00%  0 out of 15001         since 1.0
    http_req_failed................: 0.00%  ✓ 0          ✗ 5001    before: ✓ counts what is true
    http_reqs......................: 15001  500.012577/s
    vus............................: 2      min=0          max=3
    data_received..................: 3.1 MB 102 kB/s               decimal prefixes

Times are cut off (not rounded) after two decimals of their unit, from a minute on after whole
seconds; per cents after two decimals. Rates per second are rounded to six decimals, data to one
decimal below 10 of its unit and to whole units above.

A terminal that is too narrow cuts lines: ``p(95)=21.44m`` is the beginning of ``21.44ms``, never
minutes (k6 writes ``21m26s``). Whatever may be cut is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

from benchkit.parsers.k6.words import Kind, Measure, Number, builtin_kind
from benchkit.units import parse_bytes, parse_duration, scale

_MARK = r"(?:(?:[✓✗✔√]|Γ£[ôù]|âœ[“”—])\s++)?"
_LINE = re.compile(rf"{_MARK}(?P<name>\{{.*?\}}|[^\s.].*?)(?<!\.)\.{{3,}}+:\s++(?P<rest>\S.*)")
_VALUE = r"(-?\d\S*?(?: [kMGTPEZY]?B)?)"
_TREND = re.compile(r"(avg|min|med|max|count|p\(\d+(?:\.\d+)?\))=(\S*)")
_COUNTER = re.compile(rf"{_VALUE}\s+{_VALUE}/s")
_GAUGE = re.compile(rf"{_VALUE}\s+min={_VALUE}(?:\s+max=(\S++).*)?")
_RATE = re.compile(r"(\d+(?:\.\d+)?)%(?:\s+(?:(\d+) out of (\d+)|✓\s*(\d+)\s+✗\s*(\d+)))?.*")
#: Ends of a duration with the step of its last digit; the first that fits.
_STEPS = (("ns", 1e-9), ("µs", 1e-8), ("μs", 1e-8), ("us", 1e-8), ("ms", 1e-5))
_LONG = re.compile(r"\d[mh]\d")


@dataclass(frozen=True, slots=True)
class Line:
    """A metric line, not yet understood.

    Parameters
    ----------
    number, width : int
        Where it stands; how many columns it fills.
    name, tags : str
        Of the metric; ``expected_response:true``, ``scenario:a,group:b``, empty for the run.
    rest : str
        What stands after the colon.
    """

    number: int
    width: int
    name: str
    tags: str
    rest: str


class CutError(ValueError):
    """The end of a line is missing.

    Parameters
    ----------
    measure : Measure or None
        What stands before the cut.
    key : str
        Which of k6's words lost its value; empty if the line has no words.
    """

    def __init__(self, measure: Measure | None, key: str = "") -> None:
        super().__init__(key)
        self.measure = measure
        self.key = key


def match_line(text: str) -> tuple[str, str] | None:
    """Return name (or ``{ tags }``) and rest of a metric line, None for any other line.

    Examples
    --------
    >>> match_line("   ✓ http_reqs......: 15001  500.012577/s")
    ('http_reqs', '15001  500.012577/s')
    """
    match = _LINE.match(text.strip())
    if match is None or match["rest"][0] not in "0123456789-acmp":
        return None
    return match["name"], match["rest"]


def understand(line: Line, *, doubtful: bool = False) -> Measure:
    """Read the numbers of a metric line.

    Parameters
    ----------
    line : Line
    doubtful : bool
        Whether the line may be cut at its end (where the file or the terminal ends).

    Raises
    ------
    CutError
        If the end of the line is missing; it carries what stands before.
    ValueError
        If it is no line that k6 writes.
    """
    if _TREND.match(line.rest):
        return _understand_trend(line, doubtful=doubtful)
    for pattern, build in ((_COUNTER, _counter), (_GAUGE, _gauge), (_RATE, _rate)):
        match = pattern.fullmatch(line.rest)
        if match:
            measure = build(line, match.groups())
            if doubtful and not line.rest.endswith("/s"):
                raise CutError(_without_end(measure))
            return measure
    raise CutError(None)


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
    value = float(text)
    if not isfinite(value):
        msg = f"{text} is not finite"
        raise ValueError(msg)
    return Number(value, line, 1e-6 if "." in text else None), "1"


def _step(text: str) -> float:
    if _LONG.search(text):
        return 1.0
    plain = 1e-9 if text == "0s" else 1e-2
    return next((step for end, step in _STEPS if text.endswith(end)), plain)


def _understand_trend(line: Line, *, doubtful: bool) -> Measure:
    measure = Measure(line.name, line.tags, "trend", "1")
    found = _TREND.findall(line.rest)
    cut = "" if line.rest.endswith(f"{found[-1][0]}={found[-1][1]}") else "?"
    for key, text in found:
        try:
            number, unit = read_value(text, line.number)
        except ValueError:
            cut = key
            break
        if key == "count":
            measure.numbers[key] = number._replace(resolution=None)
        elif unit != "1" or measure.unit == "1":
            measure.unit = unit
            measure.numbers[key] = number
        else:
            cut = key
            break
    if measure.unit == "1" and builtin_kind(line.name) == ("trend", "s"):
        raise CutError(None, found[0][0])
    last = found[-1][0]
    if doubtful and not cut and (measure.unit == "1" or last == "count"):
        cut = last
        measure.numbers.pop(last, None)
    if cut:
        raise CutError(measure, cut.strip("?"))
    return measure


_Groups = tuple[str | None, ...]


def _counter(line: Line, groups: _Groups) -> Measure:
    (count, unit), (rate, _) = (read_value(text or "", line.number) for text in groups)
    if unit == "1":
        count = count._replace(resolution=None)
        rate = rate._replace(resolution=1e-6)
    return _measure(line, "counter", unit, count=count, rate=rate)


def _gauge(line: Line, groups: _Groups) -> Measure:
    (value, unit), (low, _) = (read_value(text or "", line.number) for text in groups[:2])
    if groups[2] is None:
        raise CutError(_measure(line, "gauge", unit, value=value), "max")
    measure = _measure(line, "gauge", unit, value=value, min=low)
    try:
        measure.numbers["max"] = read_value(groups[2], line.number)[0]
    except ValueError:
        raise CutError(measure, "max") from None
    return measure


def _rate(line: Line, groups: _Groups) -> Measure:
    share, true, total, passes, fails = groups
    measure = _measure(line, "rate", "1", rate=Number(scale(share or "", -2), line.number, 1e-4))
    counts = {"passes": true or passes, "total": total, "fails": fails}
    for key, text in counts.items():
        if text is not None:
            measure.numbers[key] = Number(float(text), line.number)
    return measure


def _measure(line: Line, kind: Kind, unit: str, **numbers: Number) -> Measure:
    return Measure(line.name, line.tags, kind, unit, numbers)


def _without_end(measure: Measure) -> Measure:
    """Drop the number that stands last on the line of a gauge or a rate."""
    for key in ("max", "total", "fails"):
        if measure.numbers.pop(key, None) is not None:
            break
    return measure

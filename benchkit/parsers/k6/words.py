"""What k6's own words mean in the one table.

The text, the summaries and the raw points name the same metrics; they must come out under the
same names and units, or several forms of one run could not be one run.

    http_req_duration              latency (sending + waiting + receiving: no connecting, no TLS)
    http_req_blocked, …            phase_time, subject blocked connect tls send wait receive
    http_reqs                      requests, request_rate
    http_req_failed                error_rate, failures ("passes" are FAILED requests here)
    data_received, data_sent       bytes_in, bytes_out, bandwidth_in, bandwidth_out
    iteration_duration, iterations iteration_time, iterations, iteration_rate
    checks                         checks mean (the share that passed) and count
    anything else                  its own name in snake_case, without ``http_``; a name that
                                   already means something else here gets ``k6_`` before it

The statistics keep k6's meaning: ``avg`` is mean, ``med`` is p50, ``p(N)`` is pN, by linear
interpolation. A submetric, a group or a scenario is a subset of the run: it is the row's subject
(``expected_response:true``, ``scenario:api,group:login``; ``wait,group:login`` for a phase).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal, NamedTuple

import numpy as np

from benchkit.metrics import VOCABULARY
from benchkit.parsers.base import Diagnostic, Reading

Kind = Literal["trend", "counter", "rate", "gauge"]


#: Unit of what a metric "contains", for readers of the JSON forms.
CONTENTS = {"time": "s", "data": "B", "default": "1"}

#: So many crossed thresholds are named; the rest are counted.
NAMED = 3
#: Trends of a whole request, iteration or phase: (metric, subject).
TRENDS: dict[str, tuple[str, str | None]] = {
    "http_req_duration": ("latency", None),
    "http_req_blocked": ("phase_time", "blocked"),
    "http_req_connecting": ("phase_time", "connect"),
    "http_req_tls_handshaking": ("phase_time", "tls"),
    "http_req_sending": ("phase_time", "send"),
    "http_req_waiting": ("phase_time", "wait"),
    "http_req_receiving": ("phase_time", "receive"),
    "iteration_duration": ("iteration_time", None),
}
#: Counters: (metric of the count, its stat, metric of the rate).
_COUNTERS = {
    "http_reqs": ("requests", "count", "request_rate"),
    "iterations": ("iterations", "count", "iteration_rate"),
    "data_received": ("bytes_in", "total", "bandwidth_in"),
    "data_sent": ("bytes_out", "total", "bandwidth_out"),
    "checks_total": ("checks", "count", ""),
}
_RATES = {"http_req_failed": "error_rate", "checks": "checks", "checks_succeeded": "checks"}
_BUILTIN: dict[str, tuple[Kind, str]] = {
    **dict.fromkeys(TRENDS, ("trend", "s")),
    **dict.fromkeys(("group_duration", "grpc_req_duration"), ("trend", "s")),
    **dict.fromkeys(("ws_connecting", "ws_session_duration", "ws_ping"), ("trend", "s")),
    **dict.fromkeys(("http_reqs", "iterations", "dropped_iterations"), ("counter", "1")),
    **dict.fromkeys(("ws_sessions", "ws_msgs_sent", "ws_msgs_received"), ("counter", "1")),
    **dict.fromkeys(("data_received", "data_sent"), ("counter", "B")),
    **dict.fromkeys(("http_req_failed", "checks"), ("rate", "1")),
    **dict.fromkeys(("vus", "vus_max"), ("gauge", "1")),
}  # fmt: skip
_STATS = {"avg": "mean", "med": "p50", "min": "min", "max": "max"}
_NAME = re.compile(r"[\w. !?/&#()<>%-]{1,128}")
_PERCENTILE = re.compile(r"p\(?(\d+(?:\.\d+)?)\)?")


class Number(NamedTuple):
    """A number of a summary, in the base unit, and the line that holds it."""

    value: float
    line: int
    resolution: float | None = None
    origin: str = "reported"


@dataclass(slots=True)
class Measure:
    """One metric of one run as a k6 summary tells it.

    Parameters
    ----------
    name, tags : str
        ``http_req_duration``; ``expected_response:true``, empty for the whole run.
    kind : {'trend', 'counter', 'rate', 'gauge'}
    unit : {'s', 'B', '1'}
    numbers : dict of str to Number
        By k6's words: ``avg p(95) count`` of a trend, ``count rate`` of a counter,
        ``rate passes fails total`` of a rate, ``value min max`` of a gauge.
    """

    name: str
    tags: str
    kind: Kind
    unit: str
    numbers: dict[str, Number] = field(default_factory=dict)


def builtin_kind(name: str) -> tuple[Kind, str] | None:
    """Return kind and unit of a metric that k6 itself defines, None for a user's own."""
    return _BUILTIN.get(name)


def is_metric_name(name: str) -> bool:
    """Whether k6 may have printed a metric of this name; old versions allow blanks and signs.

    Examples
    --------
    >>> is_metric_name("my trend (ms)"), is_metric_name("10:00:22 vus"), is_metric_name("INFO vus")
    (True, False, False)
    """
    if _NAME.fullmatch(name) is None:
        return False
    *before, last = name.split()
    return not before or last not in _BUILTIN


def own_name(name: str) -> str:
    """Return a metric's name in snake_case, kept apart from the vocabulary.

    Examples
    --------
    >>> own_name("urlsCreated"), own_name("latency"), own_name("vus_max")
    ('urls_created', 'k6_latency', 'vus_max')
    """
    if name in _BUILTIN:
        return name.removeprefix("http_")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    snake = re.sub(r"\W+", "_", words).strip("_").lower().removeprefix("http_")
    return f"k6_{snake}" if snake in VOCABULARY or not snake[:1].isalpha() else snake


def stat_name(key: str) -> str | None:
    """Return the stat for a trend's column, None for one that is no statistic.

    Examples
    --------
    >>> stat_name("med"), stat_name("p(99.90)"), stat_name("p95"), stat_name("count")
    ('p50', 'p99.9', 'p95', None)
    """
    match = _PERCENTILE.fullmatch(key)
    return f"p{float(match[1]):.10g}" if match else _STATS.get(key)


def take_quantile(values: np.ndarray, percent: float) -> float:
    """Return a percentile as k6 itself takes it from a trend's points.

    Parameters
    ----------
    values : ndarray of float64, shape (n,), n >= 1
    percent : float
        0 to 100.

    Examples
    --------
    >>> take_quantile(np.array([1.0, 2.0, 3.0, 4.0]), 90.0)
    3.7
    """
    return float(np.quantile(values, percent / 100, method="linear"))


def split_name(text: str) -> tuple[str, str]:
    """Part ``http_req_duration{name:GET /}`` into the metric's name and its tags."""
    name, brace, tags = text.partition("{")
    return (name.strip(), tags.strip().removesuffix("}").strip()) if brace else (text, "")


def record(reading: Reading, measure: Measure) -> None:
    """Add a measure's rows; numbers that were given already are not given twice."""
    known = {row[:3] for row in reading.rows}
    for subject, metric, stat, number, unit, n in _rows(measure):
        if (subject, metric, stat) not in known:
            known.add((subject, metric, stat))
            reading.add(
                metric, stat, number.value, unit, number.line,
                subject=subject, n=n, resolution=number.resolution, origin=number.origin,
            )  # fmt: skip


_Found = tuple[str | None, str, str, Number, str, int | None]


def _rows(measure: Measure) -> Iterable[_Found]:
    return {"trend": _trend, "counter": _counter, "rate": _rate, "gauge": _gauge}[measure.kind](
        measure
    )


def _subset(measure: Measure, subject: str | None = None) -> str | None:
    return ",".join(part for part in (subject, measure.tags) if part) or None


def _trend(measure: Measure) -> Iterable[_Found]:
    metric, part = TRENDS.get(measure.name) or (own_name(measure.name), None)
    count = measure.numbers.get("count")
    if count is not None and count.value == 0:  # a subset that no request belongs to
        return
    for key, number in measure.numbers.items():
        stat = stat_name(key)
        if stat is not None:
            n = _whole(count)
            yield _subset(measure, part), metric, stat, number, measure.unit, n


def _counter(measure: Measure) -> Iterable[_Found]:
    own = own_name(measure.name)
    usual = (own, "total" if measure.unit == "B" else "count", f"{own}_per_second")
    metric, stat, rate = _COUNTERS.get(measure.name, usual)
    per_second = "1/s" if measure.unit == "1" else f"{measure.unit}/s"
    if measure.unit == "s":
        per_second = "1"
    if "count" in measure.numbers:
        yield _subset(measure), metric, stat, measure.numbers["count"], measure.unit, None
    if "rate" in measure.numbers and rate:
        yield _subset(measure), rate, "mean", measure.numbers["rate"], per_second, None


def _rate(measure: Measure) -> Iterable[_Found]:
    if measure.name == "checks_failed":  # what checks_succeeded leaves
        return
    numbers, subject = measure.numbers, _subset(measure)
    metric = _RATES.get(measure.name) or own_name(measure.name)
    total = numbers.get("total") or _add(numbers.get("passes"), numbers.get("fails"))
    n = _whole(total)
    if "rate" in numbers and n:  # a share of nothing, or of what a cut took, tells nothing
        yield subject, metric, "mean", numbers["rate"], "1", n
    if metric == "error_rate" and subject is None and "passes" in numbers:
        yield subject, "failures", "count", numbers["passes"], "1", None
    if metric == "checks" and total is not None:
        yield subject, metric, "count", total, "1", None


def _whole(number: Number | None) -> int | None:
    """Return a count; None for one that is missing or has no end."""
    return int(number.value) if number is not None and isfinite(number.value) else None


def _add(passes: Number | None, fails: Number | None) -> Number | None:
    if passes is None or fails is None:
        return None
    return Number(passes.value + fails.value, max(passes.line, fails.line), origin="computed")


def _gauge(measure: Measure) -> Iterable[_Found]:
    for stat in ("value", "min", "max"):
        if stat in measure.numbers:
            metric = own_name(measure.name)
            yield _subset(measure), metric, stat, measure.numbers[stat], measure.unit, None


class Crossing(NamedTuple):
    """A threshold that a run crossed: the line that reports it, and its metric and rule."""

    line: int
    name: str


def describe_crossed(crossed: Sequence[Crossing]) -> str:
    """Name the thresholds that a run crossed, as a remark; empty without any.

    Examples
    --------
    >>> describe_crossed([Crossing(7, "http_req_duration p(95)<50"), Crossing(9, "checks")])
    '7: crossed 2 thresholds: http_req_duration p(95)<50, checks'
    """
    if not crossed:
        return ""
    names = list(dict.fromkeys(each.name for each in crossed))
    thresholds = "a threshold" if len(names) == 1 else f"{len(names)} thresholds"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{crossed[0].line}: crossed {thresholds}: {', '.join(names[:NAMED])}{more}"


def complete(reading: Reading, label: str) -> list[Diagnostic]:
    """Fill a reading's fields from its rows and drop latencies that were never measured.

    k6 reports 0 s where there is nothing to report: for a submetric that no request belongs to,
    and for requests that failed before a byte came back. If all did, the run has ``failed``.

    Parameters
    ----------
    reading : Reading
        With all its rows.
    label : str
        How messages name the source.

    Returns
    -------
    list of Diagnostic
        What was dropped, and why.
    """
    values = {row[:3]: row[3] for row in reading.rows}
    listed = (values.get((None, name, "max")) for name in ("vus_max", "vus"))
    users = next((value for value in listed if value is not None and isfinite(value)), None)
    if users is not None:
        reading.connections = int(users)
    void = _find_void(reading)
    silent = None in void or values.get((None, "bytes_in", "total")) == 0.0
    if silent and values.get((None, "error_rate", "mean")) == 1.0:
        reading.status = "failed"
    reading.rows[:] = [row for row in reading.rows if row[1] != "latency" or row[0] not in void]
    return [_describe_void(reading, label, tags) for tags in sorted(void, key=str)]


def _find_void(reading: Reading) -> set[str | None]:
    """Return the subjects all of whose latencies are 0."""
    latencies = [row for row in reading.rows if row[1] == "latency"]
    return {row[0] for row in latencies} - {row[0] for row in latencies if row[3]}


def _describe_void(reading: Reading, label: str, tags: str | None) -> Diagnostic:
    if tags is not None:
        what = f"no request belongs to {{{tags}}}: its times of 0 are left out"
        return Diagnostic(label, reading.line, what, "", "note")
    what = "every request failed before an answer: their times of 0 are left out"
    return Diagnostic(
        label, reading.line, what, "see that the target was up", "warning", is_remark=True
    )

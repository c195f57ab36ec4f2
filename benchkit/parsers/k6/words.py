"""Mapping of k6's names to the common vocabulary.

The text, the summaries and the raw points contain the same metrics. They need the same names and
units here, so that several outputs of one run are recognised as one run.

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
interpolation. A submetric, a group or a scenario is a subset of the run, recorded as the row's
subject (``expected_response:true``, ``scenario:api,group:login``; ``wait,group:login`` for a
phase).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal, NamedTuple

from benchkit.listing import list_first
from benchkit.metrics import VOCABULARY
from benchkit.parsers.base import Diagnostic, Reading
from benchkit.reading.remarks import Remark
from benchkit.redaction import redact_name
from benchkit.regexes import regex

Kind = Literal["trend", "counter", "rate", "gauge"]
KINDS: dict[str, Kind] = {"trend": "trend", "counter": "counter", "rate": "rate", "gauge": "gauge"}

#: Unit for a metric's "contains" value, for readers of the JSON forms.
CONTENTS = {"time": "s", "data": "B", "default": "1"}

#: Maximum number of crossed thresholds that a remark lists; the rest are counted.
NAMED = 3
#: Names by kind: a trend's metric and subject, a counter's metric and rate metric, a rate's metric.
METRICS: dict[Kind, dict[str, tuple[str, str]]] = {
    "trend": {
        "http_req_duration": ("latency", ""),
        "http_req_blocked": ("phase_time", "blocked"),
        "http_req_connecting": ("phase_time", "connect"),
        "http_req_tls_handshaking": ("phase_time", "tls"),
        "http_req_sending": ("phase_time", "send"),
        "http_req_waiting": ("phase_time", "wait"),
        "http_req_receiving": ("phase_time", "receive"),
        "iteration_duration": ("iteration_time", ""),
    },
    "counter": {
        "http_reqs": ("requests", "request_rate"),
        "iterations": ("iterations", "iteration_rate"),
        "data_received": ("bytes_in", "bandwidth_in"),
        "data_sent": ("bytes_out", "bandwidth_out"),
        "checks_total": ("checks", "check_rate"),
    },
    "rate": {
        "http_req_failed": ("error_rate", ""),
        "checks_succeeded": ("checks", ""),
        "checks_failed": ("", ""),  # the complement of checks_succeeded
    },
    "gauge": {},
}
#: Kind and unit of k6's built-in metrics.
BUILTIN: dict[str, tuple[Kind, str]] = {
    **dict.fromkeys(METRICS["trend"], ("trend", "s")),
    **dict.fromkeys(("group_duration", "grpc_req_duration"), ("trend", "s")),
    **dict.fromkeys(("ws_connecting", "ws_session_duration", "ws_ping"), ("trend", "s")),
    **dict.fromkeys(("http_reqs", "iterations", "dropped_iterations"), ("counter", "1")),
    **dict.fromkeys(("ws_sessions", "ws_msgs_sent", "ws_msgs_received"), ("counter", "1")),
    **dict.fromkeys(("data_received", "data_sent"), ("counter", "B")),
    **dict.fromkeys(("http_req_failed", "checks"), ("rate", "1")),
    **dict.fromkeys(("vus", "vus_max"), ("gauge", "1")),
}
_STATS = {"avg": "mean", "med": "p50", "min": "min", "max": "max"}
#: The statistics of metrics other than trends.
_KEYS: dict[Kind, set[str]] = {
    "counter": {"count", "rate"}, "rate": {"rate", "value", "passes", "fails"},
    "gauge": {"value", "min", "max"},
}  # fmt: skip
_NAME = regex(r"[\w. !?/&#()<>%-]{1,128}")
_PERCENTILE = regex(r"p\(?(\d+(?:\.\d+)?)\)?")


class Number(NamedTuple):
    """A number of a summary, in the base unit, with its line."""

    value: float
    line: int
    resolution: float | None = None
    origin: str = "reported"


@dataclass(slots=True)
class Measure:
    """One metric of one run in a k6 summary.

    Parameters
    ----------
    name, tags : str
        ``http_req_duration``, and ``expected_response:true`` or empty for the whole run.
    kind : {'trend', 'counter', 'rate', 'gauge'}
    unit : {'s', 'B', '1'}
    numbers : dict of str to Number
        By k6's keys: ``avg p(95) count`` of a trend, ``count rate`` of a counter, ``rate passes
        fails total`` of a rate, ``value min max`` of a gauge.
    """

    name: str
    tags: str
    kind: Kind
    unit: str
    numbers: dict[str, Number] = field(default_factory=dict)


def is_metric_name(name: str) -> bool:
    """Return whether k6 may have printed this metric name; old versions allow blanks and signs.

    Examples
    --------
    >>> is_metric_name("my trend (ms)"), is_metric_name("10:00:22 vus"), is_metric_name("INFO vus")
    (True, False, False)
    """
    if _NAME.fullmatch(name) is None:
        return False
    *before, last = name.split()
    return not before or last not in BUILTIN


def own_name(name: str) -> str:
    """Return a metric's name in snake_case without secrets or collisions with the vocabulary.

    Examples
    --------
    >>> own_name("urlsCreated"), own_name("latency"), own_name("vus_max")
    ('urls_created', 'k6_latency', 'vus_max')
    """
    if name in BUILTIN:
        return name.removeprefix("http_")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", redact_name(name))
    snake = re.sub(r"\W+", "_", words).strip("_").lower().removeprefix("http_")
    return f"k6_{snake}" if snake in VOCABULARY or not snake[:1].isalpha() else snake


def stat_name(key: str) -> str | None:
    """Return the stat for a trend's column, or None if it is not a statistic.

    Examples
    --------
    >>> stat_name("med"), stat_name("p(99.90)"), stat_name("p95"), stat_name("count")
    ('p50', 'p99.9', 'p95', None)
    """
    match = _PERCENTILE.fullmatch(key)
    return f"p{float(match[1]):.10g}" if match else _STATS.get(key)


def is_statistic(name: str, key: str) -> bool:
    """Return whether a built-in metric of k6 has this statistic."""
    kind = BUILTIN[name][0]
    return stat_name(key) is not None if kind == "trend" else key in _KEYS[kind]


def split_name(text: str) -> tuple[str, str]:
    """Split ``http_req_duration{name:GET /}`` into the metric's name and its tags."""
    name, brace, tags = text.partition("{")
    return (name.strip(), tags.strip().removesuffix("}").strip()) if brace else (text, "")


def record(reading: Reading, measures: Iterable[Measure]) -> None:
    """Add the rows of measures, except numbers that the reading already has."""
    known = {row[:3] for row in reading.rows}
    for measure in measures:
        for key, metric, stat, unit, part, n in _list_rows(measure):
            number = measure.numbers.get(key)
            subject = ",".join(filter(None, (part, measure.tags))) or None
            if number is not None and (subject, metric, stat) not in known:
                known.add((subject, metric, stat))
                reading.add(
                    metric, stat, number.value, unit, number.line,
                    subject=subject, n=n, resolution=number.resolution, origin=number.origin,
                )  # fmt: skip


_Row = tuple[str, str, str, str, str, int | None]


def _list_rows(measure: Measure) -> Iterator[_Row]:
    """Yield for each number its key, metric, stat, unit, part and sample count."""
    numbers, kind, unit, name = measure.numbers, measure.kind, measure.unit, own_name(measure.name)
    metric, more = METRICS[kind].get(measure.name) or (name, f"{name}_per_second")
    if kind == "counter":
        yield "count", metric, "total" if unit == "B" else "count", unit, "", None
        if more:
            yield "rate", more, "mean", {"1": "1/s", "s": "1"}.get(unit, f"{unit}/s"), "", None
    elif kind == "rate" and metric:
        yield from _list_shares(measure, metric)
    elif kind == "gauge":
        yield from ((stat, name, stat, unit, "", None) for stat in ("value", "min", "max"))
    elif kind == "trend":
        part, n = more if measure.name in METRICS[kind] else "", _whole(numbers.get("count"))
        stats = {key: stat_name(key) for key in numbers if n != 0}  # 0 in a subset without requests
        yield from ((key, metric, stat, unit, part, n) for key, stat in stats.items() if stat)


def _list_shares(measure: Measure, metric: str) -> Iterator[_Row]:
    numbers = measure.numbers
    if {"passes", "fails"} <= numbers.keys():
        (passes, line, *_), (fails, last, *_) = numbers["passes"], numbers["fails"]
        total = Number(passes + fails, max(line, last), origin="computed")
        numbers.setdefault("total", total)
    n = _whole(numbers.get("total"))
    if n != 0:  # of none there is no share
        yield "rate", metric, "mean", "1", "", n
    if metric == "error_rate" and not measure.tags:
        yield "passes", "failures", "count", "1", "", None
    if metric == "checks":
        yield "total", metric, "count", "1", "", None


def _whole(number: Number | None) -> int | None:
    """Return a count, or None if it is missing or infinite."""
    return int(number.value) if number is not None and isfinite(number.value) else None


class Crossing(NamedTuple):
    """A threshold that a run crossed: the line that reports it, with its metric and rule."""

    line: int
    name: str


def _describe_crossed(crossed: Sequence[Crossing]) -> str:
    """Return a remark that lists the thresholds that a run crossed.

    Examples
    --------
    >>> _describe_crossed([Crossing(7, "http_req_duration p(95)<50"), Crossing(9, "checks")])
    '7: crossed 2 thresholds: http_req_duration p(95)<50, checks'
    """
    names = list(dict.fromkeys(each.name for each in crossed))
    thresholds = "a threshold" if len(names) == 1 else f"{len(names)} thresholds"
    return f"{crossed[0].line}: crossed {thresholds}: {list_first(names, NAMED)}"


def complete(reading: Reading, label: str, crossed: Sequence[Crossing] = ()) -> list[Diagnostic]:
    """Fill a reading's fields from its rows, and drop latencies that were never measured.

    k6 reports 0 s if it has no measurement: for a submetric without requests, and for requests that
    failed before the first byte of a response. If all requests failed, the run is ``failed``.

    Parameters
    ----------
    reading : Reading
        The run with all its rows.
    label : str
        The source's name in messages.
    crossed : sequence of Crossing
        The thresholds that the run crossed, for its remark.

    Returns
    -------
    list of Diagnostic
        The dropped values, with reasons.
    """
    values = {row[:3]: row[3] for row in reading.rows}
    for name in ("vus", "vus_max"):
        users = values.get((None, name, "max"))
        if users is not None and isfinite(users):
            reading.connections = int(users)
    latencies = [row for row in reading.rows if row[1] == "latency"]
    void = {row[0] for row in latencies} - {row[0] for row in latencies if row[3]}
    silent = None in void or values.get((None, "bytes_in", "total")) == 0.0
    if silent and values.get((None, "error_rate", "mean")) == 1.0:
        reading.status = "failed"
    elif crossed:
        reading.remark = _describe_crossed(crossed)
    reading.rows[:] = [row for row in reading.rows if row[1] != "latency" or row[0] not in void]
    return [
        (_SILENT if tags is None else _UNUSED).at(label, reading.line, tags=tags)
        for tags in sorted(void, key=str)
    ]


_UNUSED = Remark(
    "no request matches {{{tags}}}; the times of 0 that k6 reports for these tags are left out",
    "",
    "note",
    is_remark=False,
)
_SILENT = Remark(
    "every request failed before a response; the times of 0 that k6 reports are left out",
    "check that the target was up",
)

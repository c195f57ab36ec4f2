"""The metrics: what each one means, its unit, and which direction is better.

Units, directions and primaries are data in one place, never an ``if metric == ...`` in a table,
plot or gate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Better = Literal["lower", "higher", "none"]
Assume = Literal["nothing", "exact"]

#: Entry points of other packages; each names a `Metric`.
GROUP = "benchkit.metrics"
PERCENTILES = ("p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "p99.9")
SPREAD = ("mean", "stdev", "min", "max")


class Wording(NamedTuple):
    """Phrases for a change of a metric: ``serves 13 % fewer requests/s``, ``▲ slower``."""

    verb: str
    more: str
    less: str
    up: str
    down: str


_HIGHER = Wording("has", "higher", "lower", "higher", "lower")
_SLOWER = Wording("has", "higher", "lower", "slower", "faster")
_TAKES = Wording("takes", "more", "less", "slower", "faster")
_SERVES, _COMPLETES, _COUNT, _MAKES, _ALLOCATES = (
    Wording(verb, "more", "fewer", "more", "fewer")
    for verb in ("serves", "completes", "has", "makes", "allocates")
)
_USES = Wording("uses", "more", "less", "more", "less")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric.

    Parameters
    ----------
    name : str
        As in the ``metric`` column.
    unit : str
        Base unit: s, B, B/s, 1/s, 1 (a count or ratio) or cores.
    better : {'lower', 'higher', 'none'}
        The direction that is better for users.
    stats : tuple of str
        The ``stat`` values that it occurs with.
    meaning : str
        One sentence.
    source : str
        Other sources than the tools that declare it.
    assume : {'nothing', 'exact'}
        ``exact``: equal in every run except for a few units, compared without a test.
    compared : bool
        Whether `compare` shows it by default; totals of a run are not compared.
    display : str
        The display name: ``requests/s``; by default the name.
    wording : Wording
        The phrases for its changes in sentences.
    """

    name: str
    unit: str
    better: Better
    stats: tuple[str, ...]
    meaning: str
    source: str = ""
    assume: Assume = "nothing"
    compared: bool = True
    display: str = ""
    wording: Wording = _HIGHER


_LATENCY = ("sample", *SPREAD, "median", *PERCENTILES)
_GAUGE = ("sample", "mean", "max")
#: The runs themselves, or benchstat's summary of them.
_PER_OP = ("sample", "median", "mean", "mode", "ci_low", "ci_high", "max_deviation", "geomean")


def _metric(
    name: str,
    display: str,
    wording: Wording,
    unit: str,
    better: Better,
    stats: Iterable[str],
    meaning: str,
    source: str = "",
    **more: object,
) -> Metric:
    return Metric(
        name=name,
        display=display,
        wording=wording,
        unit=unit,
        better=better,
        stats=tuple(stats),
        meaning=meaning,
        source=source,
        **more,  # type: ignore[arg-type]
    )


# One metric per line.
# fmt: off
VOCABULARY: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _metric("latency", "latency", _SLOWER, "s", "lower", _LATENCY, "Time of one whole request, as the tool defines it. A subject (a tag, URL or status) names a subset of the requests.", "every load tool"),
        _metric("uncorrected_latency", "uncorrected latency", _SLOWER, "s", "lower", _LATENCY, "Time from sending to the response, without the wait before a delayed send."),
        _metric("latency_within_stdev", "latencies within one standard deviation", _HIGHER, "1", "none", ["mean"], "Share of requests within one standard deviation of the mean.", compared=False),
        _metric("phase_time", "phase time", _SLOWER, "s", "lower", _LATENCY, "Time of one phase of a request. The subject names the phase: blocked, dns, connect, tls, send, wait, receive or processing."),
        _metric("time_per_request", "time per request", _TAKES, "s", "lower", ["mean"], "Concurrency divided by rate. This is not a latency."),
        _metric("requests", "requests", _COUNT, "1", "none", ["count"], "Requests completed in the run.", "every load tool", compared=False),
        _metric("request_rate", "requests/s", _SERVES, "1/s", "higher", ["mean"], "Requests per second over the run.", "every load tool"),
        _metric("success_rate_per_second", "successful requests/s", _SERVES, "1/s", "higher", ["mean"], "Successful requests divided by the length of the run, which includes the wait for the last responses."),
        _metric("thread_request_rate", "requests/s per thread", _SERVES, "1/s", "higher", ["mean", "stdev", "p99", "max"], "Requests per second of one thread, in samples over time.", compared=False),
        _metric("thread_request_rate_within_stdev", "thread rates within one standard deviation", _HIGHER, "1", "none", ["mean"], "Share of a thread's samples within one standard deviation of their mean.", compared=False),
        _metric("failures", "failed requests", _COUNT, "1", "lower", ["count"], "Failed requests. The subject is the reason (non2xx: a status of 400 or more); without a subject, it is the tool's total.", "every load tool"),
        _metric("responses", "responses", _COUNT, "1", "none", ["count"], "Responses. The subject is the status code.", compared=False),
        _metric("error_rate", "error rate", _HIGHER, "1", "lower", ["mean"], "Share of requests that failed."),
        _metric("bytes_in", "bytes received", _COUNT, "B", "none", ["total", "mean"], "Bytes received. With the subject `body`, headers are not counted.", compared=False),
        _metric("bytes_out", "bytes sent", _COUNT, "B", "none", ["total", "mean"], "Bytes sent.", compared=False),
        _metric("bandwidth_in", "receive bandwidth", _HIGHER, "B/s", "none", ["mean"], "Bytes received per second.", compared=False),
        _metric("bandwidth_out", "send bandwidth", _HIGHER, "B/s", "none", ["mean"], "Bytes sent per second.", compared=False),
        _metric("duration", "duration", _SLOWER, "s", "none", ["total"], "Length of the run. Some tools also report a part of it, with the subject attack or wait.", "every load tool", compared=False),
        _metric("iteration_time", "iteration time", _SLOWER, "s", "lower", _LATENCY, "Time of one iteration of a script."),
        _metric("iterations", "iterations", _COUNT, "1", "none", ["count"], "Iterations completed in the run.", compared=False),
        _metric("iteration_rate", "iterations/s", _COMPLETES, "1/s", "higher", ["mean"], "Iterations per second over the run."),
        _metric("interrupted_iterations", "interrupted iterations", _COUNT, "1", "lower", ["count"], "Iterations cut off at the end of the run.", compared=False),
        _metric("dropped_iterations", "dropped iterations", _COUNT, "1", "lower", ["count"], "Iterations that could not be started in time."),
        _metric("checks", "passed checks", _COUNT, "1", "higher", ["mean", "count"], "Share of checks that passed. The statistic `count` is the number of checks."),
        _metric("check_rate", "checks/s", _MAKES, "1/s", "none", ["mean"], "Checks per second over the run.", compared=False),
        _metric("thresholds_crossed", "crossed thresholds", _COUNT, "1", "lower", ["count"], "Thresholds set in the script that the run did not meet.", compared=False),
        _metric("vus", "virtual users", _COUNT, "1", "none", ["value", "min", "max"], "Active virtual users.", compared=False),
        _metric("vus_max", "allocated virtual users", _COUNT, "1", "none", ["value", "min", "max"], "Initialised virtual users.", compared=False),
        _metric("time_per_op", "time per operation", _TAKES, "s", "lower", (*_PER_OP, "stdev", "min", "max"), "Time of one operation."),
        _metric("operation_rate", "operations/s", _COMPLETES, "1/s", "higher", (*_PER_OP, "stdev", "min", "max"), "Operations per second."),
        _metric("cpu_time_per_op", "CPU time per operation", _USES, "s", "lower", ["mean"], "CPU time of one operation. The subject is user or system."),
        _metric("bytes_per_op", "bytes per operation", _ALLOCATES, "B", "lower", _PER_OP, "Memory allocated by one operation.", assume="exact"),
        _metric("allocs_per_op", "allocations per operation", _MAKES, "1", "lower", _PER_OP, "Allocations made by one operation.", assume="exact"),
        _metric("processing_rate", "processing rate", _HIGHER, "B/s", "higher", _PER_OP, "Data processed per second."),
        _metric("cpu_time", "CPU time", _USES, "s", "none", ["counter"], "CPU time used. The subject is the container.", compared=False),
        _metric("cpu_usage", "CPU", _USES, "cores", "lower", _GAUGE, "CPU in use. The subject is the container.", "derived"),
        _metric("memory_working_set", "working-set memory", _USES, "B", "lower", _GAUGE, "Memory that cannot be reclaimed."),
        _metric("memory_usage", "memory", _USES, "B", "lower", _GAUGE, "Memory in use, including the cache."),
        _metric("memory_rss", "RSS memory", _USES, "B", "lower", _GAUGE, "Anonymous memory."),
        _metric("memory_cache", "page-cache memory", _USES, "B", "lower", _GAUGE, "Page cache."),
        _metric("network_in", "network bytes received", _COUNT, "B", "none", ["counter"], "Bytes received by a container.", compared=False),
        _metric("network_out", "network bytes sent", _COUNT, "B", "none", ["counter"], "Bytes sent by a container.", compared=False),
        _metric("disk_read", "disk bytes read", _COUNT, "B", "none", ["counter"], "Bytes read by a container.", compared=False),
        _metric("disk_write", "disk bytes written", _COUNT, "B", "none", ["counter"], "Bytes written by a container.", compared=False),
        _metric("network_in_rate", "network receive rate", _HIGHER, "B/s", "none", ["mean"], "Bytes received per second.", "derived", compared=False),
        _metric("network_out_rate", "network send rate", _HIGHER, "B/s", "none", ["mean"], "Bytes sent per second.", "derived", compared=False),
        _metric("disk_read_rate", "disk read rate", _HIGHER, "B/s", "none", ["mean"], "Bytes read per second.", "derived", compared=False),
        _metric("disk_write_rate", "disk write rate", _HIGHER, "B/s", "none", ["mean"], "Bytes written per second.", "derived", compared=False),
        _metric("cpu_throttled", "share of throttled CPU periods", _HIGHER, "1", "lower", ["mean"], "Share of scheduling periods in which the container was throttled.", "derived"),
        _metric("cpu_periods", "CPU scheduling periods", _COUNT, "1", "none", ["counter"], "Scheduling periods of a container with a CPU limit.", compared=False),
        _metric("cpu_throttled_periods", "throttled CPU periods", _COUNT, "1", "none", ["counter"], "Scheduling periods in which the container was throttled by its limit.", compared=False),
        _metric("observed_time", "observed time", _SLOWER, "s", "lower", ["mean", "p50", "p75", "p90", "p95", "p99", "p99.9"], "Durations that the service recorded in a histogram during the run. The subject is the histogram with its labels. The resolution of a percentile is the width of its bucket.", "derived"),
        _metric("observed_time_bucket", "observed times up to a bound", _COUNT, "1", "none", ["counter"], "Number of observations at or below a bound of the histogram, since the service started.", compared=False),
        _metric("observed_time_sum", "sum of observed times", _HIGHER, "s", "none", ["counter"], "Sum of all durations in the histogram, since the service started.", compared=False),
        _metric("observed_time_count", "observed times", _COUNT, "1", "none", ["counter", "count"], "Number of observations in the histogram, since the service started. The statistic `count` covers only the run.", "derived", compared=False),
        _metric("spans_expected", "expected spans", _COUNT, "1", "none", ["count"], "Requests times spans per request. The subject is the backend.", "derived", compared=False),
        _metric("spans_created", "created spans", _COUNT, "1", "none", ["count", "counter"], "Spans started. The subject is the backend.", "sidecar", compared=False),
        _metric("spans_saved", "saved spans", _COUNT, "1", "higher", ["count", "counter"], "Spans that reached the backend.", "sidecar", compared=False),
        _metric("spans_dropped", "dropped spans", _COUNT, "1", "lower", ["count", "counter"], "Spans that were lost.", "sidecar", compared=False),
        _metric("spans_dropped_share", "share of dropped spans", _HIGHER, "1", "lower", ["mean"], "Share of created spans that were lost.", "derived"),
        _metric("cpu_limit", "CPU limit", _HIGHER, "cores", "none", ["value"], "CPU that a container may use.", "sidecar", compared=False),
        _metric("memory_limit", "memory limit", _HIGHER, "B", "none", ["value"], "Memory that a container may use.", "sidecar", compared=False),
        _metric("cpu_per_request", "CPU per request", _USES, "s", "lower", ["mean"], "CPU time of the service divided by the requests of the run. The subject is the service's container.", "derived"),
        _metric("cpu_per_span", "CPU per span", _USES, "s", "lower", ["mean"], "CPU time per span: per created span for the service, per saved span for a collector or store.", "derived"),
    )
}
# fmt: on


#: Levels that each generator of a run reports separately.
_LEVELS = frozenset({"vus", "vus_max"})
#: Metrics of one generator or thread that do not describe the whole run.
_OF_ONE = frozenset(
    {"latency_within_stdev", "thread_request_rate", "thread_request_rate_within_stdev"}
)


def adds_up(name: str, stat: str, unit: str) -> bool:
    """Return whether the values of a run's generators add up to the value of the run.

    Examples
    --------
    >>> adds_up("requests", "count", "1"), adds_up("request_rate", "mean", "1/s")
    (True, True)
    >>> adds_up("latency", "mean", "s"), adds_up("duration", "total", "s")
    (False, False)
    """
    if name in _OF_ONE or unit == "s":
        return False
    return name in _LEVELS or stat in {"count", "total"} or (stat == "mean" and unit.endswith("/s"))


def is_of_one(name: str) -> bool:
    """Return whether a metric describes one generator or thread, not the whole run."""
    return name in _OF_ONE


@cache
def plugged() -> Mapping[str, Metric]:
    """Return the metrics of other packages, from entry points of the group ``benchkit.metrics``."""
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {metric.name: metric for metric in load_metrics(points)}


def load_metrics(points: Iterable[EntryPoint]) -> list[Metric]:
    """Import the metrics that ``points`` name; warn about invalid ones and skip them."""
    loaded = []
    for point in points:
        try:
            metric = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may fail in any way
            why = f"cannot be loaded: {error}"
        else:
            if isinstance(metric, Metric) and metric.name not in VOCABULARY:
                loaded.append(metric)
                continue
            is_ours = isinstance(metric, Metric)
            why = f"{metric.name} is a built-in metric of benchkit" if is_ours else "not a Metric"
        warnings.warn(f"metric {point.name} ({point.value}): {why}", stacklevel=2)
    return loaded


def vocabulary() -> Mapping[str, Metric]:
    """Return all documented metrics, ours before those of other packages."""
    return {**VOCABULARY, **plugged()}


def lookup(name: str, unit: str = "1") -> Metric:
    """Return the metric called ``name``; for a user-defined name, one without a direction.

    Examples
    --------
    >>> lookup("request_rate").better, lookup("gc-pauses/op").better
    ('higher', 'none')
    """
    known = VOCABULARY.get(name) or plugged().get(name)
    if known is not None:
        return known
    return Metric(name=name, unit=unit, better="none", stats=("sample",), meaning="", source="")


def label(name: str, stat: str) -> str:
    """Return a metric's column name, with its stat only if the metric has several.

    Machines and settings use it: ``latency p50``. For people there is `display_name`.

    Examples
    --------
    >>> label("latency", "p50"), label("request_rate", "mean")
    ('latency p50', 'request_rate')
    """
    known = lookup(name).stats
    return name if stat in {"sample", name} or known == (stat,) else f"{name} {stat}"


#: Display names of stats, placed before that of the metric.
_STATS = {
    "p50": "median",
    "min": "minimum",
    "max": "maximum",
    "stdev": "standard deviation of",
    "count": "",
    "value": "",
    "counter": "",
}


#: Statistics with a display name for one metric.
_NAMED = {("checks", "mean"): "passed checks", ("checks", "count"): "checks"}


def display_name(name: str, stat: str) -> str:
    """Return a metric's display name, with its stat only if the metric has several.

    Examples
    --------
    >>> display_name("latency", "p50"), display_name("request_rate", "mean")
    ('median latency', 'requests/s')
    >>> display_name("p99", "p99")  # a column of a table, which names no metric
    'p99'
    """
    known = lookup(name)
    shown = known.display or name
    if (name, stat) in _NAMED:
        return _NAMED[name, stat]
    if stat in {"sample", name} or known.stats == (stat,):
        return shown
    return f"{_STATS.get(stat, stat)} {shown}".lstrip()


def split_metric(text: str) -> tuple[str, str]:
    """Split ``metric.stat``, or a display name as `display_name` writes it.

    The stat is empty if only a metric is named.

    Examples
    --------
    >>> split_metric("latency.p99.9"), split_metric("request_rate")
    (('latency', 'p99.9'), ('request_rate', ''))
    >>> split_metric("median latency"), split_metric("p99.9 latency"), split_metric("requests/s")
    (('latency', 'p50'), ('latency', 'p99.9'), ('request_rate', ''))
    """
    words = " ".join(text.split())
    first, _, rest = words.partition(" ")
    shown = _list_shown()
    if words.lower() in shown:
        return shown[words.lower()]
    if percentile_level(first) is not None and rest.lower() in shown:
        return shown[rest.lower()][0], first
    metric, _, stat = text.partition(".")
    return metric, stat


@cache
def _list_shown() -> Mapping[str, tuple[str, str]]:
    """Map display names to metric and stat; if several stats share a name, the first one counts."""
    shown: dict[str, tuple[str, str]] = {}
    for metric in vocabulary().values():
        for stat in ("", *sorted(metric.stats, key=lambda stat: stat not in PERCENTILES)):
            name = display_name(metric.name, stat) if stat else metric.display or metric.name
            shown.setdefault(name.lower(), (metric.name, stat))
    return shown


def percentile_level(stat: str) -> float | None:
    """Return the level of a percentile, None for every other stat.

    Examples
    --------
    >>> percentile_level("p99.9"), percentile_level("mean")
    (0.999, None)
    """
    try:
        return round(float(stat[1:]) / 100, 12) if stat.startswith("p") else None
    except ValueError:
        return None

"""The meaning of Prometheus metric names: usage of containers, and spans in transit.

The exposition text, the query API, promtool and Grafana use the same names.

Spans have one account per backend, and overlapping stages of it:

    app_spans_started            spans_created  otlp
    otelcol_receiver_accepted    spans_saved    otlp
    app_spans_dropped            spans_dropped  otlp
    otelcol_exporter_sent        spans_saved    otlp/sent, also otlp/exported
    otelcol_receiver_refused     spans_dropped  otlp/refused, also …/send_failed, …/export_failed

A subject with a stage must never be added to the others; stages of a text that are zero are not
reported.

A histogram of times (``NAME_seconds_bucket``, ``_sum``, ``_count``) is a counter for each of its
bounds. Its subject is its name with all labels but those of the target, followed by the bound::

    observed_time_bucket   http_request_duration_seconds{handler="/list"} le=0.005
    observed_time_sum      http_request_duration_seconds{handler="/list"}
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard, TypeVar

from benchkit.parsers.containers import Container, container_of, pod_of
from benchkit.parsers.documents import line_of
from benchkit.regexes import regex
from benchkit.units import read_number

T = TypeVar("T")

#: JSON has integers that no float can represent.
_TOO_LARGE = 1 << 100


@dataclass(frozen=True, slots=True)
class Measure:
    """The quantity that a metric measures.

    Parameters
    ----------
    metric, unit, stat : str
        As in the table.
    over : str
        The label whose values are parts that add up to one container, if any.
    stage : str
        The stage of a span counter that is not the account itself.
    """

    metric: str
    unit: str
    stat: str
    over: str = ""
    stage: str = ""
    is_span: bool = False
    is_histogram: bool = False


class Value(NamedTuple):
    """One value of a container in the base unit, with its line."""

    measure: Measure
    value: float
    line: int
    origin: str = "reported"


class Place(NamedTuple):
    """The subject of a measurement; ``part`` is empty without parts."""

    subject: str | None
    part: str
    container: Container | None


CONTAINERS = {
    "container_cpu_usage_seconds_total": Measure("cpu_time", "s", "counter", "cpu"),
    "container_cpu_cfs_periods_total": Measure("cpu_periods", "1", "counter"),
    "container_cpu_cfs_throttled_periods_total": Measure("cpu_throttled_periods", "1", "counter"),
    "container_memory_working_set_bytes": Measure("memory_working_set", "B", "sample"),
    "container_memory_usage_bytes": Measure("memory_usage", "B", "sample"),
    "container_memory_rss": Measure("memory_rss", "B", "sample"),
    "container_memory_cache": Measure("memory_cache", "B", "sample"),
    "container_network_receive_bytes_total": Measure("network_in", "B", "counter", "interface"),
    "container_network_transmit_bytes_total": Measure("network_out", "B", "counter", "interface"),
    "container_fs_reads_bytes_total": Measure("disk_read", "B", "counter", "device"),
    "container_fs_writes_bytes_total": Measure("disk_write", "B", "counter", "device"),
}
NETWORK = tuple(CONTAINERS[f"container_network_{x}_bytes_total"] for x in ("receive", "transmit"))
DISK = tuple(CONTAINERS[f"container_fs_{x}_bytes_total"] for x in ("reads", "writes"))

_SPANS = (
    (r"(?:\w+_)?spans?_(?:started|created)", "spans_created", ""),
    (r"\w+_receiver_accepted_spans", "spans_saved", ""),
    (r"(?:\w+_)?spans?_dropped", "spans_dropped", ""),
    (r"(?:\w+_)?spans?_exported", "spans_saved", "exported"),
    (r"\w+_exporter_sent_spans", "spans_saved", "sent"),
    (r"(?:\w+_)?spans?_export_failed", "spans_dropped", "export_failed"),
    (r"\w+_receiver_refused_spans", "spans_dropped", "refused"),
    (r"\w+_exporter_send_failed_spans", "spans_dropped", "send_failed"),
    (r"\w+_exporter_enqueue_failed_spans", "spans_dropped", "enqueue_failed"),
)
_SPAN_NAMES = tuple(
    (regex(rf"{name}(?:_total)?"), Measure(metric, "1", "count", "*", stage, is_span=True))
    for name, metric, stage in _SPANS
)
_HISTOGRAM = {
    "bucket": Measure("observed_time_bucket", "1", "counter", is_histogram=True),
    "sum": Measure("observed_time_sum", "s", "counter", is_histogram=True),
    "count": Measure("observed_time_count", "1", "counter", is_histogram=True),
}
_UNIT = "_seconds_"
#: Separator between a histogram's name and a bound.
BOUND = " le="
#: Labels of the scraped target and of the bound; all others distinguish histograms.
_OF_TARGET = frozenset({"__name__", "instance", "job", "le"})
_BACKENDS = ("backend", "receiver", "exporter", "service_name")


def measure_of(name: str) -> Measure | None:
    """Return the quantity that a metric measures; None if its name is unknown.

    Examples
    --------
    >>> measure_of("container_memory_rss").metric
    'memory_rss'
    >>> measure_of("myapp_spans_started_total").metric
    'spans_created'
    >>> measure_of("http_request_duration_seconds_bucket").metric
    'observed_time_bucket'
    """
    known = CONTAINERS.get(name)
    if known is None and "span" in name:
        known = next((measure for sign, measure in _SPAN_NAMES if sign.fullmatch(name)), None)
    if known is None and _UNIT in name:
        known = _HISTOGRAM.get(name.rpartition(_UNIT)[2])
    return known


def histogram_of(name: str) -> str:
    """Return the name of the histogram to which a name such as ``NAME_seconds_bucket`` belongs.

    Examples
    --------
    >>> histogram_of("http_request_duration_seconds_bucket")
    'http_request_duration_seconds'
    """
    return name.rpartition("_")[0]


def place(measure: Measure, labels: Mapping[str, str]) -> Place | None:
    """Return the subject of a measurement; None for whole pods and pause containers.

    The labels of a histogram include its name as ``__name__``.

    The network is an exception: all containers of a pod share one.
    """
    if measure.is_span:
        return _span_place(measure, labels)
    if measure.is_histogram:
        return Place(_histogram_subject(labels), "", None)
    container = container_of(labels)
    if container is None:
        pod = pod_of(labels) if measure.over == "interface" else ""
        return Place(pod, labels.get(measure.over, ""), None) if pod else None
    return Place(container.subject, labels.get(measure.over, ""), container)


def _span_place(measure: Measure, labels: Mapping[str, str]) -> Place:
    backend = next((label for label in _BACKENDS if labels.get(label)), "")
    subject = "/".join(filter(None, (labels.get(backend, ""), measure.stage)))
    rest = {k: v for k, v in sorted(labels.items()) if k not in {backend, "__name__"}}
    return Place(subject or None, ",".join(f"{k}={v}" for k, v in rest.items()), None)


def _histogram_subject(labels: Mapping[str, str]) -> str:
    rest = sorted((name, text) for name, text in labels.items() if name not in _OF_TARGET)
    inside = ",".join(f'{name}="{text}"' for name, text in rest)
    subject = histogram_of(labels["__name__"]) + (f"{{{inside}}}" if inside else "")
    return f"{subject}{BOUND}{_spell(labels['le'])}" if "le" in labels else subject


def _spell(bound: str) -> str:
    """Normalise a bound: ``1.0`` and ``1`` are equal; a text that is not a number is unchanged."""
    try:
        return f"{read_number(bound):.15g}"
    except ValueError:
        return bound


def at_instance(subject: str | None, instance: str) -> str:
    """Return the subject for one of several instances; a bound stays at the end.

    Examples
    --------
    >>> at_instance("redis", "b:9100"), at_instance("api_seconds le=0.1", "b:80")
    ('redis@b:9100', 'api_seconds@b:80 le=0.1')
    """
    name, mark, bound = (subject or "").rpartition(BOUND)
    return f"{name}@{instance}{mark}{bound}" if mark else f"{bound}@{instance}"


def add_up(measure: Measure, parts: Mapping[str, T]) -> list[T]:
    """Return the parts that make up the whole: ``total`` alone, all CPUs, all but the loopback.

    Examples
    --------
    >>> add_up(CONTAINERS["container_cpu_usage_seconds_total"], {"cpu00": 1, "cpu01": 2})
    [1, 2]
    >>> add_up(CONTAINERS["container_cpu_usage_seconds_total"], {"cpu00": 1, "total": 3})
    [3]
    """
    for whole in ("total", ""):
        if measure.over == "cpu" and whole in parts:
            return [parts[whole]]
    if measure.over == "interface":
        parts = {name: part for name, part in parts.items() if name != "lo"} or parts
    return list(parts.values())


def sum_parts(
    measure: Measure, parts: Mapping[str, float | None], line: int, divisor: int = 1
) -> Iterator[Value]:
    """Yield the sum of the parts of the whole, divided by a divisor; nothing without a value.

    Parameters
    ----------
    line : int
        The document's line, for numbers without a line.
    """
    known = add_up(measure, {name: part for name, part in parts.items() if part is not None})
    if len(known) == 1:
        yield Value(measure, known[0] / divisor, line_of(known[0], line))
    elif known:
        yield Value(measure, math.fsum(known) / divisor, line_of(known[-1], line), "computed")


def is_partial(measure: Measure, part: str) -> bool:
    """Return whether more parts of the same subject may follow."""
    if measure.is_histogram:
        return measure.metric == "observed_time_bucket"
    return bool(measure.over and part) and not (measure.over == "cpu" and part == "total")


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value from JSON is a finite number."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < _TOO_LARGE
    return isinstance(value, float) and math.isfinite(value)


def dig(value: object, *names: str) -> float | None:
    """Return the number at the end of a path of keys; None if there is none.

    Examples
    --------
    >>> dig({"cpu": {"usage": {"total": 7}}}, "cpu", "usage", "total")
    7
    """
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if is_number(value) else None

"""A history for other tools' databases: OpenMetrics with timestamps, and Influx line protocol."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from benchkit.history.model import History, Series
from benchkit.regexes import regex
from benchkit.units import printable

_LABELS = ("variant", "benchmark", "group", "params", "subject", "tool", "stat", "unit", "machine")
_UNNAMED = regex(r"[^a-zA-Z0-9_]")
_NANOSECONDS = 1_000_000_000
#: Characters that end a name or tag value in Influx's line protocol.
_ESCAPED = regex(r"([,= \\])")


def to_openmetrics(history: History) -> str:
    """Write every commit's value as a gauge with its time: one family per metric.

    Returns
    -------
    str
        The label `commit` names the measured commit. ``promtool tsdb create-blocks-from
        openmetrics`` reads it.
    """
    text: bytes = generate_latest(_Collector(history))  # type: ignore[no-untyped-call]
    return text.decode()


def to_influx(history: History) -> str:
    """Write every commit's value as a line: metric, tags, value and runs, time in nanoseconds."""
    return "".join(
        f"{_escape(series.metric)},{_write_tags(series, point.commit)} "
        f"value={point.value!r},runs={point.runs}i {round(point.time.timestamp() * _NANOSECONDS)}\n"
        for series in history.series
        for point in series.measured
    )


class _Collector:
    """The interface that the library requires of metrics."""

    def __init__(self, history: History) -> None:
        self._history = history

    def collect(self) -> Iterator[Metric]:
        """Yield one family per metric; its points are in order, as the format requires."""
        families: dict[str, GaugeMetricFamily] = {}
        for series in self._history.series:
            name = f"benchkit_{_UNNAMED.sub('_', series.metric)}"
            meaning = "Median of a commit's runs, in the given unit."
            family = families.setdefault(
                name, GaugeMetricFamily(name, meaning, labels=(*_LABELS, "commit"))
            )
            labels = [value for _, value in _list_labels(series)]
            for point in series.measured:
                family.add_metric(
                    [*labels, printable(point.commit)], point.value, point.time.timestamp()
                )
        yield from families.values()


def _list_labels(series: Series) -> list[tuple[str, str]]:
    return [(name, printable(getattr(series, name))) for name in _LABELS]


def _write_tags(series: Series, commit: str) -> str:
    tags = [*_list_labels(series), ("commit", printable(commit))]
    return ",".join(f"{name}={_escape(value)}" for name, value in tags if value)


def _escape(text: str) -> str:
    """Escape what would end a name; in the line protocol, none may end in a backslash."""
    line = " ".join(printable(text).split("\n"))
    return _ESCAPED.sub(r"\\\1", f"{line} " if line.endswith("\\") else line)

"""How many requests a run made, how many a second, and what containers used meanwhile.

Everything per request divides by these, and of several forms of a run the most precise counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.derived.record import Measured
from benchkit.schema import Labels, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: Two rates this share apart, as rounded durations make them, are of the same time.
_ROUNDED = 0.005


def request_counts(observations: Observations) -> dict[Labels, float]:
    """Return the requests of each run, by `Measured.key`."""
    return _most_precise(observations, "requests", "count")


def request_rates(observations: Observations, measured: Iterable[Measured]) -> dict[Labels, float]:
    """Return the requests per second of each run, by `Measured.key`.

    The tool's own rate, else requests over duration.
    """
    rates = _most_precise(observations, "request_rate", "mean")
    counts = request_counts(observations)
    for run in measured:
        if run.duration and run.key not in rates and run.key in counts:
            rates[run.key] = counts[run.key] / run.duration
    return rates


def completion_rates(
    observations: Observations, measured: Sequence[Measured]
) -> dict[Labels, float]:
    """Return the requests per second of the whole time of each run, by `Measured.key`.

    The tool's own rate may be that of sending, which vegeta divides by the time without the wait
    for the last responses. Where both agree, the tool's own is rounded less.
    """
    rates, counts = request_rates(observations, measured), request_counts(observations)
    for run in measured:
        if run.duration and counts.get(run.key) and run.key in rates:
            rate = counts[run.key] / run.duration
            if abs(rates[run.key] / rate - 1) > _ROUNDED:
                rates[run.key] = rate
    return rates


def mean_latencies(observations: Observations) -> dict[Labels, float]:
    """Return the mean latency of each run in s, by `Measured.key`."""
    return _most_precise(observations, "latency", "mean")


def read_usage(
    observations: Observations, metric: str = "cpu_usage", stat: str = "mean"
) -> dict[Labels, dict[str, float]]:
    """Return what containers used in each run: `Measured.key` -> container -> value."""
    used: dict[Labels, dict[str, float]] = {}
    rows = _rows(observations, metric, stat, ("subject", "value"), apart=True)
    for labels, container, value in rows:
        used.setdefault(labels, {})[str(container)] = value
    return used


def _most_precise(observations: Observations, metric: str, stat: str) -> dict[Labels, float]:
    best: dict[Labels, tuple[tuple[float, bool], float]] = {}
    names = ("value", "resolution", "origin")
    for key, value, resolution, origin in _rows(observations, metric, stat, names):
        step = resolution if resolution > 0 else 0.0  # unknown is NaN: not rounded
        precision = (step, origin != "computed")
        if key not in best or precision < best[key][0]:
            best[key] = (precision, value)
    return {key: value for key, (_, value) in best.items()}


def _rows(
    observations: Observations, metric: str, stat: str, names: Sequence[str], *, apart: bool = False
) -> Iterable[tuple[Any, ...]]:
    """Return labels and values of one figure: of the load, or of what ran beside it."""
    is_meant = observations["metric"].eq(metric) & observations["stat"].eq(stat)
    if not is_meant.any():  # as for most figures of most tools
        return ()
    is_meant &= observations["subject"].notna() == apart
    rows = observations.loc[is_meant, [*Labels._fields, *names]]
    return zip(list_labels(rows), *(rows[name].tolist() for name in names), strict=True)

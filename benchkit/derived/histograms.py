"""Histograms of a service over the time of a run: mean and percentiles of its durations.

They count from the start of the service; a run's contribution is the difference of two scrapes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchkit.derived.record import Measured
from benchkit.derived.resources import name_runs
from benchkit.derived.sources import HISTOGRAMS, Series, Sources
from benchkit.derived.stretches import PERCENTILES
from benchkit.errors import Finding
from benchkit.parsers.counters import BOUND
from benchkit.stats.quantiles import bucket_quantile

if TYPE_CHECKING:
    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

_BUCKET, _SUM, _COUNT = HISTOGRAMS
_METRIC = "observed_time"
#: Maximum share of all values by which a count may be below that of a lower bound (rounding).
_ROUNDING = 1e-3


class _Growth(NamedTuple):
    """The contribution of a run: counts at or below each bound, and the sum of all values."""

    bounds: FloatArray
    counts: FloatArray
    sum: float | None
    source: str

    @property
    def falls(self) -> bool:
        """Whether a bound has a smaller count than a lower one."""
        most = np.maximum.accumulate(self.counts)
        return bool((most - self.counts).max() > _ROUNDING * most[-1])


def derive_histograms(
    observations: Observations, measured: Sequence[Measured], series: Observations
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return the differences of the histograms' counters in each run.

    Parameters
    ----------
    series : Observations
        Counters over time; other series are skipped.

    Returns
    -------
    tuple of (rows, findings)
        ``observed_time`` of each histogram: its mean, which is exact, and percentiles, whose
        resolution is the width of their bucket. ``n`` is the number of values that the run added.
    """
    del observations
    chosen = series[series["metric"].isin(HISTOGRAMS).to_numpy()]
    if chosen.empty:
        return [], []
    sources = Sources(chosen, measured, keeps_repeats=True)
    rows: list[dict[str, Any]] = []
    without: list[Measured] = []
    falling: list[tuple[Measured, str]] = []
    for run in measured:
        parts = _sort(sources.of(run))
        grown = {name: _grow(run, each) for name, each in parts.items()}
        for name, growth in grown.items():
            if growth is not None and growth.falls:
                falling.append((run, name))
            elif growth is not None:
                rows += _summarise(run, name, growth)
        if sources.has_any(run) and not any(grown.values()):
            without.append(run)
    findings = [_once(without)] if without else []
    return rows, [*findings, _name_falling(falling)] if falling else findings


def _once(runs: Sequence[Measured]) -> Finding:
    return Finding(
        code="B417",
        severity="info",
        message=f"no histogram was scraped twice during {name_runs(runs)}, so it is unknown what "
        "the run added to it",
        remedy="save /metrics before and after each run, in one folder per run (see `benchkit "
        "explain B417`), or query Prometheus for the time of the runs and record their start and "
        "end",
        numbers={"runs": len(runs)},
    )


def _name_falling(falling: Sequence[tuple[Measured, str]]) -> Finding:
    name = falling[0][1]
    runs = [run for run, each in falling if each == name]
    return Finding(
        code="B426",
        severity="warning",
        message=f"fewer values lie below a bound than below a lower one in {name} "
        f"during {name_runs(runs)}, so the histogram is left out",
        remedy="save the scrapes again, and do not edit them",
        numbers={"histograms": len({each for _, each in falling}), "runs": len(runs)},
    )


def _sort(
    series_by_place: Mapping[tuple[str, str], Series],
) -> dict[str, dict[float | str, Series]]:
    """Return the series of each histogram by bound, and the sum and the count by their metric."""
    parts: dict[str, dict[float | str, Series]] = {}
    for (subject, metric), series in series_by_place.items():
        name, _, bound = subject.rpartition(BOUND) if metric == _BUCKET else (subject, "", metric)
        try:
            key = float(bound) if metric == _BUCKET else metric
        except ValueError:
            continue
        parts.setdefault(name, {})[key] = series
    return parts


def _grow(run: Measured, parts: Mapping[float | str, Series]) -> _Growth | None:
    """Return a run's contribution to a histogram; None without two scrapes, or if it is empty."""
    whole = parts.get(math.inf)
    if whole is None:
        return None
    parts = {key: series for key, series in parts.items() if series.is_dated == whole.is_dated}
    bounds = sorted(key for key in parts if isinstance(key, float))
    undated = [len(series.values) for series in parts.values() if not series.is_dated]
    if len(set(undated)) > 1 or (run.window is None and whole.is_dated):
        return None
    keys: list[float | str] = [*bounds, *(key for key in (_SUM,) if key in parts)]
    seen = [parts[key].inside(run.window) for key in keys]
    table = _align([(times, values) for times, values, _ in seen])
    if table is None:
        return None
    steps = np.diff(table, axis=0)
    was_reset = (steps[:, : len(bounds)] < 0).any(axis=1)
    steps[was_reset] = table[1:][was_reset]
    added = steps.sum(axis=0)
    counts = added[: len(bounds)]
    if not counts.max() > 0:
        return None
    total = float(added[-1]) if len(added) > len(bounds) else None
    return _Growth(np.array(bounds), counts, total, seen[0][2])


def _align(columns: Iterable[tuple[FloatArray, FloatArray]]) -> FloatArray | None:
    """Return the values at times common to all, one row per time; None for fewer than two."""
    known = list(columns)
    times = reduce(np.intersect1d, [each for each, _ in known])
    if len(times) < 2:
        return None
    return np.stack(
        [values[np.searchsorted(its_times, times)] for its_times, values in known], axis=1
    )


def _summarise(run: Measured, name: str, growth: _Growth) -> Iterator[dict[str, Any]]:
    counts = np.maximum.accumulate(growth.counts)
    count = float(counts[-1])
    n = round(count)

    def row(
        metric: str, stat: str, value: float, resolution: float | None = None
    ) -> dict[str, Any]:
        return run.row(
            metric, stat, value, subject=name, n=n, source=growth.source, resolution=resolution
        )

    if growth.sum is not None and growth.sum >= 0:
        yield row(_METRIC, "mean", growth.sum / count)
    for stat, level in PERCENTILES.items():
        quantile = bucket_quantile(growth.bounds, counts, level)
        if quantile is not None and count * (1 - level) >= 1:
            yield row(_METRIC, stat, quantile.value, quantile.width)
    yield row(_COUNT, "count", count)

"""The statistic of a run, taken of each of several stretches of it.

In: observations with raw samples. Out: values per run and stretch. Why: whether longer runs would
help is seen from how much a run varies inside; single requests follow each other, long stretches
hardly do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from benchkit.metrics import percentile_level
from benchkit.stats.quantiles import quantile

if TYPE_CHECKING:
    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

#: What samples belong to: group, variant, benchmark, params, tool, subject, metric.
Series = tuple[str, str, str, str, str, str, str]
#: Stretches per run, and the fewest samples of each beyond its quantile.
STRETCHES = 10
_BEYOND = 10
_FEWEST_TIMES = 100


class Batches:
    """Raw samples by run, in the order of their times.

    Parameters
    ----------
    observations : Observations
        Rows that are no raw samples, and samples without a time, are passed over.
    metrics : iterable of str
        Those whose samples are kept.
    """

    def __init__(self, observations: Observations, metrics: Iterable[str]) -> None:
        rows = observations["stat"].eq("sample") & observations["metric"].isin(list(metrics))
        samples = observations[rows & observations["time"].notna()]
        subject = samples["subject"].fillna("").astype(str)
        names = ["group", "variant", "benchmark", "params", "tool", "metric"]
        seconds = samples["time"].to_numpy(dtype="datetime64[ns]").astype(np.int64) * 1e-9
        table = samples[[*names, "run", "value"]].assign(subject=subject, time=seconds)
        ordered = table.sort_values("time", kind="stable")
        self._runs: dict[Series, list[tuple[FloatArray, FloatArray]]] = {}
        for key, found in ordered.groupby([*names[:5], "subject", "metric", "run"], sort=True):
            times, values = (found[name].to_numpy(dtype=np.float64) for name in ("time", "value"))
            self._runs.setdefault(tuple(map(str, key[:7])), []).append((times, values))  # type: ignore[arg-type]

    def take(self, series: Series, stat: str) -> list[FloatArray]:
        """Return a statistic of each stretch, shape (10,), of each run.

        Parameters
        ----------
        series : tuple
            Group, variant, benchmark, params, tool, subject, metric.
        stat : str
            ``mean``, ``median`` or a percentile; ``count`` counts the samples of stretches of
            equal length, to which a rate is proportional.

        Returns
        -------
        list of ndarray
            Without the runs whose stretches have too few samples; empty for other stats.
        """
        found = (_summarise(*run, stat) for run in self._runs.get(series, ()))
        return [values for values in found if values is not None]


def _summarise(times: FloatArray, values: FloatArray, stat: str) -> FloatArray | None:
    if stat == "count":
        return _count(times)
    level = 0.5 if stat in {"mean", "median"} else percentile_level(stat)
    if level is None or len(values) * (1 - level) < STRETCHES * _BEYOND:
        return None
    parts = np.array_split(values, STRETCHES)
    if stat == "mean":
        return np.array([part.mean() for part in parts])
    return np.array([quantile(part, [level])[0] for part in parts])


def _count(times: FloatArray) -> FloatArray | None:
    """Count samples per stretch, unless the times are too coarse for that."""
    if len(np.unique(times)) < _FEWEST_TIMES:
        return None
    counts, _ = np.histogram(times, bins=STRETCHES)
    return counts.astype(float)

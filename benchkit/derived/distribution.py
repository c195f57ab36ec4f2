"""Raw samples of runs as distributions: the share of requests up to each duration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

#: Number of points in a curve, half of them spread over all samples, half towards the tail.
MOST = 1000
#: Number of points for a single run, drawn faintly behind its variant.
MOST_OF_RUN = 240
#: Minimum samples of a variant for a distribution; with fewer, only its runs' values are shown.
FEWEST = 20


@dataclass(frozen=True, slots=True)
class Curve:
    """Values in ascending order, and the share of samples at or below each.

    Parameters
    ----------
    n : int
        Number of samples behind the curve.
    """

    values: tuple[float, ...]
    shares: tuple[float, ...]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The samples of one variant, benchmark and metric.

    Parameters
    ----------
    pooled : Curve
        All runs pooled, each sample counting once.
    runs : mapping of int to Curve
        By number; empty if there is only one run.
    """

    group: str
    variant: str
    benchmark: str
    params: str
    tool: str
    metric: str
    unit: str
    pooled: Curve
    runs: Mapping[int, Curve]


def find_distributions(observations: Observations) -> list[Distribution]:
    """Return the distributions of all durations that were measured individually.

    Parameters
    ----------
    observations : Observations
        Loaded with ``samples=True``; without samples there are no distributions. A duration of 0 is
        below the clock's step and counts; if all are 0, there is no distribution.
    """
    names = ["group", "variant", "benchmark", "params", "tool", "metric", "unit"]
    single = observations["stat"].eq("sample") & observations["unit"].eq("s")
    known = observations[single & observations["subject"].isna() & (observations["value"] >= 0)]
    distributions = []
    for key, rows in known.groupby(names, sort=False, observed=True):
        values = _sorted(rows)
        if len(values) < FEWEST or not values[-1] > 0:
            continue
        runs = {
            int(str(run)): thin(_sorted(values_of_run), MOST_OF_RUN)
            for run, values_of_run in rows.groupby("run")
        }
        labels = dict(zip(names, map(str, key), strict=True))
        each_run = runs if len(runs) > 1 else {}
        distributions.append(Distribution(**labels, pooled=thin(values), runs=each_run))
    return distributions


def _sorted(rows: pd.DataFrame) -> FloatArray:
    return np.sort(rows["value"].to_numpy(dtype=np.float64))


def thin(values: FloatArray, most: int = MOST) -> Curve:
    """Return the empirical distribution reduced to few points, each of them exact.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        In ascending order; n >= 1.
    most : int
        Maximum number of points, at least 4.

    Notes
    -----
    All zeros, which are durations below the clock's step, form one point. Half of the other points
    are ranks at equal distances; for the other half, the number of larger values grows
    geometrically, so that the largest 30 of a million values are all kept. Between two points the
    curve is off by at most 2 / most.

    Examples
    --------
    >>> curve = thin(np.arange(1.0, 100_001.0), most=100)
    >>> len(curve.values) <= 100, curve.values[-3:], curve.shares[-1]
    (True, (99998.0, 99999.0, 100000.0), 1.0)
    """
    n = len(values)
    if n <= most:
        kept = np.arange(n)
    else:
        even = np.round(np.linspace(0, n - 1, most // 2))
        tail = n - np.round(np.geomspace(1, n, most // 2))
        kept = np.unique(np.concatenate((even, tail)).astype(np.int64))
    if zeros := int(np.searchsorted(values, 0.0, side="right")):
        kept = np.concatenate(([zeros - 1], kept[kept >= zeros]))
    shares = (kept + 1) / n
    return Curve(tuple(values[kept].tolist()), tuple(shares.tolist()), n)

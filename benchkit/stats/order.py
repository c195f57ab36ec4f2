"""Trends over a session, and whether two sides were measured in turn.

A machine that drifts by 5 % causes a difference of 5 % between what was measured first and what was
measured last, and no test on the values alone can detect this. Only numpy is used; small numbers of
runs are counted exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.rank import mann_whitney
from benchkit.stats.sample import FloatArray, read_sample

#: Maximum values of one variant for which the distribution of Kendall's S is counted.
COUNTED = 60


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of values with time.

    Parameters
    ----------
    tau : float
        Kendall's tau, -1 to 1: the share of rising pairs minus that of falling ones, among all
        pairs within a variant; NaN without any pair.
    pvalue : float
        Two-sided, 0 < pvalue <= 1.
    slope : float
        Change per unit of time: the median of the slopes of all pairs; 0 without any.
    """

    tau: float
    pvalue: float
    slope: float


def find_trend(times: Sequence[ArrayLike], values: Sequence[ArrayLike]) -> Trend:
    """Test for a common trend within variants, and estimate it.

    Parameters
    ----------
    times, values : sequence of array_like, each of shape (n_v,)
        One pair of arrays per variant, of equal length, finite.

    Returns
    -------
    Trend

    Raises
    ------
    ValueError
        If the arrays do not match or are not finite.

    Notes
    -----
    With S_v the number of pairs of variant v that rise with time minus those that fall, S is their
    sum and p is ``P(|S| >= |s|)``, exact without ties up to 60 values per variant; else normal,
    with the variance for ties and a continuity correction. The slope is the median of all
    (v_j - v_i)/(t_j - t_i) within variants. With one variant these are Kendall's test and the
    Theil-Sen slope; with several, the test and estimate of Hirsch, Slack and Smith [1]_. Assumes
    independent values: noise that comes in waves looks like a trend. Smallest usable n: 5 values
    of one variant for p <= 0.05.

    References
    ----------
    .. [1] R. M. Hirsch, J. R. Slack and R. A. Smith, "Techniques of trend analysis for monthly
       water quality data", Water Resour. Res. 18 (1982) 107-121.

    Examples
    --------
    >>> trend = find_trend([[0, 1, 2, 3, 4]], [[1.0, 1.1, 1.2, 1.3, 1.4]])
    >>> trend.tau, round(trend.pvalue, 4), round(trend.slope, 3)
    (1.0, 0.0167, 0.1)
    """
    strata = _read_strata(times, values)
    signs = [np.sign(rises) * np.sign(spans) for rises, spans in map(_pair_up, strata)]
    score, pairs = sum(int(s.sum()) for s in signs), sum(s.size for s in signs)
    slopes = [rises[spans != 0] / spans[spans != 0] for rises, spans in map(_pair_up, strata)]
    pooled = np.concatenate(slopes) if slopes else np.empty(0)
    return Trend(
        tau=score / pairs if pairs else nan,
        pvalue=_test_score(strata, score),
        slope=float(np.median(pooled)) if pooled.size else 0.0,
    )


def adjust_for_trend(times: Sequence[ArrayLike], values: Sequence[ArrayLike]) -> float:
    """Estimate the difference of two variants after removing a common linear trend.

    Parameters
    ----------
    times, values : sequence of two array_like, shapes (n,) and (m,)
        Baseline first.

    Returns
    -------
    float
        mean(y) - mean(x) - slope·(mean of y's times - mean of x's times).

    Raises
    ------
    ValueError
        If there are not two variants, or the arrays do not match or are not finite.

    Notes
    -----
    Ordinary least squares of value ~ variant + time: the slope is the pooled one within variants, 0
    if no time varies. Assumes one linear trend for both sides. Smallest usable n: 2 + 1.

    References
    ----------
    G. A. F. Seber and A. J. Lee, Linear Regression Analysis (2003), section 8.8 (covariance).

    Examples
    --------
    >>> round(adjust_for_trend([[0, 1, 2], [3, 4, 5]], [[1, 2, 3], [6, 7, 8]]), 6)
    2.0
    """
    strata = _read_strata(times, values)
    if len(strata) != 2:
        raise ValueError(f"there must be two variants, not {len(strata)}")
    products = squares = 0.0
    for at, value in strata:
        moved = at - at.mean()
        products += float(moved @ (value - value.mean()))
        squares += float(moved @ moved)
    slope = products / squares if squares else 0.0
    (before, x), (after, y) = strata
    return float(y.mean() - x.mean() - slope * (after.mean() - before.mean()))


def is_interleaved(x: ArrayLike, y: ArrayLike, alpha: float = 0.05) -> bool:
    """Check whether two sides were measured alternately, from their positions in the order.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Places or times of the runs of each side, finite.
    alpha : float
        Level from which an order counts as one-sided.

    Returns
    -------
    bool
        False if all runs of one side come before the other's, or their places differ by
        `mann_whitney` at ``alpha``. One run on each side has no order to judge: True.

    Raises
    ------
    ValueError
        If a side is empty or not finite.

    Notes
    -----
    Assumes nothing. Smallest usable n: 2 + 1.

    Examples
    --------
    >>> is_interleaved([1, 3, 5], [2, 4, 6]), is_interleaved([1, 2, 3], [4, 5, 6])
    (True, False)
    """
    before, after = read_sample(x, "x"), read_sample(y, "y")
    if before.size + after.size < 3:
        return True
    if before.max() < after.min() or after.max() < before.min():
        return False
    return mann_whitney(before, after).pvalue > alpha


_Stratum = tuple[FloatArray, FloatArray]


def _read_strata(times: Sequence[ArrayLike], values: Sequence[ArrayLike]) -> list[_Stratum]:
    if len(times) != len(values):
        raise ValueError(f"{len(times)} arrays of times for {len(values)} of values")
    strata = [
        (read_sample(at, "times"), read_sample(value, "values"))
        for at, value in zip(times, values, strict=True)
    ]
    for at, value in strata:
        if at.size != value.size:
            raise ValueError(f"{at.size} times for {value.size} values")
    return strata


def _pair_up(stratum: _Stratum) -> _Stratum:
    """Return the differences in value and in time of each pair of runs of a variant."""
    at, value = stratum
    first, second = np.triu_indices(at.size, 1)
    return value[second] - value[first], at[second] - at[first]


def _test_score(strata: Sequence[_Stratum], score: int) -> float:
    tied = any(np.unique(part).size < part.size for stratum in strata for part in stratum)
    sizes = [at.size for at, _ in strata]
    if tied or max(sizes, default=0) > COUNTED:
        spread = sqrt(2 * sum(_variance(*stratum) for stratum in strata))
        pvalue = erfc((abs(score) - 1) / spread) if spread and score else 1.0
    else:
        chances = np.ones(1)
        for n in sizes:
            chances = np.convolve(chances, _count_inversions(n))
        scores = 2 * np.arange(chances.size) - (chances.size - 1)
        pvalue = float(chances[np.abs(scores) >= abs(score)].sum())
    return min(1.0, max(pvalue, sys.float_info.min))


def _count_inversions(n: int) -> FloatArray:
    """Return the probability of 0, 1, … rising pairs among n values in random order."""
    chances: FloatArray = np.ones(1)
    for size in range(2, n + 1):
        chances = np.convolve(chances, np.full(size, 1 / size))
    return chances


def _variance(at: FloatArray, value: FloatArray) -> float:
    """Return the variance of S over all orders, with ties in either array."""
    n = at.size
    if n < 2:
        return 0.0
    (a1, a2, a3), (b1, b2, b3) = _count_ties(at), _count_ties(value)
    total = (n * (n - 1) * (2 * n + 5) - a3 - b3) / 18 + a1 * b1 / (2 * n * (n - 1))
    return total + (a2 * b2 / (9 * n * (n - 1) * (n - 2)) if n > 2 else 0.0)


def _count_ties(part: FloatArray) -> tuple[float, float, float]:
    edges = np.flatnonzero(np.diff(np.sort(part), prepend=np.nan, append=np.nan))
    ties: NDArray[np.float64] = np.array([b - a for a, b in pairwise(edges)], dtype=np.float64)
    one = ties * (ties - 1)
    return (
        float(one.sum()),
        float((one * (ties - 2)).sum()),
        float((one * (2 * ties + 5)).sum()),
    )

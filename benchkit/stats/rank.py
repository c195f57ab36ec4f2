"""Rank statistics for two samples: the Mann-Whitney test and the Hodges-Lehmann shift.

They stay calibrated with few runs and outliers, and assume no distribution.

Everything is exact, even with ties, up to the sizes in `benchkit.stats.ranksum`; beyond, the
method's name and a note say that the normal approximation was used. scipy is never imported.
"""

from __future__ import annotations

import sys
from math import comb, erfc, floor, inf, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.ranksum import is_countable, tied_tails, untied_cdf
from benchkit.stats.sample import (
    ROUNDING,
    Estimate,
    FloatArray,
    TestResult,
    check_fraction,
    read_sample,
)

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]

_APPROXIMATE = "too many values for the exact test: normal approximation"
_ALL_EQUAL = "all values are equal"


def mann_whitney(x: ArrayLike, y: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Test whether y tends to be larger or smaller than x.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant, finite, at least one value each.
    alternative : {'two-sided', 'less', 'greater'}
        ``greater``: y tends to be larger than x; ``less``: smaller.

    Returns
    -------
    TestResult
        ``statistic`` is U of y: the number of pairs with y_j > x_i plus half of those with y_j =
        x_i. ``pvalue`` is in (0, 1] and, two-sided, the same with the sides swapped. ``method`` is
        ``mann-whitney exact`` or ``mann-whitney normal``.

    Raises
    ------
    ValueError
        If a side is empty or not finite, or the alternative is unknown.

    Notes
    -----
    Assumes that, if both sides have the same distribution, every split of the pooled values is
    equally likely: p = min(1, 2·min(P(U <= u), P(U >= u))), conditional on the ties. With ties and
    unequal sizes that distribution is not symmetric, so both tails are counted [1]_. Exact without
    ties for n·m <= 2500 (50 + 50), with ties for n + m <= 66 at least; beyond, the normal
    approximation with tie correction and a continuity correction of 0.5. Without ties it equals
    ``scipy.stats.mannwhitneyu(y, x, method='exact')``; with ties it equals the permutation test.

    Smallest usable n: 4 + 4 for p <= 0.05 (see `smallest_pvalue`). To test a limit, shift x first:
    ``mann_whitney(x + limit, y, 'greater')`` tests a shift <= limit.

    References
    ----------
    .. [1] E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks (1975), section 1.4.

    Examples
    --------
    >>> mann_whitney([103, 103, 103], [101, 102]).pvalue
    0.2
    >>> mann_whitney([101, 102], [103, 103, 103], "greater").pvalue
    0.1
    """
    before, after = read_sample(x, "x"), read_sample(y, "y")
    doubled = _double_u(before, after)
    tails, method, notes = _find_tails(before, after, doubled)
    pvalues = {"less": tails[0], "greater": tails[1], "two-sided": min(1.0, 2 * min(tails))}
    if alternative not in pvalues:
        raise ValueError(f"alternative must be one of {', '.join(pvalues)}: {alternative}")
    pvalue = max(pvalues[alternative], sys.float_info.min)
    return TestResult(doubled / 2, pvalue, f"mann-whitney {method}", notes)


def smallest_pvalue(n: int, m: int) -> float:
    """Return the smallest two-sided p-value that n against m values can have.

    Parameters
    ----------
    n, m : int
        Values per side, at least 1.

    Returns
    -------
    float
        2 / C(n + m, n), at most 1: reached if the two sides do not overlap.

    Raises
    ------
    ValueError
        If a side is empty.

    Notes
    -----
    Holds without ties, and with any ties that leave the sides separate. Assumes `mann_whitney`'s
    exact test; 3 + 3 gives 0.1, so that test cannot reject at 0.05 below 4 + 4 (or 3 + 5).

    References
    ----------
    E. L. Lehmann, Nonparametrics (1975), section 1.2.

    Examples
    --------
    >>> smallest_pvalue(3, 3), round(smallest_pvalue(4, 4), 4)
    (0.1, 0.0286)
    """
    if min(n, m) < 1:
        raise ValueError(f"both sides need at least 1 value: {n} and {m}")
    return min(1.0, max(2 / comb(n + m, n), sys.float_info.min))


def hodges_lehmann(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Estimate the shift of y against x, with an exact interval.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant, finite, at least one value each. Pass logarithms to get the
        logarithm of a ratio.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    Estimate
        ``value`` is the median of all y_j - x_i: positive if y is larger. ``low`` and ``high`` are
        infinite, with a note, if there are too few values for the level.

    Raises
    ------
    ValueError
        If a side is empty or not finite, or the confidence is out of range.

    Notes
    -----
    The interval inverts `mann_whitney`: from the nm sorted differences D(1) … D(nm) it is [D(c),
    D(nm+1-c)], c the largest integer with P(U <= c-1) <= (1 - confidence)/2 [1]_. Assumes that the
    two sides differ by a shift. Without ties the interval excludes 0 exactly if p <= 1 -
    confidence. The distribution used is that without ties: with ties the closed interval covers at
    least as often as stated, and may contain 0 although the test rejects.

    Smallest usable n: 4 + 4 at 95 %, 3 + 3 at 90 %. Exact for n·m <= 2500, else c is from the
    normal approximation. Equals R's ``wilcox.test(y, x, conf.int=TRUE)`` where that is exact.

    References
    ----------
    .. [1] J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests",
       Ann. Math. Statist. 34 (1963) 598-611.

    Examples
    --------
    >>> shift = hodges_lehmann([10.0, 10.2, 10.1, 10.4], [11.0, 11.3, 11.1, 11.6])
    >>> round(shift.value, 3), round(shift.low, 3), round(shift.high, 3)
    (1.05, 0.6, 1.6)
    """
    before, after = read_sample(x, "x"), read_sample(y, "y")
    check_fraction(confidence, "confidence")
    differences = np.sort(np.subtract.outer(after, before), axis=None)
    value = float(np.median(differences))
    c, notes = critical_rank(before.size, after.size, 1 - confidence)
    if c < 1:
        notes = (explain_too_few(before.size, after.size, confidence),)
        return Estimate(value, -inf, inf, confidence, "hodges-lehmann", notes)
    low, high = float(differences[c - 1]), float(differences[-c])
    return Estimate(value, low, high, confidence, "hodges-lehmann", notes)


def _double_u(before: FloatArray, after: FloatArray) -> int:
    """Return twice the U of ``after``, an integer even with ties."""
    ordered = np.sort(before)
    below = np.searchsorted(ordered, after, side="left").sum()
    return int(below + np.searchsorted(ordered, after, side="right").sum())


def _find_tails(
    before: FloatArray, after: FloatArray, doubled: int
) -> tuple[tuple[float, float], str, tuple[str, ...]]:
    """Return P(U <= u) and P(U >= u), the method and its notes."""
    n, m = before.size, after.size
    _, ties = np.unique(np.concatenate([before, after]), return_counts=True)
    method, notes = choose_method(n, m, ties.size)
    if method == "normal":
        tied = float(np.sum(ties.astype(np.float64) ** 3 - ties))
        return approximate_tails(n, m, doubled / 2, tied), method, notes
    if ties.size < n + m:
        return _count_tails(n, m, doubled, ties), method, notes
    cdf, u = untied_cdf(n, m), doubled // 2
    return (float(cdf[u]), float(cdf[n * m - u])), method, notes


def choose_method(n: int, m: int, distinct: int) -> tuple[str, tuple[str, ...]]:
    """Return the method for n against m values with this many distinct ones, and its notes."""
    notes = (_ALL_EQUAL,) if distinct == 1 else ()
    if not is_countable(n, m, tied=distinct < n + m):
        return "normal", (*notes, _APPROXIMATE)
    return "exact", notes


def _count_tails(n: int, m: int, doubled: int, ties: NDArray[np.int64]) -> tuple[float, float]:
    """Count both tails over all splits of the tied values; the smaller side is the one drawn."""
    below, above = tied_tails(tuple(ties.tolist()), min(n, m))
    if m <= n:
        return float(below[doubled]), float(above[doubled])
    drawn = 2 * n * m - doubled
    return float(above[drawn]), float(below[drawn])


def approximate_tails(n: int, m: int, u: float, tied: float) -> tuple[float, float]:
    """Return both tails from the normal distribution, corrected for ties and continuity.

    Parameters
    ----------
    n, m : int
        Sizes of the two sides.
    u : float
    tied : float
        Sum of t³ - t over the ties of t equal values each.
    """
    total = n + m
    variance = n * m / 12 * (total + 1 - tied / (total * (total - 1)))
    if variance <= 0:
        return 1.0, 1.0
    above, scale = u - n * m / 2, sqrt(2 * variance)
    return erfc(-(above + 0.5) / scale) / 2, erfc((above - 0.5) / scale) / 2


def critical_rank(n: int, m: int, alpha: float) -> tuple[int, tuple[str, ...]]:
    """Return the largest c with P(U <= c-1) <= alpha/2, 0 if there is none, and its notes."""
    if is_countable(n, m, tied=False):
        level = alpha / 2 * ROUNDING
        return int(np.searchsorted(untied_cdf(n, m), level, side="right")), ()
    spread = sqrt(n * m * (n + m + 1) / 12)
    c = floor(n * m / 2 + 0.5 + NormalDist().inv_cdf(alpha / 2) * spread)
    return max(c, 0), (_APPROXIMATE,)


def explain_too_few(n: int, m: int, confidence: float) -> str:
    """Explain why there is no interval, and how many values are needed for one."""
    enough = next(k for k in range(2, 600) if smallest_pvalue(k, k) <= (1 - confidence) * ROUNDING)
    level = f"{100 * confidence:g} %"
    return f"{n} and {m} values are too few for a {level} interval: at least {enough} and {enough}"

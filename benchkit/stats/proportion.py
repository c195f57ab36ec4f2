"""How often something happens, with the interval that a count allows.

None in five is not never.

Also all ways, or many, to split the runs of one variant into two sides.

Two halves of the same runs differ by chance alone, which shows the effect of chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from benchkit.stats.sample import Estimate, check_fraction

Split = tuple[tuple[int, ...], tuple[int, ...]]


def estimate_rate(times: float, trials: float, confidence: float = 0.95) -> Estimate:
    """Estimate a rate from a count.

    Parameters
    ----------
    times, trials : float
        0 <= times <= trials, trials > 0. They need not be whole: trials that share data count less.
    confidence : float
        The confidence of the interval.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Clopper and Pearson: quantiles of beta distributions [1]_; covers at least as often as stated.
    Assumes independent trials. Smallest usable n: 1, for which the interval covers almost
    everything.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in
       the case of the binomial", Biometrika 26 (1934) 404-413.

    Examples
    --------
    >>> rate = estimate_rate(0, 5)
    >>> rate.value, rate.low, round(rate.high, 3)
    (0.0, 0.0, 0.522)
    """
    check_fraction(confidence, "confidence")
    if not (trials > 0 and 0 <= times <= trials):
        raise ValueError(f"expected 0 <= times <= trials and trials > 0, got {times}, {trials}")
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(times, trials - times + 1, tail)) if times else 0.0
    high = float(betaincinv(times + 1, trials - times, 1 - tail)) if times < trials else 1.0
    return Estimate(times / trials, low, high, confidence, "clopper-pearson")


def count_splits(n: int, k: int) -> int:
    """Return the number of ways to choose two sides of k runs each from n runs.

    Examples
    --------
    >>> count_splits(8, 4), count_splits(5, 2)
    (35, 15)
    """
    return comb(n, 2 * k) * comb(2 * k, k) // 2


def split_runs(n: int, k: int, most: int, seed: int = 0) -> tuple[Split, ...]:
    """Split k + k of n runs into two sides.

    Parameters
    ----------
    n : int
        Number of runs.
    k : int
        Runs per side, 1 <= k <= n/2.
    most : int
        Maximum number of splits; if there are more, this number is drawn at random.
    seed : int
        Seed of the draw.

    Returns
    -------
    tuple of (tuple of int, tuple of int)
        Indices of the runs of each side, in ascending order; a split and its mirror image count
        once among all splits.

    Raises
    ------
    ValueError
        If k does not fit n.

    Notes
    -----
    Assumes nothing; smallest usable n: 2. Splits share runs and are therefore not independent: n
    runs contain n // 2k independent comparisons. See E. S. Edgington, Randomization Tests (1980),
    chapter 2.

    Examples
    --------
    >>> split_runs(4, 2, most=100)
    (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
    """
    if not 1 <= k <= n // 2:
        raise ValueError(f"expected 1 <= k <= n/2, got {k}, {n}")
    if count_splits(n, k) <= most:
        return tuple(_enumerate(n, k))
    draw = np.random.default_rng(seed)
    shuffled = (draw.permutation(n).tolist() for _ in range(most))
    return tuple((tuple(sorted(s[:k])), tuple(sorted(s[k : 2 * k]))) for s in shuffled)


def _enumerate(n: int, k: int) -> Iterator[Split]:
    for drawn in combinations(range(n), 2 * k):
        first, *rest = drawn
        for others in combinations(rest, k - 1):
            left = {first, *others}
            yield (first, *others), tuple(run for run in rest if run not in left)

"""The exact distribution of Mann-Whitney's U if both sides have the same distribution.

One distribution serves the test, its interval and the smallest possible p-value, so that they never
disagree; counting in integers keeps p the same when the sides are swapped.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from math import comb

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.sample import ROUNDING, FloatArray

#: Largest n·m that is counted exactly without ties: 50 against 50 (20 ms, once).
UNTIED_PAIRS = 50 * 50
#: Largest N·k·n·m (k = min(n, m)) that is counted exactly with ties: 33 against 33 (10 ms).
TIED_WORK = 66 * 33**3
_INT64_MAX = 2**63 - 1


def is_countable(n: int, m: int, *, tied: bool) -> bool:
    """Return whether the exact distribution is affordable.

    Examples
    --------
    >>> is_countable(50, 50, tied=False), is_countable(33, 33, tied=True)
    (True, True)
    >>> is_countable(3, 120, tied=True), is_countable(34, 34, tied=True)
    (True, False)
    """
    if not tied:
        return n * m <= UNTIED_PAIRS
    return (n + m) * min(n, m) * n * m <= TIED_WORK and comb(n + m, n) <= _INT64_MAX


def attained_level(n: int, m: int, alpha: float) -> float:
    """Return the largest two-sided level up to alpha that n against m values can have.

    Parameters
    ----------
    n, m : int
        Values per side, at least 1.
    alpha : float
        The nominal level.

    Returns
    -------
    float
        How often the rank test rejects if both sides have the same distribution; 0 if it never can,
        alpha if there are too many values to count.

    Notes
    -----
    Without ties. Smallest usable n at 0.05: 4 + 4. Lehmann (1975), section 1.2.

    Examples
    --------
    >>> round(attained_level(4, 4, 0.05), 4), attained_level(3, 3, 0.05)
    (0.0286, 0.0)
    """
    if not is_countable(n, m, tied=False):
        return alpha
    cdf = untied_cdf(n, m)
    below = int(np.searchsorted(cdf, alpha / 2 * ROUNDING, side="right"))
    return 2 * float(cdf[below - 1]) if below else 0.0


@lru_cache(maxsize=256)
def untied_cdf(n: int, m: int) -> FloatArray:
    """Return P(U <= u) for u = 0 … nm, without ties.

    Parameters
    ----------
    n, m : int
        Sizes of the two sides, at least 1.

    Returns
    -------
    ndarray, shape (nm + 1,)
        Read-only; index it with one U or with an array of them. P(U >= u) is element nm - u.

    Notes
    -----
    The number of splits with U = u is the coefficient of q^u in the Gaussian binomial
    prod_{i=1..n} (1 - q^{m+i}) / (1 - q^i) [1]_, counted in Python integers up to the middle; the
    other half is the same backwards.

    References
    ----------
    .. [1] H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
       stochastically larger than the other", Ann. Math. Statist. 18 (1947) 50-60.

    Examples
    --------
    >>> untied_cdf(1, 3)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    small, large = sorted((n, m))
    half = n * m // 2
    counts = [1] + [0] * half
    for i in range(1, small + 1):
        for u in range(half, large + i - 1, -1):
            counts[u] -= counts[u - large - i]
        for u in range(i, half + 1):
            counts[u] += counts[u - i]
    counts += counts[: n * m - half][::-1]
    total = comb(n + m, n)
    cdf = np.array([below / total for below in accumulate(counts)])
    cdf.flags.writeable = False
    return cdf


@lru_cache(maxsize=512)
def tied_tails(ties: tuple[int, ...], size: int) -> tuple[FloatArray, FloatArray]:
    """Return P(U <= u) and P(U >= u) at 2u = 0, 1, … 2nm, for the smaller side of tied values.

    Parameters
    ----------
    ties : tuple of int
        The number of equal values in each group of the pooled values, from the smallest value to
        the largest.
    size : int
        Size of the smaller side, at least 1.

    Returns
    -------
    tuple of (ndarray, ndarray)
        Read-only, each of shape (2nm + 1,).

    Notes
    -----
    Every split of the pooled values counts once, in integers. Assumes `is_countable`. E. L.
    Lehmann, Nonparametrics (1975), section 1.4.

    Examples
    --------
    >>> below, above = tied_tails((1, 2), 1)
    >>> below.round(2), above.round(2)
    (array([0.33, 0.33, 0.33, 1.  , 1.  ]), array([1.  , 0.67, 0.67, 0.67, 0.  ]))
    """
    counted = np.asarray(ties)
    ranks = np.repeat(2 * (np.cumsum(counted) - counted) + counted - 1, counted)
    counted_sums = count_rank_sums(ranks, size)[size * (size - 1) :]
    counts = np.zeros(2 * size * (ranks.size - size) + 1, dtype=np.int64)
    counts[: counted_sums.size] = counted_sums
    total = comb(ranks.size, size)
    lower: FloatArray = np.cumsum(counts) / total
    upper: FloatArray = np.cumsum(counts[::-1])[::-1] / total
    for tail in (lower, upper):
        tail.flags.writeable = False
    return lower, upper


def count_rank_sums(ranks: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Count the subsets of the ranks by their sum.

    Parameters
    ----------
    ranks : ndarray of int64, shape (N,)
        Ranks of the pooled values, not negative; tied values have the same (doubled) rank.
    size : int
        Size of the subsets, at most N/2, so that no count exceeds C(N, size).

    Returns
    -------
    ndarray of int64
        Element s is the number of subsets of that size whose ranks add up to s.

    Notes
    -----
    One value after the other is left out or taken: counts[j, s] += counts[j-1, s-rank], for the j
    from which a subset can still be completed and the s that occur. Ties need no special treatment,
    since equal ranks are simply added several times.

    Examples
    --------
    >>> count_rank_sums(np.array([0, 2, 2]), 2)
    array([0, 0, 2, 0, 1])
    """
    ordered = np.sort(ranks).tolist()
    width = sum(ordered[-size:]) + 1
    counts = np.zeros((size + 1, width), dtype=np.int64)
    counts[0, 0] = reach = 1
    for seen, rank in enumerate(ordered):
        least, most = max(0, size - len(ordered) + seen), min(seen, size - 1)
        sums = min(reach, width - rank)
        counts[least + 1 : most + 2, rank : rank + sums] += counts[least : most + 1, :sums]
        reach = min(reach + rank, width)
    chosen: NDArray[np.int64] = counts[size]
    return chosen

"""All ways, or many, to deal the runs of one variant out to two sides.

Two halves of the same runs differ by chance alone, which shows what chance does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

Split = tuple[tuple[int, ...], tuple[int, ...]]


def count_splits(n: int, k: int) -> int:
    """Return in how many ways k and k of n runs make two sides.

    Examples
    --------
    >>> count_splits(8, 4), count_splits(5, 2)
    (35, 15)
    """
    return comb(n, 2 * k) * comb(2 * k, k) // 2


def split_runs(n: int, k: int, most: int, seed: int = 0) -> tuple[Split, ...]:
    """Deal k and k of n runs out to two sides.

    Parameters
    ----------
    n : int
        Runs.
    k : int
        Runs per side, 1 <= k <= n/2.
    most : int
        Where there are more splits than this, so many are drawn at random.
    seed : int
        Of the draw.

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
    Assumes nothing; smallest usable n: 2. Splits share runs and so are not independent: n runs hold
    n // 2k comparisons that are. See E. S. Edgington, Randomization Tests (1980), chapter 2.

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

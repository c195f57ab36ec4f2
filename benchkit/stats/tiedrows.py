"""The exact distributions of Mann-Whitney's U for many patterns of ties at once.

Half of the rows of a large comparison have ties, each in its own pattern; their halves repeat.

A distribution is the product of those of the lower and the upper ranks. Both are counted as Fourier
transforms, where a product of polynomials is one of numbers, and rounded to integers at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
#: Up to so many splits the rounding errors of a transform stay below a thousandth of one.
_MOST_SPLITS = 2**40
#: Numbers of transforms that are held, and that a core's own cache holds.
_HELD, _AT_ONCE = 1 << 22, 1 << 16


def is_transformable(n: int, m: int) -> bool:
    """Tell whether transforms count exactly: 20 against 20 are, 22 against 22 are not.

    Examples
    --------
    >>> is_transformable(20, 20), is_transformable(22, 22)
    (True, False)
    """
    return comb(n + m, n) <= _MOST_SPLITS


def count_patterns(ranks: IntArray, size: int) -> IntArray:
    """Count the subsets of the ranks of each pattern by their doubled U.

    Parameters
    ----------
    ranks : ndarray of int64, shape (patterns, N)
        Doubled ranks from 0 of the pooled values, in ascending order; tied values share the mean.
    size : int
        Of the subsets, the smaller side, at least 1.

    Returns
    -------
    ndarray of int64, shape (patterns, 2·size·(N - size) + 1)
        Element 2u is the number of subsets with U = u.

    Notes
    -----
    The number of subsets of j ranks with sum s is the coefficient of x^j q^s in
    prod (1 + x·q^rank) [1]_; at the roots of unity q, one factor after the other for each half of
    the ranks, then the two halves times each other. Assumes `is_transformable`. Smallest usable
    N: 1.

    References
    ----------
    .. [1] E. L. Lehmann, Nonparametrics (1975), section 1.4; the transform: M. Pagano and D.
       Tritchler, "On obtaining permutation distributions in polynomial time", J. Am. Statist.
       Assoc. 78 (1983) 435-440.

    Examples
    --------
    >>> count_patterns(np.array([[0, 3, 3], [0, 2, 4]]), 1)
    array([[1, 0, 0, 2, 0],
           [1, 0, 1, 0, 1]])
    """
    patterns, total = ranks.shape
    width, half = 2 * size * (total - size) + 1, total // 2
    counts = np.empty((patterns, width), dtype=np.int64)
    for chunk in _cut(patterns, max(_HELD // (size * width), 1)):
        below, of_below = _transform(ranks[chunk, :half], size, width)
        above, of_above = _transform(ranks[chunk, half:], size, width)
        lacking = above[:, ::-1]  # of size ranks, those that the lower half does not give
        for part in _cut(len(of_below), max(_AT_ONCE // (size * width), 1)):
            sides = below[of_below[part]], lacking[of_above[part]]
            sums = np.fft.irfft(np.einsum("pjf,pjf->pf", *sides), width, axis=1)
            # the smallest sum of ranks is that of U = 0; sums are told modulo the width
            shifted = np.roll(sums, -(size * (size - 1)), axis=1)
            counts[chunk][part] = np.rint(shifted)
    return counts


def _transform(ranks: IntArray, size: int, width: int) -> tuple[NDArray[np.complex128], IntArray]:
    """Transform the counts of subsets of 0 … size ranks; which of them belongs to each row."""
    distinct, of_row = np.unique(ranks, axis=0, return_inverse=True)
    turns = np.arange(width // 2 + 1)
    roots = np.exp(-2j * np.pi / width * np.arange(width))
    found = np.zeros((len(distinct), size + 1, turns.size), dtype=np.complex128)
    found[:, 0] = 1
    for part in _cut(len(distinct), max(_AT_ONCE // (size * width), 1)):
        counts = found[part]
        for column, rank in enumerate(distinct[part].T):
            most = min(column + 1, size)
            factor = roots[rank[:, None] * turns % width]
            counts[:, 1 : most + 1] += counts[:, :most] * factor[:, None]
    return found, of_row.ravel()


def _cut(count: int, length: int) -> Iterator[slice]:
    return (slice(start, start + length) for start in range(0, count, length))

"""The rank test and the Hodges-Lehmann shift for many rows at once.

Thousands of benchmarks are compared in the time that a loop needs to sort them; every number equals
that of `mann_whitney` and `hodges_lehmann` on the row alone.

Also the exact distributions of Mann-Whitney's U for many patterns of ties at once.

Half of the rows of a large comparison have ties, each in a different pattern; their halves repeat.

A distribution is the product of those of the lower and the upper ranks. Both are counted as Fourier
transforms, in which a product of polynomials is a product of numbers, and rounded to integers at
the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.rank import (
    approximate_tails,
    choose_method,
    critical_rank,
    explain_too_few,
    mann_whitney,
)
from benchkit.stats.ranksum import is_countable, untied_cdf
from benchkit.stats.sample import LARGEST, Estimate, FloatArray, TestResult, check_fraction

#: Number of differences in memory: as many as fit the private cache of a core.
_AT_ONCE = 1 << 16
#: Above this number of differences per row, only those that matter are computed. About this many
#: values of each side locate them, plus this share of all differences on either side.
_MOST_SORTED, _THINNED, _REACH = 2_000, 24, 0.015
#: Upper bound of the rounding error of sums and differences of two numbers, as a share of both.
_ROUNDED = 8 * np.finfo(np.float64).eps
IntArray = NDArray[np.int64]
#: Maximum number of splits at which rounding errors of a transform stay below a thousandth of one.
_MOST_SPLITS = 2**40
#: Number of transforms in memory, and the number that fits the private cache of a core.
_HELD, _TRANSFORMED = 1 << 22, 1 << 16


@dataclass(frozen=True, slots=True)
class RankRows:
    """Estimate, intervals and test of each row.

    Parameters
    ----------
    value, low, high : ndarray, shape (rows,)
        The Hodges-Lehmann shift and its interval; infinite if the level cannot be reached.
    inner_low, inner_high : ndarray, shape (rows,)
        The interval at ``1 - 2 (1 - confidence)``, which the equivalence test needs.
    statistic, pvalue : ndarray, shape (rows,)
        U of y, and the two-sided p-value of the exact Mann-Whitney test.
    confidence : float
    sizes : tuple of (int, int)
        Values per side.
    distinct : ndarray of int64, shape (rows,)
        The number of distinct values of both sides.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    inner_low: FloatArray
    inner_high: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    confidence: float
    sizes: tuple[int, int]
    distinct: NDArray[np.int64]

    def results(self) -> Iterator[tuple[Estimate, Estimate, TestResult]]:
        """Yield estimate, inner estimate and test of each row, with its notes.

        Examples
        --------
        >>> estimate, inner, test = next(compare_rows([[1, 2, 3]], [[4, 5, 6]], 0.9).results())
        >>> estimate.low, inner.low, test.method, test.notes
        (1.0, 2.0, 'mann-whitney exact', ())
        """
        sides = [
            _estimate(self.sizes, level, times * (1 - self.confidence))
            for times, level in ((1, self.confidence), (2, 1 - 2 * (1 - self.confidence)))
        ]
        ends = ((self.low, self.high), (self.inner_low, self.inner_high))
        outer, inner = (
            map(describe, self.value.tolist(), low.tolist(), high.tolist())
            for describe, (low, high) in zip(sides, ends, strict=True)
        )
        methods = {size: choose_method(*self.sizes, size) for size in set(self.distinct.tolist())}
        tests = (
            TestResult(u, p, f"mann-whitney {methods[size][0]}", methods[size][1])
            for u, p, size in zip(
                *(column.tolist() for column in (self.statistic, self.pvalue, self.distinct)),
                strict=True,
            )
        )
        return zip(outer, inner, tests, strict=True)


def _estimate(
    sizes: tuple[int, int], confidence: float, alpha: float
) -> Callable[[float, float, float], Estimate]:
    """Return a function that makes an estimate of value, low and high, like `hodges_lehmann`."""
    c, notes = critical_rank(*sizes, alpha)
    notes = notes if c else (explain_too_few(*sizes, confidence),)
    return partial(_make, confidence, notes)


def _make(
    confidence: float, notes: tuple[str, ...], value: float, low: float, high: float
) -> Estimate:
    return Estimate(value, low, high, confidence, "hodges-lehmann", notes)


def compare_rows(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> RankRows:
    """Estimate and test the shift of y against x in each row.

    Parameters
    ----------
    x, y : array_like, shapes (rows, n) and (rows, m)
        Baseline and variant, finite, at least one column each.
    confidence : float
        The confidence of the interval, 0.5 < confidence < 1.

    Returns
    -------
    RankRows

    Raises
    ------
    ValueError
        If the tables do not have two dimensions and the same number of rows, have no column, a
        value is not finite, or the confidence is out of range.

    Notes
    -----
    Formulas, assumptions, limits of exact counting and smallest usable n are those of
    `mann_whitney` and `hodges_lehmann`; so are all digits. Rows with ties are counted together. E.
    L. Lehmann, Nonparametrics (1975), sections 1.4 and 2.5.

    Examples
    --------
    >>> rows = compare_rows([[1, 2, 3, 4], [1, 2, 3, 4]], [[5, 6, 7, 9], [2, 2, 3, 4]])
    >>> rows.value, rows.low, rows.pvalue.round(3)
    (array([4., 0.]), array([ 1., -2.]), array([0.029, 1.   ]))
    """
    before, after = _read_table(x, "x"), _read_table(y, "y")
    check_fraction(confidence, "confidence")
    check_fraction(2 * confidence - 1, "2 confidence - 1")
    if before.shape[0] != after.shape[0]:
        raise ValueError(
            f"both sides need the same number of rows: {before.shape[0]} and {after.shape[0]}"
        )
    rows, n, m = before.shape[0], before.shape[1], after.shape[1]
    ranks = [critical_rank(n, m, times * (1 - confidence))[0] for times in (1, 2)]
    half, size = n * m // 2, n * m
    middle = (half, half) if size % 2 else (half - 1, half)
    places = [*middle, *(end for c in ranks for end in (max(c - 1, 0), size - max(c, 1)))]
    pick = _pick_near if size > _MOST_SORTED else _pick
    left, right, *ends = pick(before, after, np.array(places))
    value = (left + right) / 2 if size % 2 == 0 else left
    unknown = np.full(rows, np.inf)
    for place, c in enumerate(ranks):
        if not c:
            ends[2 * place : 2 * place + 2] = -unknown, unknown
    low, high, inner_low, inner_high = ends
    differs, u = _rank_pooled(before, after)
    pvalue = _find_pvalues(before, after, u, differs)
    distinct = 1 + np.count_nonzero(differs, axis=1)
    ends_of = (value, low, high, inner_low, inner_high)
    return RankRows(*ends_of, u, pvalue, confidence, (n, m), distinct)


def _read_table(values: ArrayLike, name: str) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"{name} must be a table with at least 1 column, got {table.shape}")
    if not (np.abs(table) <= LARGEST).all():
        raise ValueError(f"{name} must be finite and within ±{LARGEST:g}")
    return table


def _pick(before: FloatArray, after: FloatArray, ranks: NDArray[np.intp]) -> FloatArray:
    """Return the differences with these ranks, from 0, of each row: shape (ranks, rows)."""
    rows, size = len(before), before.shape[1] * after.shape[1]
    lowest, highest = ranks.min(), ranks.max()
    picked = np.empty((ranks.size, rows))
    step = max(_AT_ONCE // size, 1)
    for start in range(0, rows, step):
        chunk = slice(start, start + step)
        differences = (after[chunk, :, None] - before[chunk, None, :]).reshape(-1, size)
        differences.partition(lowest, axis=1)  # values outside may be unordered
        differences[:, lowest:].partition(highest - lowest, axis=1)
        differences[:, lowest : highest + 1].sort(axis=1)
        picked[:, chunk] = differences[:, ranks].T
    return picked


def _pick_near(before: FloatArray, after: FloatArray, ranks: NDArray[np.intp]) -> FloatArray:
    """Do the same as `_pick` with only the differences near the ranks.

    Their location is read from every few values of both sides, in order.
    """
    x, y = np.sort(before, axis=1), np.sort(after, axis=1)
    gaps = (max(side.shape[1] // _THINNED, 1) for side in (x, y))
    before, after = (side[:, gap // 2 :: gap] for side, gap in zip((x, y), gaps, strict=True))
    count, size = before.shape[1] * after.shape[1], x.shape[1] * y.shape[1]
    reach = ranks.min() / size - _REACH, ranks.max() / size + _REACH
    at = np.clip(np.array(reach) * count, 0, count - 1).astype(np.intp)
    ends = _pick(before, after, at)
    picked = np.empty((ranks.size, len(x)))
    for row, (low, high) in enumerate(zip(*ends.tolist(), strict=True)):
        slack = _ROUNDED * (np.abs(x[row]) + max(abs(low), abs(high)))
        first = np.searchsorted(y[row], x[row] + low - slack)
        counts = np.searchsorted(y[row], x[row] + high + slack, "right") - first
        places = np.arange(counts.sum()) + np.repeat(first + counts - np.cumsum(counts), counts)
        near = np.sort(y[row, places] - np.repeat(x[row], counts))
        offsets = ranks - first.sum()
        is_near = offsets.min() >= 0 and offsets.max() < near.size
        picked[:, row] = near[offsets] if is_near else np.nan
    is_sure = (picked.min(axis=0) >= ends[0]) & (picked.max(axis=0) <= ends[1])
    picked[:, ~is_sure] = _pick(x[~is_sure], y[~is_sure], ranks)
    return picked


def _find_pvalues(
    before: FloatArray, after: FloatArray, u: FloatArray, differs: NDArray[np.bool_]
) -> FloatArray:
    """Return two-sided p-values; rows with ties are counted together."""
    n, m = before.shape[1], after.shape[1]
    tied = np.count_nonzero(differs, axis=1) < differs.shape[1]
    pvalue = np.empty(u.size)
    if is_countable(n, m, tied=False):
        cdf, at = untied_cdf(n, m), u[~tied].astype(np.int64)
        pvalue[~tied] = 2 * np.minimum(cdf[at], cdf[n * m - at])
    else:
        tied[:] = True
    places = np.flatnonzero(tied)
    drawn = 2 * (u if m <= n else n * m - u)
    if places.size and is_transformable(n, m):
        pvalue[places] = _count_tied(differs[places], drawn[places], min(n, m))
    elif not is_countable(n, m, tied=True):
        pvalue[places] = _approximate(differs[places], u[places], n, m)
    else:
        pvalue[places] = [mann_whitney(before[row], after[row]).pvalue for row in places]
    return np.clip(pvalue, sys.float_info.min, 1.0)


def _count_tied(differs: NDArray[np.bool_], drawn: FloatArray, size: int) -> FloatArray:
    """Return the p-value of each row of tied values, from twice the U of the smaller side."""
    packed = np.packbits(differs, axis=1)
    _, first, of_row = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    counts = count_patterns(_rank(differs[first]), size)
    lower = np.cumsum(counts, axis=1)
    total, at, row = lower[0, -1], drawn.astype(np.int64), of_row.ravel()
    below = lower[row, at]
    above = total - below + counts[row, at]
    pvalue: FloatArray = 2 * np.minimum(below / total, above / total)
    return pvalue


def _approximate(differs: NDArray[np.bool_], u: FloatArray, n: int, m: int) -> list[float]:
    """Return the p-value of each row by the normal approximation."""
    ranks = np.arange(differs.shape[1] + 1)
    edge = np.ones((len(differs), 1), dtype=np.bool_)
    ends = np.hstack([differs, edge])
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), ranks, 0), axis=1)
    sizes = np.where(ends, ranks + 1 - first, 0).astype(np.float64)  # of each tie, at its end
    tied = np.sum(sizes**3 - sizes, axis=1).tolist()
    rows = zip(u.tolist(), tied, strict=True)
    return [2 * min(approximate_tails(n, m, *row)) for row in rows]


def _rank_pooled(before: FloatArray, after: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
    """Return where the ordered values of both sides differ, and the U of y, in each row."""
    n, m = before.shape[1], after.shape[1]
    pooled = np.concatenate([before, after], axis=1)
    order = pooled.argsort(axis=1)
    ordered = np.take_along_axis(pooled, order, axis=1)
    differs = ordered[:, 1:] != ordered[:, :-1]
    sums = np.where(order >= n, _rank(differs), 0).sum(axis=1)
    return differs, (sums - m * (m - 1)) / 2


def _rank(differs: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return doubled ranks from 0, by where ordered values differ; equal ones share their mean."""
    edge = np.ones((len(differs), 1), dtype=np.bool_)
    place = np.arange(differs.shape[1] + 1)
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), place, 0), axis=1)
    ends = np.where(np.hstack([differs, edge]), place, place[-1])[:, ::-1]
    return first + np.minimum.accumulate(ends, axis=1)[:, ::-1]


def is_transformable(n: int, m: int) -> bool:
    """Return whether transforms count exactly: 20 against 20 does, 22 against 22 does not.

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
        Size of the subsets, that of the smaller side, at least 1.

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
        lacking = above[:, ::-1]  # of the size ranks, those not in the lower half
        for part in _cut(len(of_below), max(_TRANSFORMED // (size * width), 1)):
            sides = below[of_below[part]], lacking[of_above[part]]
            sums = np.fft.irfft(np.einsum("pjf,pjf->pf", *sides), width, axis=1)
            # the smallest sum of ranks is that of U = 0; sums are known modulo the width
            shifted = np.roll(sums, -(size * (size - 1)), axis=1)
            counts[chunk][part] = np.rint(shifted)
    return counts


def _transform(ranks: IntArray, size: int, width: int) -> tuple[NDArray[np.complex128], IntArray]:
    """Transform the counts of subsets of 0 … size ranks; also return which one each row uses."""
    distinct, of_row = np.unique(ranks, axis=0, return_inverse=True)
    turns = np.arange(width // 2 + 1)
    roots = np.exp(-2j * np.pi / width * np.arange(width))
    products = np.zeros((len(distinct), size + 1, turns.size), dtype=np.complex128)
    products[:, 0] = 1
    for part in _cut(len(distinct), max(_TRANSFORMED // (size * width), 1)):
        counts = products[part]
        for column, rank in enumerate(distinct[part].T):
            most = min(column + 1, size)
            factor = roots[rank[:, None] * turns % width]
            counts[:, 1 : most + 1] += counts[:, :most] * factor[:, None]
    return products, of_row.ravel()


def _cut(count: int, length: int) -> Iterator[slice]:
    return (slice(start, start + length) for start in range(0, count, length))

"""The rank test and the Hodges-Lehmann shift of many rows in one go.

Thousands of benchmarks are compared in the time that a loop needs to sort them; every number is
that of `mann_whitney` and `hodges_lehmann` on the row alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.rank import (
    approximate_tails,
    critical_rank,
    mann_whitney,
    tell_method,
    tell_too_few,
)
from benchkit.stats.ranksum import is_countable, untied_cdf
from benchkit.stats.results import Estimate, TestResult
from benchkit.stats.sample import LARGEST, FloatArray, check_fraction
from benchkit.stats.tiedrows import count_patterns, is_transformable

#: Differences held at a time: what a core's own cache holds.
_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class RankRows:
    """Estimate, intervals and test of each row.

    Parameters
    ----------
    value, low, high : ndarray, shape (rows,)
        The Hodges-Lehmann shift and its interval; infinite where the level cannot be reached.
    inner_low, inner_high : ndarray, shape (rows,)
        The interval at ``1 - 2 (1 - confidence)``, which the equivalence test needs.
    statistic, pvalue : ndarray, shape (rows,)
        U of y, and the two-sided p-value of the exact Mann-Whitney test.
    confidence : float
    sizes : tuple of (int, int)
        Values per side.
    distinct : ndarray of int64, shape (rows,)
        How many values of both sides are not equal to another.
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
        """Yield estimate, inner estimate and test of each row, with the notes of its own.

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
            map(tell, self.value.tolist(), low.tolist(), high.tolist())
            for tell, (low, high) in zip(sides, ends, strict=True)
        )
        told = {size: tell_method(*self.sizes, size) for size in set(self.distinct.tolist())}
        tests = (
            TestResult(u, p, f"mann-whitney {told[size][0]}", told[size][1])
            for u, p, size in zip(
                *(column.tolist() for column in (self.statistic, self.pvalue, self.distinct)),
                strict=True,
            )
        )
        return zip(outer, inner, tests, strict=True)


def _estimate(
    sizes: tuple[int, int], confidence: float, alpha: float
) -> Callable[[float, float, float], Estimate]:
    """Return what makes an estimate of value, low and high, as `hodges_lehmann` does."""
    c, notes = critical_rank(*sizes, alpha)
    notes = notes if c else (tell_too_few(*sizes, confidence),)
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
        Of the interval, 0.5 < confidence < 1.

    Returns
    -------
    RankRows

    Raises
    ------
    ValueError
        If the tables have not two dimensions and as many rows, no column, a value is not finite,
        or the confidence is out of range.

    Notes
    -----
    Formulas, assumptions, reach of the exact count and smallest usable n are those of
    `mann_whitney` and `hodges_lehmann`; so are all digits. Rows with ties
    are counted together. E. L. Lehmann, Nonparametrics (1975), sections 1.4 and 2.5.

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
            f"both sides need equally many rows: {before.shape[0]} and {after.shape[0]}"
        )
    rows, n, m = before.shape[0], before.shape[1], after.shape[1]
    outer, inner = (critical_rank(n, m, times * (1 - confidence))[0] for times in (1, 2))
    ends = np.empty((6, rows))
    step = max(_AT_ONCE // (n * m), 1)
    for start in range(0, rows, step):
        chunk = slice(start, start + step)
        ends[:, chunk] = _sort_differences(before[chunk], after[chunk], outer, inner)
    value, low, high, inner_low, inner_high, u = ends
    pooled = np.sort(np.concatenate([before, after], axis=1), axis=1)
    differs = pooled[:, 1:] != pooled[:, :-1]
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


def _sort_differences(
    before: FloatArray, after: FloatArray, outer: int, inner: int
) -> tuple[FloatArray, ...]:
    """Return value, low, high, inner low, inner high and U."""
    rows, size = before.shape[0], before.shape[1] * after.shape[1]
    differences = (after[:, :, None] - before[:, None, :]).reshape(rows, size)
    above = np.count_nonzero(differences > 0, axis=1)
    u = (size + above - np.count_nonzero(differences < 0, axis=1)) / 2
    lowest, highest = (outer - 1, size - outer) if outer else (0, size - 1)
    if outer:  # what lies beyond the interval need not be in order
        differences.partition(lowest, axis=1)
        differences[:, lowest:].partition(highest - lowest, axis=1)
    differences[:, lowest : highest + 1].sort(axis=1)
    half = size // 2
    middle = differences[:, half]
    if size % 2 == 0:
        middle = (differences[:, half - 1] + middle) / 2
    unknown = np.full(rows, np.inf)
    ends: list[FloatArray] = []
    for c in (outer, inner):
        ends += [differences[:, c - 1], differences[:, -c]] if c else [-unknown, unknown]
    return middle, *ends, u


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
    """Return the p-value of each row of tied values, by twice the U of the smaller side."""
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


def _rank(differs: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return doubled ranks from 0 by where ordered values differ; equal ones share their mean."""
    edge = np.ones((len(differs), 1), dtype=np.bool_)
    place = np.arange(differs.shape[1] + 1)
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), place, 0), axis=1)
    ends = np.where(np.hstack([differs, edge]), place, place[-1])[:, ::-1]
    return first + np.minimum.accumulate(ends, axis=1)[:, ::-1]

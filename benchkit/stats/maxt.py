"""Many rows tested together: step-down max-T over joint permutations of whole runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.sample import LARGEST, FloatArray

Tail: TypeAlias = Literal["two-sided", "greater"]

#: Maximum number of assignments that are enumerated, and the number drawn if there are more.
_ENUMERATED, _DRAWN = comb(14, 7), 1999
#: Maximum number of statistics in memory.
_AT_ONCE = 1 << 20
#: Relative difference below which statistics are equal.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class MaxT:
    """The result of joint permutations for each row.

    Parameters
    ----------
    pvalue : ndarray, shape (rows,)
        The p-value of the row alone.
    p_adjusted : ndarray, shape (rows,)
        Adjusted among all rows; never below ``pvalue``.
    """

    pvalue: FloatArray
    p_adjusted: FloatArray


def max_t(
    x: ArrayLike, y: ArrayLike, resolution: ArrayLike = 0.0, tail: Tail = "two-sided"
) -> MaxT:
    """Test all rows together by permuting whole runs.

    Parameters
    ----------
    x, y : array_like, shape (rows, n)
        Baseline and variant (usually logarithms), one row per question, one column per run, with
        the same number of columns on both sides. A column is one run of all rows; runs that have no
        rows in common may share a column.
    resolution : array_like, shape (rows,) or scalar
        The rounding step of each row, in the unit of x; 0 if unknown.
    tail : {'two-sided', 'greater'}
        ``greater``: only a y above x counts as evidence.

    Raises
    ------
    ValueError
        If the sides differ in shape, have fewer than 2 columns, or a value is not finite.

    Notes
    -----
    The statistic is the difference of the means over its pooled standard error, whose variance is
    at least resolution²/12; if the resolution is unknown, the smallest step between two values of
    the row is used instead. The adjusted p of the j-th largest row is the share of assignments in
    which the largest of the rows j … m reaches it, made monotone [1]_, [2]_. Exact up to 7 + 7
    columns; beyond, 1,999 random assignments, seeded by the values, with p = (b + 1)/(B + 1).
    Neither the order of the columns nor exchanging the sides changes a p. Assumes that without an
    effect the runs of both sides vary equally: with unequal spread it rejects too often, see
    `decide_family`. The smallest two-sided p is 2/C(2n, n): smallest usable n: 4.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing (1993), algorithm 2.8.
    .. [2] Y. Ge, S. Dudoit and T. P. Speed, "Resampling-based multiple testing for microarray data
       analysis", TEST 12 (2003) 1-77.

    Examples
    --------
    >>> x = [[1.0, 1.1, 0.9, 1.0], [5.0, 5.2, 5.1, 5.3]]
    >>> y = [[1.5, 1.6, 1.4, 1.5], [5.1, 5.0, 5.3, 5.2]]
    >>> max_t(x, y).p_adjusted.round(3).tolist()
    [0.029, 1.0]
    """
    before, after = _read(x, "x"), _read(y, "y")
    if before.shape != after.shape:
        raise ValueError(f"both sides need the same shape: {before.shape} and {after.shape}")
    n = before.shape[1]
    pooled, is_variant = _order(np.concatenate([before, after], axis=1), n)
    centered = pooled - pooled.mean(axis=1, keepdims=True)
    floor = find_floor(pooled, np.broadcast_to(resolution, len(pooled)))
    assignments = _assign(n, _summarise(pooled))
    observed = _measure(centered, is_variant[None].astype(np.float64), floor, tail)[0]
    parts = _statistics(centered, assignments, floor, tail)
    return _step_down(
        observed, parts, len(assignments), tail, is_drawn=comb(2 * n, n) > _ENUMERATED
    )


def sign_flip_max_t(
    differences: ArrayLike, resolution: ArrayLike = 0.0, tail: Tail = "two-sided"
) -> MaxT:
    """Test all rows of pairs together by exchanging the sides of whole pairs.

    Parameters
    ----------
    differences : array_like, shape (rows, n)
        Variant minus baseline of each pair (usually of logarithms).
    resolution, tail
        As in `max_t`.

    Raises
    ------
    ValueError
        If there are fewer than 2 columns, or a value is not finite.

    Notes
    -----
    Like `max_t`, with the paired t and the 2^n exchanges of the pairs. The smallest two-sided p is
    2/2^n: smallest usable n: 8 pairs.

    Examples
    --------
    >>> sign_flip_max_t([[0.1, 0.12, 0.11, 0.09, 0.1, 0.13, 0.1, 0.12]]).p_adjusted.tolist()
    [0.0078125]
    """
    pairs = _read(differences, "differences")
    n = pairs.shape[1]
    pairs = pairs[:, np.lexsort(np.sort(np.abs(pairs), axis=0))]
    floor = find_floor(pairs, np.broadcast_to(resolution, len(pairs)))
    signs = _flip(n, _summarise(np.abs(pairs)))
    observed = _measure_pairs(pairs, np.ones((1, n)), floor, tail)[0]
    step = max(_AT_ONCE // max(len(pairs), 1), 1)
    parts = (
        _measure_pairs(pairs, signs[start : start + step], floor, tail)
        for start in range(0, len(signs), step)
    )
    return _step_down(observed, parts, len(signs), tail, is_drawn=2**n > _ENUMERATED)


def count_splits(n: int) -> int:
    """Return the number of ways in which `measure_splits` splits n + n columns into two sides.

    Examples
    --------
    >>> count_splits(4), count_splits(9)
    (35, 2000)
    """
    splits = comb(2 * n, n)
    return splits // 2 if splits <= _ENUMERATED else _DRAWN + 1


def measure_splits(runs: ArrayLike) -> FloatArray:
    """Return the two-sided statistic of each row for each split of its columns into two sides.

    Parameters
    ----------
    runs : array_like, shape (rows, 2n)
        The baseline's n columns, then the variant's; normal values, without rounding.

    Returns
    -------
    ndarray, shape (splits, rows)
        The first is the split into the actual sides. All splits up to 7 + 7 columns, without
        mirrored ones; 2,000 beyond.

    Examples
    --------
    >>> statistics = measure_splits([[1.0, 1.1, 0.9, 1.0, 1.5, 1.6, 1.4, 1.5]])
    >>> len(statistics), int(statistics.argmax())
    (35, 0)
    """
    table = np.asarray(runs, dtype=np.float64)
    n = table.shape[1] // 2
    splits = _assign(n, bytes(32))
    if comb(2 * n, n) > _ENUMERATED:
        splits = np.vstack([np.arange(2 * n) < n, splits])
    centered = table - table.mean(axis=1, keepdims=True)
    return _measure(centered, splits, np.zeros(len(table)), "two-sided")


def adjust_sessions(runs: FloatArray) -> FloatArray:
    """Return the adjusted p-values of `max_t` for many sessions at once.

    Parameters
    ----------
    runs : ndarray, shape (sessions, rows, 2n)
        As in `measure_splits`.

    Returns
    -------
    ndarray, shape (sessions, rows)
        In ascending order of the rows' statistics.
    """
    sessions, rows, columns = runs.shape
    statistics = measure_splits(runs.reshape(-1, columns)).reshape(-1, sessions, rows)
    order = np.argsort(statistics[0], axis=1)
    ranked = np.take_along_axis(statistics, order[None], axis=2)
    reach = ranked[0] * (1 - _EQUAL)
    share = (np.maximum.accumulate(ranked, axis=2) >= reach).mean(axis=0)
    adjusted: FloatArray = np.maximum.accumulate(share[:, ::-1], axis=1)[:, ::-1]
    return adjusted


def _read(values: ArrayLike, name: str) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"{name} must be a table with at least 2 columns, got {table.shape}")
    if not (np.abs(table) <= LARGEST).all():
        raise ValueError(f"{name} must be finite and within ±{LARGEST:g}")
    return table


def _order(pooled: FloatArray, n: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Sort columns and rows in an order that depends only on their values."""
    columns = np.lexsort(np.sort(pooled, axis=0))
    return pooled[:, columns], columns >= n


def _summarise(table: FloatArray) -> bytes:
    """Return a seed that depends only on the order of the values in each row."""
    ranks = table.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return hashlib.sha256(np.sort(ranks, axis=0).tobytes()).digest()


def find_floor(values: FloatArray, resolution: FloatArray) -> FloatArray:
    """Return the minimum variance of each row that rounding implies."""
    steps = np.diff(np.sort(values, axis=1), axis=1)
    steps = np.where(steps > 0, steps, np.inf).min(axis=1)
    step = np.where(resolution > 0, resolution, np.where(np.isfinite(steps), steps, 0.0))
    floor: FloatArray = step**2 / 12
    return floor


def _assign(n: int, seed: bytes) -> FloatArray:
    """Return which columns are the variant's, one assignment per row, without mirrored ones."""
    if comb(2 * n, n) <= _ENUMERATED:
        return _enumerate(n)
    generator = np.random.default_rng(np.frombuffer(seed, dtype=np.uint32))
    keys = generator.random((_DRAWN, 2 * n))
    chosen = np.argpartition(keys, n, axis=1)[:, :n]
    table = np.zeros((_DRAWN, 2 * n))
    np.put_along_axis(table, chosen, 1.0, axis=1)
    return table


@lru_cache(maxsize=8)
def _enumerate(n: int) -> FloatArray:
    table = np.zeros((comb(2 * n, n) // 2, 2 * n))
    for row, rest in enumerate(combinations(range(1, 2 * n), n - 1)):
        table[row, [0, *rest]] = 1.0
    return table


def _flip(n: int, seed: bytes) -> FloatArray:
    """Return signs of the pairs, without mirrored ones."""
    if 2**n <= _ENUMERATED:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return (1 - 2 * bits).astype(np.float64)
    generator = np.random.default_rng(np.frombuffer(seed, dtype=np.uint32))
    return (1 - 2 * generator.integers(0, 2, size=(_DRAWN, n))).astype(np.float64)


def _statistics(
    centered: FloatArray, assignments: FloatArray, floor: FloatArray, tail: Tail
) -> Iterator[FloatArray]:
    step = max(_AT_ONCE // max(len(centered), 1), 1)
    for start in range(0, len(assignments), step):
        yield _measure(centered, assignments[start : start + step], floor, tail)


def _measure(
    centered: FloatArray, assignments: FloatArray, floor: FloatArray, tail: Tail
) -> FloatArray:
    """Return the statistic of each assignment and row."""
    n = centered.shape[1] // 2
    half = assignments @ centered.T / n  # the variant's mean; the baseline's is its opposite
    total = (centered**2).sum(axis=1)
    variance = np.maximum((total - 2 * n * half**2) / (2 * n - 2), floor)
    return _divide(2 * half, variance * (2 / n), tail)


def _measure_pairs(
    pairs: FloatArray, signs: FloatArray, floor: FloatArray, tail: Tail
) -> FloatArray:
    n = pairs.shape[1]
    mean = signs @ pairs.T / n
    total = (pairs**2).sum(axis=1)
    variance = np.maximum((total - n * mean**2) / (n - 1), floor)
    return _divide(mean, variance / n, tail)


def _divide(difference: FloatArray, variance: FloatArray, tail: Tail) -> FloatArray:
    """Return t; 0 if nothing differs, however small the variance."""
    t: FloatArray = difference / np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))
    return np.abs(t) if tail == "two-sided" else t


def _step_down(
    observed: FloatArray, parts: Iterator[FloatArray], count: int, tail: Tail, *, is_drawn: bool
) -> MaxT:
    """Count the assignments that reach each row, alone and among the rows below it."""
    order = np.argsort(observed, kind="stable")
    reach = observed[order] - _EQUAL * (1 + np.abs(observed[order]))
    alone, jointly = np.zeros(order.size), np.zeros(order.size)
    for part in parts:
        ranked = part[:, order]
        # The mirrored assignment has the same two-sided statistic, and the opposite one-sided
        # statistic; drawn assignments are not mirrored.
        mirrors = (ranked, -ranked) if tail == "greater" and not is_drawn else (ranked,)
        for each in mirrors:
            alone += (each >= reach).sum(axis=0)
            jointly += (np.maximum.accumulate(each, axis=1) >= reach).sum(axis=0)
    if is_drawn:
        alone, jointly, count = alone + 1, jointly + 1, count + 1
    elif tail == "greater":
        count *= 2
    adjusted = np.maximum.accumulate(jointly[::-1])[::-1] / count
    pvalue, p_adjusted = np.empty(order.size), np.empty(order.size)
    pvalue[order], p_adjusted[order] = alone / count, adjusted
    return MaxT(pvalue, p_adjusted)

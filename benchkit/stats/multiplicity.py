"""Many tests at once: adjusted p-values, and the number of rows that a number of runs can support.

20 comparisons without a difference at 5 % show a false change in 64 % of reports. With few runs a
large family can never reject at all, which must be reported instead of "no difference".
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.sample import FloatArray, check_fraction


def holm(pvalues: ArrayLike) -> FloatArray:
    """Adjust p-values so that the chance of any false rejection stays below alpha.

    Parameters
    ----------
    pvalues : array_like, shape (k,)
        In [0, 1]. NaN means that a row has no test: it remains NaN and is not counted.

    Returns
    -------
    ndarray, shape (k,)
        In the order of the input; reject where <= alpha.

    Raises
    ------
    ValueError
        If a p-value is out of range.

    Notes
    -----
    With p_(1) <= … <= p_(k): max over i <= j of min(1, (k - i + 1)·p_(i)). Controls the
    family-wise error under any dependence [1]_. Smallest usable k: 0.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scand. J. Statist. 6 (1979) 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjust(pvalues, _step_down)


def benjamini_hochberg(pvalues: ArrayLike) -> FloatArray:
    """Adjust p-values so that the expected share of false rejections stays below alpha.

    Parameters
    ----------
    pvalues : array_like, shape (k,)
        In [0, 1]. NaN means that a row has no test: it remains NaN and is not counted.

    Returns
    -------
    ndarray, shape (k,)
        q-values in the order of the input.

    Raises
    ------
    ValueError
        If a p-value is out of range.

    Notes
    -----
    With p_(1) <= … <= p_(k): min over i >= j of min(1, k·p_(i)/i). Assumes independent or
    positively dependent tests [1]_. Smallest usable k: 0. Equals
    ``scipy.stats.false_discovery_control``.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", J. R. Statist.
       Soc. B 57 (1995) 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _adjust(pvalues, _step_up)


def largest_family(n: int, m: int, alpha: float = 0.05) -> int:
    """Return the largest number of rows among which Holm can still reject one.

    Parameters
    ----------
    n, m : int
        Runs per side, at least 1.
    alpha : float
        Family-wise level, 0 < alpha < 1.

    Returns
    -------
    int
        floor(alpha·C(n+m, n)/2): the number of rows by which the smallest p-value of the exact
        Mann-Whitney test may be multiplied; 0 if it cannot reject even alone.

    Raises
    ------
    ValueError
        If a side is empty or alpha is out of range.

    Notes
    -----
    Assumes the unpaired exact rank test in every row (see `smallest_pvalue`). Smallest usable n:
    1. Computed in integers.

    Examples
    --------
    >>> [largest_family(k, k) for k in (3, 4, 5, 6, 8)]
    [0, 1, 6, 23, 321]
    """
    check_fraction(alpha, "alpha")
    if min(n, m) < 1:
        raise ValueError(f"both sides need at least 1 run: {n} and {m}")
    return int(_fraction(alpha) * comb(n + m, n) // 2)


@lru_cache(maxsize=16)
def runs_for_family(rows: int, alpha: float = 0.05) -> int:
    """Return the minimum runs per side with which Holm can reject in that many rows.

    Parameters
    ----------
    rows : int
        Size of the family, at least 1.
    alpha : float
        Family-wise level, at least 1e-9 and below 1.

    Raises
    ------
    ValueError
        If rows or alpha are out of range.

    Notes
    -----
    The inverse of `largest_family`, with its assumptions: necessary for a rejection, not
    sufficient.

    Examples
    --------
    >>> runs_for_family(1), runs_for_family(28)
    (4, 7)
    """
    _check_family(rows, alpha)
    return next(k for k in count(1) if largest_family(k, k, alpha) >= rows)


def largest_paired_family(n: int, alpha: float = 0.05) -> int:
    """Return the largest number of rows of n pairs among which Holm can still reject one.

    Parameters
    ----------
    n : int
        Pairs, at least 1.
    alpha : float
        Family-wise level, 0 < alpha < 1.

    Returns
    -------
    int
        floor(alpha·2^n/2): the number of rows by which the smallest p-value of the exact
        signed-rank test may be multiplied; 0 if it cannot reject even alone.

    Raises
    ------
    ValueError
        If there is no pair or alpha is out of range.

    Notes
    -----
    Assumes the exact signed-rank test in every row (see `smallest_paired_pvalue`). Smallest usable
    n: 1. Computed in integers.

    Examples
    --------
    >>> [largest_paired_family(n) for n in (5, 6, 8, 10)]
    [0, 1, 6, 25]
    """
    check_fraction(alpha, "alpha")
    if n < 1:
        raise ValueError(f"there must be at least 1 pair: {n}")
    return int(_fraction(alpha) * 2**n // 2)


@lru_cache(maxsize=16)
def pairs_for_family(rows: int, alpha: float = 0.05) -> int:
    """Return the minimum number of pairs with which Holm can reject in that many rows.

    Parameters
    ----------
    rows : int
        Size of the family, at least 1.
    alpha : float
        Family-wise level, at least 1e-9 and below 1.

    Raises
    ------
    ValueError
        If rows or alpha are out of range.

    Notes
    -----
    The inverse of `largest_paired_family`, with its assumptions: necessary for a rejection, not
    sufficient.

    Examples
    --------
    >>> pairs_for_family(1), pairs_for_family(28)
    (6, 11)
    """
    _check_family(rows, alpha)
    return next(n for n in count(1) if largest_paired_family(n, alpha) >= rows)


@lru_cache(maxsize=16)
def _fraction(alpha: float) -> Fraction:
    """Return alpha free of binary rounding: 0.05 is exactly a twentieth."""
    return Fraction(alpha).limit_denominator(10**9)


def _check_family(rows: int, alpha: float) -> None:
    if rows < 1:
        raise ValueError(f"rows must be at least 1: {rows}")
    if alpha < 1e-9:
        raise ValueError(f"alpha must be at least 1e-9: {alpha}")


def _adjust(pvalues: ArrayLike, step: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Apply a step to the sorted p-values that exist and restore their original order."""
    raw = np.asarray(pvalues, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(raw))
    present = raw[tested]
    if np.any((present < 0) | (present > 1)):
        raise ValueError(f"p-values must be between 0 and 1: {present.tolist()}")
    order = tested[np.argsort(present, kind="stable")]
    adjusted = np.full(raw.shape, np.nan)
    adjusted[order] = np.minimum(step(raw[order]), 1.0)
    return adjusted


def _step_down(ordered: FloatArray) -> FloatArray:
    return np.maximum.accumulate(ordered * np.arange(ordered.size, 0, -1))


def _step_up(ordered: FloatArray) -> FloatArray:
    scaled = ordered * ordered.size / np.arange(1, ordered.size + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]

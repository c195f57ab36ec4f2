"""Series that are tested after every round and stop once they are decided.

The p-values and intervals hold however often the series is tested, and for whatever reason it
stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.equivalence import log_bounds
from benchkit.stats.multiplicity import holm
from benchkit.stats.sample import ROUNDING, FloatArray
from benchkit.stats.spending import (
    LONGEST,
    SequentialDesign,
    Sides,
    find_cached_levels,
    tabulate_levels,
)

Tail: TypeAlias = Literal["two-sided", "greater", "less"]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]

#: Tolerance with which a margin is reached despite the binary rounding of logarithms.
_NEARLY = 1 - 1e-9
_SIDES: tuple[Sides, ...] = (1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """The results of each look at several series, one row per series and one column per look.

    Parameters
    ----------
    design : SequentialDesign
    value, error : ndarray, shape (rows, looks)
        The mean of the differences so far, and its standard error. After a series has stopped
        because of its results, the mean is biased away from 0; the intervals are valid.
    rounds : ndarray, shape (looks,)
        The number of rounds at each look.

    Examples
    --------
    >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05, 0.06]], SequentialDesign())
    >>> looks.rounds.tolist(), looks.error.round(4).tolist()
    ([4.0, 5.0], [[0.0041, 0.0037]])
    """

    design: SequentialDesign
    value: FloatArray
    error: FloatArray
    rounds: FloatArray

    def find_pvalues(self, shift: float = 0.0, tail: Tail = "two-sided") -> FloatArray:
        """Return p-values that hold however often the series is tested.

        Parameters
        ----------
        shift : float
            The difference to test against.
        tail : {'two-sided', 'greater', 'less'}
            ``greater``: small if the difference lies above ``shift``.

        Returns
        -------
        ndarray, shape (rows, looks)
            The smallest alpha at which this look rejects [1]_, at least 1e-9: it is alpha or less
            if the interval of this look excludes ``shift``, whatever earlier looks showed.

        Notes
        -----
        If the differences do not vary, the nominal p-value is that of the sign test. Smallest
        usable n: the design's ``least``.

        References
        ----------
        .. [1] C. Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence interval
           approach", J. R. Statist. Soc. B 51 (1989) 305-361.

        Examples
        --------
        >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05, 0.06]], SequentialDesign())
        >>> looks.find_pvalues().round(3).tolist()
        [[0.007, 0.003]]
        """
        from scipy.special import ndtr, ndtri, stdtr

        away = (self.value - shift) * (-1.0 if tail == "less" else 1.0)
        varies = self.error > 0
        t = np.abs(away) / np.where(varies, self.error, 1.0)
        alike = np.where(away == 0, 0.5, 0.5**self.rounds)
        upper = np.where(varies, stdtr(self.rounds - 1, -t), alike)
        sides: Sides = 2 if tail == "two-sided" else 1
        nominal = 2 * upper if sides == 2 else np.where(away >= 0, upper, 1 - upper)
        probits = ndtri(np.clip(nominal, 1e-300, 1 - 1e-16))
        alphas, levels = tabulate_levels(self.design, sides, self.rounds.size)
        columns = zip(probits.T, levels, strict=True)
        quantiles = np.array(
            [np.interp(column, at, alphas, right=np.inf) for column, at in columns]
        )
        pvalues: FloatArray = np.asarray(ndtr(quantiles.T))
        return pvalues

    def find_interval(self, alpha: float, sides: Sides = 2) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the repeated confidence intervals, which hold at all looks together.

        Parameters
        ----------
        alpha : float
            The probability that one of them misses the true difference: two-sided for any end,
            one-sided for the lower ends or, separately, for the upper ones.
        sides : {1, 2}

        Returns
        -------
        low, high : ndarray, shape (rows, looks)
            Infinite if the differences do not vary and the rounds are too few for a sign test.

        Examples
        --------
        >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05, 0.06]], SequentialDesign())
        >>> [ends[0, -1].round(3).item() for ends in looks.find_interval(0.05)]
        [0.03, 0.074]
        """
        from scipy.special import stdtrit

        looks = self.rounds.size
        levels = find_cached_levels(self.design, alpha, sides, looks)[:looks]
        quantile = -stdtrit(self.rounds - 1, levels / sides)
        is_known = (self.error > 0) | (sides * 0.5**self.rounds <= levels)
        reach = np.where(is_known, quantile * self.error, np.inf)
        return self.value - reach, self.value + reach

    def find_large(self, margin: float) -> BoolArray:
        """Return for each look whether the estimate, a logarithm, is at least as large as a margin.

        Examples
        --------
        >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05, 0.06]], SequentialDesign())
        >>> looks.find_large(0.03).tolist()
        [[True, True]]
        """
        low, high = log_bounds(margin)
        large: BoolArray = (self.value >= high * _NEARLY) | (self.value <= low * _NEARLY)
        return large

    def find_equal(self, margin: float, alpha: float) -> BoolArray:
        """Return for each look whether both one-sided bounds of a logarithm lie within a margin.

        Examples
        --------
        >>> looks = take_looks([[0.001, -0.002, 0.0, 0.003, -0.001]], SequentialDesign())
        >>> looks.find_equal(0.03, 0.05).tolist()
        [[True, True]]
        """
        low, high = log_bounds(margin)
        below, above = self.find_interval(alpha, 1)
        equal: BoolArray = (below > low * _NEARLY) & (above < high * _NEARLY)
        return equal

    def forecast(self, margin: float, alpha: float) -> IntArray:
        """Return after how many rounds each row will be decided if it continues unchanged.

        Parameters
        ----------
        margin : float
        alpha : float
            The level of each row.

        Returns
        -------
        ndarray of int, shape (rows,)
            0 if the design has too few rounds for a decision, as for an effect that is about as
            large as the margin.

        Notes
        -----
        Assumes the estimate and the spread of the last look, which are uncertain with few rounds.

        Examples
        --------
        >>> looks = take_looks([[0.05, 0.1, 0.02, 0.09]] * 2, SequentialDesign())
        >>> looks.forecast(0.03, 0.05).tolist(), looks.forecast(0.07, 0.05).tolist()
        ([8, 8], [0, 0])
        """
        from scipy.special import stdtrit

        made = int(self.rounds[-1])
        rounds = np.arange(made + 1, self.design.most + 1, dtype=np.float64)
        if not rounds.size:
            return np.zeros(len(self.value), dtype=np.int64)
        value, spread = self.value[:, -1:], self.error[:, -1:] * sqrt(made)
        later = slice(made + 1 - self.design.least, None)
        reaches = []
        for sides in _SIDES:
            levels = find_cached_levels(self.design, alpha, sides, LONGEST)[later]
            reaches.append(-stdtrit(rounds - 1, levels / sides) * (spread / np.sqrt(rounds)))
        low, high = log_bounds(margin)
        is_large = (value >= high * _NEARLY) | (value <= low * _NEARLY)
        is_equal = (value - reaches[0] > low) & (value + reaches[0] < high)
        is_decided = ((np.abs(value) > reaches[1]) & is_large) | is_equal
        first = np.argmax(is_decided, axis=1)
        return np.where(is_decided.any(axis=1), rounds[first], 0).astype(np.int64)


def take_looks(differences: ArrayLike, design: SequentialDesign, floor: float = 0.0) -> Looks:
    """Return the results of each look at the series.

    Parameters
    ----------
    differences : array_like, shape (rows, rounds)
        Variant - baseline of each round, usually of logarithms; finite. Rounds beyond the design's
        are ignored.
    design : SequentialDesign
    floor : float
        The smallest possible variance of a difference, as implied by rounding.

    Raises
    ------
    ValueError
        If there are fewer rounds than the first look needs.

    Examples
    --------
    >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05, 0.06]], SequentialDesign())
    >>> looks.value.round(3).tolist(), looks.rounds.tolist()
    ([[0.05, 0.052]], [4.0, 5.0])
    """
    made = np.asarray(differences, dtype=np.float64)[:, : design.most]
    if not np.isfinite(made).all():
        raise ValueError("differences must be finite")
    if made.shape[1] < design.least:
        raise ValueError(f"expected at least {design.least} rounds: {made.shape[1]}")
    counts = np.arange(1, made.shape[1] + 1, dtype=np.float64)
    level = made[:, :1]  # so that little precision is lost if the differences hardly vary
    sums = np.cumsum(made - level, axis=1)
    squares = np.cumsum((made - level) ** 2, axis=1)
    variance = (squares - sums**2 / counts) / np.maximum(counts - 1, 1)
    variance = np.where(variance > 1e-14 * squares, variance, 0.0)
    kept = slice(design.least - 1, None)
    return Looks(
        design=design,
        value=(level + sums / counts)[:, kept],
        error=np.sqrt(np.maximum(variance, floor) / counts)[:, kept],
        rounds=counts[kept],
    )


def find_stops(
    pvalues: FloatArray, is_large: BoolArray, is_equal: BoolArray, alpha: float = 0.05
) -> IntArray:
    """Return the look at which each row of a family is decided; -1 if it is undecided.

    Parameters
    ----------
    pvalues : ndarray, shape (rows, looks)
        From `Looks.find_pvalues`; a row with a fixed number of runs has the same p-value at each
        look.
    is_large, is_equal : ndarray of bool, shape (rows, looks)
        From `Looks.find_large` and `Looks.find_equal`.
    alpha : float
        The level of the family.

    Notes
    -----
    A row is decided if its difference is shown among all rows, by the group-sequential form of
    Holm's procedure [1]_, and its estimate is at least as large as the margin; or if the difference
    is shown to lie within the margin. The first decision of a row is final, and so is its p-value.
    Smallest usable number of rows and looks: 1.

    References
    ----------
    .. [1] W. Maurer and F. Bretz, "Multiple testing in group sequential trials using graphical
       approaches", Statist. Biopharm. Res. 5 (2013) 311-320.

    Examples
    --------
    >>> looks = take_looks([[0.05, 0.06, 0.04, 0.05], [0.05, -0.2, 0.3, 0.1]], SequentialDesign())
    >>> sides = looks.find_pvalues(), looks.find_large(0.03), looks.find_equal(0.03, 0.05)
    >>> find_stops(*sides).tolist()
    [0, -1]
    """
    stops = np.full(len(pvalues), -1, dtype=np.int64)
    frozen = np.ones(len(pvalues))
    may_decide = ((pvalues <= alpha * ROUNDING) & is_large) | is_equal
    for look in np.flatnonzero(may_decide.any(axis=0)).tolist():
        is_open = stops < 0
        frozen[is_open] = pvalues[is_open, look]
        is_shown = holm(frozen) <= alpha * ROUNDING
        stops[is_open & ((is_shown & is_large[:, look]) | is_equal[:, look])] = look
        if (stops >= 0).all():
            break
    return stops

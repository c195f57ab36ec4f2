"""Spending the level of a test over many looks at a growing series.

A fixed test at 5 % that is repeated after each of 40 rounds rejects in one of four sessions without
an effect. Here each look has a separate level, so that all looks together keep the 5 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import e, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from benchkit.stats.sample import FloatArray, check_fraction

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Spending: TypeAlias = Literal[
    "obrien-fleming", "pocock", "linear", "power-1.5", "power-2", "power-3"
]
Sides: TypeAlias = Literal[1, 2]

#: Default number of rounds of a design, and the maximum.
LEAST, MOST, LONGEST = 4, 40, 1000
#: Edges of the cells in which the course of a series is tracked: probits of its p-value.
EDGES = np.linspace(-7.5, 7.5, 361)
#: Probits between which the distribution of the next difference is interpolated.
_FINE = np.linspace(-8.0, 8.0, 1601)
#: Rounds from which only moves to near cells count, and their maximum distance in standard
#: deviations of a move. Farther moves change no level by more than 1e-12 of it.
_NARROW, _NEAR = 48, 19.0
#: Probits of the levels at which p-values are tabulated, from 1e-9 on.
_PROBITS = np.linspace(-6.0, 2.6, 44)


def _power(exponent: float) -> Callable[[FloatArray, FloatArray], FloatArray]:
    return lambda alpha, share: alpha * share**exponent


def _spend_late(alpha: FloatArray, share: FloatArray) -> FloatArray:
    from scipy.special import ndtr, ndtri

    return np.asarray(2 * ndtr(ndtri(alpha / 2) / np.sqrt(share)))


def _spend_evenly(alpha: FloatArray, share: FloatArray) -> FloatArray:
    return alpha * np.log1p((e - 1) * share)


#: Return the one-sided level that is spent after a share of the rounds.
SPENDING: dict[Spending, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "obrien-fleming": _spend_late,
    "pocock": _spend_evenly,
    "linear": _power(1.0),
    "power-1.5": _power(1.5),
    "power-2": _power(2.0),
    "power-3": _power(3.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialDesign:
    """The rounds after which a series is tested, and the spending of its level over the looks.

    Parameters
    ----------
    least, most : int
        The first round after which the series is tested, at least 2, and the last one, at most
        1000. It is tested after every round between them.
    spending : {'pocock', 'linear', 'power-1.5', 'power-2', 'power-3', 'obrien-fleming'}
        Lan and DeMets' approximations of Pocock's and O'Brien and Fleming's boundaries [1]_, or
        alpha·t^rho of the share t of the rounds (Kim and DeMets [2]_), ``linear`` for rho = 1. The
        earlier the level is spent, the sooner large effects are shown.

    Raises
    ------
    ValueError
        If the rounds or the spending are out of range.

    Notes
    -----
    The test at a look is Student's t of the differences of all rounds so far. The levels come from
    recursive numerical integration over the looks (Armitage, McPherson and Rowe [3]_; Jennison and
    Turnbull [4]_, chapter 19), of the exact joint distribution of the successive t: with few
    rounds the usual approximation, levels of normal values made levels of t, rejects up to 5.8 %
    at 5 %. Assumes normal differences d, independent from round to round. Smallest usable
    ``least``: 2, which shows only enormous effects.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials",
       Biometrika 70 (1983) 659-663.
    .. [2] K. Kim and D. L. DeMets, "Design and analysis of group sequential tests based on the
       type I error spending rate function", Biometrika 74 (1987) 149-154.
    .. [3] P. Armitage, C. K. McPherson and B. C. Rowe, "Repeated significance tests on accumulating
       data", J. R. Statist. Soc. A 132 (1969) 235-244.
    .. [4] C. Jennison and B. W. Turnbull, Group Sequential Methods with Applications to Clinical
       Trials (2000).

    Examples
    --------
    >>> design = SequentialDesign(least=4, most=8)
    >>> [round(float(level), 3) for level in design.find_levels(0.05)]
    [0.031, 0.017, 0.014, 0.013, 0.013]
    """

    least: int = LEAST
    most: int = MOST
    spending: Spending = "pocock"

    def __post_init__(self) -> None:
        """Reject invalid rounds and unknown spendings."""
        if not 2 <= self.least <= self.most <= LONGEST:
            raise ValueError(f"expected 2 <= least <= most <= {LONGEST}: {self.least}, {self.most}")
        if self.spending not in SPENDING:
            raise ValueError(f"expected one of {', '.join(SPENDING)}: {self.spending!r}")

    @property
    def looks(self) -> range:
        """The rounds after which the series is tested."""
        return range(self.least, self.most + 1)

    def find_levels(self, alpha: float, sides: Sides = 2) -> FloatArray:
        """Return the level of each look, for a test with one or two sides.

        Parameters
        ----------
        alpha : float
            The level of all looks together, 0 < alpha < 1.
        sides : {1, 2}

        Raises
        ------
        ValueError
            If alpha is out of range.

        Examples
        --------
        >>> design = SequentialDesign(least=4, most=8, spending="obrien-fleming")
        >>> [round(float(level), 3) for level in design.find_levels(0.05)]
        [0.003, 0.007, 0.014, 0.023, 0.034]
        """
        check_fraction(alpha, "alpha")
        levels: FloatArray = _find_levels(self, np.array([alpha]), sides)[0]
        return levels


@lru_cache(maxsize=64)
def find_cached_levels(
    design: SequentialDesign, alpha: float, sides: Sides, looks: int
) -> FloatArray:
    """Return the levels of the first looks, and perhaps some more, computed once."""
    levels: FloatArray = _find_levels(design, np.array([alpha]), sides, _round_up(looks))[0]
    return levels


def _round_up(looks: int) -> int:
    """Round up the number of looks, so that levels are not recomputed after every one of them.

    Examples
    --------
    >>> _round_up(1), _round_up(8), _round_up(9)
    (8, 8, 16)
    """
    return -(-looks // 8) * 8


def _find_levels(
    design: SequentialDesign, alphas: FloatArray, sides: Sides, looks: int = LONGEST
) -> FloatArray:
    """Return the levels of several alphas, one row each, at the first looks."""
    from scipy.special import ndtr

    made = design.looks[:looks]
    shares = np.array(made, dtype=np.float64) / design.most
    spent = SPENDING[design.spending](alphas[:, None] / sides, shares)
    bounds = find_bounds(spent, (_find_moves(n) for n in made[:-1]), sides)
    return np.asarray(sides * ndtr(-bounds))


def find_bounds(
    spent: FloatArray, moves: Iterable[FloatArray | csr_array], sides: Sides
) -> FloatArray:
    """Return the boundaries that spend these parts of each level, as probits of the looks' tests.

    Parameters
    ----------
    spent : ndarray, shape (alphas, looks)
        One-sided level spent up to and including each look.
    moves : iterable of ndarray or csr_array, shape (cells, cells)
        From each look to the next: the probability of every cell, by the current cell.
    sides : {1, 2}
    """
    from scipy.special import ndtr

    parts = np.maximum(np.diff(spent, axis=1, prepend=0.0), 1e-290)
    bounds = np.empty_like(parts)
    mass = np.tile(np.diff(ndtr(EDGES)), (len(parts), 1))
    steps = iter(moves)
    for look in range(parts.shape[1]):
        if look:
            mass = mass @ next(steps)
        bounds[:, look], above = _cut(mass, parts[:, look])
        mass = np.minimum(mass, above)
        if sides == 2:
            mass = np.minimum(mass, above[:, ::-1])
    return bounds


def _cut(mass: FloatArray, part: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where upper tails of this mass begin, and the mass of each cell below them."""
    tails = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
    tails = np.log(np.maximum(np.append(tails, np.zeros((len(mass), 1)), axis=1), 1e-300))
    logs = np.log(part)
    bounds = np.array(
        [np.interp(-log, -tail, EDGES) for log, tail in zip(logs, tails, strict=True)]
    )
    left = np.clip(np.exp(tails[:, :-1]) - part[:, None], 0.0, None)
    return bounds, left


@lru_cache(maxsize=LONGEST)
def _find_moves(n: int) -> FloatArray | csr_array:
    """Return the probability of each cell after the next round, by the cell after ``n`` rounds.

    Without an effect, U = sum(d)/sqrt(sum(d^2)), of which t is a function, is independent of
    sum(d^2). So w = d/sqrt(sum(d^2)) of the next difference d is Student's t with n degrees of
    freedom over sqrt(n), whatever U is, and U becomes (U + w)/sqrt(1 + w^2): an exact Markov chain.
    """
    from scipy.special import ndtr, stdtrit

    w = stdtrit(n, ndtr(_FINE)) / sqrt(n)
    cells = len(EDGES) - 1
    near = cells if n < _NARROW else int(_NEAR / sqrt(n) / (EDGES[1] - EDGES[0]))
    width = min(2 * near + 1, cells)
    first = np.clip(np.arange(cells) - near, 0, cells - width)
    columns = first[:, None] + np.arange(width + 1)
    u, v = _to_u(n, (EDGES[:-1] + EDGES[1:]) / 2)[:, None], _to_u(n + 1, EDGES)[columns]
    sign = np.where(v < 0, -1.0, 1.0)
    beyond = _find_beyond(sign * u, sign * v, w)
    above = np.where(v < 0, 1 - beyond, beyond)
    moves = np.asarray(-np.diff(above, axis=1))
    if width == cells:
        return moves
    from scipy.sparse import csr_array

    ends = np.arange(cells + 1) * width
    return csr_array((moves.ravel(), columns[:, :-1].ravel(), ends), shape=(cells, cells))


def _to_u(n: int, z: FloatArray) -> FloatArray:
    """Return sum/sqrt(sum of squares) of n differences at which Student's t has these probits."""
    from scipy.special import ndtr, stdtrit

    t = -np.sign(z) * stdtrit(n - 1, ndtr(-np.abs(z)))
    return np.asarray(t * np.sqrt(n / (n - 1 + t**2)))


def _find_beyond(u: FloatArray, v: FloatArray, w: FloatArray) -> FloatArray:
    """Return P((u + w)/sqrt(1 + w^2) > v) for v >= 0, by the quantiles of w at `_FINE`."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        root = v * np.sqrt(np.maximum(u**2 + 1 - v**2, 0.0))
        least = np.where(u > 0, (v**2 - u**2) / (u + root), (root - u) / (1 - v**2))
        most = np.where(v > 1, (u + root) / (v**2 - 1), np.inf)
    is_reachable = (v < 1) | ((u > 0) & (u**2 + 1 > v**2))
    above = ndtr(-np.interp(least, w, _FINE)) - ndtr(-np.interp(most, w, _FINE))
    return np.where(is_reachable, np.maximum(above, 0.0), 0.0)


def tabulate_levels(
    design: SequentialDesign, sides: Sides, looks: int
) -> tuple[FloatArray, FloatArray]:
    """Return probits of alphas, and of the first looks' levels at them, one row per look."""
    return _PROBITS, _tabulate(design, sides, _round_up(looks))[:looks]


@lru_cache(maxsize=16)
def _tabulate(design: SequentialDesign, sides: Sides, looks: int) -> FloatArray:
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtri(_find_levels(design, ndtr(_PROBITS), sides, looks).T))

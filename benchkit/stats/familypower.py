"""The power of the rows of a family, decided in the way of `decide_family`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, log, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.equivalence import log_sizes
from benchkit.stats.families import Basis, bearable_ratio
from benchkit.stats.maxt import adjust_sessions, count_splits, measure_splits
from benchkit.stats.power import FEWEST_RUNS
from benchkit.stats.rankpower import (
    NormalRanks,
    count_below,
    count_sessions,
    draw_ranks,
    draw_runs,
    least_by_ranks,
    rank_sessions,
    split_variants,
)
from benchkit.stats.sample import ROUNDING, FloatArray, check_fraction
from benchkit.stats.spread import spread_ratios
from benchkit.stats.student import t_quantile

#: Maximum runs per side at which all rows are simulated, and the smallest plan is searched one by
#: one.
SIMULATED_RUNS = 10
#: Maximum runs per side at which a changed row is simulated; beyond, U is taken as normal, which is
#: off by about 1 point.
_RANKED_RUNS = 30
#: Permutation statistics computed for the changed row, its neighbours and all rows, and the minimum
#: number of sessions for each: this keeps a plan fast. For ranks, the number of pairs of runs.
_CHANGED, _OTHERS, _ALL = (150_000, 150), (2_000_000, 12), (2_500_000, 10)
_PAIRS = (3_000_000, 800)
#: Upper limit of the shift that always shows a row, in standard deviations, and the number of
#: bisections.
_LARGEST_SHIFT, _HALVINGS = 40.0, 12
_EQUAL = 1 - 1e-9
#: With more rows, the sum of the spread ratios is scaled up, and the largest statistics are reused.
_MANY_ROWS, _DRAWN_ROWS = 30, 300
_SEED = 20_261
#: Minimum spread; smaller ones are replaced by it.
_LEAST_SPREAD = 1e-12


class Law(Protocol):
    """The probability that one changed row is shown among its family, for a number of runs."""

    def power(self, shift: float, reach: float) -> float:
        """Return it for a change and a margin, both in standard deviations of a run."""


def family_power(
    cv: ArrayLike,
    n: int,
    effect: ArrayLike,
    *,
    variants: int = 1,
    margin: float = 0.0,
    alpha: float = 0.05,
) -> tuple[FloatArray, float]:
    """Return the power to show a change in each row of a family, and in all rows together.

    Parameters
    ----------
    cv : array_like, shape (rows,)
        Standard deviation of the logarithms of runs, row by row; both sides vary equally.
    n : int
        Runs per side, at least 2.
    effect : array_like
        A fraction, 0.06 for 6 % more and -0.06 for 6 % less: for all rows, or row by row.
    variants : int
        The number of variants to which the rows belong in equal shares; they share the baseline.
    margin : float
        A fraction that the estimate has to reach, too; 0 for the test alone.
    alpha : float
        Family-wise level.

    Returns
    -------
    one : ndarray, shape (rows,)
        The probability that the row is shown if it alone changes.
    every : float
        The probability that all rows are shown if all change.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The statistic is the one that `decide_family` chooses for these numbers of rows and runs: the
    rank test (Welch's with 2 or 3 runs) for a single row, Holm's adjustment of ranks if these can
    pass, else max-T, else Welch's t with n - 1 degrees of freedom; the last also if the measured
    spreads of the sides happen to differ too much. Up to 30 runs per side by seeded simulation;
    beyond, the two counts of U that decide, at 0 and at the margin, are taken as normal, with their
    exact means, variances and covariance [1]_. Assumes independent log-normal rows with a known
    spread. Smallest usable n: 2.

    References
    ----------
    .. [1] E. L. Lehmann, Nonparametrics (1975), section 2.3.

    Examples
    --------
    >>> one, every = family_power([0.02] * 10, 6, 0.06, margin=0.03)
    >>> one.shape, bool(one.min() > 0.8 > every)
    ((10,), True)
    """
    spreads = np.atleast_1d(np.asarray(cv, dtype=np.float64))
    check_design(n, spreads.size, variants, alpha)
    if not (spreads.size and np.isfinite(spreads).all() and spreads.min() >= 0):
        raise ValueError(f"expected a cv >= 0, got {spreads}")
    rows = spreads.size
    scale = np.maximum(spreads, _LEAST_SPREAD)
    effects = np.broadcast_to(np.asarray(effect, dtype=np.float64), scale.shape).tolist()
    shift, reach = np.array([log_sizes(each, margin) for each in effects]).T / scale
    law = find_law(n, rows, variants, alpha)
    chances = {each: law.power(*each) for each in set(zip(shift, reach, strict=True))}
    one = np.array([chances[each] for each in zip(shift, reach, strict=True)])
    return one, float(one[0]) if rows == 1 else _show_all(n, shift, reach, variants, alpha)


def find_power(
    cv: float,
    n: int,
    effect: float,
    *,
    rows: int = 1,
    variants: int = 1,
    margin: float = 0.0,
    alpha: float = 0.05,
) -> float:
    """Return the power of a change in one row alone within a family of rows.

    Parameters, assumptions and formulas as in `family_power`.

    Examples
    --------
    >>> round(find_power(0.02, 4, 0.07), 1), round(find_power(0.02, 4, 0.07, rows=20), 1)
    (0.9, 0.3)
    """
    scale = max(cv, _LEAST_SPREAD)
    size, reach = log_sizes(effect, margin)
    return find_law(n, rows, variants, alpha).power(size / scale, reach / scale)


def check_design(n: int, rows: int, variants: int, alpha: float) -> None:
    """Reject an invalid design of a comparison."""
    check_fraction(alpha, "alpha")
    if n < 2 or not 1 <= variants <= rows:
        raise ValueError(
            f"expected n >= 2 and 1 <= variants <= rows, got {n}, {variants} and {rows}"
        )


@lru_cache(maxsize=256)
def find_law(n: int, rows: int, variants: int, alpha: float) -> Law:
    """Return the power of a row within its family, as a function of its change.

    Parameters
    ----------
    n, rows, variants, alpha
        As in `family_power`, with the number of rows.

    Examples
    --------
    >>> round(find_law(4, 1, 1, 0.05).power(3.0, 0.0), 1)
    0.8
    """
    if n < FEWEST_RUNS:
        return _Student(n, t_quantile(n - 1 if rows > 1 else 2 * n - 2, 1 - alpha / rows / 2))
    basis = choose_basis(n, rows, variants, alpha)
    if n > _RANKED_RUNS and basis == "row":
        return NormalRanks(n, count_below(n, alpha / rows))
    if basis == "least-welch":
        return _Student(n, t_quantile(n - 1, 1 - alpha / rows / 2))
    return _simulate(n, rows, variants, alpha, basis)


def choose_basis(n: int, rows: int, variants: int = 1, alpha: float = 0.05) -> Basis:
    """Return the basis on which `decide_family` decides if both sides' spreads are equal.

    Parameters
    ----------
    n, rows, variants, alpha
        As in `family_power`, with the number of rows.

    Examples
    --------
    >>> [choose_basis(n, 20) for n in (3, 4, 5, 6)]
    ['least-welch', 'max-t', 'max-t', 'row']
    """
    if rows == 1:
        return "row"
    smallest, level = 2 / comb(2 * n, n), alpha * ROUNDING
    if n >= FEWEST_RUNS and smallest * rows <= level:
        return "row"
    return "max-t" if n >= FEWEST_RUNS and smallest * variants <= level else "least-welch"


@lru_cache(maxsize=256)
def spread_nodes(freedom: int) -> tuple[FloatArray, FloatArray]:
    """Return values of s/σ, shape (200,), and weights with which a sum over them is a mean.

    Notes
    -----
    Gauss-Legendre quadrature over the quantiles of sqrt(χ²/freedom). Smallest usable freedom: 1.

    Examples
    --------
    >>> spread, weights = spread_nodes(8)
    >>> round(float(weights @ spread**2), 3)
    1.0
    """
    from scipy.special import gammaincinv

    nodes, weights = np.polynomial.legendre.leggauss(200)
    return np.sqrt(gammaincinv(freedom / 2, (nodes + 1) / 2) / (freedom / 2)), weights / 2


@dataclass(frozen=True, slots=True)
class _Student:
    """Student's statistic of two sides against a fixed critical value."""

    n: int
    critical: float

    def power(self, shift: float, reach: float) -> float:
        from scipy.special import ndtr

        spread, weights = spread_nodes(2 * self.n - 2)
        error = sqrt(2 / self.n)
        return float(
            weights @ ndtr((shift - np.maximum(self.critical * spread * error, reach)) / error)
        )


@dataclass(frozen=True, slots=True)
class _Simulated:
    """Shifts from which each session shows a row: by the test, and by the estimate."""

    least: FloatArray
    estimate: FloatArray

    def power(self, shift: float, reach: float) -> float:
        return float(np.mean((self.least <= shift) & (self.estimate + shift >= reach)))


def _simulate(n: int, rows: int, variants: int, alpha: float, basis: Basis) -> Law:
    rng = np.random.default_rng(_SEED)
    is_ranked = basis == "row"
    work, statistics = (_PAIRS, n * n) if is_ranked else (_CHANGED, count_splits(n))
    runs = draw_runs(n, count_sessions(work, statistics), rng)
    mean = runs[:, n:].mean(axis=1) - runs[:, :n].mean(axis=1)
    if is_ranked:
        least, estimate = least_by_ranks(runs, count_below(n, alpha / rows))
    else:
        most = int(alpha / variants * ROUNDING * count_splits(n))
        least, estimate = _least_by_permutation(runs, max(rows // variants, 1), most, rng), mean
    if rows == 1:
        return _Simulated(least, estimate)
    is_alike = _pool(runs, max(rows // variants, 1), rng) <= log(bearable_ratio(basis, rows))
    welch = _least_by_welch(runs, t_quantile(n - 1, 1 - alpha / rows / 2))
    return _Simulated(np.where(is_alike, least, welch), np.where(is_alike, estimate, mean))


def _least_by_permutation(
    runs: FloatArray, rows: int, most: int, rng: np.random.Generator
) -> FloatArray:
    """Return the shift from which max-T shows the first row of a family."""
    n = runs.shape[1] // 2
    sets = count_sessions(_OTHERS, count_splits(n) * rows)
    others = np.zeros((count_splits(n), sets))
    for _ in range(min(rows - 1, _DRAWN_ROWS)):
        np.maximum(others, measure_splits(rng.standard_normal((sets, 2 * n))), out=others)
    drawn = others.copy()
    for _ in range((rows - 2) // _DRAWN_ROWS):
        np.maximum(others, drawn[:, rng.permutation(sets)], out=others)
    others = others[:, np.arange(len(runs)) % sets]
    is_after = np.arange(2 * n) >= n
    low, high = np.zeros(len(runs)), np.full(len(runs), _LARGEST_SHIFT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        statistics = measure_splits(runs + middle[:, None] * is_after)
        is_up = runs[:, n:].mean(axis=1) + middle > runs[:, :n].mean(axis=1)
        reached = (np.maximum(statistics, others) >= statistics[0] * _EQUAL).sum(axis=0)
        shown = is_up & (reached <= most)
        low, high = np.where(shown, low, middle), np.where(shown, middle, high)
    return high


def _pool(runs: FloatArray, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return the absolute mean log ratio of spreads over the rows of each session."""
    n = runs.shape[1] // 2
    single = np.log(spread_ratios(runs[:, :n], runs[:, n:]))
    drawn = min(rows - 1, _MANY_ROWS)
    others = rng.choice(single, (len(single), drawn)).sum(axis=1)
    total: FloatArray = np.abs(single + others * sqrt((rows - 1) / drawn if drawn else 0.0)) / rows
    return total


def _least_by_welch(runs: FloatArray, critical: float) -> FloatArray:
    """Return the shift from which Student's statistic passes."""
    n = runs.shape[1] // 2
    before, after = runs[:, :n], runs[:, n:]
    error = np.sqrt((before.var(axis=1, ddof=1) + after.var(axis=1, ddof=1)) / n)
    least: FloatArray = critical * error - (after.mean(axis=1) - before.mean(axis=1))
    return least


def _show_all(n: int, shift: FloatArray, reach: FloatArray, variants: int, alpha: float) -> float:
    """Return how often all rows are shown if all change."""
    rows, rng = shift.size, np.random.default_rng(_SEED)
    basis = choose_basis(n, rows, variants, alpha)
    if n > SIMULATED_RUNS and basis == "row":
        pvalue, reaches = draw_ranks(n, shift, reach, variants, rng)
        return float(np.mean(_pass_holm(pvalue, alpha) & reaches.all(axis=1)))
    work = count_splits(n) if basis == "max-t" else min(n, SIMULATED_RUNS) ** 2
    runs = rng.standard_normal((count_sessions(_ALL, work * rows), rows, 2 * n))
    runs[:, :, n:] += shift[:, None]
    blocks = split_variants(rows, variants)
    for block in blocks:  # one baseline for all variants
        runs[:, block, :n] = runs[:, : block.stop - block.start, :n]
    pvalue, estimate = _test_least_welch(runs)
    if basis == "row":
        ranked, shifts = rank_sessions(runs[:, :, :n], runs[:, :, n:])
        for block in blocks:
            is_alike = _are_alike(runs[:, block], basis, rows)[:, None]
            pvalue[:, block] = np.where(is_alike, ranked[:, block], pvalue[:, block])
            estimate[:, block] = np.where(is_alike, shifts[:, block], estimate[:, block])
    elif basis == "max-t":
        # a variant with all rows shown leaves its share of alpha to the others, as in Holm's method
        pvalue = np.stack(
            [
                np.where(
                    _are_alike(runs[:, block], basis, rows),
                    adjust_sessions(runs[:, block]).max(axis=1),
                    _find_worst(pvalue[:, block]),
                )
                for block in blocks
            ],
            axis=1,
        )
    is_beyond = (estimate >= reach) & (estimate > 0)
    return float(np.mean(_pass_holm(pvalue, alpha) & is_beyond.all(axis=1)))


def _are_alike(runs: FloatArray, basis: Basis, rows: int) -> NDArray[np.bool_]:
    """Return in which sessions the spreads of both sides are close enough for the basis."""
    sessions, block, n = *runs.shape[:2], runs.shape[2] // 2
    sides = runs.reshape(-1, 2 * n)
    ratios = np.log(spread_ratios(sides[:, :n], sides[:, n:])).reshape(sessions, block)
    return np.asarray(abs(ratios.mean(axis=1)) <= log(bearable_ratio(basis, rows)))


def _test_least_welch(runs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the p-values of Welch's t with n - 1 degrees of freedom, and the estimates."""
    from scipy.special import stdtr

    n = runs.shape[2] // 2
    before, after = runs[:, :, :n], runs[:, :, n:]
    estimate: FloatArray = after.mean(axis=2) - before.mean(axis=2)
    error = np.sqrt((before.var(axis=2, ddof=1) + after.var(axis=2, ddof=1)) / n)
    pvalue: FloatArray = 2 * stdtr(n - 1, -np.abs(estimate) / error)
    return pvalue, estimate


def _find_worst(pvalue: FloatArray) -> FloatArray:
    """Return the largest p-value of each session by Holm's method."""
    worst: FloatArray = (np.sort(pvalue, axis=1) * np.arange(pvalue.shape[1], 0, -1)).max(axis=1)
    return worst


def _pass_holm(pvalue: FloatArray, alpha: float) -> NDArray[np.bool_]:
    """Return which sessions reject every row by Holm's method."""
    return _find_worst(pvalue) <= alpha * ROUNDING

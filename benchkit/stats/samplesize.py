"""Runs per side that a comparison by the default rule needs, from the spread of the runs.

Planning only. `benchkit.stats.power` does the same from the interval of an existing comparison.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from math import expm1, inf, isfinite, log1p, pi, sqrt

import numpy as np

from benchkit.stats.equivalence import log_bounds, log_sizes
from benchkit.stats.familypower import SIMULATED_RUNS, check_design, find_law, spread_nodes
from benchkit.stats.power import FEWEST_RUNS, MOST_RUNS
from benchkit.stats.ranksum import attained_level
from benchkit.stats.sample import check_fraction

#: Ratio of the Hodges-Lehmann estimate's error to that of the mean, for normal values.
_RANK_ERROR = sqrt(pi / 3)
#: Largest logarithm that is a plausible size of an effect.
_LARGEST_LOG = 300.0
#: Shift, in standard deviations, that shows a row if its runs can; and the number of bisections.
_FAR, _HALVINGS = 40.0, 24


def smallest_effect(
    cv: float,
    n: int,
    *,
    margin: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    rows: int = 1,
    variants: int = 1,
) -> float:
    """Return the smallest increase that n runs per side can show.

    Parameters
    ----------
    cv : float
        Standard deviation of the logarithms of runs, as a fraction; both sides vary equally.
    n : int
        Runs per side, at least 2.
    margin : float
        A fraction that the estimate has to reach, too; 0 for the test alone.
    power : float
        Desired probability, alpha < power < 1.
    alpha : float
        Two-sided level, for all rows together.
    rows, variants : int
        The number of rows that are decided together, and of the variants that they belong to.

    Returns
    -------
    float
        A fraction: 0.03 for +3 %; infinite if n runs never reach alpha.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    A decrease by the same fraction is a larger ratio, and shown at least as often. The result is
    the effect at which `family_power` reaches the desired probability for one row that changes
    alone: for a single row with the rank test from 4 runs on, and with 2 or 3 runs with Welch's
    test, taken as Student's. Assumes log-normal runs; smallest usable n: 2.

    References
    ----------
    .. [1] E. L. Lehmann, Nonparametrics (1975), section 2.4.

    Examples
    --------
    >>> round(smallest_effect(0.02, 10), 3), round(smallest_effect(0.02, 10, margin=0.03), 3)
    (0.028, 0.038)
    """
    _check(cv, power, alpha)
    check_design(n, rows, variants, alpha)
    if margin < 0:
        raise ValueError(f"expected margin >= 0, got {margin}")
    law, reach = find_law(n, rows, variants, alpha), log1p(margin)
    if not cv:
        return margin if law.power(_FAR, 0.0) >= power else inf
    low, high = reach / cv, reach / cv + _FAR
    if law.power(high, reach / cv) < power:
        return inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_enough = law.power(middle, reach / cv) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return expm1(high * cv) if high * cv < _LARGEST_LOG else inf


def runs_for_effect(
    cv: float,
    effect: float,
    *,
    margin: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    rows: int = 1,
    variants: int = 1,
) -> int | None:
    """Return the runs per side that show an effect of a given size.

    Parameters
    ----------
    cv : float
        As in `smallest_effect`.
    effect : float
        A fraction, 0.06 for 6 % more and -0.06 for 6 % less.
    margin : float
        A fraction that the estimate has to reach, too.
    power, alpha, rows, variants
        As in `smallest_effect`.

    Returns
    -------
    int or None
        4 to 1000; None if more would be needed, or if the effect is not larger than the margin: an
        estimate beyond the margin occurs at most half of the time.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The smallest n with the desired `family_power`, under its assumptions.

    Examples
    --------
    >>> runs_for_effect(0.02, 0.03), runs_for_effect(0.02, 0.06, margin=0.03)
    (10, 4)
    >>> runs_for_effect(0.02, 0.06, margin=0.03, rows=20)
    7
    """
    _check(cv, power, alpha)
    check_design(FEWEST_RUNS, rows, variants, alpha)
    size, reach = log_sizes(effect, margin)
    if size <= reach:
        return None
    design = size, reach, power, alpha, rows, variants
    for n in range(FEWEST_RUNS, SIMULATED_RUNS + 1):
        if _find_largest_spread(n, *design) >= cv:
            return n
    return _find_fewest(lambda n: _find_largest_spread(n, *design) >= cv, SIMULATED_RUNS + 1)


def runs_for_equivalence(
    cv: float, margin: float, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Return the runs per side that show equivalence, if there is truly no difference.

    Parameters
    ----------
    cv : float
        As in `smallest_effect`.
    margin : float
        A fraction, 0.03 for ±3 %.
    power : float
        Desired probability of success.
    alpha : float
        Level of each of the two one-sided tests.

    Returns
    -------
    int or None
        4 to 1000; None if more would be needed.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The power of two one-sided t tests at true value 0, E[max(0, Φ(h/e - t·S) - Φ(l/e + t·S))] with
    l and h the logarithms of 1 - margin and 1 + margin and S = s/σ [1]_, at the one-sided level
    that ranks attain and with their error, as in `smallest_effect`. Smallest usable n: 4.

    References
    ----------
    .. [1] K. F. Phillips, "Power of the two one-sided tests procedure in bioequivalence",
       J. Pharmacokin. Biopharm. 18 (1990) 137-144.

    Examples
    --------
    >>> runs_for_equivalence(0.02, 0.03), runs_for_equivalence(0.05, 0.03)
    (9, 51)
    """
    _check(cv, power, alpha)
    if not margin > 0:
        raise ValueError(f"expected margin > 0, got {margin}")
    bounds = log_bounds(margin)
    return _find_fewest(lambda n: _equivalence_power(cv, n, bounds, alpha) >= power)


def _check(cv: float, power: float, alpha: float) -> None:
    check_fraction(power, "power")
    check_fraction(alpha, "alpha")
    if not (cv >= 0 and isfinite(cv) and power > alpha):
        raise ValueError(f"expected cv >= 0 and power > alpha, got {cv}, {power}, {alpha}")


def _measure_error(cv: float, n: int) -> float:
    """Return the standard error of the estimate by the default rule, n runs per side."""
    return cv * sqrt(2 / n) * (_RANK_ERROR if n >= FEWEST_RUNS else 1.0)


@lru_cache(maxsize=4096)
def _find_largest_spread(
    n: int, size: float, reach: float, power: float, alpha: float, rows: int, variants: int
) -> float:
    """Return the largest spread at which n runs per side show a change, both in logarithms."""
    law = find_law(n, rows, variants, alpha)
    low, high = size / _FAR, size * _FAR
    if law.power(_FAR, reach / low) < power:
        return 0.0 if law.power(_FAR, 0.0) >= power else -1.0
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        is_enough = law.power(size / middle, reach / middle) >= power
        low, high = (middle, high) if is_enough else (low, middle)
    return low


def _equivalence_power(cv: float, n: int, bounds: tuple[float, float], alpha: float) -> float:
    from scipy.special import ndtr, stdtrit

    level = attained_level(n, n, 2 * alpha) / 2
    error = _measure_error(cv, n)
    if not level:
        return 0.0
    if not error:
        return 1.0
    spread, weights = spread_nodes(2 * n - 2)
    low, high = (bound / error for bound in bounds)
    least = float(stdtrit(2 * n - 2, 1 - level)) * spread
    return float(weights @ np.maximum(ndtr(high - least) - ndtr(low + least), 0.0))


def _find_fewest(is_enough: Callable[[int], bool], fewest: int = FEWEST_RUNS) -> int | None:
    runs = range(fewest, MOST_RUNS + 1)
    place = bisect_left(runs, True, key=is_enough)
    return runs[place] if place < len(runs) else None

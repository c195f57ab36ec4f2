"""Quantiles of raw samples with intervals: inside one run, and over runs and samples together.

The samples of a run show how precisely its quantile is known, the runs how much it differs from run
to run; an interval for the difference of two variants must include both. Ranks replace a bootstrap,
which covers too little with few runs and takes thousands of passes over the samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.sample import Estimate, FloatArray, check_fraction, read_sample

#: Minimum samples beyond a quantile with an interval.
FEWEST_BEYOND = 10
#: Standard normal quantile of the ranks whose distance estimates a quantile's error.
_ONE_SIGMA = 1.0


@dataclass(frozen=True, slots=True)
class QuantileChange:
    """One quantile on two sides, on logarithms.

    Parameters
    ----------
    level : float
    estimate : Estimate
        mean over y's runs - mean over x's runs of the logarithm of the quantile.
    between, within : tuple of float
        Per side, as standard deviations of a run's value: between runs (NaN for one run), and from
        the samples inside a run.
    """

    level: float
    estimate: Estimate
    between: tuple[float, float]
    within: tuple[float, float]


def quantile_interval(values: ArrayLike, level: float, confidence: float = 0.95) -> Estimate:
    """Estimate a quantile of one run, with the interval of its order statistics.

    Parameters
    ----------
    values : array_like, shape (n,)
        In any order, finite.
    level : float
        0 < level < 1, with at least 10 values on either side of it: n·min(q, 1 - q) >= 10.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    Estimate
        The bounds are two of the values.

    Raises
    ------
    ValueError
        If fewer than 10 values lie beyond the level, a value is not finite, or a share is out of
        range.

    Notes
    -----
    The number of values below the quantile is binomial(n, q): the bounds are the values of ranks l
    and u, the l-th from below with P(B < l) <= α/2 and the u-th with P(B >= u) <= α/2, from the
    incomplete beta function [1]_. Exact for independent values of any distribution; values of one
    run depend on one another, so the interval is about the run and a lower bound of the
    uncertainty. Smallest usable n: 20 for the median, 1000 for p99.

    References
    ----------
    .. [1] H. A. David and H. N. Nagaraja, Order Statistics (2003), section 7.1.

    Examples
    --------
    >>> found = quantile_interval(range(1, 101), 0.5)
    >>> found.value, found.low, found.high
    (50.5, 40.0, 61.0)
    """
    sample = read_sample(values, "values")
    check_fraction(level, "level")
    check_fraction(confidence, "confidence")
    _require_tail(sample.size, level)
    from scipy.special import bdtr

    alpha, n = 1 - confidence, sample.size
    ranks = np.arange(1, n + 1)
    below = bdtr(ranks - 1, n, level)  # P(B < rank)
    low = int(np.searchsorted(below, alpha / 2, "right"))  # last rank with P(B < rank) <= α/2
    high = int(np.searchsorted(below, 1 - alpha / 2)) + 1  # first with P(B >= rank) <= α/2
    if low < 1 or high > n:
        raise ValueError(
            f"{n} values are too few for an interval of the {level:g} quantile at confidence "
            f"{confidence:g}"
        )
    value = float(np.quantile(sample, level))
    bounds = np.partition(sample, (low - 1, high - 1))
    return Estimate(value, float(bounds[low - 1]), float(bounds[high - 1]), confidence, "ranks")


def compare_two_level(
    x: Sequence[ArrayLike],
    y: Sequence[ArrayLike],
    levels: Sequence[float] = (0.5, 0.99),
    confidence: float = 0.95,
) -> tuple[QuantileChange, ...]:
    """Compare quantiles of two variants, from several runs of raw samples each.

    Parameters
    ----------
    x, y : sequence of array_like, each of shape (n_i,)
        Baseline and variant: the samples of each run, positive and finite.
    levels : sequence of float
        Each with at least 10 samples of every run on either side.
    confidence : float
        The confidence of each interval, 0 < confidence < 1.

    Returns
    -------
    tuple of QuantileChange
        One per level, in the same order.

    Raises
    ------
    ValueError
        If a side has no run, a run has a value that is not positive or finite, or fewer than 10
        beyond a level, or a share is out of range.

    Notes
    -----
    A run's quantile is one observation. On logarithms, with k runs per side: S2² is the variance of
    the runs' quantiles, which includes the variation between runs (T2²) and the uncertainty from
    the samples (S1², the mean over runs of the squared distance of the order statistics one
    binomial standard deviation around the quantile, halved). The error of a side is max(S2²,
    S1²)/k, with k - 1 degrees of freedom, and both sides are combined as in Welch's test: a
    variance of few runs may by chance fall below the uncertainty from their samples alone [1]_.
    With one run on a side S2² is unknown: the interval then covers S1² alone, is named
    ``within-run``, and says nothing about the variants. S1² assumes independent samples; if they
    depend on one another it is too small, which T2² + S1² = S2² compensates with two runs or more.
    Smallest usable n: 2 runs per side, 1000 samples for p99. Costs two partial sorts of each run.

    References
    ----------
    .. [1] T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM (2013) 63-74.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> x = [np.exp(rng.normal(0, 0.3, 2000) + r) for r in (0.0, 0.02, -0.02, 0.01)]
    >>> y = [np.exp(rng.normal(0, 0.3, 2000) + r) for r in (0.2, 0.22, 0.19, 0.2)]
    >>> (median,) = compare_two_level(x, y, [0.5])
    >>> abs(median.estimate.value - 0.2) < 0.02, median.estimate.low > 0.15, median.estimate.method
    (True, True, 'two-level')
    """
    check_fraction(confidence, "confidence")
    for level in levels:
        check_fraction(level, "level")
    if not len(x) or not len(y):
        raise ValueError("each side must have at least one run")
    sides = [np.array([_read_run(run, levels) for run in side]) for side in (x, y)]
    return tuple(
        _compare(level, [side[:, :, place] for side in sides], confidence)
        for place, level in enumerate(levels)
    )


def _compare(level: float, sides: Sequence[FloatArray], confidence: float) -> QuantileChange:
    """Compare sides of shape (runs, 2): the logarithm of a quantile, and its squared error."""
    value = float(sides[1][:, 0].mean() - sides[0][:, 0].mean())
    inner = [float(side[:, 1].mean()) for side in sides]
    outer = [float(np.var(side[:, 0], ddof=1)) if len(side) > 1 else nan for side in sides]
    parts = [
        (max(s2, s1) if len(side) > 1 else s1) / len(side)
        for side, s1, s2 in zip(sides, inner, outer, strict=True)
    ]
    is_single = min(map(len, sides)) == 1
    reach = _reach(parts, [len(side) - 1 for side in sides], confidence, is_single=is_single)
    method = "within-run" if is_single else "two-level"
    notes = ("one run on a side: the interval applies only to these runs",) if is_single else ()
    return QuantileChange(
        level,
        Estimate(value, value - reach, value + reach, confidence, method, notes),
        between=(_part(outer[0], inner[0]), _part(outer[1], inner[1])),
        within=(sqrt(inner[0]), sqrt(inner[1])),
    )


def _reach(
    parts: Sequence[float], freedoms: Sequence[int], confidence: float, *, is_single: bool
) -> float:
    if sum(parts) == 0:
        return 0.0
    from scipy.special import ndtri, stdtrit

    if is_single:
        return float(ndtri((1 + confidence) / 2)) * sqrt(sum(parts))
    shares = [(p / sum(parts)) ** 2 / f for p, f in zip(parts, freedoms, strict=True)]
    return float(stdtrit(1 / sum(shares), (1 + confidence) / 2)) * sqrt(sum(parts))


def _part(outer: float, inner: float) -> float:
    """Return the variation between runs: T2, with T2² = S2² - S1², not below 0."""
    return sqrt(max(outer - inner, 0.0)) if isfinite(outer) else nan


def _read_run(values: ArrayLike, levels: Sequence[float]) -> FloatArray:
    """Return the logarithm of each quantile of a run and its squared error, shape (2, levels)."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not sample.size:
        raise ValueError("a run must have one dimension and at least one sample")
    n = sample.size
    ranks = []
    for level in levels:
        _require_tail(n, level)
        around = _ONE_SIGMA * sqrt(n * level * (1 - level))
        place = level * (n - 1)
        ranks.append((floor(place - around), floor(place), ceil(place), ceil(place + around)))
    places = np.clip(np.array(ranks), 0, n - 1)
    sorted_places = np.partition(sample, np.unique(np.append(places, (0, n - 1))))
    if not (sorted_places[0] > 0 and np.isfinite(sorted_places[-1])):  # NaN sorts last
        raise ValueError("samples must be positive and finite")
    below, left, right, above = np.log(sorted_places[places]).T
    weight = np.array([level * (n - 1) % 1 for level in levels])
    return np.array([left + weight * (right - left), ((above - below) / 2) ** 2])


def _require_tail(n: int, level: float) -> None:
    beyond = n * min(level, 1 - level)
    if beyond < FEWEST_BEYOND * (1 - 1e-9):
        raise ValueError(
            f"{beyond:.3g} of {n} samples lie beyond the {level:g} quantile; "
            f"at least {FEWEST_BEYOND} are needed"
        )

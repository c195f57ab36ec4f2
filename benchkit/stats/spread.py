"""The spread of runs, its precision, and the part of it that comes from inside the runs.

Every plan depends on the spread, and a spread estimated from few runs is itself uncertain; whether
more runs or longer runs help depends on where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.sample import FloatArray, check_fraction, measure_variance, read_sample

#: Standard errors of the log ratio beyond which spreads differ by more than chance, and the ratio
#: that ranks tolerate with any number of runs. Determined by simulation: `nox -s calibrate`.
_BEYOND_CHANCE, _BEARABLE = 2.4, 2.0


@dataclass(frozen=True, slots=True)
class Spread:
    """The coefficient of variation of runs.

    Parameters
    ----------
    cv : float
        The standard deviation of the logarithms, close to that of the values as a fraction of
        their mean: 0.02 for 2 %.
    high : float
        Upper limit of ``cv``, one-sided, at ``confidence``.
    n : int
        Number of runs.
    confidence : float
    """

    cv: float
    high: float
    n: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Components:
    """The origin of the spread of runs.

    Parameters
    ----------
    between : float
        Variation between runs: the part that would remain if every run were endless; a standard
        deviation of logarithms.
    within : float
        The part that the finite length of a run adds to its value.
    runs : int
    values : float
        Values per run, their harmonic mean.
    """

    between: float
    within: float
    runs: int
    values: float

    @property
    def share(self) -> float:
        """Share of the variance of a run's value that longer runs would remove."""
        total = self.between**2 + self.within**2
        return self.within**2 / total if total else 0.0


def measure_spread(values: ArrayLike, confidence: float = 0.8) -> Spread:
    """Measure how much runs vary, and how much they may truly vary.

    Parameters
    ----------
    values : array_like, shape (n,)
        One positive number per run, at least 2.
    confidence : float
        The confidence of the one-sided upper limit.

    Returns
    -------
    Spread

    Raises
    ------
    ValueError
        If there are fewer than 2 values, one is not positive or not finite, or the confidence is
        out of range.

    Notes
    -----
    s of the logarithms; the limit is s·sqrt((n - 1)/χ²), where χ² is the (1 - confidence) quantile
    with n - 1 degrees of freedom [1]_. Assumes independent log-normal runs: one outlying run
    increases both. Smallest usable n: 2, for which the limit is 3.9 times the estimate (1.35 times
    at 8).

    References
    ----------
    .. [1] G. J. Hahn and W. Q. Meeker, Statistical Intervals (1991), section 4.3.

    Examples
    --------
    >>> found = measure_spread([98.0, 100.0, 103.0, 99.0, 101.0, 97.0, 102.0, 100.0])
    >>> round(found.cv, 4), round(found.high, 4)
    (0.02, 0.0271)
    """
    check_fraction(confidence, "confidence")
    logs = _read_logs(values)
    spread = sqrt(measure_variance(logs))
    from scipy.special import chdtri

    freedom = logs.size - 1
    high = spread * sqrt(freedom / float(chdtri(freedom, confidence)))
    return Spread(spread, high, logs.size, confidence)


def are_unequal(x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    """Return in which rows one side varies so much more that ranks would reject too often.

    Parameters
    ----------
    x, y : array_like, shapes (rows, n) and (rows, n)
        Baseline and variant (usually logarithms), at least 4 columns each.

    Notes
    -----
    A spread is unequal if the ratio of the standard deviations, both of all values and without the
    farthest third of each side, lies beyond exp(2.4/sqrt(n - 1)), and beyond 2: about 2.4 standard
    errors of its logarithm. Determined by simulation: with equal and unequal spreads, and with slow
    runs on both sides, the row's error stays below 6.5 %. Smallest usable n: 4.

    Examples
    --------
    >>> steady = [98.0, 99.0, 100.0, 101.0, 102.0, 103.0]
    >>> are_unequal([steady, steady], [[*steady[:5], 150.0], [v**2 for v in steady]]).tolist()
    [False, True]
    """
    n = np.shape(x)[1]
    ratios = spread_ratios(x, y, farthest=n // 3)
    bearable = max(exp(_BEYOND_CHANCE / sqrt(n - 1)), _BEARABLE)
    unequal: NDArray[np.bool_] = (ratios > bearable) | (ratios < 1 / bearable)
    return unequal


def spread_ratios(
    x: ArrayLike, y: ArrayLike, resolution: ArrayLike = 0.0, farthest: int = 1
) -> FloatArray:
    """Return the ratio of the spread of y to that of x, row by row.

    Parameters
    ----------
    x, y : array_like, shapes (rows, n) and (rows, m)
        Baseline and variant (usually logarithms), at least 2 columns each.
    resolution : array_like, shape (rows,) or scalar
        The rounding step; a spread is at least resolution/sqrt(12).
    farthest : int
        The number of values of each side that may be far from its median and are then ignored.

    Returns
    -------
    ndarray, shape (rows,)
        The ratio of the standard deviations, or that without the farthest values of each side,
        whichever is nearer to 1: slow runs do not make a side unequal. 1 if the two disagree on
        which side varies more, or nothing varies.

    Raises
    ------
    ValueError
        If a side has fewer than 2 columns.

    Notes
    -----
    Smallest usable n: 4; with 2 or 3 values the ratio means little.

    Examples
    --------
    >>> spread_ratios([[1.0, 2.0, 3.0, 4.0]], [[10.0, 14.0, 18.0, 22.0]]).tolist()
    [4.0]
    >>> spread_ratios([[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 90.0]]).tolist()
    [1.0]
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (x, y)]
    if min(side.shape[1] for side in sides) < 2:
        raise ValueError("a spread needs at least 2 values")
    floor = np.broadcast_to(np.asarray(resolution, dtype=np.float64), len(sides[0])) ** 2 / 12
    whole = _compare(*(np.maximum(side.var(axis=1, ddof=1), floor) for side in sides))
    if min(side.shape[1] for side in sides) < 3:
        return np.exp(whole)
    inner = (_drop_farthest(side, farthest) for side in sides)
    kept = _compare(*(np.maximum(side.var(axis=1, ddof=1), floor) for side in inner))
    nearer = np.where(np.abs(kept) < np.abs(whole), kept, whole)
    return np.exp(np.where(np.sign(whole) == np.sign(kept), nearer, 0.0))


def _compare(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the logarithm of the ratio of two standard deviations, from their squares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = (np.log(after) - np.log(before)) / 2
    return np.where(before == after, 0.0, ratio)


def _drop_farthest(side: FloatArray, count: int) -> FloatArray:
    """Remove the values of each row that are farthest from its median."""
    away = np.abs(side - np.median(side, axis=1, keepdims=True))
    nearest = np.argsort(away, axis=1, kind="stable")[:, : side.shape[1] - count]
    return np.take_along_axis(side, nearest, axis=1)


def spread_limits(freedom: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a standard deviation, as factors of the measured one.

    Parameters
    ----------
    freedom : float
        Degrees of freedom, at least 1; whole numbers are not required.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    tuple of float
        sqrt(freedom/χ²) at both ends [1]_.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Assumes normal values; smallest usable freedom: 1, for which the upper limit is a factor of 32.

    References
    ----------
    .. [1] G. J. Hahn and W. Q. Meeker, Statistical Intervals (1991), section 4.3.

    Examples
    --------
    >>> low, high = spread_limits(9)
    >>> round(low, 3), round(high, 3)
    (0.688, 1.826)
    """
    check_fraction(confidence, "confidence")
    if freedom < 1:
        raise ValueError(f"freedom must be at least 1: {freedom}")
    from scipy.special import chdtri

    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = (sqrt(freedom / float(chdtri(freedom, tail))) for tail in tails)
    return low, high


def part_variance(groups: Sequence[ArrayLike]) -> Components:
    """Split the variance of runs into the part between runs and the part within them.

    Parameters
    ----------
    groups : sequence of array_like
        Several positive values per run, with at least 2 runs and at least 2 values of each.

    Returns
    -------
    Components

    Raises
    ------
    ValueError
        If there are fewer than 2 runs or 2 values of one, or a value is not positive.

    Notes
    -----
    On logarithms: S1² is the mean variance within a run, S2² the variance of the runs' means, and
    T2² = S2² - S1²/r, not below 0, with r values per run [1]_. ``between`` is T2, ``within`` is
    sqrt(S1²/r). Assumes that the values within a run are independent: pass summaries of long
    stretches, not single requests, which depend on one another. Smallest usable n: 2 runs of 2
    values; with fewer than 5 runs ``between`` is an order of magnitude.

    References
    ----------
    .. [1] T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM (2013) 63-74.

    Examples
    --------
    >>> found = part_variance([[100.0, 101.0], [110.0, 111.0], [105.0, 106.0]])
    >>> round(found.between, 3), round(found.within, 4)
    (0.047, 0.0048)
    """
    logs = [_read_logs(values) for values in groups]
    if len(logs) < 2:
        raise ValueError(f"groups must have at least 2 runs, got {len(logs)}")
    values = len(logs) / sum(1 / run.size for run in logs)
    inner = sum(map(measure_variance, logs)) / len(logs) / values
    outer = measure_variance(np.array([float(np.mean(run)) for run in logs]))
    return Components(sqrt(max(outer - inner, 0.0)), sqrt(inner), len(logs), values)


def _read_logs(values: ArrayLike) -> FloatArray:
    sample = read_sample(values, "values", smallest=2)
    if sample.min() <= 0:
        raise ValueError(f"values must be positive: {sample.min()}")
    return np.log(sample)


def pool_ratios(x: ArrayLike, y: ArrayLike, resolution: ArrayLike = 0.0) -> tuple[float, float]:
    """Pool the rows' ratios of spreads, and measure how far the result is from chance.

    Parameters
    ----------
    x, y : array_like, shapes (rows, n) and (rows, m)
        Baseline and variant (usually logarithms), at least 4 columns each.
    resolution : array_like, shape (rows,) or scalar
        As in `spread_ratios`.

    Returns
    -------
    ratio : float
        Geometric mean of `spread_ratios` over the rows that vary.
    errors : float
        How many standard errors its logarithm is from 0. Rows that vary together, like those of one
        run, count as fewer.

    Notes
    -----
    The variance of the logarithm of a standard deviation of n normal values is about 1/(2(n - 2));
    that of the mean over K rows is 1/K' of it, where 1/K' is the variance of the runs' mean
    standardised residual. Smallest usable n: 4.

    Examples
    --------
    >>> calm, wild = [[1.0, 2.0, 3.0, 4.0, 5.0]], [[10.0, 20.0, 30.0, 40.0, 50.0]]
    >>> ratio, errors = pool_ratios(calm, wild)
    >>> round(ratio, 1), round(errors, 1)
    (10.0, 4.0)
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (x, y)]
    ratios = spread_ratios(sides[0], sides[1], resolution)
    known = (ratios > 0) & np.isfinite(ratios)
    if not known.any():
        return 1.0, 0.0
    mean = float(np.mean(np.log(ratios[known])))
    variance = _vary_ratio(*(side.shape[1] for side in sides)) / _count_apart(sides, known)
    return exp(mean), abs(mean) / sqrt(variance)


def _vary_ratio(n: int, m: int) -> float:
    """Return the variance of the logarithm of the ratio of spreads of n and m values."""
    return 1 / (2 * (n - 2)) + 1 / (2 * (m - 2))


def weigh_ratios(x: FloatArray, y: FloatArray, resolution: ArrayLike = 0.0) -> FloatArray:
    """Return how far each row's ratio of spreads is from chance, like `pool_ratios` for it alone.

    Examples
    --------
    >>> calm, wild = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), np.array([[9.0, 9.5, 8.0, 9.2, 8.8]])
    >>> weigh_ratios(calm, wild).tolist() == [pool_ratios(calm, wild)[1]]
    True
    """
    ratios = spread_ratios(x, y, resolution)
    known = (ratios > 0) & np.isfinite(ratios)
    return np.abs(np.log(np.where(known, ratios, 1.0))) / sqrt(_vary_ratio(x.shape[1], y.shape[1]))


def _count_apart(sides: Sequence[FloatArray], known: NDArray[np.bool_]) -> float:
    """Return the number of independent rows that these rows vary like."""
    shared = []
    for side in sides:
        residuals = side[known] - side[known].mean(axis=1, keepdims=True)
        spreads = residuals.std(axis=1, ddof=1, keepdims=True)
        common = np.divide(residuals, spreads, out=np.zeros_like(residuals), where=spreads > 0)
        shared.append(float(common.mean(axis=0).var(ddof=1)))
    rows = float(known.sum())
    return min(max(1 / max(float(np.mean(shared)), 1 / rows), 1.0), rows)


def compare_groups(sides: Iterable[Sequence[Sequence[float]]]) -> float:
    """Test whether the groups of each side have one mean: p-value of an F test on logarithms.

    Groups with values that are not positive are left out; the result is 1 without repeats or
    several groups.
    """
    between = within = 0.0
    means = repeats = 0
    for groups in sides:
        logs = [np.log(group) for group in groups if min(group) > 0]
        if not logs:
            continue
        middle = float(np.mean(np.concatenate(logs)))
        between += sum(len(group) * (float(group.mean()) - middle) ** 2 for group in logs)
        within += sum(float(((group - group.mean()) ** 2).sum()) for group in logs)
        means += len(logs) - 1
        repeats += sum(map(len, logs)) - len(logs)
    if not means or not repeats or not between:
        return 1.0
    from scipy.special import fdtrc

    return float(fdtrc(means, repeats, between / means / (within / repeats))) if within else 0.0

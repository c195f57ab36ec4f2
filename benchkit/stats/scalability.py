"""Lines and curves through repeated measurements, and whether they describe them.

The growth of throughput with load: asymptotic bounds, the knee by a named rule, and the USL.

"The best concurrency" is a different number under every rule, and a fitted curve is worth no more
than its fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.sample import FloatArray
from benchkit.stats.sequential import take_looks
from benchkit.stats.spending import SequentialDesign


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line by weighted least squares.

    Parameters
    ----------
    slope, low, high : float
        The slope and its interval, NaN if two measurements leave nothing to estimate the noise
        from.
    start : float
        The value at 0.
    misfit : float
        The probability that the mean of a level lies this far from a line by chance; NaN without
        repeats.
    """

    slope: float
    low: float
    high: float
    start: float
    misfit: float

    def at(self, level: float) -> float:
        """Return the value on the line."""
        return self.start + self.slope * level


def fit_line(levels: ArrayLike, values: ArrayLike, confidence: float = 0.95) -> Line:
    """Fit a line by weighted least squares, and test whether it describes the levels.

    Parameters
    ----------
    levels, values : array_like of float, shape (n,)
        One pair per run; n >= 3 for an interval, and 3 distinct levels, one of them measured twice,
        for the test.
    confidence : float

    Raises
    ------
    ValueError
        If all levels are equal.

    Notes
    -----
    The spread of runs is proportional to their values, so each run has the weight 1 / (mean of its
    level)²; if a mean is not positive, all weights are equal. The slope's interval is Student's, by
    the spread around the line [1]_. The test compares the spread of the levels' means around the
    line with that of the runs around their means: the F test of lack of fit.

    References
    ----------
    .. [1] N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd ed., Wiley 1998,
       ch. 1, 2 and 9.

    Examples
    --------
    >>> line = fit_line([0, 0, 4, 4, 8, 8], [9, 11, 19, 21, 29, 31])
    >>> round(line.slope, 9), round(line.start, 9), round(line.misfit, 9)
    (2.5, 10.0, 1.0)
    """
    from scipy.stats import f, t

    x, y = np.asarray(levels, dtype=np.float64), np.asarray(values, dtype=np.float64)
    known, level = np.unique(x, return_inverse=True)
    if len(known) < 2:
        raise ValueError("a line needs two different levels")
    counts = np.bincount(level)
    means = np.bincount(level, y) / counts
    weight = _weigh(means)[level]
    about = x - np.average(x, weights=weight)
    square = float(weight @ about**2)
    middle = float(np.average(y, weights=weight))
    slope = float((weight * about) @ (y - middle)) / square
    around = float(weight @ (y - middle - slope * about) ** 2)
    free, reach = len(x) - 2, math.nan
    if free > 0:
        reach = float(t.ppf((1 + confidence) / 2, free)) * math.sqrt(around / free / square)
    within = float(weight @ (y - means[level]) ** 2)
    bends, repeats = len(known) - 2, len(x) - len(known)
    misfit = math.nan
    if bends > 0 and repeats > 0 and within > 0:
        misfit = float(f.sf(max(around - within, 0.0) / bends / (within / repeats), bends, repeats))
    start = middle - slope * float(x[0] - about[0])
    return Line(slope=slope, low=slope - reach, high=slope + reach, start=start, misfit=misfit)


def _weigh(means: FloatArray) -> FloatArray:
    """Return the weight of a run at each level."""
    return np.ones(len(means)) if means.min() <= 0 else (means.mean() / means) ** 2


def fit_rounds(
    levels: ArrayLike, values: ArrayLike, design: SequentialDesign | None, confidence: float = 0.95
) -> Line:
    """Fit a line to the rounds of a series that stops early.

    Parameters
    ----------
    levels : array_like of float, shape (n,)
        All distinct.
    values : array_like of float, shape (n, rounds)
        One run of each level per round.
    design : SequentialDesign or None
        The design of the series; without one there is no interval.
    confidence : float

    Notes
    -----
    The slope of all rounds is the mean of the slopes of each round. Its interval is the repeated
    confidence interval of these slopes, which holds at whatever round the series stopped, and for
    whatever reason. The test of lack of fit is that for a fixed number of runs. Smallest usable n:
    the design's ``least`` rounds.

    Examples
    --------
    >>> rounds = [[9, 11, 10, 10], [19, 21, 21, 19], [31, 29, 30, 30]]
    >>> line = fit_rounds([0, 4, 8], rounds, SequentialDesign())
    >>> round(line.slope, 2), round(line.low, 2), round(line.high, 2)
    (2.5, 2.01, 2.99)
    """
    x, y = np.asarray(levels, dtype=np.float64), np.asarray(values, dtype=np.float64)
    rounds = y.shape[1]
    line = fit_line(np.repeat(x, rounds), y.ravel(), confidence)
    low = high = math.nan
    if design and rounds >= design.least:
        weight = _weigh(y.mean(axis=1))
        about = weight * (x - np.average(x, weights=weight))
        looks = take_looks((about @ y / (about @ x))[None], design)
        low, high = (float(ends[0, -1]) for ends in looks.find_interval(1 - confidence))
    is_known = math.isfinite(low) and math.isfinite(high)
    return replace(line, low=low if is_known else math.nan, high=high if is_known else math.nan)


#: Number of parameters of the law; with no more levels they cannot be distinguished from noise.
_PARAMETERS = 3
#: Relative error at a level above which a fit is poor.
_MISS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """The universal scalability law, fitted.

    Parameters
    ----------
    rate : tuple of float
        Throughput at level 1: estimate, low, high.
    contention, coherency : tuple of float
        sigma and kappa: estimate, low, high. The ends are NaN if the levels allow no interval.
    limit : float
        Upper limit of the fitted throughput: its peak, or its asymptote; infinite without either.
    peak : float
        The level of the fitted peak; infinite if there is none.
    miss : float
        The largest relative distance between a rate and the fit.
    confidence : float
    poor : tuple of str
        Reasons not to use the fit; empty if there are none.
    """

    rate: tuple[float, float, float]
    contention: tuple[float, float, float]
    coherency: tuple[float, float, float]
    limit: float
    peak: float
    miss: float
    confidence: float
    poor: tuple[str, ...]


def fit_law(levels: ArrayLike, rates: ArrayLike, confidence: float = 0.95) -> Law:
    """Fit ``X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))``.

    Parameters
    ----------
    levels, rates : array_like of float, shape (n,)
        Positive; n >= 3, and an interval needs n >= 4.
    confidence : float
        The confidence of the intervals.

    Raises
    ------
    ValueError
        If there are fewer than 3 distinct levels, or a number is not positive.

    Notes
    -----
    Least squares on the rates, with ``lambda > 0``, ``0 <= sigma <= 1``, ``kappa >= 0`` (Gunther,
    *Guerrilla Capacity Planning*, 2007). Intervals are those of the linearised fit, Student's t
    with n minus the number of parameters that are not at a bound. The fit is called poor if it
    misses a level by more than 10 %, if its limit lies below an observed rate, or with only 3
    levels.

    Examples
    --------
    >>> law = fit_law([1, 20, 30, 50, 100], [3351, 6545, 6578, 6977, 7345])
    >>> round(law.rate[0]), round(law.contention[0], 3), round(law.limit)
    (3300, 0.465, 7092)
    >>> law.poor
    ('its limit is below a rate that was reached',)
    """
    from scipy.optimize import least_squares

    n, x = np.asarray(levels, dtype=float), np.asarray(rates, dtype=float)
    if len(set(n.tolist())) < _PARAMETERS or not (n > 0).all() or not (x > 0).all():
        msg = "the fit needs at least 3 levels with positive rates"
        raise ValueError(msg)
    first = float(x[np.argmin(n)] / n.min())

    def distance(parameters: np.ndarray) -> np.ndarray:
        residuals: np.ndarray = (_law(n, *parameters) - x) / first
        return residuals

    fit = least_squares(
        distance,
        [first, 0.1, 1e-4],
        bounds=([0, 0, 0], [np.inf, 1, np.inf]),
        x_scale=[first, 1, 1e-3],
        xtol=1e-12, ftol=1e-12, gtol=1e-12,
    )  # fmt: skip
    estimates = [float(value) for value in fit.x]
    jacobian = np.asarray(fit.jac, dtype=float)
    halves = _half_widths(jacobian, fit.fun, estimates, confidence)
    limit, peak = _bounds(*estimates)
    miss = float(np.abs(_law(n, *estimates) / x - 1).max())
    triples = [(e, max(e - h, 0.0), e + h) for e, h in zip(estimates, halves, strict=True)]
    return Law(
        rate=triples[0],
        contention=triples[1],
        coherency=triples[2],
        limit=limit,
        peak=peak,
        miss=miss,
        confidence=confidence,
        poor=_faults(n, x, limit, miss),
    )


def predict(law: Law, level: float) -> float:
    """Return the fitted rate at a level."""
    fitted = _law(np.array([level]), law.rate[0], law.contention[0], law.coherency[0])
    return float(fitted[0])


def _law(n: np.ndarray, rate: float, contention: float, coherency: float) -> np.ndarray:
    rates: np.ndarray = rate * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
    return rates


def _half_widths(
    jacobian: np.ndarray, residuals: np.ndarray, estimates: Sequence[float], confidence: float
) -> list[float]:
    """Return the half widths; NaN if no degree of freedom is left, and for values at a bound."""
    from scipy.special import stdtrit

    at_bound = [value < 1e-9 for value in estimates]  # kappa, sigma: no room to the left
    free = [i for i, bound in enumerate(at_bound) if not bound]
    left = len(residuals) - len(free)
    halves = [math.nan] * len(estimates)
    if left < 1:
        return halves
    inner = jacobian[:, free]
    try:
        covariance = np.linalg.inv(inner.T @ inner) * float(residuals @ residuals) / left
    except np.linalg.LinAlgError:
        return halves
    quantile = float(stdtrit(left, (1 + confidence) / 2))
    for place, index in enumerate(free):
        halves[index] = quantile * math.sqrt(max(float(covariance[place, place]), 0.0))
    return halves


def _bounds(rate: float, contention: float, coherency: float) -> tuple[float, float]:
    """Return the largest throughput and the level at which it is reached."""
    if coherency > 1e-12 and contention < 1:
        peak = math.sqrt((1 - contention) / coherency)
        return float(_law(np.array([peak]), rate, contention, coherency)[0]), peak
    return (rate / contention if contention > 0 else math.inf), math.inf


def _faults(n: np.ndarray, x: np.ndarray, limit: float, miss: float) -> tuple[str, ...]:
    faults = []
    if len(set(n.tolist())) <= _PARAMETERS:
        faults.append("it has as many parameters as levels")
    if limit < float(x.max()):
        faults.append("its limit is below a rate that was reached")
    if miss > _MISS:
        faults.append(f"it misses a level by more than {100 * _MISS:.0f} %")
    return tuple(faults)


def smallest_with_share(levels: Sequence[float], rates: Sequence[float], share: float) -> float:
    """Return the smallest level that reaches a share of the best rate.

    Examples
    --------
    >>> smallest_with_share([1, 20, 30, 50, 100], [3351, 6545, 6578, 6977, 7345], 0.95)
    100
    """
    best = max(rates)
    return min(n for n, x in zip(levels, rates, strict=True) if x >= share * best)


def most_powerful(levels: Sequence[float], rates: Sequence[float]) -> float:
    """Return the level with the largest power: rate over time per request (Kleinrock 1979).

    In a closed loop the time per request is level over rate, so power is rate^2 / level.

    Examples
    --------
    >>> most_powerful([1, 20, 30, 50, 100], [3351, 6545, 6578, 6977, 7345])
    1
    """
    return max(zip(levels, rates, strict=True), key=lambda pair: pair[1] ** 2 / pair[0])[0]


def asymptotic_knee(levels: Sequence[float], rates: Sequence[float]) -> float:
    """Return where the bounds of a closed loop meet: best rate times time at the lowest level.

    Below this level the rate grows with the level, and above it not at all, if there were no
    queueing (Denning and Buzen 1978).

    Examples
    --------
    >>> round(asymptotic_knee([1, 20, 100], [3351, 6545, 7345]), 1)
    2.2
    """
    lowest, rate = min(zip(levels, rates, strict=True))
    return max(rates) * lowest / rate

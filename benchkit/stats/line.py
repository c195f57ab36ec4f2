"""A straight line through repeated measurements, and whether a line describes them."""

from __future__ import annotations

import math
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
        Its interval, NaN where two measurements leave nothing to estimate the noise from.
    start : float
        The value at 0.
    misfit : float
        How rarely the mean of a level lies so far from a line by chance; NaN without repeats.
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
        One pair per run; n >= 3 for an interval, and 3 different levels, one of them measured
        twice, for the test.
    confidence : float

    Raises
    ------
    ValueError
        If all levels are equal.

    Notes
    -----
    Runs spread in proportion to what they measure, so that each counts by 1 / (mean of its level)²;
    where a mean is not positive all count alike. The slope's interval is Student's, by the spread
    around the line [1]_. The test compares the spread of the levels' means around the line with
    that of the runs around their means: the F test of lack of fit.

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
    """Return the weight of a run of each level."""
    return np.ones(len(means)) if means.min() <= 0 else (means.mean() / means) ** 2


def fit_rounds(
    levels: ArrayLike, values: ArrayLike, design: SequentialDesign | None, confidence: float = 0.95
) -> Line:
    """Fit a line to the rounds of a series that stops early.

    Parameters
    ----------
    levels : array_like of float, shape (n,)
        All different.
    values : array_like of float, shape (n, rounds)
        One run of each level per round.
    design : SequentialDesign or None
        Of the series; without one there is no interval.
    confidence : float

    Notes
    -----
    The slope of all rounds is the mean of the slopes of each. Its interval is the repeated one of
    these, which holds at whatever round the series stopped, and whatever for. The test of lack of
    fit is that of a fixed number of runs. Smallest usable n: the design's ``least`` rounds.

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

"""A straight line through repeated measurements, and whether a line describes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


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
    weight = np.ones(len(x)) if means.min() <= 0 else (means.mean() / means[level]) ** 2
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

"""The geometric mean of ratios over several rows, with an interval that follows from theirs.

In: log ratios with their standard errors. Out: `Estimate` of the mean log ratio. Why: one number
for many benchmarks without an interval is read as exact.
"""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.results import Estimate
from benchkit.stats.sample import FloatArray, check_fraction, read_sample
from benchkit.stats.student import t_quantile


def mean_log_ratio(
    logs: ArrayLike, errors: ArrayLike, freedom: ArrayLike, confidence: float = 0.95
) -> Estimate:
    """Average log ratios of independent rows.

    Parameters
    ----------
    logs : array_like, shape (b,)
        Logarithms of the rows' ratios, at least one.
    errors : array_like, shape (b,)
        Their standard errors, not negative.
    freedom : array_like, shape (b,)
        Degrees of freedom of the errors, positive: runs of both sides less 2.
    confidence : float
        Of the interval.

    Returns
    -------
    Estimate
        Of the mean of the logarithms: its exponential is the geometric mean of the ratios. ``low``
        and ``high`` are NaN where no row has an error.

    Raises
    ------
    ValueError
        If the shapes differ or a parameter is out of range.

    Notes
    -----
    SE = sqrt(Σ se²)/b, and t with (Σ se²)²/Σ(se⁴/ν) degrees of freedom [1]_. The interval is about
    these b rows, as if no other benchmark existed, and assumes that their errors are independent:
    rows that one process measured in one go vary together, and then it is too narrow. Smallest
    usable b: 1, which gives the row's own interval.

    References
    ----------
    .. [1] F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
       Biometrics Bull. 2 (1946) 110-114.

    Examples
    --------
    >>> mean = mean_log_ratio([0.10, 0.20, 0.15], [0.02, 0.03, 0.01], [8, 8, 8])
    >>> round(mean.value, 3), round(mean.low, 3), round(mean.high, 3)
    (0.15, 0.124, 0.176)
    """
    check_fraction(confidence, "confidence")
    values, spread = read_sample(logs, "logs"), read_sample(errors, "errors")
    degrees = read_sample(freedom, "freedom")
    if not values.shape == spread.shape == degrees.shape:
        raise ValueError("logs, errors and freedom must have one value per row")
    if spread.min() < 0 or degrees.min() <= 0:
        raise ValueError("errors must not be negative and freedom must be positive")
    center = float(np.mean(values))
    squares = spread**2
    total = float(squares.sum())
    if not total:
        return Estimate(center, nan, nan, confidence, "geometric mean", ("no row has an error",))
    effective = total**2 / float((squares**2 / degrees).sum())
    reach = t_quantile(effective, (1 + confidence) / 2) * sqrt(total) / values.size
    return Estimate(center, center - reach, center + reach, confidence, "geometric mean")


def errors_of_intervals(
    half_widths: ArrayLike, freedom: ArrayLike, confidence: float = 0.95
) -> FloatArray:
    """Return the standard errors that intervals were made of.

    Parameters
    ----------
    half_widths : array_like, shape (b,)
        (high - low)/2 of each interval.
    freedom : array_like, shape (b,)
        Degrees of freedom, positive.
    confidence : float
        Of the intervals.

    Returns
    -------
    ndarray, shape (b,)

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    half_width/t, exact for intervals by Student's t; an interval by ranks is of about that width
    for normal values, and of its own for others. Smallest usable b: 1.

    Examples
    --------
    >>> errors_of_intervals([0.0632], [8], 0.95).round(4).tolist()
    [0.0274]
    """
    check_fraction(confidence, "confidence")
    widths, degrees = read_sample(half_widths, "half_widths"), read_sample(freedom, "freedom")
    different, which = np.unique(degrees, return_inverse=True)
    quantiles = [t_quantile(each, (1 + confidence) / 2) for each in different.tolist()]
    errors: FloatArray = widths / np.array(quantiles)[which]
    return errors

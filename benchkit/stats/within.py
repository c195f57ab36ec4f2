"""Information within one run: correlation of its stretches, warm-up, trend, and its error.

Requests depend on one another, so a million of them contain less information than they seem to; and
the precision of one run does not show how much runs differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.order import Trend, find_trend
from benchkit.stats.rank import hodges_lehmann, mann_whitney
from benchkit.stats.sample import Estimate, check_fraction, read_sample

#: Minimum number of stretches, and the share of them that a warm-up may take.
SMALLEST = 5
WARM_UP = 0.2
#: Correlation above which a run is one long wave and has no error estimate.
_MOST = 0.8


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of a run's stretches with the ones before.

    Parameters
    ----------
    lag1 : float
        Correlation of neighbours, -1 to 1; 0 if nothing varies.
    size : int
        Number of stretches.
    effective : float
        The number of independent stretches with the same information, 1 to ``size``.
    limit : float
        Correlations above this are hardly due to chance: 2/sqrt(size).
    """

    lag1: float
    size: int
    effective: float
    limit: float

    @property
    def is_shown(self) -> bool:
        """Whether the correlation is positive and beyond chance."""
        return self.lag1 > self.limit


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a run: its beginning against the rest, and the trend of the rest.

    Parameters
    ----------
    start : float
        First fifth minus the rest (Hodges-Lehmann).
    start_pvalue : float
    trend : Trend
        Trend of the rest; its slope is per stretch.
    size : int
        Number of stretches in the rest.
    """

    start: float
    start_pvalue: float
    trend: Trend
    size: int

    @property
    def drift(self) -> float:
        """Change from the first to the last stretch of the rest."""
        return self.trend.slope * (self.size - 1)


def find_correlation(stretches: ArrayLike) -> Correlation:
    """Measure the correlation of neighbouring stretches.

    Parameters
    ----------
    stretches : array_like, shape (n,)
        In order of time, at least 5.

    Returns
    -------
    Correlation

    Raises
    ------
    ValueError
        If there are fewer than 5 values, or one is not finite.

    Notes
    -----
    r = Σ(x_i - m)(x_{i+1} - m)/Σ(x_i - m)²; effective size n(1 - r')/(1 + r') [1]_ for r' > 0, else
    n, where r' = r + (1 + 3r)/n compensates for removing the mean [2]_. The limit holds for 97.5 %
    of independent series. Smallest usable n: 5; below 20 only a strong correlation exceeds the
    limit.

    References
    ----------
    .. [1] G. E. P. Box, G. M. Jenkins and G. C. Reinsel, Time Series Analysis (2008), section 2.1.
    .. [2] M. G. Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41 (1954)
       403-404.

    Examples
    --------
    >>> found = find_correlation([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    >>> round(found.lag1, 3), round(found.effective, 2)
    (0.625, 1.0)
    """
    sample = read_sample(stretches, "stretches", smallest=SMALLEST)
    away = sample - sample.mean()
    squares = float(away @ away)
    r = float(away[:-1] @ away[1:]) / squares if squares else 0.0
    likely = min(r + (1 + 3 * max(r, 0.0)) / sample.size, 1.0)
    share = (1 - likely) / (1 + likely) if likely > 0 else 1.0
    return Correlation(r, sample.size, max(sample.size * share, 1.0), 2 / sqrt(sample.size))


def find_course(stretches: ArrayLike) -> Course:
    """Compare the beginning of a run with the rest, and look for a trend in the rest.

    Parameters
    ----------
    stretches : array_like, shape (n,)
        In order of time, at least 10.

    Returns
    -------
    Course

    Raises
    ------
    ValueError
        If there are fewer than 10 values, or one is not finite.

    Notes
    -----
    The first fifth is compared with the others by Hodges-Lehmann and the exact Mann-Whitney test;
    the others by Kendall's test and the Theil-Sen slope. Assumes independent stretches: waves look
    like a warm-up or a trend. Smallest usable n: 10, for which the first two are tested against
    eight.

    Examples
    --------
    >>> course = find_course([9, 8, 5.1, 5, 5.2, 4.9, 5.1, 5, 4.9, 5.2])
    >>> round(course.start, 2), round(course.start_pvalue, 3), course.trend.pvalue > 0.05
    (3.45, 0.044, True)
    """
    sample = read_sample(stretches, "stretches", smallest=2 * SMALLEST)
    first, rest = np.split(sample, [round(WARM_UP * sample.size)])
    return Course(
        start=-hodges_lehmann(first, rest).value,
        start_pvalue=mann_whitney(first, rest).pvalue,
        trend=find_trend([np.arange(rest.size)], [rest]),
        size=rest.size,
    )


def compare_within(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Estimate the difference of two individual runs, from the stretches of each.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant: one value per stretch in order of time, at least 5 each.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    Estimate
        mean(y) - mean(x); ``low`` and ``high`` are NaN, with a note, if neither side varies, or if
        a run is one long wave.

    Raises
    ------
    ValueError
        If a side has fewer than 5 values or one is not finite, or the confidence is out of range.

    Notes
    -----
    Batch means [1]_: the variance of each side's mean is s²/n', where n' is its effective number of
    stretches, and Student's t has the degrees of freedom of Welch's test with n' in place of n. The
    interval is about *these two runs*, not about the variants: it does not include the variation
    between runs. Simulated at nominal 95 % with 10 or 20 stretches of correlation 0 to 0.5, which
    vary as much as runs do: it contains the difference of the two runs in 94 to 97 % (5 stretches:
    91 to 98), that of the variants in 38 to 79 %. Smallest usable n: 5.

    References
    ----------
    .. [1] A. M. Law and W. D. Kelton, Simulation Modeling and Analysis (2000), section 9.5.

    Examples
    --------
    >>> found = compare_within([1.0, 1.1, 0.9, 1.0, 1.05], [1.2, 1.3, 1.1, 1.2, 1.25])
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.2, 0.092, 0.308)
    """
    sides = [read_sample(side, name, smallest=SMALLEST) for side, name in ((x, "x"), (y, "y"))]
    check_fraction(confidence, "confidence")
    value = float(sides[1].mean() - sides[0].mean())
    ties = [find_correlation(side) for side in sides]
    if any(one.lag1 > _MOST for one in ties):
        note = "a run drifts or varies slowly, so its error is unknown"
        return Estimate(value, nan, nan, confidence, "within-run", (note,))
    sizes = [max(one.effective, 2.0) for one in ties]
    parts = [float(np.var(s, ddof=1)) / n for s, n in zip(sides, sizes, strict=True)]
    if sum(parts) == 0:
        note = "all parts are equal, so there is no interval"
        return Estimate(value, nan, nan, confidence, "within-run", (note,))
    from scipy.special import stdtrit

    shares = [(part / sum(parts)) ** 2 / (n - 1) for part, n in zip(parts, sizes, strict=True)]
    reach = float(stdtrit(1 / sum(shares), (1 + confidence) / 2)) * sqrt(sum(parts))
    return Estimate(value, value - reach, value + reach, confidence, "within-run")

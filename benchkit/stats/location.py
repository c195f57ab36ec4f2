"""Means, medians and Student's t: for the two or three runs that ranks cannot judge.

With fewer than 4 runs per side no rank test can reach 5 %; Welch's test can, at the price of
assuming normally distributed runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.prediction import HISTORY, compare_with_history
from benchkit.stats.rank import hodges_lehmann, smallest_pvalue
from benchkit.stats.sample import (
    Estimate,
    FloatArray,
    TestResult,
    check_fraction,
    measure_variance,
    middles,
    read_sample,
)
from benchkit.stats.signed_rank import smallest_paired_pvalue
from benchkit.stats.student import t_quantile, t_tail

#: Minimum number of values on each side for ranks, and for Welch's test.
_RANKED, _FEWEST = 4, 2
_CONSTANT = "neither side varies, so there is no interval"
_CONSTANT_UNEQUAL = "neither side varies, so p is the smallest that ranks allow"


def median(x: ArrayLike) -> float:
    """Return the median: the middle value, or the mean of the two in the middle.

    Parameters
    ----------
    x : array_like, shape (n,)
        Finite, at least one value.

    Raises
    ------
    ValueError
        If x is empty or not finite.

    Notes
    -----
    Assumes nothing; smallest usable n: 1. Type 7 (and every other type) of Hyndman and Fan,
    "Sample quantiles in statistical packages", Am. Stat. 50 (1996) 361-365, at one half.

    Examples
    --------
    >>> median([4, 1, 3])
    3.0
    """
    return float(np.median(read_sample(x, "x")))


def welch(
    x: ArrayLike, y: ArrayLike, confidence: float = 0.95, *, least_freedom: bool = False
) -> tuple[Estimate, TestResult]:
    """Estimate and test the difference of two means without assuming equal variances.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant, finite, at least 2 values each.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.
    least_freedom : bool
        Use min(n, m) - 1 degrees of freedom, the fewest possible: the level then holds whatever the
        variances are, at some loss of power [2]_.

    Returns
    -------
    Estimate
        mean(y) - mean(x) with its interval; ``low`` and ``high`` are NaN if no side varies.
    TestResult
        ``statistic`` is t; ``pvalue`` is two-sided. If no side varies it is 1 for equal means, else
        `smallest_pvalue`, since only the order is evidence; a note says so.

    Raises
    ------
    ValueError
        If a side has fewer than 2 values or is not finite, or the confidence is out of range.

    Notes
    -----
    t = (mean(y) - mean(x)) / sqrt(s_x²/n + s_y²/m) with the degrees of freedom of Welch and
    Satterthwaite [1]_. Assumes normal values (of the logarithms, if those are passed). Smallest
    usable n: 2 + 2, with a very wide interval. Equals ``scipy.stats.ttest_ind(y, x,
    equal_var=False)``.

    References
    ----------
    .. [1] B. L. Welch, "The generalization of Student's problem when several different population
       variances are involved", Biometrika 34 (1947) 28-35.
    .. [2] M. R. Mickey and M. B. Brown, "Bounds on the distribution functions of the Behrens-Fisher
       statistic", Ann. Math. Statist. 37 (1966) 639-642.

    Examples
    --------
    >>> estimate, test = welch([10.0, 10.2, 10.1], [11.0, 11.3, 11.1])
    >>> round(estimate.value, 3), round(estimate.low, 3), round(estimate.high, 3)
    (1.033, 0.721, 1.345)
    >>> round(test.pvalue, 4)
    0.0012
    """
    before, after = read_sample(x, "x", smallest=2), read_sample(y, "y", smallest=2)
    check_fraction(confidence, "confidence")
    difference = compare_means(before, after)
    parts = measure_variance(before) / before.size, measure_variance(after) / after.size
    if sum(parts) == 0:
        return _judge_constants(before, after, difference, confidence)
    shares = [part / sum(parts) for part in parts]
    freedom = 1 / (shares[0] ** 2 / (before.size - 1) + shares[1] ** 2 / (after.size - 1))
    if least_freedom:
        freedom = min(before.size, after.size) - 1
    error = sqrt(sum(parts))
    reach = t_quantile(freedom, (1 + confidence) / 2) * error
    t = difference / error
    pvalue = min(1.0, max(2 * t_tail(freedom, abs(t)), sys.float_info.min))
    estimate = Estimate(difference, difference - reach, difference + reach, confidence, "welch")
    return estimate, TestResult(t, pvalue, "welch")


def estimate_shift(
    x: ArrayLike, y: ArrayLike, confidence: float = 0.95, method: str = "auto"
) -> Estimate | None:
    """Estimate by how much y lies above x, in their unit.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant, finite.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.
    method : {'auto', 'rank', 'welch', 'history'}
        By default Hodges and Lehmann's with at least 4 values on each side, else Welch's.

    Returns
    -------
    Estimate or None
        None for fewer values than the method needs.

    Raises
    ------
    ValueError
        If a value is not finite, or the confidence out of range.

    Notes
    -----
    Assumes equal shapes from 4 values on, normal values below; smallest usable n: 2.

    Examples
    --------
    >>> estimate_shift([1, 2, 3, 4], [3, 4, 5, 6]).value
    2.0
    >>> estimate_shift([1, 2], [3, 4]).method, estimate_shift([1], [3, 4])
    ('welch', None)
    >>> estimate_shift([1, 2, 3, 4], [3, 4, 5, 6], method="welch").method
    'welch'
    """
    sizes = len(read_sample(x, "x")), len(read_sample(y, "y"))
    if method == "history":
        return _predict_shift(x, y, confidence) if max(sizes) >= HISTORY else None
    if min(sizes) < _FEWEST:
        return None
    if method == "rank" or (method == "auto" and min(sizes) >= _RANKED):
        return hodges_lehmann(x, y, confidence)
    return welch(x, y, confidence)[0]


def _predict_shift(x: ArrayLike, y: ArrayLike, confidence: float) -> Estimate:
    """Compare the shorter side with the prediction from the longer one."""
    if np.size(y) <= np.size(x):
        return compare_with_history(x, y, confidence)[0]
    estimate = compare_with_history(y, x, confidence)[0]
    return replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)


def paired_t(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> tuple[Estimate, TestResult]:
    """Estimate and test the mean difference of pairs.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Baseline and variant of each pair, finite, at least 2 pairs.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    Estimate
        mean(y - x) with its interval; ``low`` and ``high`` are NaN if the differences do not vary.
    TestResult
        ``statistic`` is t; ``pvalue`` is two-sided. If the differences do not vary it is 1 if they
        are 0, else `smallest_paired_pvalue`; a note says so.

    Raises
    ------
    ValueError
        If the sides differ in length, have fewer than 2 values or are not finite, or the
        confidence is out of range.

    Notes
    -----
    t = mean(d)·sqrt(n)/s_d with n - 1 degrees of freedom [1]_. Assumes normal differences d (of the
    logarithms, if those are passed). Smallest usable n: 2, with a very wide interval. Equals
    ``scipy.stats.ttest_rel(y, x)``.

    References
    ----------
    .. [1] Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.

    Examples
    --------
    >>> estimate, test = paired_t([10.0, 20.2, 30.1], [11.0, 21.3, 31.1])
    >>> round(estimate.value, 3), round(test.pvalue, 4)
    (1.033, 0.001)
    """
    before, after = read_sample(x, "x", smallest=2), read_sample(y, "y", smallest=2)
    check_fraction(confidence, "confidence")
    if before.size != after.size:
        raise ValueError(f"pairs need sides of equal length: {before.size} and {after.size}")
    differences = after - before
    center, error = _mean(differences), sqrt(measure_variance(differences) / before.size)
    if error == 0:
        note = ("the differences do not vary, so there is no interval",)
        pvalue = 1.0 if center == 0 else smallest_paired_pvalue(before.size)
        estimate = Estimate(center, nan, nan, confidence, "paired t", note)
        return estimate, TestResult(0.0 if center == 0 else nan, pvalue, "paired t", note)
    reach = t_quantile(before.size - 1, (1 + confidence) / 2) * error
    t = center / error
    pvalue = min(1.0, max(2 * t_tail(before.size - 1, abs(t)), sys.float_info.min))
    estimate = Estimate(center, center - reach, center + reach, confidence, "paired t")
    return estimate, TestResult(t, pvalue, "paired t")


def prediction_interval(x: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Predict the range of one new value.

    Parameters
    ----------
    x : array_like, shape (n,)
        Finite, at least 2 values.
    confidence : float
        Probability that the interval contains the next value, 0 < confidence < 1.

    Returns
    -------
    Estimate
        ``value`` is the mean; ``low`` and ``high`` are NaN, with a note, if x does not vary.

    Raises
    ------
    ValueError
        If x has fewer than 2 values or is not finite, or the confidence is out of range.

    Notes
    -----
    mean ± t_{n-1}·s·sqrt(1 + 1/n) [1]_. Assumes normal, independent values; it is not a confidence
    interval of the mean. Smallest usable n: 2; with fewer than 8 values it is too wide to be
    useful.

    References
    ----------
    .. [1] G. J. Hahn and W. Q. Meeker, Statistical Intervals (1991), section 4.7.

    Examples
    --------
    >>> following = prediction_interval([10.0, 10.2, 10.1, 10.3])
    >>> round(following.low, 2), round(following.high, 2)
    (9.69, 10.61)
    """
    sample = read_sample(x, "x", smallest=2)
    check_fraction(confidence, "confidence")
    center, spread = _mean(sample), sqrt(measure_variance(sample))
    if spread == 0:
        note = "the values do not vary, so there is no interval"
        return Estimate(center, nan, nan, confidence, "prediction", (note,))
    quantile = t_quantile(sample.size - 1, (1 + confidence) / 2)
    reach = quantile * spread * sqrt(1 + 1 / sample.size)
    return Estimate(center, center - reach, center + reach, confidence, "prediction")


def mean_interval(x: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the mean with Student's interval; NaN ends, with a note, if x does not vary.

    Parameters
    ----------
    x : array_like, shape (n,)
        Finite, at least 2 values.
    confidence : float
        0 < confidence < 1.

    Examples
    --------
    >>> interval = mean_interval([10.0, 10.2, 10.1, 10.3])
    >>> round(interval.low, 3), round(interval.high, 3)
    (9.945, 10.355)
    """
    following = prediction_interval(x, confidence)
    reach = (following.high - following.value) / sqrt(np.size(x) + 1)
    return replace(
        following, low=following.value - reach, high=following.value + reach, method="mean"
    )


def relative_reaches(
    samples: Sequence[Sequence[float]], confidence: float = 0.95
) -> list[float | None]:
    """Return half the interval of each mean as a share of the median: the number after ``±``.

    Parameters
    ----------
    samples : sequence of sequence of float
        Finite.
    confidence : float
        0 < confidence < 1.

    Returns
    -------
    list of float or None
        0 if the values do not vary; None for one value, or a median that is not positive.

    Examples
    --------
    >>> [round(reach, 4) for reach in relative_reaches([[10.0, 10.2, 10.1, 10.3], [7.0, 7.0]])]
    [0.0202, 0.0]
    """
    reaches: list[float | None] = [None] * len(samples)
    sizes: dict[int, list[int]] = {}
    for at, values in enumerate(samples):
        sizes.setdefault(len(values), []).append(at)
    for size, places in sizes.items():
        if size < 2:
            continue
        rows = np.array([samples[at] for at in places], dtype=np.float64)
        ordered = np.sort(rows, axis=1)
        varies, centers = ordered[:, 0] < ordered[:, -1], middles(ordered)
        quantile, deviations = _quantile(size - 1, confidence), rows.std(axis=1, ddof=1)
        columns = (places, varies.tolist(), centers.tolist(), deviations.tolist())
        for at, is_varying, center, deviation in zip(*columns, strict=True):
            if not is_varying:
                reaches[at] = 0.0
            elif center > 0:
                reaches[at] = quantile * deviation / sqrt(size) / center
    return reaches


@lru_cache(maxsize=1 << 10)
def _quantile(freedom: int, confidence: float) -> float:
    return t_quantile(freedom, (1 + confidence) / 2)


def _judge_constants(
    before: FloatArray, after: FloatArray, difference: float, confidence: float
) -> tuple[Estimate, TestResult]:
    """Return the result if neither side varies: only whether and how they are ordered."""
    estimate = Estimate(difference, nan, nan, confidence, "welch", (_CONSTANT,))
    if difference == 0:
        return estimate, TestResult(0.0, 1.0, "welch", (_CONSTANT,))
    pvalue = smallest_pvalue(before.size, after.size)
    return estimate, TestResult(nan, pvalue, "welch", (_CONSTANT_UNEQUAL,))


def compare_means(x: FloatArray, y: FloatArray) -> float:
    """Return mean(y) - mean(x), the estimate of `welch`, without an interval."""
    return _mean(y) - _mean(x)


def _mean(sample: FloatArray) -> float:
    """Return the mean; for a constant sample exactly the constant, despite rounding."""
    first = float(sample[0])
    return first + float(np.mean(sample - first))

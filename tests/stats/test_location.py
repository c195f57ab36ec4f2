"""Welch, prediction intervals and medians: against scipy, by simulation, at the edges."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import (
    median,
    paired_t,
    prediction_interval,
    smallest_paired_pvalue,
    welch,
)

VALUES = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (2, 3), (3, 3), (3, 10), (40, 7)])
def test_welch_equals_scipy(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    x, y = rng.normal(size=n), 3 * rng.normal(size=m) + 1
    estimate, test = welch(x, y, confidence=0.9)
    theirs = scipy.stats.ttest_ind(y, x, equal_var=False)
    ends = theirs.confidence_interval(0.9)
    assert test.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert test.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert [estimate.low, estimate.high] == pytest.approx([ends.low, ends.high], rel=1e-9)
    assert estimate.value == pytest.approx(np.mean(y) - np.mean(x))


@given(st.lists(VALUES, min_size=2, max_size=5), st.lists(VALUES, min_size=2, max_size=5))
def test_welch_mirrors_when_swapped_and_never_reaches_zero(
    x: Sequence[float], y: Sequence[float]
) -> None:
    (ahead, test), (back, other) = welch(x, y), welch(y, x)
    assert 0 < test.pvalue <= 1
    assert test.pvalue == pytest.approx(other.pvalue)
    assert ahead.value == pytest.approx(-back.value)


def test_constant_equal_sides_are_no_evidence() -> None:
    estimate, test = welch([0.1, 0.1, 0.1], [0.1, 0.1])
    assert (estimate.value, test.pvalue) == (0, 1)
    assert isnan(estimate.low)
    assert isnan(estimate.high)
    assert estimate.notes == ("neither side varies, so there is no interval",)


@pytest.mark.parametrize(("k", "pvalue"), [(2, 1 / 3), (3, 0.1)])
def test_constant_different_sides_show_only_their_order(k: int, pvalue: float) -> None:
    estimate, test = welch([0.1] * k, [0.3] * k)
    assert test.pvalue == pytest.approx(pvalue)
    assert estimate.value == pytest.approx(0.2)
    assert isnan(estimate.low)
    assert test.notes == ("neither side varies, so p is the smallest that ranks allow",)


def test_single_constant_side_is_an_ordinary_case() -> None:
    estimate, test = welch([5.0, 5.0, 5.0], [6.0, 6.2, 6.1])
    assert test.pvalue == pytest.approx(scipy.stats.ttest_1samp([6.0, 6.2, 6.1], 5).pvalue)
    assert estimate.low < 1.1 < estimate.high


@pytest.mark.parametrize("k", [2, 3])
def test_welch_covers_in_simulation(k: int) -> None:
    rng = np.random.default_rng(k)
    hits, repeats = 0, 1500
    for _ in range(repeats):
        estimate, _ = welch(rng.normal(size=k), rng.normal(size=k) + 1)
        hits += estimate.low <= 1 <= estimate.high
    assert hits / repeats >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_prediction_interval_covers_the_next_value() -> None:
    rng = np.random.default_rng(9)
    hits, repeats = 0, 1500
    for _ in range(repeats):
        values = rng.normal(10, 2, size=6)
        interval = prediction_interval(values[:5], 0.9)
        hits += interval.low <= values[5] <= interval.high
    assert hits / repeats == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / repeats))


def test_prediction_interval_by_hand() -> None:
    interval = prediction_interval([1.0, 2.0, 3.0])
    assert interval.high == pytest.approx(2 + 4.302653 * np.sqrt(4 / 3), rel=1e-6)


def test_prediction_from_constant_values_has_no_interval() -> None:
    interval = prediction_interval([0.1] * 3)
    assert interval.value == 0.1
    assert isnan(interval.low)
    assert isnan(interval.high)
    assert interval.notes == ("the values do not vary, so there is no interval",)


def test_median_of_even_and_odd() -> None:
    assert median([4, 1, 3]) == 3
    assert median([4, 1, 3, 2]) == 2.5


def test_too_few_values_are_refused() -> None:
    with pytest.raises(ValueError, match="y must have at least 2 values, got 1"):
        welch([1, 2], [1])
    with pytest.raises(ValueError, match="x must have at least 2 values, got 1"):
        prediction_interval([1])
    with pytest.raises(ValueError, match="x must have at least 1 values, got 0"):
        median([])


@pytest.mark.parametrize("n", [2, 3, 5, 30])
def test_paired_t_equals_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = x + rng.normal(0.3, 0.5, size=n)
    estimate, test = paired_t(x, y, confidence=0.9)
    theirs = scipy.stats.ttest_rel(y, x)
    ends = theirs.confidence_interval(0.9)
    assert test.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert test.statistic == pytest.approx(theirs.statistic)
    assert (estimate.low, estimate.high) == pytest.approx((ends.low, ends.high))


def test_published_examples_of_r() -> None:
    # Student's sleep data, `t.test(extra ~ group, data = sleep)` with the groups swapped
    drug1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    drug2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    estimate, test = welch(drug1, drug2)
    assert (test.statistic, test.pvalue) == pytest.approx((1.8608, 0.07939), abs=5e-5)
    assert [estimate.low, estimate.high] == pytest.approx([-0.2054832, 3.3654832], abs=5e-8)
    _, paired = paired_t(drug1, drug2)
    assert (paired.statistic, paired.pvalue) == pytest.approx((4.0621, 0.002833), abs=5e-5)
    # Hollander and Wolfe's depression data, `t.test(x1, x2, paired=TRUE)`
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    estimate, test = paired_t(second, first)
    assert (test.statistic, test.pvalue) == pytest.approx((3.0353754157, 0.0161766274), rel=1e-8)
    assert [estimate.low, estimate.high] == pytest.approx([0.1037787, 0.7599991], abs=5e-8)


def test_pairs_with_equal_differences_have_no_interval() -> None:
    estimate, test = paired_t([1, 2, 3], [2, 3, 4])
    assert (estimate.value, isnan(estimate.low)) == (1, True)
    assert test.pvalue == smallest_paired_pvalue(3)
    assert paired_t([1, 2], [1, 2])[1].pvalue == 1
    with pytest.raises(ValueError, match="equal length: 2 and 3"):
        paired_t([1, 2], [1, 2, 3])

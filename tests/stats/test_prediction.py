"""A new run compared with its history: a prediction interval with the stated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.prediction import compare_with_history, predictive_pvalue

HISTORY = [10.0, 10.2, 10.1, 9.9, 10.3, 10.0, 10.1, 9.8]


@pytest.mark.parametrize(("n", "m"), [(8, 1), (12, 1), (8, 3), (30, 1)])
def test_interval_covers_the_stated_share_of_new_runs(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    covered = []
    for _ in range(1500):
        estimate, _ = compare_with_history(rng.normal(size=n), rng.normal(size=m))
        covered.append(estimate.low <= 0 <= estimate.high)
    assert 0.93 <= np.mean(covered) <= 0.985


@pytest.mark.parametrize(("n", "least"), [(8, 0.915), (20, 0.94), (40, 0.95)])
def test_skewed_runs_are_covered_nearly_as_often(n: int, least: float) -> None:
    rng = np.random.default_rng(n)
    draws = np.log1p(0.05 * rng.exponential(size=(2000, n + 1)))
    estimates = (compare_with_history(row[:-1], row[-1:])[0] for row in draws)
    assert np.mean([one.low <= 0 <= one.high for one in estimates]) >= least


def test_interval_reaches_the_extremes_of_the_history() -> None:
    estimate, _ = compare_with_history([*HISTORY[:-1], 50.0], [50.0])
    assert estimate.low <= 0 <= estimate.high


@given(st.integers(0, 10**6), st.sampled_from([8, 12, 39, 60]), st.floats(-4, 4))
def test_p_is_at_most_5_percent_exactly_outside_the_interval(seed: int, n: int, new: float) -> None:
    history = np.random.default_rng(seed).normal(size=n)
    estimate, _ = compare_with_history(history, [new])
    is_outside = not estimate.low <= 0 <= estimate.high
    assert (predictive_pvalue(history, new) <= 0.05) == is_outside


def test_pvalue_is_the_rank_of_the_new_run() -> None:
    _, outside = compare_with_history(HISTORY, [11.0])
    assert outside.pvalue == pytest.approx(2 / 9)
    _, late = compare_with_history(np.arange(39.0), [100.0])
    assert late.pvalue == pytest.approx(0.05)


@given(st.floats(0.5, 100))
def test_scale_does_not_matter(factor: float) -> None:
    one, p = compare_with_history(HISTORY, [11.0])
    other, q = compare_with_history([factor * x for x in HISTORY], [factor * 11.0])
    assert other.low == pytest.approx(factor * one.low)
    assert p.pvalue == q.pvalue


def test_equal_runs_predict_an_interval_from_39_runs_on() -> None:
    few, _ = compare_with_history([5.0] * 38, [5.2])
    assert np.isnan(few.low)
    assert "predict no interval" in few.notes[0]
    assert np.isnan(predictive_pvalue([5.0] * 38, 5.2))
    many, _ = compare_with_history([5.0] * 39, [5.2])
    assert many.low == many.high == pytest.approx(0.2)
    assert predictive_pvalue([5.0] * 39, 5.2) == 0.05


def test_seven_runs_are_not_enough_history() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        compare_with_history(HISTORY[:7], [10.0])

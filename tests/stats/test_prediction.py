"""A new run beside its history: a prediction interval that one bad day does not move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.prediction import compare_with_history

HISTORY = [10.0, 10.2, 10.1, 9.9, 10.3, 10.0, 10.1, 9.8]


@pytest.mark.parametrize(("n", "m"), [(8, 1), (12, 1), (8, 3), (30, 1)])
def test_it_holds_as_many_new_runs_as_it_says(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    held = []
    for _ in range(1500):
        estimate, _ = compare_with_history(rng.normal(size=n), rng.normal(size=m))
        held.append(estimate.low <= 0 <= estimate.high)
    assert 0.93 <= np.mean(held) <= 0.985


def test_one_outlying_run_of_the_past_hardly_matters() -> None:
    plain, _ = compare_with_history(HISTORY, [10.1])
    dirty, _ = compare_with_history([*HISTORY[:-1], 50.0], [10.1])
    assert dirty.high - dirty.low <= 1.6 * (plain.high - plain.low)


def test_the_rank_of_a_new_run_is_its_pvalue() -> None:
    _, outside = compare_with_history(HISTORY, [11.0])
    assert outside.pvalue == pytest.approx(2 / 9)
    _, late = compare_with_history(np.arange(39.0), [100.0])
    assert late.pvalue == pytest.approx(0.05)


@given(st.floats(0.5, 100))
def test_the_scale_does_not_matter(factor: float) -> None:
    one, p = compare_with_history(HISTORY, [11.0])
    other, q = compare_with_history([factor * x for x in HISTORY], [factor * 11.0])
    assert other.low == pytest.approx(factor * one.low)
    assert p.pvalue == q.pvalue


def test_equal_runs_predict_no_interval() -> None:
    estimate, _ = compare_with_history([5.0] * 6 + [5.1, 4.9], [5.2])
    assert np.isnan(estimate.low)
    assert "predict no interval" in estimate.notes[0]


def test_seven_runs_are_no_history() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        compare_with_history(HISTORY[:7], [10.0])

"""Rates from counts, compared with scipy; splits, compared with counts by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from benchkit.stats.proportion import count_splits, estimate_rate, split_runs


@pytest.mark.parametrize(("times", "trials"), [(0, 1), (0, 36), (3, 20), (20, 20), (1, 2)])
def test_whole_counts_agree_with_scipy(times: int, trials: int) -> None:
    expected = stats.binomtest(times, trials).proportion_ci(0.95, "exact")
    estimate = estimate_rate(times, trials)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.value == times / trials


def test_fractional_counts_lie_between_whole_ones() -> None:
    highs = [estimate_rate(times, 5).high for times in (0, 0.4, 1)]
    assert highs == sorted(highs)


@pytest.mark.parametrize(("times", "trials"), [(1, 0), (-1, 5), (6, 5)])
def test_invalid_count_is_refused(times: float, trials: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        estimate_rate(times, trials)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (5, 2), (8, 4), (9, 3)])
def test_every_split_occurs_once(n: int, k: int) -> None:
    splits = split_runs(n, k, most=10_000)
    assert len({frozenset(split) for split in splits}) == len(splits) == count_splits(n, k)
    assert all(len(a) == len(b) == k and not set(a) & set(b) for a, b in splits)


def test_sampled_splits_are_reproducible() -> None:
    splits = split_runs(20, 10, most=50)
    assert len(splits) == 50
    assert splits == split_runs(20, 10, most=50) != split_runs(20, 10, most=50, seed=1)
    assert all(len(set(a + b)) == 20 for a, b in splits)


@pytest.mark.parametrize(("n", "k"), [(3, 2), (4, 0)])
def test_mismatched_sides_are_refused(n: int, k: int) -> None:
    with pytest.raises(ValueError, match="expected 1 <= k"):
        split_runs(n, k, most=10)

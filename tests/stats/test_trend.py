"""Trends: compared with scipy and enumeration; order: which sessions alternate."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import adjust_for_trend, find_outliers, find_trend, is_interleaved
from benchkit.stats.outliers import find_outliers_of_each

DISTINCT = st.lists(st.integers(-(10**6), 10**6), min_size=3, max_size=15, unique=True)
#: Three values and two, each in every order: all equally likely without a trend.
ORDERS = list(product(permutations(range(3)), permutations(range(2))))


@given(DISTINCT)
def test_single_variant_equals_kendall_and_theil_sen(values: list[int]) -> None:
    times = list(range(len(values)))
    trend = find_trend([times], [values])
    kendall = scipy.stats.kendalltau(times, values, method="exact")
    assert trend.tau == pytest.approx(kendall.statistic)
    assert trend.pvalue == pytest.approx(kendall.pvalue, rel=1e-9)
    assert trend.slope == pytest.approx(scipy.stats.theilslopes(values, times).slope)


@pytest.mark.parametrize(("first", "second"), ORDERS[::3])
def test_two_variants_are_tested_over_all_orders(
    first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    def score(*sides: tuple[int, ...]) -> int:
        return sum(
            int(np.sign(v[j] - v[i])) for v in sides for i in range(len(v)) for j in range(i)
        )

    seen = abs(score(first, second))
    expected = np.mean([abs(score(*order)) >= seen for order in ORDERS])
    trend = find_trend([[0, 1, 2], [5, 9]], [first, second])
    assert trend.pvalue == pytest.approx(expected)


@pytest.mark.parametrize("values", [[1, 2, 2, 3, 5], [1, 1, 1, 2, 2], [4, 4, 2, 1, 1, 7]])
def test_ties_have_the_variance_of_all_orders(values: list[int]) -> None:
    times = [0, 0, *range(1, len(values) - 1)]

    def score(side: tuple[int, ...]) -> float:
        steps = np.subtract.outer(times, times), np.subtract.outer(side, side)
        return float((np.sign(steps[0]) * np.sign(steps[1])).sum() / 2)

    spread = np.std([score(order) for order in permutations(values)])
    seen = abs(score(tuple(values)))
    expected = min(1.0, 2 * scipy.stats.norm.sf((seen - 1) / spread)) if seen else 1.0
    assert find_trend([times], [values]).pvalue == pytest.approx(expected)


def test_trend_within_variants_is_separated_from_their_difference() -> None:
    times = [[0, 2, 4, 6], [1, 3, 5, 7]]
    trend = find_trend(times, [[0, 2, 4, 6], [-100 + t for t in times[1]]])
    assert (trend.tau, trend.slope) == (1, 1)
    assert trend.pvalue == pytest.approx(2 / 24**2)
    assert adjust_for_trend(times, [[0, 2, 4, 6], [-99, -97, -95, -93]]) == pytest.approx(-100)


def test_too_few_or_constant_values_show_no_trend() -> None:
    trend = find_trend([[1.0], [2.0]], [[5.0], [6.0]])
    assert (trend.pvalue, trend.slope, np.isnan(trend.tau)) == (1, 0, True)
    assert find_trend([[1, 1]], [[2, 3]]).pvalue == 1
    assert find_trend([range(70)], [range(70)]).pvalue < 1e-9
    assert adjust_for_trend([[1], [2]], [[5], [7]]) == 2


def test_common_shift_in_time_or_value_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    times, values = np.arange(9.0), rng.normal(size=9)
    assert find_trend([times], [values]).pvalue == find_trend([times + 4], [values * 2]).pvalue


@pytest.mark.parametrize(
    ("order", "is_in_turn"),
    [
        ("ab", True),
        ("aba", True),
        ("abab", True),
        ("abbaabba", True),
        ("aab", False),
        ("aabb", False),
        ("bbbaaa", False),
        ("aaaaabaabbbbb", False),
    ],
)
def test_consecutive_sides_do_not_alternate(order: str, *, is_in_turn: bool) -> None:
    a, b = ([i for i, side in enumerate(order) if side == name] for name in "ab")
    assert is_interleaved(a, b) is is_in_turn


@pytest.mark.parametrize(
    ("values", "far"),
    [
        ([9.1, 9.2, 9.0, 9.3, 9.5, 4.1], [5]),
        ([5, 5, 5, 5, 5, 9], []),
        ([1, 1.1, 9, 1.05], []),
        ([10, 10.2, 9.9, 10.1, 10.3], []),
    ],
)
def test_outliers_are_marked_unless_there_is_no_spread(values: list[float], far: list[int]) -> None:
    assert np.flatnonzero(find_outliers(values)).tolist() == far


def test_many_samples_are_marked_like_each_alone() -> None:
    samples = [[5.0] * 6, [1.0], *np.random.default_rng(3).standard_t(2, (40, 9)).tolist()]
    marks = [each.tolist() for each in find_outliers_of_each(samples)]
    assert marks == [find_outliers(sample).tolist() for sample in samples]
    assert any(map(any, marks))


def test_mismatched_input_is_refused() -> None:
    with pytest.raises(ValueError, match="1 arrays of times for 2"):
        find_trend([[1]], [[1], [2]])
    with pytest.raises(ValueError, match="2 times for 1 values"):
        find_trend([[1, 2]], [[1]])
    with pytest.raises(ValueError, match="two variants, not 1"):
        adjust_for_trend([[1]], [[1]])

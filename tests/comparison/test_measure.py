"""The data select the method, the result names it, and swapping the sides mirrors it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.comparison.measure import measure
from benchkit.comparison.model import DIFFERENCE, EXACT, RANK, SINGLE, WELCH
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann

RUNS = st.lists(st.floats(1e-6, 1e6), min_size=4, max_size=9)


@pytest.mark.parametrize(
    ("x", "y", "assume", "method"),
    [
        ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0], "nothing", RANK),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 5.0], "nothing", WELCH),
        ([1.0, 2.0], [1.5, 2.5], "nothing", WELCH),
        ([1.0], [2.0], "nothing", SINGLE),
        ([1.0], [2.0, 3.0, 4.0, 5.0], "nothing", SINGLE),
        ([0.0, 1.0, 2.0, 3.0], [5.0, 6.0, 7.0, 8.0], "nothing", DIFFERENCE),
        ([6.0, 6.0, 6.0], [22.0, 22.0], "exact", EXACT),
        ([100.0, 101.0, 100.0, 101.0], [100.0, 101.0, 100.0, 101.0], "exact", RANK),
        ([100.0, 150.0, 100.0, 150.0], [200.0, 300.0, 200.0, 300.0], "exact", RANK),
    ],
)
def test_data_select_the_method(x: list[float], y: list[float], assume: str, method: str) -> None:
    assert measure(x, y, assume, 0.95).method == method


def test_single_run_gives_a_direction_without_interval_or_p() -> None:
    measured = measure([2.0], [3.0], "nothing", 0.95)
    assert measured.ratio == (1.5, None, None)
    assert measured.pvalue is None
    assert measured.notes == ("1 run per side: direction only",)


def test_exact_metrics_have_ranges_and_no_p() -> None:
    measured = measure([218.0, 216.0, 220.0], [4150.0, 4160.0], "exact", 0.95)
    assert measured.ratio == (4155 / 218, 4150 / 220, 4160 / 216)
    assert measured.pvalue is None
    assert measured.notes == ("exact: 216 to 220 vs. 4150 to 4160",)


def test_equal_exact_values_are_unchanged_even_at_zero() -> None:
    assert measure([0.0, 0.0, 0.0], [0.0, 0.0], "exact", 0.95).ratio == (1.0, 1.0, 1.0)


def test_change_from_zero_has_no_ratio() -> None:
    assert measure([0.0] * 4, [5.0] * 4, "exact", 0.95).ratio == (None, None, None)


def test_three_runs_have_no_interval_that_ranks_cannot_attain() -> None:
    assert "Welch" in measure([1.0, 1.1, 1.2], [2.0, 2.1, 2.2], "nothing", 0.95).notes[0]


@given(x=RUNS, y=RUNS)
def test_swapping_the_sides_mirrors_the_ratio_and_keeps_p(x: list[float], y: list[float]) -> None:
    there, back = measure(x, y, "nothing", 0.95), measure(y, x, "nothing", 0.95)
    assert there.pvalue == back.pvalue
    for forth, home in ((0, 0), (1, 2), (2, 1)):
        a, b = there.ratio[forth], back.ratio[home]
        assert (a is None) == (b is None)
        assert a is None or b is None or math.isclose(a, 1 / b, rel_tol=1e-9)


@given(x=RUNS, y=RUNS, power=st.integers(-20, 20))
def test_unit_does_not_matter(x: list[float], y: list[float], power: int) -> None:
    scale = 2.0**power
    plain = measure(x, y, "nothing", 0.95)
    scaled = measure([v * scale for v in x], [v * scale for v in y], "nothing", 0.95)
    assert scaled.ratio[0] == pytest.approx(plain.ratio[0], rel=1e-9)


def test_non_positive_values_have_a_difference_with_interval() -> None:
    x, y = [0.0, 1.0, 2.0, 3.0, 1.5], [5.0, 6.0, 7.0, 8.0, 6.5]
    measured, shift = measure(x, y, "nothing", 0.95), hodges_lehmann(x, y)
    assert measured.ratio == (None, None, None)
    assert measured.difference == (shift.value, shift.low, shift.high)
    assert measured.difference_inner[0] == hodges_lehmann(x, y, 0.9).low
    assert measured.facts[0].startswith(
        "some values are 0 or negative, so the change is in the metric"
    )


def test_few_non_positive_values_are_compared_by_welch_on_differences() -> None:
    x, y = [-1.0, 0.0, 1.0], [4.0, 6.0, 5.0]
    measured, (estimate, test) = measure(x, y, "nothing", 0.95), welch(x, y)
    assert measured.difference == (estimate.value, estimate.low, estimate.high)
    assert measured.pvalue == test.pvalue
    assert measured.notes[0] == "Welch's test; it assumes a normal distribution of the runs"


@pytest.mark.parametrize("assume", ["nothing", "exact"])
def test_values_too_far_apart_for_a_ratio_are_refused_without_a_crash(assume: str) -> None:
    measured = measure([1e-300] * 5, [1e300, 1.01e300, 1e300, 1e300, 1e300], assume, 0.95)
    assert measured.ratio == (None, None, None)
    assert measured.pvalue is None
    assert measure([1e-300], [1e300], assume, 0.95).ratio == (None, None, None)


def test_unusual_method_is_named() -> None:
    many = [float(v) for v in range(100, 108)]
    assert measure(many, many, "nothing", 0.95).notes == ()
    assert measure(many[:3], many, "nothing", 0.95).notes[0].startswith("2 or 3 runs on a side")
    assert measure(many[:5], many, "nothing", 0.95).notes[0].startswith("more runs on one side")
    wide = [v + 9 * (v - 103) for v in many]
    assert measure(many, wide, "nothing", 0.95).notes[0].startswith("one side varies several times")


def test_single_slow_run_does_not_make_the_spreads_unequal() -> None:
    steady = [100.0, 101, 102, 99, 98, 100.5, 101.5, 99.5]
    assert measure(steady, [*steady[:7], 140.0], "nothing", 0.95).method == "hodges-lehmann"


def test_several_slow_runs_of_many_do_not_make_the_spreads_unequal() -> None:
    steady = [100 + 0.1 * (i * 7 % 20) for i in range(20)]
    slow = [*steady[:15], *(1.2 * v for v in steady[15:])]
    assert measure(steady, slow, "nothing", 0.95).method == "hodges-lehmann"

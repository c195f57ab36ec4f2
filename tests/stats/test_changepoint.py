"""Step changes are detected where they are, and hardly ever where nothing changed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from changepoint_simulation import STEP, World, simulate, write_missed
from documents import read_documents
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit.stats.changepoint import find_changes, find_likeness, find_split
from benchkit.stats.equivalence import log_bounds

#: Annual flow of the Nile at Aswan from 1871 on, 60 years, in 1e8 m³ (Cobb 1978, Biometrika 65,
#: 243-251). The level fell in 1899, the 29th year.
NILE = [
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020,
    960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840,
    874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702,
    1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759,
]  # fmt: skip


def move(*levels: tuple[int, float], spread: float = 0.01, seed: int = 1) -> list[float]:
    generator = np.random.default_rng(seed)
    parts = [generator.normal(level, spread, count) for count, level in levels]
    return [float(value) for value in np.concatenate(parts)]


def test_drop_of_the_nile_is_detected_in_its_year() -> None:
    (change,) = find_changes(np.log(NILE))
    assert change.index == 28
    assert change.effect.low < change.effect.value < change.effect.high < -0.15
    assert change.pvalue <= 0.001


def test_several_changes_are_detected_in_order() -> None:
    changes = find_changes(move((30, 0.0), (25, 0.05), (20, 0.0), (15, 0.1)))
    assert [change.index for change in changes] == pytest.approx([30, 55, 75], abs=1)
    assert [change.effect.value for change in changes] == pytest.approx(
        [0.05, -0.05, 0.1], abs=0.01
    )


def test_change_below_the_margin_is_ignored() -> None:
    series = move((30, 0.0), (30, 0.02))
    assert len(find_changes(series)) == 1
    assert find_changes(series, bounds=(-0.03, 0.03)) == ()


def test_single_slow_commit_is_not_a_change() -> None:
    series = move((60, 0.0))
    series[40] += 1.0
    assert find_changes(series) == ()


def find_places(
    before: int, after: int, step: float, far: tuple[int, float] = (0, 0.0)
) -> list[list[int]]:
    """Return where levels begin, for those of forty series that show a change."""
    places = []
    for seed in range(40):
        series = move((before, 0.0), (after, np.log1p(step)), seed=seed)
        series[far[0]] += far[1]
        changes = find_changes(series, log_bounds(0.03), permutations=199)
        places.append([change.index for change in changes])
    return [one for one in places if one]


@pytest.mark.parametrize(("step", "least"), [(0.05, 0.9), (0.12, 1.0), (0.25, 1.0)])
@pytest.mark.parametrize(("before", "after"), [(18, 12), (10, 20), (52, 8)])
def test_first_commit_of_a_level_is_named_for_unequal_levels(
    before: int, after: int, step: float, least: float
) -> None:
    places = find_places(before, after, step)
    assert len(places) >= 30
    assert places.count([before]) >= least * len(places)


@pytest.mark.parametrize("step", [0.05, 0.12])
@pytest.mark.parametrize("far", [(16, 0.3), (12, 1.0), (17, -0.3), (19, -0.3)])
def test_outlying_commit_does_not_shift_the_start_of_a_level(
    far: tuple[int, float], step: float
) -> None:
    places = find_places(18, 12, step, far)
    assert len(places) >= 30
    assert places.count([18]) >= 0.9 * len(places)


def test_changes_of_nearly_noiseless_values_are_exact() -> None:
    series = [1.0] * 12 + [1.1] * 9 + [1.4] * 14
    series[3] = series[30] = 1.2
    assert [change.index for change in find_changes(series)] == [12, 21]
    smallest = [5e-324 * value for value in [0.0] * 12 + [1.0] * 9 + [4.0] * 14]
    assert [change.index for change in find_changes(smallest)] == [12, 21]


def test_no_segment_is_shorter_than_five() -> None:
    for count in range(5):
        places = [0, *(change.index for change in find_changes([0.0] * 20 + [1.0] * count))]
        assert min(np.diff([*places, 20 + count])) >= 5
    assert [change.index for change in find_changes([0.0] * 20 + [1.0] * 5)] == [20]


@pytest.mark.parametrize("series", [[], [1.0] * 50, [1.0, 2.0] * 4])
def test_too_few_or_equal_values_have_no_split(series: list[float]) -> None:
    assert find_split(series) is None
    assert find_changes(series) == ()


def test_correlated_neighbours_widen_the_interval() -> None:
    generator = np.random.default_rng(3)
    noise = generator.normal(size=200)
    for i in range(1, 200):
        noise[i] += 0.7 * noise[i - 1]
    noise[100:] += 8
    assert find_likeness(noise) >= 0.7
    (change,) = find_changes(noise)
    assert "neighbouring commits are correlated" in change.effect.notes[-1]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(-50, 50), min_size=10, max_size=40),
    st.floats(0.1, 10),
    st.floats(-100, 100),
)
def test_unit_and_level_do_not_matter(values: list[int], factor: float, shift: float) -> None:
    one = find_split([float(v) for v in values], permutations=99)
    other = find_split([factor * v + shift for v in values], permutations=99)
    if one is None or other is None:
        assert one is other
        return
    assert (one.index, one.pvalue) == (other.index, other.pvalue)
    fewest = 1 / math.factorial(len(values)) if len(values) <= 16 else 0.01  # all orders, or 99
    assert fewest <= one.pvalue <= 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=10, max_size=40))
def test_result_is_reproducible_and_mirrored(
    values: list[float],
) -> None:
    one, again = (find_changes(values, permutations=199, alpha=0.05) for _ in range(2))
    assert one == again
    turned = find_changes([-v for v in values], permutations=199, alpha=0.05)
    assert [c.effect.value for c in turned] == pytest.approx([-c.effect.value for c in one])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_value_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        find_changes([1.0] * 12 + [bad])


def test_zero_permutations_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        find_split([1.0, 2.0] * 10, permutations=0)


@pytest.mark.parametrize("length", [10, 12, 16, 20, 24, 30])
def test_clear_step_in_a_short_series_is_hardly_ever_missed(length: int) -> None:
    assert simulate(World(length, 0.0, STEP), 100).near >= 0.9


@pytest.mark.parametrize("likeness", [-0.1, 1.0])
def test_invalid_likeness_is_refused(likeness: float) -> None:
    with pytest.raises(ValueError, match="likeness"):
        find_split([1.0, 2.0] * 10, likeness)


@pytest.mark.parametrize(("correlation", "most"), [(0.0, 0.03), (0.5, 0.05)])
def test_clean_series_hardly_alarm(correlation: float, most: float) -> None:
    assert simulate(World(60, correlation), 200).series <= most


def test_table_of_the_manual_matches_the_simulation() -> None:
    clean = simulate(World(50, 0.0), 400)
    row = f"| 50 | 0 | {clean.per_100:.3f} | {100 * clean.series:.1f} % |"
    assert row in read_documents()


def test_manual_states_how_often_a_clear_step_is_missed() -> None:
    text = " ".join(read_documents().split())
    assert f"in the middle is missed in {write_missed(10, 0.0, 200)}." in text
    assert f"if neighbours correlate by 0.5, in {write_missed(20, 0.5, 200)[:-2]} and" in text

"""Counts that hardly vary, compared by their ranges."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchkit.stats import exact_difference


def test_disjoint_ranges_are_an_exact_difference() -> None:
    difference = exact_difference([512, 514, 513], [2048, 2050, 2048])
    assert difference is not None
    assert difference.baseline == (512.0, 514.0)
    assert difference.variant == (2048.0, 2050.0)
    assert difference.difference == 1535
    assert difference.changed


@pytest.mark.parametrize("n", [1, 3])
def test_identical_values_are_unchanged_for_any_number_of_runs(n: int) -> None:
    difference = exact_difference([7] * n, [7] * 2)
    assert difference is not None
    assert (difference.changed, difference.difference) == (False, 0)
    assert difference.baseline == difference.variant == (7, 7)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([5, 5], [5, 6]),
        ([5, 6], [5, 6]),
        ([100, 111, 100], [200, 200]),
        ([200, 200], [100, 111, 100]),
        ([0, 0, 1], [50, 50]),
    ],
    ids=["touch", "same ranges", "baseline varies", "variant varies", "median of zero"],
)
def test_overlapping_or_varying_values_are_not_exact(
    x: Sequence[float], y: Sequence[float]
) -> None:
    assert exact_difference(x, y) is None


@pytest.mark.parametrize(
    ("x", "y", "is_exact"),
    [
        ([216], [233], False),
        ([216, 217], [233, 234], False),
        ([216, 217, 216, 218], [233, 234, 233, 235], True),
        ([17, 17], [18, 18], True),
        ([172], [5738], True),
        ([172, 173], [5738, 5700], True),
    ],
)
def test_few_values_must_differ_by_more_than_the_usual_variation(
    x: list[float], y: list[float], is_exact: bool
) -> None:
    assert (exact_difference(x, y) is not None) == is_exact
    assert (exact_difference(y, x) is not None) == is_exact


def test_ten_percent_variation_and_constant_zero_are_exact() -> None:
    for x, y, difference in [
        ([100, 110, 100], [200, 200], 100),
        ([0, 0], [3, 3], 3),
        ([-100, -110], [-50, -52], 54),
    ]:
        exact = exact_difference(x, y)
        assert exact is not None
        assert (exact.changed, exact.difference) == (True, difference)


def test_unusable_values_are_refused() -> None:
    with pytest.raises(ValueError, match="y must be finite"):
        exact_difference([1], [float("nan")])

"""Equivalence within a margin."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import hodges_lehmann, is_equivalent, margin_bounds
from benchkit.stats.equivalence import log_bounds, log_sizes, reaches, worsen


def test_a_margin_is_literal_on_both_sides() -> None:
    assert margin_bounds(0.03) == (0.97, 1.03)
    assert log_bounds(0.03) == pytest.approx((log(0.97), log(1.03)))
    assert reaches(log(970) - log(1000), 0.03)
    assert not reaches(-log(1.03), 0.03)
    assert log_sizes(-0.06, 0.03) == pytest.approx((-log(0.94), -log(0.97)))


@pytest.mark.parametrize("margin", [1.0, 1.5])
def test_no_value_falls_by_100_percent_or_more(margin: float) -> None:
    assert margin_bounds(margin) == (0.0, 1 + margin)
    assert not reaches(-700.0, margin)
    assert is_equivalent(-700.0, 0.1, margin)
    assert log_sizes(-0.5, margin)[1] == inf


def test_worse_direction_of_a_rate_is_below() -> None:
    assert [worsen(0.06, better) for better in ("lower", "none", "higher")] == [0.06, 0.06, -0.06]
    assert worsen(1.2, "higher") == 1.2


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.02, 0.02, True),
        (0.001, 0.02, True),
        (-0.02, 0.0296, False),
        (-0.0304, 0.02, True),
        (-0.0305, 0.02, False),
        (log(0.97), 0.0, False),
        (0.0, log(1.03), False),
        (0.0, log(1.03) - 1e-9, True),
        (-inf, inf, False),
        (nan, nan, False),
        (0.0, nan, False),
    ],
)
def test_interval_within_three_percent(low: float, high: float, expected: bool) -> None:
    assert is_equivalent(low, high, 0.03) is expected


@given(st.floats(-0.1, 0.1), st.floats(0, 0.1), st.floats(0.001, 0.2))
def test_interval_within_the_margin_does_not_reach_it(
    low: float, width: float, margin: float
) -> None:
    ends = low, low + width
    assert is_equivalent(*ends, margin) == (not any(reaches(end, margin) for end in ends))


@pytest.mark.parametrize("limit", log_bounds(0.03))
def test_false_equivalence_at_the_margin_is_rare(limit: float) -> None:
    rng = np.random.default_rng(2)
    false, repeats = 0, 1500
    for _ in range(repeats):
        x, y = rng.normal(0, 0.01, 10), rng.normal(limit, 0.01, 10)
        interval = hodges_lehmann(x, y, 0.9)
        false += is_equivalent(interval.low, interval.high, 0.03)
    assert false / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.parametrize("margin", [0, -0.03, inf, nan])
def test_meaningless_margins_are_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        is_equivalent(-0.01, 0.01, margin)

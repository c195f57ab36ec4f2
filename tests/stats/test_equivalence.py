"""Equivalence within a margin."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import hodges_lehmann, is_equivalent, log_margin


def test_margin_is_the_log_of_the_ratio() -> None:
    assert log_margin(0.03) == pytest.approx(log(1.03))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.02, 0.02, True),
        (0.001, 0.02, True),
        (-0.02, 0.0296, False),
        (-0.0296, 0.02, False),
        (-log(1.03), 0.0, False),
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
def test_swapping_the_sides_keeps_the_verdict(low: float, width: float, margin: float) -> None:
    high = low + width
    assert is_equivalent(low, high, margin) == is_equivalent(-high, -low, margin)


def test_false_equivalence_at_the_margin_is_rare() -> None:
    rng = np.random.default_rng(2)
    limit, false, repeats = log_margin(0.03), 0, 1500
    for _ in range(repeats):
        x, y = rng.normal(0, 0.01, 10), rng.normal(limit, 0.01, 10)
        interval = hodges_lehmann(x, y, 0.9)
        false += is_equivalent(interval.low, interval.high, 0.03)
    assert false / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.parametrize("margin", [0, -0.03, inf, nan])
def test_margins_that_mean_nothing_are_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        is_equivalent(-0.01, 0.01, margin)

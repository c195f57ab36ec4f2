"""Intervals: in one unit, and in words if their ends differ by more than a factor of 10."""

from __future__ import annotations

import math

import pytest

from benchkit.intervals import TOO_WIDE, format_interval, is_wide_difference

HARD, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.852, 0.889, f"[{MINUS}14.8, {MINUS}11.1{HARD}%]"),
        (0.9, 2.3, "[0.900, 2.30×]"),
        (3.1, 3.8, "[3.10, 3.80×]"),
        (1.0, 10.0, "[1.00, 10.0×]"),
        (1.0, 10.1, TOO_WIDE),
        (0.0, 0.9, TOO_WIDE),
        (0.5, math.inf, TOO_WIDE),
        (math.nan, math.nan, TOO_WIDE),
    ],
)
def test_written_intervals(low: float, high: float, text: str) -> None:
    assert format_interval(low, high) == text


@pytest.mark.parametrize(
    ("low", "high", "base", "wide"),
    [
        (-0.5, 0.5, 10.0, False),
        (-9.5, 1.0, 10.0, True),
        (-11.0, 1.0, 10.0, True),
        (1.0, 5.0, 0.0, False),
        (1.0, 50.0, 0.0, True),
        (-1.0, 50.0, 0.0, False),
    ],
)
def test_width_of_a_difference_depends_on_the_resulting_values(
    low: float, high: float, base: float, *, wide: bool
) -> None:
    assert is_wide_difference(low, high, base) is wide

"""A reader who divides two medians is warned if the reported change is another."""

from __future__ import annotations

from benchkit.comparison.measure import measure
from benchkit.comparison.medians import note_medians


def test_medians_far_from_the_estimate_are_reported() -> None:
    x, y = [100.0, 30.0, 100.0, 31.0, 101.0], [31.0, 100.0, 30.0, 99.0, 30.5]
    (note,) = note_medians(x, y, measure(x, y, "nothing", 0.95).ratio[0])
    assert note.startswith("the medians differ by −69")
    assert note_medians(x, x, measure(x, x, "nothing", 0.95).ratio[0]) == ()


def test_medians_that_differ_the_other_way_are_reported() -> None:
    x, y = [10.0, 11.0, 30.0], [12.0, 12.0, 13.0]
    (note,) = note_medians(x, y, 0.88)
    assert note.startswith("the medians differ in the opposite direction")
    assert note_medians(x, y, 1.09) == ()


def test_non_positive_medians_are_no_contradiction() -> None:
    assert note_medians([0.0, 0.0], [1.0, 1.0], 1.0) == ()
    assert note_medians([1.0, 1.0], [1.0, 1.0], None) == ()
    assert note_medians([1e-300], [1e300], 1.0)

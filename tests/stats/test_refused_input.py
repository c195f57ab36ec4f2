"""Every statistical function refuses non-finite input, on either side."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import pytest

from benchkit import stats

Bad = list[float]
GOOD = [1.0, 2.0, 3.0, 4.0, 5.5, 6.5, 7.5, 9.0]
BLOCKS = [[1.0, 2.0, 3.0], [2.0, 3.0, 5.0]]

#: Each takes one sample that is bad in one place.
DOORS: dict[str, Callable[[Bad], object]] = {
    "median": stats.median,
    "welch, x": lambda bad: stats.welch(bad, GOOD),
    "welch, y": lambda bad: stats.welch(GOOD, bad),
    "paired_t": lambda bad: stats.paired_t(GOOD, bad),
    "prediction_interval": stats.prediction_interval,
    "mann_whitney, x": lambda bad: stats.mann_whitney(bad, GOOD),
    "mann_whitney, y": lambda bad: stats.mann_whitney(GOOD, bad),
    "hodges_lehmann": lambda bad: stats.hodges_lehmann(GOOD, bad),
    "compare_rows, x": lambda bad: stats.compare_rows([bad], [GOOD]),
    "compare_rows, y": lambda bad: stats.compare_rows([GOOD], [bad]),
    "wilcoxon": lambda bad: stats.wilcoxon(GOOD, bad),
    "paired_shift": lambda bad: stats.paired_shift(bad, GOOD),
    "align": lambda bad: stats.align([*BLOCKS, bad[:3]], 0, 1),
    "compare_aligned": lambda bad: stats.compare_aligned([*BLOCKS, bad[:3]], 0, 1),
    "find_outliers": stats.find_outliers,
    "exact_difference": lambda bad: stats.exact_difference(GOOD, bad),
    "compare_together": lambda bad: stats.compare_together([bad], [GOOD]),
    "adjust_for_trend": lambda bad: stats.adjust_for_trend([GOOD, GOOD], [GOOD, bad]),
    "measure_spread": stats.measure_spread,
    "part_variance": lambda bad: stats.part_variance([GOOD, bad]),
    "find_split": stats.find_split,
    "find_likeness": stats.find_likeness,
    "find_changes": stats.find_changes,
    "take_looks": lambda bad: stats.take_looks([GOOD, bad], stats.SequentialDesign()),
    "find_trend": lambda bad: stats.find_trend([GOOD, GOOD], [GOOD, bad]),
}


@pytest.mark.parametrize("value", [nan, inf, -inf])
@pytest.mark.parametrize("name", DOORS)
def test_non_finite_value_is_refused(name: str, value: float) -> None:
    bad = [1.0, value, *GOOD[2:]]
    with pytest.raises(ValueError, match=r"must|finite"):
        DOORS[name](bad)


@pytest.mark.parametrize("name", DOORS)
def test_finite_values_are_accepted(name: str) -> None:
    DOORS[name]([value + 0.25 for value in GOOD])

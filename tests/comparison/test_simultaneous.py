"""Simultaneous intervals: wider than a single row's, by its statistic, with joint coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from examples import gobench
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit.comparison import Contrast, widen
from benchkit.stats import hodges_lehmann, mann_whitney, welch
from benchkit.verdict import Verdicts

LEVEL = 0.05 * (1 + 1e-9)


def draw(rows: int, n: int, m: int, ratio: float, seed: int, effect: float = 0.1) -> Verdicts:
    """Draw benchmarks, every second one of which is slower by the effect."""
    generator = np.random.default_rng(seed)
    sides: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    for row in range(rows):
        scale = 0.02 * np.exp(0.5 * generator.standard_normal())
        x, y = scale * generator.standard_normal(n), ratio * scale * generator.standard_normal(m)
        sides[f"B{row}"] = np.exp(x).tolist(), np.exp(y + effect * (row % 2)).tolist()
    return gobench(sides)


def logs(c: Contrast) -> tuple[list[float], list[float]]:
    return [math.log(v) for v in c.baseline_values], [math.log(v) for v in c.variant_values]


def ends(interval: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = interval
    return -math.inf if low is None else math.log(low), math.inf if high is None else math.log(high)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 30),
    st.integers(3, 10),
    st.integers(3, 10),
    st.sampled_from([1.0, 3.0]),
    st.integers(0, 1000),
)
def test_p_and_interval_use_the_adjusted_statistic(
    rows: int, n: int, m: int, ratio: float, seed: int
) -> None:
    for row in draw(rows, n, m, ratio, seed).primary:
        c = row.contrast
        assert c.pvalue is not None
        assert row.p_adjusted is not None
        assert row.p_adjusted >= c.pvalue
        if c.method == "max-t":
            continue
        if c.method == "hodges-lehmann":
            assert c.pvalue == pytest.approx(mann_whitney(*logs(c)).pvalue)
        else:
            _, test = welch(*logs(c), least_freedom=c.method == "least-welch")
            assert c.pvalue == pytest.approx(test.pvalue)
        low, high = ends((c.ratio_low, c.ratio_high))
        assert (low > 0 or high < 0) == (c.pvalue <= LEVEL)


@pytest.mark.parametrize(
    ("rows", "n", "m", "ratio", "method"),
    [
        (5, 8, 8, 1.0, "hodges-lehmann"),
        (60, 6, 6, 1.0, "max-t"),
        (60, 6, 6, 3.0, "least-welch"),
        (1, 3, 3, 1.0, "welch"),
    ],
)
def test_joint_interval_is_wider_except_for_a_single_row(
    rows: int, n: int, m: int, ratio: float, method: str
) -> None:
    row = draw(rows, n, m, ratio, 1).primary[0]
    c = row.contrast
    assert (c.method, row.family) == (method, rows)
    low, high = ends((c.ratio_low, c.ratio_high))
    assert widen(c, 1) == (c.ratio_low, c.ratio_high)
    for more in (2, rows + 1):
        wide_low, wide_high = ends(widen(c, more))
        assert wide_low <= low
        assert high <= wide_high


def test_ranks_and_welch_use_the_level_share_of_a_row() -> None:
    c = draw(1, 8, 8, 1.0, 1).primary[0].contrast
    ranks = hodges_lehmann(*logs(c), 1 - 0.05 / 4)
    assert ends(widen(c, 4)) == pytest.approx((ranks.low, ranks.high))
    unequal = draw(1, 8, 4, 1.0, 1).primary[0].contrast
    means, _ = welch(*logs(unequal), 1 - 0.05 / 4)
    assert ends(widen(unequal, 4)) == pytest.approx((means.low, means.high))


def test_too_few_runs_have_no_joint_interval() -> None:
    c = draw(1, 4, 4, 1.0, 1).primary[0].contrast
    assert widen(c, 10) == (None, None)
    assert widen(replace(c, method="prediction"), 2) == (None, None)


def test_values_without_a_ratio_keep_their_unit() -> None:
    values = (-1.0, 0.0, 1.0, 2.0, 0.5, 1.5), (2.0, 3.0, 4.0, 5.0, 3.5, 4.5)
    c = gobench({"A": values}).primary[0].contrast
    low, high = widen(c, 3)
    assert low is not None
    assert high is not None
    assert c.difference_low is not None
    assert low <= c.difference_low


@pytest.mark.parametrize(("n", "m", "ratio"), [(6, 6, 1.0), (6, 6, 2.0), (8, 4, 3.0)])
def test_joint_intervals_cover_all_rows(n: int, m: int, ratio: float) -> None:
    sessions, missed = 40, 0
    for seed in range(sessions):
        verdicts = draw(20, n, m, ratio, seed)
        true = [0.1 * (int(row.contrast.benchmark[1:]) % 2) for row in verdicts.primary]
        intervals = [ends(row.simultaneous) for row in verdicts.primary]
        missed += any(not low <= t <= high for t, (low, high) in zip(true, intervals, strict=True))
    assert missed / sessions <= 0.065 + 3 * math.sqrt(0.05 * 0.95 / sessions)


def test_row_drops_notes_of_a_test_that_does_not_decide_it() -> None:
    verdicts = draw(30, 3, 3, 1.0, 5)
    for c, row in zip(verdicts.comparisons.contrasts, verdicts.rows, strict=True):
        assert row.contrast.method != c.method
        assert c.remarks[0].startswith("2 or 3 runs on a side: Welch's test")
        assert c.remarks[0] not in row.notes
        assert row.contrast.remarks[0] in row.notes

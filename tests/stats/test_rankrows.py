"""Many rows at once give the same digits as each row alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchkit.stats import compare_rows, hodges_lehmann, mann_whitney, rankrows
from benchkit.stats.sample import FloatArray

SIZES = st.tuples(st.integers(0, 5), st.integers(1, 9), st.integers(1, 9))
VALUES = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
SIDES = SIZES.flatmap(
    lambda size: st.tuples(
        arrays(np.float64, (size[0], size[1]), elements=VALUES),
        arrays(np.float64, (size[0], size[2]), elements=VALUES),
    )
)


def alone(x: FloatArray, y: FloatArray, confidence: float) -> tuple[float, ...]:
    shift, inner = (hodges_lehmann(x, y, c) for c in (confidence, 1 - 2 * (1 - confidence)))
    test = mann_whitney(x, y)
    ends = (shift.value, shift.low, shift.high, inner.low, inner.high)
    return (*ends, test.statistic, test.pvalue)


def assert_same(x: FloatArray, y: FloatArray, confidence: float) -> None:
    rows = compare_rows(x, y, confidence)
    ends = (rows.value, rows.low, rows.high, rows.inner_low, rows.inner_high)
    together = np.array([*ends, rows.statistic, rows.pvalue]).T
    assert together.shape == (len(x), 7)
    for row, left, right in zip(together.tolist(), x, y, strict=True):
        assert tuple(row) == alone(left, right, confidence)


@given(sides=SIDES, confidence=st.sampled_from([0.8, 0.95]))
def test_each_row_equals_its_separate_result(
    sides: tuple[FloatArray, FloatArray], confidence: float
) -> None:
    assert_same(*sides, confidence)


@pytest.mark.parametrize(
    ("n", "m", "levels"), [(33, 33, 20), (34, 34, 20), (50, 50, 10**9), (60, 51, 10**9), (3, 90, 5)]
)
def test_rows_at_the_counting_limit_equal_separate_results(n: int, m: int, levels: int) -> None:
    rng = np.random.default_rng(n * m)
    x, y = rng.integers(0, levels, (3, n)), rng.integers(0, levels, (3, m))
    assert_same(x.astype(float), y.astype(float), 0.95)


@pytest.mark.parametrize("reach", [0.015, -0.04])
def test_unusual_differences_are_found_beyond_the_expected_reach(
    reach: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rankrows, "_REACH", reach)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 6, 70))
    x[0, :20], x[1, 0], y[2, :40] = 1e9, -1e149, y[2, 0]
    assert_same(x, y, 0.95)


def test_more_rows_than_fit_in_memory_keep_their_order() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 6)).round(2)
    assert_same(x, x[::-1], 0.95)


def test_invalid_tables_are_refused() -> None:
    table = [[1.0, 2.0], [3.0, 4.0]]
    for bad in ([1.0, 2.0], np.empty((2, 0)), [[1.0, np.nan], [1.0, 2.0]], [[np.inf, 1.0]]):
        with pytest.raises(ValueError, match="y must be"):
            compare_rows(table, bad)
    with pytest.raises(ValueError, match="the same number of rows: 2 and 1"):
        compare_rows(table, [[1.0]])
    with pytest.raises(ValueError, match="confidence must be between 0 and 1: 95"):
        compare_rows(table, table, 95)
    with pytest.raises(ValueError, match="2 confidence - 1 must be"):
        compare_rows(table, table, 0.4)

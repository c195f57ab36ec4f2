"""Alignment removes block levels; its power justifies the choice, and its size is known."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchkit.stats import align, compare_aligned, mann_whitney, wilcoxon
from benchkit.stats.sample import FloatArray

TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(3, 6)),
    elements=st.integers(-50, 50).map(float),
)
REPEATS = 1000


def draw(
    effect: float,
    block_spread: float,
    slow: float = 0.0,
    blocks: int = 6,
    variants: int = 5,
    others: float = 0.0,
) -> FloatArray:
    """Return sessions: blocks with a level each, runs of 3 %, some slow, other variants apart."""
    rng = np.random.default_rng(20261121)
    tables = rng.normal(0, 0.03, (REPEATS, blocks, variants))
    tables += rng.normal(0, block_spread, (REPEATS, blocks, 1))
    tables += np.log(2.3) * (rng.random(tables.shape) < slow)
    tables[:, :, 1] += effect
    tables[:, :, 2:] += others * np.arange(1, variants - 1)
    return tables


def simulate(tables: FloatArray) -> dict[str, float]:
    """Return the share of sessions in which each test rejects at 5 %."""
    x, y = tables[:, :, 0], tables[:, :, 1]
    tests = {
        "unpaired": [mann_whitney(*pair) for pair in zip(x, y, strict=True)],
        "signed-rank": [wilcoxon(*pair) for pair in zip(x, y, strict=True)],
        "aligned": [compare_aligned(table, 0, 1)[1] for table in tables],
    }
    return {name: float(np.mean([t.pvalue <= 0.05 for t in ts])) for name, ts in tests.items()}


def near(share: float) -> float:
    """Three Monte Carlo errors, and half a unit of the figure's last digit."""
    return 3 * sqrt(share * (1 - share) / REPEATS) + 0.005


@pytest.mark.parametrize(
    ("slow", "block_spread", "power"),
    [
        (0.0, 0.10, {"unpaired": 0.20, "signed-rank": 0.94, "aligned": 0.99}),
        (0.12, 0.0, {"unpaired": 0.65, "signed-rank": 0.50, "aligned": 0.56}),
    ],
)
def test_power_matches_the_figures_behind_the_choice_of_method(
    slow: float, block_spread: float, power: dict[str, float]
) -> None:
    rates = simulate(draw(0.10, block_spread, slow))
    for name, share in power.items():
        assert rates[name] == pytest.approx(share, abs=near(share)), name


@pytest.mark.parametrize("variants", [3, 5, 8])
@pytest.mark.parametrize(
    ("blocks", "slow", "others"), [(6, 0.0, 0.0), (10, 0.0, 0.1), (20, 0.12, 0.0)]
)
def test_aligned_test_keeps_its_size(
    variants: int, blocks: int, slow: float, others: float
) -> None:
    tables = draw(0.0, 0.10, slow, blocks, variants, others)
    pvalues = [compare_aligned(table, 0, 1)[1].pvalue for table in tables]
    assert np.mean(np.array(pvalues) <= 0.05) <= 0.05 + 3 * sqrt(0.05 * 0.95 / REPEATS)


@pytest.mark.parametrize("slow", [0.0, 0.12])
def test_pairs_keep_their_size(slow: float) -> None:
    assert simulate(draw(0.0, 0.10, slow))["signed-rank"] <= 0.05 + near(0.05)


@given(table=TABLES)
def test_alignment_removes_block_levels(table: FloatArray) -> None:
    x, y = align(table, 0, 1)
    moved, also = align(table + 7 * np.arange(table.shape[0])[:, None], 0, 1)
    assert np.array_equal(x - y, table[:, 0] - table[:, 1])
    assert np.array_equal(np.append(x, y), np.append(moved, also))


@given(table=TABLES, shift=st.integers(-9, 9))
def test_common_shift_of_a_block_does_not_matter(table: FloatArray, shift: int) -> None:
    moved = table + shift * np.arange(table.shape[0])[:, None]
    assert compare_aligned(moved, 0, 1) == compare_aligned(table, 0, 1)


@given(table=TABLES)
def test_swapping_sides_mirrors_the_shift_and_keeps_p(table: FloatArray) -> None:
    (there, forth), (back, home) = compare_aligned(table, 0, 1), compare_aligned(table, 1, 0)
    assert (there.value, there.low, there.high) == (-back.value, -back.high, -back.low)
    assert forth.pvalue == home.pvalue


def test_result_is_marked_approximate() -> None:
    estimate, test = compare_aligned([[1, 2, 3], [2, 3, 5]], 0, 2)
    assert "approximate" in estimate.notes[0]
    assert "approximate" in test.notes[0]
    assert estimate.method == test.method == "aligned"


def test_invalid_table_is_refused() -> None:
    for table in ([1.0, 2.0], [[1.0, 2.0], [2.0, 3.0]], np.empty((0, 3))):
        with pytest.raises(ValueError, match="at least 3 variants"):
            align(table, 0, 1)
    with pytest.raises(ValueError, match="finite"):
        align([[1.0, np.nan, 2.0]], 0, 1)
    for pair in ((0, 3), (-1, 0), (1, 1)):
        with pytest.raises(ValueError, match="baseline and variant must be two of 3 columns"):
            compare_aligned([[1.0, 2.0, 3.0]], *pair)

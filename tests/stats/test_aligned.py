"""Alignment takes the blocks out, has the power it was chosen for, and a size that is told."""

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
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    elements=st.integers(-50, 50).map(float),
)
BLOCKS, VARIANTS, REPEATS = 6, 5, 1000


def simulate(
    effect: float,
    block_spread: float,
    slow: float = 0.0,
    blocks: int = BLOCKS,
    variants: int = VARIANTS,
) -> dict[str, float]:
    """Return the share of sessions in which each test rejects at 5 %."""
    rng = np.random.default_rng(20261121)
    rejected = dict.fromkeys(("unpaired", "signed-rank", "aligned"), 0)
    for _ in range(REPEATS):
        table = rng.normal(0, block_spread, (blocks, 1)) + rng.normal(0, 0.03, (blocks, variants))
        table[:, 1] += effect
        table += np.log(2.3) * (rng.random((blocks, variants)) < slow)
        x, y = table[:, 0], table[:, 1]
        rejected["unpaired"] += mann_whitney(x, y).pvalue <= 0.05
        rejected["signed-rank"] += wilcoxon(x, y).pvalue <= 0.05
        rejected["aligned"] += compare_aligned(table, 0, 1)[1].pvalue <= 0.05
    return {name: count / REPEATS for name, count in rejected.items()}


def near(share: float) -> float:
    """Three Monte Carlo errors, and the half unit of the figure's last digit."""
    return 3 * sqrt(share * (1 - share) / REPEATS) + 0.005


@pytest.mark.parametrize(
    ("slow", "block_spread", "power"),
    [
        (0.0, 0.10, {"unpaired": 0.24, "signed-rank": 0.94, "aligned": 0.99}),
        (0.12, 0.0, {"unpaired": 0.65, "signed-rank": 0.49, "aligned": 0.57}),
    ],
)
def test_the_power_is_what_the_choice_of_method_was_made_by(
    slow: float, block_spread: float, power: dict[str, float]
) -> None:
    found = simulate(0.10, block_spread, slow)
    for name, share in power.items():
        assert found[name] == pytest.approx(share, abs=near(share)), name


@pytest.mark.parametrize(
    ("variants", "blocks", "size"),
    [(3, 6, 0.085), (3, 10, 0.106), (5, 6, 0.061), (5, 10, 0.068), (8, 6, 0.050), (8, 10, 0.055)],
)
def test_it_finds_too_much_where_there_is_nothing_as_its_docstring_says(
    variants: int, blocks: int, size: float
) -> None:
    found = simulate(0.0, 0.10, blocks=blocks, variants=variants)["aligned"]
    assert found == pytest.approx(size, abs=near(size))


@pytest.mark.parametrize("slow", [0.0, 0.12])
def test_pairs_keep_their_size(slow: float) -> None:
    assert simulate(0.0, 0.10, slow)["signed-rank"] <= 0.05 + near(0.05)


@given(table=TABLES)
def test_each_block_loses_its_median(table: FloatArray) -> None:
    assert np.median(align(table), axis=1) == pytest.approx(0)


@given(table=TABLES, shift=st.integers(-9, 9))
def test_what_a_block_has_in_common_does_not_matter(table: FloatArray, shift: int) -> None:
    moved = table + shift * np.arange(table.shape[0])[:, None]
    assert compare_aligned(moved, 0, 1) == compare_aligned(table, 0, 1)


@given(table=TABLES)
def test_swapping_the_sides_mirrors_the_shift_and_keeps_p(table: FloatArray) -> None:
    (there, forth), (back, home) = compare_aligned(table, 0, 1), compare_aligned(table, 1, 0)
    assert (there.value, there.low, there.high) == (-back.value, -back.high, -back.low)
    assert forth.pvalue == home.pvalue


def test_the_result_says_that_it_is_approximate() -> None:
    estimate, test = compare_aligned([[1, 2, 3], [2, 3, 5]], 0, 2)
    assert "approximate" in estimate.notes[0]
    assert "approximate" in test.notes[0]
    assert estimate.method == test.method == "aligned"


def test_what_is_no_table_is_refused() -> None:
    for table in ([1.0, 2.0], [[1.0], [2.0]], np.empty((0, 3))):
        with pytest.raises(ValueError, match="at least 2 variants"):
            align(table)
    with pytest.raises(ValueError, match="finite"):
        align([[1.0, np.nan]])
    with pytest.raises(ValueError, match="2 columns, not 0 and 2"):
        compare_aligned([[1.0, 2.0]], 0, 2)

"""Many patterns of ties at once are counted as one by one, to the last split."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from benchkit.stats.rankrows import count_patterns, is_transformable
from benchkit.stats.ranksum import count_rank_sums


def rank(values: list[int]) -> list[int]:
    """Doubled ranks from 0, one value after another."""
    return [sum(v < w for v in values) + sum(v <= w for v in values) - 1 for w in sorted(values)]


@pytest.mark.parametrize(
    ("total", "size"), [(1, 1), (2, 1), (5, 2), (7, 3), (20, 10), (21, 10), (40, 20), (40, 3)]
)
@pytest.mark.parametrize("levels", [1, 2, 6, 1000])
def test_each_pattern_is_counted_as_if_alone(total: int, size: int, levels: int) -> None:
    rng = np.random.default_rng(total * size + levels)
    ranks = np.array([rank(rng.integers(0, levels, total).tolist()) for _ in range(7)])
    together = count_patterns(ranks, size)
    assert together.shape == (7, 2 * size * (total - size) + 1)
    assert (together.sum(axis=1) == comb(total, size)).all()
    for row, counts in zip(ranks, together, strict=True):
        alone = count_rank_sums(row, size)[size * (size - 1) :]
        assert counts[: alone.size].tolist() == alone.tolist()
        assert not counts[alone.size :].any()


def test_more_patterns_than_fit_in_memory_keep_their_order() -> None:
    rng = np.random.default_rng(3)
    ranks = np.array([rank(rng.integers(0, 30, 24).tolist()) for _ in range(1500)])
    together = count_patterns(ranks, 12)
    backwards = count_patterns(ranks[::-1], 12)
    assert (together == backwards[::-1]).all()


def test_no_transform_where_rounding_could_show() -> None:
    assert not is_transformable(33, 33)

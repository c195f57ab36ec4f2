"""The exact null distribution: its shape, its caches and its limits."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from benchkit.stats.ranksum import count_rank_sums, is_countable, untied_cdf


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (6, 4), (10, 10), (50, 50)])
def test_untied_distribution_is_symmetric_and_complete(n: int, m: int) -> None:
    cdf = untied_cdf(n, m)
    assert cdf.size == n * m + 1
    assert cdf[0] == 1 / comb(n + m, n)
    assert cdf[-1] == 1
    assert cdf[:-1] + cdf[-2::-1] == pytest.approx(1)
    assert np.array_equal(cdf, untied_cdf(m, n))


def test_cached_distribution_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        untied_cdf(3, 3)[0] = 0


@pytest.mark.parametrize(("n", "m"), [(1, 3), (4, 4), (5, 9)])
def test_counting_ranks_without_ties_gives_the_untied_distribution(n: int, m: int) -> None:
    size = min(n, m)
    counts = count_rank_sums(np.arange(n + m), size)[size * (size - 1) // 2 :]
    assert np.cumsum(counts) / comb(n + m, n) == pytest.approx(untied_cdf(n, m))


def test_counts_of_the_largest_tied_samples_do_not_overflow() -> None:
    ranks = np.repeat(np.arange(6), 11)
    counts = count_rank_sums(ranks, 33)
    assert counts.min() >= 0
    assert sum(counts.tolist()) == comb(66, 33)


def test_everything_up_to_sixty_values_is_countable() -> None:
    assert all(is_countable(n, 60 - n, tied=True) for n in range(1, 60))
    assert not is_countable(100_000, 1, tied=True)
    assert not is_countable(51, 50, tied=False)

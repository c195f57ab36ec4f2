"""The share of all orders, counted by sets, equals that of every order tried one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from benchkit.stats.arrangements import (
    COUNTED,
    center_ranks,
    count_orders,
    score_places,
    share_of_alike,
    share_of_orders,
)


@pytest.mark.parametrize(
    "values", [range(8), [3, 1, 1, 4, 1, 5, 9, 2], [0, 0, 0, 0, 1, 1, 1, 1]], ids=str
)
def test_counting_by_sets_equals_trying_every_order(values: list[float]) -> None:
    ranks = center_ranks(np.array(values, dtype=np.float64))
    orders = np.array(list(permutations(range(len(values)))))
    scores = score_places(ranks[orders], 3).max(axis=1)
    for score in np.unique(scores):
        share = np.mean(scores >= score * (1 - 1e-12))
        assert count_orders(ranks, float(score), 3) == pytest.approx(share, abs=1e-12)


def test_orders_of_longer_series_are_sampled() -> None:
    few, more = (center_ranks(np.arange(float(n))) for n in (COUNTED, COUNTED + 1))
    counted = share_of_orders(few, 3.0, 5, 19, 0)
    assert share_of_orders(few, 3.0, 5, 999, 7) == counted
    drawn = share_of_orders(more, 3.0, 5, 19, 0)
    assert (20 * drawn) % 1 == 0
    assert share_of_orders(more, 3.0, 5, 3999, 0) == pytest.approx(counted, abs=0.05)


def test_best_split_of_few_values_has_the_smallest_possible_p() -> None:
    ranks = center_ranks(np.arange(12.0))
    assert count_orders(ranks, 3.0, 5) == pytest.approx(2 / 924)


def test_untied_series_of_one_length_share_their_orders() -> None:
    ranks = center_ranks(np.random.default_rng(1).normal(size=30))
    turned = share_of_orders(ranks[::-1].copy(), 2.0, 5, 999, 0)
    assert share_of_orders(ranks, 2.0, 5, 999, 0) == turned
    once = center_ranks(np.array([*range(29), 28.0]))
    assert share_of_orders(once, 2.0, 5, 999, 0) == pytest.approx(turned, abs=0.01)
    often = center_ranks(np.repeat(np.arange(6.0), 5))
    assert share_of_orders(often, 2.0, 5, 9999, 0) == pytest.approx(turned, abs=0.05)


def test_correlated_neighbours_split_more_easily() -> None:
    shares = [share_of_alike(20, likeness, 3.0, 5, 999, 0) for likeness in (0.0, 0.5, 0.9)]
    assert shares == sorted(shares)
    assert shares[0] < 0.02 < shares[2]
    assert share_of_alike(20, 0.9, 1e12, 5, 999, 0) == pytest.approx(0.001)

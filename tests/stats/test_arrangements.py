"""The share of all orders: counted by sets, it is that of every order tried one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from benchkit.stats.arrangements import (
    COUNTED,
    center_ranks,
    count_orders,
    score_places,
    share_of_orders,
)


@pytest.mark.parametrize(
    "values", [range(8), [3, 1, 1, 4, 1, 5, 9, 2], [0, 0, 0, 0, 1, 1, 1, 1]], ids=str
)
def test_orders_counted_by_sets_are_those_tried_one_by_one(values: list[float]) -> None:
    ranks = center_ranks(np.array(values, dtype=np.float64))
    orders = np.array(list(permutations(range(len(values)))))
    scores = score_places(ranks[orders], 3).max(axis=1)
    for score in np.unique(scores):
        share = np.mean(scores >= score * (1 - 1e-12))
        assert count_orders(ranks, float(score), 3) == pytest.approx(share, abs=1e-12)


def test_of_more_values_orders_are_drawn() -> None:
    few, more = (center_ranks(np.arange(float(n))) for n in (COUNTED, COUNTED + 1))
    counted = share_of_orders(few, 3.0, 5, 1, 19, 0)
    assert share_of_orders(few, 3.0, 5, 1, 999, 7) == counted
    drawn = share_of_orders(more, 3.0, 5, 1, 19, 0)
    assert (20 * drawn) % 1 == 0
    assert share_of_orders(more, 3.0, 5, 1, 3999, 0) == pytest.approx(counted, abs=0.05)


def test_the_best_split_of_few_values_has_the_smallest_p_that_there_is() -> None:
    ranks = center_ranks(np.arange(12.0))
    assert count_orders(ranks, 3.0, 5) == pytest.approx(2 / 924)

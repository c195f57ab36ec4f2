"""The orders that the values of a series could have come in, and how well each parts them."""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.sample import FloatArray

#: Of so many values all orders are counted; of more, orders are drawn.
COUNTED = 16
#: Scores that differ by less are equal.
_EQUAL = 1 - 1e-12


def center_ranks(sample: FloatArray) -> FloatArray:
    """Return ranks less their mean; equal values share one."""
    _, places, counts = np.unique(sample, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: FloatArray = middle[places] - (sample.size + 1) / 2
    return ranks


def score_places(ranks: FloatArray, smallest: int) -> FloatArray:
    """Return by how much each place parts each row: shape (rows, n - 2·smallest + 1)."""
    n = ranks.shape[1]
    before = np.arange(smallest, n - smallest + 1)
    sums = np.cumsum(ranks, axis=1)[:, before - 1]
    scores: FloatArray = np.abs(sums) / np.sqrt(before * (n - before))
    return scores


def count_orders(ranks: FloatArray, score: float, smallest: int) -> float:
    """Return the share of all orders that some place parts by the score or more.

    Notes
    -----
    An order is a way from no values to all, one value at a time. Ways that never reach the score
    are counted by the set of values that they have passed: 2^n sets in place of n! orders.

    Examples
    --------
    >>> round(count_orders(np.arange(10) - 4.5, 2.5, 5) * 252)
    2
    """
    n = ranks.size
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.intp)
    for rank in ranks.tolist():
        sums, sizes = np.concatenate([sums, sums + rank]), np.concatenate([sizes, sizes + 1])
    inner = (sizes >= smallest) & (sizes <= n - smallest)
    is_below = ~inner | (np.abs(sums) < score * _EQUAL * np.sqrt(sizes * (n - sizes)))
    ways = np.zeros(sums.size)
    ways[0] = 1.0
    for sets, earlier in _list_sets(n):
        ways[sets] = ways[earlier].sum(axis=1) * is_below[sets]
    return 1 - float(ways[-1]) / factorial(n)


@lru_cache(maxsize=8)
def _list_sets(n: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the sets of 1, 2 … n values as bits, and those that lack one of their values."""
    sets, bits = np.arange(1 << n), 1 << np.arange(n)
    sizes = ((sets[:, None] & bits) > 0).sum(axis=1)
    by_size = [sets[sizes == size] for size in range(1, n + 1)]
    return [
        (each, (each[:, None] ^ bits)[(each[:, None] & bits) > 0].reshape(len(each), -1))
        for each in by_size
    ]


def draw_orders(n: int, block: int, count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return orders of the places 0 … n - 1 that keep blocks together: shape (count, n)."""
    if block == 1:
        return np.argsort(generator.random((count, n)), axis=1)
    shift = generator.integers(block, size=(count, 1))
    member = (np.arange(n) + shift) // block
    keys = generator.random((count, n // block + 2))
    return np.argsort(np.take_along_axis(keys, member, axis=1), axis=1, kind="stable")


def share_of_orders(
    ranks: FloatArray, score: float, smallest: int, block: int, count: int, seed: int
) -> float:
    """Return the share of orders that part by the score or more: of all, or of so many drawn."""
    if block == 1 and ranks.size <= COUNTED:
        return count_orders(ranks, score, smallest)
    orders = draw_orders(ranks.size, block, count, np.random.default_rng(seed))
    drawn = score_places(ranks[orders], smallest).max(axis=1)
    return (1 + int(np.count_nonzero(drawn >= score * _EQUAL))) / (1 + count)

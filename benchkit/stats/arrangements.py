"""The orders that the values of a series could have come in, and how well each parts them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.sample import FloatArray

#: Of so many values all orders are counted; of more, orders are drawn.
COUNTED = 16
#: Scores that differ by less are equal.
_EQUAL = 1 - 1e-12
#: Places drawn at a time, and most that are kept for the next series of the same length.
_BATCH, _KEPT = 1 << 18, 1 << 26
#: Share of the orders to draw that suffices where they part as well.
_ENOUGH = 0.1


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


def draw_orders(n: int, block: int, count: int, seed: int) -> Iterator[NDArray[np.integer]]:
    """Yield orders of the places 0 … n - 1 that keep blocks together, a batch at a time.

    Batches are of shape (rows, n), and the same for the same arguments.
    """
    if count * n <= _KEPT:
        yield from _draw_kept(n, block, count, seed)
    else:
        yield from _draw_batches(n, block, count, seed)


@lru_cache(maxsize=4)
def _draw_kept(n: int, block: int, count: int, seed: int) -> list[NDArray[np.integer]]:
    """Draw orders that many series of one length are compared with."""
    return list(_draw_batches(n, block, count, seed))


def _draw_batches(n: int, block: int, count: int, seed: int) -> Iterator[NDArray[np.integer]]:
    generator = np.random.default_rng(seed)
    shifts = (
        generator.integers(block, size=(count, 1))
        if block > 1
        else np.zeros((count, 1), dtype=np.int64)
    )
    narrow = np.uint16 if n <= np.iinfo(np.uint16).max else np.intp
    rows = max(1, _BATCH // n)
    for start in range(0, count, rows):
        shift = shifts[start : start + rows]
        if block == 1:
            orders = np.argsort(generator.random((len(shift), n)), axis=1)
        else:
            keys = generator.random((len(shift), n // block + 2))
            member = (np.arange(n) + shift) // block
            orders = np.argsort(np.take_along_axis(keys, member, axis=1), axis=1, kind="stable")
        yield orders.astype(narrow)


def share_of_orders(
    ranks: FloatArray, score: float, smallest: int, block: int, count: int, seed: int
) -> float:
    """Return the share of orders that part by the score or more: of all, or of so many drawn.

    Notes
    -----
    Drawing ends once a tenth of so many orders part as well [1]_: more would tell a large share
    more exactly, and none makes it small.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991)
       301-304.
    """
    if block == 1 and ranks.size <= COUNTED:
        return count_orders(ranks, score, smallest)
    before = np.arange(smallest, ranks.size - smallest + 1)
    limits = score * _EQUAL * np.sqrt(before * (ranks.size - before))
    drawn = beyond = 0
    for orders in draw_orders(ranks.size, block, count, seed):
        sums = np.cumsum(ranks.take(orders), axis=1)[:, smallest - 1 : ranks.size - smallest]
        np.abs(sums, out=sums)
        beyond += int(np.count_nonzero((sums >= limits).any(axis=1)))
        drawn += len(orders)
        if beyond >= _ENOUGH * count:
            break
    return (1 + beyond) / (1 + drawn)

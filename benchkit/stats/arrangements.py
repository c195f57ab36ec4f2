"""How well each place splits a series, compared with random orders and random series."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import factorial, sqrt

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.sample import FloatArray

#: Maximum number of values for which all orders are counted; with more, orders are drawn.
COUNTED = 16
#: Relative difference below which scores are equal.
_EQUAL = 1 - 1e-12
#: Minimum variance of the noise, as a share of the total variance.
_NOTHING = 1e-12
#: Number of values drawn at a time.
_BATCH = 1 << 18
#: Share of the orders to draw that must split as well for drawing to stop early.
_ENOUGH = 0.1
#: Minimum share of the untied ranks' variance at which ties do not matter.
_HARDLY_TIED = 0.99
#: Number of series lengths without ties for which the drawn scores are cached.
_KEPT = 64


def center_ranks(sample: FloatArray) -> FloatArray:
    """Return ranks minus their mean; equal values share a rank."""
    _, places, counts = np.unique(sample, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: FloatArray = middle[places] - (sample.size + 1) / 2
    return ranks


def score_places(ranks: FloatArray, smallest: int) -> FloatArray:
    """Return the score of each place in each row: shape (rows, n - 2·smallest + 1)."""
    n = ranks.shape[1]
    before = np.arange(smallest, n - smallest + 1)
    sums = np.cumsum(ranks, axis=1)[:, before - 1]
    scores: FloatArray = np.abs(sums) / np.sqrt(before * (n - before))
    return scores


def count_orders(ranks: FloatArray, score: float, smallest: int) -> float:
    """Return the share of all orders in which some place has the score or more.

    Notes
    -----
    An order is a path from no values to all of them, one value at a time. Paths that never reach
    the score are counted by the set of values that they have passed: 2^n sets instead of n! orders.

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
    """Return the sets of 1, 2 … n values as bits, and those with one of their values removed."""
    sets, bits = np.arange(1 << n), 1 << np.arange(n)
    sizes = ((sets[:, None] & bits) > 0).sum(axis=1)
    by_size = [sets[sizes == size] for size in range(1, n + 1)]
    return [
        (each, (each[:, None] ^ bits)[(each[:, None] & bits) > 0].reshape(len(each), -1))
        for each in by_size
    ]


def part_by_level(values: FloatArray, smallest: int) -> FloatArray:
    """Return the variance between the levels at each place of each row, as a share of the rest."""
    n = values.shape[1]
    before = np.arange(smallest, n - smallest + 1)
    centered = values - values.mean(axis=1, keepdims=True)
    total = (centered * centered).sum(axis=1, keepdims=True)
    sums = np.cumsum(centered, axis=1, out=centered)[:, smallest - 1 : n - smallest]
    between = sums * sums
    between *= n
    between /= before * (n - before)
    rest = np.maximum(total - between, _NOTHING * total)
    scores: FloatArray = np.divide(between, rest, out=between)
    return scores


def draw_orders(n: int, count: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield orders of the places 0 … n - 1 in batches of shape (rows, n)."""
    generator = np.random.default_rng(seed)
    for rows in _cut(count, n):
        yield np.argsort(generator.random((rows, n)), axis=1)


def share_of_orders(ranks: FloatArray, score: float, smallest: int, count: int, seed: int) -> float:
    """Return the share of orders that score as much or more: of all orders, or of those drawn.

    Notes
    -----
    If hardly any values are tied, every series of one length has the same orders, which are drawn
    once. Otherwise drawing ends as soon as a tenth of the planned number score as much [1]_: more
    orders would estimate a large share more precisely, but cannot make it small.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991)
       301-304.
    """
    if ranks.size <= COUNTED:
        return count_orders(ranks, score, smallest)
    n = ranks.size
    spread = 12 * float(ranks @ ranks) / (n * (n * n - 1))
    if spread >= _HARDLY_TIED:
        return _share_beyond(_score_orders(n, smallest, count, seed), score / sqrt(spread))
    drawn = beyond = 0
    for orders in draw_orders(n, count, seed):
        scores = score_places(ranks[orders], smallest).max(axis=1)
        beyond += int(np.count_nonzero(scores >= score * _EQUAL))
        drawn += len(orders)
        if beyond >= _ENOUGH * count:
            break
    return (1 + beyond) / (1 + drawn)


def share_of_alike(
    n: int, likeness: float, score: float, smallest: int, count: int, seed: int
) -> float:
    """Return the share of drawn series without a change, but as correlated, that score as much.

    The score is that of `part_by_level`; the noise is normal with first-order autoregression.
    """
    return _share_beyond(_score_alike(n, likeness, smallest, count, seed), score)


def _share_beyond(scores: FloatArray, score: float) -> float:
    beyond = scores.size - int(np.searchsorted(scores, score * _EQUAL))
    return (1 + beyond) / (1 + scores.size)


@lru_cache(maxsize=_KEPT)
def _score_orders(n: int, smallest: int, count: int, seed: int) -> FloatArray:
    """Return the largest score of each drawn order of values without ties, sorted."""
    ranks = center_ranks(np.arange(n, dtype=np.float64))
    orders = draw_orders(n, count, seed)
    return np.sort(np.concatenate([score_places(ranks[o], smallest).max(axis=1) for o in orders]))


@lru_cache(maxsize=_KEPT)
def _score_alike(n: int, likeness: float, smallest: int, count: int, seed: int) -> FloatArray:
    """Return the largest score of each drawn series with correlated neighbours, sorted."""
    generator = np.random.default_rng(seed)
    fresh = sqrt(1 - likeness**2)
    scores = []
    for rows in _cut(count, n):
        values = generator.standard_normal((n, rows))
        values[1:] *= fresh
        for i in range(1, n):
            values[i] += likeness * values[i - 1]
        scores.append(part_by_level(values.T, smallest).max(axis=1))
    return np.sort(np.concatenate(scores))


def _cut(count: int, n: int) -> Iterator[int]:
    """Yield the rows of each batch."""
    most = max(1, _BATCH // n)
    for start in range(0, count, most):
        yield min(most, count - start)

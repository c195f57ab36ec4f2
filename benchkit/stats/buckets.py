"""Quantiles of a histogram whose buckets somebody else chose.

How values lie inside a bucket is not known: its bounds are all that can be said of a quantile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchkit.stats.sample import FloatArray


class BucketQuantile(NamedTuple):
    """A quantile, interpolated, and the bounds of the bucket in which it lies."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """How far from `value` the quantile may be."""
        return self.high - self.low


def bucket_quantile(bounds: FloatArray, counts: FloatArray, level: float) -> BucketQuantile | None:
    """Return a quantile of values that were only counted in buckets.

    Parameters
    ----------
    bounds : ndarray of float, shape (n,)
        Upper bounds in increasing order, the last one infinite.
    counts : ndarray of float, shape (n,)
        How many values lie at or below each, not decreasing.
    level : float
        Between 0 and 1.

    Returns
    -------
    BucketQuantile or None
        None for no values, and beyond the last finite bound.

    Notes
    -----
    As Prometheus' ``histogram_quantile``: values are taken to lie evenly in their bucket, and the
    first one to begin at 0.

    Examples
    --------
    >>> found = bucket_quantile(np.array([1.0, 2.0, np.inf]), np.array([4.0, 8.0, 9.0]), 0.5)
    >>> found.value, found.low, found.high
    (1.125, 1.0, 2.0)
    """
    if not len(counts) or not counts[-1] > 0:
        return None
    rank = level * float(counts[-1])
    place = int(np.searchsorted(counts, rank))
    high = float(bounds[place])
    if not math.isfinite(high):
        return None
    low = float(bounds[place - 1]) if place else min(0.0, high)
    before = float(counts[place - 1]) if place else 0.0
    inside = float(counts[place]) - before
    share = (rank - before) / inside if inside > 0 else 1.0
    return BucketQuantile(low + (high - low) * share, low, high)

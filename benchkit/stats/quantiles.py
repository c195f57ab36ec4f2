"""Quantiles by the rules that tools use, exactly or from a sketch of bounded size.

A percentile is comparable with that of a tool only under the tool's rule, and a soak test has more
samples than memory.

Also quantiles of a histogram with predefined buckets.

The distribution of values inside a bucket is unknown: its bounds are all that is known about a
quantile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchkit.stats.sample import FloatArray

#: Rules by name: the place of quantile q among n sorted values, counted from 0.
RULES = ("linear", "floor", "ceil", "hazen")
#: Maximum number of values that are kept as they are; beyond, a sketch replaces them.
EXACT_VALUES = 1 << 21
#: Number of values that are added to the sketch at once.
_TOGETHER = 1 << 18
#: Relative error of a quantile from the sketch.
SKETCH_ERROR = 5e-4


def quantile(values: np.ndarray, levels: Sequence[float], rule: str = "linear") -> np.ndarray:
    """Return quantiles of samples.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        In any unit and order; n >= 1, finite.
    levels : sequence of float, shape (k,)
        0 <= level <= 1.
    rule : {'linear', 'floor', 'ceil', 'hazen'}
        ``linear``: Hyndman and Fan's type 7, between the values around place (n - 1) q (k6, numpy).
        ``floor``: the value at place floor(n q), the last one for q = 1 (ab, wrk).
        ``ceil``: the value at place ceil(n q), the last one for q = 1 (hey).
        ``hazen``: type 5, between the values around place n q - 1/2 (vegeta before it compresses).

    Raises
    ------
    ValueError
        If there is no value or the rule is unknown.

    References
    ----------
    .. [1] R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
       Statistician 50 (1996) 361-365.

    Examples
    --------
    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0]), [0.5], "floor").tolist()
    [3.0]
    """
    if not len(values):
        raise ValueError("quantiles of no values")
    if rule in {"floor", "ceil"}:
        ordered, last = np.sort(values), len(values) - 1
        turn = math.floor if rule == "floor" else math.ceil
        places = [min(turn(round(len(values) * level, 9)), last) for level in levels]
        return np.asarray(ordered[places])
    if rule in {"linear", "hazen"}:
        return np.asarray(np.quantile(values, levels, method=rule))  # type: ignore[call-overload]
    raise ValueError(f"unknown rule {rule!r}; use one of {', '.join(RULES)}")


class Digest:
    """A summary of a stream of samples: all of them, or a sketch beyond a maximum number.

    Parameters
    ----------
    rule : str
        As in `quantile`.
    exact_values : int
        Maximum number of values kept before the sketch replaces them.

    Notes
    -----
    The sketch counts values in bins whose bounds grow by the factor (1 + e) / (1 - e), so that a
    quantile is off by a relative error of at most e = 5e-4, whatever the distribution [1]_. Values
    at or below zero share one bin. Extremes, count, mean and standard deviation stay exact.

    References
    ----------
    .. [1] C. Masson, J. E. Rim and H. K. Lee, "DDSketch", PVLDB 12 (2019) 2195-2205.

    Examples
    --------
    >>> digest = Digest()
    >>> digest.add(np.arange(1.0, 102.0))
    >>> digest.quantiles([0.5]).tolist(), digest.count, digest.mean
    ([51.0], 101, 51.0)
    """

    _BASE = math.log((1 + SKETCH_ERROR) / (1 - SKETCH_ERROR))

    def __init__(self, rule: str = "linear", *, exact_values: int = EXACT_VALUES) -> None:
        self.rule = rule
        self.count = 0
        self.minimum, self.maximum = math.inf, -math.inf
        self.mean = 0.0
        self._squares = 0.0
        self._moments: list[tuple[int, float, float]] = []  # for each block
        self._limit = exact_values
        #: All values, or those not yet in the sketch.
        self._blocks: list[np.ndarray] = []
        self._waiting = 0
        self._bins: dict[int, int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether all values are still stored."""
        return self.count <= self._limit

    @property
    def stdev(self) -> float:
        """Standard deviation with n - 1; NaN for fewer than two values."""
        return math.sqrt(self._squares / (self.count - 1)) if self.count > 1 else math.nan

    def add(self, values: np.ndarray) -> None:
        """Add a block of finite values, shape (k,)."""
        if not len(values):
            return
        mean = float(values.mean())
        self._add_moments(len(values), mean, float(((values - mean) ** 2).sum()))
        self.minimum = min(self.minimum, float(values.min()))
        self.maximum = max(self.maximum, float(values.max()))
        self._blocks.append(values)
        self._waiting += len(values)
        if not self.is_exact and self._waiting >= _TOGETHER:
            self._sketch()

    def condense(self, part: float) -> None:
        """Move the values to the sketch if the whole, of which they are a part, is too large."""
        if self.count > 4 * part * self._limit:
            self._sketch()

    def join(self, other: Digest) -> None:
        """Add the blocks that another digest collected, with the result that `add` would have."""
        for moments in other._moments:
            self._add_moments(*moments)
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        self._blocks += other._blocks
        self._waiting += other._waiting
        for key, count in other._bins.items():
            self._bins[key] = self._bins.get(key, 0) + count
        if not self.is_exact and self._waiting >= _TOGETHER:
            self._sketch()

    @property
    def is_sound(self) -> bool:
        """Whether the sketch contains no value that a single digest would have kept."""
        return not (self.is_exact and self._bins)

    def quantiles(self, levels: Sequence[float]) -> np.ndarray:
        """Return quantiles, exact by the rule or within the sketch's error."""
        if self.is_exact:
            return quantile(np.concatenate(self._blocks or [np.empty(0)]), levels, self.rule)
        self._sketch()
        keys = np.array(sorted(self._bins))
        upto = np.cumsum([self._bins[key] for key in keys])
        places = np.searchsorted(upto, [level * (self.count - 1) for level in levels], "right")
        middle = np.exp(keys[np.minimum(places, len(keys) - 1)] * self._BASE) * (1 - SKETCH_ERROR)
        return np.clip(middle, self.minimum, self.maximum)

    def _add_moments(self, n: int, mean: float, spread: float) -> None:
        """Update mean and squares block-wise (Chan, Golub and LeVeque)."""
        self._moments.append((n, mean, spread))
        total = self.count + n
        shift = mean - self.mean
        self._squares += spread + shift * shift * self.count * n / total
        self.mean += shift * n / total
        self.count = total

    def _sketch(self) -> None:
        """Count pending values in the bins, many at a time: each bin costs a step of Python."""
        if self._waiting:
            values, tiny = np.concatenate(self._blocks), np.finfo(float).tiny
            self._blocks, self._waiting = [], 0
            for start in range(0, len(values), _TOGETHER):
                part = np.maximum(values[start : start + _TOGETHER], tiny)
                places = np.ceil(np.log(part) / self._BASE).astype(np.int32)
                least = int(places.min())  # the bins of all doubles are 1.5 million
                counts = np.bincount(places - least)
                keys = np.flatnonzero(counts)
                for key, count in zip((keys + least).tolist(), counts[keys].tolist(), strict=True):
                    self._bins[key] = self._bins.get(key, 0) + count


class BucketQuantile(NamedTuple):
    """An interpolated quantile, and the bounds of the bucket that contains it."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Maximum distance of the quantile from `value`."""
        return self.high - self.low


def bucket_quantile(bounds: FloatArray, counts: FloatArray, level: float) -> BucketQuantile | None:
    """Return a quantile of values that were only counted in buckets.

    Parameters
    ----------
    bounds : ndarray of float, shape (n,)
        Upper bounds in ascending order, the last one infinite.
    counts : ndarray of float, shape (n,)
        The number of values at or below each bound, not decreasing.
    level : float
        Between 0 and 1.

    Returns
    -------
    BucketQuantile or None
        None for no values, or if the quantile lies beyond the last finite bound.

    Notes
    -----
    As in Prometheus' ``histogram_quantile``: values are assumed to be evenly distributed in their
    bucket, and the first bucket to begin at 0.

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

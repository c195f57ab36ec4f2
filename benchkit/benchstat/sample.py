"""One cell: its center and the interval of its median.

Benchstat's median, order statistics and percentages decide what a cell says; benchkit's own
interval is another one (benchmath/anone.go, aexact.go; go-moremath quantileci.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, erfc, floor, inf, isinf, isnan, modf, nan, sqrt
from statistics import NormalDist

from benchkit.benchstat.gomath import choose
from benchkit.benchstat.numbers import write_fixed, write_float

#: From more values on the binomial is taken as normal.
_EXACT_UP_TO = 30
#: Where the search for a sufficient number of values ends.
_MOST_NEEDED = 50


@dataclass(frozen=True, slots=True)
class Summary:
    """What a cell shows.

    Parameters
    ----------
    center, low, high : float
        In the unit of the table; a bound that the sample cannot give is infinite.
    """

    center: float
    low: float
    high: float
    warnings: tuple[str, ...] = ()

    def write_range(self) -> str:
        """Write the larger distance of a bound as a share of the center (PctRangeString)."""
        if isinf(self.low) or isinf(self.high):
            return "∞"
        sign = _sign(self.center)
        if sign != _sign(self.low) or sign != _sign(self.high):
            return "?"
        if self.center == 0:
            return "0%"
        share = max(self.high / self.center - 1, 1 - self.low / self.center)
        return write_fixed(100 * share, 0) + "%"


def sort_values(values: Sequence[float]) -> list[float]:
    """Sort as Go does: NaN first."""
    return sorted(values, key=lambda value: (not isnan(value), value))


def summarize_median(values: Sequence[float], confidence: float) -> Summary:
    """Summarize sorted values without an assumption: median and its interval.

    Examples
    --------
    >>> summarize_median([-10, 2, 3, 4, 5, 6], 0.95)
    Summary(center=3.5, low=-10, high=6, warnings=())
    """
    low_order, high_order = median_orders(len(values), confidence)
    low = -inf if low_order < 1 else values[low_order - 1]
    high = inf if high_order > len(values) else values[high_order - 1]
    notes = (_need(confidence),) if isinf(low) or isinf(high) else ()
    return Summary(median(values), low, high, notes)


def summarize_exact(values: Sequence[float]) -> Summary:
    """Summarize sorted values of an exact unit: their mode, the smallest on equal counts.

    Examples
    --------
    >>> summarize_exact([1, 2, 2, 3]).center
    2
    """
    mode, most, value, count = values[0], 1, values[0], 1
    for later in values[1:]:
        value, count = later, (count + 1 if later == value else 1)
        if count > most:
            mode, most = value, count
    ends = write_float(values[0]), write_float(values[-1])
    varies = f"exact distribution expected, but values range from {ends[0]} to {ends[1]}"
    return Summary(mode, values[0], values[-1], (varies,) if most != len(values) else ())


def median(values: Sequence[float]) -> float:
    """Return the 0.5 quantile of sorted values, Hyndman and Fan's method R8."""
    part, whole = modf(1 / 3 + 0.5 * (len(values) + 1 / 3))
    at = int(whole)
    if at >= len(values):
        return values[-1]
    return values[at - 1] + part * (values[at] - values[at - 1])


@lru_cache(maxsize=1024)
def median_orders(n: int, confidence: float) -> tuple[int, int]:
    """Return the order statistics, from 1, that bound the median; 0 and n + 1 are outside.

    Examples
    --------
    >>> median_orders(5, 0.95), median_orders(6, 0.95), median_orders(31, 0.95)
    ((0, 5), (1, 6), (10, 22))
    """
    if confidence >= 1:
        return 0, n + 1
    low, high = _normal_orders(n, confidence) if n > _EXACT_UP_TO else _orders(n, confidence)
    return max(low, 0), min(high, n + 1)


def _orders(n: int, confidence: float) -> tuple[int, int]:
    """Add binomial probabilities from the mode outwards, the left one first on a tie."""
    low = ceil((n + 1) * 0.5) - 1
    high, held = low + 1, _share(n, low)
    while held < confidence and (low > 0 or high <= n):
        left, right = _share(n, low - 1), _share(n, high)
        if left >= right:
            low, held = low - 1, held + left
        else:
            high, held = high + 1, held + right
    return low, high


def _share(n: int, k: int) -> float:
    return choose(n, k) * 0.5**n if 0 <= k <= n else 0.0


def _normal_orders(n: int, confidence: float) -> tuple[int, int]:
    """Round the normal interval out to whole orders; give up one on the right if that holds."""
    mean, spread = n * 0.5, sqrt(n * 0.25)
    start = NormalDist().inv_cdf((1 - confidence) / 2) * spread + mean
    low = floor(floor(start - 0.5) + 0.5) + 1
    high = floor(ceil(2 * mean - start - 0.5) + 0.5) + 1

    def held(end: int) -> float:
        ends = [erfc(-(at - 0.5 - mean) / (spread * sqrt(2))) / 2 for at in (end, low)]
        return ends[0] - ends[1]

    return low, high - (confidence <= held(high - 1) < held(high))


def _need(confidence: float) -> str:
    enough = (n for n in range(2, _MOST_NEEDED + 1) if _is_inside(n, confidence))
    least = next(enough, None)
    need = f">= {least}" if least else f"> {_MOST_NEEDED}"
    return f"need {need} samples for confidence interval at level {write_float(confidence)}"


def _is_inside(n: int, confidence: float) -> bool:
    low, high = median_orders(n, confidence)
    return low > 0 and high <= n


def _sign(value: float) -> float:
    return nan if isnan(value) else (value > 0) - (value < 0)

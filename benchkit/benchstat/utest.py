"""benchstat's p-value, including its mistakes.

A comparison with benchstat's output has to reproduce p as printed; do not use it for decisions.

go-moremath's stats/utest.go doubles P(U <= min(U1, U2)), which is two-sided only for a symmetric
distribution: with ties and unequal sizes it is not, and p comes out too small, too large or above
1. With just two distinct values udist.go also rounds a negative quotient up to 0.

One cell: its center and the interval of its median.

Benchstat's median, order statistics and percentages determine a cell; benchkit's own interval is a
different one (benchmath/anone.go, aexact.go; go-moremath quantileci.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, comb, erfc, floor, inf, isclose, isinf, isnan, modf, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchkit.benchstat.gomath import choose
from benchkit.benchstat.numbers import write_fixed, write_float
from benchkit.stats.rank import mann_whitney
from benchkit.stats.ranksum import count_rank_sums
from benchkit.stats.sample import FloatArray

#: The smallest p of two samples of 1, 2, … values (benchmath/anone.go).
_SMALLEST_P = (
    1, 0.3333333333333333, 0.1, 0.02857142857142857, 0.007936507936507936, 0.0021645021645021645,
    0.0005827505827505828, 0.0001554001554001554, 4.113533525298231e-05,
)  # fmt: skip
_EXACT_UP_TO = 50
_EXACT_UP_TO_TIED = 25
_ALL_EQUAL = "all samples are equal"

#: Number of values above which the binomial distribution is approximated by a normal one.
_EXACT_ORDERS_UP_TO = 30
#: Maximum of the search for a sufficient number of values.
_MOST_NEEDED = 50


@dataclass(frozen=True, slots=True)
class Comparison:
    """The contents of the ``vs base`` and ``P`` cells.

    Parameters
    ----------
    p : float
        benchstat's; 0 for an exact unit.
    n1, n2 : int
        Values in the baseline and in this cell.
    right_p : float
        The exact two-sided p if benchstat's is wrong; else equal to ``p``.
    alpha : float
        The level above which a difference is not significant.
    """

    p: float
    n1: int
    n2: int
    right_p: float
    alpha: float
    warnings: tuple[str, ...] = ()

    def write_p(self) -> str:
        """Write p and n; a p of exactly 0 is omitted (Comparison.String)."""
        sizes = f"n={self.n1}" if self.n1 == self.n2 else f"n={self.n1}+{self.n2}"
        return f"p={write_fixed(self.p, 3)} {sizes}" if self.p else sizes

    def write_delta(self, old: float, new: float) -> str:
        """Write the change between two centers (Comparison.FormatDelta)."""
        if self.p > self.alpha:
            return "~"
        if old == new:
            return "0.00%"
        return write_fixed((new / old - 1) * 100, 2, signed=True) + "%" if old else "?"


def compare_exact(x: Sequence[float], y: Sequence[float]) -> Comparison:
    """Compare two cells of an exact unit: every difference counts."""
    return Comparison(0, len(x), len(y), 0, 0)


def compare_ranks(x: Sequence[float], y: Sequence[float], alpha: float = 0.05) -> Comparison:
    """Compare two cells without NaN by benchstat's Mann-Whitney test.

    Examples
    --------
    >>> found = compare_ranks([103, 103, 103], [101, 102])
    >>> found.write_delta(103, 101.5), found.write_p(), found.right_p
    ('-1.46%', 'n=3+2', 0.2)
    """
    n1, n2 = len(x), len(y)
    _, places, ties = np.unique([*x, *y], return_inverse=True, return_counts=True)
    if ties.size == 1:
        return Comparison(1, n1, n2, 1, alpha, (_ALL_EQUAL,))
    doubled = 2 * np.cumsum(ties) - ties + 1  # twice the middle rank of each distinct value
    u = (int(doubled[places[:n1]].sum()) - n1 * (n1 + 1)) / 2
    p = _find_p(n1, n2, u, ties)
    few = warn_of_few(max(n1, n2), alpha) if p > alpha else ()
    if ties.size == n1 + n2 or max(n1, n2) > _EXACT_UP_TO_TIED:
        return Comparison(p, n1, n2, p, alpha, few)
    right = mann_whitney(places[:n1], places[n1:]).pvalue
    return Comparison(p, n1, n2, p if isclose(p, right) else right, alpha, few)


def warn_of_few(n: int, alpha: float) -> tuple[str, ...]:
    """Warn if the number of values is too small for a p of ``alpha``.

    Examples
    --------
    >>> warn_of_few(4, 0.05), warn_of_few(3, 0.05)
    ((), ('need >= 4 samples to detect a difference at alpha level 0.05',))
    """
    enough = [size for size, p in enumerate(_SMALLEST_P, start=1) if p <= alpha]
    least = enough[0] if enough else len(_SMALLEST_P) + 1
    need = f"{'>=' if enough else '>'} {least}"
    detect = f"need {need} samples to detect a difference at alpha level {write_float(alpha)}"
    return (detect,) if n < least else ()


def _find_p(n1: int, n2: int, u: float, ties: NDArray[np.intp]) -> float:
    """Return MannWhitneyUTest's p: exact if affordable, else from the normal distribution."""
    tied = ties.size < n1 + n2
    if max(n1, n2) > (_EXACT_UP_TO_TIED if tied else _EXACT_UP_TO):
        return _approximate(n1, n2, u, ties)
    if u == n1 * n2 / 2:
        return 1.0
    small = min(u, n1 * n2 - u)
    if not tied:
        return 2 * float(_sum_untied(min(n1, n2), max(n1, n2))[int(small)])
    count = _count_two_values if ties.size == 2 else _count_tied
    return 2 * (count(n1, n2, int(2 * small), ties) / choose(n1 + n2, n1))


@lru_cache(maxsize=64)
def _sum_untied(n: int, m: int) -> FloatArray:
    """Return P(U <= u) for u <= nm/2 by Mann and Whitney's recurrence, n <= m.

    Computed in floats and in the order of udist.go, because p is compared with 0.05 and rounded for
    output.
    """
    width = n * m // 2 + 1
    rows = np.zeros((n + 1, width))
    rows[0, 0] = 1
    for j in range(1, m + 1):
        for i in range(1, min(n, j) + 1):
            left, right = i * rows[i - 1], j * rows[min(i, j - 1)]
            right[j:] = left[: max(width - j, 0)] + right[j:]
            rows[i] = right / (i + j)
    return np.cumsum(rows[n])


def _count_tied(n1: int, n2: int, doubled: int, ties: NDArray[np.intp]) -> int:
    """Count the splits with 2U <= doubled, U of the first sample, by drawing the smaller side."""
    ranks = np.repeat(2 * np.cumsum(ties) - ties + 1, ties)
    if n1 <= n2:
        return int(count_rank_sums(ranks, n1)[: doubled + n1 * (n1 + 1) + 1].sum())
    least = 2 * n1 * n2 - doubled + n2 * (n2 + 1)
    return int(count_rank_sums(ranks, n2)[least:].sum())


def _count_two_values(n1: int, n2: int, doubled: int, ties: NDArray[np.intp]) -> int:
    """Count the splits like udist.go for two values: its quotient is truncated, not floored."""
    low, high = ties.tolist()
    last = int((doubled - n1 * (low - n1)) / (n1 + n2))
    taken = range(max(0, n1 - low), min(last, n1) + 1)
    return sum(comb(low, n1 - k) * comb(high, k) for k in taken)


def _approximate(n1: int, n2: int, u: float, ties: NDArray[np.intp]) -> float:
    total = n1 + n2
    tied = sum(t**3 - t for t in ties.tolist())
    spread = sqrt(n1 * n2 * ((total + 1) - tied / (total * (total - 1))) / 12)
    above = u - n1 * n2 / 2
    above -= 0.5 * ((above > 0) - (above < 0))
    below = erfc(-(above / spread) / sqrt(2)) / 2
    return 2 * min(below, 1 - below)


@dataclass(frozen=True, slots=True)
class Summary:
    """The contents of a cell.

    Parameters
    ----------
    center, low, high : float
        In the unit of the table; a bound that the sample cannot determine is infinite.
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
    """Sort like Go: NaN first."""
    return sorted(values, key=lambda value: (not isnan(value), value))


def summarize_median(values: Sequence[float], confidence: float) -> Summary:
    """Summarize sorted values without assumptions: median and its interval.

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
    low, high = _normal_orders(n, confidence) if n > _EXACT_ORDERS_UP_TO else _orders(n, confidence)
    return max(low, 0), min(high, n + 1)


def _orders(n: int, confidence: float) -> tuple[int, int]:
    """Sum binomial probabilities from the mode outwards, the left one first on a tie."""
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
    """Round the normal interval outwards to whole orders; shorten it on the right if it holds."""
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

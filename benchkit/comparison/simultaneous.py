"""Intervals that hold for all rows of a family at once, beside those of each row alone."""

from __future__ import annotations

import math
from functools import lru_cache

from benchkit.comparison.families import scale
from benchkit.comparison.measure import is_least, to_ratio
from benchkit.comparison.methods import (
    ALIGNED,
    DIFFERENCE,
    LEAST_WELCH,
    MAX_T,
    PAIRED_T,
    RANK,
    SEQUENTIAL,
    SIGNED,
    WELCH,
)
from benchkit.comparison.model import Contrast
from benchkit.comparison.series import look_back
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann
from benchkit.stats.results import Estimate
from benchkit.stats.signed_rank import paired_shift
from benchkit.stats.student import t_quantile

Interval = tuple[float | None, float | None]


def widen(contrast: Contrast, rows: int) -> Interval:
    """Return the interval of a row that holds together with those of all other rows.

    By the statistic that decides the row, at 1 - alpha/rows (Bonferroni): ends of the ratio, of the
    difference where there is no ratio, or None where the runs cannot give one.
    """
    c = contrast
    if rows == 1:
        return (c.ratio_low, c.ratio_high) if c.ratio else (c.difference_low, c.difference_high)
    confidence = 1 - (1 - c.confidence) / rows
    if c.method == SEQUENTIAL:
        low_ends, high_ends = look_back(c).find_interval(1 - confidence)
        ends = float(low_ends[0, -1]), float(high_ends[0, -1])
    elif c.method in {MAX_T, LEAST_WELCH, PAIRED_T}:
        ends = _stretch(c, confidence)
    elif (estimate := _estimate(c, confidence)) is None:
        return None, None
    else:
        ends = estimate.low, estimate.high
    low, high = (
        None if not math.isfinite(end) else end if c.ratio is None else to_ratio(end)
        for end in ends
    )
    return low, high


def _stretch(c: Contrast, confidence: float) -> tuple[float, float]:
    """Stretch an interval by Student's t about its estimate."""
    if c.ratio is None:
        value, low, high = c.difference, c.difference_low, c.difference_high
    else:
        value, low, high = (
            None if end is None else math.log(end) for end in (c.ratio, c.ratio_low, c.ratio_high)
        )
    if value is None or low is None or high is None:
        return -math.inf, math.inf
    fewest = min(c.n_baseline, c.n_variant) - 1
    freedom = 2 * fewest if c.method == MAX_T and not c.arranged else fewest
    reach = (high - low) / 2 * _compare_widths(freedom, confidence, c.confidence)
    return value - reach, value + reach


@lru_cache(maxsize=16)
def _compare_widths(freedom: int, wide: float, narrow: float) -> float:
    """Return by how many times the interval of one confidence is wider than another's."""
    return t_quantile(freedom, (1 + wide) / 2) / t_quantile(freedom, (1 + narrow) / 2)


def _estimate(c: Contrast, confidence: float) -> Estimate | None:
    """Estimate a row by its own method; None where that has no interval of a change."""
    if c.pvalue is None or c.method not in {RANK, ALIGNED, SIGNED, WELCH, DIFFERENCE}:
        return None
    x, y, _ = scale(c)
    if c.method == SIGNED:
        return paired_shift(x, y, confidence)
    if c.method == WELCH or (c.method == DIFFERENCE and not c.is_ranked):
        least = is_least(*sorted((c.n_baseline, c.n_variant)))
        return welch(x, y, confidence, least_freedom=least)[0]
    return hodges_lehmann(x, y, confidence)

"""Rows that are decided together: by which statistic, and how many rows the runs can decide.

Also intervals that hold for all rows of a family at once, in addition to those of each row alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from benchkit.comparison.measure import ASSUMPTIONS, is_least, to_ratio
from benchkit.comparison.medians import note_medians
from benchkit.comparison.model import (
    ALIGNED,
    DIFFERENCE,
    EXACT,
    HISTORY,
    LEAST_WELCH,
    MAX_T,
    PAIRED_T,
    RANK,
    SEQUENTIAL,
    SIGNED,
    WELCH,
    Adjusted,
    Comparisons,
    Contrast,
)
from benchkit.comparison.series import look_back
from benchkit.config import DEFAULT_METHOD
from benchkit.stats.families import Block, BlockDecision, Rounds, decide_family
from benchkit.stats.location import welch
from benchkit.stats.multiplicity import (
    largest_family,
    largest_paired_family,
    pairs_for_family,
    runs_for_family,
)
from benchkit.stats.rank import hodges_lehmann, smallest_pvalue
from benchkit.stats.sample import ROUNDING, Estimate
from benchkit.stats.signed_rank import paired_shift, smallest_paired_pvalue
from benchkit.stats.student import t_quantile

#: Methods whose smallest possible p-value depends only on the numbers of runs.
RANKED = frozenset({RANK, ALIGNED, SIGNED, HISTORY})
Interval = tuple[float | None, float | None]


def count_decidable(contrast: Contrast, alpha: float) -> int:
    """Return the size of the largest family in which a row like this can be significant."""
    if contrast.method not in RANKED and contrast.pvalue and is_constant(contrast):
        return int(alpha * ROUNDING / contrast.pvalue)
    if contrast.method == SIGNED:
        return largest_paired_family(contrast.n_variant, alpha)
    return largest_family(contrast.n_baseline, contrast.n_variant, alpha)


def count_runs(contrast: Contrast, rows: int, alpha: float) -> int:
    """Return the minimum runs per side with which one of ``rows`` rows can be significant."""
    if contrast.method == SIGNED:
        return pairs_for_family(rows, alpha)
    return runs_for_family(rows, alpha)


def find_smallest(contrast: Contrast) -> float:
    """Return the smallest p-value that the runs of a row can give; 0 if there is no bound."""
    if contrast.method == SEQUENTIAL:
        return 0.0
    if contrast.method == SIGNED:
        return smallest_paired_pvalue(contrast.n_variant)
    if contrast.method in RANKED or (contrast.method == DIFFERENCE and contrast.is_ranked):
        return smallest_pvalue(contrast.n_baseline, contrast.n_variant)
    is_fixed = contrast.method != MAX_T and is_constant(contrast)
    return contrast.pvalue or 0.0 if is_fixed else 0.0


def is_constant(contrast: Contrast) -> bool:
    """Return whether the sides differ and neither varies: such runs have one possible p-value."""
    sides = [set(side) for side in (contrast.baseline_values, contrast.variant_values)]
    return contrast.method != EXACT and [*map(len, sides)] == [1, 1] and sides[0] != sides[1]


def find_closed(contrasts: Sequence[Contrast], alpha: float) -> tuple[bool, ...]:
    """Return which rows can't become significant whatever they measure, other rows being unchanged.

    For a decided family: True if even the smallest p-value that the row's runs can give would be
    adjusted to more than alpha. A significant row is never among them, nor is a row that is decided
    by a statistic other than its own test.
    """
    refused = refuse_all(
        [c.pvalue for c in contrasts if c.pvalue is not None],
        [find_smallest(c) for c in contrasts],
        alpha,
    )
    return tuple(c.pvalue is not None and no for c, no in zip(contrasts, refused, strict=True))


def is_closed_alone(contrast: Contrast, alpha: float) -> bool:
    """Return whether a row alone, outside any family, cannot reach a p-value of alpha or less."""
    return contrast.pvalue is not None and find_smallest(contrast) > alpha * ROUNDING


def refuse_all(family: Sequence[float], least: Sequence[float], alpha: float) -> tuple[bool, ...]:
    """Return which of the rows' smallest possible p-values Holm's method rejects as too large.

    Parameters
    ----------
    family : sequence of float
        The p-values of all rows that are adjusted together.
    least : sequence of float
        The smallest p-value that each row in question can give, in place of its actual one.

    Examples
    --------
    >>> refuse_all([0.001, 0.4], [0.03], 0.05), refuse_all([0.3, 0.4], [0.03], 0.05)
    ((False,), (True,))
    """
    pvalues = np.sort(family)
    if not pvalues.size:
        return (False,) * len(least)
    count = pvalues.size
    passed = np.maximum.accumulate(pvalues * np.arange(count, 0, -1))
    smallest = np.asarray(least)
    before = np.searchsorted(pvalues, smallest, side="left")
    adjusted = smallest * (count - before)
    adjusted = np.maximum(adjusted, np.where(before > 0, passed[before - 1], 0.0))
    return tuple(((adjusted > alpha * ROUNDING) & (smallest > 0)).tolist())


class Design(NamedTuple):
    """The properties that rows must share to be permuted together."""

    baseline: str
    variant: str
    rounds: Rounds
    n_baseline: int
    n_variant: int


#: Methods whose rows may be decided together with the others of their family.
_TOGETHER = frozenset({RANK, WELCH, ALIGNED, SIGNED, DIFFERENCE})
#: The adjustment applied to the rows of each basis.
ADJUSTMENTS = {"row": "holm", MAX_T: "max-t", LEAST_WELCH: "holm-welch", PAIRED_T: "holm-paired"}
_NOTES = {
    MAX_T: "p comes from a permutation of whole runs over all rows (max-T); the interval comes "
    "from Student's t for this row alone, so it can exclude 0 although p is not small enough",
    LEAST_WELCH: "Welch's test with conservative degrees of freedom, valid even if one side "
    "varies more",
    PAIRED_T: "t-test of the paired rounds, valid over several rows even if one side varies more",
}


def decide(comparisons: Comparisons) -> tuple[Comparisons, tuple[Adjusted | None, ...]]:
    """Decide the primary rows together, each by a statistic that controls the family's error.

    If the runs' own tests cannot decide that many rows, or the spreads of the sides differ, the
    estimate, interval and p-value of a row are replaced by those of the statistic that decides it.
    A method that the user requested is kept. Other rows are unchanged and have no adjusted p-value.
    """
    if not comparisons.known:
        comparisons.known.append(_decide(comparisons))
    return comparisons.known[0]


def _decide(comparisons: Comparisons) -> tuple[Comparisons, tuple[Adjusted | None, ...]]:
    contrasts = list(comparisons.contrasts)
    adjusted: list[Adjusted | None] = [None] * len(contrasts)
    designs: dict[Design | None, list[int]] = {}
    for i, c in enumerate(contrasts):
        if c.primary and c.pvalue is not None:
            is_free = comparisons.method == DEFAULT_METHOD and c.method in _TOGETHER
            designs.setdefault(find_design(c) if is_free else None, []).append(i)
    blocks = [
        _make_block([contrasts[i] for i in members], design) for design, members in designs.items()
    ]
    decisions = decide_family(blocks, 1 - comparisons.confidence) if blocks else ()
    for members, decision in zip(designs.values(), decisions, strict=True):
        for row, i in enumerate(members):
            p = float(decision.p_adjusted[row])
            adjusted[i] = Adjusted(p, ADJUSTMENTS[decision.basis])
            contrasts[i] = _apply(contrasts[i], decision, row)
    return replace(comparisons, contrasts=tuple(contrasts)), tuple(adjusted)


def find_design(c: Contrast) -> Design:
    """Return the design of a row."""
    rounds: Rounds = ("pairs" if c.is_paired else "aligned") if c.arranged else ""
    return Design(c.baseline, c.variant, rounds, c.n_baseline, c.n_variant)


def _make_block(contrasts: Sequence[Contrast], design: Design | None) -> Block:
    """Put the rows of one design into arrays; rows without one keep their own tests."""
    sides = [scale(c) if design else ((), (), 0.0) for c in contrasts]
    x, y, resolution = (np.array(column, dtype=np.float64) for column in zip(*sides, strict=True))
    return Block(
        x=x,
        y=y,
        pvalue=np.array([c.pvalue for c in contrasts], dtype=np.float64),
        smallest=np.array([find_smallest(c) for c in contrasts]),
        resolution=resolution,
        rounds=design.rounds if design else "",
    )


def scale(c: Contrast) -> tuple[Sequence[float], Sequence[float], float]:
    """Return both sides on the scale on which they are tested, and the rounding step on it."""
    if c.ratio is None:
        return c.baseline_values, c.variant_values, c.resolution
    x, y = c.arranged or (
        tuple(map(math.log, side)) for side in (c.baseline_values, c.variant_values)
    )
    smallest = min(c.center_baseline, c.center_variant)
    return x, y, c.resolution / smallest


def _apply(c: Contrast, decision: BlockDecision, row: int) -> Contrast:
    if decision.basis == "row":
        return c
    decided = _replace_estimate(c, decision, row)
    medians = note_medians(c.baseline_values, c.variant_values, decided.ratio)
    remarks = _explain(decided), *medians
    return replace(decided, notes=(*decided.notes, *remarks), remarks=remarks)


def _explain(c: Contrast) -> str:
    """Describe the statistic that decides a row, and its assumptions."""
    note = _NOTES[c.method]
    return note if c.method == MAX_T else f"{note}; {ASSUMPTIONS[c.ratio is None]}"


def _replace_estimate(c: Contrast, decision: BlockDecision, row: int) -> Contrast:
    value, error = float(decision.value[row]), float(decision.error[row])
    levels = c.confidence, 1 - 2 * (1 - c.confidence)
    outer, inner = (
        (value - reach, value + reach)
        for reach in (t_quantile(decision.freedom, (1 + level) / 2) * error for level in levels)
    )
    decided = replace(
        c,
        pvalue=float(decision.pvalue[row]),
        method=decision.basis,
        notes=tuple(n for n in c.notes if n not in c.remarks),
    )
    if c.ratio is None:
        return replace(
            decided, difference=value, difference_low=outer[0], difference_high=outer[1],
            difference_inner=inner,
        )  # fmt: skip
    low, high, inner_low, inner_high = (to_ratio(end) for end in (*outer, *inner))
    return replace(
        decided, ratio=math.exp(value), ratio_low=low, ratio_high=high,
        equivalence_low=inner_low, equivalence_high=inner_high,
    )  # fmt: skip


def widen(contrast: Contrast, rows: int) -> Interval:
    """Return the interval of a row that holds simultaneously with those of all other rows.

    By the statistic that decides the row, at 1 - alpha/rows (Bonferroni): the ends of the ratio, of
    the difference if there is no ratio, or None if the runs are too few.
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
    """Stretch an interval around its estimate by Student's t."""
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
    """Return how many times wider the interval of one confidence is than that of another."""
    return t_quantile(freedom, (1 + wide) / 2) / t_quantile(freedom, (1 + narrow) / 2)


def _estimate(c: Contrast, confidence: float) -> Estimate | None:
    """Estimate a row by its own method; None if that method has no interval of a change."""
    if c.pvalue is None or c.method not in {RANK, ALIGNED, SIGNED, WELCH, DIFFERENCE}:
        return None
    x, y, _ = scale(c)
    if c.method == SIGNED:
        return paired_shift(x, y, confidence)
    if c.method == WELCH or (c.method == DIFFERENCE and not c.is_ranked):
        least = is_least(*sorted((c.n_baseline, c.n_variant)))
        return welch(x, y, confidence, least_freedom=least)[0]
    return hodges_lehmann(x, y, confidence)

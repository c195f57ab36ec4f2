"""Policy: what the evidence shows against a margin, and what it leaves open.

The reader decides on margin, family and multiplicity correction; the evidence does not depend on
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchkit.comparison import (
    DIRECTIONS,
    EXACT,
    HISTORY,
    Adjusted,
    Comparisons,
    Contrast,
    decide,
    find_closed,
    is_closed_alone,
    stop,
    widen,
)
from benchkit.derived.failures import MOST_FAILED
from benchkit.intervals import format_size, is_wide, is_wide_difference
from benchkit.sensitivity import Family, Sensitivity, measure_closed, measure_sensitivity
from benchkit.stats.equivalence import is_equivalent, log_bounds, reaches
from benchkit.stats.multiplicity import benjamini_hochberg
from benchkit.stats.sample import ROUNDING
from benchkit.units import format_quantity

REGRESSION, IMPROVEMENT = "regression", "improvement"
EQUIVALENT, INCONCLUSIVE = "equivalent", "inconclusive"
CHANGED, UNCHANGED = "changed", "unchanged"

#: The reason why a change of a negative value cannot be a share of it.
_NO_MARGIN = "no verdict: the baseline is below 0, so a margin in percent is meaningless"
_NOTHING_LACKS = Sensitivity()
#: A rounding step above this share of the values widens what is said to be excluded.
_COARSE = 0.005
FAILING = "no verdict for rates and latencies, because more than 1 % of the requests failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one contrast.

    Parameters
    ----------
    p_adjusted : float or None
        Adjusted among the primaries of the comparison, or among the other rows.
    word : {'regression', 'improvement', 'equivalent', 'inconclusive', 'changed', 'unchanged'}
    notes : tuple of str
        Those of the contrast, and what an inconclusive row needs.
    sensitivity : Sensitivity
        What the runs could have detected and how many are needed; empty for decided rows.
    adjustment : {'', 'holm', 'max-t', 'holm-welch', 'holm-paired', 'benjamini-hochberg'}
        How the p-value was adjusted; empty without one.
    family : int
        Number of primary rows that are adjusted together; 0 for other rows.
    obstacle : str
        The note that says why no number of runs gives a verdict; empty if there is none.
    """

    contrast: Contrast
    p_adjusted: float | None
    word: str
    notes: tuple[str, ...]
    sensitivity: Sensitivity = _NOTHING_LACKS
    adjustment: str = ""
    family: int = 0
    obstacle: str = ""

    @property
    def simultaneous(self) -> tuple[float | None, float | None]:
        """The interval that holds simultaneously with those of all other primary rows."""
        return widen(self.contrast, self.family) if self.family else (None, None)

    @property
    def runs_needed(self) -> int | None:
        """Runs per side that decide whether the variant costs nothing or twice the margin."""
        return self.sensitivity.runs_needed

    @property
    def detectable(self) -> float | None:
        """The smallest change, as a fraction, that an undecided row's runs would usually detect."""
        return self.sensitivity.detectable


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The verdict on every contrast, in the comparison's order.

    Parameters
    ----------
    comparisons : Comparisons
        Each row by its own test; in ``rows``, those of a family use the statistic that decides.
    margin : float
        The smallest change that matters, 0.03 for 3 %.
    alpha : float
        1 - confidence.
    """

    comparisons: Comparisons
    rows: tuple[Verdict, ...]
    margin: float
    alpha: float

    @property
    def primary(self) -> tuple[Verdict, ...]:
        """The primary rows."""
        return tuple(row for row in self.rows if row.contrast.primary)


def judge(comparisons: Comparisons, margin: float = 0.03) -> Verdicts:
    """Give each contrast its verdict.

    Parameters
    ----------
    margin : float
        Greater than 0, and literal: worse by at least 3 % is a ratio of at least 1.03 if lower is
        better and of at most 0.97 if higher is better, and the reverse for better by 3 %.

    Notes
    -----
    Regression: adjusted p <= alpha and an estimate that is worse by at least the margin.
    Improvement: the mirror image. Otherwise equivalent if the interval at ``1 - 2 alpha`` lies
    inside the margin (two one-sided tests); otherwise inconclusive. A row of an early-stopping
    series is judged at the look that decided it. If more than 1 % of a side's requests failed,
    nothing is shown.
    """
    alpha = 1 - comparisons.confidence
    comparisons = stop(comparisons, margin)
    decided, adjusted_primary = decide(comparisons)
    contrasts = decided.contrasts
    adjusted = _adjust_secondary(contrasts, adjusted_primary)
    families = _find_families(contrasts, adjusted, alpha)
    rows = tuple(
        _judge(contrast, family, margin, how.method if how else "")
        for contrast, family, how in zip(contrasts, families, adjusted, strict=True)
    )
    return Verdicts(comparisons=comparisons, rows=rows, margin=margin, alpha=alpha)


def _adjust_secondary(
    contrasts: Sequence[Contrast], primary: Sequence[Adjusted | None]
) -> list[Adjusted | None]:
    """Return the adjustment of each row; rows outside the family are adjusted among themselves."""
    adjusted = list(primary)
    tested = [i for i, c in enumerate(contrasts) if not c.primary and c.pvalue is not None]
    pvalues = np.array([contrasts[i].pvalue for i in tested], dtype=np.float64)
    for i, p in zip(tested, benjamini_hochberg(pvalues).tolist(), strict=True):
        adjusted[i] = Adjusted(p, "benjamini-hochberg")
    return adjusted


def _find_families(
    contrasts: Sequence[Contrast], adjusted: Sequence[Adjusted | None], alpha: float
) -> list[Family]:
    """Return, for each row, with how many rows it is adjusted, and if it can be significant."""
    tested = [c for c in contrasts if c.primary and c.pvalue is not None]
    closed = dict(zip(map(id, tested), find_closed(tested, alpha), strict=True))
    count = sum(1 for c in contrasts if c.primary and c.method != EXACT)
    return [
        Family(
            rows=count if c.primary else 1,
            tested=len(tested) if c.primary else 1,
            alpha=alpha,
            is_closed=closed[id(c)] if id(c) in closed else is_closed_alone(c, alpha),
            p_adjusted=how.pvalue if how else None,
        )
        for c, how in zip(contrasts, adjusted, strict=True)
    ]


def _judge(contrast: Contrast, family: Family, margin: float, adjustment: str) -> Verdict:
    word = _word(contrast, family.p_adjusted, margin, family.alpha)
    notes, sensitivity = list(contrast.notes), _NOTHING_LACKS
    obstacle = ""
    if word == INCONCLUSIVE:
        obstacle = _find_obstacle(contrast, margin)
        notes += [obstacle] if obstacle else []
    if word == INCONCLUSIVE and obstacle in {"", _NO_MARGIN}:
        sensitivity = measure_sensitivity(contrast, margin, family)
        notes.append(sensitivity.note)
    elif word == INCONCLUSIVE and family.is_closed and not is_failing(contrast):
        sensitivity = measure_closed(contrast, family)
        notes.append(sensitivity.note)
    return Verdict(
        contrast=contrast,
        p_adjusted=family.p_adjusted,
        adjustment=adjustment,
        family=family.tested if contrast.primary and contrast.pvalue is not None else 0,
        word=word,
        notes=tuple(dict.fromkeys(notes)),
        sensitivity=sensitivity,
        obstacle=obstacle,
    )


def _find_obstacle(contrast: Contrast, margin: float) -> str:
    """Say why no number of runs gives a verdict; empty if some number does."""
    has_margin = contrast.ratio is not None or contrast.center_baseline > 0
    if has_margin and is_too_coarse(contrast, margin):
        return _describe_steps(contrast, margin)
    if is_failing(contrast):
        return FAILING.replace("failed", "may have failed") if contrast.is_failed_bound else FAILING
    return _NO_MARGIN if contrast.ratio is None and contrast.center_baseline < 0 else ""


def _word(contrast: Contrast, p_adjusted: float | None, margin: float, alpha: float) -> str:
    if is_failing(contrast):
        return INCONCLUSIVE
    change = _change(contrast, p_adjusted, margin, alpha)
    if change:
        if contrast.better == "none":
            return CHANGED
        worse = change > 0 if contrast.better == "lower" else change < 0
        return REGRESSION if worse else IMPROVEMENT
    if _is_equivalent(contrast, margin):
        return UNCHANGED if contrast.better == "none" else EQUIVALENT
    return INCONCLUSIVE


def is_failing(contrast: Contrast) -> bool:
    """Return whether too many requests of a side failed for its values to mean anything."""
    return max(contrast.failed_baseline, contrast.failed_variant) > MOST_FAILED


def _change(contrast: Contrast, p_adjusted: float | None, margin: float, alpha: float) -> float:
    """Return the direction (+1, -1) of a significant and relevant change, else 0."""
    if contrast.method in {*DIRECTIONS, HISTORY}:
        return 0
    if contrast.method != EXACT and (p_adjusted is None or p_adjusted > alpha * ROUNDING):
        return 0
    if contrast.ratio is None:
        return _shift(contrast, margin)
    log = math.log(contrast.ratio)
    return math.copysign(1, log) if reaches(log, margin) else 0


def _shift(contrast: Contrast, margin: float) -> float:
    """Return the direction of a difference without a ratio; from 0, any difference is relevant."""
    shift = contrast.shift
    least = 0.0 if contrast.method == EXACT else express_margin(contrast, margin)
    if least is None or not shift or abs(shift) < least:
        return 0
    return math.copysign(1, shift)


def express_margin(contrast: Contrast, margin: float) -> float | None:
    """Return the margin in the unit of the baseline's median; None if the median is negative."""
    base = contrast.center_baseline
    return margin * base if base >= 0 else None


def _is_equivalent(contrast: Contrast, margin: float) -> bool:
    if contrast.ratio is None:
        return _can_exclude(contrast, margin) and _is_same(contrast, margin)
    ends = _find_ends(contrast, margin)
    return ends is not None and is_equivalent(*ends, margin)


def excludes_cost(contrast: Contrast, margin: float) -> bool:
    """Return whether a directed row costs less than the margin, or nothing.

    A gate needs only this half of "no meaningful difference": a gain may have any size.
    """
    ends = None if contrast.ratio is None else _find_ends(contrast, margin)
    if ends is None:
        return False
    low, high = log_bounds(margin)
    return {"lower": ends[1] < high, "higher": low < ends[0]}.get(contrast.better, False)


def _can_exclude(contrast: Contrast, margin: float) -> bool:
    is_tested = contrast.method not in {*DIRECTIONS, HISTORY}
    return is_tested and not is_too_coarse(contrast, margin)


def _find_ends(contrast: Contrast, margin: float) -> tuple[float, float] | None:
    """Return the logarithms beyond which the ratio is excluded, each at the level of one test."""
    low, high = contrast.equivalence_low, contrast.equivalence_high
    if low is not None and low == high:  # ties: only the wider interval reflects the spread
        low, high = contrast.ratio_low, contrast.ratio_high
    if low is None or high is None or not _can_exclude(contrast, margin):
        return None
    return math.log(low), math.log(high)


def _is_same(contrast: Contrast, margin: float) -> bool:
    """Return whether a difference without a ratio is shown to be within the margin."""
    if len({*contrast.baseline_values, *contrast.variant_values}) == 1:
        return True
    (low, high), most = contrast.difference_inner, express_margin(contrast, margin)
    if low == high:
        low, high = contrast.difference_low, contrast.difference_high
    if low is None or high is None or not most:
        return False
    return -most < low and high < most


def is_too_coarse(contrast: Contrast, margin: float) -> bool:
    """Return whether rounding alone hides changes of the margin, so equivalence cannot be shown.

    Counts that are compared exactly have no rounding.
    """
    return _step(contrast) > margin


def _step(contrast: Contrast) -> float:
    """Return the rounding step as a share of the smaller centre."""
    if contrast.method == EXACT or not contrast.resolution:
        return 0.0
    smallest = min(abs(contrast.center_baseline), abs(contrast.center_variant))
    return contrast.resolution / smallest if smallest else 0.0


def _describe_steps(contrast: Contrast, margin: float) -> str:
    step = format_quantity(contrast.resolution, contrast.unit)
    return (
        f"values are rounded to steps of {step}, which is more than {format_size(margin)} of the "
        "smaller value; use an output with more digits"
    )


@dataclass(frozen=True, slots=True)
class Excluded:
    """The bounds outside which a row excludes any change, as a ratio or in a unit."""

    low: float
    high: float
    is_ratio: bool
    is_wide: bool = False


def find_excluded(contrast: Contrast) -> Excluded | None:
    """Return what the interval of a row excludes; None if it has none or requests failed."""
    if is_failing(contrast):
        return None
    low, high = contrast.difference_low, contrast.difference_high
    if low is not None and high is not None:
        return Excluded(low, high, False, is_wide_difference(low, high, contrast.center_baseline))
    low, high = contrast.ratio_low, contrast.ratio_high
    if low is None or high is None or contrast.method in {*DIRECTIONS, HISTORY}:
        return None  # intervals of other quantities exclude nothing
    step = _step(contrast)
    if step > _COARSE and not is_wide(low, high):  # a change that rounding may hide is not excluded
        return Excluded(low / (1 + step), high * (1 + step), True)
    return Excluded(low, high, True, is_wide(low, high))

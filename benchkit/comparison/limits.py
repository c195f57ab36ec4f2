"""Evidence against a limit: whether the cost is shown to be above it or below it.

"No difference was found" does not show that a limit holds. Both answers come from one test on
shifted data; if neither is shown, that is the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchkit.comparison.families import (
    ADJUSTMENTS,
    Design,
    find_design,
    find_smallest,
    scale,
)
from benchkit.comparison.measure import WELCH_RUNS, finite, is_least, is_ranked
from benchkit.comparison.model import (
    DIFFERENCE,
    EXACT,
    RANK,
    SEQUENTIAL,
    SINGLE,
    UNJUDGED,
    WELCH,
    Adjusted,
    Contrast,
)
from benchkit.comparison.series import look_back
from benchkit.config import DEFAULT_METHOD
from benchkit.config.limits import Limit
from benchkit.errors import ConfigError
from benchkit.stats.equivalence import margin_bounds
from benchkit.stats.families import Block, decide_family
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann, mann_whitney
from benchkit.stats.sample import LARGEST, FloatArray
from benchkit.stats.signed_rank import wilcoxon

Side = Literal["greater", "less"]
#: Largest value compared with a limit: the tests accept values up to `LARGEST`, and limits
#: multiply.
_MOST = LARGEST / 1e10
#: Largest one-sided p-value at which the estimate is over the limit.
_MIDDLE = 0.5
_OTHER: dict[Side, Side] = {"greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitEvidence:
    """What the runs show about one limit.

    Parameters
    ----------
    p_over : float or None
        The p-value of "it costs no more than the limit": small if it is over. 0 or 1 for exact
        metrics, None if there is no test.
    p_within : float or None
        The p-value of "it costs the limit or more": small if the limit holds.
    is_exact : bool
        Whether the two are facts rather than p-values.
    is_ratio : bool
        Whether the estimate is variant / baseline rather than their difference in the unit.
    value, low, high : float or None
        The estimate and its interval at ``1 - 2 (1 - confidence)``, whose ends are the values that
        the two one-sided tests can exclude.
    """

    p_over: float | None
    p_within: float | None
    is_exact: bool
    is_ratio: bool
    value: float | None
    low: float | None
    high: float | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Bound:
    """One end of the allowed range: y against ``x · factor + shift``, over on one side of it."""

    factor: float
    shift: float
    over: Side


def measure_limit(contrast: Contrast, limit: Limit) -> LimitEvidence:
    """Compare a contrast with a limit.

    Parameters
    ----------
    limit : Limit
        A share ``5%`` is a ratio of 1.05 if lower is better, and of 0.95 if higher is better; the
        factor ``1.1x`` is 1.1, and 1/1.1. If the metric has no better direction, both ends are
        tested.

    Raises
    ------
    ConfigError
        If the limit's unit is not the metric's, or a share of 100 % can never be exceeded.

    Notes
    -----
    The baseline's values are moved to the limit, then the sides are compared by the exact
    Mann-Whitney test, one-sided [1]_; with 3 runs by Welch's t on logarithms (for amounts, on the
    values); values from complete blocks by the test of their design; series that stop early by all
    of their looks. If the limit is smaller than the rounding step, each test assumes the rounding
    that counts against it. Smallest usable n: 3 + 3; ranks reach 5 % one-sided from 4 + 4 (or 3 +
    4) runs.

    References
    ----------
    .. [1] E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks (1975), section 2.5.
    """
    require_unit(contrast, limit)
    is_ratio = limit.is_relative and contrast.ratio is not None
    value, low, high = _estimate(contrast, is_ratio=is_ratio)
    bounds = _bounds(contrast, limit)
    values = contrast.baseline_values + contrast.variant_values
    is_exact = contrast.method == EXACT or not any(values)
    tested: tuple[float | None, float | None]
    notes: tuple[str, ...] = ()
    if is_exact:
        over, within = _hold_exactly(contrast, bounds)
        tested = (float(not over), float(not within))
    else:
        tested, notes = _hold(contrast, limit, bounds)
    return LimitEvidence(
        p_over=tested[0], p_within=tested[1],
        is_exact=is_exact, is_ratio=is_ratio, value=value, low=low, high=high, notes=notes,
    )  # fmt: skip


def decide_limits(
    held: Sequence[tuple[Contrast, Limit, LimitEvidence]], confidence: float, method: str
) -> list[Adjusted | None]:
    """Adjust "over the limit" for all rows together, by statistics that control the family's error.

    Exact rows and rows without a test are not part of the family and get None. The p-value is the
    smaller of the one-sided family's and, on the side of the cost, the two-sided family's. A cost
    that `compare` shows is therefore over a limit of 0, and a row that is exactly at its limit is
    tested at no more than the share of alpha that Holm's method leaves to one of those rows.
    """
    adjusted: list[Adjusted | None] = [None] * len(held)
    designs: dict[Design | None, list[int]] = {}
    for i, (contrast, limit, evidence) in enumerate(held):
        if evidence.p_over is not None and not evidence.is_exact:
            is_free = method == DEFAULT_METHOD and contrast.method != SEQUENTIAL
            is_free = is_free and len(_bounds(contrast, limit)) == 1
            designs.setdefault(find_design(contrast) if is_free else None, []).append(i)
    blocks = [_make_block([held[i] for i in rows], design) for design, rows in designs.items()]
    if not blocks:
        return adjusted
    one_sided = decide_family([over for over, _ in blocks], 1 - confidence, "greater")
    two_sided = decide_family([both for _, both in blocks], 1 - confidence)
    for rows, over, both in zip(designs.values(), one_sided, two_sided, strict=True):
        costs = over.pvalue <= _MIDDLE
        p = np.where(costs, np.minimum(over.p_adjusted, both.p_adjusted), over.p_adjusted)
        for i, each in zip(rows, p.tolist(), strict=True):
            adjusted[i] = Adjusted(each, ADJUSTMENTS[over.basis])
    return adjusted


def _make_block(
    held: Sequence[tuple[Contrast, Limit, LimitEvidence]], design: Design | None
) -> tuple[Block, Block]:
    """Put the rows of one design into arrays in which y above x means over the limit.

    The first block has the p-values of "over", the second two-sided p-values.
    """
    sides = [_move(contrast, limit) if design else ((), (), 0.0) for contrast, limit, _ in held]
    x, y, resolution = (np.array(column, dtype=np.float64) for column in zip(*sides, strict=True))
    over = Block(
        x=x,
        y=y,
        pvalue=np.array([evidence.p_over for _, _, evidence in held], dtype=np.float64),
        smallest=np.array([find_smallest(contrast) for contrast, _, _ in held]),
        resolution=resolution,
        rounds=design.rounds if design else "",
    )
    either = [_test_either(limit, contrast, evidence) for contrast, limit, evidence in held]
    return over, replace(over, pvalue=np.array(either))


def _test_either(limit: Limit, contrast: Contrast, evidence: LimitEvidence) -> float:
    """Return the two-sided p-value; with two bounds the p-value of "over" already is two-sided."""
    over, within = evidence.p_over, evidence.p_within
    if over is None or within is None or len(_bounds(contrast, limit)) > 1:
        return over if over is not None else 1.0
    return min(1.0, 2 * min(over, within))


def find_smallest_over(contrast: Contrast) -> float:
    """Return the smallest p-value of "over" that a row's runs can give; 0 if there is no bound."""
    least = find_smallest(contrast)
    return least / 2 if contrast.better in {"lower", "higher"} else least


def _move(contrast: Contrast, limit: Limit) -> tuple[Sequence[float], Sequence[float], float]:
    """Move the baseline to the limit, and orient both sides so that more is worse."""
    (bound,) = _bounds(contrast, limit)
    sign = 1.0 if bound.over == "greater" else -1.0
    if not bound.shift and bound.factor > 0 and contrast.ratio is not None:
        x, y, resolution = scale(contrast)
        moved = [v + math.log(bound.factor) for v in x]
    else:
        y, resolution = contrast.variant_values, contrast.resolution
        moved = [v * bound.factor + bound.shift for v in contrast.baseline_values]
    return [sign * v for v in moved], [sign * v for v in y], resolution


def require_unit(contrast: Contrast, limit: Limit) -> None:
    """Reject an amount in a unit other than the metric's, and a loss of 100 % or more."""
    unit = contrast.unit or "1"
    if limit.unit and limit.unit != unit:
        named = {"1": "a count or share", "s": "a time", "B": "an amount of data"}
        raise ConfigError(
            f"{limit.text} is {named.get(limit.unit, limit.unit)}, but the unit of "
            f"{contrast.metric} is {unit}",
            where="limit",
            hint='use percent, "5%", or an amount in the unit of the metric',
        )
    if limit.kind == "percent" and limit.value >= 1 and contrast.better == "higher":
        hint = 'use a factor: "2x" allows the value to fall to half'
        raise ConfigError(
            f"{contrast.metric} cannot fall by more than {limit.text}", where="limit", hint=hint
        )


def find_ratios(limit: Limit) -> tuple[float, float]:
    """Return the ratios that a relative limit allows: literal for a share, inverse for a factor."""
    return (1 / limit.value, limit.value) if limit.kind == "factor" else margin_bounds(limit.value)


def _bounds(contrast: Contrast, limit: Limit) -> tuple[_Bound, ...]:
    """Return the end that is a cost, or both ends if the metric has no better direction."""
    if limit.is_relative:
        low, high = find_ratios(limit)
        up, down = _Bound(high, 0.0, "greater"), _Bound(low, 0.0, "less")
    else:
        up, down = _Bound(1.0, limit.value, "greater"), _Bound(1.0, -limit.value, "less")
    return {"lower": (up,), "higher": (down,)}.get(contrast.better, (up, down))


def _hold_exactly(contrast: Contrast, bounds: Sequence[_Bound]) -> tuple[bool, bool]:
    """Return whether even the best case is over, and whether even the worst case is within."""
    x, y = contrast.baseline_values, contrast.variant_values
    over, within = False, True
    for bound in bounds:
        ends = [v * bound.factor + bound.shift for v in (min(x), max(x))]
        if bound.over == "greater":
            over, within = over or min(y) > max(ends), within and max(y) <= min(ends)
        else:
            over, within = over or max(y) < min(ends), within and min(y) >= max(ends)
    return over, within


def _hold(
    contrast: Contrast, limit: Limit, bounds: Sequence[_Bound]
) -> tuple[tuple[float | None, float | None], tuple[str, ...]]:
    if _has_one_run(contrast):
        return (None, None), ()
    if _is_huge(contrast):
        return (None, None), (f"values beyond {_MOST:g} cannot be checked against a limit",)
    if limit.is_relative and min(contrast.baseline_values + contrast.variant_values) < 0:
        note = "values below 0 have no percentage: set the limit as an amount"
        return (None, None), (note,)
    allowed = limit.share * contrast.center_baseline if limit.is_relative else limit.value
    step = contrast.resolution if contrast.resolution > abs(allowed) else 0.0
    notes = (
        (("the rounding step is larger than the limit, so the worst case is assumed"),)
        if step
        else ()
    )
    pairs = [_test_bound(contrast, bound, step) for bound in bounds]
    over = min(1.0, len(pairs) * min(over for over, _ in pairs))
    return (over, max(within for _, within in pairs)), notes


def _test_bound(contrast: Contrast, bound: _Bound, step: float) -> tuple[float, float]:
    sign = 1 if bound.over == "greater" else -1
    over = _test(contrast, bound, sign * step, bound.over)
    return over, _test(contrast, bound, -sign * step, _OTHER[bound.over])


def _test(contrast: Contrast, bound: _Bound, step: float, side: Side) -> float:
    """Return the one-sided p-value of y against the moved x."""
    if contrast.method == SEQUENTIAL:
        return _look(contrast, bound, step, side)
    if contrast.arranged and not bound.shift and not step and bound.factor > 0:
        x, y = (np.asarray(side) for side in contrast.arranged)
        test = wilcoxon if contrast.is_paired else mann_whitney
        return test(x + math.log(bound.factor), y, side).pvalue
    x = np.asarray(contrast.baseline_values) * bound.factor + bound.shift + step
    y = np.asarray(contrast.variant_values)
    if _is_ranked(contrast):
        return mann_whitney(x, y, side).pvalue
    is_log = not bound.shift and min(x.min(), y.min()) > 0
    return _welch(np.log(x), np.log(y), side) if is_log else _welch(x, y, side)


def _look(contrast: Contrast, bound: _Bound, step: float, side: Side) -> float:
    """Return the one-sided p-value of an early-stopping series, over all of its looks."""
    if not bound.shift and not step and bound.factor > 0:
        looks = look_back(contrast)
        return float(looks.find_pvalues(math.log(bound.factor), side)[0, -1])
    x, y = (np.exp(logs) for logs in contrast.arranged)
    looks = look_back(contrast, (y - x * bound.factor)[None])
    return float(looks.find_pvalues(bound.shift + step, side)[0, -1])


def _welch(x: FloatArray, y: FloatArray, side: Side) -> float:
    """Return Welch's one-sided p-value: half the two-sided p-value on the side of the estimate."""
    estimate, test = welch(x, y, least_freedom=is_least(*sorted((x.size, y.size))))
    if estimate.value == 0:
        return 1.0
    is_named = (estimate.value > 0) == (side == "greater")
    return test.pvalue / 2 if is_named else 1 - test.pvalue / 2


def _estimate(
    contrast: Contrast, *, is_ratio: bool
) -> tuple[float | None, float | None, float | None]:
    if is_ratio:
        return contrast.ratio, contrast.equivalence_low, contrast.equivalence_high
    if contrast.difference is not None:
        return contrast.difference, *contrast.difference_inner
    x, y = contrast.baseline_values, contrast.variant_values
    if contrast.method == EXACT:
        return contrast.delta, min(y) - max(x), max(y) - min(x)
    if _has_one_run(contrast) or _is_huge(contrast):
        return contrast.delta, None, None
    level = 1 - 2 * (1 - contrast.confidence)
    if contrast.method == SEQUENTIAL:
        before, after = (np.exp(logs) for logs in contrast.arranged)
        looks = look_back(contrast, (after - before)[None])
        low, high = (float(ends[0, -1]) for ends in looks.find_interval(1 - contrast.confidence, 1))
        return float(looks.value[0, -1]), finite(low), finite(high)
    ranked = _is_ranked(contrast)
    least = is_least(*sorted((len(x), len(y))))
    estimate = hodges_lehmann(x, y, level) if ranked else welch(x, y, level, least_freedom=least)[0]
    return estimate.value, finite(estimate.low), finite(estimate.high)


def _is_ranked(contrast: Contrast) -> bool:
    """Return whether ranks decide, as in the comparison."""
    if contrast.method in {RANK, WELCH, DIFFERENCE}:
        return contrast.method == RANK or contrast.is_ranked
    return is_ranked(contrast.baseline_values, contrast.variant_values)


def _has_one_run(contrast: Contrast) -> bool:
    """Return whether a side has one run or an incomplete series: only runs are replicates."""
    fewest = min(contrast.n_baseline, contrast.n_variant)
    return contrast.method in {SINGLE, UNJUDGED} or fewest < WELCH_RUNS


def _is_huge(contrast: Contrast) -> bool:
    """Return whether moving the values to a limit could exceed the range of the tests."""
    return max(map(abs, contrast.baseline_values + contrast.variant_values)) > _MOST

"""The change that the runs of an undecided row could detect, and the runs that would decide it.

"inconclusive" alone is read as "no difference"; the number of runs needed shows that it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchkit.comparison import (
    DIRECTIONS,
    EXACT,
    HISTORY,
    LEAST_WELCH,
    REFUSED,
    SEQUENTIAL,
    UNJUDGED,
    Contrast,
    count_runs,
)
from benchkit.comparison.families import is_constant
from benchkit.comparison.measure import WELCH_RUNS
from benchkit.comparison.series import look_back
from benchkit.intervals import format_size
from benchkit.stats.equivalence import reaches, worsen
from benchkit.stats.power import (
    detectable_effect,
    detectable_shift,
    runs_to_show_effect,
    runs_to_show_equivalence,
)
from benchkit.units import format_number, format_percent, format_quantity

#: For prediction intervals: each new run is compared with the old ones individually.
_ONE = "a single run gives no verdict; repeat it"
_ONE_BY_ONE = "a comparison of each run with a history gives no verdict; use --method auto"
_NOISY = "too noisy for any practical number of runs; reduce the noise first"
#: From this size on, an increase and the same decrease differ too much to share one number.
_LARGE_REACH = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The rows that are adjusted together, as seen from one of them.

    Parameters
    ----------
    rows : int
        Their number, whether or not they can be tested yet.
    tested : int
        The number of rows with a p-value.
    alpha : float
        Their common level.
    is_closed : bool
        Whether the adjustment rejects even the smallest p-value that the row's runs can give.
    p_adjusted : float or None
        Of the row.
    """

    rows: int
    tested: int
    alpha: float
    is_closed: bool
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The reason why a row is undecided.

    Parameters
    ----------
    detectable : float or None
        The smallest change, as a fraction, that these runs detect four times out of five; None if
        no change can be detected, or the spread is unknown.
    detectable_difference : float or None
        The same in the unit, for values without a ratio because they are not positive.
    runs_needed : int or None
        Runs per side that would decide it; None if no number is useful advice.
    least : int or None
        If the number of runs is too small for any significant p-value: the number that is large
        enough.
    is_wide : bool
        Whether more than 1000 runs would be needed.
    note : str
        The same in words, the actual reason first.
    """

    detectable: float | None = None
    detectable_difference: float | None = None
    runs_needed: int | None = None
    least: int | None = None
    is_wide: bool = False
    note: str = ""


def format_reach(share: float) -> str:
    """Write a change in either direction; a large one, whose decrease is smaller, as a factor.

    Examples
    --------
    >>> format_reach(0.041).replace("\N{NO-BREAK SPACE}", " "), format_reach(1.88)
    ('±4.1 %', 'a factor of 2.88')
    """
    if share > _LARGE_REACH:
        return f"a factor of {format_number(1 + share)}"
    return f"±{format_percent(share).lstrip('+')}"


def measure_sensitivity(contrast: Contrast, margin: float, family: Family) -> Sensitivity:
    """Say which change an inconclusive row could have detected, and what would decide it.

    Parameters
    ----------
    margin : float
        The smallest change that matters.

    Notes
    -----
    From the half-width of the interval, as in `benchkit.stats.power`: for this row alone, and only
    an order of magnitude if there are few runs. A change as large as the margin is detected at most
    half of the time, so the detectable one is always larger.
    """
    if note := _advise(contrast, margin):
        return Sensitivity(note=note)
    if contrast.method == SEQUENTIAL:
        return _measure_series(contrast, margin, family)
    least = count_runs(contrast, family.rows, family.alpha)
    if few := _describe_few(contrast, family, least):
        return Sensitivity(
            runs_needed=least, least=least if contrast.method in DIRECTIONS else None, note=few
        )
    width = _half_width(contrast.ratio_low, contrast.ratio_high, math.log)
    if family.is_closed and (width is None or is_constant(contrast)):
        return measure_closed(contrast, family)
    return (
        _measure_difference(contrast)
        if width is None
        else _measure(contrast, width, margin, family, least)
    )


def _advise(contrast: Contrast, margin: float) -> str:
    """Say what helps if more runs per side do not; else return an empty text."""
    notes = {
        REFUSED: "make the runs longer, or choose a lower percentile",
        UNJUDGED: "only a complete early-stopping series gives a verdict",
        HISTORY: _ONE_BY_ONE if contrast.n_variant > 1 else _ONE,
        EXACT: f"some runs are within {format_size(margin)} and others are not",
    }
    return notes.get(contrast.method, "")


def _measure_series(contrast: Contrast, margin: float, family: Family) -> Sensitivity:
    """Say how many more rounds an early-stopping series needs."""
    looks = look_back(contrast)
    made, most = int(looks.rounds[-1]), looks.design.most
    rounds = int(looks.forecast(margin, family.alpha / family.tested)[0])
    if rounds:
        note = f"about {rounds} rounds would give a verdict; run the same capture again to continue"
        return Sensitivity(runs_needed=rounds, note=note)
    if made < most:
        near = (
            f"the change is too close to {format_size(margin)} for a verdict within {most} rounds"
        )
        return Sensitivity(note=f"{near}, or the runs vary too much")
    return Sensitivity(note="start a new series with more rounds, or reduce the noise first")


def measure_closed(contrast: Contrast, family: Family) -> Sensitivity:
    """Say how many runs could decide a row whose number of runs is too small for any verdict."""
    least = count_runs(contrast, family.rows, family.alpha)
    return Sensitivity(
        runs_needed=least, least=least, note=_describe_closed(contrast, family, least)
    )


def _measure(
    contrast: Contrast, width: float, margin: float, family: Family, least: int
) -> Sensitivity:
    closed = _describe_closed(contrast, family, least) if family.is_closed else ""
    n = 2 / (1 / contrast.n_baseline + 1 / contrast.n_variant)
    sure = contrast.confidence
    same = runs_to_show_equivalence(width, n, margin, confidence=sure)
    worse = worsen(2 * margin, contrast.better)
    twice = runs_to_show_effect(width, n, worse, margin, confidence=sure)
    same, twice = (None if runs is None else max(runs, least) for runs in (same, twice))
    seen = None if closed else detectable_effect(width, margin, confidence=sure)
    needed = None if same is None or twice is None else max(same, twice)
    estimated = None if needed or closed else _count_as_estimated(contrast, width, n, margin)
    if estimated:
        needed = max(estimated, least)
    reasons = [closed or _describe_adjusted(contrast, margin, family)]
    is_enough = needed is not None and needed <= n
    if needed is None:
        reasons.append(_NOISY)
    elif estimated:
        runs = "more" if is_enough else f"about {needed}"
        reasons.append(f"{runs} runs per side would show a change of the estimated size")
    elif not is_enough:
        reasons.append(f"make about {needed} runs per side for a verdict")
    elif not reasons[0]:
        reasons[0] = (
            f"the change is too close to {format_size(margin)} for a verdict; "
            "make more runs per side"
        )
    return Sensitivity(
        detectable=seen,
        runs_needed=None if is_enough else needed,
        least=least if closed else None,
        is_wide=needed is None,
        note="; ".join(part for part in reasons if part),
    )


def _count_as_estimated(contrast: Contrast, width: float, n: float, margin: float) -> int | None:
    """Return the number of runs that detect the estimated change; None if it is within the margin.

    Noise that hides a change of twice the margin need not hide one ten times as large.
    """
    ratio = contrast.ratio
    if not ratio or not reaches(math.log(ratio), margin):
        return None
    return runs_to_show_effect(width, n, ratio - 1, margin, confidence=contrast.confidence)


def _measure_difference(contrast: Contrast) -> Sensitivity:
    """Say which difference without a ratio could have been detected."""
    width = _half_width(contrast.difference_low, contrast.difference_high)
    if width is None:
        return Sensitivity(note="no interval, so no verdict")
    if not width:
        note = "most runs have the same value, so the smallest detectable difference is unknown"
        return Sensitivity(note=note)
    seen = detectable_shift(width, 0.0, confidence=contrast.confidence)
    amount = format_quantity(seen, contrast.unit)
    note = f"these runs are likely to detect only differences of {amount} or more"
    return Sensitivity(detectable_difference=seen, note=note)


def sum_up(rows: Sequence[Sensitivity]) -> str:
    """Summarise inconclusive rows: the reasons, and what would help.

    Examples
    --------
    >>> sentence = sum_up([Sensitivity(detectable=0.1, runs_needed=40), Sensitivity(runs_needed=9)])
    >>> sentence.replace("\N{NO-BREAK SPACE}", " ")
    'about 40 runs per side would give a verdict for all'
    """
    closed = [row.least for row in rows if row.least is not None]
    wide = sum(row.is_wide for row in rows)
    hardest = max((row.runs_needed for row in rows if row.runs_needed), default=None)
    parts = []
    if closed:
        share = "" if len(closed) == len(rows) else f" for {len(closed)} of them"
        parts.append(f"too few runs{share} (at least {max(closed)} per side are needed)")
    if wide:
        verb = "is" if wide == 1 else "are"
        parts.append(f"{wide} {verb} too noisy for any practical number of runs")
    elif hardest and hardest > max(closed, default=0):
        parts.append(f"about {hardest} runs per side would give a verdict for all")
    return "; ".join(parts)


def _describe_few(contrast: Contrast, family: Family, least: int) -> str:
    """Say what needs more runs if there are only one or two; empty if there are more."""
    if contrast.method in DIRECTIONS:
        return f"make at least {least} runs per side for a verdict"
    if (
        contrast.method == LEAST_WELCH
        and min(contrast.n_baseline, contrast.n_variant) == WELCH_RUNS
    ):
        together = f" when {family.tested} rows are tested together" if family.tested > 1 else ""
        return (
            f"{WELCH_RUNS} runs per side are too few for a verdict{together}; make at least "
            f"{least} runs per side"
        )
    return ""


def _describe_closed(contrast: Contrast, family: Family, least: int) -> str:
    runs = f"{contrast.n_baseline} + {contrast.n_variant} runs"
    together = f" when {family.tested} rows are tested together" if family.tested > 1 else ""
    return (
        f"{runs} cannot reach p ≤ {family.alpha:.2g}{together}; make at least {least} runs per side"
    )


def _describe_adjusted(contrast: Contrast, margin: float, family: Family) -> str:
    """Say that the row would be significant on its own, if only the other rows prevent that."""
    p, adjusted, ratio = contrast.pvalue, family.p_adjusted, contrast.ratio
    if p is None or adjusted is None or not ratio or not p <= family.alpha < adjusted:
        return ""
    if not reaches(math.log(ratio), margin):
        return ""
    among = f"{family.tested} rows" if family.tested > 1 else "so many rows"
    return f"p = {p:.2g} alone, but not significant when adjusted for {among}"


def _half_width(
    low: float | None, high: float | None, scale: Callable[[float], float] = float
) -> float | None:
    return None if low is None or high is None else (scale(high) - scale(low)) / 2

"""What the runs of an undecided row could have shown, and how many would decide it.

"not shown" alone is read as "nothing there"; the smallest change that would have been seen says
what it is.
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
    Contrast,
    count_runs,
)
from benchkit.comparison.families import is_constant
from benchkit.comparison.measure import WELCH_RUNS
from benchkit.intervals import format_size
from benchkit.stats.equivalence import reaches, worsen
from benchkit.stats.power import (
    MOST_RUNS,
    detectable_effect,
    detectable_shift,
    runs_to_show_effect,
    runs_to_show_equivalence,
)
from benchkit.units import format_number, format_percent, format_quantity

#: Of a prediction interval: a new run is held against old ones, each by itself.
_ONE = "one run shows nothing by itself: repeat it"
_ONE_BY_ONE = "runs held against a history one by one show nothing: compare them by ranks"
#: From here on a change up and the same one down are too different to be written as one.
_LARGE_REACH = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The rows that are adjusted together, as one of them sees it.

    Parameters
    ----------
    rows : int
        How many there are, whether or not they can be tested yet.
    tested : int
        How many have a p-value.
    alpha : float
        Their common level.
    is_closed : bool
        Whether the adjustment refuses even the smallest p-value that the row's runs can give.
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
    """What a row lacks.

    Parameters
    ----------
    detectable : float or None
        The smallest change, a fraction, that these runs show four times out of five; None where
        no change can be shown, or nothing is known of how runs vary.
    detectable_difference : float or None
        The same in the unit, where values that are not positive have no ratio.
    runs_needed : int or None
        Runs per side that would decide it; None where none is an advice.
    least : int or None
        Where no p-value that so few runs can give is small enough: with how many one is.
    is_wide : bool
        Whether more than 1000 runs would be needed.
    note : str
        The same in words, the true reason first.
    """

    detectable: float | None = None
    detectable_difference: float | None = None
    runs_needed: int | None = None
    least: int | None = None
    is_wide: bool = False
    note: str = ""


def format_reach(share: float) -> str:
    """Write how far a change goes either way; a large one, which is less far down, as a factor.

    Examples
    --------
    >>> format_reach(0.041).replace("\N{NO-BREAK SPACE}", " "), format_reach(1.88)
    ('±4.1 %', 'a factor of 2.88')
    """
    if share > _LARGE_REACH:
        return f"a factor of {format_number(1 + share)}"
    return f"±{format_percent(share).lstrip('+')}"


def measure_sensitivity(contrast: Contrast, margin: float, family: Family) -> Sensitivity:
    """Say what an inconclusive row could have shown, and what would decide it.

    Parameters
    ----------
    contrast : Contrast
    margin : float
        The smallest change that matters.
    family : Family

    Notes
    -----
    From the half-width of the interval, as `benchkit.stats.power` says: of this row alone, an order
    of magnitude with few runs. A change as large as the margin is shown at most every second time,
    so that the detectable one is always larger.
    """
    if contrast.method == REFUSED:
        return Sensitivity(note="make the runs longer, or name a lower percentile")
    if contrast.method == HISTORY:
        return Sensitivity(note=_ONE_BY_ONE if contrast.n_variant > 1 else _ONE)
    if contrast.method == EXACT:
        return Sensitivity(note=f"the runs lie on both sides of {format_size(margin)}")
    least = count_runs(contrast, family.rows, family.alpha)
    if few := _tell_few(contrast, family, least):
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


def measure_closed(contrast: Contrast, family: Family) -> Sensitivity:
    """Say of a row that its runs cannot decide, whatever hides a margin, how many can."""
    least = count_runs(contrast, family.rows, family.alpha)
    return Sensitivity(runs_needed=least, least=least, note=_tell_closed(contrast, family, least))


def _measure(
    contrast: Contrast, width: float, margin: float, family: Family, least: int
) -> Sensitivity:
    closed = _tell_closed(contrast, family, least) if family.is_closed else ""
    n = 2 / (1 / contrast.n_baseline + 1 / contrast.n_variant)
    sure = contrast.confidence
    same = runs_to_show_equivalence(width, n, margin, confidence=sure)
    worse = worsen(2 * margin, contrast.better)
    twice = runs_to_show_effect(width, n, worse, margin, confidence=sure)
    same, twice = (None if runs is None else max(runs, least) for runs in (same, twice))
    seen = None if closed else detectable_effect(width, margin, confidence=sure)
    needed = None if same is None or twice is None else max(same, twice)
    said = [closed or _tell_adjusted(contrast, margin, family)]
    if seen is not None:
        said.append(f"so many runs usually detect {format_reach(seen)}")
    is_enough = needed is not None and needed <= n
    if same is None and twice is None:
        said.append("the spread is too large for any practical number of runs")
    elif not is_enough:
        said.append(
            f"it takes {_about(same)} runs per side to show no change beyond "
            f"{format_size(margin)}, {_about(twice)} to show a change of {format_size(2 * margin)}"
        )
    elif not said[0]:
        said[0] = f"so many runs are usually enough: the change is too near {format_size(margin)}"
    return Sensitivity(
        detectable=seen,
        runs_needed=None if is_enough else needed,
        least=least if closed else None,
        is_wide=needed is None,
        note="; ".join(part for part in said if part),
    )


def _measure_difference(contrast: Contrast) -> Sensitivity:
    """Say what a difference without a ratio could have shown."""
    width = _half_width(contrast.difference_low, contrast.difference_high)
    if width is None:
        return Sensitivity(note="no interval: held against no margin")
    seen = detectable_shift(width, 0.0, confidence=contrast.confidence)
    note = f"so many runs usually detect a difference of {format_quantity(seen, contrast.unit)}"
    return Sensitivity(detectable_difference=seen, note=note)


def sum_up(rows: Sequence[Sensitivity]) -> str:
    """Sum up rows that are not shown: why, and what would help.

    Examples
    --------
    >>> told = sum_up([Sensitivity(detectable=0.1, runs_needed=40), Sensitivity(runs_needed=9)])
    >>> told.replace("\N{NO-BREAK SPACE}", " ")
    'by itself the least sensitive detects ±10.0 %; the widest needs about 40 runs per side'
    """
    closed = [row.least for row in rows if row.least is not None]
    wide = sum(row.is_wide for row in rows)
    hardest = max((row.runs_needed for row in rows if row.runs_needed), default=None)
    seen = max((row.detectable for row in rows if row.detectable is not None), default=None)
    parts = []
    if closed:
        which = "any" if len(closed) == len(rows) else f"{len(closed)} of them"
        parts.append(f"too few runs to show {which} (it takes {max(closed)} per side)")
    if seen is not None:
        parts.append(f"by itself the least sensitive detects {format_reach(seen)}")
    if wide:
        verb = "is" if wide == 1 else "are"
        parts.append(f"{wide} {verb} too noisy for any practical number of runs")
    elif hardest and hardest > max(closed, default=0):
        parts.append(f"the widest needs about {hardest} runs per side")
    return "; ".join(parts)


def _tell_few(contrast: Contrast, family: Family, least: int) -> str:
    """Say what takes more runs where one or two of them tell little; empty where there are more."""
    if contrast.method in DIRECTIONS:
        return f"a verdict by ranks takes {least} runs per side"
    if (
        contrast.method == LEAST_WELCH
        and min(contrast.n_baseline, contrast.n_variant) == WELCH_RUNS
    ):
        among = f" among {family.tested} rows" if family.tested > 1 else ""
        return f"{WELCH_RUNS} runs on a side show little{among}: run at least {least} per side"
    return ""


def _tell_closed(contrast: Contrast, family: Family, least: int) -> str:
    runs = f"{contrast.n_baseline} + {contrast.n_variant} runs"
    among = f" among {family.tested} rows" if family.tested > 1 else ""
    return f"{runs} cannot reach p ≤ {family.alpha:.2g}{among}: run at least {least} per side"


def _tell_adjusted(contrast: Contrast, margin: float, family: Family) -> str:
    """Say that the row would be shown alone, where it is the other rows that leave it open."""
    p, adjusted, ratio = contrast.pvalue, family.p_adjusted, contrast.ratio
    if p is None or adjusted is None or not ratio or not p <= family.alpha < adjusted:
        return ""
    if not reaches(math.log(ratio), margin):
        return ""
    among = f"{family.tested} rows" if family.tested > 1 else "so many rows"
    return f"p = {p:.2g} by itself, and not small enough among {among}"


def _half_width(
    low: float | None, high: float | None, scale: Callable[[float], float] = float
) -> float | None:
    return None if low is None or high is None else (scale(high) - scale(low)) / 2


def _about(runs: int | None) -> str:
    return f"more than {MOST_RUNS}" if runs is None else f"about {runs}"

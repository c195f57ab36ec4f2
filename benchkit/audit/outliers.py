"""Rules about single values: runs far from the rest, and rounding that hides the change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from benchkit.audit.session import MATTERS, by_row, logs_of, name_row
from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.measure import WELCH_RUNS, is_ranked, measure
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.stats.location import compare_means
from benchkit.stats.modes import Modes, find_modes_of_each
from benchkit.stats.outliers import find_outliers_of_each
from benchkit.units import format_change, format_percent

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Smaller changes, as a share, are not what rounding is held against.
_SMALLEST_CHANGE = 0.01
#: A rounding step of more than this share of the change hides it.
_STEP_SHARE = 1 / 3
_MOST_TIES = 0.2
#: From this share of the runs on the smaller group is a state, and no few far runs.
_STATE = 0.3


def find_far_runs(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B333: runs that lie far from the rest of their variant, with and without them."""
    rows = [(row, logs_of(row)) for row in by_row(comparisons)]
    sides = [logs for _, of_row in rows for logs in of_row.values()]
    marks = iter(_find_far(sides))
    for row, of_row in rows:
        far = {variant: next(marks) for variant in of_row}
        if any(far.values()):
            yield _tell_far(row, far)


def find_coarse_values(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B334: the rounding of the source is as large as the change, or values coincide."""
    for row in by_row(comparisons):
        coarse = [c for c in row if _has_spread(c) and _is_coarse(c)]
        tied = [c for c in row if _has_spread(c) and c not in coarse and _share_ties(c)]
        if coarse:
            yield _tell_coarse(coarse)
        if tied:
            yield _tell_ties(tied)


def find_two_states(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B335: the runs of a variant fall into two groups, and not into most and a few far ones."""
    sides = [
        (row[0], variant, of)
        for row in by_row(comparisons)
        for variant, of in logs_of(row).items()
        if of
    ]
    found = find_modes_of_each([list(of.values()) for _, _, of in sides])
    for (c, variant, of), modes in zip(sides, found, strict=True):
        if modes is None:
            continue
        upper = {run for run, is_upper in zip(of, modes.is_upper, strict=True) if is_upper}
        fewer = min(upper, of.keys() - upper, key=len)
        far, logs = fewer & _find_far([of])[0], [of[run] for run in fewer]
        if 2 * len(far) <= len(fewer) or _is_state(logs, len(of), modes):
            yield _tell_states(c, variant, modes, sorted(upper))


def _is_state(logs: list[float], runs: int, modes: Modes) -> bool:
    """Tell whether the smaller group is large enough, and less wide than far from the other."""
    return len(logs) >= _STATE * runs and max(logs) - min(logs) < modes.high - modes.low


def _tell_states(c: Contrast, variant: str, modes: Modes, upper: list[int]) -> Finding:
    apart = math.exp(modes.high - modes.low) - 1
    return Finding(
        code="B335",
        severity="warning",
        where=name_row(c),
        message=f"the runs of '{variant}' fall into two groups, {format_percent(apart)} apart: "
        f"runs {', '.join(map(str, upper))} are higher than the others",
        remedy="find out what has two states (clock, core, cache, neighbour), and measure in "
        "one of them",
        numbers={
            "apart": apart,
            "gap": modes.gap,
            "evidence": modes.evidence,
            "runs_above": ", ".join(map(str, upper)),
        },
    )


def _find_far(sides: Sequence[Mapping[int, float]]) -> list[set[int]]:
    """Return the runs of each side that lie far from its others; a side may know of none."""
    present = [side for side in sides if side]
    marks = iter(find_outliers_of_each([list(side.values()) for side in present]))
    return [set(compress(side, next(marks).tolist())) if side else set() for side in sides]


def _tell_far(row: list[Contrast], far: dict[str, set[int]]) -> Finding:
    names = [f"run {run} of {variant}" for variant, runs in far.items() for run in sorted(runs)]
    touched = [c for c in row if far[c.baseline] or far[c.variant]]
    without = {c.variant: _leave_out(c, far) for c in touched}
    kept = {c.variant: c.ratio for c in touched if c.ratio is not None}
    far_runs = list_names(_name_runs(variant, runs) for variant, runs in far.items() if runs)
    lie, them = ("lies", "it") if len(names) == 1 else ("lie", "them")
    changes = "; ".join(
        f"{variant} {format_change(kept[variant])} with {them}, {format_change(ratio)} without"
        for variant, ratio in without.items()
    )
    is_moved = any(abs(math.log(without[v] / kept[v])) > MATTERS for v in without)
    return Finding(
        code="B333",
        severity="warning" if is_moved else "info",
        where=name_row(row[0]),
        message=f"{far_runs} {lie} far from the other runs of the same variant; unpaired change: "
        f"{changes}",
        remedy="find out what disturbed these runs, and measure again; tables and verdicts still "
        "include these runs",
        numbers={
            "runs": ", ".join(names),
            **{f"with {variant}": ratio for variant, ratio in kept.items()},
            **{f"without {variant}": ratio for variant, ratio in without.items()},
        },
    )


def _name_runs(variant: str, runs: set[int]) -> str:
    numbers = ", ".join(map(str, sorted(runs)))
    return f"run{'s' * (len(runs) > 1)} {numbers} of '{variant}'"


def _leave_out(c: Contrast, far: dict[str, set[int]]) -> float:
    """Return the ratio without the far runs of both sides."""
    sides = (
        (c.baseline, c.baseline_runs, c.baseline_values),
        (c.variant, c.variant_runs, c.variant_values),
    )
    x, y = (
        [v for run, v in zip(runs, values, strict=True) if run not in far[variant]]
        for variant, runs, values in sides
    )
    if min(len(x), len(y)) < WELCH_RUNS or is_ranked(x, y):
        return measure(x, y, "nothing", c.confidence).ratio[0] or math.nan
    before, after = (np.array([math.log(value) for value in side]) for side in (x, y))
    return math.exp(compare_means(before, after))


def _has_spread(c: Contrast) -> bool:
    return len({*c.baseline_values, *c.variant_values}) > 1


def _change(c: Contrast) -> float:
    """Return the size of the estimated change in the unit."""
    return abs((c.ratio or 1.0) - 1) * c.center_baseline


def _is_coarse(c: Contrast) -> bool:
    least = _SMALLEST_CHANGE * c.center_baseline
    return c.resolution > _STEP_SHARE * max(_change(c), least)


def _share_ties(c: Contrast) -> float:
    """Return the share of equal pairs across the sides where it is too large, else 0."""
    others = Counter(c.variant_values)
    equal = sum(others[x] for x in c.baseline_values)
    share = equal / (len(c.baseline_values) * len(c.variant_values))
    return share if share > _MOST_TIES else 0.0


def _tell_coarse(coarse: list[Contrast]) -> Finding:
    worst = max(coarse, key=lambda c: c.resolution / max(_change(c), 1e-300))
    variants = ", ".join(c.variant for c in coarse)
    return Finding(
        code="B334",
        severity="warning",
        where=name_row(worst),
        message=f"values are rounded to steps of {worst.resolution:g} {worst.unit}, more than a "
        f"third of the change of {variants} ({_change(worst):.2g} {worst.unit})",
        remedy="use an output with more digits (JSON, CSV, raw samples), or another metric",
        numbers={"step": worst.resolution, "change": _change(worst), "rows": len(coarse)},
    )


def _tell_ties(tied: list[Contrast]) -> Finding:
    worst = max(tied, key=_share_ties)
    share = f"{100 * _share_ties(worst):.0f} %"
    return Finding(
        code="B334",
        severity="warning",
        where=name_row(worst),
        message=f"{share} of all pairs of a baseline run and a variant run have equal values "
        f"({', '.join(c.variant for c in tied)}): the resolution is too coarse for ranks",
        remedy="use an output with more digits, or another metric",
        numbers={"share": _share_ties(worst), "rows": len(tied)},
    )

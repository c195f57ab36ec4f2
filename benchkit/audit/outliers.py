"""Rules about single values: outliers, and rounding that hides the change.

A rule about unequal spreads, which can change the method of comparison.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from benchkit.audit.order import MATTERS, by_row, logs_of, name_row
from benchkit.comparison import (
    LEAST_WELCH,
    MAX_T,
    RANK,
    RANK_RUNS,
    WELCH,
    Comparisons,
    Contrast,
    decide,
)
from benchkit.comparison.families import Design, find_design, scale
from benchkit.comparison.measure import WELCH_RUNS, is_ranked, measure
from benchkit.config import DEFAULT_METHOD
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.metrics import display_name
from benchkit.stats.location import compare_means
from benchkit.stats.outliers import Modes, find_modes_of_each, find_outliers_of_each
from benchkit.stats.sample import FloatArray
from benchkit.stats.spread import pool_ratios, weigh_ratios
from benchkit.units import format_change, format_number, format_percent

if TYPE_CHECKING:
    from benchkit.schema import Runs


#: Rounding is not compared with changes below this share.
_SMALLEST_CHANGE = 0.01
#: A rounding step above this share of the change hides it.
_STEP_SHARE = 1 / 3
_MOST_TIES = 0.2
#: From this share of the runs on, the smaller group is a state rather than a few outliers.
_STATE = 0.3
_TOGETHER = (
    "rank and permutation tests would give false positives, so these rows use Welch's test with "
    "conservative degrees of freedom"
)
#: What happens to a single row, by the method that decides it.
_REMARKS = {
    WELCH: "rank tests would give false positives, so this row uses Welch's test",
    RANK: (
        "without the most extreme runs, the spreads are similar, so this row still uses the rank "
        "test"
    ),
    MAX_T: "over all rows together, both sides vary about equally, so a permutation of whole runs "
    "(max-T) still decides all rows, including this one",
}


def find_far_runs(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B333: outliers, and the change with and without them."""
    rows = [(row, logs_of(row)) for row in by_row(comparisons)]
    sides = [logs for _, of_row in rows for logs in of_row.values()]
    marks = iter(_find_far(sides))
    for row, of_row in rows:
        far = {variant: next(marks) for variant in of_row}
        if any(far.values()):
            yield _report_far(row, far)


def find_coarse_values(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B334: the rounding of the source is as large as the change, or values are tied."""
    for row in by_row(comparisons):
        coarse = [c for c in row if _has_spread(c) and _is_coarse(c)]
        tied = [c for c in row if _has_spread(c) and c not in coarse and _share_ties(c)]
        if coarse:
            yield _report_coarse(coarse)
        if tied:
            yield _report_ties(tied)


def find_two_states(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B335: the runs of a variant form two groups, rather than one group and a few outliers."""
    sides = [
        (row[0], variant, of)
        for row in by_row(comparisons)
        for variant, of in logs_of(row).items()
        if of
    ]
    modes_of_each = find_modes_of_each([list(of.values()) for _, _, of in sides])
    for (c, variant, of), modes in zip(sides, modes_of_each, strict=True):
        if modes is None:
            continue
        upper = {run for run, is_upper in zip(of, modes.is_upper, strict=True) if is_upper}
        fewer = min(upper, of.keys() - upper, key=len)
        far, logs = fewer & _find_far([of])[0], [of[run] for run in fewer]
        if 2 * len(far) <= len(fewer) or _is_state(logs, len(of), modes):
            yield _report_states(c, variant, modes, sorted(upper))


def _is_state(logs: list[float], runs: int, modes: Modes) -> bool:
    """Return whether the smaller group is large enough, and narrower than its distance."""
    return len(logs) >= _STATE * runs and max(logs) - min(logs) < modes.high - modes.low


def _report_states(c: Contrast, variant: str, modes: Modes, upper: list[int]) -> Finding:
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
    """Return the outliers of each side, which may already be marked."""
    present = [side for side in sides if side]
    marks = iter(find_outliers_of_each([list(side.values()) for side in present]))
    return [set(compress(side, next(marks).tolist())) if side else set() for side in sides]


def _report_far(row: list[Contrast], far: dict[str, set[int]]) -> Finding:
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
    """Return the ratio without the outliers of both sides."""
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
    """Return the share of equal pairs across the sides if it is too large, else 0."""
    others = Counter(c.variant_values)
    equal = sum(others[x] for x in c.baseline_values)
    share = equal / (len(c.baseline_values) * len(c.variant_values))
    return share if share > _MOST_TIES else 0.0


def _report_coarse(coarse: list[Contrast]) -> Finding:
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


def _report_ties(tied: list[Contrast]) -> Finding:
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


def find_unequal_spreads(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B342: one side varies much more; Welch's t may replace ranks and permutation."""
    if comparisons.method != DEFAULT_METHOD:
        return
    primary = [c for c in comparisons.contrasts if c.primary and c.pvalue is not None]
    designs: dict[Design, list[Contrast]] = {}
    for c in primary:
        is_ranked = c.n_baseline == c.n_variant >= RANK_RUNS and not c.arranged
        if is_ranked and c.method in {RANK, WELCH}:
            designs.setdefault(find_design(c), []).append(c)
    alpha = 1 - comparisons.confidence
    deciding = _find_deciding(comparisons) if len(primary) > 1 else {}
    for rows in designs.values():
        if deciding.get(id(rows[0])) == LEAST_WELCH:
            if _is_beyond_chance(rows, alpha):
                yield _report(rows, _TOGETHER)
            continue
        errors = weigh_ratios(*_arrange(rows))
        beyond = errors > _find_limit(alpha / len(primary))
        for at in np.flatnonzero(beyond).tolist():
            c = rows[at]
            yield _report([c], _REMARKS[deciding.get(id(c), c.method)])


def _find_deciding(comparisons: Comparisons) -> dict[int, str]:
    """Return the method that decides each row."""
    decided, _ = decide(comparisons)
    pairs = zip(comparisons.contrasts, decided.contrasts, strict=True)
    return {id(before): after.method for before, after in pairs}


def _is_beyond_chance(rows: Sequence[Contrast], alpha: float) -> bool:
    """Return whether spreads differ by more than chance explains for this number of runs."""
    x, y, steps = _arrange(rows)
    _, errors = pool_ratios(x, y, steps)
    return errors > _find_limit(alpha)


def _find_limit(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def _arrange(rows: Sequence[Contrast]) -> tuple[FloatArray, FloatArray, FloatArray]:
    x, y, steps = (
        np.array(column, dtype=np.float64) for column in zip(*map(scale, rows), strict=True)
    )
    return x, y, steps


def _report(rows: Sequence[Contrast], remark: str) -> Finding:
    c = rows[0]
    x, y, _ = _arrange(rows)
    spreads = [_find_spread(side) for side in (x, y)]
    sides = sorted(zip(spreads, (c.baseline, c.variant), strict=True), reverse=True)
    (more, wide), (less, calm) = sides
    unit = "%" if c.ratio is not None else c.unit
    amounts = [f"{format_number(s * (100 if unit == '%' else 1))} {unit}" for s in (more, less)]
    numbers = {"spread": more, "spread_of_other": less, "rows": len(rows)}
    message = f"the runs of '{wide}' vary ({amounts[0]}), but those of '{calm}' do not"
    if less:
        numbers["ratio"] = more / less
        message = (
            f"the runs of '{wide}' vary {format_number(more / less)} times as much as those of "
            f"'{calm}' ({amounts[0]} vs. {amounts[1]})"
        )
    name = display_name(c.metric, c.stat)
    where = f"{len(rows)} rows of {name}" if len(rows) > 1 else name_row(c)
    return Finding(
        code="B342",
        severity="info",
        where=where,
        message=f"{message}; {remark}",
        remedy=f"find out what changes between the runs of '{wide}'; more runs narrow the interval",
        numbers=numbers,
    )


def _find_spread(side: FloatArray) -> float:
    """Return the geometric mean of the standard deviations of varying rows; 0 if there are none."""
    varying = side[np.ptp(side, axis=1) > 0]
    return float(np.exp(np.mean(np.log(varying.std(axis=1, ddof=1))))) if varying.size else 0.0

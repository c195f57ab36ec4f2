"""Rules about the inside of runs: waves, warm-up, trend, and where the spread comes from.

How a run went, second by second, is lost in its percentiles; whether more runs or longer ones
help is what people ask next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchkit.audit.session import MATTERS, name_row
from benchkit.comparison import Comparisons, Contrast
from benchkit.derived.batches import Batches
from benchkit.errors import Finding
from benchkit.planning import advise
from benchkit.stats.spread import Components, part_variance
from benchkit.stats.within import WARM_UP, Course, find_correlation, find_course
from benchkit.units import format_percent

if TYPE_CHECKING:
    from benchkit.stats.sample import FloatArray

#: Level at which a run is said to warm up or to have a trend, and the share of a variant's runs.
_LEVEL = 0.01
_MANY = 0.5
_FEWEST = 10

#: Variant -> run -> logarithm of each stretch.
_Inside = Mapping[str, Mapping[int, "FloatArray"]]


def find_waves(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B336: neighbouring stretches of runs resemble each other."""
    for row, inside in _rows_with_stretches(comparisons, batches):
        found = [find_correlation(_after_start(s)) for of in inside.values() for s in of.values()]
        shown = [one for one in found if one.is_shown]
        if len(shown) < _MANY * len(found):
            continue
        lag1 = median(one.lag1 for one in found)
        share = median(one.effective / one.size for one in found)
        yield Finding(
            code="B336",
            severity="info",
            where=name_row(row[0]),
            message=f"adjacent parts of a run are correlated in {_count(len(shown), len(found))} "
            f"(correlation {lag1:.2f}): each run contains only as much information as an "
            "uncorrelated run of "
            f"{format_percent(share).lstrip('+')} of its length",
            remedy="make more runs: requests within one run are not repeats",
            numbers={"lag1": lag1, "effective_share": share, "runs": len(found)},
        )


def find_changing_runs(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B337: runs begin slow or fast, or rise or fall until their end."""
    for row, inside in _rows_with_stretches(comparisons, batches):
        courses = {
            variant: {n: find_course(s) for n, s in of.items() if s.size >= _FEWEST}
            for variant, of in inside.items()
        }
        for what, pick in (("start", _pick_start), ("trend", _pick_trend)):
            by_variant = {
                variant: changes
                for variant, of in courses.items()
                if (changes := pick(of)) and len(changes) >= _MANY * len(of)
            }
            if by_variant:
                yield _tell_course(row[0], what, by_variant)


def find_components(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B339: where the spread of runs comes from, in rows whose change may be none."""
    for row, inside in _rows_with_stretches(comparisons, batches):
        if not any(_is_open(c) for c in row):
            continue
        parts = [
            part_variance([np.exp(stretches) for stretches in of.values()])
            for of in inside.values()
            if len(of) > 1
        ]
        if parts:
            yield _tell_components(row[0], _pool(parts))


def _rows_with_stretches(
    comparisons: Comparisons, batches: Batches
) -> Iterator[tuple[list[Contrast], _Inside]]:
    """Yield the primary contrasts together where only the variant differs, and their stretches."""
    rows: dict[tuple[str, ...], list[Contrast]] = {}
    for c in comparisons.contrasts if batches else ():
        if c.primary and not c.subject:
            rows.setdefault((*c.workload, c.metric, c.stat), []).append(c)
    for row in rows.values():
        first = row[0]
        inside: dict[str, dict[int, FloatArray]] = {}
        for variant in dict.fromkeys(name for c in row for name in (c.baseline, c.variant)):
            side = first.workload.side(variant)
            taken = batches.take(side, first.metric, first.stat)
            if taken:
                inside[variant] = {run: np.log(values) for run, values in taken.items()}
        if inside:
            yield row, inside


def _after_start(stretches: FloatArray) -> FloatArray:
    """Leave a warm-up out: it is told by a rule of its own."""
    rest = stretches[round(WARM_UP * stretches.size) :]
    return rest if rest.size >= _FEWEST else stretches


def _pick_start(courses: Mapping[int, Course]) -> dict[int, float]:
    return {
        run: course.start
        for run, course in courses.items()
        if course.start_pvalue <= _LEVEL and abs(course.start) > MATTERS
    }


def _pick_trend(courses: Mapping[int, Course]) -> dict[int, float]:
    return {
        run: course.drift
        for run, course in courses.items()
        if course.trend.pvalue <= _LEVEL and abs(course.drift) > 2 * MATTERS
    }


def _tell_course(c: Contrast, what: str, by_variant: Mapping[str, Mapping[int, float]]) -> Finding:
    names = ", ".join(f"{v} {', '.join(map(str, sorted(runs)))}" for v, runs in by_variant.items())
    middle = median(change for runs in by_variant.values() for change in runs.values())
    size = format_percent(math.exp(middle) - 1)
    if what == "start":
        message = f"the first fifth of a run differs from the rest by {size} ({names})"
        remedy = "warm up longer, or start measuring later"
    else:
        message = f"after its first fifth, a run drifts by {size} until its end ({names})"
        remedy = "look for saturation or a leak; a longer run would give a different value"
    return Finding(
        code="B337",
        severity="warning",
        where=name_row(c),
        message=message,
        remedy=remedy,
        numbers={what: math.exp(middle) - 1, "runs": sum(map(len, by_variant.values()))},
    )


def _is_open(c: Contrast) -> bool:
    low, high = c.ratio_low, c.ratio_high
    return low is not None and high is not None and low <= 1 <= high


def _pool(parts: list[Components]) -> Components:
    """Pool the components of several variants, each by its runs beyond the first."""
    weights = [one.runs - 1 for one in parts]
    between, within = (
        math.sqrt(np.average([getattr(one, name) ** 2 for one in parts], weights=weights))
        for name in ("between", "within")
    )
    values = len(parts) / sum(1 / one.values for one in parts)
    return Components(between, within, sum(one.runs for one in parts), values)


def _tell_components(c: Contrast, parts: Components) -> Finding:
    between, within = (format_percent(x).lstrip("+±") for x in (parts.between, parts.within))
    return Finding(
        code="B339",
        severity="info",
        where=name_row(c),
        message=f"the spread is {between} between runs and {within} within a run "
        f"({parts.runs} runs)",
        remedy=advise(parts),
        numbers={"between": parts.between, "within": parts.within, "runs": parts.runs},
    )


def _count(some: int, total: int) -> str:
    return "the one run" if total == 1 else f"{some} of {total} runs"

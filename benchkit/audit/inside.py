"""Rules about the inside of runs: waves, warm-up, trend, and the source of the spread.

Percentiles hide how a run went from second to second; whether more runs or longer runs help is the
next question of users.

The rule about disturbances that `capture` records: finding B418.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.audit.order import MATTERS, name_row
from benchkit.comparison import Comparisons, Contrast
from benchkit.derived.stretches import Batches
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.schema import Labels, list_labels
from benchkit.stats.spread import Components, part_variance
from benchkit.stats.within import WARM_UP, Course, find_correlation, find_course
from benchkit.units import format_number, format_percent

if TYPE_CHECKING:
    from benchkit.schema import Runs
    from benchkit.stats.sample import FloatArray


#: Level at which a run has a warm-up or trend, and the minimum share of a variant's runs.
_LEVEL = 0.01
_MANY = 0.5
_FEWEST = 10

#: Variant -> run -> logarithm of each segment.
_Inside = Mapping[str, Mapping[int, "FloatArray"]]

#: Limits for the share of stolen CPU time, and for the drop below the usual clock.
_STOLEN, _SLOWER = 0.02, 0.05
#: Limits for how often a service loses a CPU: relative to the usual rate, and in addition to it.
_FACTOR, _MORE = 3, 50
#: Minimum number of runs that show what is usual.
_FEWEST_RUNS = 4
_SHOWN = 3


def find_waves(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B336: adjacent segments of runs are correlated."""
    for row, inside in _rows_with_stretches(comparisons, batches):
        correlations = [
            find_correlation(_after_start(s)) for of in inside.values() for s in of.values()
        ]
        shown = [one for one in correlations if one.is_shown]
        if len(shown) < _MANY * len(correlations):
            continue
        lag1 = median(one.lag1 for one in correlations)
        share = median(one.effective / one.size for one in correlations)
        yield Finding(
            code="B336",
            severity="info",
            where=name_row(row[0]),
            message="adjacent parts of a run are correlated in "
            f"{_count(len(shown), len(correlations))} (correlation {lag1:.2f}): each run contains "
            "only as much information as an uncorrelated run of "
            f"{format_percent(share).lstrip('+')} of its length",
            remedy="make more runs: requests within one run are not repeats",
            numbers={"lag1": lag1, "effective_share": share, "runs": len(correlations)},
        )


def find_changing_runs(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B337: runs start slow or fast, or rise or fall until their end."""
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
                yield _report_course(row[0], what, by_variant)


def find_components(comparisons: Comparisons, batches: Batches) -> Iterator[Finding]:
    """B339: where the spread of runs comes from, in rows that may have no change."""
    for row, inside in _rows_with_stretches(comparisons, batches):
        if not any(_is_open(c) for c in row):
            continue
        parts = [
            part_variance([np.exp(stretches) for stretches in of.values()])
            for of in inside.values()
            if len(of) > 1
        ]
        if parts:
            yield _report_components(row[0], _pool(parts))


def _rows_with_stretches(
    comparisons: Comparisons, batches: Batches
) -> Iterator[tuple[list[Contrast], _Inside]]:
    """Yield primary contrasts, grouped if only the variant differs, with their segments."""
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
    """Leave warm-ups out: a separate rule reports them."""
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


def _report_course(
    c: Contrast, what: str, by_variant: Mapping[str, Mapping[int, float]]
) -> Finding:
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
    """Pool the components of several variants, each weighted by its runs minus one."""
    weights = [one.runs - 1 for one in parts]
    between, within = (
        math.sqrt(np.average([getattr(one, name) ** 2 for one in parts], weights=weights))
        for name in ("between", "within")
    )
    values = len(parts) / sum(1 / one.values for one in parts)
    return Components(between, within, sum(one.runs for one in parts), values)


def _report_components(c: Contrast, parts: Components) -> Finding:
    from benchkit.planning import advise

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


class _Known(NamedTuple):
    """A run, one of its conditions, and the facts that all benchmarks of a command share."""

    run: Labels
    value: float
    command: Hashable


def find_disturbances(runs: Runs) -> Iterator[Finding]:
    """B418: during some runs, CPU time was stolen, the clock was low, or others took the CPU."""
    recorded = runs[(runs["role"] == "measured") & runs["conditions"].map(bool).astype(bool)]
    yield from _find_stolen(_keep_one_each(_read(recorded, "stolen")))
    yield from _find_slow(_keep_one_each(_read(recorded, "frequency")))
    yield from _find_displaced(list(_read(recorded, "service_switches", is_rate=True)))


def _read(runs: Runs, name: str, *, is_rate: bool = False) -> Iterator[_Known]:
    """Yield the runs that record a condition; counts are divided by the length of the run."""
    columns = (runs[column].tolist() for column in ("conditions", "duration"))
    for labels, conditions, duration in zip(list_labels(runs), *columns, strict=True):
        if not isinstance(conditions, Mapping) or name not in conditions:
            continue
        try:
            value = float(conditions[name]) / (duration if is_rate else 1)
        except (ValueError, TypeError, ZeroDivisionError):
            continue
        if isfinite(value):
            recorded = frozenset((key, str(text)) for key, text in conditions.items())
            yield _Known(labels, value, (labels.variant, labels.run, recorded))


def _keep_one_each(known: Iterable[_Known]) -> list[_Known]:
    """Return one row per command: its conditions are recorded with each of its benchmarks."""
    return list({each.command: each for each in known}.values())


def _find_stolen(known: Sequence[_Known]) -> Iterator[Finding]:
    over = [each for each in known if each.value > _STOLEN]
    if over:
        worst = max(over, key=lambda each: each.value)
        yield _report(
            over,
            worst,
            len(known),
            f"other virtual machines took up to {100 * worst.value:.1f} % of the CPU time",
            "repeat these runs, or use a dedicated host; alternate between the variants",
        )


def _find_slow(known: Sequence[_Known]) -> Iterator[Finding]:
    usual = median(each.value for each in known) if len(known) >= _FEWEST_RUNS else 0.0
    below = [each for each in known if each.value < usual * (1 - _SLOWER)]
    if below:
        worst = min(below, key=lambda each: each.value)
        clocks = (f"{format_number(value / 1e9)} GHz" for value in (worst.value, usual))
        yield _report(
            below,
            worst,
            len(known),
            "the CPU clock fell to {} (median: {})".format(*clocks),
            "cool the machine, pause between runs, and fix the frequency; see `benchkit doctor`",
        )


def _find_displaced(known: Sequence[_Known]) -> Iterator[Finding]:
    reported: set[Hashable] = set()
    for same in _by_side(known):
        usual = median(each.value for each in same)
        over = [each for each in same if each.value > max(usual * _FACTOR, usual + _MORE)]
        commands = {each.command for each in over}
        if not commands <= reported:
            reported |= commands
            worst = max(over, key=lambda each: each.value)
            yield _report(
                over,
                worst,
                len(same),
                "the service lost its CPU to other programs up to "
                f"{format_number(worst.value)} times a second (median: {format_number(usual)})",
                "stop other programs, or wait for a quiet machine: `benchkit capture "
                "--quiet-before 5s --pin`",
            )


def _by_side(known: Sequence[_Known]) -> Iterator[list[_Known]]:
    """Yield the runs of each side that has enough of them; variants may differ by nature."""
    sides: dict[object, list[_Known]] = {}
    for each in known:
        sides.setdefault(each.run.side, []).append(each)
    return (same for same in sides.values() if len(same) >= _FEWEST_RUNS)


def _report(
    disturbed: Sequence[_Known], worst: _Known, total: int, message: str, remedy: str
) -> Finding:
    names = list_names(_name_runs([each.run for each in disturbed]), _SHOWN)
    return Finding(
        code="B418",
        severity="warning",
        message=f"{message} in {len(disturbed)} of {total} runs: {names}",
        remedy=remedy,
        numbers={"runs": len(disturbed), "worst": worst.value},
    )


def _name_runs(runs: Sequence[Labels]) -> Iterator[str]:
    """Name runs; those with equal numbers also by the labels that differ."""
    counts = Counter((run.variant, run.run) for run in runs)
    for run in runs:
        place = ", ".join(filter(None, (run.group, run.benchmark, run.params)))
        on = f" on {place}" if place and counts[run.variant, run.run] > 1 else ""
        yield f"run {run.run} of '{run.variant}'{on}"

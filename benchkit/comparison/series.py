"""Series that stop early once they are decided: their rounds, and the result of each look.

These series are never compared by a test for a fixed number of runs, which would reject far too
often: they were stopped because of their results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from benchkit.comparison.cells import Cell
from benchkit.comparison.measure import Measurement, measure, to_ratio
from benchkit.comparison.model import EXACT, SEQUENTIAL, UNJUDGED, Comparisons, Contrast
from benchkit.derived.record import keep_measured
from benchkit.schema import Workload, list_labels
from benchkit.stats.sample import FloatArray
from benchkit.stats.sequential import Looks, find_stops, take_looks
from benchkit.stats.spending import SequentialDesign, Spending

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Keys of a sidecar's ``[stopping]`` that record the design of a series.
_DESIGN = ("least", "most", "spending")
#: Phrases of notes: the round that decided a row, an incomplete series, and too many runs in a
#: round.
DECIDED = "decided after round"
INCOMPLETE, SEVERAL = "an early-stopping series is incomplete", "several runs of one round"


@dataclass(frozen=True, slots=True)
class Series:
    """The rounds of one workload.

    Parameters
    ----------
    designs : mapping of variant to set
        The designs of each variant's runs; None among them means runs outside any early-stopping
        series.
    rounds : mapping of variant to mapping of run to int
    """

    designs: Mapping[str, frozenset[SequentialDesign | None]]
    rounds: Mapping[str, Mapping[int, int]]

    def find_design(self, pair: tuple[str, str]) -> SequentialDesign | None:
        """Return the design of a pair, if it has one; any if there are several."""
        known = [design for name in pair for design in self.designs.get(name, ()) if design]
        return known[0] if known else None

    def find_problem(self, pair: tuple[str, str]) -> str:
        """Return why the rounds of a pair are not a complete series; empty if they are."""
        for name in pair:
            designs = self.designs.get(name, frozenset({None}))
            if None in designs:
                return f"{name} has runs that are not part of the series"
        if len(self.designs[pair[0]] | self.designs[pair[1]]) > 1:
            return "its runs belong to several series"
        for name in pair:
            numbers = sorted(self.rounds[name].values())
            if len(set(numbers)) < len(numbers):
                return f"{name} has {SEVERAL}"
            lost = set(range(1, numbers[-1] + 1)) - set(numbers)
            if lost:
                return f"{name} lacks its run of round {min(lost)}"
        made = [len(self.rounds[name]) for name in pair]
        if abs(made[0] - made[1]) > 1:  # the last round may be in progress
            less = pair[0] if made[0] < made[1] else pair[1]
            return f"{less} lacks its run of round {min(made) + 1}"
        return ""

    def arrange(
        self, pair: tuple[str, str], cells: tuple[Cell, Cell]
    ) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Return both sides' values by round; None if a run has no value."""
        columns = []
        last = min(len(self.rounds[name]) for name in pair)
        for name, cell in zip(pair, cells, strict=True):
            by_round = {self.rounds[name].get(run): value for run, value in cell.by_run.items()}
            if any(number not in by_round for number in range(1, last + 1)):
                return None
            columns.append(tuple(by_round[number] for number in range(1, last + 1)))
        return columns[0], columns[1]


def find_series(runs: Runs) -> dict[Workload, Series]:
    """Return the workloads with runs that belong to an early-stopping series."""
    measured = keep_measured(runs)
    if not any(measured["stopping"].tolist()):
        return {}
    designs: dict[Workload, dict[str, set[SequentialDesign | None]]] = {}
    rounds: dict[Workload, dict[str, dict[int, int]]] = {}
    for labels, stated in zip(list_labels(measured), measured["stopping"], strict=True):
        workload = labels.side.workload
        design, number = read_stopping(stated or {})
        designs.setdefault(workload, {}).setdefault(labels.variant, set()).add(design)
        rounds.setdefault(workload, {}).setdefault(labels.variant, {})[labels.run] = number
    return {
        workload: Series(
            {name: frozenset(known) for name, known in by_variant.items()}, rounds[workload]
        )
        for workload, by_variant in designs.items()
        if any(design for known in by_variant.values() for design in known)
    }


def find_baseline(runs: Runs, variants: Sequence[str]) -> str | None:
    """Return the variant that `capture` recorded as the baseline of all plans, or None."""
    stated = {known["baseline"] for known in runs["stopping"] if "baseline" in (known or {})}
    return stated.pop() if len(stated) == 1 and stated <= {*variants} else None


def read_stopping(stated: Mapping[str, str]) -> tuple[SequentialDesign | None, int]:
    """Return the design recorded for a run, and its round; None and 0 if none is recorded."""
    least, most, spending = (stated.get(name, "") for name in _DESIGN)
    number = stated.get("round", "")
    try:
        if spending in get_args(Spending) and int(number) > 0:
            known: Spending = spending  # type: ignore[assignment]
            design = SequentialDesign(least=int(least), most=int(most), spending=known)
            return design, int(number)
    except ValueError:
        pass
    return None, 0


def write_stopping(design: SequentialDesign, number: int) -> dict[str, int | str]:
    """Return the entries of a run's sidecar about its series, as `read_stopping` reads them."""
    return {"round": number, **{name: getattr(design, name) for name in _DESIGN}}


def measure_series(
    series: Series, pair: tuple[str, str], cells: tuple[Cell, Cell], assume: str, confidence: float
) -> Measurement:
    """Compare two variants of a series over all of its looks."""
    x, y = cells[0].values(), cells[1].values()
    if assume == "exact" and (exact := measure(x, y, assume, confidence)).method == EXACT:
        return exact
    design = series.find_design(pair)
    problem = series.find_problem(pair)
    sides = None if problem else series.arrange(pair, cells)
    if design is None or problem:
        return _refuse(f"{INCOMPLETE}: {problem}", x, y)
    if sides is None:
        return _refuse("a run of the series has no value for this row", x, y)
    if min(min(side) for side in sides) <= 0:
        return _refuse("values at or below 0 give no verdict in an early-stopping series", x, y)
    if len(sides[0]) < design.least:
        made = "1 round" if len(sides[0]) == 1 else f"{len(sides[0])} rounds"
        return _refuse(f"{made} made; the first test is after round {design.least}", *sides)
    logs = tuple(tuple(map(math.log, side)) for side in sides)
    resolution = max(cell.resolution for cell in cells) / min(map(min, sides))
    return _measure(logs, design, resolution, confidence)


def _refuse(why: str, x: Sequence[float], y: Sequence[float]) -> Measurement:
    """Return a direction without a verdict."""
    middles = float(np.median(x)), float(np.median(y))
    ratio = middles[1] / middles[0] if min(middles) > 0 else None
    return Measurement(method=UNJUDGED, ratio=(ratio, None, None), notes=(why,))


def _measure(
    logs: tuple[tuple[float, ...], ...],
    design: SequentialDesign,
    resolution: float,
    confidence: float,
) -> Measurement:
    looks = _take(logs, design, resolution)
    alpha = 1 - confidence
    outer, inner = looks.find_interval(alpha), looks.find_interval(alpha, 1)
    low, high, same_low, same_high = (to_ratio(float(ends[0, -1])) for ends in (*outer, *inner))
    return Measurement(
        method=SEQUENTIAL,
        ratio=(math.exp(float(looks.value[0, -1])), low, high),
        equivalence=(same_low, same_high),
        pvalue=float(looks.find_pvalues()[0, -1]),
        arranged=logs,
        stopping=design,
    )


def _take(logs: Sequence[Sequence[float]], design: SequentialDesign, resolution: float) -> Looks:
    x, y = map(np.asarray, logs)
    return take_looks((y - x)[None], design, floor=resolution**2 / 6)


def look_back(contrast: Contrast, differences: FloatArray | None = None) -> Looks:
    """Return the looks at a row of a series, or at other differences between its rounds."""
    if contrast.stopping is None:
        raise ValueError("this row belongs to no early-stopping series")
    if differences is not None:
        return take_looks(differences, contrast.stopping, floor=contrast.resolution**2 / 6)
    smallest = math.exp(min(map(min, contrast.arranged)))
    return _take(contrast.arranged, contrast.stopping, contrast.resolution / smallest)


def stop(comparisons: Comparisons, margin: float) -> Comparisons:
    """Reset each primary row of a series to the look at which it was decided.

    All rows of the family are followed look by look; later rounds don't change a decision.
    """
    contrasts = list(comparisons.contrasts)
    family = [i for i, c in enumerate(contrasts) if c.primary and c.pvalue is not None]
    rows = [i for i in family if contrasts[i].stopping]
    if not rows:
        return comparisons
    alpha = 1 - comparisons.confidence
    seen = [look_back(contrasts[i]) for i in rows]
    last = max(len(looks.rounds) for looks in seen)
    pvalues = [_extend(looks.find_pvalues()[0], last) for looks in seen]
    large = [_extend(looks.find_large(margin)[0], last) for looks in seen]
    equal = [_extend(looks.find_equal(margin, alpha)[0], last) for looks in seen]
    fixed = [contrasts[i].pvalue for i in family if not contrasts[i].stopping]
    never = [np.zeros(last, dtype=bool)] * len(fixed)
    stops = find_stops(
        np.array([*pvalues, *(np.full(last, p) for p in fixed)]),
        np.array([*large, *never]),
        np.array([*equal, *never]),
        alpha,
    )
    for i, at, looks in zip(rows, stops.tolist(), seen, strict=False):
        contrasts[i] = _cut(contrasts[i], looks, at)
    return replace(comparisons, contrasts=tuple(contrasts))


def _extend(values: np.ndarray, length: int) -> np.ndarray:
    """Repeat the last look of a series that has fewer looks than others."""
    return np.pad(values, (0, length - len(values)), mode="edge")


def _cut(c: Contrast, looks: Looks, at: int) -> Contrast:
    """Reset a row to one of its looks, and note that."""
    made, most = int(looks.rounds[-1]), looks.design.most
    if at < 0:
        note = f"early stopping: undecided after {made} of at most {most} rounds"
        return replace(c, notes=(*c.notes, note))
    rounds = int(looks.rounds[min(at, len(looks.rounds) - 1)])
    logs = tuple(side[:rounds] for side in c.arranged)
    smallest = math.exp(min(map(min, logs)))
    measured = _measure(logs, looks.design, c.resolution / smallest, c.confidence)
    later = f"; the later rounds, up to round {made}, do not change this" if made > rounds else ""
    note = (
        f"{DECIDED} {rounds} of at most {most}{later}; the interval allows for testing "
        "after every round, but the estimate is slightly biased"
    )
    return replace(
        c,
        ratio=measured.ratio[0], ratio_low=measured.ratio[1], ratio_high=measured.ratio[2],
        equivalence_low=measured.equivalence[0], equivalence_high=measured.equivalence[1],
        pvalue=measured.pvalue, arranged=measured.arranged, notes=(*c.notes, note),
    )  # fmt: skip

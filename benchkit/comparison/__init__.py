"""Evidence: each variant compared with its baseline, with estimate, interval and p-value per row.

Evidence does not depend on margins, alpha or limits; `verdict` and the gate judge it, and never
test again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from benchkit.codes import number_maps
from benchkit.comparison.blocks import arrange, find_designs
from benchkit.comparison.cells import Cell, collect, is_primary, read_load_facts
from benchkit.comparison.events import Events, has_tail, note_answers, note_failures
from benchkit.comparison.families import (
    count_decidable,
    count_runs,
    decide,
    find_closed,
    is_closed_alone,
    widen,
)
from benchkit.comparison.files import ONCE, find_files, find_shards, join_files
from benchkit.comparison.in_unit import IN_UNIT, estimate_in_unit, estimate_outside
from benchkit.comparison.lacking import find_dropped, is_alike, list_lacking
from benchkit.comparison.measure import (
    Measurement,
    compare_stretches,
    compare_summaries,
    measure,
    refuse,
)
from benchkit.comparison.medians import note_medians
from benchkit.comparison.model import (
    ALIGNED,
    DIFFERENCE,
    DIRECTIONS,
    EXACT,
    HISTORY,
    LEAST_WELCH,
    MAX_T,
    PAIRED_T,
    RANK,
    REFUSED,
    SEQUENTIAL,
    SIGNED,
    SINGLE,
    UNJUDGED,
    WELCH,
    WITHIN,
    Adjusted,
    Comparisons,
    Contrast,
    Drift,
    Dropped,
    Plan,
    Row,
    measure_spreads,
)
from benchkit.comparison.ranks import RANK_RUNS, Ranks
from benchkit.comparison.series import Series, find_series, measure_series, stop
from benchkit.comparison.together import Together, join_rows
from benchkit.derived.containers import name_id
from benchkit.derived.failures import collect_answers, share_failures
from benchkit.derived.stretches import Batches
from benchkit.errors import DataError
from benchkit.labels.matching import suggest_numbers, suggest_rename
from benchkit.parsers import registry
from benchkit.stats.equivalence import log_bounds, margin_bounds
from benchkit.stats.power import MOST_RUNS
from benchkit.stats.prediction import HISTORY as HISTORY_RUNS
from benchkit.stats.sample import Estimate

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

T = TypeVar("T")

__all__ = [
    "ALIGNED",
    "DIFFERENCE",
    "DIRECTIONS",
    "EXACT",
    "HISTORY",
    "HISTORY_RUNS",
    "LEAST_WELCH",
    "MAX_T",
    "MOST_RUNS",
    "PAIRED_T",
    "RANK",
    "RANK_RUNS",
    "REFUSED",
    "SEQUENTIAL",
    "SIGNED",
    "SINGLE",
    "UNJUDGED",
    "WELCH",
    "WITHIN",
    "Adjusted",
    "Comparisons",
    "Contrast",
    "Drift",
    "Dropped",
    "Estimate",
    "Plan",
    "Together",
    "compare",
    "count_decidable",
    "count_runs",
    "decide",
    "estimate_outside",
    "find_closed",
    "is_closed_alone",
    "join_rows",
    "log_bounds",
    "margin_bounds",
    "measure_spreads",
    "stop",
    "widen",
]


def compare(
    observations: Observations,
    runs: Runs,
    pairs: Sequence[tuple[str, str]],
    plan: Plan | None = None,
) -> Comparisons:
    """Compare variants with their baselines, one value per run.

    Parameters
    ----------
    observations, runs : Observations, Runs
        The observations of measured runs, and the table of runs.
    pairs : sequence of (baseline, variant)
    plan : Plan, optional

    Raises
    ------
    DataError
        If no pair has a benchmark, metric and level in common.

    Notes
    -----
    With equal numbers of runs on both sides, 4 or more: the Hodges-Lehmann estimate on logarithms
    with the interval of the exact Mann-Whitney test, unless one side varies more than three times
    as much. Otherwise, from 2 runs per side: Welch's t on logarithms. With one run on a side: the
    ratio alone, with a prediction interval if the other side has 8 or more runs, or a within-run
    interval if both sides have one run and raw samples recorded its stretches. A quantile with
    fewer than 10 events of a run beyond it is refused. With ``blocks="auto"`` and complete blocks
    in the recorded order: for 3 variants and 5 blocks or more, the same method on values aligned by
    blocks; for 2 variants and 8 blocks or more, the signed-rank test. For an early-stopping series:
    Student's t on the logarithms of the rounds' pairs, with a p-value and an interval that hold
    however often the series was looked at. Values that are not positive have no ratio; they are
    compared as differences, by the same tests on the values themselves. Spans at a backend that one
    side does not use are left out.
    """
    plan = plan or Plan()
    failed, answers = share_failures(observations), collect_answers(observations)
    evidence = _Evidence(observations, runs, plan)
    cells = evidence.cells
    contrasts: list[Contrast] = []
    dropped: list[Dropped] = []
    only_in: dict[str, tuple[str, ...]] = {}
    params_only_in: dict[str, tuple[tuple[str, str], ...]] = {}
    for pair in pairs:
        baseline, variant = pair
        left, right = cells.get(baseline, {}), cells.get(variant, {})
        keys = [k for k in left if k in right and _is_comparable(k, left[k], right[k])]
        common = {name: {k: cells[name][k] for k in keys} for name in pair}
        joined = join_files(common, evidence.files, evidence.is_primary)
        x, y = joined[baseline], joined[variant]
        ranks = Ranks(((x[k].values(), y[k].values()) for k in keys), plan.confidence)
        rows = (_contrast(key, pair, (x[key], y[key]), evidence, ranks) for key in keys)
        rows = (note_failures(c, failed) for c in rows) if failed else rows
        contrasts += (note_answers(c, answers) for c in rows) if answers else rows
        dropped += find_dropped(pair, left, right, evidence.is_primary)
        for side, other, name in ((left, right, baseline), (right, left, variant)):
            _note_one_sided(side, other, name, only_in, params_only_in)
    if not contrasts:
        raise DataError(
            "nothing to compare: the two sides share no combination of benchmark, metric and level",
            hint=_suggest(pairs, only_in, params_only_in, dropped),
        )
    measured = {(name, c.benchmark) for c in contrasts for name in (c.baseline, c.variant)}
    levels = {(name, c.benchmark, c.params) for c in contrasts for name in (c.baseline, c.variant)}
    return Comparisons(
        pairs=tuple(pairs),
        contrasts=tuple(contrasts),
        confidence=plan.confidence,
        only_in=_leave_out(only_in, lambda name, benchmark: (name, benchmark) in measured),
        params_only_in=_leave_out(params_only_in, lambda name, level: (name, *level) in levels),
        lacking=list_lacking(pairs, cells, evidence.is_primary),
        dropped=tuple(dropped),
        method=plan.method,
    )


def _is_comparable(key: Row, left: Cell, right: Cell) -> bool:
    """Return whether both sides have the same unit and, for spans, both counted some."""
    is_counted = key.metric not in _SPANS or (any(left.values()) and any(right.values()))
    return is_counted and is_alike(left, right)


def _leave_out(
    by_variant: Mapping[str, Sequence[T]], is_compared: Callable[[str, T], bool]
) -> dict[str, tuple[T, ...]]:
    """Remove the items that another pair has compared."""
    kept = {
        name: tuple(each for each in items if not is_compared(name, each))
        for name, items in by_variant.items()
    }
    return {name: items for name, items in kept.items() if items}


#: Metrics that count spans at one backend; each variant usually has a backend to itself.
_SPANS = ("spans_created", "spans_expected", "spans_saved")


class _Evidence:
    """The inputs from which the rows of a comparison are computed."""

    def __init__(self, observations: Observations, runs: Runs, plan: Plan) -> None:
        self.plan = plan
        self.facts = read_load_facts(runs)
        self.cells = collect(observations, plan)
        self.designs = find_designs(runs) if plan.uses_blocks else {}
        self.events = Events(observations)
        self.batches = Batches(observations)
        self._runs = runs
        self._shards = find_shards(runs)
        self._series = find_series(runs)
        by_round = {*self.designs, *self._series}
        files = find_files(runs)
        self.files = {side: of for side, of in files.items() if side.workload not in by_round}

    def find_series(self, key: Row, pair: tuple[str, str]) -> Series | None:
        """Return the early-stopping series that has runs of either side."""
        series = self._series.get(key.workload)
        return series if series and series.find_design(pair) else None

    def count_shards(self, key: Row, pair: tuple[str, str]) -> int:
        """Return how many load generators would be mistaken for runs on either side of a row."""
        if not self._shards:
            return 0
        return max(self._shards.get(key.workload.side(variant), 0) for variant in pair)

    @cached_property
    def names(self) -> dict[str, str]:
        """Names of containers recorded in the runs' environments."""
        named = (item for env in number_maps(self._runs["env"])[1] for item in env.items())
        return {key: name for key, name in named if key.startswith("name.")}

    def is_primary(self, key: Row) -> bool:
        """Return whether a row with this key is a headline row."""
        return is_primary(key, self.facts, self.plan, self.cells.values())


def _contrast(
    key: Row, pair: tuple[str, str], sides: tuple[Cell, Cell], evidence: _Evidence, ranks: Ranks
) -> Contrast:
    baseline, variant = pair
    plan, facts = evidence.plan, evidence.facts
    left, right = sides
    unit = left.unit
    known = facts.metric(key.metric, unit, baseline)
    x, y = left.values(), right.values()
    beyond = evidence.events.beyond(key, baseline, variant)
    amount = None
    if (shards := evidence.count_shards(key, pair)) or registry.tool(key.tool).role == "summary":
        x, y = (median(x),), (median(y),)
        measured = compare_summaries(x[0], y[0], shards)
    elif not has_tail(beyond):
        measured = refuse(key.stat, beyond)
    elif series := evidence.find_series(key, pair):
        measured = measure_series(series, pair, (left, right), known.assume, plan.confidence)
    else:
        blocks = arrange(key, baseline, variant, evidence.cells, evidence.designs)
        measured = measure(x, y, known.assume, plan.confidence, blocks, plan.method, ranks)
        if measured.method == SINGLE and len(x) == len(y) == 1:
            measured = _look_inside(key, pair, measured, evidence)
        if key.metric in IN_UNIT and not key.subject:
            amount = estimate_in_unit(x, y, measured, plan.confidence, blocks)
    remarks = (*measured.notes, *note_medians(x, y, measured.ratio[0]))
    return Contrast(
        **key.labels,
        called=name_id(key.subject, evidence.names) if key.subject else "",
        unit=unit,
        better=known.better,
        primary=evidence.is_primary(key),
        baseline=baseline,
        variant=variant,
        baseline_values=x,
        variant_values=y,
        repeats=(left.repeats, right.repeats),
        baseline_runs=tuple(left.by_run)[: len(x)],
        variant_runs=tuple(right.by_run)[: len(y)],
        resolution=max(left.resolution, right.resolution),
        center_baseline=median(x),
        center_variant=median(y),
        ratio=measured.ratio[0], ratio_low=measured.ratio[1], ratio_high=measured.ratio[2],
        equivalence_low=measured.equivalence[0], equivalence_high=measured.equivalence[1],
        method=measured.method,
        pvalue=measured.pvalue,
        confidence=plan.confidence,
        notes=(*([ONCE] if left.repeats or right.repeats else []), *measured.facts, *remarks),
        remarks=remarks,
        arranged=measured.arranged,
        is_paired=measured.method == SIGNED,
        difference=measured.difference[0],
        difference_low=measured.difference[1],
        difference_high=measured.difference[2],
        difference_inner=measured.difference_inner,
        is_ranked=measured.is_ranked,
        stopping=measured.stopping,
        amount=amount,
    )  # fmt: skip


def _look_inside(
    key: Row, pair: tuple[str, str], measured: Measurement, evidence: _Evidence
) -> Measurement:
    """Add how precisely two individual runs are known, if they recorded stretches."""
    sides = []
    for variant in pair:
        side = key.workload.side(variant)
        taken = {} if key.subject else evidence.batches.take(side, key.metric, key.stat)
        sides += [
            taken[run].tolist() for run in evidence.cells[variant][key].by_run if run in taken
        ]
    if len(sides) < len(pair):
        return measured
    return compare_stretches(sides[0], sides[1], measured, evidence.plan.confidence)


def _note_one_sided(
    side: Mapping[Row, Cell],
    other: Mapping[Row, Cell],
    name: str,
    only_in: dict[str, tuple[str, ...]],
    params_only_in: dict[str, tuple[tuple[str, str], ...]],
) -> None:
    """Record the benchmarks, and levels of common benchmarks, that the other side does not have."""
    here = dict.fromkeys((key.benchmark, key.params) for key in side)
    there = {(key.benchmark, key.params) for key in other}
    common = {benchmark for benchmark, _ in there}
    names = dict.fromkeys(benchmark for benchmark, _ in here if benchmark not in common)
    levels = [level for level in here if level[0] in common and level not in there]
    if names:
        only_in[name] = tuple(dict.fromkeys((*only_in.get(name, ()), *names)))
    if levels:
        params_only_in[name] = tuple(dict.fromkeys((*params_only_in.get(name, ()), *levels)))


def _suggest(
    pairs: Sequence[tuple[str, str]],
    only_in: Mapping[str, Sequence[str]],
    params_only_in: Mapping[str, Sequence[tuple[str, str]]],
    rows: Sequence[Dropped],
) -> str:
    if other := next((row for row in rows if row.units), None):
        units = " and ".join(dict.fromkeys(other.units))
        return f"{other.metric} has different units: {units}"
    for baseline, variant in pairs:
        rename = suggest_rename(only_in.get(baseline, ()), only_in.get(variant, ()))
        if rename:
            return f"if only the names differ, map them: --rename '{rename}', or rename= in Python"
        if dropped := suggest_numbers(only_in.get(baseline, ()), only_in.get(variant, ())):
            return dropped
    levels = "; ".join(
        f"{name} has {' at '.join(filter(None, (benchmark, params or 'no params')))}"
        for name, pairs_there in params_only_in.items()
        for benchmark, params in pairs_there[:2]
    )
    return levels or "list the names with `benchkit runs`"

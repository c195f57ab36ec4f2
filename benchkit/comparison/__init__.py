"""Evidence: each variant beside its baseline, row by row, with estimate, interval and p-value.

In: observations and runs. Out: `Comparisons`. Why: evidence knows nothing of margins, alpha or
limits; `verdict` and the gate judge it, and never test again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from benchkit import metrics
from benchkit.comparison.blocks import Design, Series, arrange, find_designs
from benchkit.comparison.cells import Cell, Key, Told, collect, is_primary, tell_of_runs
from benchkit.comparison.families import count_decidable, count_runs
from benchkit.comparison.measure import (
    ALIGNED,
    DIFFERENCE,
    EXACT,
    RANK,
    RANK_RUNS,
    SIGNED,
    SINGLE,
    WELCH,
    compare_summaries,
    measure,
)
from benchkit.comparison.model import Comparisons, Contrast, Plan
from benchkit.derived.failures import Place, share_failures
from benchkit.errors import DataError
from benchkit.layout.matching import suggest_rename

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

__all__ = [
    "ALIGNED",
    "DIFFERENCE",
    "EXACT",
    "RANK",
    "RANK_RUNS",
    "SIGNED",
    "SINGLE",
    "WELCH",
    "Comparisons",
    "Contrast",
    "Plan",
    "compare",
    "count_decidable",
    "count_runs",
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
        The observations of measured runs, and what is known of the runs.
    pairs : sequence of (baseline, variant)
    plan : Plan, optional

    Returns
    -------
    Comparisons

    Raises
    ------
    DataError
        If no pair has a benchmark, metric and level in common.

    Notes
    -----
    Both sides with at least 4 runs: Hodges-Lehmann estimate on logarithms with the interval of
    the exact Mann-Whitney test. With 2 or 3: Welch's t on logarithms. With one: the ratio alone.
    With ``blocks="auto"`` and complete blocks in the recorded order: of 3 variants and 5 blocks or
    more the same on values aligned by blocks; of 2 variants and 8 blocks or more the signed-rank
    test.
    Values that are not positive have no ratio; they are compared as differences.
    """
    plan = plan or Plan()
    told = tell_of_runs(runs)
    failed = share_failures(observations)
    cells = collect(observations, plan, told)
    designs = find_designs(runs) if plan.blocks == "auto" else {}
    contrasts: list[Contrast] = []
    only_in: dict[str, tuple[str, ...]] = {}
    params_only_in: dict[str, tuple[tuple[str, str], ...]] = {}
    for pair in pairs:
        baseline, variant = pair
        left, right = cells.get(baseline, {}), cells.get(variant, {})
        contrasts += [
            _with_failures(_contrast(key, pair, cells, designs, plan, told), failed)
            for key in left
            if key in right
        ]
        for side, other, name in ((left, right, baseline), (right, left, variant)):
            _note_one_sided(side, other, name, only_in, params_only_in)
    if not contrasts:
        raise DataError(
            "nothing to compare: the two sides have no benchmark, metric and level in common",
            hint=_suggest(pairs, only_in, params_only_in),
        )
    return Comparisons(
        pairs=tuple(pairs),
        contrasts=tuple(contrasts),
        confidence=plan.confidence,
        only_in=only_in,
        params_only_in=params_only_in,
    )


def _contrast(
    key: Key,
    pair: tuple[str, str],
    cells: Mapping[str, Mapping[Key, Cell]],
    designs: Mapping[Series, Design],
    plan: Plan,
    told: Told,
) -> Contrast:
    group, benchmark, params, tool, subject, metric, stat = key
    baseline, variant = pair
    left, right = cells[baseline][key], cells[variant][key]
    unit = left.unit
    known = told.metric(metric, unit)
    x, y = left.values(), right.values()
    if tool in metrics.SUMMARIES:  # the same summary in several files is one
        x, y = (median(x),), (median(y),)
        found = compare_summaries(x[0], y[0])
    else:
        blocks = arrange(key, baseline, variant, cells, designs)
        found = measure(x, y, known.assume, plan.confidence, blocks)
    return Contrast(
        group=group,
        benchmark=benchmark,
        params=params,
        tool=tool,
        subject=subject,
        metric=metric,
        stat=stat,
        unit=unit,
        better=known.better,
        primary=is_primary(metric, stat, subject, tool, told.load_model.get(tool, "unknown"), plan),
        baseline=baseline,
        variant=variant,
        baseline_values=x,
        variant_values=y,
        baseline_runs=tuple(left.told())[: len(x)],
        variant_runs=tuple(right.told())[: len(y)],
        resolution=max(left.resolution, right.resolution),
        center_baseline=median(x),
        center_variant=median(y),
        ratio=found.ratio[0],
        ratio_low=found.ratio[1],
        ratio_high=found.ratio[2],
        equivalence_low=found.equivalence[0],
        equivalence_high=found.equivalence[1],
        method=found.method,
        pvalue=found.pvalue,
        confidence=plan.confidence,
        notes=found.notes,
        arranged=found.arranged,
    )


def _with_failures(contrast: Contrast, failed: Mapping[Place, float]) -> Contrast:
    """Say what share of the requests failed on each side."""
    c = contrast
    sides = [
        failed.get((c.group, variant, c.benchmark, c.params, c.tool), 0.0)
        for variant in (c.baseline, c.variant)
    ]
    if not any(sides) or c.metric in {"failures", "error_rate"}:
        return c
    note = f"{sides[0]:.2%} of the baseline's and {sides[1]:.2%} of the variant's requests failed"
    notes = (*c.notes, note)
    return replace(c, failed_baseline=sides[0], failed_variant=sides[1], notes=notes)


def _note_one_sided(
    side: Mapping[Key, Cell],
    other: Mapping[Key, Cell],
    name: str,
    only_in: dict[str, tuple[str, ...]],
    params_only_in: dict[str, tuple[tuple[str, str], ...]],
) -> None:
    """Record the benchmarks, and the levels of common benchmarks, that the other side lacks."""
    here = dict.fromkeys((key[1], key[2]) for key in side)
    there = {(key[1], key[2]) for key in other}
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
) -> str:
    for baseline, variant in pairs:
        rename = suggest_rename(only_in.get(baseline, ()), only_in.get(variant, ()))
        if rename:
            return f"they match if you map names: --rename '{rename}'"
    levels = "; ".join(
        f"{name} has {benchmark} at {params or 'no params'}"
        for name, found in params_only_in.items()
        for benchmark, params in found[:2]
    )
    return levels or "see the names with `benchkit runs`"

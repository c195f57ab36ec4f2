"""The amount that a variant adds, in the metric's unit, by the method of its row.

Also the extra CPU per request that no request waits for, by the method and the rounds of its row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.comparison.blocks import Blocks, Design, find_designs
from benchkit.comparison.measure import Measurement
from benchkit.comparison.model import (
    ALIGNED,
    DIFFERENCE,
    HISTORY,
    LEAST_WELCH,
    MAX_T,
    PAIRED_T,
    RANK,
    SIGNED,
    WELCH,
    Contrast,
)
from benchkit.derived.costs import RequestCost
from benchkit.schema import Side, Workload
from benchkit.stats.aligned import compare_aligned
from benchkit.stats.location import estimate_shift, paired_t
from benchkit.stats.sample import Estimate
from benchkit.stats.signed_rank import paired_shift

if TYPE_CHECKING:
    from benchkit.schema import Runs


#: Estimate, low and high; low and high are None if there is no interval.
Amount = tuple[float, float | None, float | None]
#: Metrics for which people want the amount, not only the ratio.
IN_UNIT = frozenset({"latency"})
METHODS = {RANK: "rank", WELCH: "welch", HISTORY: "history"}

#: Methods that decide rows together, which estimate means.
_METHODS = {**METHODS, MAX_T: "welch", LEAST_WELCH: "welch"}


def estimate_in_unit(
    x: Sequence[float],
    y: Sequence[float],
    measured: Measurement,
    confidence: float,
    blocks: Blocks | None = None,
) -> Amount | None:
    """Return variant - baseline with its interval; None if the row reports a direction only."""
    if measured.method == DIFFERENCE:
        value, low, high = measured.difference
        return None if value is None else (value, low, high)
    estimate: Estimate | None = None
    if measured.method in METHODS:
        estimate = estimate_shift(x, y, confidence, METHODS[measured.method])
    elif blocks is not None and measured.method == ALIGNED:
        values = [tuple(map(math.exp, block)) for block in blocks.logs]
        estimate, _ = compare_aligned(values, blocks.baseline, blocks.variant, confidence)
    elif blocks is not None and measured.method == SIGNED:
        before, after = blocks.side(blocks.baseline), blocks.side(blocks.variant)
        estimate = paired_shift(list(map(math.exp, before)), list(map(math.exp, after)), confidence)
    if estimate is None:
        return None
    low, high = (end if math.isfinite(end) else None for end in (estimate.low, estimate.high))
    return estimate.value, low, high


def estimate_outside(
    costs: Sequence[RequestCost], contrasts: Iterable[Contrast], runs: Runs
) -> dict[Side, Estimate]:
    """Estimate the minimum extra CPU of a variant that no request waits for.

    Parameters
    ----------
    costs : sequence of RequestCost
        Costs of all variants, as rounds contain them.
    contrasts : iterable of Contrast
        Their CPU per request is compared the same way: unpaired, or in rounds.

    Returns
    -------
    dict of Side to Estimate
        In s. If it is at or below 0, all of the extra CPU may be in band. Variants with fewer runs
        than the method needs, and series that stop early, have no entry.
    """
    designs = find_designs(runs)
    by_side = {(cost.side, cost.service): cost for cost in costs}
    estimates = {}
    for c in contrasts:
        if (c.metric, c.stat) != ("cpu_per_request", "mean") or c.stopping:
            continue
        base = by_side.get((c.workload.side(c.baseline), c.subject))
        cost = by_side.get((c.side, c.subject))
        if base is None or cost is None or not (base.surplus and cost.surplus):
            continue
        if c.arranged:
            estimate = _estimate_by_rounds(c, costs, designs)
        else:
            sides = list(base.surplus.values()), list(cost.surplus.values())
            estimate = estimate_shift(*sides, c.confidence, _METHODS.get(c.method, "auto"))
        if estimate is not None:
            estimates[c.side] = estimate
    return estimates


def _estimate_by_rounds(
    c: Contrast, costs: Sequence[RequestCost], designs: Mapping[Workload, Design]
) -> Estimate | None:
    """Estimate a row whose runs form complete rounds; None if the surplus of some is missing."""
    design = designs[c.workload]
    columns: dict[str, list[float]] = {}
    for cost in costs:
        variant = cost.side.variant
        if (cost.side.workload, cost.service) != (c.workload, c.subject):
            continue
        of_run = design.get(variant, {})
        rounds = {of_run.get(run): value for run, value in cost.surplus.items()}
        if rounds.keys() != set(of_run.values()):
            return None
        columns[variant] = [rounds[number] for number in sorted(of_run.values())]
    if c.is_paired:
        sides = columns[c.baseline], columns[c.variant]
        by_means = c.method == PAIRED_T
        return paired_t(*sides, c.confidence)[0] if by_means else paired_shift(*sides, c.confidence)
    names, table = list(columns), list(zip(*columns.values(), strict=True))
    places = names.index(c.baseline), names.index(c.variant)
    return compare_aligned(table, *places, c.confidence)[0]

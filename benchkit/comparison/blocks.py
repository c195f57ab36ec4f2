"""Runs that belong together by design: complete blocks, recognised by the recorded order alone.

Whole rounds of a session can be slower than others. If every variant was measured exactly once in
each round, this effect can be removed. The design decides, never a p-value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.comparison.cells import Cell
from benchkit.comparison.model import Row
from benchkit.derived.record import keep_measured
from benchkit.schema import Workload, list_labels
from benchkit.stats.location import paired_t
from benchkit.units import format_change

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Variant -> run -> block.
Design = Mapping[str, Mapping[int, int]]


#: Minimum numbers of complete blocks: with 3 variants or more, and with 2.
ALIGNED_BLOCKS = 5
SIGNED_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class Blocks:
    """The values of one row of a comparison, block by block.

    Parameters
    ----------
    logs : tuple of tuple of float
        One inner tuple per block: the logarithms of all variants, including those not compared
        here.
    baseline, variant : int
        The positions of the two sides in each block.
    """

    logs: tuple[tuple[float, ...], ...]
    baseline: int
    variant: int

    @property
    def variants(self) -> int:
        """Number of variants in each block."""
        return len(self.logs[0])

    def side(self, column: int) -> list[float]:
        """Return the logarithms of one variant in block order."""
        return [block[column] for block in self.logs]


def find_designs(runs: Runs) -> dict[Workload, Design]:
    """Return the series in which every variant was measured exactly once in every block."""
    measured = keep_measured(runs)
    if measured["block"].isna().all():
        return {}
    series: dict[Workload, dict[str, dict[int, int | None]]] = {}
    for labels, block in zip(list_labels(measured), measured["block"], strict=True):
        known = None if math.isnan(_number(block)) else int(block)
        by_variant = series.setdefault(labels.side.workload, {})
        by_variant.setdefault(labels.variant, {})[labels.run] = known
    return {key: _complete(design) for key, design in series.items() if _is_complete(design)}


def arrange(
    key: Row,
    baseline: str,
    variant: str,
    cells: Mapping[str, Mapping[Row, Cell]],
    designs: Mapping[Workload, Design],
) -> Blocks | None:
    """Return the values of one row block by block, or None if the blocks are incomplete.

    A variant without any value for this row (spans of a baseline without tracing) is left out of
    the blocks; a variant that misses only some blocks leaves the whole row unpaired.
    """
    design = designs.get(key.workload)
    if design is None or baseline == variant:
        return None
    present = {name: cells[name][key] for name in design if key in cells.get(name, {})}
    if not {baseline, variant} <= present.keys():
        return None
    columns = []
    for name, cell in present.items():
        by_block = {design[name].get(run): value for run, value in cell.by_run.items()}
        if by_block.keys() != set(design[name].values()) or min(by_block.values()) <= 0:
            return None
        columns.append([math.log(by_block[block]) for block in sorted(design[name].values())])
    order = list(present)
    logs = tuple(zip(*columns, strict=True))
    return Blocks(logs, order.index(baseline), order.index(variant))


def _number(block: object) -> float:
    """Return a block as a number, NaN if unknown."""
    try:
        return float(block)  # type: ignore[arg-type]
    except TypeError:
        return math.nan


def _is_complete(design: Mapping[str, Mapping[int, int | None]]) -> bool:
    blocks = [sorted(b for b in runs.values() if b is not None) for runs in design.values()]
    is_recorded = all(None not in runs.values() for runs in design.values())
    return is_recorded and all(len(set(side)) == len(side) and side == blocks[0] for side in blocks)


def _complete(design: Mapping[str, Mapping[int, int | None]]) -> Design:
    return {
        variant: {run: block for run, block in runs.items() if block is not None}
        for variant, runs in design.items()
    }


def note_pairs(blocks: Blocks | None) -> tuple[str, ...]:
    """Report the paired t-test next to an unpaired one if there are too few pairs for ranks."""
    if blocks is None or blocks.variants != 2 or len(blocks.logs) < ALIGNED_BLOCKS:
        return ()
    estimate, test = paired_t(blocks.side(blocks.baseline), blocks.side(blocks.variant))
    change = format_change(math.exp(estimate.value))
    note = (
        f"a t-test of the {len(blocks.logs)} pairs, which assumes a log-normal distribution of "
        f"the runs, gives {change}, p = {test.pvalue:.2g}; from {SIGNED_BLOCKS} pairs on, benchkit "
        "uses the signed-rank test, which does not need this assumption"
    )
    return (note,)

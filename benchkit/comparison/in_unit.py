"""How much a variant adds, in the metric's unit, by the method that its row was compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.comparison.blocks import Blocks
from benchkit.comparison.measure import Measurement
from benchkit.comparison.methods import ALIGNED, DIFFERENCE, HISTORY, RANK, SIGNED, WELCH
from benchkit.stats.aligned import compare_aligned
from benchkit.stats.location import estimate_shift
from benchkit.stats.results import Estimate
from benchkit.stats.signed_rank import paired_shift

#: Estimate, low and high; the ends are None where there is no interval.
Amount = tuple[float, float | None, float | None]
#: Metrics of which people ask for the amount, not for the ratio alone.
IN_UNIT = frozenset({"latency"})
METHODS = {RANK: "rank", WELCH: "welch", HISTORY: "history"}


def estimate_in_unit(
    x: Sequence[float],
    y: Sequence[float],
    found: Measurement,
    confidence: float,
    blocks: Blocks | None = None,
) -> Amount | None:
    """Return variant - baseline with its interval; None where the row tells a direction only."""
    if found.method == DIFFERENCE:
        value, low, high = found.difference
        return None if value is None else (value, low, high)
    estimate: Estimate | None = None
    if found.method in METHODS:
        estimate = estimate_shift(x, y, confidence, METHODS[found.method])
    elif blocks is not None and found.method == ALIGNED:
        values = [tuple(map(math.exp, block)) for block in blocks.logs]
        estimate, _ = compare_aligned(values, blocks.baseline, blocks.variant, confidence)
    elif blocks is not None and found.method == SIGNED:
        before, after = blocks.side(blocks.baseline), blocks.side(blocks.variant)
        estimate = paired_shift(list(map(math.exp, before)), list(map(math.exp, after)), confidence)
    if estimate is None:
        return None
    low, high = (end if math.isfinite(end) else None for end in (estimate.low, estimate.high))
    return estimate.value, low, high

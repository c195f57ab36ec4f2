"""The change of one metric over all benchmarks together, for cases where single rows are undecided.

Readers average the rows anyway, and only the runs show how precise that average is. It decides no
row and does not affect the gate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from benchkit.comparison.families import find_design, scale
from benchkit.comparison.measure import WELCH_RUNS
from benchkit.comparison.model import (
    DIRECTIONS,
    EXACT,
    HISTORY,
    PAIRED_T,
    SEQUENTIAL,
    WELCH,
    Contrast,
)
from benchkit.stats.geomean import compare_together

#: Minimum number of rows; fewer are read one by one.
FEWEST_ROWS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """All benchmarks of one metric as a single row.

    Parameters
    ----------
    contrast : Contrast
        The joined row; its values are the geometric means of the runs over the benchmarks.
    rows : tuple of Contrast
        The rows that are averaged.
    left_out : int
        The number of rows of the same metric that have other runs than these, or no ratio.
    """

    contrast: Contrast
    rows: tuple[Contrast, ...]
    left_out: int


def join_rows(contrasts: Iterable[Contrast]) -> tuple[Together, ...]:
    """Compare all benchmarks of each primary metric together.

    Within a group, pair, tool, metric and subject, the rows with the same runs on both sides are
    averaged. Counts that are compared exactly, values that are not positive, individual runs and
    series that stop early are left out. There is no result for fewer than three of these
    benchmarks.
    """
    metrics: dict[tuple[str, ...], list[Contrast]] = {}
    for c in contrasts:
        if c.primary and c.method != EXACT:
            key = (c.group, c.baseline, c.variant, c.tool, c.subject, c.metric, c.stat)
            metrics.setdefault(key, []).append(c)
    joined = (_join(rows) for rows in metrics.values())
    return tuple(each for each in joined if each is not None)


def _join(rows: Sequence[Contrast]) -> Together | None:
    same: dict[tuple[object, ...], list[Contrast]] = {}
    for c in rows:
        if c.ratio is not None and c.method not in {HISTORY, SEQUENTIAL, *DIRECTIONS}:
            same.setdefault((find_design(c), c.baseline_runs, c.variant_runs), []).append(c)
    most = max(same.values(), key=len, default=[])
    if len({c.benchmark for c in most}) < FEWEST_ROWS:
        return None
    if min(most[0].n_baseline, most[0].n_variant) < WELCH_RUNS:
        return None
    return Together(contrast=_average(most), rows=tuple(most), left_out=len(rows) - len(most))


def _average(rows: Sequence[Contrast]) -> Contrast:
    first = rows[0]
    x, y = (
        np.array(side, dtype=np.float64) for side in zip(*(scale(c)[:2] for c in rows), strict=True)
    )
    estimate = compare_together(x, y, first.confidence, is_paired=bool(first.arranged))
    low, high = (
        math.exp(end) if math.isfinite(end) else None for end in (estimate.low, estimate.high)
    )
    sides = [tuple(np.exp(side.mean(axis=0)).tolist()) for side in (x, y)]
    return replace(
        first,
        benchmark="",
        params="",
        baseline_values=sides[0],
        variant_values=sides[1],
        center_baseline=median(sides[0]),
        center_variant=median(sides[1]),
        resolution=0.0,
        ratio=math.exp(estimate.value),
        ratio_low=low,
        ratio_high=high,
        equivalence_low=None,
        equivalence_high=None,
        method=PAIRED_T if first.arranged else WELCH,
        pvalue=None,
        notes=estimate.notes,
        arranged=(),
        drift=None,
        amount=None,
    )

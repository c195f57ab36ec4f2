"""Limits of a first policy: the smallest of a few that the runs at hand can show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.comparison import EXACT, Contrast
from benchkit.config.limits import parse_limit
from benchkit.metrics import VOCABULARY
from benchkit.stats.power import runs_to_show_equivalence

#: Fewest runs per side that a first policy asks for.
FEWEST = 4
#: The limits that a first policy offers, the one that is hoped for first.
OFFERED = ("5%", "10%", "20%", "30%", "50%")
#: What is offered before these for metrics that are the same in every run.
_BEFORE = {"allocs_per_op": ("+0",), "bytes_per_op": ("3%",)}


def choose_limit(rows: Sequence[Contrast]) -> str:
    """Return the smallest limit that all rows of one metric can show; empty if there is none."""
    offered = (*_BEFORE.get(rows[0].metric, ()), *OFFERED) if rows else ()
    return next((text for text in offered if all(_can_show(row, text) for row in rows)), "")


def count_runs(rows: Sequence[Contrast], limit: str) -> int | None:
    """Return the runs per side that show a cost of nothing within a limit, by the widest interval.

    None where no practical number does, or no interval is known.
    """
    counts = [_count(row, limit) for row in rows if row.method != EXACT]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def is_exact(row: Contrast) -> bool:
    """Tell whether a metric usually is the same in every run."""
    known = VOCABULARY.get(row.metric)
    return known is not None and known.assume == "exact"


def _can_show(row: Contrast, limit: str) -> bool:
    """Tell whether the runs of a row usually show a cost of nothing to be within a limit."""
    fewest = min(row.n_baseline, row.n_variant)
    if row.method == EXACT:
        return fewest >= FEWEST
    needed = _count(row, limit)
    return needed is not None and needed <= fewest


def _count(row: Contrast, limit: str) -> int | None:
    parsed = parse_limit(limit, "init")
    if not (parsed.is_relative and row.ratio_low and row.ratio_high):
        return None
    width = (math.log(row.ratio_high) - math.log(row.ratio_low)) / 2
    n = 2 / (1 / row.n_baseline + 1 / row.n_variant)
    return runs_to_show_equivalence(width, n, parsed.share, confidence=row.confidence)

"""How many rows a number of runs can decide, by the method of the rows.

In: a contrast. Out: rows, runs. Why: too few runs for a family can never show anything, which is
not the same as showing nothing; pairs allow other p-values than two sides do.
"""

from __future__ import annotations

from benchkit.comparison.measure import ALIGNED, HISTORY, RANK, SIGNED
from benchkit.comparison.model import Contrast
from benchkit.stats.multiplicity import (
    largest_family,
    largest_paired_family,
    pairs_for_family,
    runs_for_family,
)

#: Methods whose smallest p-value the numbers of runs fix.
RANKED = frozenset({RANK, ALIGNED, SIGNED, HISTORY})


def count_decidable(contrast: Contrast, alpha: float) -> int:
    """Return the most rows among which a row like this can be shown."""
    if contrast.method == SIGNED:
        return largest_paired_family(contrast.n_variant, alpha)
    return largest_family(contrast.n_baseline, contrast.n_variant, alpha)


def count_runs(contrast: Contrast, rows: int, alpha: float) -> int:
    """Return the fewest runs per side with which one of so many rows can be shown."""
    if contrast.method == SIGNED:
        return pairs_for_family(rows, alpha)
    return runs_for_family(rows, alpha)

"""How many rows a number of runs can decide, by the method of the rows.

In: a contrast. Out: rows, runs. Why: too few runs for a family can never show anything, which is
not the same as showing nothing; pairs allow other p-values than two sides do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit.comparison.measure import ALIGNED, DIFFERENCE, HISTORY, RANK, SIGNED, choose_method
from benchkit.comparison.model import Contrast
from benchkit.stats.multiplicity import (
    largest_family,
    largest_paired_family,
    pairs_for_family,
    runs_for_family,
)
from benchkit.stats.rank import smallest_pvalue
from benchkit.stats.results import ROUNDING
from benchkit.stats.signed_rank import smallest_paired_pvalue

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


def find_smallest(contrast: Contrast) -> float:
    """Return the smallest p-value that the runs of a row can give; 0 where nothing bounds it."""
    if contrast.method == SIGNED:
        return smallest_paired_pvalue(contrast.n_variant)
    if contrast.method in RANKED or _ranks_differences(contrast):
        return smallest_pvalue(contrast.n_baseline, contrast.n_variant)
    return 0.0


def _ranks_differences(contrast: Contrast) -> bool:
    fewest, most = sorted((contrast.n_baseline, contrast.n_variant))
    return contrast.method == DIFFERENCE and choose_method(fewest, most) == RANK


def find_closed(contrasts: Sequence[Contrast], alpha: float) -> tuple[bool, ...]:
    """Tell which rows Holm's method refuses whatever they measure, the others being as they are.

    Parameters
    ----------
    contrasts : sequence of Contrast
        Of one family; those without a p-value are in none, and never refused.
    alpha : float
        Family-wise level.

    Returns
    -------
    tuple of bool
        True where even the smallest p-value that the row's runs can give, in place of its own,
        would be adjusted to more than alpha. A row that is shown is never among them.
    """
    refused = refuse_all(
        [c.pvalue for c in contrasts if c.pvalue is not None],
        [find_smallest(c) for c in contrasts],
        alpha,
    )
    return tuple(c.pvalue is not None and no for c, no in zip(contrasts, refused, strict=True))


def refuse_all(family: Sequence[float], least: Sequence[float], alpha: float) -> tuple[bool, ...]:
    """Tell which of the smallest p-values that rows can give Holm's method refuses.

    Parameters
    ----------
    family : sequence of float
        The p-values of all rows that are adjusted together.
    least : sequence of float
        The smallest one that each row in question can give, in place of its own.
    alpha : float

    Examples
    --------
    >>> refuse_all([0.001, 0.4], [0.03], 0.05), refuse_all([0.3, 0.4], [0.03], 0.05)
    ((False,), (True,))
    """
    pvalues = np.sort(family)
    if not pvalues.size:
        return (False,) * len(least)
    count = pvalues.size
    passed = np.maximum.accumulate(pvalues * np.arange(count, 0, -1))
    smallest = np.asarray(least)
    before = np.searchsorted(pvalues, smallest, side="left")
    adjusted = smallest * (count - before)
    adjusted = np.maximum(adjusted, np.where(before > 0, passed[before - 1], 0.0))
    return tuple((adjusted > alpha * ROUNDING).tolist())

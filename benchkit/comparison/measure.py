"""What two samples of runs say of each other, by the method that they allow.

In: one value per run on each side. Out: `Found`, on the ratio scale. Why: the situation is chosen
from the data and named in the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchkit.stats.exact import ExactDifference, exact_difference
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann, mann_whitney

#: Fewest runs per side for the exact rank test and its interval; with 2 or 3 it is Welch's.
RANK_RUNS = 4
WELCH_RUNS = 2

EXACT, RANK, WELCH, SINGLE, DIFFERENCE = (
    "exact",
    "hodges-lehmann",
    "welch",
    "single run",
    "difference",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one method says of two samples, on the ratio scale."""

    method: str
    ratio: tuple[float | None, float | None, float | None] = (None, None, None)
    equivalence: tuple[float | None, float | None] = (None, None)
    pvalue: float | None = None
    notes: tuple[str, ...] = ()


def measure(x: Sequence[float], y: Sequence[float], assume: str, confidence: float) -> Found:
    """Choose the method that the data allow and apply it."""
    if assume == "exact":
        exact = exact_difference(x, y)
        if exact is not None:
            return _exact(x, y, exact)
    positive = min(*x, *y) > 0
    fewest = min(len(x), len(y))
    if fewest < WELCH_RUNS:
        return _single(x, y, positive=positive)
    if not positive:
        return _difference(x, y)
    logs = [math.log(v) for v in x], [math.log(v) for v in y]
    wide = 1 - 2 * (1 - confidence)
    if fewest >= RANK_RUNS:
        test = mann_whitney(*logs)
        estimate = hodges_lehmann(*logs, confidence=confidence)
        inner = hodges_lehmann(*logs, confidence=wide)
        notes = (*estimate.notes, *test.notes)
    else:
        estimate, test = welch(*logs, confidence=confidence)
        inner, _ = welch(*logs, confidence=wide)
        assumed = "2 or 3 runs on a side: Welch's test, which assumes log-normal runs"
        notes = (assumed, *estimate.notes, *test.notes)
    return Found(
        method=RANK if fewest >= RANK_RUNS else WELCH,
        ratio=(math.exp(estimate.value), _exp(estimate.low), _exp(estimate.high)),
        equivalence=(_exp(inner.low), _exp(inner.high)),
        pvalue=test.pvalue,
        notes=tuple(dict.fromkeys(notes)),
    )


def _exact(x: Sequence[float], y: Sequence[float], exact: ExactDifference) -> Found:
    """Put the ranges of two sides beside each other; no test, no p-value."""
    if not exact.changed:
        return Found(method=EXACT, ratio=(1.0, 1.0, 1.0), equivalence=(1.0, 1.0))
    ranges = f"exact: {_write_range(x)} against {_write_range(y)}"
    if min(*x, *y) <= 0:
        return Found(method=EXACT, notes=(ranges,))
    low, high = min(y) / max(x), max(y) / min(x)
    ratio = (median(y) / median(x), low, high)
    return Found(method=EXACT, ratio=ratio, equivalence=(low, high), notes=(ranges,))


def _write_range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g} in every run" if low == high else f"{low:g} to {high:g}"


def _single(x: Sequence[float], y: Sequence[float], *, positive: bool) -> Found:
    sides = "1 run per side" if len(x) == len(y) else "1 run on one side"
    ratio = median(y) / median(x) if positive else None
    return Found(method=SINGLE, ratio=(ratio, None, None), notes=(f"{sides}: direction only",))


def compare_summaries(x: float, y: float) -> Found:
    """Put two summaries of runs beside each other: a direction, whatever they stand on."""
    ratio = y / x if min(x, y) > 0 else None
    note = "summaries without the runs behind them: direction only, compare the raw files"
    return Found(method=SINGLE, ratio=(ratio, None, None), notes=(note,))


def _difference(x: Sequence[float], y: Sequence[float]) -> Found:
    test = mann_whitney(x, y)
    note = "values that are not positive have no ratio: compared as a difference"
    return Found(method=DIFFERENCE, pvalue=test.pvalue, notes=(note, *test.notes))


def _exp(log: float) -> float | None:
    return math.exp(log) if math.isfinite(log) else None

"""What two samples of runs say of each other, by the method that they allow.

In: one value per run on each side. Out: `Found`, on the ratio scale. Why: the situation is chosen
from the data and named in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from benchkit.comparison.blocks import Blocks
from benchkit.stats.aligned import align, compare_aligned
from benchkit.stats.exact import ExactDifference, exact_difference
from benchkit.stats.location import paired_t, welch
from benchkit.stats.rank import hodges_lehmann, mann_whitney
from benchkit.stats.results import Estimate, TestResult
from benchkit.stats.signed_rank import paired_shift, wilcoxon
from benchkit.units import format_percent

#: Fewest runs per side for the exact rank test and its interval; with 2 or 3 it is Welch's.
RANK_RUNS = 4
WELCH_RUNS = 2

#: Fewest complete blocks that are taken out with 3 variants or more, and with 2.
ALIGNED_BLOCKS = 5
SIGNED_BLOCKS = 8
ALIGNED_VARIANTS = 3

EXACT, RANK, ALIGNED, SIGNED, WELCH, SINGLE, DIFFERENCE = (
    "exact",
    "hodges-lehmann",
    "aligned",
    "signed-rank",
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
    #: Logarithms of both sides as blocks leave them, aligned or pair by pair; else empty.
    arranged: tuple[tuple[float, ...], ...] = ()


def measure(
    x: Sequence[float],
    y: Sequence[float],
    assume: str,
    confidence: float,
    blocks: Blocks | None = None,
) -> Found:
    """Choose the method that the data and the design allow, and apply it.

    Parameters
    ----------
    x, y : sequence of float
        Baseline and variant, one value per run.
    assume : str
        ``exact`` for counts that hardly vary.
    confidence : float
        Of the interval.
    blocks : Blocks, optional
        The same values block by block, where the runs were made in complete blocks.
    """
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
    if blocks is not None and (method := _choose(blocks)):
        return _by_blocks(blocks, method, confidence)
    logs = [math.log(v) for v in x], [math.log(v) for v in y]
    if fewest >= RANK_RUNS:
        return _found(RANK, confidence, partial(_rank, *logs), _tell_of_pairs(blocks))
    assumed = "2 or 3 runs on a side: Welch's test, which assumes log-normal runs"
    return _found(WELCH, confidence, partial(welch, *logs), (assumed,))


#: Estimate and test at a confidence.
Method = Callable[[float], tuple[Estimate, TestResult]]


def _choose(blocks: Blocks) -> str:
    """Choose by the design alone; empty where it has too few blocks."""
    if blocks.variants >= ALIGNED_VARIANTS:
        return ALIGNED if len(blocks.logs) >= ALIGNED_BLOCKS else ""
    return SIGNED if len(blocks.logs) >= SIGNED_BLOCKS else ""


def _by_blocks(blocks: Blocks, method: str, confidence: float) -> Found:
    if method == ALIGNED:
        apply = partial(compare_aligned, blocks.logs, blocks.baseline, blocks.variant)
        aligned = align(blocks.logs)
        sides = (aligned[:, blocks.baseline].tolist(), aligned[:, blocks.variant].tolist())
    else:
        sides = blocks.side(blocks.baseline), blocks.side(blocks.variant)
        apply = partial(_pair, *sides)
    return replace(_found(method, confidence, apply), arranged=tuple(map(tuple, sides)))


def _found(method: str, confidence: float, apply: Method, notes: tuple[str, ...] = ()) -> Found:
    """Apply a method at the interval's confidence and at that of the equivalence test."""
    estimate, test = apply(confidence)
    inner, _ = apply(1 - 2 * (1 - confidence))
    return Found(
        method=method,
        ratio=(math.exp(estimate.value), _exp(estimate.low), _exp(estimate.high)),
        equivalence=(_exp(inner.low), _exp(inner.high)),
        pvalue=test.pvalue,
        notes=tuple(dict.fromkeys((*notes, *estimate.notes, *test.notes))),
    )


def _rank(x: Sequence[float], y: Sequence[float], confidence: float) -> tuple[Estimate, TestResult]:
    return hodges_lehmann(x, y, confidence), mann_whitney(x, y)


def _pair(x: Sequence[float], y: Sequence[float], confidence: float) -> tuple[Estimate, TestResult]:
    return paired_shift(x, y, confidence), wilcoxon(x, y)


def _tell_of_pairs(blocks: Blocks | None) -> tuple[str, ...]:
    """Show the paired t-test beside an unpaired one, where pairs are too few for ranks."""
    if blocks is None or blocks.variants != 2 or len(blocks.logs) < ALIGNED_BLOCKS:
        return ()
    estimate, test = paired_t(blocks.side(blocks.baseline), blocks.side(blocks.variant))
    change = format_percent(math.exp(estimate.value) - 1)
    told = (
        f"as {len(blocks.logs)} pairs by the t-test, which assumes log-normal runs: "
        f"{change}, p = {test.pvalue:.2g}; {SIGNED_BLOCKS} pairs allow a test without it"
    )
    return (told,)


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

"""The comparison of two samples of runs, by the method that they allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

import numpy as np

from benchkit.comparison.blocks import ALIGNED_BLOCKS, SIGNED_BLOCKS, Blocks, note_pairs
from benchkit.comparison.medians import AGAINST, APART
from benchkit.comparison.model import (
    ALIGNED,
    DIFFERENCE,
    EXACT,
    HISTORY,
    RANK,
    REFUSED,
    SIGNED,
    SINGLE,
    WELCH,
    WITHIN,
)
from benchkit.comparison.ranks import RANK_RUNS, Method, Ranks, rank
from benchkit.config import DEFAULT_METHOD
from benchkit.stats.aligned import align, compare_aligned
from benchkit.stats.exact import ExactDifference, exact_difference
from benchkit.stats.location import welch
from benchkit.stats.prediction import HISTORY as HISTORY_RUNS
from benchkit.stats.prediction import compare_with_history
from benchkit.stats.sample import LARGEST, Estimate, TestResult
from benchkit.stats.signed_rank import paired_shift, wilcoxon
from benchkit.stats.spending import SequentialDesign
from benchkit.stats.spread import are_unequal
from benchkit.stats.twolevel import FEWEST_BEYOND
from benchkit.stats.within import compare_within
from benchkit.units import format_change

WELCH_RUNS = 2

ALIGNED_VARIANTS = 3
#: Assumptions of Student's and Welch's t: on logarithms, and on the values themselves.
ASSUMPTIONS = [f"it assumes a {kind} distribution of the runs" for kind in ("log-normal", "normal")]
#: Note on the comparison of values at or below 0.
NO_RATIO = "some values are 0 or negative, so the change is in the metric's unit, not a ratio"
#: Notes that a reader needs before the method: why the displayed numbers seem to contradict a
#: change.
BEFORE_METHOD = (AGAINST, APART, NO_RATIO)
#: Largest logarithm of a ratio that fits float64.
_LARGEST_LOG = 690.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The result of one method for two samples, on the ratio scale."""

    method: str
    ratio: tuple[float | None, float | None, float | None] = (None, None, None)
    equivalence: tuple[float | None, float | None] = (None, None)
    pvalue: float | None = None
    #: Notes on the method (`notes`), and on the values whatever the method (`facts`).
    notes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    #: Logarithms of both sides as the blocks arrange them, aligned or pair by pair; else empty.
    arranged: tuple[tuple[float, ...], ...] = ()
    #: Variant - baseline in the unit, if there is no ratio: estimate, interval, inner interval.
    difference: tuple[float | None, float | None, float | None] = (None, None, None)
    difference_inner: tuple[float | None, float | None] = (None, None)
    is_ranked: bool = False
    #: Design of an early-stopping series.
    stopping: SequentialDesign | None = None


def measure(
    x: Sequence[float],
    y: Sequence[float],
    assume: str,
    confidence: float,
    blocks: Blocks | None = None,
    requested: str = DEFAULT_METHOD,
    ranks: Ranks | None = None,
) -> Measurement:
    """Choose the method that the data and the design allow, and apply it.

    ``assume`` is ``exact`` for counts that hardly vary; ``blocks`` are the same values block by
    block; ``ranks`` are the tests made together with those of other rows. A requested method is
    used wherever the runs allow it; otherwise a note explains why not.
    """
    if assume == "exact" and max(map(abs, (*x, *y))) <= LARGEST:
        exact = exact_difference(x, y)
        if exact is not None:
            return _exact(x, y, exact)
        if (min(x) == max(x)) != (min(y) == max(y)):
            measured = measure(x, y, "nothing", confidence, blocks, requested, ranks)
            note = f"{_write_range(x)} vs. {_write_range(y)}: the counts vary, so they are tested"
            return replace(measured, facts=(note, *measured.facts))
    positive = min(*x, *y) > 0
    fewest, most = sorted((len(x), len(y)))
    method = choose_method(fewest, most, requested)
    if method == RANK and requested == DEFAULT_METHOD and not is_ranked(x, y, ranks):
        method = WELCH
    refused = note_refused(requested, fewest, most)
    if method == SINGLE or not positive:
        if fewest < WELCH_RUNS:
            return _single(x, y, refused, positive=positive)
        return _difference(x, y, confidence, method, ranks)
    if blocks is not None and (design := _choose(blocks)):
        return _by_blocks(blocks, design, confidence)
    return _by_logs(x, y, method, confidence, blocks, requested, ranks)


def _by_logs(
    x: Sequence[float],
    y: Sequence[float],
    method: str,
    confidence: float,
    blocks: Blocks | None,
    requested: str,
    ranks: Ranks | None,
) -> Measurement:
    """Apply an unpaired method to logarithms."""
    fewest, most = sorted((len(x), len(y)))
    refused = note_refused(requested, fewest, most)
    if math.log(max(*x, *y)) - math.log(min(*x, *y)) >= _LARGEST_LOG:
        apart = "values 300 orders of magnitude apart cannot be compared"
        return Measurement(method=DIFFERENCE, notes=(apart,), is_ranked=method == RANK)
    made = ranks.method(x, y) if ranks and method == RANK else None
    logs = ([math.log(v) for v in x], [math.log(v) for v in y]) if made is None else ([], [])
    if method == RANK:
        notes = (*refused, *note_pairs(blocks))
        return _apply(RANK, confidence, made or partial(rank, *logs), notes)
    if method == HISTORY:
        return _predict(*logs, confidence, refused)
    least = is_least(fewest, most)
    notes = (*refused, _explain_welch(fewest, most, requested))
    return _apply(WELCH, confidence, partial(welch, *logs, least_freedom=least), notes)


def is_least(fewest: int, most: int) -> bool:
    """Return whether Welch's degrees of freedom cannot be estimated: 2 runs against more."""
    return fewest == WELCH_RUNS < most


def _explain_welch(fewest: int, most: int, requested: str) -> str:
    """Explain why a row uses Welch's test, and what the test assumes."""
    if requested == "welch":
        why = "Welch's test as requested"
    elif fewest < RANK_RUNS:
        why = "2 or 3 runs on a side: Welch's test"
    elif fewest < most:
        why = "more runs on one side: Welch's test, valid even if one side varies more"
    else:
        why = "one side varies several times as much: Welch's test"
    return f"{why}; {ASSUMPTIONS[0]}"


def choose_method(fewest: int, most: int, requested: str = DEFAULT_METHOD) -> str:
    """Return the method for these numbers of runs, with positive values and without blocks.

    With more runs on one side, ranks reject too often if the smaller side varies more (8 + 4 normal
    runs, twice the spread: 9 % at 5 %), and a spread like this cannot be detected from so few runs.

    Examples
    --------
    >>> choose_method(8, 8), choose_method(3, 3), choose_method(1, 8), choose_method(1, 7)
    ('hodges-lehmann', 'welch', 'prediction', 'single run')
    >>> choose_method(4, 8), choose_method(3, 8, "history"), choose_method(3, 3, "history")
    ('welch', 'prediction', 'welch')
    """
    if not note_refused(requested, fewest, most) and requested in _REQUESTED:
        return _REQUESTED[requested]
    if fewest >= WELCH_RUNS:
        return RANK if fewest == most >= RANK_RUNS else WELCH
    return HISTORY if most >= HISTORY_RUNS else SINGLE


def is_ranked(x: Sequence[float], y: Sequence[float], ranks: Ranks | None = None) -> bool:
    """Return whether ranks decide: equal numbers of runs, 4 or more, and no very unequal spread."""
    if choose_method(min(len(x), len(y)), max(len(x), len(y))) != RANK:
        return False
    unequal = ranks.is_unequal(x, y) if ranks else None
    if unequal is not None:
        return not unequal
    is_positive = min(*x, *y) > 0
    if not is_positive and max(map(abs, (*x, *y))) > LARGEST:
        return True  # not compared anyway
    sides = [np.log(side) if is_positive else np.asarray(side) for side in (x, y)]
    return not are_unequal(*(side[None] for side in sides))[0]


_REQUESTED = {"rank": RANK, "welch": WELCH, "history": HISTORY}


def note_refused(requested: str, fewest: int, most: int) -> tuple[str, ...]:
    """Return why a requested method is not possible; empty if it is."""
    if requested == "history" and most < HISTORY_RUNS:
        return (f"{most} runs are too few for a prediction; {HISTORY_RUNS} are needed",)
    if requested in {"rank", "welch"} and fewest < WELCH_RUNS:
        return (f"{requested} needs {WELCH_RUNS} runs on each side",)
    return ()


def _choose(blocks: Blocks) -> str:
    """Choose by the design alone; empty if it has too few blocks."""
    if blocks.variants >= ALIGNED_VARIANTS:
        return ALIGNED if len(blocks.logs) >= ALIGNED_BLOCKS else ""
    return SIGNED if len(blocks.logs) >= SIGNED_BLOCKS else ""


#: Notes for methods whose estimates do not name the method.
_NAMED = {SIGNED: ("signed ranks of the differences within each round",)}


def _by_blocks(blocks: Blocks, method: str, confidence: float) -> Measurement:
    if method == ALIGNED:
        apply = partial(compare_aligned, blocks.logs, blocks.baseline, blocks.variant)
        x, y = align(blocks.logs, blocks.baseline, blocks.variant)
        sides = x.tolist(), y.tolist()
    else:
        sides = blocks.side(blocks.baseline), blocks.side(blocks.variant)
        apply = partial(_pair, *sides)
    notes = (*_NAMED.get(method, ()), *_note_unpaired(blocks, apply, confidence))
    measured = _apply(method, confidence, apply, notes)
    return replace(measured, arranged=tuple(map(tuple, sides)))


def _note_unpaired(blocks: Blocks, apply: Method, confidence: float) -> tuple[str, ...]:
    """Report the unpaired comparison next to that of the blocks if only one of them rejects."""
    estimate, test = rank(blocks.side(blocks.baseline), blocks.side(blocks.variant), confidence)
    _, ours = apply(confidence)
    if (test.pvalue <= 1 - confidence) == (ours.pvalue <= 1 - confidence):
        return ()
    change = format_change(math.exp(estimate.value))
    unpaired = (
        f"without pairs, the same runs give {change}, p = {test.pvalue:.2g} (blocks: "
        f"{ours.pvalue:.2g})"
    )
    why = "a few slow runs or slow rounds explain why the two results differ"
    return (f"{unpaired}; {why}: see --blocks never, or blocks='never' in Python",)


def _apply(
    method: str, confidence: float, apply: Method, notes: tuple[str, ...] = ()
) -> Measurement:
    """Apply a method at the confidence of the interval and at that of the equivalence test."""
    estimate, test = apply(confidence)
    inner, _ = apply(1 - 2 * (1 - confidence))
    return Measurement(
        method=method,
        ratio=(math.exp(estimate.value), to_ratio(estimate.low), to_ratio(estimate.high)),
        equivalence=(to_ratio(inner.low), to_ratio(inner.high)),
        pvalue=test.pvalue,
        notes=tuple(dict.fromkeys((*notes, *estimate.notes, *test.notes))),
    )


def _pair(x: Sequence[float], y: Sequence[float], confidence: float) -> tuple[Estimate, TestResult]:
    return paired_shift(x, y, confidence), wilcoxon(x, y)


def _exact(x: Sequence[float], y: Sequence[float], exact: ExactDifference) -> Measurement:
    """Compare the ranges of two sides; no test, no p-value."""
    if not exact.changed:
        return Measurement(method=EXACT, ratio=(1.0, 1.0, 1.0), equivalence=(1.0, 1.0))
    ranges = f"exact: {_write_range(x)} vs. {_write_range(y)}"
    low, ratio, high = (
        _divide(*ends) for ends in ((min(y), max(x)), (median(y), median(x)), (max(y), min(x)))
    )
    if low is None or high is None:
        ends = min(y) - max(x), max(y) - min(x)
        shift = median(y) - median(x), *ends
        return Measurement(method=EXACT, notes=(ranges,), difference=shift, difference_inner=ends)
    return Measurement(
        method=EXACT, ratio=(ratio, low, high), equivalence=(low, high), notes=(ranges,)
    )


def _write_range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g} in every run" if low == high else f"{low:g} to {high:g}"


def _single(
    x: Sequence[float], y: Sequence[float], refused: tuple[str, ...], *, positive: bool
) -> Measurement:
    sides = "1 run per side" if len(x) == len(y) else "1 run on one side"
    ratio = _divide(median(y), median(x)) if positive else None
    notes = (f"{sides}: direction only", *refused)
    return Measurement(method=SINGLE, ratio=(ratio, None, None), notes=notes)


def _predict(
    x: Sequence[float], y: Sequence[float], confidence: float, refused: tuple[str, ...]
) -> Measurement:
    """Compare few runs with the prediction from the longer side; this cannot show equivalence."""
    is_new = len(y) <= len(x)
    history, new = (x, y) if is_new else (y, x)
    estimate, test = compare_with_history(history, new, confidence)
    sign = 1 if is_new else -1
    low, high = sorted((sign * estimate.low, sign * estimate.high))
    return Measurement(
        method=HISTORY,
        ratio=(math.exp(sign * estimate.value), to_ratio(low), to_ratio(high)),
        pvalue=test.pvalue,
        notes=(*estimate.notes, *refused),
    )


def compare_stretches(
    x: Sequence[float], y: Sequence[float], measured: Measurement, confidence: float
) -> Measurement:
    """Add to the direction of two individual runs how precisely each of them is known.

    Parameters
    ----------
    x, y : sequence of float
        The same statistic in each stretch of the two runs, positive.
    measured : Measurement
        The measurement of the two runs.
    confidence : float
        The confidence of the interval.
    """
    logs = [math.log(v) for v in x], [math.log(v) for v in y]
    inner = compare_within(*logs, confidence)
    ratio, *_ = measured.ratio
    if ratio is None or not math.isfinite(inner.low):
        return replace(measured, notes=(*measured.notes, *inner.notes))
    away = math.log(ratio) - inner.value
    bounds = to_ratio(inner.low + away), to_ratio(inner.high + away)
    note = (
        "the interval covers only the variation within these two runs, not the differences "
        "between runs"
    )
    return replace(measured, method=WITHIN, ratio=(ratio, *bounds), notes=(*measured.notes, note))


def refuse(stat: str, beyond: float) -> Measurement:
    """Refuse a quantile with too few events of a run beyond it."""
    few = (
        f"only {beyond:.3g} events of a run lie beyond {stat}; at least {FEWEST_BEYOND} are needed"
    )
    return Measurement(method=REFUSED, notes=(few,))


def compare_summaries(x: float, y: float, generators: int = 0) -> Measurement:
    """Compare two summaries of runs, or of generators of one load, by direction only.

    The same summary in several files counts once.
    """
    note = "summaries without individual runs: direction only; compare the raw files"
    if generators:
        note = f"the runs are {generators} generators of one load test: direction only"
    return Measurement(method=SINGLE, ratio=(_divide(y, x), None, None), notes=(note,))


def _difference(
    x: Sequence[float], y: Sequence[float], confidence: float, method: str, ranks: Ranks | None
) -> Measurement:
    """Compare values without a logarithm by ranks or Welch's test on the values themselves."""
    if max(map(abs, (*x, *y))) > LARGEST:
        return Measurement(
            method=DIFFERENCE, notes=(f"values beyond {LARGEST:g} cannot be compared",)
        )
    made: Method | None = ranks.method(x, y) if ranks else None
    notes: tuple[str, ...] = ()
    if method == WELCH:
        least = is_least(*sorted((len(x), len(y))))
        made = partial(welch, x, y, least_freedom=least)
        notes = (f"Welch's test; {ASSUMPTIONS[1]}",)
    apply = made or partial(rank, x, y)
    estimate, test = apply(confidence)
    inner, _ = apply(1 - 2 * (1 - confidence))
    return Measurement(
        method=DIFFERENCE,
        pvalue=test.pvalue,
        notes=tuple(dict.fromkeys((*notes, *estimate.notes, *test.notes))),
        facts=(NO_RATIO,),
        difference=(estimate.value, finite(estimate.low), finite(estimate.high)),
        difference_inner=(finite(inner.low), finite(inner.high)),
        is_ranked=method != WELCH,
    )


def finite(value: float) -> float | None:
    """Return a number, or None if it is not finite."""
    return value if math.isfinite(value) else None


def to_ratio(log: float) -> float | None:
    """Return the ratio of a logarithm; None if it exceeds float64."""
    return math.exp(log) if abs(log) < _LARGEST_LOG else None


def _divide(y: float, x: float) -> float | None:
    """Return y / x, None if it is not a positive number or exceeds float64."""
    ratio = y / x if min(x, y) > 0 else 0.0
    return ratio if 0 < ratio < math.inf else None

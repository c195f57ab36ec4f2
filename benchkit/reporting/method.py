"""How the numbers came about, in sentences.

A reader who doubts a row can do it again by hand.
"""

from __future__ import annotations

from benchkit.comparison import (
    ALIGNED,
    DIFFERENCE,
    EXACT,
    HISTORY,
    LEAST_WELCH,
    MAX_T,
    PAIRED_T,
    RANK,
    REFUSED,
    SEQUENTIAL,
    SIGNED,
    SINGLE,
    UNJUDGED,
    WELCH,
    WITHIN,
)
from benchkit.tables.wording import format_bare, name_adjustments
from benchkit.verdict import Verdicts

_METHODS = {
    RANK: (
        "Equal numbers of runs on both sides (at least 4) with similar spread: the "
        "Hodges–Lehmann estimate of the ratio, on a log scale, with the interval of the "
        "exact Mann–Whitney test."
    ),
    ALIGNED: (
        "At least 3 variants in at least 5 complete blocks of the recorded order: the "
        "level of each block is removed first, on a log scale. That level comes from the medians "
        "of all variants in the block, compared or not. Then the "
        "Hodges–Lehmann estimate and the Mann–Whitney test follow. Interval and p-value "
        "are approximate and assume that the variants vary about equally."
    ),
    SIGNED: (
        "Two variants in at least 8 complete blocks of the recorded order: the median of "
        "the Walsh averages of the pairs, on a log scale, with the interval of the exact "
        "signed-rank test."
    ),
    WELCH: (
        "2 or 3 runs on a side, sides that differ in runs or greatly in spread, or on request: "
        "Welch's t-test on a log scale, which assumes that "
        "runs are log-normal."
    ),
    MAX_T: (
        "Too many rows to test one by one: the change of the mean "
        "logarithm, with Student's interval. The rows are tested together by permuting "
        "whole runs (step-down max-T of Westfall and Young), which assumes that both "
        "sides vary alike. For runs in rounds, the sides of whole rounds are exchanged instead; "
        "that test does not need similar spreads."
    ),
    LEAST_WELCH: (
        "Several rows, with sides that differ in runs or in spread, or with 2 runs on just one "
        "side: Welch's t-test on a log scale with conservative degrees of freedom (runs of "
        "the smaller side − 1). It keeps its error level whatever the spreads are, for "
        "log-normal runs."
    ),
    PAIRED_T: (
        "Several rows measured in rounds, which neither ranks nor permutation can decide: "
        "the t-test of the paired rounds on a log scale. It keeps its error level "
        "whatever the spreads are, for log-normal runs."
    ),
    SEQUENTIAL: (
        "A series that was looked at after every round and stopped once it was decided: the "
        "mean of the rounds' pairs on a log scale. Its p-value and interval hold however often one "
        "looks: the error level is divided over all looks (Lan–DeMets spending), with the exact t "
        "distribution for log-normal runs. Equivalence has a level of its own. "
        "The first decision of a row stands, and its numbers are those of that round. "
        "The estimate is slightly biased, because it determined when the series stopped; the "
        "interval allows for this."
    ),
    UNJUDGED: (
        "An early-stopping series gives a verdict only with all runs of all its rounds, "
        "and only on positive values."
    ),
    HISTORY: (
        "A single run against 8 or more earlier ones, or on request: the ratio to their "
        "median, a p-value from its rank among them, and a prediction interval for a new run. The "
        "prediction interval is Student's t on a log scale, but at least as wide as the "
        "range of the order statistics. With 39 or more earlier runs, it is valid for any "
        "distribution; with fewer and skewed runs, its coverage is about 92 %. It is not an "
        "interval for the change and cannot show equivalence."
    ),
    SINGLE: "A single run on a side: only the ratio, which shows the direction.",
    WITHIN: (
        "A single run on both sides with raw samples: the ratio, which shows only the "
        "direction. The within-run interval comes from parts of each run and their "
        "correlation. It says how precisely these two runs are known, but not how much "
        "runs differ."
    ),
    REFUSED: (
        "A percentile with fewer than 10 events of a run beyond it is not compared: it "
        "depends on a few of the largest values."
    ),
    DIFFERENCE: (
        "Values that are not positive have no ratio and no percentage: the "
        "Hodges–Lehmann estimate of their difference in the unit, with the interval of "
        "the exact Mann–Whitney test (2 or 3 runs on a side: Welch's). The margin is a "
        "share of the baseline's median; if that is negative, there is no margin and no "
        "verdict."
    ),
    EXACT: (
        "Counts that hardly vary within a side and do not overlap between sides: the difference, "
        "without a test."
    ),
}


def describe_method(verdicts: Verdicts) -> tuple[str, ...]:
    """Describe the unit of analysis, the methods in use, the correction and the verdicts."""
    used = {row.contrast.method for row in verdicts.rows}
    margin = format_bare(verdicts.margin)
    confidence = format_bare(verdicts.comparisons.confidence)
    wide = format_bare(1 - 2 * verdicts.alpha)
    unit = (
        "One run is one observation, however many requests it contains. Each value in "
        "the tables is the median over runs. The change is the estimate of variant ÷ "
        "baseline, which can differ from the quotient of the two medians."
    )
    how = name_adjustments(verdicts.primary) or "Holm"
    intervals = (
        f"Each interval covers one row, at {confidence}, not all rows together. "
        "Intervals that cover all primary rows together are in the tooltips and in JSON. They are "
        "conservative: a row can be significant although its joint interval includes 0 %. The "
        "p-values of the primary metrics are adjusted "
        f"together ({how}), all others by Benjamini and Hochberg's method."
    )
    words = (
        "▲ worse, ▼ better: the adjusted p-value is at most "
        f"{round(verdicts.alpha, 6):g} and the estimated change is at least {margin}. = "
        f"no meaningful difference: the {wide} interval lies within ±{margin}. ~ "
        "inconclusive: the data show neither; changes outside the interval are ruled out."
    )
    sensitivity = (
        "detects: the smallest change that the runs of an inconclusive row would detect four "
        "times out of five, computed from the width of its interval. runs needed: per "
        f"side, to show no change beyond {margin} if there is none, and to show a change "
        "of twice that. Both are for the row alone, and only an order of magnitude with "
        "few runs."
    )
    units = "Times in s, ms, µs; data in powers of 1,024 (KiB, MiB)."
    methods = (text for method, text in _METHODS.items() if method in used)
    return (unit, *methods, intervals, words, sensitivity, units)

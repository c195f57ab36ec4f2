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
    SIGNED,
    SINGLE,
    WELCH,
    WITHIN,
)
from benchkit.tables.wording import format_bare, name_adjustments
from benchkit.verdict import Verdicts

_METHODS = {
    RANK: (
        "With as many runs on both sides, at least 4, and no very unequal spread: the "
        "Hodges–Lehmann estimate of the ratio, on logarithms, with the interval of the exact "
        "Mann–Whitney test."
    ),
    ALIGNED: (
        "With 3 variants or more in at least 5 complete blocks of the recorded order: each block's "
        "level, from its medians over all variants and over those not compared, is taken out, on "
        "logarithms; then the Hodges–Lehmann estimate and the Mann–Whitney test. Interval and p "
        "are approximate, and assume that the variants vary about equally."
    ),
    SIGNED: (
        "With 2 variants in at least 8 complete blocks of the recorded order: the median of the "
        "Walsh averages of the pairs, on logarithms, with the interval of the exact signed-rank "
        "test."
    ),
    WELCH: (
        "With 2 or 3 runs on a side, more runs on one side, one side that varies several times as "
        "much, or on request: Welch's t-test on logarithms, which assumes that runs are log-normal."
    ),
    MAX_T: (
        "With more rows than the runs' own tests can carry: the change of the mean of the "
        "logarithms, with Student's interval; the rows are tested together by permuting whole runs "
        "(step-down max-T of Westfall and Young), which assumes that both sides vary alike; of "
        "runs in rounds by exchanging the sides of whole rounds, which does not."
    ),
    LEAST_WELCH: (
        "With several rows whose sides differ in runs or in spread, and with 2 runs on one side "
        "only: Welch's t-test on logarithms with the fewest degrees of freedom, runs of the "
        "smaller side − 1, which holds its level whatever the spreads are, for log-normal runs."
    ),
    PAIRED_T: (
        "With several rows measured in rounds that neither ranks nor permutation can carry: the "
        "t-test of the rounds' pairs on logarithms, which holds its level whatever the spreads "
        "are, for log-normal runs."
    ),
    HISTORY: (
        "With a single run against 8 or more earlier ones, or where it was asked for: the ratio to "
        "their median, beside the interval in which they let a new run be expected (Student's t on "
        "logarithms, and no narrower than order statistics, which hold any new run from 39 earlier "
        "ones on; with fewer it holds about 92 of 100 skewed runs), and its rank among them as p. "
        "It is no interval of a change, and shows no equivalence."
    ),
    SINGLE: "With a single run on a side: the ratio alone, which shows a direction and no more.",
    WITHIN: (
        "With a single run on both sides whose raw samples are at hand: the ratio, which shows a "
        "direction and no more. The within-run interval, from stretches of each run and their "
        "correlation, says how well these two runs are known; how much runs differ is not in it."
    ),
    REFUSED: (
        "A percentile beyond which a run has fewer than 10 events is not compared: it is one of a "
        "few largest values."
    ),
    DIFFERENCE: (
        "Values that are not positive have no ratio and no percent: the Hodges–Lehmann estimate of "
        "their difference in the unit, with the interval of the exact Mann–Whitney test (2 or 3 "
        "runs on a side: Welch's). The margin is taken of the baseline's median; below 0 it means "
        "nothing, and there is no verdict."
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
        "One run is one observation, however many requests it holds. Each value in the tables is "
        "the median over runs; the change is the estimate of variant ÷ baseline, which need not "
        "be the quotient of the two medians."
    )
    how = name_adjustments(verdicts.primary) or "Holm"
    intervals = (
        f"Intervals hold for one row at a time, at {confidence}, not for all rows at once. Those "
        "that hold for all primary rows at once are in the tooltips and in JSON; they are wider "
        "than the adjusted p-values need, which take row after row. The "
        f"p-values of the primary metrics are adjusted together ({how}), all others by Benjamini "
        "and Hochberg's method."
    )
    words = (
        f"▲ worse, ▼ better: the adjusted p-value is at most {round(verdicts.alpha, 6):g} and the "
        f"estimate is a change of at least {margin}. "
        f"= no practical difference: the {wide} interval lies within ±{margin}. ~ not shown: the "
        "data decide neither; what lies outside the interval is excluded."
    )
    sensitivity = (
        "detects: the smallest change that the runs of a row that is not shown find four times out "
        "of five, from the width of its interval; runs needed: per side, to show no change beyond "
        f"{margin} where there is none and a change of twice that. Both hold for the row alone, "
        "and are an order of magnitude with few runs."
    )
    units = "Times in s, ms, µs; data in powers of 1,024 (KiB, MiB)."
    methods = (text for method, text in _METHODS.items() if method in used)
    return (unit, *methods, intervals, words, sensitivity, units)

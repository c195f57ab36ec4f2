"""How the numbers came about, in sentences.

In: `Verdicts`. Out: paragraphs. Why: a reader who doubts a row can do it again by hand.
"""

from __future__ import annotations

from benchkit.comparison import ALIGNED, DIFFERENCE, EXACT, RANK, SIGNED, SINGLE, WELCH
from benchkit.tables.wording import format_bare
from benchkit.verdict import Verdicts

_METHODS = {
    RANK: (
        "With at least 4 runs on both sides: the Hodges–Lehmann estimate of the ratio, on "
        "logarithms, with the interval of the exact Mann–Whitney test."
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
        "With 2 or 3 runs on a side: Welch's t-test on logarithms, which assumes that runs are "
        "log-normal."
    ),
    SINGLE: "With a single run on a side: the ratio alone, which shows a direction and no more.",
    DIFFERENCE: (
        "Values that are not positive have no ratio: their difference, with the exact "
        "Mann–Whitney test."
    ),
    EXACT: (
        "Counts that hardly vary within a side and do not overlap between sides: the difference, "
        "without a test."
    ),
}


def describe_method(verdicts: Verdicts) -> tuple[str, ...]:
    """Describe the unit of analysis, the methods in use, the correction and the verdicts."""
    used = {contrast.method for contrast in verdicts.comparisons.contrasts}
    margin = format_bare(verdicts.margin)
    confidence = format_bare(verdicts.comparisons.confidence)
    wide = format_bare(1 - 2 * verdicts.alpha)
    unit = (
        "One run is one observation, however many requests it holds. Each value in the tables is "
        "the median over runs; the change is the estimate of variant ÷ baseline, which need not "
        "be the quotient of the two medians."
    )
    intervals = (
        f"Intervals hold for one row at a time, at {confidence}. The p-values of the primary "
        "metrics are adjusted together by Holm's method, all others by Benjamini and Hochberg's."
    )
    words = (
        f"▲ costs, ▼ gains: the adjusted p-value is at most {round(verdicts.alpha, 6):g} and the "
        f"estimate is at least {margin} (as a factor, so that both directions count the same). "
        f"= no practical difference: the {wide} interval lies within ±{margin}. ~ not shown: the "
        "data decide neither; what lies outside the interval is excluded."
    )
    units = "Times in s, ms, µs; data in powers of 1,024 (KiB, MiB)."
    methods = (text for method, text in _METHODS.items() if method in used)
    return (unit, *methods, intervals, words, units)

"""How the numbers were computed, in sentences."""

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
        "If both sides have the same number of runs (at least 4) and a similar spread, the "
        "change is the Hodges–Lehmann estimate of the ratio, on a log scale, with the interval "
        "of the exact Mann–Whitney test."
    ),
    ALIGNED: (
        "If at least 3 variants were measured in at least 5 complete rounds, "
        "the level of each round is removed first, on a log scale. The level comes from the "
        "medians of all variants in the round, even those that are not compared. Then the "
        "Hodges–Lehmann estimate and the Mann–Whitney test are computed. Interval and p-value "
        "are approximate, and assume that the variants vary about equally."
    ),
    SIGNED: (
        "If two variants were measured in at least 8 complete rounds, the "
        "change is the median of the Walsh averages of the pairs, on a log scale, with the "
        "interval of the exact signed-rank test."
    ),
    WELCH: (
        "If a side has only 2 or 3 runs, if the sides have different numbers of runs or very "
        "different spreads, or on request, the test is Welch's t-test on a log scale. It assumes "
        "a log-normal distribution of the runs."
    ),
    MAX_T: (
        "If there are too many rows to test one by one, the change is estimated from the mean of "
        "the logarithms, with Student's interval. A permutation of whole runs tests all rows "
        "together (step-down max-T of Westfall and Young). It assumes that both sides vary "
        "equally. If the runs are in rounds, the test swaps the two sides of whole rounds instead, "
        "and does not need similar spreads."
    ),
    LEAST_WELCH: (
        "For several rows whose sides have different numbers of runs or different spreads, or for "
        "a row with 2 runs on one side and more on the other, the test is Welch's "
        "t-test on a log scale with conservative degrees of freedom (runs of the smaller side − "
        "1). If the runs are log-normally distributed, it keeps its error level whatever the "
        "spreads are."
    ),
    PAIRED_T: (
        "If several rows were measured in rounds and neither ranks nor permutation can decide "
        "them, the test is the t-test of the paired rounds on a log scale. If the runs "
        "are log-normally distributed, it keeps its error level whatever the spreads are."
    ),
    SEQUENTIAL: (
        "An early-stopping series is tested after every round and ends when it is decided. The "
        "estimate is the mean difference within the rounds, on a log scale. The error level is "
        "divided over all these tests (Lan–DeMets spending), so p-value and interval hold however "
        "many there are. They use the t distribution, which is exact if the runs are log-normally "
        "distributed. Equivalence has a separate error level. The first decision on a row is "
        "final; the row shows the numbers of the round in which it was decided. The estimate is "
        "slightly biased, because it determined when the series stopped; the interval allows for "
        "this. Unless another baseline is named, it is that of the series."
    ),
    UNJUDGED: (
        "An early-stopping series gives a verdict only if no run of its rounds is missing and "
        "all values are positive."
    ),
    HISTORY: (
        "A single run is compared with 8 or more earlier runs, automatically or on request. The "
        "result is the ratio to their median, a p-value from its rank among them, and a "
        "prediction interval for a new run. The prediction interval is Student's t on a log "
        "scale, but never narrower than the rank-based interval of the earlier runs. With 39 "
        "or more earlier runs, it is valid for any distribution. With fewer, it covers about 92 "
        "% if the runs are skewed. It is not an interval for the change and cannot show "
        "equivalence."
    ),
    SINGLE: "If a side has a single run, the ratio shows only the direction.",
    WITHIN: (
        "If both sides have a single run with raw samples, the ratio shows only the direction. "
        "The within-run interval comes from parts of each run and their correlation. It shows "
        "how precisely these two runs are known, but not how much runs differ."
    ),
    REFUSED: (
        "A percentile is not compared if fewer than 10 events of a run lie beyond it, because it "
        "depends on a few of the largest values."
    ),
    DIFFERENCE: (
        "If some values are 0 or negative, there is no ratio. The change is then the "
        "Hodges–Lehmann estimate of the difference, in the metric's unit, with the interval of "
        "the exact Mann–Whitney test (or of Welch's test, if a side has 2 or 3 runs). The margin "
        "is a share of the baseline's median. If that is negative, there is no margin and no "
        "verdict."
    ),
    EXACT: (
        "If counts hardly vary within a side and do not overlap between the sides, the "
        "difference is reported without a test."
    ),
}


def describe_method(verdicts: Verdicts) -> tuple[str, ...]:
    """Describe the unit of analysis, the methods used, the correction and the verdicts."""
    used = {row.contrast.method for row in verdicts.rows}
    margin = format_bare(verdicts.margin)
    confidence = format_bare(verdicts.comparisons.confidence)
    wide = format_bare(1 - 2 * verdicts.alpha)
    unit = (
        "One run is one observation, however many requests it contains. Each value in the tables "
        "is the median over runs. The change is an estimate of variant ÷ baseline, and can "
        "differ from the ratio of the two medians."
    )
    how = name_adjustments(verdicts.primary) or "Holm"
    intervals = (
        f"Each interval covers one row at {confidence}, not all rows together. Tooltips and JSON "
        "also have intervals that cover all primary rows together. These are conservative: a row "
        "can be significant although its joint interval includes 0 %. The p-values of the "
        f"primary metrics are adjusted together ({how}), and those of all other metrics by "
        "Benjamini and Hochberg's method."
    )
    words = (
        f"▲ worse, ▼ better: the adjusted p-value is at most {round(verdicts.alpha, 6):g} and the "
        f"estimated change is at least {margin}. = no meaningful difference: the {wide} interval "
        f"lies within ±{margin}. ~ inconclusive: the runs show neither, but rule out changes "
        "outside the interval."
    )
    sensitivity = (
        "can detect: the smallest change that the runs of an inconclusive row would detect four "
        "times out of five, computed from the width of its interval. runs needed: the number of "
        f"runs per side that is enough for a verdict: it shows a change of 2 × {margin} if there "
        f"is one, and that no change exceeds {margin} if there is none. Both are for the row "
        "alone; with few runs, they are only an order of magnitude."
    )
    units = "Times in s, ms, µs; data in powers of 1,024 (KiB, MiB)."
    methods = (text for method, text in _METHODS.items() if method in used)
    return (unit, *methods, intervals, words, sensitivity, units)

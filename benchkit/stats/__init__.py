"""Statistics on plain arrays.

What a test says must not depend on a frame, a file or the name of a metric.

Importing this package costs numpy and nothing else; scipy is imported only by the functions that
need a distribution (`welch`, `paired_t`, all intervals of predictions, quantiles, individual runs
and series that stop, and all that plan or calibrate), when they are called.
"""

from benchkit.stats.aligned import align, compare_aligned
from benchkit.stats.bisection import CommitSearch, choose_commit, find_commit
from benchkit.stats.changepoint import (
    ChangePoint,
    estimate_change,
    find_changes,
    find_likeness,
    find_split,
)
from benchkit.stats.equivalence import is_equivalent, margin_bounds
from benchkit.stats.exact import ExactDifference, exact_difference
from benchkit.stats.familypower import family_power
from benchkit.stats.geomean import compare_together
from benchkit.stats.location import median, paired_t, prediction_interval, welch
from benchkit.stats.modes import Modes, find_modes
from benchkit.stats.multiplicity import (
    benjamini_hochberg,
    holm,
    largest_family,
    largest_paired_family,
    pairs_for_family,
    runs_for_family,
)
from benchkit.stats.order import Trend, adjust_for_trend, find_trend, is_interleaved
from benchkit.stats.outliers import find_outliers
from benchkit.stats.power import (
    detectable_effect,
    detectable_shift,
    runs_to_show_effect,
    runs_to_show_equivalence,
)
from benchkit.stats.prediction import compare_with_history
from benchkit.stats.proportion import estimate_rate
from benchkit.stats.rank import hodges_lehmann, mann_whitney, smallest_pvalue
from benchkit.stats.rankrows import RankRows, compare_rows
from benchkit.stats.sample import Estimate, TestResult
from benchkit.stats.samplesize import runs_for_effect, runs_for_equivalence, smallest_effect
from benchkit.stats.sequential import Looks, find_stops, take_looks
from benchkit.stats.signed_rank import paired_shift, smallest_paired_pvalue, wilcoxon
from benchkit.stats.spending import SequentialDesign
from benchkit.stats.spread import Components, Spread, measure_spread, part_variance, spread_limits
from benchkit.stats.twolevel import QuantileChange, compare_two_level, quantile_interval
from benchkit.stats.within import (
    Correlation,
    Course,
    compare_within,
    find_correlation,
    find_course,
)

__all__ = [
    "ChangePoint",
    "CommitSearch",
    "Components",
    "Correlation",
    "Course",
    "Estimate",
    "ExactDifference",
    "Looks",
    "Modes",
    "QuantileChange",
    "RankRows",
    "SequentialDesign",
    "Spread",
    "TestResult",
    "Trend",
    "adjust_for_trend",
    "align",
    "benjamini_hochberg",
    "choose_commit",
    "compare_aligned",
    "compare_rows",
    "compare_together",
    "compare_two_level",
    "compare_with_history",
    "compare_within",
    "detectable_effect",
    "detectable_shift",
    "estimate_change",
    "estimate_rate",
    "exact_difference",
    "family_power",
    "find_changes",
    "find_commit",
    "find_correlation",
    "find_course",
    "find_likeness",
    "find_modes",
    "find_outliers",
    "find_split",
    "find_stops",
    "find_trend",
    "hodges_lehmann",
    "holm",
    "is_equivalent",
    "is_interleaved",
    "largest_family",
    "largest_paired_family",
    "mann_whitney",
    "margin_bounds",
    "measure_spread",
    "median",
    "paired_shift",
    "paired_t",
    "pairs_for_family",
    "part_variance",
    "prediction_interval",
    "quantile_interval",
    "runs_for_effect",
    "runs_for_equivalence",
    "runs_for_family",
    "runs_to_show_effect",
    "runs_to_show_equivalence",
    "smallest_effect",
    "smallest_paired_pvalue",
    "smallest_pvalue",
    "spread_limits",
    "take_looks",
    "welch",
    "wilcoxon",
]

"""Statistics on plain arrays.

In: numbers, one per run. Out: estimates, p-values and small frozen results with notes.
Why: what a test says must not depend on a frame, a file or the name of a metric.

Importing this package costs numpy and nothing else; scipy is imported only by the functions that
need a distribution (`welch`, `prediction_interval`, and all that plan or calibrate), when they are
called.
"""

from benchkit.stats.equivalence import is_equivalent, log_margin
from benchkit.stats.exact import ExactDifference, exact_difference
from benchkit.stats.geomean import mean_log_ratio
from benchkit.stats.location import median, prediction_interval, welch
from benchkit.stats.multiplicity import benjamini_hochberg, holm, largest_family, runs_for_family
from benchkit.stats.power import minimum_effect, runs_to_show_effect, runs_to_show_equivalence
from benchkit.stats.proportion import estimate_rate
from benchkit.stats.rank import hodges_lehmann, mann_whitney, smallest_pvalue
from benchkit.stats.results import Estimate, TestResult
from benchkit.stats.samplesize import runs_for_effect, runs_for_equivalence, smallest_effect
from benchkit.stats.spread import Components, Spread, measure_spread, part_variance

__all__ = [
    "Components",
    "Estimate",
    "ExactDifference",
    "Spread",
    "TestResult",
    "benjamini_hochberg",
    "estimate_rate",
    "exact_difference",
    "hodges_lehmann",
    "holm",
    "is_equivalent",
    "largest_family",
    "log_margin",
    "mann_whitney",
    "mean_log_ratio",
    "measure_spread",
    "median",
    "minimum_effect",
    "part_variance",
    "prediction_interval",
    "runs_for_effect",
    "runs_for_equivalence",
    "runs_for_family",
    "runs_to_show_effect",
    "runs_to_show_equivalence",
    "smallest_effect",
    "smallest_pvalue",
    "welch",
]

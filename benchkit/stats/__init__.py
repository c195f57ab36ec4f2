"""Statistics on plain arrays.

The result of a test must not depend on a data frame, a file or the name of a metric.

Importing this package costs nothing, and its functions import numpy; scipy is imported only by
functions that need a distribution (`welch`, `paired_t`, all intervals of predictions, quantiles,
individual runs and early-stopping series, and everything that plans or calibrates), when they are
called.
"""

from __future__ import annotations

#: For type checkers.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from benchkit.stats.aligned import align as align
    from benchkit.stats.aligned import compare_aligned as compare_aligned
    from benchkit.stats.bisection import CommitSearch as CommitSearch
    from benchkit.stats.bisection import choose_commit as choose_commit
    from benchkit.stats.bisection import find_commit as find_commit
    from benchkit.stats.changepoint import ChangePoint as ChangePoint
    from benchkit.stats.changepoint import estimate_change as estimate_change
    from benchkit.stats.changepoint import find_changes as find_changes
    from benchkit.stats.changepoint import find_likeness as find_likeness
    from benchkit.stats.changepoint import find_split as find_split
    from benchkit.stats.equivalence import is_equivalent as is_equivalent
    from benchkit.stats.equivalence import margin_bounds as margin_bounds
    from benchkit.stats.exact import ExactDifference as ExactDifference
    from benchkit.stats.exact import exact_difference as exact_difference
    from benchkit.stats.familypower import family_power as family_power
    from benchkit.stats.geomean import compare_together as compare_together
    from benchkit.stats.location import median as median
    from benchkit.stats.location import paired_t as paired_t
    from benchkit.stats.location import prediction_interval as prediction_interval
    from benchkit.stats.location import welch as welch
    from benchkit.stats.multiplicity import benjamini_hochberg as benjamini_hochberg
    from benchkit.stats.multiplicity import holm as holm
    from benchkit.stats.multiplicity import largest_family as largest_family
    from benchkit.stats.multiplicity import largest_paired_family as largest_paired_family
    from benchkit.stats.multiplicity import pairs_for_family as pairs_for_family
    from benchkit.stats.multiplicity import runs_for_family as runs_for_family
    from benchkit.stats.order import Trend as Trend
    from benchkit.stats.order import adjust_for_trend as adjust_for_trend
    from benchkit.stats.order import find_trend as find_trend
    from benchkit.stats.order import is_interleaved as is_interleaved
    from benchkit.stats.outliers import Modes as Modes
    from benchkit.stats.outliers import find_modes as find_modes
    from benchkit.stats.outliers import find_outliers as find_outliers
    from benchkit.stats.power import detectable_effect as detectable_effect
    from benchkit.stats.power import detectable_shift as detectable_shift
    from benchkit.stats.power import runs_to_show_effect as runs_to_show_effect
    from benchkit.stats.power import runs_to_show_equivalence as runs_to_show_equivalence
    from benchkit.stats.prediction import compare_with_history as compare_with_history
    from benchkit.stats.proportion import estimate_rate as estimate_rate
    from benchkit.stats.rank import hodges_lehmann as hodges_lehmann
    from benchkit.stats.rank import mann_whitney as mann_whitney
    from benchkit.stats.rank import smallest_pvalue as smallest_pvalue
    from benchkit.stats.rankrows import RankRows as RankRows
    from benchkit.stats.rankrows import compare_rows as compare_rows
    from benchkit.stats.sample import Estimate as Estimate
    from benchkit.stats.sample import TestResult as TestResult
    from benchkit.stats.samplesize import runs_for_effect as runs_for_effect
    from benchkit.stats.samplesize import runs_for_equivalence as runs_for_equivalence
    from benchkit.stats.samplesize import smallest_effect as smallest_effect
    from benchkit.stats.sequential import Looks as Looks
    from benchkit.stats.sequential import find_stops as find_stops
    from benchkit.stats.sequential import take_looks as take_looks
    from benchkit.stats.signed_rank import paired_shift as paired_shift
    from benchkit.stats.signed_rank import smallest_paired_pvalue as smallest_paired_pvalue
    from benchkit.stats.signed_rank import wilcoxon as wilcoxon
    from benchkit.stats.spending import SequentialDesign as SequentialDesign
    from benchkit.stats.spread import Components as Components
    from benchkit.stats.spread import Spread as Spread
    from benchkit.stats.spread import measure_spread as measure_spread
    from benchkit.stats.spread import part_variance as part_variance
    from benchkit.stats.spread import spread_limits as spread_limits
    from benchkit.stats.twolevel import QuantileChange as QuantileChange
    from benchkit.stats.twolevel import compare_two_level as compare_two_level
    from benchkit.stats.twolevel import quantile_interval as quantile_interval
    from benchkit.stats.within import Correlation as Correlation
    from benchkit.stats.within import Course as Course
    from benchkit.stats.within import compare_within as compare_within
    from benchkit.stats.within import find_correlation as find_correlation
    from benchkit.stats.within import find_course as find_course

#: The modules that contain the public names, imported when a name is first used.
_EXPORTS = {
    "aligned": "align compare_aligned",
    "bisection": "CommitSearch choose_commit find_commit",
    "changepoint": "ChangePoint estimate_change find_changes find_likeness find_split",
    "equivalence": "is_equivalent margin_bounds",
    "exact": "ExactDifference exact_difference",
    "familypower": "family_power",
    "geomean": "compare_together",
    "location": "median paired_t prediction_interval welch",
    "multiplicity": "benjamini_hochberg holm largest_family largest_paired_family "
    "pairs_for_family runs_for_family",
    "order": "Trend adjust_for_trend find_trend is_interleaved",
    "outliers": "Modes find_modes find_outliers",
    "power": "detectable_effect detectable_shift runs_to_show_effect runs_to_show_equivalence",
    "prediction": "compare_with_history",
    "proportion": "estimate_rate",
    "rank": "hodges_lehmann mann_whitney smallest_pvalue",
    "rankrows": "RankRows compare_rows",
    "sample": "Estimate TestResult",
    "samplesize": "runs_for_effect runs_for_equivalence smallest_effect",
    "sequential": "Looks find_stops take_looks",
    "signed_rank": "paired_shift smallest_paired_pvalue wilcoxon",
    "spending": "SequentialDesign",
    "spread": "Components Spread measure_spread part_variance spread_limits",
    "twolevel": "QuantileChange compare_two_level quantile_interval",
    "within": "Correlation Course compare_within find_correlation find_course",
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names.split()}

__all__ = sorted(_MODULES)  # noqa: PLE0605 - all of them are str


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)

"""What a calibration is made of: the rule, one row per metric and variant, one per metric."""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.comparison.measure import Measurement
from benchkit.comparison.replicates import Replicates
from benchkit.stats.sample import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The default rule, and how many runs it is given.

    Parameters
    ----------
    margin, confidence : float
        As in a comparison.
    runs : int or None
        Runs per side; half of each variant's if None.
    seed : int
        Of the splits, where more are possible than are tried.
    """

    margin: float = 0.03
    confidence: float = 0.95
    runs: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRow:
    """One metric of one variant, or of two that are the same thing.

    Parameters
    ----------
    k : int
        Runs per side.
    splits, ways : int
        Splits that were tried, and that there are.
    comparisons : int
        Comparisons without a shared run that the runs hold.
    sizes : tuple of float
        |log ratio| of the estimate in each split.
    alarms, rejections, equivalent : float or None
        Shares of the splits in which the rule finds a change, the test alone rejects, and
        equivalence is shown; None with one run per side.
    measured : Measurement
        The first k runs against the last k, or one variant against the other.
    is_alarm : bool or None
        Whether the rule finds a change there.
    is_pair : bool
        Whether these are two variants that are the same thing.
    """

    replicates: Replicates
    k: int
    splits: int
    ways: int
    comparisons: int
    sizes: tuple[float, ...]
    alarms: float | None
    rejections: float | None
    equivalent: float | None
    measured: Measurement
    is_alarm: bool | None
    is_pair: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseMetric:
    """All rows of one metric at one number of runs per side.

    Parameters
    ----------
    rate : Estimate or None
        False alarms over the splits, the interval from as many trials as there are comparisons
        without a shared run; None with one run per side.
    measured : Estimate or None
        False alarms in the comparisons in measured order, one per row.
    margin : float
        Suggested: holds 95 % of further estimates, and what was measured between pairs; rounded up.
    margin_low, margin_high : float
        The 95 % interval of the margin that truly holds 95 %.
    """

    metric: str
    stat: str
    k: int
    rows: int
    splits: int
    comparisons: int
    rate: Estimate | None
    measured: Estimate | None
    margin: float
    margin_low: float
    margin_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The rows, the metrics, and the rule that was tried.

    Parameters
    ----------
    pairs : tuple of (str, str)
        Variants that are the same thing; empty where each was split by itself.
    skipped : tuple of Replicates
        Those with too few runs for two sides.
    """

    rows: tuple[NoiseRow, ...]
    metrics: tuple[NoiseMetric, ...]
    rule: Rule
    pairs: tuple[tuple[str, str], ...]
    skipped: tuple[Replicates, ...]

"""The parts of a calibration: the rule, a row per metric and variant, and one per metric.

The margin required by a machine's noise, and the uncertainty of its estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from benchkit.comparison.measure import Measurement
from benchkit.comparison.replicates import Replicates
from benchkit.stats.sample import Estimate
from benchkit.stats.spread import spread_limits
from benchkit.stats.student import t_quantile

#: Share of A/A estimates within a suggested margin, and the confidence of its interval.
HELD = 0.95
_STEP, _COARSE_STEP, _COARSE = 0.005, 0.01, 0.1
#: Logarithms beyond this are not margins.
_LARGEST_LOG = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The default rule, and the number of runs it gets.

    Parameters
    ----------
    margin, confidence : float
        As in a comparison.
    runs : int or None
        Runs per side; half of each variant's by default.
    seed : int
        For the splits, if there are more than are tried.
    """

    margin: float = 0.03
    confidence: float = 0.95
    runs: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRow:
    """One metric of one variant, or of two variants of the same program.

    Parameters
    ----------
    k : int
        Runs per side.
    splits, ways : int
        Splits that were tried, and the number of possible ones.
    comparisons : int
        The number of comparisons without a shared run.
    sizes : tuple of float
        |log ratio| of the estimate in each split.
    alarms, rejections, equivalent : float or None
        Shares of the splits in which the rule reports a change, the test alone rejects, and
        equivalence is shown; None with one run per side.
    measured : Measurement
        The first k runs against the last k, or one variant against the other.
    is_alarm : bool or None
        Whether the rule reports a change for them.
    is_pair : bool
        Whether these are two variants of the same program.
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
        False alarms over the splits, with an interval for as many trials as there are comparisons
        without a shared run; None with one run per side.
    measured : Estimate or None
        False alarms in the comparisons in measured order, one per row.
    margin : float
        Suggested: contains 95 % of further estimates and the measured differences of pairs; rounded
        up.
    margin_low, margin_high : float
        The 95 % interval of the margin that actually contains 95 %.
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
    """The rows, the metrics, and the rule that was applied.

    Parameters
    ----------
    pairs : tuple of (str, str)
        Variants of the same program; empty if each was split.
    skipped : tuple of Replicates
        Those with too few runs for two sides.
    """

    rows: tuple[NoiseRow, ...]
    metrics: tuple[NoiseMetric, ...]
    rule: Rule
    pairs: tuple[tuple[str, str], ...]
    skipped: tuple[Replicates, ...]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How far A/A estimates of one row are from no change.

    Parameters
    ----------
    splits : tuple of float
        |log ratio| of each split of the runs; NaN if there was none.
    runs : int
        Number of split runs.
    measured : float
        |log ratio| of two sessions measured next to each other; 0 if there were none.
    """

    splits: tuple[float, ...]
    runs: int
    measured: float = 0.0


def suggest_margin(rows: Sequence[Sizes]) -> Estimate:
    """Suggest a margin that contains 95 % of further A/A estimates.

    Parameters
    ----------
    rows : sequence of Sizes
        Those of one metric at one number of runs per side.

    Returns
    -------
    Estimate
        ``value``, a fraction rounded up to half a percent (above 10 % to whole percents), NaN
        without a size; ``low`` and ``high``: the 95 % interval of the margin that actually contains
        95 %.

    Notes
    -----
    The largest of three: the 95 % quantile of the sizes of the splits; t_{0.975}·e, with e the root
    mean square of the sizes, which is the prediction interval of one more estimate [1]_; and the
    measured difference of two sessions. The degrees of freedom are the runs minus one per row, or
    fewer if rows vary unequally, by Satterthwaite's formula. The interval is the larger of that
    quantile and 1.96·e, times the limits of a standard deviation, and contains the suggested
    margin. Smallest usable n: 2 runs, for which the margin is 12.7 times their difference.

    References
    ----------
    .. [1] G. J. Hahn and W. Q. Meeker, Statistical Intervals (1991), sections 4.3 and 4.7.

    Examples
    --------
    >>> one = suggest_margin([Sizes((0.001, 0.010, 0.012), runs=6)])
    >>> one.value, round(one.low, 3), round(one.high, 3)
    (0.025, 0.011, 0.044)
    >>> suggest_margin([Sizes((0.01,), runs=2)]).value
    0.14
    """
    known = [row for row in rows if not all(map(math.isnan, row.splits))]
    if not known:
        return Estimate(math.nan, math.nan, math.nan, HELD, "A/A splits")
    sizes = [size for row in known for size in row.splits if not math.isnan(size)]
    error, freedom = _pool(known)
    held = float(np.quantile(sizes, HELD, method="higher"))
    single = t_quantile(freedom, (1 + HELD) / 2) * error
    least = max(held, single, *(row.measured for row in known))
    likely = max(held, NormalDist().inv_cdf((1 + HELD) / 2) * error)
    low, high = (_to_fraction(end * likely) for end in spread_limits(freedom, HELD))
    value = _round_up(_to_fraction(least))
    return Estimate(value, low, max(high, value), HELD, "A/A splits")


def _pool(rows: Sequence[Sizes]) -> tuple[float, float]:
    """Return the root mean square of the sizes, and its degrees of freedom."""
    squares = np.array([np.nanmean(np.square(row.splits)) for row in rows])
    weights = np.array([row.runs - 1 for row in rows])
    parts = weights * squares
    total = float(parts.sum())
    freedom = total**2 / float(parts @ squares) if total else float(weights.sum())
    return math.sqrt(total / float(weights.sum())), freedom


def _to_fraction(log: float) -> float:
    return math.expm1(log) if log < _LARGEST_LOG else math.inf


def _round_up(share: float) -> float:
    if math.isinf(share):
        return share
    step = _STEP if share <= _COARSE else _COARSE_STEP
    return round(max(math.ceil(round(share / step, 9)), 1) * step, 6)

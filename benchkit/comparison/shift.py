"""The shift function: how much each quantile moves, with an interval from runs.

In: observations and runs of two variants. Out: `Shift`s, one per percentile. Why: a change can be
in the tail alone; a percentile of a run is one value, so that its interval is about runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchkit.comparison.cells import Key, collect, tell_of_runs
from benchkit.comparison.events import Events, has_tail
from benchkit.comparison.measure import Found, measure
from benchkit.comparison.model import Plan
from benchkit.errors import DataError
from benchkit.metrics import percentile_level
from benchkit.stats.twolevel import FEWEST_BEYOND

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One quantile on both sides.

    Parameters
    ----------
    group, benchmark, params, tool, subject, metric, stat, unit : str
    level : float
        0.99 for p99.
    center_baseline, center_variant : float
        Medians over runs.
    n_baseline, n_variant : int
        Runs.
    found : Found or None
        Estimate, interval and p-value; None where too few events lie beyond the quantile.
    notes : tuple of str
    """

    group: str
    benchmark: str
    params: str
    tool: str
    subject: str
    metric: str
    stat: str
    unit: str
    level: float
    center_baseline: float
    center_variant: float
    n_baseline: int
    n_variant: int
    found: Found | None
    notes: tuple[str, ...]


def compare_quantiles(
    observations: Observations,
    runs: Runs,
    baseline: str,
    variant: str,
    *,
    metric: str = "latency",
    confidence: float = 0.95,
) -> tuple[Shift, ...]:
    """Compare every percentile that both variants have.

    Parameters
    ----------
    observations, runs : Observations, Runs
    baseline, variant : str
    metric : str
    confidence : float
        Of each interval by itself: they are not simultaneous.

    Returns
    -------
    tuple of Shift
        In the order of the data, percentiles ascending.

    Raises
    ------
    DataError
        If the two have no percentile of the metric in common.

    Notes
    -----
    Per percentile the method of a comparison: Hodges-Lehmann on logarithms over the runs'
    percentiles with 4 runs a side and more, Welch's t with 2 or 3. Percentiles are never averaged
    into one of a larger sample. Where a run tells its events, those beyond the quantile have to be
    at least 10. See K. Doksum, "Empirical probability plots and statistical inference for nonlinear
    models in the two-sample case", Ann. Statist. 2 (1974) 267-277.
    """
    told = tell_of_runs(runs)
    cells = collect(observations, Plan(), told)
    left, right = cells.get(baseline, {}), cells.get(variant, {})
    events = Events(observations)
    shared = [key for key in left if key in right and key[5] == metric]
    levels = {key: percentile_level(key[6]) for key in shared}
    known = {key: level for key, level in levels.items() if level is not None}
    if not known:
        raise DataError(
            f"{baseline} and {variant} have no percentile of {metric} in common",
            hint="see `benchkit export --metric " + metric + "`",
        )
    place = {key[:6]: index for index, key in reversed(list(enumerate(known)))}
    shifts = []
    for key, level in sorted(known.items(), key=lambda each: (place[each[0][:6]], each[1])):
        x, y = left[key].values(), right[key].values()
        beyond = events.beyond(key, baseline, variant)
        found = measure(x, y, "nothing", confidence) if has_tail(beyond) else None
        shifts.append(_shift(key, left[key].unit, level, x, y, found, beyond))
    return tuple(shifts)


def _shift(
    key: Key,
    unit: str,
    level: float,
    x: tuple[float, ...],
    y: tuple[float, ...],
    found: Found | None,
    beyond: float,
) -> Shift:
    group, benchmark, params, tool, subject, metric, stat = key
    few = f"{beyond:.0f} events of a run lie beyond {stat}: at least {FEWEST_BEYOND} are needed"
    return Shift(
        group=group, benchmark=benchmark, params=params, tool=tool, subject=subject,
        metric=metric, stat=stat, unit=unit, level=level,
        center_baseline=median(x), center_variant=median(y), n_baseline=len(x), n_variant=len(y),
        found=found, notes=(few,) if found is None else found.notes,
    )  # fmt: skip

"""How many runs a comparison needs, from how much the runs at hand vary.

In: observations and runs, an effect, a margin. Out: `Planning`. Why: the number of runs is decided
before they are made, by the spread of some that were, with the doubt that few runs leave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.comparison.model import Plan
from benchkit.comparison.replicates import Replicates, collect_replicates
from benchkit.derived.batches import Batches
from benchkit.stats.multiplicity import runs_for_family
from benchkit.stats.outliers import find_outliers
from benchkit.stats.sample import LARGEST
from benchkit.stats.samplesize import runs_for_effect, runs_for_equivalence, smallest_effect
from benchkit.stats.spread import Components, Spread, measure_spread, part_variance

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: Share of the variance within runs below which longer runs do not help, and above which they do.
_SMALL_SHARE, _LARGE_SHARE = 0.1, 0.5
#: With fewer runs the spread between them is an order of magnitude.
_FEW_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a comparison shall be able to show.

    Parameters
    ----------
    effect : float
        A fraction, 0.06 for 6 %.
    margin : float
        The smallest change that matters.
    power : float
        Probability of success.
    confidence : float
        Of the intervals; tests are made at 1 - confidence.
    """

    effect: float = 0.06
    margin: float = 0.03
    power: float = 0.8
    confidence: float = 0.95

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1 - self.confidence

    @property
    def reach(self) -> float:
        """The margin where the effect lies beyond it; else 0, for the test alone."""
        return self.margin if self.effect > self.margin else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Runs per side at the measured spread and at its upper limit; None: more than 1000."""

    runs: int | None
    high: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """The plan without the outlying runs.

    Parameters
    ----------
    outliers : int
        Runs that were left out.
    spread : Spread
    effect, equivalence : Needed
    """

    outliers: int
    spread: Spread
    effect: Needed
    equivalence: Needed


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One metric of one variant.

    Parameters
    ----------
    replicates : Replicates
    spread : Spread or None
        None with a single run, or with values that have no logarithm.
    effect, equivalence : Needed or None
        Runs per side that show the effect, and that show equivalence at the margin.
    shows : float or None
        The smallest effect that as many runs as there are show.
    components : Components or None
        Where the stretches of the runs tell them.
    calm : Calm or None
        The same without outlying runs, where there are any.
    notes : tuple of str
    """

    replicates: Replicates
    spread: Spread | None = None
    effect: Needed | None = None
    equivalence: Needed | None = None
    shows: float | None = None
    components: Components | None = None
    calm: Calm | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """The rows, and what they were planned for.

    Parameters
    ----------
    rows : tuple of PlanRow
    goal : Goal
    family : int
        Primary rows of a comparison of these variants, which Holm's method adjusts together.
    family_runs : int
        Fewest runs per side with which any row of such a family can be shown.
    """

    rows: tuple[PlanRow, ...]
    goal: Goal
    family: int
    family_runs: int


def plan_runs(
    observations: Observations, runs: Runs, goal: Goal | None = None, plan: Plan | None = None
) -> Planning:
    """Plan a comparison from the runs of one variant or more.

    Parameters
    ----------
    observations, runs : Observations, Runs
        With the stretches of runs, where raw samples told them.
    goal : Goal, optional
    plan : Plan, optional
        Its primaries, if it names any, in place of those of the tools.

    Returns
    -------
    Planning

    Raises
    ------
    SelectionError, DataError
        As `collect_replicates`.

    Notes
    -----
    Both sides are taken to vary like the row's variant. Runs are those of one row that is tested
    unpaired; blocks need fewer, Holm's adjustment of several rows needs more.
    """
    goal = goal or Goal()
    replicates = collect_replicates(observations, runs, plan)
    batches = Batches(observations)
    rows = tuple(_plan(row, goal, _part(row, batches)) for row in replicates)
    cells: dict[object, int] = {}
    for row in replicates:
        cells[row.key] = cells.get(row.key, 0) + 1
    family = sum(variants - 1 for variants in cells.values()) or len(cells)
    return Planning(
        rows=rows, goal=goal, family=family, family_runs=runs_for_family(family, goal.alpha)
    )


def advise(parts: Components) -> str:
    """Say what helps: more runs, or longer ones.

    Examples
    --------
    >>> advise(Components(0.031, 0.004, 8, 10)), advise(Components(0.01, 0.02, 8, 10))
    ('more runs help, more requests will not', 'longer runs help as much as more runs')
    """
    if parts.runs < _FEW_RUNS and parts.share >= _SMALL_SHARE:
        return f"{parts.runs} runs are too few to say whether more runs help or longer ones"
    if parts.share < _SMALL_SHARE:
        return "more runs help, more requests will not"
    if parts.share > _LARGE_SHARE:
        return "longer runs help as much as more runs"
    return "more runs help most, longer runs a little"


def _plan(row: Replicates, goal: Goal, components: Components | None) -> PlanRow:
    if row.n < 2:
        note = "one run tells nothing of how much runs vary: make at least 4"
        return PlanRow(replicates=row, components=components, notes=(note,))
    if not 0 < min(row.values) <= max(row.values) <= LARGEST:
        note = f"values that are not positive, or beyond {LARGEST:g}, have no plan"
        return PlanRow(replicates=row, components=components, notes=(note,))
    spread = measure_spread(row.values)
    return PlanRow(
        replicates=row,
        spread=spread,
        effect=_need(spread, goal, shown=True),
        equivalence=_need(spread, goal, shown=False),
        shows=smallest_effect(
            spread.cv, row.n, margin=goal.margin, power=goal.power, alpha=goal.alpha
        ),
        components=components,
        calm=_calm(row, goal),
        notes=_warn(row, spread),
    )


def _calm(row: Replicates, goal: Goal) -> Calm | None:
    """Plan once more without the outlying runs, which ranks mind less than a spread does."""
    far = find_outliers([math.log(value) for value in row.values]).tolist()
    if not any(far):
        return None
    kept = [value for value, is_far in zip(row.values, far, strict=True) if not is_far]
    spread = measure_spread(kept)
    return Calm(
        outliers=sum(far),
        spread=spread,
        effect=_need(spread, goal, shown=True),
        equivalence=_need(spread, goal, shown=False),
    )


def _need(spread: Spread, goal: Goal, *, shown: bool) -> Needed:
    def count(cv: float) -> int | None:
        level = {"power": goal.power, "alpha": goal.alpha}
        if shown:
            return runs_for_effect(cv, goal.effect, margin=goal.reach, **level)
        return runs_for_equivalence(cv, goal.margin, **level)

    return Needed(runs=count(spread.cv), high=count(spread.high))


def _warn(row: Replicates, spread: Spread) -> tuple[str, ...]:
    if spread.cv == 0:
        return ("the runs do not vary: the spread is below what the tool prints",)
    if row.n < 4:
        return (f"the spread stands on {row.n} runs: an order of magnitude",)
    return ()


def _part(row: Replicates, batches: Batches) -> Components | None:
    """Part the spread where at least two runs have samples enough."""
    if row.subject:
        return None
    series = row.group, row.variant, row.benchmark, row.params, row.tool, row.metric
    found = list(batches.take(series, row.stat).values())
    if len(found) < 2:
        return None
    return part_variance(found)

"""The number of runs a comparison needs, estimated from the spread of existing runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchkit.comparison.model import Plan
from benchkit.comparison.replicates import Replicates, collect_replicates
from benchkit.derived.stretches import Batches
from benchkit.stats.equivalence import log_sizes, worsen
from benchkit.stats.families import Basis
from benchkit.stats.familypower import choose_basis, family_power, find_power
from benchkit.stats.outliers import find_outliers
from benchkit.stats.power import FEWEST_RUNS
from benchkit.stats.sample import LARGEST
from benchkit.stats.samplesize import runs_for_effect, runs_for_equivalence, smallest_effect
from benchkit.stats.spread import Components, Spread, measure_spread, part_variance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchkit.schema import Observations, Runs

#: Share of the variance within runs below which longer runs do not help, and above which they do.
_SMALL_SHARE, _LARGE_SHARE = 0.1, 0.5
#: With fewer runs, only the order of magnitude of their spread is known.
_FEW_RUNS = 5
#: Runs per side and changes in the table of chances, in addition to the planned ones.
_TABLE_RUNS, _TABLE_EFFECTS = (4, 5, 6, 8, 10, 15, 20, 30), (0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The change that a comparison should be able to detect.

    Parameters
    ----------
    effect : float
        A fraction; 0.06 is 6 % worse.
    margin : float
        The smallest change that matters.
    power : float
        Probability of success.
    confidence : float
        Of the intervals; tests use the level 1 - confidence.
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
        """The margin if the effect is above it, else 0 (the test alone decides)."""
        return self.margin if self.effect > self.margin else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Runs per side at the measured spread and at its upper limit; None: more than 1000."""

    runs: int | None
    high: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """The plan without outliers.

    Parameters
    ----------
    outliers : int
        Number of runs that were left out.
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
    spread : Spread or None
        None with a single run, or with values that have no logarithm.
    effect, equivalence : Needed or None
        Runs per side that detect the effect, and that show equivalence at the margin.
    shows : float or None
        The smallest effect that the existing number of runs detects.
    components : Components or None
        If the segments of the runs determine them.
    calm : Calm or None
        The same without outliers, if there are any.
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
class Family:
    """The primary rows of a comparison of these variants, which are decided together.

    Parameters
    ----------
    variants : int
        Number of variants that are compared with the baseline.
    """

    rows: int = 1
    variants: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What the planned runs achieve if the spread is as measured.

    Parameters
    ----------
    runs : int
        Per side, enough for the row that varies most.
    basis : {'row', 'max-t', 'least-welch'}
        The method that decides this number of rows and runs.
    one : float
        The probability that a row is significant if only it changes, for the worst row.
    every : float
        The probability that all rows are significant if all change.
    """

    runs: int
    basis: Basis
    one: float
    every: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """The probability of detecting a change, for the row that varies most.

    Parameters
    ----------
    rows : tuple of (int, tuple of float)
        Runs per side, and the probability for each effect.
    """

    effects: tuple[float, ...]
    rows: tuple[tuple[int, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """The rows, and the target they were planned for.

    Parameters
    ----------
    promise : Promise or None
        None if no row has a plan, or one needs more than 1000 runs.
    chances : Chances or None
        None if no row has a plan.
    """

    rows: tuple[PlanRow, ...]
    goal: Goal
    family: Family
    promise: Promise | None
    chances: Chances | None


def plan_runs(
    observations: Observations, runs: Runs, goal: Goal | None = None, plan: Plan | None = None
) -> Planning:
    """Plan a comparison from the runs of one or more variants.

    Parameters
    ----------
    observations, runs : Observations, Runs
        With the segments of runs, if raw samples provide them.
    goal : Goal, optional
    plan : Plan, optional
        Its primaries, if it names any, replace those of the tools.

    Raises
    ------
    SelectionError, DataError
        Like `collect_replicates`.

    Notes
    -----
    Both sides are assumed to vary like the row's variant. Rows are tested unpaired, and decided
    together as in a comparison of these variants; blocks need fewer runs.
    """
    goal = goal or Goal()
    replicates = collect_replicates(observations, runs, plan)
    batches = Batches(observations)
    cells: dict[object, int] = {}
    for row in replicates:
        cells[row.key] = cells.get(row.key, 0) + 1
    several = [variants - 1 for variants in cells.values() if variants > 1]
    family = Family(rows=sum(several) or len(cells), variants=max(several, default=1))
    rows = tuple(_plan(row, goal, family, _part(row, batches)) for row in replicates)
    return Planning(
        rows=rows,
        goal=goal,
        family=family,
        promise=_promise(rows, goal, family),
        chances=_tabulate(rows, goal, family),
    )


def _promise(rows: Sequence[PlanRow], goal: Goal, family: Family) -> Promise | None:
    """Return what the runs will show for the row that varies most."""
    planned = [row for row in rows if row.spread and row.effect]
    runs = [row.effect.runs for row in planned if row.effect and row.effect.runs]
    if not planned or len(runs) < len(planned):
        return None
    designs = _list_designs(rows, goal)
    # with several variants, one is the baseline, and a row without a spread may be the worst
    designs = (designs + designs[:1] * family.rows)[: family.rows]
    one, every = family_power(
        [cv for cv, _ in designs], max(runs), [worsen(goal.effect, way) for _, way in designs],
        variants=family.variants, margin=goal.reach, alpha=goal.alpha,
    )  # fmt: skip
    return Promise(
        runs=max(runs),
        basis=choose_basis(max(runs), family.rows, family.variants, goal.alpha),
        one=float(one.min()),
        every=every,
    )


def _tabulate(rows: Sequence[PlanRow], goal: Goal, family: Family) -> Chances | None:
    """Return the chances of the row that varies most, for several numbers of runs and changes."""
    designs = _list_designs(rows, goal)
    if not designs:
        return None
    (cv, better), *_ = designs
    needed = {row.effect.runs for row in rows if row.effect and row.effect.runs}
    counts = sorted({*_TABLE_RUNS, max(needed, default=FEWEST_RUNS)})
    beyond = (effect for effect in _TABLE_EFFECTS if effect > goal.reach)
    effects = tuple(sorted({goal.effect, *beyond}))
    chance = partial(
        find_power, cv, rows=family.rows, variants=family.variants,
        margin=goal.reach, alpha=goal.alpha,
    )  # fmt: skip
    return Chances(
        effects=effects,
        rows=tuple((n, tuple(chance(n, worsen(e, better)) for e in effects)) for n in counts),
    )


def _list_designs(rows: Sequence[PlanRow], goal: Goal) -> list[tuple[float, str]]:
    """Return the spread of each row that has one and a direction, the hardest to detect first."""
    designs = [(row.spread.cv, row.replicates.better) for row in rows if row.spread]
    return sorted(designs, key=lambda one: -one[0] / log_sizes(worsen(goal.effect, one[1]))[0])


def advise(parts: Components) -> str:
    """Say whether more runs or longer runs help.

    Examples
    --------
    >>> advise(Components(0.031, 0.004, 8, 10)), advise(Components(0.01, 0.02, 8, 10))
    ('more runs help, more requests do not', 'longer runs help as much as more runs do')
    """
    if parts.runs < _FEW_RUNS and parts.share >= _SMALL_SHARE:
        return f"{parts.runs} runs are too few to show whether more or longer runs help"
    if parts.share < _SMALL_SHARE:
        return "more runs help, more requests do not"
    if parts.share > _LARGE_SHARE:
        return "longer runs help as much as more runs do"
    return "more runs help most, longer runs a little"


def _plan(row: Replicates, goal: Goal, family: Family, components: Components | None) -> PlanRow:
    if row.n < 2:
        note = "one run does not show how much runs vary: make at least 4"
        return PlanRow(replicates=row, components=components, notes=(note,))
    if not 0 < min(row.values) <= max(row.values) <= LARGEST:
        note = f"no plan: some values are 0, negative or beyond {LARGEST:g}"
        return PlanRow(replicates=row, components=components, notes=(note,))
    spread = measure_spread(row.values)
    return PlanRow(
        replicates=row,
        spread=spread,
        effect=_need(row, spread, goal, family, shown=True),
        equivalence=_need(row, spread, goal, family, shown=False),
        shows=smallest_effect(
            spread.cv,
            row.n,
            margin=goal.margin,
            power=goal.power,
            alpha=goal.alpha,
            rows=family.rows,
            variants=family.variants,
        ),
        components=components,
        calm=_calm(row, goal, family),
        notes=_warn(row, spread),
    )


def _calm(row: Replicates, goal: Goal, family: Family) -> Calm | None:
    """Plan again without outliers, which affect ranks less than a standard deviation."""
    far = find_outliers([math.log(value) for value in row.values]).tolist()
    if not any(far):
        return None
    kept = [value for value, is_far in zip(row.values, far, strict=True) if not is_far]
    spread = measure_spread(kept)
    return Calm(
        outliers=sum(far),
        spread=spread,
        effect=_need(row, spread, goal, family, shown=True),
        equivalence=_need(row, spread, goal, family, shown=False),
    )


def _need(row: Replicates, spread: Spread, goal: Goal, family: Family, *, shown: bool) -> Needed:
    def count(cv: float) -> int | None:
        level = {"power": goal.power, "alpha": goal.alpha}
        if shown:
            return runs_for_effect(
                cv, worsen(goal.effect, row.better), margin=goal.reach, **level,
                rows=family.rows, variants=family.variants,
            )  # fmt: skip
        return runs_for_equivalence(cv, goal.margin, **level)

    return Needed(runs=count(spread.cv), high=count(spread.high))


def _warn(row: Replicates, spread: Spread) -> tuple[str, ...]:
    if spread.cv == 0:
        return ("the runs do not vary, or vary by less than the tool's rounding step",)
    if row.n < 4:
        return (f"with {row.n} runs, this is only an order of magnitude",)
    return ()


def _part(row: Replicates, batches: Batches) -> Components | None:
    """Split the spread into parts if at least two runs have enough samples."""
    if row.subject:
        return None
    samples = list(batches.take(row.side, row.metric, row.stat).values())
    if len(samples) < 2:
        return None
    return part_variance(samples)

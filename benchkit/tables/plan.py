"""The number of runs needed: sentences, and the tables behind them."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.comparison import MOST_RUNS
from benchkit.planning import Needed, Planning, PlanRow, advise
from benchkit.sensitivity import format_reach
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.stub import NONE, fold_stub, stub_cells, stub_columns, write_share
from benchkit.tables.wording import format_bare, write_value
from benchkit.units import common_scale

_BEYOND = f"> {MOST_RUNS}"
#: Probabilities above this are not worth showing.
_CERTAIN = 0.99
_BASES = {
    "row": "each by its own test with Holm's adjustment",
    "max-t": "by permuting whole runs (max-T)",
    "least-welch": "by Welch's test with conservative degrees of freedom and Holm's adjustment",
}


def plan_lines(planning: Planning) -> tuple[str, ...]:
    """State how many runs are needed, and what they cannot show.

    Returns
    -------
    tuple of str
        The answer first.
    """
    planned = [row for row in planning.rows if row.spread]
    if not planned:
        return (
            "~ No plan: at least one variant must have 2 or more runs, to show how much runs vary.",
        )
    margin = format_bare(planning.goal.margin)
    same = (
        f"To rule out a change of {margin} or more with a probability of "
        f"{format_bare(planning.goal.power)}, run each side "
        f"{_hardest([row.equivalence for row in planned])} times."
    )
    return (_answer(planning), *_qualify(planning, planned), same, *_limits(planning))


def _answer(planning: Planning) -> str:
    goal, promise = planning.goal, planning.promise
    change = format_bare(goal.effect)
    if promise is None:
        return (
            f"~ No plan: the runs vary too much to detect a change of {change} with "
            f"{MOST_RUNS} runs per side; reduce the noise, or plan for a larger --effect."
        )
    goal_text = f"detect a change of {change}"
    if not goal.reach:
        goal_text = f"distinguish a change of {change} from 0"
    first = f"Run each side {promise.runs} times to {goal_text}"
    chance = f"with a probability of {_write_chance(promise.one)}"
    if planning.family.rows == 1:
        return f"{first} {chance}."
    return (
        f"{first} in any one row {chance}; if all rows change that much, the probability of "
        f"detecting all is {_write_chance(promise.every)}."
    )


def _qualify(planning: Planning, planned: Sequence[PlanRow]) -> list[str]:
    """State the assumptions behind the answer, how certain they are, and what decides the rows."""
    promise, family, lines = planning.promise, planning.family, []
    if promise is None:
        return []
    spreads = [row.spread for row in planned if row.spread]
    spread, high = (max(getattr(one, name) for one in spreads) for name in ("cv", "high"))
    needed = max(row.effect.high or MOST_RUNS + 1 for row in planned if row.effect)
    taken = f"The plan assumes the measured spread (standard deviation) of {write_share(spread)}"
    if high > spread:
        runs = f"{needed} runs" if needed <= MOST_RUNS else f"more than {MOST_RUNS} runs"
        taken += (
            f"; at its {format_bare(spreads[0].confidence)} upper confidence limit of "
            f"{write_share(high)}, you need {runs} per side"
        )
    lines.append(f"{taken}.")
    if family.rows > 1:
        lines.append(
            f"{family.rows} primary rows are decided together, {_BASES[promise.basis]}. A single "
            "row would need fewer runs."
        )
    return lines


def _limits(planning: Planning) -> list[str]:
    goal = planning.goal
    if goal.reach:
        return []
    line = (
        f"A change of {format_bare(goal.effect)} is not beyond the margin of "
        f"{format_bare(goal.margin)}. These runs distinguish it from 0, but a verdict needs an "
        "estimate beyond the margin, which happens at most half of the time. Use a lower "
        "--margin."
    )
    return [line]


def chances_table(planning: Planning) -> Table | None:
    """List the probability of detecting a change, by runs per side and size of the change.

    Returns
    -------
    Table or None
        None if no row has a plan.
    """
    chances, goal = planning.chances, planning.goal
    if chances is None:
        return None
    changes = (Column(f"{e:g}", format_bare(e), align="right") for e in chances.effects)
    beyond = (
        f"detected: significant, with an estimate beyond the margin of {format_bare(goal.margin)}"
        if goal.reach
        else ""
    )
    place = "in the row that varies most" if planning.family.rows > 1 else ""
    return Table(
        title="Probability of "
        f"{'detecting a change' if goal.reach else 'distinguishing a change from 0'}",
        columns=(Column("runs", "runs per side", align="right"), *changes),
        rows=tuple(
            (Cell(f"{n}", n), *(Cell(_write_chance(p), p) for p in row)) for n, row in chances.rows
        ),
        caption="; ".join(filter(None, (place, beyond))),
    )


def _write_chance(chance: float) -> str:
    """Write ``84 %``, or a bound if it is almost certain or impossible."""
    if chance > _CERTAIN:
        return f"> {format_bare(_CERTAIN)}"
    least = 1 - _CERTAIN
    return f"< {format_bare(least)}" if chance < least else format_bare(round(chance, 2))


def _hardest(needed: Sequence[Needed | None]) -> str:
    known = [one for one in needed if one]
    runs, high = ([getattr(one, name) for one in known] for name in ("runs", "high"))
    lowest = None if None in runs else max(runs)
    return _write(Needed(runs=lowest, high=None if None in high else max(high)))


def plan_table(planning: Planning) -> Table:
    """List the requirements of each primary metric of each variant."""
    goal = planning.goal
    change, margin = format_bare(goal.effect), format_bare(goal.margin)
    notes: dict[str, int] = {}
    for row in planning.rows:
        for note in _notes(row):
            notes.setdefault(note, len(notes) + 1)
    table = Table(
        title="Runs per side",
        columns=(
            *stub_columns(),
            Column("runs", "runs", align="right"),
            Column("center", "median", align="right"),
            Column("spread", "spread"),
            Column("effect", f"to detect {change}"),
            Column("equivalence", f"to rule out {margin}"),
            Column("shows", "these runs detect", align="right"),
            Column("between", "between runs", align="right"),
            Column("within", "within a run", align="right"),
        ),
        rows=tuple((*stub_cells(row.replicates), *_numbers(row, notes)) for row in planning.rows),
        notes=tuple(notes),
        caption=f"ranges: from the measured spread to its {format_bare(0.8)} upper limit; assumes "
        "that both sides vary equally",
        footer=_advise(planning.rows),
    )
    return fold_stub(table, ("between", "within"))


def _numbers(row: PlanRow, notes: dict[str, int]) -> tuple[Cell, ...]:
    runs, parts = row.replicates, row.components
    numbers = tuple(notes[note] for note in _notes(row))
    scale = common_scale([runs.center], runs.unit)
    counted = (
        Cell(f"{runs.n}", runs.n, notes=numbers),
        Cell(write_value(runs.center, scale), runs.center),
    )
    components = (
        Cell(write_share(parts.between), parts.between) if parts else Cell(""),
        Cell(write_share(parts.within), parts.within) if parts else Cell(""),
    )
    if row.spread is None or row.effect is None or row.equivalence is None or row.shows is None:
        return (*counted, NONE, NONE, NONE, NONE, *components)
    return (
        *counted,
        Cell(_write_spread(row.spread.cv, row.spread.high), row.spread.cv),
        Cell(_write(row.effect), row.effect.runs),
        Cell(_write(row.equivalence), row.equivalence.runs),
        Cell(_write_size(row.shows), row.shows),
        *components,
    )


def _notes(row: PlanRow) -> tuple[str, ...]:
    """Return a row's notes, and its plan without outlying runs."""
    calm = row.calm
    if calm is None:
        return row.notes
    runs = "1 outlying run" if calm.outliers == 1 else f"{calm.outliers} outlying runs"
    spread = _write_spread(calm.spread.cv, calm.spread.high)
    note = (
        f"without {runs}: spread {spread}, {_write(calm.effect)} runs to detect "
        f"the change, {_write(calm.equivalence)} to rule it out"
    )
    return (*row.notes, note)


def _write_spread(low: float, high: float) -> str:
    return f"{write_share(low)} to {write_share(high)}"


def _write(needed: Needed) -> str:
    """Write ``9 to 17``, ``9 to > 1000``."""
    low, high = (_BEYOND if n is None else f"{n}" for n in (needed.runs, needed.high))
    return low if low == high else f"{low} to {high}"


def _write_size(effect: float) -> str:
    """Write ``±4.1 %``, or a factor for a large change, which is asymmetric in percent."""
    return f"> {format_bare(10)}" if effect > 10 else format_reach(effect)


def _advise(rows: Sequence[PlanRow]) -> tuple[str, ...]:
    """State where the spread comes from, metric by metric and variant by variant."""
    several = len({row.replicates.key for row in rows if row.components}) > 1
    lines = []
    for row in rows:
        if row.components:
            runs = row.replicates
            place = f" on {runs.benchmark}" if several and runs.benchmark else ""
            parts = row.components
            between, within = write_share(parts.between), write_share(parts.within)
            lines.append(
                f"{runs.variant}{place}: the spread is {between} between runs and {within} within "
                f"a run ({parts.runs} runs): {advise(parts)}"
            )
    return tuple(lines)

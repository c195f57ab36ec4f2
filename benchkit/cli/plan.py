"""``benchkit plan``: the number of runs that a comparison needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.errors import BaselineError, ConfigError

if TYPE_CHECKING:
    from benchkit.api import RunSet
    from benchkit.planning import Goal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit plan results/ --effect 5% --power 0.8")(plan)


@takes("baseline variant metric only confidence margin")
def plan(
    *,
    effect: Annotated[
        str | None,
        typer.Option("--effect", help="Change to detect. [default: twice the margin]"),
    ] = None,
    power: Annotated[
        str | None, typer.Option("--power", help="Probability of detecting it. [default: 0.8]")
    ] = None,
    requested: o.Requested,
    format: o.TableFormat = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Estimate the runs per side needed to detect a change, or to rule one out."""
    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    from benchkit.comparison.model import Plan
    from benchkit.ingestion.origins import refuse_contested
    from benchkit.metrics import split_metric
    from benchkit.planning import plan_runs
    from benchkit.tables.plan import chances_table, plan_lines, plan_table

    goal = read_goal(effect, power, requested.margin, requested.confidence)
    runset = request.load()
    if requested.baseline or requested.variant:
        sides = _list_sides(runset, requested.baseline, requested.variant)
        runset = runset.where(variant=sides)
    refuse_contested(runset.contested)
    named = Plan(primaries=tuple(map(split_metric, requested.metric or o.settings().metrics)))
    planning = plan_runs(runset.observations, runset.runs, goal, named)
    printing.write_record(
        "plan", planning, plan_lines(planning),
        lambda: [*filter(None, (chances_table(planning), plan_table(planning)))], chosen, output,
    )  # fmt: skip


def _list_sides(runset: RunSet, baseline: str | None, variants: list[str] | None) -> list[str]:
    """Return the variants of the planned comparison; without a baseline, only the named ones."""
    try:
        pairs = runset.choose_pairs(baseline, variants)
    except BaselineError:
        return variants or []
    return list(dict.fromkeys(name for pair in pairs for name in pair))


def read_goal(
    effect: str | None, power: str | None, margin: str | None, confidence: str | None
) -> Goal:
    """Parse the change that the comparison should be able to detect."""
    from benchkit.planning import Goal

    base = o.settings()
    smallest = o.fraction(margin, base.margin, "--margin")
    goal = Goal(
        effect=o.fraction(effect, 2 * smallest, "--effect"),
        margin=smallest,
        power=o.fraction(power, 0.8, "--power"),
        confidence=o.fraction(confidence, base.confidence, "--confidence"),
    )
    if goal.power <= goal.alpha:
        raise ConfigError(
            f"the power {goal.power:g} is not above the significance level of the test",
            where="--power",
            hint="use a higher one, for example 0.8",
        )
    return goal

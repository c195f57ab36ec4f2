"""``benchkit noise``: the default rule, applied to runs that do not differ."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.completion import complete_pair
from benchkit.cli.selected import parse_pairs


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit noise results/none")(noise)


@takes("metric only confidence margin")
def noise(
    *,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="A:B",
            help="Two variants that are the same program; repeatable. [default: split each "
            "variant]",
            autocompletion=complete_pair,
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option("--runs", min=1, help="Runs per side. [default: half of the runs]"),
    ] = None,
    requested: o.Requested,
    format: o.TableFormat = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Measure how often the same program appears to differ from itself, and by how much."""
    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    from benchkit.calibration import Rule, calibrate
    from benchkit.comparison.model import Plan
    from benchkit.ingestion.origins import refuse_contested
    from benchkit.metrics import split_metric
    from benchkit.tables.noise import noise_lines, noise_tables

    base = o.settings()
    tried = Rule(
        margin=o.fraction(requested.margin, base.margin, "--margin"),
        confidence=o.fraction(requested.confidence, base.confidence, "--confidence"),
        runs=runs,
        seed=base.seed,
    )
    pairs = parse_pairs(pair)
    runset = request.load()
    refuse_contested(runset.contested)
    named = Plan(primaries=tuple(map(split_metric, requested.metric or base.metrics)))
    calibration = calibrate(runset.observations, runset.runs, tried, pairs, named)
    printing.write_record(
        "noise",
        calibration,
        noise_lines(calibration),
        lambda: noise_tables(calibration),
        chosen,
        output,
    )

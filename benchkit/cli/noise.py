"""``benchkit noise``: what the default rule says of runs that do not differ."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.completion import complete_pair

FORMATS = ("table", "md", "json")
ENDINGS = {".md": "md", ".json": "json"}


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
    format: Annotated[
        str | None, typer.Option(help="table, md or json. [default: from -o, else table]")
    ] = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Measure how often the same program appears to differ from itself, and by how much."""
    chosen = o.choose(format or o.guess_format(output, ENDINGS, "table"), FORMATS)
    rule = (requested.margin, requested.confidence, runs)
    printing.write(
        answer(request, rule, pair, requested.metric, chosen, to_file=bool(output)), output
    )


def answer(
    request: o.Request,
    rule: tuple[str | None, str | None, int | None],
    pair: list[str] | None,
    metric: list[str] | None,
    format: str,
    *,
    to_file: bool,
) -> str:
    """Load, calibrate and write as the command line and the settings say."""
    from benchkit.calibration import Rule, calibrate
    from benchkit.comparison.model import Plan
    from benchkit.ingestion.origins import refuse_contested
    from benchkit.metrics import split_metric
    from benchkit.tables.noise import noise_lines, noise_tables

    base = o.settings()
    tried = Rule(
        margin=o.fraction(rule[0], base.margin, "--margin"),
        confidence=o.fraction(rule[1], base.confidence, "--confidence"),
        runs=rule[2],
        seed=base.seed,
    )
    pairs = o.parse_pairs(pair)
    runset = request.load()
    refuse_contested(runset.contested)
    named = Plan(primaries=tuple(map(split_metric, metric or base.metrics)))
    calibration = calibrate(runset.observations, runset.runs, tried, pairs, named)
    lines = noise_lines(calibration)
    if format == "json":
        from benchkit.reporting.to_evidence import to_json

        return to_json("noise", calibration, lines)
    from benchkit.cli.console import render_tables

    return render_tables(lines, noise_tables(calibration), markdown=format == "md", to_file=to_file)

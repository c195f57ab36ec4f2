"""``benchkit compare``: the overhead table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import config
from benchkit.cli import compat as benchstat
from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.compat import print_like, refuse_benchstats
from benchkit.cli.selected import parse_pairs
from benchkit.errors import ConfigError
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.api import Comparison, RunSet

Wide = Annotated[
    bool,
    typer.Option(
        "--wide", help="One row per variant and one column per metric, with spread and change."
    ),
]
#: The commands that write the comparison as a page (with the wide table) and as a figure.
_OTHERS = {
    ".html": ("benchkit", "report"),
    ".png": ("benchkit", "plot", "forest"),
    ".svg": ("benchkit", "plot", "forest"),
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit compare results/ --baseline none --variant otlp")(compare)


@takes(
    "baseline variant pair metric by confidence margin blocks method knee",
    without="quiet",
    confidence=benchstat.Confidence,
)
def compare(
    *,
    context: typer.Context,
    requested: o.Requested,
    every: Annotated[
        bool, typer.Option("--all", help="Show every secondary row of the table.")
    ] = False,
    wide: Wide = False,
    format: benchstat.Format = None,
    output: o.Output = None,
    request: o.Request,
    compat: benchstat.Compat = None,
    filter: benchstat.Filter = None,
    table: benchstat.Table = None,
    row: benchstat.Row = None,
    col: benchstat.Col = None,
    ignore: benchstat.Ignore = None,
    alpha: benchstat.Alpha = None,
    quiet: o.Quiet = False,
) -> None:
    """Compare variants with a baseline: change, interval, p, verdict."""
    if compat is not None:
        written = {
            "filter": filter, "table": table, "row": row, "col": col, "ignore": ignore,
            "alpha": alpha, "confidence": requested.confidence,
        }  # fmt: skip
        print_like(compat, context, request.paths or [], written, format, output, quiet=quiet)
        return
    refuse_benchstats(context)
    _refuse_ending(output, format, request.paths or [])
    chosen = o.choose_format(format, output, o.ROW_FORMATS)
    by_column, to_file = request.split_by, output is not None
    with replace(request, quiet=quiet).results(light=True) as runset:
        result = evaluate(runset, requested)
        text = render(result, chosen, by=by_column, to_file=to_file, every=every, wide=wide)
        printing.write(text, output)


def _refuse_ending(output: Path | None, format: str | None, paths: Sequence[str]) -> None:
    """Name the command that writes files of this kind."""
    words = _OTHERS.get(output.suffix.lower()) if output and format is None else None
    if output and words:
        raise ConfigError(
            f"compare does not write {output.suffix.lower()} files",
            where=f"-o {printable(str(output))}",
            hint=f"use: {join([*words, *paths, '-o', str(output)])}",
        )


def evaluate(runset: RunSet, requested: o.Requested) -> Comparison:
    """Compare as the command line and the settings require."""
    from benchkit.derived.saturation import DEFAULT

    base = o.settings()
    o.refuse_both(requested.pair, requested.baseline, requested.variant)
    return runset.compare(
        baseline=requested.baseline or base.baseline,
        variant=requested.variant,
        pairs=parse_pairs(requested.pair),
        confidence=o.fraction(requested.confidence, base.confidence, "--confidence"),
        margin=o.fraction(requested.margin, base.margin, "--margin"),
        metrics=requested.metric or base.metrics,
        blocks=o.choose(requested.blocks or base.blocks, config.BLOCKS, "--blocks"),
        method=o.choose(requested.method or base.method, config.METHODS, "--method"),
        knee=DEFAULT if requested.knee is None else requested.knee,
    )


def render(
    result: Comparison,
    format: str,
    *,
    by: str = "",
    to_file: bool = False,
    every: bool = False,
    wide: bool = False,
) -> str:
    """Write a comparison in one of the command's formats."""
    if wide:
        return _render_wide(result, format, to_file=to_file)
    if format == "json":
        from benchkit.reporting.to_json import to_json

        return to_json(result.verdicts, result.findings, result.parts)
    if format == "csv":
        from benchkit.reporting.to_json import to_csv

        return to_csv(result.verdicts)
    if format == "md":
        return result.to_markdown()
    from benchkit.cli.console import render_comparison

    return render_comparison(
        result.verdicts,
        result.findings,
        runs=result.runs,
        by=by,
        to_file=to_file,
        parts=result.parts,
        every=every,
    )


def _render_wide(result: Comparison, format: str, *, to_file: bool) -> str:
    """Write one row per variant; in JSON, all rows of the comparison."""
    from benchkit.cli.console import render_tables
    from benchkit.reporting.head import write_lines
    from benchkit.reporting.to_rows import rows_to_csv
    from benchkit.tables.wide import list_wide, wide_table

    o.choose(format, ("table", "md", "csv"), "--wide --format")
    wide = result.wide
    if format == "csv":
        return rows_to_csv(*list_wide(wide, result.verdicts))
    lines = write_lines(result.verdicts, result.runs, result.parts, result.findings)
    table = wide_table(wide, result.verdicts)
    return render_tables(lines, [table], markdown=format == "md", to_file=to_file)

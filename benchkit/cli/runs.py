"""``benchkit runs``: one line per series of equal labels, or per run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes

if TYPE_CHECKING:
    from benchkit.api import RunSet


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit runs results/")(runs)


@takes(without="origin")
def runs(
    *,
    by: o.By = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="O",
            help=f"{o.OF_ORIGIN}; repeatable: the runs of each are listed. [default: all]",
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="List each run in the table; csv and json always do."),
    ] = False,
    format: o.RowFormat = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """List the runs, one line per set of labels: labels, runs, role, start, sources."""
    chosen = o.choose_format(format, output, o.ROW_FORMATS)
    request = replace(request, by=by, origin=origin)
    frame = load(request).runs
    if chosen in {"csv", "json"}:
        from benchkit.reporting.to_rows import runs_to_csv, runs_to_json

        printing.write(runs_to_json(frame) if chosen == "json" else runs_to_csv(frame), output)
        return
    from benchkit.cli.console import render_table
    from benchkit.tables.runs import runs_table

    table = runs_table(frame, is_folded=not every)
    printing.write(render_table(table, markdown=chosen == "md", to_file=output is not None), output)


def load(request: o.Request) -> RunSet:
    """Load the runs without values; from a store, those of every origin that is not excluded."""
    from benchkit.api import RunSet
    from benchkit.ingestion import loading
    from benchkit.ingestion.origins import match

    loaded = loading.list_runs(request.paths or (), request.store)
    if loaded is None:
        return request.load(light=True)
    runset = RunSet(observations=loaded.observations, runs=loaded.runs)
    if request.origin:
        known = loaded.runs["origin"].unique().tolist()
        named = [origin for name in request.origin for origin in match(name, known) or [name]]
        runset = runset.where(origin=named)
    return request.narrow(runset)

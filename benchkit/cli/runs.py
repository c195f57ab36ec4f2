"""``benchkit runs``: one line per run.

In: raw files, folders or the store. Out: a table, CSV or JSON of runs of every role.
Why: what a comparison stands on, before anyone believes it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import options as o

FORMATS = ("table", "md", "csv", "json")
ENDINGS = {".md": "md", ".csv": "csv", ".json": "json"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit runs results/")(runs)


def runs(
    paths: o.Paths = None,
    by: o.By = None,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, csv or json. [default: told by -o, else table]"),
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    layout: o.Layout = None,
    rename: o.Rename = None,
    as_format: o.As = None,
    exclude: o.Exclude = None,
    quiet: o.Quiet = False,
) -> None:
    """List the runs: group, variant, benchmark, params, run, role, tool, start, sources."""
    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS)
    request = o.Request(
        paths=paths, store=store, layout=layout, rename=rename, as_format=as_format,
        exclude=exclude, by=by, quiet=quiet,
    )  # fmt: skip
    frame = request.load().runs
    if chosen in {"csv", "json"}:
        from benchkit.reporting.to_rows import runs_to_csv, runs_to_json

        o.write(runs_to_json(frame) if chosen == "json" else runs_to_csv(frame), output)
        return
    from benchkit.cli.console import render_table
    from benchkit.tables.runs import runs_table

    o.write(
        render_table(runs_table(frame), markdown=chosen == "md", to_file=output is not None), output
    )

"""``benchkit layout``: how a folder is understood, and what else it could mean."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing

if TYPE_CHECKING:
    from benchkit.ingestion.layout import Layout

FORMATS = ("table", "md", "csv", "json")
#: Files that a table lists.
SHOWN = 200
ENDINGS = {".md": "md", ".csv": "csv", ".json": "json"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit layout results/")(layout)


def layout(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Raw files and folders, as for ingest."),
    ],
    layout: o.Layout = None,
    split: o.Split = None,
    map: o.Map = None,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, csv or json. [default: from -o, else table]"),
    ] = None,
    output: o.Output = None,
    as_format: o.As = None,
    rename: o.Rename = None,
    exclude: o.Exclude = None,
    max_unpacked: o.MaxUnpacked = None,
    quiet: o.Quiet = False,
) -> None:
    """Show each file's labels, where they come from, and what else the folder could mean."""
    from benchkit.ingestion.layout import explain_layout

    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS)
    request = o.Request(
        layout=layout, split=split, map=map, as_format=as_format, rename=rename,
        exclude=exclude, max_unpacked=max_unpacked, quiet=quiet,
    )  # fmt: skip
    most = None if chosen in {"csv", "json"} else SHOWN
    explained = explain_layout(paths, request.options(o.settings()), most)
    printing.write(render(explained, paths, chosen, to_file=output is not None), output)
    if explained.reason is not None:
        raise explained.reason


def render(explained: Layout, paths: list[str], format: str, *, to_file: bool) -> str:
    """Write the labels in one of the command's formats."""
    from benchkit.tables.layout import (
        layout_table,
        suggest_readings,
        summarise_layout,
        write_command,
    )

    if format == "json":
        from benchkit.reporting.json_text import format_json

        readings = [
            {**asdict(reading), "command": write_command(paths, reading)}
            for reading in explained.readings
        ]
        files = [asdict(file) for file in explained.files]
        return format_json({"format_version": 1, "files": files, "readings": readings}) + "\n"
    if format == "csv":
        from benchkit.reporting.to_rows import rows_to_csv

        rows = [asdict(file) for file in explained.files]
        return rows_to_csv([*rows[0]], [[*row.values()] for row in rows])
    from benchkit.cli.console import render_tables

    lines = [
        summarise_layout(explained.files, len(explained.skipped), explained.unread),
        *suggest_readings(paths, explained.readings),
    ]
    table = layout_table(explained.files)
    return render_tables(lines, [table], markdown=format == "md", to_file=to_file)

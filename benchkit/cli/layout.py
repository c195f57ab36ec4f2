"""``benchkit layout``: how a folder is understood, and the alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing

if TYPE_CHECKING:
    from benchkit.api import RunSet
    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.layout import Layout
    from benchkit.labels.readings import Reading
    from benchkit.labels.splitting import NameSplit

#: Maximum number of files in a table.
SHOWN = 200


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
    format: o.RowFormat = None,
    output: o.Output = None,
    as_format: o.As = None,
    rename: o.Rename = None,
    exclude: o.Exclude = None,
    max_unpacked: o.MaxUnpacked = None,
    quiet: o.Quiet = False,
) -> None:
    """Show each file's labels, where they come from, and what else the folder could mean.

    A pattern for --layout can contain {variant}, {run}, {benchmark}, {group}, {tool}, {shard} and
    {ext}. Any other name becomes a param, and * stands for any text in one name of a path.
    """
    from benchkit.ingestion.layout import explain_layout

    chosen = o.choose_format(format, output, o.ROW_FORMATS)
    request = o.Request(
        layout=layout, split=split, map=map, as_format=as_format, rename=rename,
        exclude=exclude, max_unpacked=max_unpacked, quiet=quiet,
    )  # fmt: skip
    most = None if chosen in {"csv", "json"} else SHOWN
    base = o.settings()
    options = request.options(base)
    explained = explain_layout(paths, options, most)
    if explained.splits:
        splits = _try_splits(explained.splits, paths, options, base.baseline)
        explained = replace(explained, readings=(*splits, *explained.readings))
    command = ["compare", *paths, *_list_options(request)]
    printing.write(render(explained, command, chosen, to_file=output is not None), output)
    request.show(explained.diagnostics)
    if explained.reason is not None:
        raise explained.reason


def _try_splits(
    splits: Sequence[NameSplit], paths: Sequence[str], options: Options, baseline: str | None
) -> list[Reading]:
    """Return the readings by splits that result in comparable sides."""
    from benchkit import api
    from benchkit.api.suggestions import try_splits
    from benchkit.ingestion.layout import suppose
    from benchkit.labels.readings import Reading

    def again(split: NameSplit) -> RunSet:
        return replace(api.read(paths, suppose(options, split), None), again=None)

    tried = try_splits(splits, again, baseline)
    return [Reading("", split.variants, options=split.options) for split, _ in tried]


def _list_options(request: o.Request) -> list[str]:
    """Return the options that read the files this way, for commands that compare."""
    several: dict[str, Sequence[object]] = {
        "--rename": request.rename or (), "--exclude": request.exclude or (),
        "--map": [request.map], "--layout": [request.layout], "--split": [request.split],
        "--as": [request.as_format], "--max-unpacked": [request.max_unpacked],
    }  # fmt: skip
    pairs = ((name, value) for name, values in several.items() for value in values)
    return [word for name, value in pairs if value for word in (name, str(value))]


def render(explained: Layout, command: list[str], format: str, *, to_file: bool) -> str:
    """Write the labels in one of the command's formats; ``command`` compares these files."""
    from benchkit.tables.layout import (
        complete,
        layout_table,
        suggest_command,
        suggest_readings,
        summarise_layout,
    )

    measured = () if explained.reason else explained.files
    suggested = suggest_command(command, measured, explained.unread)

    if format == "json":
        from benchkit.reporting.json_text import format_json

        readings = [
            {**asdict(reading), "command": complete(command, reading)}
            for reading in explained.readings
        ]
        files = [asdict(file) for file in explained.files]
        document = {"command": suggested, "files": files, "readings": readings}
        return format_json({"format_version": 1, **document}) + "\n"
    if format == "csv":
        from benchkit.reporting.to_rows import rows_to_csv

        rows = [asdict(file) for file in explained.files]
        return rows_to_csv([*rows[0]], [[*row.values()] for row in rows])
    from benchkit.cli.console import render_tables

    lines = [
        summarise_layout(explained.files, len(explained.skipped), explained.unread),
        *(["Run:", f"  {suggested}"] if suggested else []),
        *suggest_readings(command, explained.readings),
    ]
    table = layout_table(explained.files)
    return render_tables(lines, [table], markdown=format == "md", to_file=to_file)

"""``benchkit formats``: the readable formats."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit formats")(formats)


def formats(
    format: Annotated[str, typer.Option("--format", help="table, md or json.")] = "table",
    output: o.Output = None,
) -> None:
    """List the formats: forms, versions, how each is recognised, what it does not record."""
    chosen = o.choose(format, o.TABLE_FORMATS)
    from benchkit.parsers import mapped, registry

    known = (*registry.formats(), mapped.FORMAT)

    if chosen == "json":
        from dataclasses import asdict

        from benchkit.reporting.json_text import format_json

        rows = [
            {
                "name": f.name,
                "tools": f.tools,
                "summary": f.summary,
                "forms": [asdict(x) for x in f.forms],
            }
            for f in known
        ]
        printing.write(format_json({"format_version": 1, "formats": rows}), output)
        return
    from benchkit.cli.console import render_table
    from benchkit.tables.model import Cell, Column, Table

    columns = (
        Column("format", "format"),
        Column("form", "form"),
        Column("versions", "versions"),
        Column("signature", "recognised by"),
        Column("not_recorded", "not recorded"),
    )
    cells = tuple(
        tuple(map(Cell, (f.name, form.name, form.versions, form.signature, form.not_recorded)))
        for f in known
        for form in f.forms
    )
    table = Table("Formats", columns, cells)
    printing.write(render_table(table, markdown=chosen == "md", to_file=output is not None), output)

"""``benchkit map``: how a table of an unknown format could be read."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from shlex import join
from tomllib import loads
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.config.files import write_string
from benchkit.errors import DataError, Diagnostic
from benchkit.units import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchkit.config.maps import Cell, TableMap
    from benchkit.parsers.base import Source

#: Number of values that are shown as they would be read.
_SHOWN = 6
_LABELS = ("variant", "group", "benchmark", "run", "subject", "metric", "stat", "value", "unit")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="map", epilog="Example: benchkit map results.csv -o map.toml")(guess_map)


def guess_map(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or JSON.")],
    format: Annotated[str, typer.Option("--format", help="toml or json.")] = "toml",
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Guess which columns of a table are variants, runs and values; write that as a map."""
    from benchkit.ingestion.sources import require_file
    from benchkit.parsers.guessed import guess, list_unread
    from benchkit.reading.source import Source, UnreadableError
    from benchkit.reporting.json_text import format_json

    chosen = o.choose(format, ("toml", "json"))
    try:
        source = Source.load(file, str(file), guard=require_file)
        guessed = guess(source)
        text, values = write_map(guessed), _list_values(source, guessed)
    except UnreadableError as error:
        raise DataError(
            f"cannot be read: {error}", where=str(file), hint="check the file"
        ) from error
    except DataError as error:
        error.where = error.where or str(file)
        raise
    if chosen == "json":
        document = {"format_version": 1, "map": loads(text)["map"][0], "values": values}
        printing.write(format_json(document), output)
        return
    unread = list_unread(source, guessed)
    values += [f"Columns that this map does not read: {', '.join(unread)}"] if unread else []
    comments = ["# The first values as they would be read:", *(f"# {line}" for line in values)]
    printing.write("\n".join([text, *comments]), output)
    name = str(output) if output else "map.toml"
    saved = "" if output else "save this as map.toml, then: "
    if not quiet:
        words = "benchkit", "compare", str(file), "--map", name
        printing.print_line(f"{saved}{join(words)}", err=True)


def write_map(guessed: TableMap) -> str:
    """Write a map as TOML."""
    lines = ["[[map]]"]
    if guessed.records:
        lines.append(f"records = {write_string(guessed.records)}")
    for name in _LABELS:
        cell: Cell = getattr(guessed, name)
        if cell.column:
            lines.append(f"{name} = {write_string(cell.column)}")
    if guessed.params:
        lines.append(f"params = [{', '.join(map(write_string, guessed.params))}]")
    if guessed.values:
        entries = [f"  {{{', '.join(_list_keys(one))}}},\n" for one in guessed.values]
        lines.append(f"values = [\n{''.join(entries)}]")
    return "\n".join(lines) + "\n"


def _list_keys(measure: object) -> Iterator[str]:
    """Yield the keys of one metric that has its own column."""
    for name in ("column", "metric", "stat", "unit", "better"):
        value = getattr(measure, name)
        text = value if isinstance(value, str) else value.constant
        if text:
            yield f"{name} = {write_string(text)}"


def _list_values(source: Source, guessed: TableMap) -> list[str]:
    """Describe the first values as they would be read, and what cannot be read."""
    from benchkit.parsers.base import Reading
    from benchkit.parsers.mapped import parse

    problems: list[str] = []
    rows: list[str] = []
    for record in islice(parse(guessed, source), 200):
        if isinstance(record, Diagnostic):
            problems.append(f"{record.line}: {record.what}")
        if not isinstance(record, Reading):
            continue
        labels = (record.group, record.variant, record.benchmark, *record.params.values())
        named = " ".join(filter(None, labels)) or "(the file name is the variant)"
        run = "" if record.run is None else f" run {record.run}"
        rows += [
            f"{row[9]}: {named}{run}: {row[1]} {row[2]} {row[3]:.6g} {row[4]}"
            for row in record.rows
        ]
    shown = (*rows[:_SHOWN], *problems[:_SHOWN])
    return [printable(line.replace("\n", " ")) for line in shown]

"""``benchkit map``: how a table of no known format could be read."""

from __future__ import annotations

from itertools import islice
from json import dumps
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import DataError, Diagnostic
from benchkit.units import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchkit.config.maps import Cell, TableMap
    from benchkit.parsers.base import Source

#: Values that are shown as they would be read.
_SHOWN = 6
_LABELS = ("variant", "group", "benchmark", "run", "subject", "metric", "stat", "value", "unit")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="map", epilog="Example: benchkit map results.csv -o map.toml")(guess_map)


def guess_map(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or JSON.")],
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Guess which columns of a table are variants, runs and values; write that as a map."""
    from benchkit.ingestion.sources import require_file
    from benchkit.parsers.guessed import guess
    from benchkit.reading.source import Source, UnreadableError

    try:
        source = Source.load(file, str(file), guard=require_file)
        text = write_map(guess(source))
        printing.write(f"{text}\n{_show(source, guess(source))}", output)
    except UnreadableError as error:
        raise DataError(
            f"cannot be read: {error}", where=str(file), hint="check the file"
        ) from error
    name = str(output) if output else "map.toml"
    saved = "" if output else "save this as map.toml, then: "
    if not quiet:
        words = "benchkit", "compare", str(file), "--map", name
        printing.print_line(f"{saved}{join(words)}", err=True)


def write_map(guessed: TableMap) -> str:
    """Write a map as TOML."""
    lines = ["[[map]]"]
    if guessed.records:
        lines.append(f"records = {_quote(guessed.records)}")
    for name in _LABELS:
        cell: Cell = getattr(guessed, name)
        if cell.column:
            lines.append(f"{name} = {_quote(cell.column)}")
    if guessed.params:
        lines.append(f"params = [{', '.join(map(_quote, guessed.params))}]")
    if guessed.values:
        entries = [f"  {{{', '.join(_list_keys(one))}}},\n" for one in guessed.values]
        lines.append(f"values = [\n{''.join(entries)}]")
    return "\n".join(lines) + "\n"


def _list_keys(measure: object) -> Iterator[str]:
    """Yield the keys of one metric that is in a column of its own."""
    for name in ("column", "metric", "stat", "unit", "better"):
        value = getattr(measure, name)
        text = value if isinstance(value, str) else value.constant
        if text:
            yield f"{name} = {_quote(text)}"


def _quote(text: str) -> str:
    """Write a text of TOML that reads back as it is, and that no terminal or editor obeys."""
    quoted = dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


def _show(source: Source, guessed: TableMap) -> str:
    """Write the first values as they would be read, as comments."""
    from benchkit.parsers.base import Reading
    from benchkit.parsers.mapped import parse

    lines = ["# The first values as they would be read:"]
    problems: list[str] = []
    rows: list[str] = []
    for record in islice(parse(guessed, source), 200):
        if isinstance(record, Diagnostic):
            problems.append(f"# {record.line}: {record.what}")
        if not isinstance(record, Reading):
            continue
        labels = (record.group, record.variant, record.benchmark, *record.params.values())
        named = " ".join(filter(None, labels)) or "(the file's name is the variant)"
        run = "" if record.run is None else f" run {record.run}"
        rows += [
            f"# {row[9]}: {named}{run}: {row[1]} {row[2]} {row[3]:.6g} {row[4]}"
            for row in record.rows
        ]
    shown = (*rows[:_SHOWN], *problems[:_SHOWN])
    lines += [printable(line.replace("\n", " ")) for line in shown]
    return "\n".join(lines) + "\n"

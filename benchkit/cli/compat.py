"""``compare --compat TOOL``: the output of another tool, with that tool's options."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from benchkit.benchstat import Options

#: Tools whose output can be reproduced.
COMPATIBLE = ("benchstat",)
#: Parameters of ``compare`` that need ``--compat``, and those that are compatible with it.
BENCHSTAT_ONLY = ("filter", "table", "row", "col", "ignore", "alpha")
_SHARED = {"paths", "compat", "format", "output", "confidence", "quiet"}


def _option(name: str, metavar: str, help: str) -> object:
    """Return an option with one dash or two, as benchstat writes it."""
    return typer.Option(f"-{name}", f"--{name}", metavar=metavar, help=f"With --compat: {help}")


Compat = Annotated[
    str | None,
    typer.Option(
        metavar="TOOL", help="benchstat: print exactly what `benchstat` prints, as text or CSV."
    ),
]
Filter = Annotated[str | None, _option("filter", "QUERY", "filter for the measurements.")]
Table = Annotated[str | None, _option("table", "KEYS", "one table per value. [default: .config]")]
Row = Annotated[str | None, _option("row", "KEYS", "one row per value. [default: .fullname]")]
Col = Annotated[str | None, _option("col", "KEYS", "one column per value. [default: .file]")]
Ignore = Annotated[str | None, _option("ignore", "KEYS", "dimensions that may vary within a cell.")]
Alpha = Annotated[
    str | None,
    _option("alpha", "LEVEL", "largest p-value at which a change is shown. [default: 0.05]"),
]
Confidence = Annotated[
    str | None,
    typer.Option(
        "-confidence", "--confidence", help="Confidence level of each interval. [default: 0.95]"
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "-format",
        "--format",
        help="table, md, csv or json; text or csv with --compat. [default: from -o, else "
        "table or text]",
    ),
]


def print_like(
    tool: str,
    context: typer.Context,
    paths: Sequence[str],
    written: Mapping[str, str | None],
    format: str | None,
    output: Path | None,
    *,
    quiet: bool,
) -> None:
    """Print what the tool would print: its tables, its warnings, and findings about them."""
    from benchkit.benchstat import print_tables
    from benchkit.cli.console import plain

    o.choose(tool, COMPATIBLE, "--compat")
    refuse_others(context)
    chosen = o.choose_format(format, output, ("text", "csv"))
    if not paths:
        raise ConfigError(
            "no files given",
            where="--compat",
            hint="give two files: benchkit compare --compat benchstat old.txt new.txt",
        )
    printed = print_tables(paths, read_options(written), as_csv=chosen == "csv")
    findings = (f"{finding.severity}: {finding}" for finding in printed.findings)
    remarks = () if quiet else (*printed.warnings, *findings)
    with printing.survive(sys.stderr):
        for line in (*remarks, *printed.error.splitlines()):
            indent = "\t" * line.startswith("\t")  # a query and the mark below it
            sys.stderr.write(indent + plain(line.removeprefix("\t"), sys.stderr) + "\n")
    # CSV is data and keeps every byte of a name; text may be shown by a log or a terminal later.
    is_plain = chosen == "text" or printing.is_shown(output)
    text = printing.neutralise(printed.output, output) if is_plain else printed.output
    printing.write(text, output, is_plain=is_plain)


def read_options(written: Mapping[str, str | None]) -> Options:
    """Convert the command line's options to benchstat's."""
    from benchkit.benchstat import Options

    numbers = {"alpha", "confidence"}
    changes: dict[str, Any] = {
        name: _read_level(text, f"--{name}") if name in numbers else text
        for name, text in written.items()
        if text is not None
    }
    return replace(Options(), **changes)


def _read_level(text: str, where: str) -> float:
    """Read a number like benchstat, including percentages."""
    from benchkit.benchstat.numbers import parse_float

    try:
        return parse_float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ConfigError(
            f"{text!r} is not a number", where=where, hint="use a number, for example 0.05"
        ) from None


def refuse_others(context: typer.Context) -> None:
    """Refuse the options of ``compare`` that the other tool lacks."""
    for name, option in _list_written(context):
        if name not in {*_SHARED, *BENCHSTAT_ONLY}:
            raise ConfigError(
                "cannot be combined with --compat", where=option, hint="use only one of them"
            )


def refuse_benchstats(context: typer.Context) -> None:
    """Refuse benchstat's options unless its output is requested."""
    for name, option in _list_written(context):
        if name in BENCHSTAT_ONLY:
            raise ConfigError(
                "needs --compat benchstat", where=option, hint="add --compat benchstat"
            )


def _list_written(context: typer.Context) -> list[tuple[str, str]]:
    """Return name and spelling of the parameters on the command line."""
    return [
        (str(parameter.name), parameter.opts[0])
        for parameter in context.command.params
        if (source := context.get_parameter_source(str(parameter.name)))
        and source.name == "COMMANDLINE"
    ]

"""How a folder is understood: one line per file, and the other readings with their commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from shlex import join

from benchkit.errors import BaselineError
from benchkit.labels.readings import FileLabels, Reading
from benchkit.selection import choose_baseline
from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.units import printable

_NAMES = tuple(field.name for field in fields(FileLabels))
#: Variants that a line names; the rest is counted.
_LISTED = 5
NO_FILES: Mapping[str, int] = {}


def layout_table(files: Iterable[FileLabels]) -> Table:
    """List the files with their labels; what no file has is left out.

    Examples
    --------
    >>> file = FileLabels(path="none/1.txt", variant="none", run="1", origin="{variant}/{run}.txt")
    >>> print(layout_table([file]))
    Files
    file        variant  run  from
    none/1.txt  none     1    {variant}/{run}.txt
    """
    headers = {"path": "file", "origin": "from"}
    table = Table(
        "Files",
        tuple(Column(name, headers.get(name, name)) for name in _NAMES),
        tuple(tuple(Cell(printable(getattr(file, name))) for name in _NAMES) for file in files),
    )
    return drop_empty(table, _NAMES[1:-1])


def summarise_layout(
    files: Sequence[FileLabels], skipped: int = 0, unread: Mapping[str, int] = NO_FILES
) -> str:
    """Say in a line which variants the files are, those that were not read by their paths.

    Examples
    --------
    >>> files = [FileLabels(path=f"{run}.txt", variant="none", role="measured") for run in "123"]
    >>> summarise_layout(files)
    '1 variant: none (3 files)'
    """
    measured = [file.variant for file in files if "measured" in file.role.split(", ")]
    names = (name for several in measured for name in several.split(", ") if name)
    count = Counter(names) + Counter(unread)
    aside = count.pop("", 0)
    named = [f"{name} ({_count(times, 'file')})" for name, times in count.items()]
    others = len(files) - len(measured) + aside
    rest = [f"{_count(others, 'file')} not compared"] if others else []
    rest += [f"{_count(skipped, 'file')} skipped"] if skipped else []
    total = len(files) + sum(unread.values())
    rest += (
        [f"{len(files)} of {total} files are shown; list all with --format csv"] if unread else []
    )
    listed = f": {_list(named)}" if named else ""
    return "; ".join([f"{_count(len(named), 'variant')}{listed}", *rest])


def suggest_readings(
    arguments: Sequence[str], readings: Iterable[Reading], *, is_whole: bool = False
) -> list[str]:
    """Write each other reading and the command that gives it.

    With ``is_whole`` the arguments are a whole command that compares, else what ingest reads.

    Examples
    --------
    >>> for line in suggest_readings(["r"], [Reading("{variant}/{run}.txt", ("a", "b"))]):
    ...     print(line)
    It could also mean:
      variants a, b
        benchkit ingest r --layout '{variant}/{run}.txt'
    """
    lines: list[str] = []
    write = complete if is_whole else write_command
    for reading in readings:
        levels = {
            "variants": reading.variants,
            "benchmarks": reading.benchmarks,
            "groups": reading.groups,
        }
        described = "; ".join(
            f"{level} {_list(names, is_part=reading.is_part)}"
            for level, names in levels.items()
            if names
        )
        lines += [
            f"  {described}",
            f"    {write(arguments, reading)}",
        ]
    return ["It could also mean:", *lines] if lines else []


def write_command(arguments: Sequence[str], reading: Reading) -> str:
    """Write the command that ingests files by a reading."""
    options = reading.options or ("--layout", reading.pattern)
    return f"benchkit ingest {join([*arguments, *options])}"


def complete(arguments: Sequence[str], reading: Reading) -> str:
    """Write a command that compares by another reading; with a baseline where no name tells it."""
    options = [*(reading.options or ("--layout", reading.pattern))]
    try:
        choose_baseline(reading.variants)
    except BaselineError:
        options += ["--baseline", reading.variants[0]]
    return join(["benchkit", *arguments, *options])


def _list(names: Sequence[str], *, is_part: bool = False) -> str:
    left = "" if is_part else f"{len(names) - _LISTED} "
    more = f" and {left}more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

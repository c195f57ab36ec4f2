"""How a folder is interpreted: one line per file, and other readings with their commands."""

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
#: Maximum number of variants that a line names; the rest is counted.
_LISTED = 5
#: Minimum number of levels of one variant for a sweep.
_LEVELS = 3
NO_FILES: Mapping[str, int] = {}


def layout_table(files: Iterable[FileLabels]) -> Table:
    """List the files with their labels; omit columns that are empty for every file.

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
    """Count the files of each variant in a line, including files not recognised by their paths.

    Examples
    --------
    >>> files = [FileLabels(path=f"{run}.txt", variant="none", role="measured") for run in "123"]
    >>> summarise_layout(files)
    '1 variant: none (3 files)'
    """
    measured = [file for file in files if _is_measured(file)]
    count = _count_variants(files) + Counter(unread)
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


def suggest_command(
    arguments: Sequence[str], files: Sequence[FileLabels], unread: Mapping[str, int] = NO_FILES
) -> str:
    """Complete a command that compares the files as read; empty if there is only one side.

    Levels of one variant are compared too: they are a sweep.

    Examples
    --------
    >>> files = [FileLabels(path=f"{name}.txt", variant=name, role="measured") for name in "ab"]
    >>> suggest_command(["compare", "r"], files)
    'benchkit compare r --baseline a'
    """
    variants = [*filter(None, _count_variants(files) + Counter(unread))]
    levels = {file.params for file in files if _is_measured(file)}
    if len(variants) > 1:
        return write_comparison(arguments, variants)
    return join(["benchkit", *arguments]) if len(levels) >= _LEVELS else ""


def suggest_readings(arguments: Sequence[str], readings: Iterable[Reading]) -> list[str]:
    """Write each other reading, and the command that compares by it.

    Examples
    --------
    >>> some = [Reading("{variant}/{run}.txt", ("a", "b"))]
    >>> for line in suggest_readings(["compare", "r"], some):
    ...     print(line)
    It could also mean:
      variants a, b
        benchkit compare r --layout '{variant}/{run}.txt' --baseline a
    """
    lines: list[str] = []
    for reading in readings:
        levels = {
            "variants" if len(reading.variants) > 1 else "variant": reading.variants,
            "benchmarks": reading.benchmarks,
            "groups": reading.groups,
            "runs": reading.runs,
        }
        described = "; ".join(
            f"{level} {_list(names, is_part=reading.is_part)}"
            for level, names in levels.items()
            if names
        )
        lines += [
            f"  {described}",
            f"    {complete(arguments, reading)}",
        ]
    return ["It could also mean:", *lines] if lines else []


def complete(arguments: Sequence[str], reading: Reading) -> str:
    """Write a command that compares by another reading, or lists the runs of its only variant."""
    options = reading.options or ("--layout", reading.pattern)
    if reading.runs:
        return join(["benchkit", "runs", *arguments[1:], *options])
    return write_comparison([*arguments, *options], reading.variants)


def write_comparison(arguments: Sequence[str], variants: Sequence[str]) -> str:
    """Write a command that compares, with a baseline if it cannot be inferred from the names."""
    try:
        choose_baseline(variants)
    except BaselineError as error:
        return join(["benchkit", *arguments, *error.options])
    return join(["benchkit", *arguments])


def _is_measured(file: FileLabels) -> bool:
    return "measured" in file.role.split(", ")


def _count_variants(files: Iterable[FileLabels]) -> Counter[str]:
    """Count the files of each variant that take part in a comparison."""
    measured = (file.variant for file in files if _is_measured(file))
    return Counter(name for several in measured for name in several.split(", ") if name)


def _list(names: Sequence[str], *, is_part: bool = False) -> str:
    left = "" if is_part else f"{len(names) - _LISTED} "
    more = f" and {left}more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

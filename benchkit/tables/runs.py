"""The runs behind a comparison: a line each, or one for each series with equal labels.

`benchkit runs` and the report list the same columns, and the role of a run shows why it was not
compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Any, TypeGuard

from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.units import format_number, printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

_NAMES = ("group", "variant", "benchmark", "params", "run", "role", "tool", "started_at")
#: Columns that differ between the runs of a series; runs that agree in all others share a line.
_OF_EACH = frozenset({"run", "started_at"})
#: Values of the lines, by column.
Columns = dict[str, list[Any]]
#: Maximum number of ranges of run numbers in a line; the rest is counted.
_MOST_STRETCHES = 5


def runs_table(runs: Runs, *, is_folded: bool = False) -> Table:
    """List the runs.

    Parameters
    ----------
    is_folded : bool
        Whether runs with equal labels share a line, with the start of the first, the median
        duration and the number of their sources.

    Returns
    -------
    Table
        Empty columns are omitted, and so is the origin if there is only one.
    """
    names = (*_NAMES, *(("origin",) if runs["origin"].nunique() > 1 else ()))
    columns = {name: runs[name].tolist() for name in (*names, "duration", "remark")}
    columns["sources"] = [*map(len, runs["sources"].tolist())]
    if is_folded:
        columns = _fold(columns, [name for name in (*names, "remark") if name not in _OF_EACH])
    lines = zip(*(columns[n] for n in (*names, "duration", "sources", "remark")), strict=True)
    table = Table(
        title="Runs",
        columns=(
            *(Column(name, name, align="right" if name == "run" else "left") for name in names),
            Column("duration", "duration", "s", "right"),
            Column("sources", "sources", align="right"),
            Column("remark", "remark"),
        ),
        rows=tuple(_row(names, values) for values in lines),
        caption=_count(runs["role"].tolist()),
    )
    return drop_empty(table, (*_NAMES, "duration", "remark"))


def _fold(columns: Columns, labels: Sequence[str]) -> Columns:
    """Join the runs with the same labels into one line, at the position of the first."""
    series: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(zip(*(columns[name] for name in labels), strict=True)):
        known = tuple(value if isinstance(value, str) else None for value in row)
        series.setdefault(known, []).append(place)

    def take(name: str) -> Iterator[list[Any]]:
        return ([columns[name][place] for place in places] for places in series.values())

    folded: Columns = {name: [values[0] for values in take(name)] for name in labels}
    starts = ([start for start in of if _is_time(start)] for of in take("started_at"))
    lengths = ([length for length in of if length == length] for of in take("duration"))  # noqa: PLR0124 - NaN
    return folded | {
        "run": [write_numbers(set(numbers)) for numbers in take("run")],
        "started_at": [min(of, default=None) for of in starts],
        "duration": [median(of) if of else math.nan for of in lengths],
        "sources": [*map(sum, take("sources"))],
    }


def write_numbers(numbers: set[int]) -> str:
    """Write run numbers as ranges, ``1–3, 5``, and count those beyond the first few."""
    stretches = [*_find_stretches(sorted(numbers))]
    shown = [f"{a}–{b}" if a < b else f"{a}" for a, b in stretches[:_MOST_STRETCHES]]
    more = sum(b - a + 1 for a, b in stretches[_MOST_STRETCHES:])
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _find_stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for place, number in enumerate(numbers, 1):
        if place == len(numbers) or numbers[place] > number + 1:
            yield numbers[start], number
            start = place


def _row(names: Sequence[str], values: Sequence[object]) -> tuple[Cell, ...]:
    *labels, duration, sources, remark = values
    return (
        *(_label(name, value) for name, value in zip(names, labels, strict=True)),
        _duration(duration),
        Cell(f"{sources}", float(str(sources))),
        Cell(printable(remark) if isinstance(remark, str) else ""),
    )


def _label(name: str, value: object) -> Cell:
    if name == "run":
        return Cell(f"{value}", None if isinstance(value, str) else float(str(value)))
    if name == "started_at":
        return Cell(write_time(value))
    return Cell(printable(value) if isinstance(value, str) else "")


def _duration(value: object) -> Cell:
    if not isinstance(value, float) or math.isnan(value):
        return Cell("")
    return Cell(format_number(value, 4), value)


def write_time(value: object) -> str:
    """Write a time as ``2026-11-21 01:21:43``, in UTC; empty if unknown."""
    return value.strftime("%Y-%m-%d %H:%M:%S") if _is_time(value) else ""


def _is_time(value: object) -> TypeGuard[datetime]:
    return isinstance(value, datetime) and str(value) != "NaT"


def _count(roles: Sequence[str]) -> str:
    count = {role: roles.count(role) for role in dict.fromkeys(roles)}
    return ", ".join(f"{number} {role}" for role, number in count.items())

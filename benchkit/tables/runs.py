"""The runs behind a comparison, one line each.

`benchkit runs` and the report list the same columns, and a run that was not compared says so by
its role.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.units import format_number, printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

_NAMES = ("group", "variant", "benchmark", "params", "run", "role", "tool", "started_at")


def runs_table(runs: Runs) -> Table:
    """List the runs.

    Parameters
    ----------
    runs : Runs

    Returns
    -------
    Table
        Columns that are empty throughout are left out, and the origin where there is but one.
    """
    names = (*_NAMES, *(("origin",) if runs["origin"].nunique() > 1 else ()))
    columns = [runs[name].tolist() for name in (*names, "duration", "sources", "remark")]
    table = Table(
        title="Runs",
        columns=(
            *(Column(name, name, align="right" if name == "run" else "left") for name in names),
            Column("duration", "duration", "s", "right"),
            Column("sources", "sources", align="right"),
            Column("remark", "remark"),
        ),
        rows=tuple(_row(names, values) for values in zip(*columns, strict=True)),
        caption=_count(runs["role"].tolist()),
    )
    return drop_empty(table, (*_NAMES, "duration", "remark"))


def _row(names: Sequence[str], values: Sequence[object]) -> tuple[Cell, ...]:
    *labels, duration, sources, remark = values
    return (
        *(_label(name, value) for name, value in zip(names, labels, strict=True)),
        _duration(duration),
        Cell(f"{len(sources)}", len(sources)) if isinstance(sources, Sequence) else Cell("0", 0),
        Cell(printable(remark) if isinstance(remark, str) else ""),
    )


def _label(name: str, value: object) -> Cell:
    if name == "run":
        return Cell(f"{value}", float(str(value)))
    if name == "started_at":
        return Cell(write_time(value))
    return Cell(printable(value) if isinstance(value, str) else "")


def _duration(value: object) -> Cell:
    if not isinstance(value, float) or math.isnan(value):
        return Cell("")
    return Cell(format_number(value, 4), value)


def write_time(value: object) -> str:
    """Write a time as ``2026-11-21 01:21:43``, in UTC; nothing where it is unknown."""
    if not isinstance(value, datetime) or str(value) == "NaT":
        return ""
    return value.strftime("%Y-%m-%d %H:%M:%S")


def _count(roles: Sequence[str]) -> str:
    count = {role: roles.count(role) for role in dict.fromkeys(roles)}
    return ", ".join(f"{number} {role}" for role, number in count.items())

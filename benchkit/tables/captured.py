"""The table of the runs that a session has made.

What failed stands beside what did not.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.tables.model import Cell, Column, Table

_COLUMNS = (
    Column("variant", "variant"),
    Column("role", "role"),
    Column("run", "run", align="right"),
    Column("duration", "s", align="right"),
    Column("exit", "exit", align="right"),
    Column("file", "file"),
)


def captured_table(rows: Iterable[tuple[str, str, int, float, int, str]]) -> Table:
    """Build the table of captured runs."""
    return Table(
        title="Captured",
        columns=_COLUMNS,
        rows=tuple(
            (
                Cell(variant),
                Cell(role),
                Cell(f"{run}"),
                Cell(f"{duration:.1f}"),
                Cell(f"{code}"),
                Cell(file),
            )
            for variant, role, run, duration, code, file in rows
        ),
    )

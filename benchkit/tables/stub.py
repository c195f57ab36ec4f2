"""The columns that say what a row of one variant is about.

Plans and calibrations name their rows alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.comparison.replicates import Replicates
from benchkit.derived.containers import shorten
from benchkit.metrics import display_name
from benchkit.tables.model import Cell, Column, Table, drop_empty, fold_constant
from benchkit.units import format_percent, printable

NAMES = ("group", "benchmark", "params", "tool", "subject", "metric", "variant")
NONE = Cell("–")


def stub_columns() -> tuple[Column, ...]:
    """Return the columns of `stub_cells`."""
    return tuple(Column(name, name) for name in NAMES)


def stub_cells(row: Replicates) -> tuple[Cell, ...]:
    """Say what a row is about."""
    texts = (
        row.group, row.benchmark, row.params, row.tool, shorten(row.subject),
        display_name(row.metric, row.stat), row.variant,
    )  # fmt: skip
    return tuple(Cell(printable(text)) for text in texts)


def fold_stub(table: Table, empty: Sequence[str] = ()) -> Table:
    """Say in the caption what all rows share, and leave out columns that say nothing."""
    filled = drop_empty(table, (*NAMES[:-1], *empty))
    folded, shared = fold_constant(filled, NAMES[:-1])
    return replace(folded, caption="; ".join(part for part in (*shared, table.caption) if part))


def write_share(share: float) -> str:
    """Write a share or a size without a sign, about two digits of it.

    Examples
    --------
    >>> write_share(0.0312).replace("\N{NO-BREAK SPACE}", " ")
    '3.1 %'
    """
    return format_percent(share).lstrip("+±")

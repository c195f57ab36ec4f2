"""The columns that name the subject of a row about one variant.

Plans and calibrations name their rows the same way.
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
    """Return the cells that name the subject of a row."""
    texts = (
        row.group, row.benchmark, row.params, row.tool, shorten(row.subject),
        display_name(row.metric, row.stat), row.variant,
    )  # fmt: skip
    return tuple(Cell(printable(text)) for text in texts)


def fold_stub(table: Table, empty: Sequence[str] = ()) -> Table:
    """State in the caption what all rows share, and remove empty columns."""
    filled = drop_empty(table, (*NAMES[:-1], *empty))
    folded, shared = fold_constant(filled, NAMES[:-1])
    return replace(folded, caption="; ".join(part for part in (*shared, table.caption) if part))


def write_share(share: float) -> str:
    """Write a share or a size without a sign, with about two digits.

    Examples
    --------
    >>> write_share(0.0312).replace("\N{NO-BREAK SPACE}", " ")
    '3.1 %'
    """
    return format_percent(share).lstrip("+±")

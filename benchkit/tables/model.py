"""A table is data: columns, rows of cells, notes; how it looks is the business of a renderer.

In: texts that are ready to read, and the numbers behind them. Out: one frozen `Table`.
Why: the terminal, Markdown and HTML show the same object, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Parameters
    ----------
    key : str
        Stable name for machines.
    header, unit : str
        What the reader sees: ``none``, ``ms``.
    align : {'left', 'right'}
    """

    key: str
    header: str
    unit: str = ""
    align: Align = "left"

    @property
    def title(self) -> str:
        """The header with its unit."""
        return f"{self.header}, {self.unit}" if self.unit else self.header


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Parameters
    ----------
    text : str
        As the reader sees it, without the mark.
    value : float or None
        The number behind the text, for sorting.
    mark : str
        A mark of the verdict, or empty.
    notes : tuple of int
        Numbers of the table's notes that belong to the cell, from 1.
    """

    text: str
    value: float | None = None
    mark: str = ""
    notes: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """Mark and text."""
        return f"{self.mark} {self.text}" if self.mark else self.text


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns, with what the reader has to know.

    Parameters
    ----------
    title : str
    columns : tuple of Column
    rows : tuple of tuple of Cell
        One cell per column.
    notes : tuple of str
        Footnotes; cells refer to them by number, from 1.
    caption : str
        What holds for the whole table.
    footer : tuple of str
        Lines under the table that sum it up; no cell refers to them.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    caption: str = ""
    footer: tuple[str, ...] = ()


def drop_columns(table: Table, keys: Iterable[str]) -> Table:
    """Leave out the columns ``keys``."""
    named = set(keys)
    return _pick(table, [i for i, column in enumerate(table.columns) if column.key not in named])


def drop_empty(table: Table, keys: Iterable[str]) -> Table:
    """Leave out the columns among ``keys`` that say nothing in any row."""
    named = set(keys)
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column.key not in named or any(row[index].label for row in table.rows)
    ]
    return _pick(table, kept)


def fold_constant(table: Table, keys: Iterable[str]) -> tuple[Table, tuple[str, ...]]:
    """Leave out columns among ``keys`` that say the same in every row; return what they say.

    Examples
    --------
    >>> table = Table("", (Column("a", "a"), Column("b", "b")), ((Cell("x"), Cell("1")),))
    >>> fold_constant(table, ["a"])[1]
    ('x',)
    """
    named = set(keys)
    kept, said = [], []
    for index, column in enumerate(table.columns):
        texts = {row[index].label for row in table.rows}
        if column.key in named and len(texts) <= 1:
            said += [text for text in texts if text]
        else:
            kept.append(index)
    return _pick(table, kept), tuple(said)


def _pick(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )

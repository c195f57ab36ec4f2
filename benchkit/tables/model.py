"""A table is data: columns, rows of cells, notes; how it looks is the business of a renderer.

The terminal, Markdown and HTML show the same object, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from benchkit.tables.alignment import align_columns
from benchkit.units import printable

Align = Literal["left", "right"]
#: A benchmark whose files tell no name.
UNNAMED = "(unnamed)"


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
    tip : str
        What a page says of the column on request.
    """

    key: str
    header: str
    unit: str = ""
    align: Align = "left"
    tip: str = ""

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
    tip : str
        What a page says of the cell on request.
    short : str
        What a narrow screen shows in place of the text.
    """

    text: str
    value: float | None = None
    mark: str = ""
    notes: tuple[int, ...] = ()
    tip: str = ""
    short: str = ""

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

    Examples
    --------
    >>> columns = (Column("variant", "variant"), Column("runs", "runs", align="right"))
    >>> print(Table("Runs", columns, ((Cell("none"), Cell("8", 8)),)))
    Runs
    variant  runs
    none        8
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    caption: str = ""
    footer: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write the table as a terminal without colours shows it."""
        heads = [printable(column.title) for column in self.columns]
        rows = [[_write_plain(cell) for cell in row] for row in self.rows]
        body = align_columns(heads, rows, [column.align for column in self.columns])
        notes = (f"{number}  {note}" for number, note in enumerate(self.notes, 1))
        above = (line for line in (self.title, self.caption) if line)
        below = (*self.footer, *notes)
        return "\n".join([*map(printable, above), *body, *map(printable, below)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Write the table as an element that takes the look of the notebook around it."""
        constants = " ".join(line for line in (self.title, self.caption) if line)
        heads = "".join(_element("th", c.title, c.align) for c in self.columns)
        rows = "".join(
            f"<tr>{''.join(map(_write_cell, row, self.columns))}</tr>\n" for row in self.rows
        )
        lines = (*self.footer, *(f"{number}  {note}" for number, note in enumerate(self.notes, 1)))
        return (
            f"<table>\n<caption>{_safe(constants)}</caption>\n<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{rows}</tbody>\n</table>\n"
            f"{''.join(f'<p>{_safe(line)}</p>' for line in lines)}"
        )


def _write_plain(cell: Cell) -> str:
    notes = f" ({', '.join(map(str, cell.notes))})" if cell.notes else ""
    return printable(cell.label) + notes


def _write_cell(cell: Cell, column: Column) -> str:
    notes = f"<sup>{', '.join(map(str, cell.notes))}</sup>" if cell.notes else ""
    return _element("td", cell.label, column.align, notes)


def _element(name: str, text: str, align: Align, after: str = "") -> str:
    return f'<{name} style="text-align: {align}">{_safe(text)}{after}</{name}>'


def _safe(text: str) -> str:
    return escape(printable(text))


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
    return _name_blanks(_pick(table, kept))


def _name_blanks(table: Table) -> Table:
    """Say of a benchmark that it has no name, where others have one."""
    at = next((i for i, column in enumerate(table.columns) if column.key == "benchmark"), None)
    if at is None or not any(row[at].label for row in table.rows):
        return table
    rows = tuple(
        row if row[at].label else (*row[:at], Cell(UNNAMED), *row[at + 1 :]) for row in table.rows
    )
    return replace(table, rows=rows)


def fold_constant(table: Table, keys: Iterable[str]) -> tuple[Table, tuple[str, ...]]:
    """Leave out columns among ``keys`` that say the same in every row; return what they say.

    Examples
    --------
    >>> table = Table("", (Column("a", "a"), Column("b", "b")), ((Cell("x"), Cell("1")),))
    >>> fold_constant(table, ["a"])[1]
    ('x',)
    """
    named = set(keys)
    kept, constants = [], []
    for index, column in enumerate(table.columns):
        texts = {row[index].label for row in table.rows}
        if column.key in named and len(texts) <= 1:
            constants += [text for text in texts if text]
        else:
            kept.append(index)
    return _pick(table, kept), tuple(constants)


def _pick(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )

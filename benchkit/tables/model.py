"""Tables as data: columns, rows of cells, notes; renderers decide how they look.

The terminal, Markdown and HTML show the same object, so they cannot disagree.

Texts in columns, measured by their width on a screen.

A table printed in a notebook's terminal looks like on the command line, and wide letters and
accents do not shift columns.

Cells of numbers in one unit, down a column.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Literal

from benchkit.errors import NO_MATHS
from benchkit.regexes import regex
from benchkit.tables.wording import NOTHING
from benchkit.units import (
    SERVICE_COMMAND,
    Scale,
    common_scale,
    format_number,
    format_percent,
    printable,
)

Align = Literal["left", "right"]
#: Label of a benchmark whose files do not name it.
UNNAMED = "(unnamed)"
GAP = 2
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Parameters
    ----------
    key : str
        Stable name for machines.
    header, unit : str
        The displayed texts: ``none``, ``ms``.
    align : {'left', 'right'}
    tip : str
        An explanation of the column that a page shows on request.
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
        The displayed text, without the mark.
    value : float or None
        The number behind the text, for sorting.
    mark : str
        A mark of the verdict, or empty.
    notes : tuple of int
        Numbers of the table's notes that belong to the cell, from 1.
    tip : str
        An explanation of the cell that a page shows on request.
    short : str
        The text that a narrow screen shows instead.
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
    """Rows under columns, with the notes that a reader needs.

    Parameters
    ----------
    title : str
    columns : tuple of Column
    rows : tuple of tuple of Cell
        One cell per column.
    notes : tuple of str
        Footnotes; cells refer to them by number, from 1.
    caption : str
        A note on the whole table.
    footer : tuple of str
        Summary lines under the table; no cell refers to them.

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
        """Write the table as in a terminal without colours."""
        heads = [printable(column.title) for column in self.columns]
        rows = [[_write_plain(cell) for cell in row] for row in self.rows]
        body = align_columns(heads, rows, [column.align for column in self.columns])
        notes = (f"{number}  {note}" for number, note in enumerate(self.notes, 1))
        above = (line for line in (self.title, self.caption) if line)
        below = (*self.footer, *notes)
        return disarm("\n".join([*map(printable, above), *body, *map(printable, below)]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Write the table as an HTML element that takes the look of the surrounding notebook."""
        constants = " ".join(line for line in (self.title, self.caption) if line)
        heads = "".join(_element("th", c.title, c.align) for c in self.columns)
        rows = "".join(
            f"<tr>{''.join(map(_write_cell, row, self.columns))}</tr>\n" for row in self.rows
        )
        lines = (*self.footer, *(f"{number}  {note}" for number, note in enumerate(self.notes, 1)))
        return (
            f"<div {NO_MATHS}>\n<table>\n<caption>{_safe(constants)}</caption>\n"
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
            f"{''.join(f'<p>{_safe(line)}</p>' for line in lines)}</div>\n"
        )


#: Commands to the runner of a pipeline, anywhere that a line may begin: ``::stop-commands::x``.
_COMMAND = regex(rf"(?:^|(?<=\s)):(?=:\w)|{SERVICE_COMMAND}", re.MULTILINE)


def disarm(text: str) -> str:
    r"""Escape a text so that a pipeline runner that logs it executes none of its lines.

    Examples
    --------
    >>> disarm("::error::a")
    ':\u200b:error::a'
    """
    return _COMMAND.sub("\\g<0>\u200b", text)


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
    """Remove the columns ``keys``."""
    named = set(keys)
    return _pick(table, [i for i, column in enumerate(table.columns) if column.key not in named])


def drop_empty(table: Table, keys: Iterable[str]) -> Table:
    """Remove the columns among ``keys`` that are empty in every row."""
    named = set(keys)
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column.key not in named or any(row[index].label for row in table.rows)
    ]
    return _name_blanks(_pick(table, kept))


def _name_blanks(table: Table) -> Table:
    """Label benchmarks without a name as unnamed, if others have a name."""
    at = next((i for i, column in enumerate(table.columns) if column.key == "benchmark"), None)
    if at is None or not any(row[at].label for row in table.rows):
        return table
    rows = tuple(
        row if row[at].label else (*row[:at], Cell(UNNAMED), *row[at + 1 :]) for row in table.rows
    )
    return replace(table, rows=rows)


def fold_constant(table: Table, keys: Iterable[str]) -> tuple[Table, tuple[str, ...]]:
    """Remove columns among ``keys`` that are the same in every row; return their values.

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


def align_columns(
    heads: Sequence[str], rows: Iterable[Sequence[str]], sides: Sequence[str]
) -> Iterator[str]:
    r"""Yield a line of headers and one for each row.

    Parameters
    ----------
    rows : iterable of sequence of str
        One text per header.
    sides : sequence of {'left', 'right'}

    Examples
    --------
    >>> sides = ["left", "right"]
    >>> print("\n".join(align_columns(["run", "µs"], [["1", "9.5"], ["2", "10.5"]], sides)))
    run    µs
    1     9.5
    2    10.5
    """
    lines = [heads, *rows]
    widths = measure_columns(lines)
    for texts in lines:
        padded = map(_pad, texts, widths, sides)
        yield (" " * GAP).join(padded).rstrip()


def measure_columns(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return the largest width, in screen columns, of the texts in each column."""
    return [max(map(measure, texts)) for texts in zip(*lines, strict=True)]


def measure(text: str) -> int:
    """Return the width of a text in screen columns.

    Examples
    --------
    >>> measure("a"), measure("漢")
    (1, 2)
    """
    return len(text) if text.isascii() else sum(map(_measure_character, text))


@lru_cache(maxsize=1 << 12)
def _measure_character(character: str) -> int:
    is_wide = unicodedata.east_asian_width(character) in "WF"
    return 1 + is_wide - (unicodedata.combining(character) > 0)


def _pad(text: str, width: int, side: str) -> str:
    space = " " * (width - measure(text))
    return f"{space}{text}" if side == "right" else f"{text}{space}"


def scale_of(values: Sequence[float | None], unit: str) -> Scale:
    """Choose one scale for a column."""
    return common_scale([value for value in values if value is not None], unit)


def column(key: str, header: str, scale: Scale | None = None) -> Column:
    """Return a column of numbers whose header includes its scale."""
    return Column(key, header, scale.label if scale else "", "right")


def amount(value: float | None, scale: Scale, *, signed: bool = False, digits: int = 3) -> Cell:
    """Write a value in the scale of its column; differences have a sign.

    Examples
    --------
    >>> amount(0.0000148, Scale(1e-6, "µs"), signed=True).text
    '+14.8'
    """
    if value is None:
        return Cell(NOTHING)
    text = format_number(value / scale.factor, digits)
    return Cell(f"+{text}" if signed and value > 0 else text, value)


def count(value: float | None) -> Cell:
    """Write a count without decimals."""
    return Cell(NOTHING) if value is None else Cell(format_number(float(round(value)), 1), value)


def percent(fraction: float | None, limits: Sequence[float] = (), *, signed: bool = False) -> Cell:
    """Write a share, never rounded across a limit.

    Examples
    --------
    >>> percent(0.7829).text.replace("\N{NO-BREAK SPACE}", " ")
    '78.3 %'
    """
    if fraction is None:
        return Cell(NOTHING)
    text = format_percent(fraction, limits)
    return Cell(text if signed else text.lstrip("+±"), fraction)

"""Tables on a narrow screen: spare columns go first, then long words, and names are wrapped.

What answers the question stays: both values, the change, the interval and the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchkit.tables.alignment import GAP, measure
from benchkit.tables.model import Cell, Column, Table, drop_columns

#: Columns that a narrow screen goes without, in this order.
_SPARE = (
    *("detectable", "needed", "runs", "n", "p", "sources", "duration"),
    *("spread_baseline", "spread_variant"),
)
_NAMES = ("benchmark", "params", "tool", "subject", "metric", "variant")
#: A column that is never broken.
_WHOLE = "interval"
_WORDS, _PARTS = re.compile(r"(?<= )"), re.compile(r"(?<=[ /_,-])")
Write = Callable[[Cell], str]


def fit(table: Table, width: int, write: Write) -> tuple[Table, list[str]]:
    """Return a table that a screen of some columns holds, and the headers that it goes without.

    Parameters
    ----------
    table : Table
    width : int
        Columns of the screen.
    write : callable
        Writes a cell as the screen shows it.
    """
    whole, dropped = table, list[str]()
    for key in _SPARE:
        if _measure_table(table, write) <= width:
            return table, dropped
        if header := next((c.header for c in table.columns if c.key == key), None):
            table = drop_columns(table, [key])
            dropped += [header] if header not in dropped else []
    if _measure_table(table, write) > width:
        table = _shorten_verdicts(table)
    if _measure_table(table, write) <= width:
        return table, dropped
    widths = _narrow(table, width, write)
    if widths:
        return _wrap(table, widths, write), dropped
    stacked = stack(whole)
    names = _measure(stacked, write)[0]
    return _wrap(stacked, [names, max(width - names - GAP, 1)], write), []


def stack(table: Table) -> Table:
    """Put the cells of each row below each other, named by their columns."""
    columns = (Column("what", ""), Column("told", ""))
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        rows += [(Cell(""), Cell(""))] if rows else []
        named = zip(table.columns, row, strict=True)
        rows += [(Cell(column.title), cell) for column, cell in named if cell.label]
    return Table(table.title, columns, tuple(rows))


def _shorten_verdicts(table: Table) -> Table:
    """Leave out of a verdict by how much: the interval beside it says it, too."""
    rows = [
        tuple(replace(c, text=c.text.partition(", at least ")[0]) if c.mark else c for c in row)
        for row in table.rows
    ]
    return replace(table, rows=tuple(rows))


def _measure_table(table: Table, write: Write) -> int:
    return sum(_measure(table, write)) + GAP * (len(table.columns) - 1)


def _measure(table: Table, write: Write) -> list[int]:
    """Return how wide each column is."""
    heads = [measure(write(Cell(column.title))) for column in table.columns]
    cells = ((measure(write(cell)) for cell in row) for row in table.rows)
    return [max(each) for each in zip(heads, *cells, strict=True)]


def _narrow(table: Table, width: int, write: Write) -> list[int]:
    """Return a width for each column so that all fit; none where a word would be broken.

    Headers are wrapped first, then the verdict, then the names, the widest first.
    """
    widths = _measure(table, write)
    bodies = _measure(
        replace(table, columns=tuple(Column(c.key, "") for c in table.columns)), write
    )
    over = _measure_table(table, write) - width
    ranked = sorted(range(len(widths)), key=lambda at: -widths[at])
    marked = {at for row in table.rows for at, cell in enumerate(row) if cell.mark}
    by_verdict = sorted(ranked, key=lambda at: at not in marked)
    least = [_measure_words(table, at, write) for at in range(len(widths))]
    for order, floors in ((ranked, [*map(max, bodies, least)]), (by_verdict, least)):
        for at in order:
            cut = max(min(over, widths[at] - floors[at]), 0)
            widths[at] -= cut
            over -= cut
    return [] if over > 0 else widths


def _measure_words(table: Table, at: int, write: Write) -> int:
    """Return the width of the longest word of a column."""
    column = table.columns[at]
    texts = [_split_text(write(row[at]), column, row[at]) for row in table.rows]
    head = _split_text(write(Cell(column.title)), None, None)
    return max(measure(word.rstrip(" ")) for words in (head, *texts) for word in words)


def _split_text(text: str, column: Column | None, cell: Cell | None) -> list[str]:
    """Split a text where it may be broken; a mark stays with its first word."""
    if column and column.key == _WHOLE:
        return [text]
    words = (_PARTS if column and column.key in _NAMES else _WORDS).split(text)
    return ["".join(words[:2]), *words[2:]] if cell and cell.mark else words


def _wrap(table: Table, widths: Sequence[int], write: Write) -> Table:
    """Write each row as as many lines as its longest cell takes."""
    heads = [
        _fill(_split_text(write(Cell(column.title)), None, None), width)
        for column, width in zip(table.columns, widths, strict=True)
    ]
    columns = tuple(
        replace(column, header=lines[0], unit="")
        for column, lines in zip(table.columns, heads, strict=True)
    )
    below = _transpose([[Cell(line) for line in lines[1:]] for lines in heads])
    rows = [
        line
        for row in table.rows
        for line in _transpose(
            [
                _break(cell, column, width, write)
                for cell, column, width in zip(row, table.columns, widths, strict=True)
            ]
        )
    ]
    return replace(table, columns=columns, rows=(*below, *rows))


def _break(cell: Cell, column: Column, width: int, write: Write) -> list[Cell]:
    """Break a cell into lines; those after the first stand below its text, not its mark."""
    text = write(cell)
    if measure(text) <= width:
        return [cell]
    indent = "  " if cell.mark else ""
    first, *rest = _fill(_split_text(text, column, cell), width, indent)
    start = replace(cell, text=first.removeprefix(write(Cell("", mark=cell.mark))), notes=())
    return [start, *map(Cell, rest)]


def _fill(words: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Fill lines with words that keep the sign after them."""
    lines = [""]
    for word in words:
        if lines[-1] and measure((lines[-1] + word).rstrip(" ")) > width:
            lines.append(indent if measure(indent + word.rstrip(" ")) <= width else "")
        lines[-1] += word
    return [line.rstrip(" ") for line in lines]


def _transpose(cells: Sequence[Sequence[Cell]]) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of a row from the lines of its cells."""
    for line in range(max(map(len, cells))):
        yield tuple(each[line] if line < len(each) else Cell("") for each in cells)

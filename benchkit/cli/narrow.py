"""Tables on a narrow screen: drop spare columns, then put names above rows, or wrap them.

The answer itself stays: both values, the change, the interval and the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchkit.regexes import regex
from benchkit.tables.model import GAP, Cell, Column, Table, drop_columns, measure

#: Columns that a narrow screen omits, in this order.
_SPARE = (
    *("detectable", "needed", "runs", "n", "p", "sources", "duration"),
    *("spread_baseline", "spread_variant"),
)
_NAMES = ("benchmark", "params", "tool", "subject", "metric", "variant")
#: Columns that identify a row, and those that belong to the preceding column.
_ROWS = (
    *("group", "benchmark", "params", "tool", "subject"),
    *("container", "role", "variant", "level", "dose"),
)
_ATTACHED = ("interval", "known", "change")
#: Text that is wrapped only after the interval, before its level.
_WHOLE = "interval"
_INTERVALS = regex(r"(?<=\] )")
_WORDS, _PARTS = regex(r"(?<= )"), regex(r"(?<=[ /_,-])")
Write = Callable[[Cell], str]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table that fits the screen, its omitted headers, and the lines above its rows.

    Columns that do not fit move to further tables, below the names of their rows.
    """

    table: Table
    hidden: tuple[str, ...] = ()
    headings: Mapping[int, str] = field(default_factory=dict)
    further: tuple[Table, ...] = ()


def fit(table: Table, width: int, write: Write) -> Fitted:
    """Return a table that fits the width of a screen.

    Parameters
    ----------
    width : int
        Columns of the screen.
    write : callable
        Writes a cell for the screen.
    """
    shapes = [Fitted(table), *_head(table)]
    tried = [_go_without(shape, width, write) for shape in shapes]
    for shape in tried:
        if _measure_table(shape.table, write) <= width:
            return shape
    if blocks := _part(table, width, write):
        return Fitted(blocks[0], further=tuple(blocks[1:]))
    unshared = (_go_without(shape, width, write) for shape in _head(table, is_shared=False))
    for shape in (*tried, *unshared):
        if widths := _narrow(shape.table, width, write):
            return _wrap(shape, widths, write)
    stacked = stack(table)
    names = _measure(stacked, write)[0]
    return _wrap(Fitted(stacked), [names, max(width - names - GAP, 1)], write)


def _go_without(shape: Fitted, width: int, write: Write) -> Fitted:
    """Drop spare columns, then the dispensable parts of verdicts, until the table fits."""
    table, hidden = shape.table, list[str]()
    for key in _SPARE:
        if _measure_table(table, write) <= width:
            break
        if header := next((c.header for c in table.columns if c.key == key), None):
            table = drop_columns(table, [key])
            hidden += [header] if header not in hidden else []
    if _measure_table(table, write) > width:
        table = _shorten(table)
    return replace(shape, table=table, hidden=tuple(hidden))


def _head(table: Table, *, is_shared: bool = True) -> list[Fitted]:
    """Put all names but the last above the rows that share them, else above each row."""
    *above, _ = [at for at, column in enumerate(table.columns) if column.key in _NAMES] or [0]
    names = ["; ".join(row[at].label for at in above if row[at].label) for row in table.rows]
    headings = {at: f"{name}:" for at, name in enumerate(names) if at == 0 or name != names[at - 1]}
    if not above or is_shared == (len(headings) == len(names)):
        return []
    return [Fitted(drop_columns(table, [table.columns[at].key for at in above]), (), headings)]


def _part(table: Table, width: int, write: Write) -> list[Table]:
    """Divide a table of values into blocks of columns, each with the names of its rows.

    Returns nothing if a block does not fit, if the names do not identify rows, or if a column
    contains words, such as a verdict.
    """
    keys = [column.key for column in table.columns]
    first = next((at for at, key in enumerate(keys) if key not in _ROWS), len(keys))
    values = [column for column in table.columns[first:] if column.key not in _ATTACHED]
    if not first or not values or any(column.align == "left" for column in values):
        return []
    if len({tuple(cell.text for cell in row[:first]) for row in table.rows}) < len(table.rows):
        return []
    blocks: list[list[int]] = []
    for places in _join_attached(keys, first):
        joined = [*blocks[-1], *places] if blocks else []
        if joined and _measure_table(_pick(table, joined), write) <= width:
            blocks[-1] = joined
        else:
            blocks.append([*range(first), *places])
    parts = [_pick(table, places) for places in blocks]
    return parts if all(_measure_table(each, write) <= width for each in parts) else []


def _join_attached(keys: Sequence[str], first: int) -> list[list[int]]:
    """Return the positions of columns, each with those that belong to it."""
    joined: list[list[int]] = []
    for at in range(first, len(keys)):
        if joined and keys[at] in _ATTACHED:
            joined[-1].append(at)
        else:
            joined.append([at])
    return joined


def _pick(table: Table, places: Sequence[int]) -> Table:
    """Return a table of some columns."""
    rows = [tuple(row[at] for at in places) for row in table.rows]
    return replace(table, columns=tuple(table.columns[at] for at in places), rows=tuple(rows))


def stack(table: Table) -> Table:
    """List the cells of each row below each other, named by their columns."""
    columns = (Column("name", ""), Column("value", ""))
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        rows += [(Cell(""), Cell(""))] if rows else []
        named = zip(table.columns, row, strict=True)
        rows += [(Cell(column.title), cell) for column, cell in named if cell.label]
    return Table(table.title, columns, tuple(rows))


def _shorten(table: Table) -> Table:
    """Shorten cells: the interval shows by how much something differs."""
    rows = [tuple(replace(c, text=c.short or c.text) for c in row) for row in table.rows]
    return replace(table, rows=tuple(rows))


def _measure_table(table: Table, write: Write) -> int:
    return sum(_measure(table, write)) + GAP * (len(table.columns) - 1)


def _measure(table: Table, write: Write) -> list[int]:
    """Return the width of each column."""
    heads = [measure(write(Cell(column.title))) for column in table.columns]
    cells = ((measure(write(cell)) for cell in row) for row in table.rows)
    return [max(each) for each in zip(heads, *cells, strict=True)]


def _narrow(table: Table, width: int, write: Write) -> list[int]:
    """Return widths of columns so that the table fits; nothing if a word would be broken.

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
    """Split a text where it may be wrapped; a mark stays with its first word."""
    if column and column.key == _WHOLE:
        return _INTERVALS.split(text)
    words = (_PARTS if column and column.key in _NAMES else _WORDS).split(text)
    return ["".join(words[:2]), *words[2:]] if cell and cell.mark else words


def _wrap(shape: Fitted, widths: Sequence[int], write: Write) -> Fitted:
    """Write each row with as many lines as its longest cell needs."""
    table = shape.table
    heads = [
        _fill(_split_text(write(Cell(column.title)), None, None), width)
        for column, width in zip(table.columns, widths, strict=True)
    ]
    columns = tuple(
        replace(column, header=lines[0], unit="")
        for column, lines in zip(table.columns, heads, strict=True)
    )
    lines = [*_transpose([[Cell(line) for line in lines[1:]] for lines in heads])]
    headings: dict[int, str] = {}
    for at, row in enumerate(table.rows):
        headings |= {len(lines): shape.headings[at]} if at in shape.headings else {}
        broken = zip(row, table.columns, widths, strict=True)
        lines += _transpose([_break(*cell, write) for cell in broken])
    wrapped = replace(table, columns=columns, rows=tuple(lines))
    return Fitted(wrapped, shape.hidden, headings)


def _break(cell: Cell, column: Column, width: int, write: Write) -> list[Cell]:
    """Wrap a cell; further lines are aligned with its text, not its mark."""
    text = write(cell)
    if measure(text) <= width:
        return [cell]
    indent = "  " if cell.mark else ""
    first, *rest = _fill(_split_text(text, column, cell), width, indent)
    start = replace(cell, text=first.removeprefix(write(Cell("", mark=cell.mark))), notes=())
    return [start, *map(Cell, rest)]


def _fill(words: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Fill lines with words, each followed by its separator."""
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

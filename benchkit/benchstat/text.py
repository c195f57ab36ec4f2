"""The output of benchstat: text and CSV.

The text has tables with scaled numbers, and warnings as footnotes (benchtab/table.go, ToText), its
cells laid out in columns for a fixed-width font (texttab/table.go). Warnings of the CSV refer to
its cells: scripts that consume benchstat read both, and the references count every line of the CSV
(benchtab/table.go, ToCSV).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from benchkit.benchstat.gomath import ColumnSummary
from benchkit.benchstat.numbers import write_fixed, write_float
from benchkit.benchstat.projections import Key
from benchkit.benchstat.reader import SPACE, is_binary
from benchkit.benchstat.table import Cell, Table, show_key
from benchkit.regexes import regex

#: Columns of the grid: center, interval and notes; change, p and notes.
_CENTER, _CHANGE = 3, 3
_BORDER = " │ "
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Minimum shares of a factor for one, two or three decimals: a smaller value would be rounded up to
#: one digit more.
_ROUNDED = ((1, "99.995"), (2, "9.9995"), (3, ".99995"))
_DECIMAL = tuple(zip(range(12, -10, -3), ("T", "G", "M", "k", "", "m", "µ", "n"), strict=True))
_BINARY = tuple(zip(range(40, -10, -10), ("Ti", "Gi", "Mi", "Ki", ""), strict=True))
#: Decimals below the smallest prefix.
_MOST_DIGITS = 10

#: Pads a text to a width.
Align = Callable[[str, int], str]


class TextTable:
    """One table on a grid, with the warnings of its footnotes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._grid = Grid()
        self._notes: dict[str, str] = {}

    def write(self) -> str:
        """Return the lines of the table and of its footnotes."""
        self._put_labels()
        self._put_units()
        for row in self._table.rows:
            self._put_row(row)
        if len(self._table.rows) > 1:
            self._put_geomeans()
        notes = "".join(f"{mark} {message}\n" for message, mark in self._notes.items())
        return self._grid.lay_out() + notes

    def _put_labels(self) -> None:
        """Add a line for each level of the columns' keys; equal neighbours share a cell."""
        for level in range(1, self._table.levels + 1):
            self._grid.start_row()
            at = 0
            for key, same in groupby(column[:level] for column in self._table.columns):
                end = at + len(list(same))
                self._grid.column = _start(at)
                span = _start(end) - _start(at)
                self._grid.put(key[-1], center, span=span, margin=_BORDER)
                at = end
            self._close()

    def _put_units(self) -> None:
        self._grid.start_row()
        for at in range(len(self._table.columns)):
            self._grid.column = _start(at)
            self._grid.put(self._table.unit, center, span=_CENTER, margin=_BORDER)
            if at:
                self._grid.put("vs base", span=_CHANGE, margin="  ")
            self._grid.narrow.update(range(_start(at) + 1, self._grid.column))
        self._close()

    def _put_row(self, row: Key) -> None:
        cells = [self._table.cells.get((row, column)) for column in self._table.columns]
        self._grid.start_row()
        self._grid.put(show_key(row))
        scale = find_scale((cell.summary.center for cell in cells if cell), self._table.unit)
        for at, cell in enumerate(cells):
            if cell is None:
                continue
            self._grid.column = _start(at)
            self._grid.put(scale.write(cell.summary.center), right)
            self._grid.put(cell.summary.write_range(), right, margin=" ± ")
            self._put_notes(cell.warnings)
            self._put_change(cell)

    def _put_change(self, cell: Cell) -> None:
        if cell.baseline is None or cell.comparison is None:
            return
        delta = cell.comparison.write_delta(cell.baseline.center, cell.summary.center)
        self._grid.put(delta, right)
        self._grid.put(f"({cell.comparison.write_p()})")
        self._put_notes(cell.comparison.warnings)

    def _put_geomeans(self) -> None:
        self._grid.start_row()
        self._grid.put("geomean")
        for at, column in enumerate(self._table.geomeans):
            self._grid.column = _start(at)
            if column.mean is not None:
                scale = find_scale([column.mean], self._table.unit)
                self._grid.put(scale.write(column.mean), right)
            if at:
                self._grid.column = _start(at) + _CENTER
                self._grid.put(column.write_ratio(), *([] if column.ratio is None else [right]))
            self._grid.column = _start(at + 1) - 1
            self._put_notes(column.warnings)

    def _put_notes(self, messages: Iterable[str]) -> None:
        marks = []
        for message in messages:
            number = str(len(self._notes) + 1).translate(_SUPERSCRIPTS)
            marks.append(self._notes.setdefault(message, number))
        self._grid.put(" ".join(marks))

    def _close(self) -> None:
        """Put the border after the last column."""
        self._grid.column = _start(len(self._table.columns) + 1)
        self._grid.put("", margin=_BORDER.rstrip())


def write_text(tables: Sequence[Table]) -> str:
    """Write tables, each below its changed configuration."""
    text, before = "", None
    for table in tables:
        text += "\n" if before else ""
        text += "".join(f"{line}\n" for line in table.write_changes(before))
        text += TextTable(table).write()
        before = table
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _start(at: int) -> int:
    """Return the first grid column that a column of the table occupies."""
    return 1 if at == 0 else 1 + _CENTER + (at - 1) * (_CENTER + _CHANGE)


class Scale(NamedTuple):
    """Number of decimals, value of one prefix, and the prefix."""

    digits: int
    factor: float
    prefix: str

    def write(self, value: float) -> str:
        """Write a number without its unit."""
        return write_fixed(value / self.factor, self.digits) + self.prefix


def find_scale(values: Iterable[float], unit: str) -> Scale:
    """Return the scale of the nonzero value closest to 0.

    Examples
    --------
    >>> find_scale([1.5e-6, 2e-3], "sec/op").write(2e-3), find_scale([5000], "B/op").write(5000)
    ('2000.000µ', '4.883Ki')
    """
    least = min((abs(value) for value in values if value), default=0.0)
    if not least:
        return Scale(3, 1, "")
    binary = is_binary(unit)
    factor, prefix = 1.0, ""
    for exponent, prefix in _BINARY if binary else _DECIMAL:
        factor = 2.0**exponent if binary else float(f"1e{exponent}")
        for digits, share in _ROUNDED:
            bound = float(share) * factor if binary else float(f"{share}e{exponent}")
            if least >= bound:
                return Scale(digits, factor, prefix)
    shown = least / factor
    digits = 3
    while digits < _MOST_DIGITS and not shown >= float(f"9.9995e{2 - digits}"):
        digits += 1
    return Scale(digits, factor, prefix)


def left(text: str, _: int) -> str:
    """Return a text unchanged: nothing is padded on the right."""
    return text


def right(text: str, width: int) -> str:
    """Pad on the left; on the right if the width is negative, like Go's ``%*s``."""
    return text.rjust(width) if width >= 0 else text.ljust(-width)


def center(text: str, width: int) -> str:
    """Pad on the left by half of the space."""
    return right("", int((width - len(text)) / 2)) + text


@dataclass(frozen=True, slots=True)
class GridCell:
    """A text across one or more columns, after the margin of its first column."""

    row: int
    column: int
    span: int
    text: str
    margin: str
    align: Align


@dataclass(slots=True)
class Grid:
    """Cells in order of insertion, and the columns that never grow."""

    cells: list[GridCell] = field(default_factory=list)
    narrow: set[int] = field(default_factory=set)
    row: int = -1
    column: int = 0

    def start_row(self) -> None:
        """Go to the next row."""
        self.row, self.column = self.row + 1, 0

    def put(
        self, text: str, align: Align = left, *, span: int = 1, margin: str | None = None
    ) -> None:
        """Put a cell at the current position and advance."""
        if margin is None:
            margin = " " if self.column and text else ""
        self.cells.append(GridCell(self.row, self.column, span, text, margin, align))
        self.column += span

    def lay_out(self) -> str:
        """Return the lines; the last cell of each is not padded."""
        columns = max((cell.column + cell.span for cell in self.cells), default=0)
        margins = [0] * columns
        for cell in self.cells:
            margins[cell.column] = max(margins[cell.column], len(cell.margin))
        starts = [0]
        for width in self._find_widths(margins):
            starts.append(starts[-1] + width)
        rows, ends = [""] * (self.row + 1), [0] * (self.row + 1)
        for cell in self.cells:
            if not cell.text.strip() and not cell.margin.strip():
                continue
            start, margin = starts[cell.column], margins[cell.column]
            text = cell.align(cell.text, starts[cell.column + cell.span] - start - margin)
            # After a cell too long for its columns, the gap is negative, and is padded all the
            # same.
            gap = right("", start - ends[cell.row])
            rows[cell.row] += gap + cell.margin.rjust(margin) + text
            ends[cell.row] = start + margin + len(text)
        return "".join(f"{row}\n" for row in rows)

    def _find_widths(self, margins: Sequence[int]) -> list[int]:
        """Return the width of each column with its margin, narrow spans first."""
        widths = [0] * len(margins)
        for cell in sorted(self.cells, key=lambda cell: cell.span):
            width = len(cell.text) + margins[cell.column]
            if cell.span == 1:
                widths[cell.column] = max(widths[cell.column], width)
                continue
            spanned = range(cell.column, cell.column + cell.span)
            if sum(widths[at] for at in spanned) < width:
                width -= sum(widths[at] for at in spanned if at in self.narrow)
                _widen(widths, [at for at in spanned if at not in self.narrow], width)
        return widths


def _widen(widths: list[int], columns: list[int], width: int) -> None:
    """Widen columns evenly until they reach a width; wider ones first keep theirs."""
    columns.sort(key=lambda at: -widths[at])
    for rest, at in zip(range(len(columns), 0, -1), columns, strict=True):
        widths[at] = max(widths[at], -(-width // rest))
        width -= widths[at]


_QUOTED = regex(rf'[",\r\n]|^[{SPACE}]|^\\\.$')


@dataclass(slots=True)
class Sheet:
    """Lines of CSV and the warnings about them."""

    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole CSV; bytes that are not UTF-8 are replaced."""
        text = "".join(f"{line}\n" for line in self.lines)
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def add_tables(self, tables: Sequence[Table]) -> None:
        """Write tables, each below its changed configuration."""
        before = None
        for table in tables:
            if before:
                self._emit([""])
            for line in table.write_changes(before):
                self._emit([line])
            self._add_table(table)
            before = table

    def _add_table(self, table: Table) -> None:
        for level in range(table.levels):
            labels: list[str] = []
            for at, column in enumerate(table.columns):
                labels = [*_pad(labels, _first_field(at)), column[level]]
            self._emit(_pad(labels, _first_field(len(table.columns))))
        heads = [""]
        for at in range(len(table.columns)):
            heads += [table.unit, "CI", *(("vs base", "P") if at else ())]
        self._emit(heads)
        for name in table.rows:
            row = [show_key(name)]
            for at, label in enumerate(table.columns):
                cell = table.cells.get((name, label))
                if cell is not None:
                    _pad(row, _first_field(at))
                    self._add_cell(row, cell)
            self._emit(row)
        row = ["geomean"]
        for at, summary in enumerate(table.geomeans):
            _pad(row, _first_field(at))
            self._add_geomean(row, summary, compared=at > 0)
        self._emit(_pad(row, _first_field(len(table.columns))))

    def _add_cell(self, row: list[str], cell: Cell) -> None:
        summary = cell.summary
        self._warn(row, cell.warnings)
        row += [write_float(summary.center), summary.write_range()]
        if cell.baseline is not None and cell.comparison is not None:
            self._warn(row, cell.comparison.warnings)
            delta = cell.comparison.write_delta(cell.baseline.center, summary.center)
            row += [delta, cell.comparison.write_p()]

    def _add_geomean(self, row: list[str], column: ColumnSummary, *, compared: bool) -> None:
        self._warn(row, column.warnings)
        mean = "" if column.mean is None else write_float(column.mean)
        row += [mean, ""]
        if compared:
            row.append(column.write_ratio())

    def _warn(self, row: Sequence[str], messages: Iterable[str]) -> None:
        place = f"{name_column(len(row))}{len(self.lines) + 1}"
        self.warnings += [f"{place}: {message}" for message in messages]

    def _emit(self, row: Sequence[str]) -> None:
        self.lines.append(",".join(map(_quote, row)))


def name_column(at: int) -> str:
    """Name a column like benchstat: after Z come BA, BB, …, because AA does not exist.

    Examples
    --------
    >>> [name_column(at) for at in (0, 1, 25, 26, 27)]
    ['A', 'B', 'Z', 'BA', 'BB']
    """
    letter = chr(ord("A") + at % 26)
    return name_column(at // 26) + letter if at >= 26 else letter


def _first_field(at: int) -> int:
    """Return the first field of a column: a name, two fields of the baseline, then four each."""
    return 1 if at == 0 else 3 + 4 * (at - 1)


def _pad(row: list[str], width: int) -> list[str]:
    row += [""] * (width - len(row))
    return row


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text

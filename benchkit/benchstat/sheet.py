"""The CSV, and warnings that name its cells.

Scripts that consume benchstat read both; the cell references count every line of the CSV
(benchtab/table.go, ToCSV).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchkit.benchstat.gomath import ColumnSummary
from benchkit.benchstat.numbers import write_float
from benchkit.benchstat.reader import SPACE
from benchkit.benchstat.table import Cell, Table, show_key
from benchkit.regexes import regex

_QUOTED = regex(rf'[",\r\n]|^[{SPACE}]|^\\\.$')


@dataclass(slots=True)
class Sheet:
    """Lines of CSV and the warnings about them."""

    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole CSV; bytes that are no UTF-8 are replaced."""
        text = "".join(f"{line}\n" for line in self.lines)
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def add_tables(self, tables: Sequence[Table]) -> None:
        """Write tables, each below the configuration that changed."""
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
                labels = [*_pad(labels, _start(at)), column[level]]
            self._emit(_pad(labels, _start(len(table.columns))))
        heads = [""]
        for at in range(len(table.columns)):
            heads += [table.unit, "CI", *(("vs base", "P") if at else ())]
        self._emit(heads)
        for name in table.rows:
            row = [show_key(name)]
            for at, label in enumerate(table.columns):
                cell = table.cells.get((name, label))
                if cell is not None:
                    _pad(row, _start(at))
                    self._add_cell(row, cell)
            self._emit(row)
        row = ["geomean"]
        for at, summary in enumerate(table.geomeans):
            _pad(row, _start(at))
            self._add_geomean(row, summary, compared=at > 0)
        self._emit(_pad(row, _start(len(table.columns))))

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
    """Name a column as benchstat does: after Z it counts BA, BB, … and has no AA.

    Examples
    --------
    >>> [name_column(at) for at in (0, 1, 25, 26, 27)]
    ['A', 'B', 'Z', 'BA', 'BB']
    """
    letter = chr(ord("A") + at % 26)
    return name_column(at // 26) + letter if at >= 26 else letter


def _start(at: int) -> int:
    """Return the first field of a column: a name, two fields of the baseline, then four each."""
    return 1 if at == 0 else 3 + 4 * (at - 1)


def _pad(row: list[str], width: int) -> list[str]:
    row += [""] * (width - len(row))
    return row


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text

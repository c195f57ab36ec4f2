"""The html page of the old benchstat.

The page shows the names of the files, which the text of the same call leaves out where there are
two.
"""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

from benchkit.parsers.benchstat.amounts import read_old_heading
from benchkit.parsers.benchstat.cells import CELL, Cell, read_cell, read_comparison
from benchkit.parsers.benchstat.headers import join_label, split_group
from benchkit.parsers.benchstat.rows import Report, compare
from benchkit.parsers.benchstat.tables import GEOMEANS, Config, Row, Table
from benchkit.redaction import show_part

_CELLS = frozenset({"td", "th"})


class Page(HTMLParser):
    """Turns a page into tables.

    Parameters
    ----------
    report : callable
        Takes a line number, what was lost there, and what to do.
    finish : callable
        Takes a table that has been read to its end.
    """

    def __init__(self, report: Report, finish: Callable[[Table], None]) -> None:
        super().__init__()
        self._report = report
        self._finish = finish
        self._inside = False  # a table of benchstat
        self._table: Table | None = None
        self._files: tuple[str, ...] = ()
        self._kind = ""
        self._line = 0
        self._cells: list[str] = []
        self._lines: list[int] = []  # where the text of each cell begins
        self._is_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell."""
        kind = dict(attrs).get("class") or ""
        if tag == "table":
            self._inside, self._files = "benchstat" in kind.split(), ()
        elif tag == "tr":
            self._end_row()
            self._kind, self._line = kind, self.getpos()[0]
        elif tag in _CELLS:
            self._is_head = tag == "th"
            self._cells.append("")
            self._lines.append(self.getpos()[0])

    def handle_endtag(self, tag: str) -> None:
        """End a row or a table; benchstat itself closes bodies and tables only."""
        if tag in {"tr", "tbody", "table"}:
            self._end_row()
        if tag in {"tbody", "table"}:
            self.end()
        if tag == "table":
            self._inside = False

    def handle_data(self, data: str) -> None:
        """Add to the text of a cell."""
        if self._cells:
            if not self._cells[-1].strip():
                blank = data[: len(data) - len(data.lstrip())]
                self._lines[-1] = self.getpos()[0] + blank.count("\n")
            self._cells[-1] += data

    def end(self) -> None:
        """End the table that is open; a row that has not ended may be cut."""
        table, self._table = self._table, None
        self._cells, self._lines = [], []
        if table is not None:
            self._finish(table)

    def _end_row(self) -> None:
        cells, self._cells = [cell.strip() for cell in self._cells], []
        lines, self._lines = self._lines, []
        if not self._inside or not any(cells):
            return
        if self._kind == "configs":
            self._files = tuple(join_label([cell]) for cell in cells[1:])
        elif self._kind == "group":
            self._group(split_group(cells[0]) or {})
        elif self._is_head:
            self._open(cells)
        elif self._table is not None and cells[0] not in GEOMEANS:
            self._read_row(self._table, cells, lines)

    def _group(self, config: Config) -> None:
        if self._table is not None:
            self._table.config = config

    def _open(self, cells: list[str]) -> None:
        self.end()
        heading = read_old_heading(cells[1], scaled=True) if len(cells) > 1 else None
        if heading is not None:
            self._table = Table("old-html", heading, self._files or ("",), self._line)

    def _read_row(self, table: Table, cells: list[str], lines: list[int]) -> None:
        name, *cells = cells
        row = Row(name, self._line, table.config)
        for place, text in enumerate(cells[: len(table.columns)]):
            cell, line = self._read_cell(table, text), lines[place + 1]
            if cell is not None:
                cell.line = line
                row.cells[place] = cell
            elif text:
                self._report(line, f"{name}: {show_part(text)} is truncated or altered", "")
        note = cells[-1] if len(cells) == len(table.columns) + 2 else ""
        if note.startswith("(") and note.endswith(")"):
            compare(table, row, 1, read_comparison(note[1:-1]), self._report)
        if row.cells:
            table.rows.append(row)

    def _read_cell(self, table: Table, text: str) -> Cell | None:
        match = CELL.fullmatch(text)
        return read_cell(match["center"], match["spread"], table.heading) if match else None

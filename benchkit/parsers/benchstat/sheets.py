"""benchstat's csv, new and old: the tables of one call, separated by blank lines.

The rows are ragged; the row of units (new) or the head (old) shows where the columns are.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence

from benchkit.parsers.benchstat.amounts import (
    Cell,
    is_spread,
    read_amount,
    read_comparison,
    read_heading,
    read_old_heading,
    read_share,
)
from benchkit.parsers.benchstat.headers import (
    Report,
    change_config,
    compare,
    join_label,
    split_config,
    split_group,
)
from benchkit.parsers.benchstat.tables import GEOMEANS, Config, Row, Table
from benchkit.redaction import show_part
from benchkit.regexes import regex

_OLD_HEAD = regex(r"name(?: \\ (.+))?")
_METRIC = regex(r"(?:old |new )?(\S+)(?: \(.*\))?")
#: The old tool writes six digits and an exponent; any shorter number is truncated.
_OLD_NUMBER = regex(r"-?\d\.\d{5}E[+-]\d{2,3}", re.ASCII)
_WARNING = regex(r"[A-Z]+\d+: ")


class Sheet:
    """A converter of csv lines to tables.

    Parameters
    ----------
    report : callable
        Takes a line number, a description of the loss, and a hint.
    finish : callable
        Takes a completely read table.

    Attributes
    ----------
    is_cut : bool
        Whether the last line may have lost more than its newline.
    """

    def __init__(self, report: Report, finish: Callable[[Table], None]) -> None:
        self.is_cut = False
        self._report = report
        self._finish = finish
        self._table: Table | None = None
        self._last: Table | None = None  # the table that ended last
        self._step = 0  # number of fields per column of an old table; 0 in a new one
        self._width = 0  # number of fields in the head
        self._labels: list[list[str]] = []
        self._config: Config = {}

    def feed(self, number: int, text: str, *, closed: bool) -> None:
        """Read a line; without its newline, its last field may be truncated and is skipped."""
        if not text.strip():
            self.end()
            return
        try:
            fields = next(csv.reader([text]))
        except csv.Error as error:
            self._report(number, f"this line is not valid CSV ({error})", "")
            return
        first = fields[0]
        is_geomean = first.startswith(GEOMEANS)
        if not (closed or text.endswith(")") or (is_geomean and len(fields) == self._width)):
            self.is_cut = True
            fields.pop()
        if not fields or _WARNING.match(text) or self._open(number, fields):
            return
        if is_geomean:
            self._read_geomean(number, fields)
        elif self._table is not None:
            self._read_row(self._table, number, fields)
        elif not any(fields[1:]) and (config := split_config(first)) is not None:
            self._config = change_config(self._config, dict([config]))
        elif first == "":
            self._labels.append(fields)

    def end(self) -> None:
        """End the open table."""
        table, self._table = self._table, None
        if table is not None:
            self._last = table
            self._finish(table)

    def _open(self, number: int, fields: list[str]) -> bool:
        """Open a table if this line is its row of units, or the head of an old table."""
        if fields[0] == "" and fields[2:3] == ["CI"]:
            table = self._make_table(number, fields)
        elif len(fields) > 1 and (head := _OLD_HEAD.fullmatch(fields[0])) is not None:
            table = self._make_old_table(number, head[1], fields)
        else:
            return False
        if table is None:
            heading = show_part(",".join(fields[:2]))
            self._report(number, f"cannot read the unit of this table: {heading}", "")
        self.end()
        self._table, self._width, self._labels = table, len(fields), []
        return True

    def _make_table(self, number: int, fields: Sequence[str]) -> Table | None:
        heading = read_heading(fields[1])
        starts = [place - 1 for place, field in enumerate(fields) if place > 1 and field == "CI"]
        columns = tuple(
            join_label("".join(label[start : start + 1]) for label in self._labels)
            for start in starts
        )
        self._step = 0
        if heading is None:
            return None
        return Table("csv", heading, columns, number, self._config, tuple(starts))

    def _make_old_table(self, number: int, many: str | None, fields: list[str]) -> Table | None:
        self._step = 2 if fields[2:3] == ["±"] else 1
        labels = fields[1 :: self._step]
        metric = _METRIC.fullmatch(many or labels[0])
        heading = read_old_heading(metric[1], scaled=False) if metric else None
        if heading is None:
            return None
        if many is None:
            labels = ["old", "new"] if "delta" in labels else [""]
        labels = [join_label([label]) for label in labels]
        starts = tuple(1 + self._step * place for place in range(len(labels)))
        return Table("old-csv", heading, tuple(labels), number, {}, starts)

    def _read_row(self, table: Table, number: int, fields: list[str]) -> None:
        group = split_group(fields[0]) if table.is_old and not any(fields[1:]) else None
        if group is not None:
            table.config = group
            return
        row = Row(fields[0], number, table.config)
        for place, start in enumerate(table.starts):
            cell = self._read_cell(table, row, fields[start : start + (self._step or 2)])
            if cell is not None:
                row.cells[place] = cell
        for place, note in self._find_notes(table, fields):
            compare(table, row, place, read_comparison(note), self._report)
        if row.cells:
            table.rows.append(row)

    def _read_geomean(self, number: int, fields: Sequence[str]) -> None:
        """Read the row of geomeans, which may follow a blank line in old csv."""
        if (table := self._table or self._last) is not None:
            cells = {at: fields[start] for at, start in enumerate(table.starts) if fields[start:]}
            table.add_geomean(number, cells)

    def _read_cell(self, table: Table, row: Row, fields: Sequence[str]) -> Cell | None:
        if not any(fields):
            return None
        center, spread = fields[0], fields[1] if len(fields) > 1 else ""
        is_whole = _OLD_NUMBER.fullmatch(center) if table.is_old else is_spread(spread)
        amount = read_amount(center, table.heading) if is_whole else None
        if amount is None:
            what = (
                f"{row.name}: {show_part(','.join(fields))} is truncated, or not a finite "
                f"{table.heading.text}"
            )
            self._report(row.line, what, "")
            return None
        return Cell(amount.value, table.step_of(amount), read_share(spread))

    def _find_notes(self, table: Table, fields: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield the comparisons of a row with the indices of their columns."""
        if not self._step:
            for place, start in enumerate(table.starts[1:], start=1):
                yield place, "".join(fields[start + 3 : start + 4])
        elif table.columns == ("old", "new"):
            note = "".join(fields[2 + 2 * self._step :])
            yield 1, note.removeprefix("(").removesuffix(")") if note.endswith(")") else ""

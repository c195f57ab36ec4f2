"""Grafana's CSV export of a panel.

Users without access to the server have "Inspect, Data, Download CSV".
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.prometheus.model import Series, cut_short, read_selector
from benchkit.parsers.series import micros
from benchkit.regexes import regex

_HEADER = regex(r'(?:sep=[,;\t]\r?\n)?("?)Time\1([,;\t])|(?:sep=.\r?\n)?("?)Series\3([,;\t])"?Time')
_EPOCH = regex(r"-?\d{12,14}")
_ABSENT = frozenset({"", "undefined", "null", "-"})


def recognises(text: str) -> bool:
    """Return whether a text begins with the header of such an export."""
    return _HEADER.match(text) is not None


def read_text(text: str, label: str) -> Iterator[Series | Diagnostic]:
    """Yield the series of an export, and diagnostics."""
    lines = text.split("\n")
    if not text.endswith("\n"):
        lines = lines[:-1]  # it may be truncated
    skipped = 1 if lines and lines[0].startswith("sep=") else 0
    match = _HEADER.match(text)
    # With their newlines, so that a number split across two lines is not read as one.
    ended = (f"{line}\n" for line in lines[skipped:])
    rows = csv.reader(ended, delimiter=(match[2] or match[4]) if match else ",")
    try:
        header = next(rows, [])
        table = _Table(header)
        if table.is_long and not text.endswith("\n"):
            yield cut_short(label, text)
            return
        for row in rows:
            table.take(row, rows.line_num + skipped)
    except csv.Error as error:
        yield Diagnostic(label, rows.line_num + skipped, f"not valid CSV ({error})", "export again")
        return
    yield from table.series.values()
    yield from table.remarks(label)


class _Table:
    """The series of a table in either of its two shapes."""

    def __init__(self, header: list[str]) -> None:
        names = [cell.strip() for cell in header]
        self.is_long = names[:1] == ["Series"]
        self.names = [] if self.is_long else names[1:]
        self.series: dict[str, Series] = {}
        self.undated = 0
        self.ragged = 0

    def take(self, row: list[str], line: int) -> None:
        """Add a row."""
        if not row:
            return
        if len(row) != (3 if self.is_long else len(self.names) + 1):
            self.ragged += 1
            return
        cells = [(row[0], row[2])] if self.is_long else zip(self.names, row[1:], strict=True)
        time = _time(row[1] if self.is_long else row[0])
        self.undated += time is None
        for name, cell in cells:
            series = self.series.setdefault(name, Series(read_selector(name) or {}))
            if cell.strip() not in _ABSENT:
                series.add(time, cell.strip(), line)

    def remarks(self, label: str) -> Iterator[Diagnostic]:
        """Yield diagnostics for rows that could not be read."""
        if self.undated:
            what = f"{self.undated} times have no time zone, so they are unknown"
            hint = "export with epoch times (turn off Formatted data)"
            yield Diagnostic(label, 0, what, hint, "warning", is_remark=True)
        if self.ragged:
            what = f"{self.ragged} rows have more or fewer cells than the header, and are left out"
            yield Diagnostic(label, 0, what, "export again", "warning")


def _time(cell: str) -> int | None:
    return int(cell) * 1000 if _EPOCH.fullmatch(cell.strip()) else micros(cell.strip())

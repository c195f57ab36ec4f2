"""benchstat's csv and html files, which contain the same tables as its texts.

Csv of the new tool has the medians in full, equal to those of the raw runs to the last bit.

New csv, verbatim (``benchstat -format csv``; warnings such as ``B6: …`` belong to standard error,
and are skipped if they are in the file)::

    goos: linux
    goarch: amd64
    pkg: bench/redisbench
    cpu: Intel(R) Xeon(R) Processor
    ,baseline.txt,,enabled.txt,,,
    ,sec/op,CI,sec/op,CI,vs base,P
    Redis/Ping-2,6.697850000000002e-05,21%,3.6144500000000006e-05,31%,-46.04%,p=0.000 n=10
    geomean,5.788872410340955e-05,,4.4230140089144944e-05,,-23.59%,

Old csv, verbatim (``benchstat -csv``; ``-norange`` omits the columns ``±``)::

    name,old time/op (ns/op),±,new time/op (ns/op),±,delta,±
    Redis/Ping-2,6.58508E+04,26%,3.53713E+04,34%,-46.29%,(p=0.000 n=10+9)

Old html, verbatim (``benchstat -html``)::

    <table class='benchstat oldnew'>
    <tr class='configs'><th><th>baseline.txt<th>enabled.txt
    <tbody>
    <tr><th><th colspan='2' class='metric'>time/op<th>delta
    <tr class='better'><td>Redis/Ping-2<td>65.9µs ±26%<td>35.4µs ±34%<td class='delta'>−46.29%<td …

The meaning of the numbers, and the unrecorded facts, are the same as for texts. The new csv has no
rounding step, the old one has six digits. A new csv of one column does not show whether a unit is
exact, so a mode is read as a median.

An html page comes from the old benchstat.

It shows the names of the files, which the text for two files omits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Record, Source
from benchkit.parsers.benchstat.amounts import (
    CELL,
    Cell,
    read_cell,
    read_comparison,
    read_old_heading,
)
from benchkit.parsers.benchstat.headers import Report, compare, join_label, split_group
from benchkit.parsers.benchstat.sheets import Sheet
from benchkit.parsers.benchstat.tables import GEOMEANS, Calls, Config, Row, Table
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex

#: Maximum size of a summary.
MAX_BYTES = 64 << 20
_PAGE = regex(r"<table[^<>]{0,200}?\sclass=['\"]?benchstat\b", re.IGNORECASE)
_CONFIG = r"(?:\"?[a-z][^\s:A-Z]*:[^\n]*\n|[A-Z]+\d+: [^\n]*\n|[ \t]*\n)*"
_NEW = regex(rf"{_CONFIG}(?:,[^\n]*\n)+?,(?:\"[^\"\n]*\"|[^,\n]+),CI[,\n]")
_OLD = regex(
    r"\s*\"?name(?: \\ (?=[^\n,]+ \().*?\)\"?,|,(?=[^\n,]+ \()[^\n,]++(?<=\))(?:,±)?[,\n])"
)

#: Number, text, and whether the line has its newline.
Line = tuple[int, str, bool]
_CELLS = frozenset({"td", "th"})


def recognises(head: Head) -> bool:
    """Return whether a file begins like a csv of benchstat, or is its page."""
    if not head.is_start:
        return False
    text = head.text
    is_page = text.lstrip().startswith("<") and _PAGE.search(text)
    return bool(is_page or _NEW.match(text) or _OLD.match(text))


def parse(source: Source) -> Iterator[Record]:
    """Yield the readings of a csv or a page, and diagnostics about them.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.
    """
    if source.size > MAX_BYTES:
        what = f"the file has {source.size >> 20} MiB, far more than any benchstat summary"
        yield Diagnostic(source.label, 0, what, "use the file that benchstat wrote")
        return
    calls, lines = Calls(source.label), UntilDamage(source.ended_lines())
    held = list(lines)
    is_page = any(_PAGE.search(text) for _, text, _ in held)
    is_cut = (_read_page if is_page else _read_sheet)(calls, held)
    yield from calls.close(is_cut=is_cut or lines.damage is not None)
    lines.raise_damage()


def _read_page(calls: Calls, lines: Sequence[Line]) -> bool:
    """Read a page; return whether it ends before its table does."""
    page = Page(calls.report, calls.add)
    page.feed("\n".join(text for _, text, _ in lines))
    page.end()
    return not any("</table>" in text for _, text, _ in lines)


def _read_sheet(calls: Calls, lines: Sequence[Line]) -> bool:
    """Read a csv; return whether its last line is truncated."""
    sheet = Sheet(calls.report, calls.add)
    for number, text, closed in lines:
        sheet.feed(number, text, closed=closed)
    sheet.end()
    return sheet.is_cut


class Page(HTMLParser):
    """A converter of a page to tables.

    Parameters
    ----------
    report : callable
        Takes a line number, a description of the loss, and a hint.
    finish : callable
        Takes a completely read table.
    """

    def __init__(self, report: Report, finish: Callable[[Table], None]) -> None:
        super().__init__()
        self._report = report
        self._finish = finish
        self._inside = False  # whether this is inside a table of benchstat
        self._table: Table | None = None
        self._files: tuple[str, ...] = ()
        self._kind = ""
        self._line = 0
        self._cells: list[str] = []
        self._lines: list[int] = []  # the first line of each cell's text
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
        """End the open table; a row without its end may be truncated."""
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
        elif self._table is not None and cells[0] in GEOMEANS:
            self._table.add_geomean(self._line, dict(enumerate(cells[1:])))
        elif self._table is not None:
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

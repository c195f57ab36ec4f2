"""The text output of benchstat, line by line, alone or among other text.

The lines between two tables show whether they belong to one call: benchstat itself prints only
blank lines, configuration and footnotes there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Head, Record, Source, strip_prefix
from benchkit.parsers.benchstat import headers
from benchkit.parsers.benchstat.headers import is_row, read_geomean, read_row
from benchkit.parsers.benchstat.tables import GEOMEANS, Calls, Config, Table
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex

_FOOTNOTE = regex(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+ \S")
_HEADLESS = "no heading above this row names its metric, so it was left out"
_EXACT = "exact distribution expected"
#: Maximum number of lines of labels above a table.
_LEVELS = 15
_LACKING = regex(r"[A-Z]\S*")


_START = r"^[ \t#>|*/]*"
_SPREAD = r"[^\n±]{0,2000}?\d[^\s±]{0,20}[ \t]{1,9}±[ \t]{0,9}[\d∞?]"
_MANY = r" \\ \S+[ \t]{2,}\S[^\n]*"
_SIGNS = (
    regex(rf"(?:{_START}│[^\n]*│[ \t]*\n){{2}}{_SPREAD}", re.MULTILINE),
    regex(rf"{_START}name[ \t]+\S+ (\S+)[ \t]+\S+ \1[ \t]+delta[ \t]*$", re.MULTILINE),
    regex(rf"{_START}name(?:{_MANY}|[ \t]+\S+[ \t]*)\n(?:[^\n±]*\n){{0,3}}{_SPREAD}", re.MULTILINE),
)
_WORDS = ("±", " delta")


def recognises(head: Head) -> bool:
    """Return whether a text has the head of a benchstat table and a row below it."""
    return any(word in head.text for word in _WORDS) and any(
        sign.search(head.text) for sign in _SIGNS
    )


def parse(source: Source) -> Iterator[Record]:
    """Yield the readings of each table of a text, and diagnostics about them.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.
    """
    reader, lines = _Reader(source.label), UntilDamage(source.ended_lines())
    for number, text, closed in lines:
        reader.feed(number, text, closed=closed)
        yield from reader.calls.take()
    yield from reader.close(is_cut=lines.damage is not None)
    lines.raise_damage()


class _Reader:
    """The open table, the head that may become one, and the configuration of the next one."""

    def __init__(self, label: str) -> None:
        self.calls = Calls(label)
        self._table: Table | None = None
        self._last: Table | None = None  # the table that ended last
        self._bars: list[tuple[int, str]] = []
        self._config: Config = {}
        self._changes: Config = {}
        self._is_cut = False  # whether the last line may result from a cut

    def feed(self, number: int, text: str, *, closed: bool = True) -> None:
        """Read a line of the source; without its newline, it may be truncated anywhere."""
        self._is_cut = False
        if headers.is_barred(text):
            self._end_table()
            self._bars = [*self._bars[-_LEVELS:], (number, text)]
            return
        if self._bars:
            self._open_table()
        bare = strip_prefix(text).strip()
        if bare and self._table and self._continue_table(self._table, number, text, bare):
            if not closed:
                self._doubt_row(self._table, number, bare)
            return
        self._end_table()
        if not closed and self.calls.is_open:
            self._is_cut = not bare or any(map(str.isalnum, bare))
        elif bare:
            self._take_other(number, text, bare)
        else:
            self._changes = {}

    def close(self, *, is_cut: bool) -> Iterator[Record]:
        """End the open table and call."""
        is_cut = is_cut or self._is_cut or bool(self._bars)
        is_cut = is_cut or (self._table is not None and not self._table.rows)
        self._end_table()
        yield from self.calls.close(is_cut=is_cut)

    def _end_table(self) -> None:
        table, self._table = self._table, None
        if table is not None:
            self._last = table
            self.calls.add(table)

    def _open_table(self) -> None:
        """Open the table below a complete head, for a new call if its configuration shows one."""
        bars, self._bars = self._bars, []
        changes, self._changes = self._changes, {}
        table = headers.open_table(bars, headers.change_config(self._config, changes))
        if table is None:
            return
        if self.calls.repeats(table) and changes:
            table.config = headers.change_config({}, changes)
        self._config, self._table = table.config, table

    def _continue_table(self, table: Table, number: int, text: str, bare: str) -> bool:
        """Read a line below a table's head; return False if it does not belong to the table."""
        if bare.startswith(GEOMEANS):
            read_geomean(table, number, text)
            return True
        if _FOOTNOTE.match(bare):
            table.is_exact |= _EXACT in bare
            return True
        row = read_row(table, number, text, self.calls.report)
        if row is not None:
            table.rows.append(row)
            return True
        group = headers.split_group(bare) if table.is_old else None
        if group is not None:
            table.config = group
            return True
        is_sure = bool(table.rows) or len(table.columns) > 1 or not table.is_old
        if "±" in bare and is_sure:
            what = f"this row is truncated, or its columns do not line up: {show_part(bare)}"
            self.calls.report(number, what)
            self._is_cut = True
            return True
        return len(table.columns) > 2 and _LACKING.fullmatch(bare) is not None

    def _take_other(self, number: int, text: str, bare: str) -> None:
        """Read a line outside tables: a head of the old tool, configuration, or other text."""
        config = headers.split_config(bare)
        old = headers.open_old_table(number, text)
        if old is not None:
            self._table = old
        elif config is not None:
            self._changes[config[0]] = config[1]
        elif not bare.startswith(GEOMEANS):
            if is_row(bare):
                self.calls.report(number, _HEADLESS)
            self.calls.end()
            self._config, self._changes, self._last = {}, {}, None
        elif self._last is not None:  # the old tool prints a blank line below groups
            read_geomean(self._last, number, text)

    def _doubt_row(self, table: Table, number: int, line: str) -> None:
        """Drop the last cell of a row without its newline: its footnote mark may be missing."""
        if table.geomeans and table.geomeans[-1].line == number and not line.endswith("%"):
            cells = table.geomeans[-1].cells
            cells.pop(max(cells, default=0), None)
        is_row = bool(table.rows) and table.rows[-1].line == number
        if is_row and not table.is_old and len(table.columns) > 1 and not line.endswith(")"):
            cells = table.rows[-1].cells
            cells.pop(max(cells, default=0), None)
            self._is_cut = True

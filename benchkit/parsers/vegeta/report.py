"""Vegeta's reports: text of all versions, JSON, hist and hdrplot, alone or among other text.

Reports are pasted into notes, printed in a row by scripts and truncated by ``kubectl logs``, so
that the tail of one precedes the head of the next::

    Pod: vegeta-ns-2-66b4b87b69-6hfhh
    Status Codes  [code:count]                      200:270000
    Error Set:
    Requests      [total, rate, throughput]         270001, 450.00, 450.00
    Duration      [total, attack, wait]             10m0s, 10m0s, 1.594ms

Versions: 1 to 12. A tail is a partial run, or a part if a report follows directly. Reports under
``Source reports`` come from one load generator each. They are parts of the run that ``Aggregated
report`` shows as a whole, not repeats. A distribution table directly above or below a report,
without a heading or an attack in between, shows the same run in another form and is not a repeat
either. Not recorded in any form: the target and the offered rate; a command shown just above is
read for these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Source, strip_prefix
from benchkit.parsers.vegeta.histogram import Histogram, JsonReport, Plot, Table
from benchkit.parsers.vegeta.readings import Block
from benchkit.parsers.vegeta.text import TextReport
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

_KINDS: tuple[type[Block], ...] = (TextReport, JsonReport, Histogram, Plot)
_AGGREGATE = regex(r"[\s#*]*+aggregated?(?: reports?)?[\s:*]*+$", re.IGNORECASE)
_SOURCES = regex(r"[\s#*]*+source reports?\b", re.IGNORECASE)
_COMMAND = regex(r"\bvegeta +(?:attack|report|plot)\b")
#: A line that begins another run.
_ANOTHER = regex(r"^#{1,6} |\bvegeta +attack\b")
#: Minimum number of common values in two reports of one attack, and the tolerance for floats.
_MANY, _SMALL = 8, 1e-9
#: Maximum number of lines between a command and the report that it printed.
_NEAR = 3


def recognises(head: Head) -> bool:
    """Return whether a text has a report, or the tail of one."""
    return any(kind.SIGNATURE.search(head.text) for kind in _KINDS)


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a source.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the reports before have been yielded.
    """
    reader = _Reader(source.label)
    lines = UntilDamage(source.ended_lines())
    for line, text, is_ended in lines:
        yield from reader.feed(line, text, is_last=not is_ended)
    yield from reader.close()
    lines.raise_damage()


class _Reader:
    """The text around reports, which determines what they belong to and where they end."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._block: Block | None = None
        self._command = ""
        self._command_line = 0
        self._lists_parts = False
        self._above: Reading | None = None  # the run whose other form a table may be
        self._held: list[Reading] = []  # tables that may belong to a report below
        self._parts: list[int] = []
        self._tails: list[int] = []

    def feed(self, line: int, text: str, *, is_last: bool) -> Iterator[Record]:
        """Process a line."""
        begins_another = _ANOTHER.search(text) is not None
        text = strip_prefix(text)
        ended = self._block
        if ended is not None and ended.feed(line, text, is_last=is_last):
            return
        command = self._command if line - self._command_line <= _NEAR else ""
        kind = next((kind for kind in _KINDS if kind.starts(text)), None)
        self._block = kind(self._label, line, command) if kind else None
        yield from self._end(ended, is_followed=self._block is not None)
        if self._block is None:
            if begins_another:
                yield from self._settle(None)
                self._above = None
            self._notice(line, text)
        else:
            self._block.feed(line, text, is_last=is_last)

    def _notice(self, line: int, text: str) -> None:
        """Record what a line shows about the reports around it."""
        if _COMMAND.search(text):
            self._command, self._command_line = text, line
        elif _AGGREGATE.match(text):
            self._lists_parts = False
        elif _SOURCES.match(text):
            self._lists_parts = True
        elif not text.strip() and self._command:
            self._command_line += 1

    def _end(self, block: Block | None, *, is_followed: bool = False) -> Iterator[Record]:
        """Yield a report; a tail directly above another report is not a separate run."""
        for record in block.close() if block is not None else ():
            if isinstance(record, Reading):
                if self._lists_parts:
                    record.role = "part"
                    self._parts.append(record.line)
                if block is not None and block.is_tail:
                    record.role = "part" if is_followed else record.role
                    self._tails.append(record.line)
                if isinstance(block, Table):
                    self._place(record)
                else:
                    yield from self._settle(record)
                    self._pair(record)
                    self._above = record
            if not any(record is table for table in self._held):
                yield record

    def _place(self, table: Reading) -> None:
        """Make a table part of the run above it, or hold it until a report follows."""
        if self._above is not None and _may_be_one(table, self._above):
            table.role = "part"
        else:
            self._held.append(table)

    def _pair(self, report: Reading) -> None:
        """Make the text part of the run if text and JSON of one attack are adjacent."""
        above = self._above
        if above is not None and above.form != report.form and _agree(above, report):
            (report if report.form == "text" else above).role = "part"

    def _settle(self, below: Reading | None) -> Iterator[Record]:
        """Yield the held tables once a report follows, or none can follow."""
        held, self._held = self._held, []
        near = below or self._above
        fullest = max(held, key=lambda table: len(table.rows), default=None)
        for table in held:
            is_other = fullest is not None and table.form != fullest.form
            if near or (fullest and is_other and _may_be_one(table, fullest)):
                table.role = "part"
            yield table
            if below is not None and _may_be_one(table, below):
                if not below.target:
                    below.target, below.env = table.target, table.env | below.env
            elif near is not None:
                yield self._differ(table, near)

    def _differ(self, table: Reading, near: Reading) -> Diagnostic:
        """Return a warning that a table's count differs from that of the report next to it."""
        side = "above" if near.line < table.line else "below"
        what = (
            f"this {table.form} table counts {_count(table):.0f} requests, and the report {side} "
            f"it, in line {near.line}, {_count(near):.0f}, so it is of another attack: it is "
            "listed but not compared"
        )
        hint = "put the output of each attack under its own heading or command"
        return Diagnostic(self._label, table.line, what, hint, "warning", is_remark=True)

    def close(self) -> Iterator[Record]:
        """Yield the records that the end of the text completes."""
        yield from self._end(self._block)
        yield from self._settle(None)
        if self._parts:
            what = (
                f"{len(self._parts)} source reports are parts of one load test, not repeats, so "
                "they are listed but not compared"
            )
            hint = "the aggregated report stands for the run"
            yield Diagnostic(self._label, self._parts[0], what, hint, "note", is_remark=True)
        if self._tails:
            what = (
                f"{len(self._tails)} reports lack their beginning: they are listed as partial, "
                "and are not compared if a complete report follows"
            )
            hint = "keep the whole log (`kubectl logs --tail=-1`)"
            yield Diagnostic(self._label, self._tails[0], what, hint, "warning")


def _count(reading: Reading) -> float | None:
    """Return the number of requests in a report or a table; None if it is not recorded."""
    return next((row[3] for row in reading.rows if row[1] == "requests"), None)


def _may_be_one(table: Reading, report: Reading) -> bool:
    """Return whether a table and a report may show one run: their counts do not differ."""
    counts = {_count(table), _count(report)}
    return None in counts or len(counts) == 1


def _agree(one: Reading, other: Reading) -> bool:
    """Return whether two reports show the same values, within their rounding."""
    known = {row[:3]: row for row in one.rows}
    pairs = [(known[row[:3]], row) for row in other.rows if row[:3] in known]
    apart = (abs(a[3] - b[3]) - (a[7] or 0.0) - (b[7] or 0.0) for a, b in pairs)
    return len(pairs) >= _MANY and all(each <= _SMALL for each in apart)

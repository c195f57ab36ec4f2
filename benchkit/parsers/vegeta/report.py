"""Vegeta's reports: text of all versions, JSON, hist and hdrplot, alone or among other text.

Reports are pasted into notes, printed one after the other by scripts and cut by ``kubectl logs``,
where the tail of one stands before the head of the next::

    Pod: vegeta-ns-2-66b4b87b69-6hfhh
    Status Codes  [code:count]                      200:270000
    Error Set:
    Requests      [total, rate, throughput]         270001, 450.00, 450.00
    Duration      [total, attack, wait]             10m0s, 10m0s, 1.594ms

Versions: 1 to 12. A tail is a partial run, and a part where a report follows directly. Reports
under ``Source reports`` are parts of the one run that ``Aggregated report`` gives whole, each of
one load generator: they are no repeats. A table of a distribution below a report, without a heading
or an attack between the two, shows the same run in another form: it is no repeat either. Not
recorded in any form: the target and the offered rate, which a command shown just above tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Source, strip_prefix
from benchkit.parsers.vegeta.histogram import Histogram, Plot, Table
from benchkit.parsers.vegeta.readings import Block
from benchkit.parsers.vegeta.summary import JsonReport
from benchkit.parsers.vegeta.text import TextReport
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

_KINDS: tuple[type[Block], ...] = (TextReport, JsonReport, Histogram, Plot)
_AGGREGATE = regex(r"[\s#*]*+aggregated?(?: reports?)?[\s:*]*+$", re.IGNORECASE)
_SOURCES = regex(r"[\s#*]*+source reports?\b", re.IGNORECASE)
_COMMAND = regex(r"\bvegeta +(?:attack|report|plot)\b")
#: What begins another run.
_ANOTHER = regex(r"^#{1,6} |\bvegeta +attack\b")
#: How many lines may stand between a command and the report that it printed.
_NEAR = 3


def recognises(head: Head) -> bool:
    """Whether a text holds a report, or the tail of one."""
    return any(kind.SIGNATURE.search(head.text) for kind in _KINDS)


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a source.

    Raises
    ------
    UnreadableError
        When damaged gzip is met; the reports of the lines before it have been yielded.
    """
    reader = _Reader(source.label)
    lines = UntilDamage(source.ended_lines())
    for line, text, is_ended in lines:
        yield from reader.feed(line, text, is_last=not is_ended)
    yield from reader.close()
    lines.raise_damage()


class _Reader:
    """The text around the reports: what a report belongs to, and where one ends."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._block: Block | None = None
        self._command = ""
        self._command_line = 0
        self._lists_parts = False
        self._above: Reading | None = None  # of a run of which a table may be another form
        self._parts: list[int] = []
        self._tails: list[int] = []

    def feed(self, line: int, text: str, *, is_last: bool) -> Iterator[Record]:
        """Take a line."""
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
            self._above = None if begins_another else self._above
            self._notice(line, text)
        else:
            self._block.feed(line, text, is_last=is_last)

    def _notice(self, line: int, text: str) -> None:
        """Keep what a line tells of the reports around it."""
        if _COMMAND.search(text):
            self._command, self._command_line = text, line
        elif _AGGREGATE.match(text):
            self._lists_parts = False
        elif _SOURCES.match(text):
            self._lists_parts = True
        elif not text.strip() and self._command:
            self._command_line += 1

    def _end(self, block: Block | None, *, is_followed: bool = False) -> Iterator[Record]:
        """Yield a report; the end of one directly above the next is no run to compare."""
        for record in block.close() if block is not None else ():
            if isinstance(record, Reading):
                if self._lists_parts:
                    record.role = "part"
                    self._parts.append(record.line)
                if block is not None and block.is_tail:
                    record.role = "part" if is_followed else record.role
                    self._tails.append(record.line)
                if not isinstance(block, Table):
                    self._above = record
                elif self._above is not None:
                    record.role = "part"
            yield record
            if isinstance(block, Table) and isinstance(record, Reading):
                yield from self._differ(record)

    def _differ(self, table: Reading) -> Iterator[Diagnostic]:
        """Say that a table below a report cannot be of its run, because the counts differ."""
        above = self._above
        counted, reported = _count(table), _count(above)
        if above is None or counted is None or reported is None or counted == reported:
            return
        what = (
            f"this {table.form} table counts {counted:.0f} requests, and the report above it, in "
            f"line {above.line}, {reported:.0f}, so it is of another attack: it is listed but not "
            "compared"
        )
        hint = "put the output of each attack under its own heading or command"
        yield Diagnostic(self._label, table.line, what, hint, "warning", is_remark=True)

    def close(self) -> Iterator[Record]:
        """Yield what the end of the text completes."""
        yield from self._end(self._block)
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


def _count(reading: Reading | None) -> float | None:
    """Return how many requests a report or a table counts; None if it does not tell."""
    rows = reading.rows if reading is not None else ()
    return next((row[3] for row in rows if row[1] == "requests"), None)

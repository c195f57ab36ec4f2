"""Where one report of hey ends and the next begins.

Reports stand below each other, below prompts, beside those of other tools (oha's looks much the
same), and with their heads or tails cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Record, Source, bare, find_command
from benchkit.parsers.hey import lines
from benchkit.parsers.hey.report import Report
from benchkit.reading.source import UnreadableError

_ARGUMENTS = re.compile(r"\s-[a-zA-Z]|://")
#: Lines that may stand inside a report though they hold nothing to keep.
_FURNITURE = re.compile(r"Note:|Size/|Total ")

_OPENING = frozenset({lines.SUMMARY, lines.HISTOGRAM, lines.DISTRIBUTION, lines.DETAILS})


_START = r"[ \t#>|*/]*+(?:- ++)?+[ \t#>|*/]*+"
_SIGNS = (
    (
        "Summary:",
        re.compile(
            rf"^{_START}Summary:[^\w\n]*+\n(?:[^\w\n]*+\n)*+{_START}Total:\s+\d+\.\d{{4}} secs",
            re.MULTILINE,
        ),
    ),
    ("resp wait:", re.compile(rf"^{_START}resp wait:\s++(?:\d+\.\d{{4}}|NaN) secs,", re.MULTILINE)),
)


def recognises(head: Head) -> bool:
    """Whether a text holds the head of a report of hey, or its details."""
    return any(word in head.text and sign.search(head.text) for word, sign in _SIGNS)


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a source, each followed by what is to be said about it.

    Parameters
    ----------
    source : Source

    Yields
    ------
    Reading or Diagnostic

    Raises
    ------
    UnreadableError
        At damaged gzip; what stood before it has been yielded.
    """
    reader, empty = _Reader(source.label), True
    problem: UnreadableError | None = None
    try:
        for number, text in source.whole_lines(lines.may_be_cut):
            if line := bare(text):
                reader.feed(number, line)
            if reader.records:
                empty = False
                yield from reader.records
                reader.records.clear()
    except UnreadableError as error:
        problem = error
    reader.close()
    yield from reader.records
    if problem is not None:
        raise problem
    if empty and not reader.records:
        what = "no report of hey stands here, or not enough of one to be told from other text"
        yield Diagnostic(source.label, 0, what, "give the whole output of the run")


class _Reader:
    """The report that is open, the command above it, and the records that are ready."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.records: list[Record] = []
        self.command: str | None = None
        self.report: Report | None = None
        self.is_others = False  # whether the lines are of a report of oha

    def feed(self, number: int, line: str) -> None:
        """Take a line."""
        event = lines.read_line(line)
        if event is None:
            self._pass(line)
            return
        rank, fields = event
        if rank == lines.OTHER:
            self.report, self.is_others = None, True
        elif fields is None:
            self._doubt(number, rank, line)
        elif self.report is None or not self.report.take(rank, fields, number):
            self._begin(number, rank, fields)

    def close(self) -> None:
        """End the report that is open."""
        report, self.report = self.report, None
        if report is not None and report.proven:
            self.records.extend(report.finish(self.label))
            self.command = None

    def _begin(self, number: int, rank: int, fields: tuple[str, ...]) -> None:
        """Open a report at one of its headings."""
        if rank not in _OPENING:
            return
        self.is_others = self.is_others and rank != lines.SUMMARY
        if self.is_others:
            return
        self.close()
        self.report = Report(number, self.command)
        self.report.take(rank, fields, number)

    def _doubt(self, number: int, rank: int, line: str) -> None:
        if self.report is not None and self.report.proven and self.report.expects(rank):
            what = f"this line of a hey report is cut or changed and was passed over: {line[:60]!r}"
            hint = "give the output as hey printed it"
            self.records.append(Diagnostic(self.label, number, what, hint, "warning"))

    def _pass(self, line: str) -> None:
        """Pass over a line that is not of a report; it ends one, and may be the command."""
        if not _FURNITURE.match(line):
            self.close()
        command = find_command(line, "hey") if "hey " in line else None
        if command and _ARGUMENTS.search(command):
            self.command = command

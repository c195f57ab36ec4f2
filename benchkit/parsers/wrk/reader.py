"""Where one report of wrk or wrk2 ends and the next begins.

Reports stand below each other, below shell prompts, between other text, and with their heads or
tails cut off; none may lend its lines to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Head, Reading, Record, Source, bare, find_command
from benchkit.parsers.wrk import lines, remarks
from benchkit.parsers.wrk.report import Report
from benchkit.parsers.wrk.shape import read_plain
from benchkit.reading.source import UnreadableError

_ARGUMENTS = re.compile(r"\s--?[a-zA-Z]|://")
_BANNER = re.compile(r"wrk (\S+) \[\w+\] Copyright")


_START = r"^[ \t#>|*/]*+(?:- ++)?+(?:\d{4}-\d\d-\d\dT\S++ ++|[\w.-]++ ++\| *+)?+[ \t#>|*/]*+"
_FAILURE = ("unable to ",)
_PROMPT = re.compile(
    r"^(?>(?:[^\n]*?[ \t/$#>%])??wrk2? ++)[^\n]*+\n[^\n]*?unable to ", re.MULTILINE
)
#: Words that must all be there, and the lines that must then be there, for wrk to claim a text.
_SIGNS = tuple(
    (words, tuple(re.compile(_START + line, re.MULTILINE) for line in lines))
    for words, lines in (
        (
            (" test @ ", " threads and "),
            (r"Running \d+[smh] test @ \S", r"\d+ threads and \d+ connections"),
        ),
        (
            ("Making ", " threads and "),
            (r"Making \d+ requests to \S", r"\d+ threads and \d+ connections"),
        ),
        (
            ("Requests/sec:", " requests in "),
            (r"\d+ requests in [\d.]++\w++, [\d.]++\w++ read", r"Requests/sec: +\d+\.\d\d\b"),
        ),
        (
            ("(HdrHistogram - ",),
            (r"Latency Distribution \(HdrHistogram - ", r"\d+\.\d+% +\d"),
        ),
        (_FAILURE, (r"unable to (?:connect to|resolve) \S+:[\w-]+ \S",)),
    )
)


def recognises(head: Head) -> bool:
    """Whether a text holds a block of a wrk or wrk2 report, or wrk's word that it has no server."""
    text = head.text
    for words, signs in _SIGNS:
        if all(word in text for word in words) and all(sign.search(text) for sign in signs):
            return (
                words != _FAILURE or text.lstrip().startswith(words) or bool(_PROMPT.search(text))
            )
    return False


def parse(source: Source) -> Iterator[Record]:
    r"""Yield the reports of a source, each followed by what is to be said about it.

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

    Examples
    --------
    >>> tail = b"  8 requests in 2.00s, 3.82KB read\nRequests/sec:      4.00\n"
    >>> reading, diagnostic = parse(Source(None, "out.txt", tail))
    >>> reading.status, reading.duration
    ('partial', 2.0)
    """
    plain = read_plain(source)
    if plain is not None:
        yield plain
        return
    yield from read_lines(source)


def read_lines(source: Source) -> Iterator[Record]:
    """Yield the reports of a source of any shape, line by line; as `parse`."""
    reader, empty = _Reader(source.label), True
    problem: UnreadableError | None = None
    try:
        for number, text, following in _with_next(source.whole_lines(lines.may_be_cut)):
            reader.feed(number, text, is_wrapped=lines.is_wrapped(text, following))
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
        yield remarks.absent(source.label)


def _with_next(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield each line with the text of the line after it."""
    held: tuple[int, str] | None = None
    try:
        for item in numbered:
            if held is not None:
                yield *held, item[1]
            held = item
    except UnreadableError:
        if held is not None:
            yield *held, ""
        raise
    if held is not None:
        yield *held, ""


class _Reader:
    """The report that is open, what stood above it, and the records that are ready."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.records: list[Record] = []
        self.is_wrks = True  # whether "unable to connect" here would be wrk's word
        self.current: Report | None = None
        self.command: str | None = None
        self.version: str | None = None

    def feed(self, number: int, text: str, *, is_wrapped: bool = False) -> None:
        """Take a line of the source; one that goes on in the next is damaged."""
        line = bare(text)
        event = lines.read_line(line) if line else None
        if line and event is None:
            line = lines.without_log_prefix(line)
            event = lines.read_line(line) if line else None
        if event is not None:
            self._take(number, line, *((lines.DAMAGED, ()) if is_wrapped else event))
        elif line and not lines.is_furniture(line):
            self._pass(line)

    def close(self) -> None:
        """End the report that is open."""
        ended, self.current = self.current, None
        if ended is None or not ended.proven:
            return
        self.records.extend(ended.finish(self.label))
        if self.command is ended.command:
            self.command = self.version = None

    def _take(self, number: int, line: str, rank: int, fields: lines.Fields) -> None:
        current = self.current
        if rank == lines.FAILED:
            if self.is_wrks:
                self._fail(number, *fields)
        elif rank == lines.DAMAGED:
            if current is not None and current.proven and not (current.adrift or current.is_go_wrk):
                self.records.append(remarks.damaged(self.label, number, line))
        else:
            if current is None or not current.take(rank, fields, number):
                self.close()
                self.current = current = Report(number, self.command, self.version)
                current.take(rank, fields, number)
            self.is_wrks = True
            if current.ended:
                self.close()

    def _pass(self, line: str) -> None:
        """Pass over a line that is not of a report; it may be the command or the version."""
        self.is_wrks = False
        if "wrk" in line:
            self._learn(line)
        if self.current is not None and self.current.proven:
            self.current.strays += 1
        else:
            self.current = None

    def _learn(self, line: str) -> None:
        banner = _BANNER.match(line)
        command = find_command(line, "wrk2?")
        if banner:
            self.version = banner[1]
        elif command and _ARGUMENTS.search(command):
            self.command = command
            self.is_wrks = True

    def _fail(self, number: int, verb: str, server: str, reason: str) -> None:
        self.close()
        self.records += [
            Reading(
                tool="wrk",
                form="text",
                line=number,
                last_line=number,
                status="failed",
                command=self.command,
                tool_version=self.version,
            ),
            remarks.unreachable(self.label, number, verb, server, reason),
        ]
        self.command = self.version = None

"""Separation of the reports of wrk and wrk2, so that no line is added to a neighbour."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Head, Reading, Record, Source
from benchkit.parsers.wrk.report import Report
from benchkit.parsers.wrk.shape import read_plain
from benchkit.reading import reports
from benchkit.reading.remarks import SCANTY, Remark
from benchkit.reading.reports import CALLED, UNREADABLE, Fields, Line
from benchkit.regexes import regex

_OPEN_ENDED = regex(r"(?:%\s+[\d.]+m|timeout \d+|responses: \d+)$")
_REST = regex(r"\d{1,15}|s")
_FURNITURE = regex(r"Detailed Percentile|Value |\[?Buckets|-*\Z")
_BANNER = regex(r"wrk (\S+) \[\w+\] Copyright")
_UNREACHABLE = Remark(
    "wrk was unable to {verb} {server} ({reason}), so this run has no result",
    "wait until the server accepts connections, then run again",
)
_START = r"^[ \t#>|*/]*+(?:- ++)?+(?:\d{4}-\d\d-\d\dT\S++ ++|[\w.-]++ ++\| *+)?+[ \t#>|*/]*+"
_FAILURE = ("unable to ",)
_PROMPT = regex(r"^(?>(?:[^\n]*?[ \t/$#>%])??wrk2? ++)[^\n]*+\n[^\n]*?unable to ", re.MULTILINE)
#: Words that must all occur, and patterns that must then all match, to recognise a text as wrk's.
_SIGNS = tuple(
    (words, tuple(regex(_START + line, re.MULTILINE) for line in lines))
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
            ("Thread Stats", "Requests/sec:"),
            (r"Thread Stats\s+Avg\s+Stdev", r"Requests/sec:\s+\d+\.\d\d\b"),
        ),
        (
            ("(HdrHistogram - ",),
            (r"Latency Distribution \(HdrHistogram - ", r"\d+\.\d+% +\d"),
        ),
        (("Requests/sec:", "://"), (CALLED.format("wrk2?", r"Requests/sec: +\d+\.\d\d\b"),)),
        (_FAILURE, (r"unable to (?:connect to|resolve) \S+:[\w-]+ \S",)),
    )
)


def recognises(head: Head) -> bool:
    """Return whether a text has a block of a wrk report, or wrk's error about a server."""
    text = head.text
    for words, signs in _SIGNS:
        if all(word in text for word in words) and all(sign.search(text) for sign in signs):
            return (
                words != _FAILURE or text.lstrip().startswith(words) or bool(_PROMPT.search(text))
            )
    return False


def parse(source: Source) -> Iterator[Record]:
    r"""Yield the reports of a source, each followed by diagnostics about it.

    Examples
    --------
    >>> tail = b"  8 requests in 2.00s, 3.82KB read\nRequests/sec:      4.00\n"
    >>> reading, diagnostic = parse(Source(None, "out.txt", tail))
    >>> reading.status, reading.duration
    ('partial', 2.0)
    """
    plain = read_plain(source.text()) if source.is_small else None
    return Reader.parse(source) if plain is None else iter((plain,))


class Reader(reports.Reader):
    """The open report and the lines above it."""

    NAMES, EXECUTABLES = "wrk or wrk2", "wrk2?"
    KIND = Report
    ARGUMENTS = regex(r"\s--?[a-zA-Z]|://")
    IS_LOGGED = True

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.is_wrks = True  # whether "unable to connect" here would come from wrk
        self.version: str | None = None
        self.held: tuple[int, str] | None = None
        self.is_wrapped = False

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed: ``1.47ms`` to ``1.47m``."""
        return _OPEN_ENDED.search(text.rstrip()) is not None

    def feed(self, number: int, text: str) -> None:
        """Read a line of the source, once it is known whether the next one continues it.

        A narrow terminal splits ``timeout 721`` into ``timeout 72`` and ``1``.
        """
        held, self.held = self.held, (number, text)
        if held is not None:
            self.is_wrapped = _REST.fullmatch(text) is not None and self.may_be_cut(held[1])
            super().feed(*held)

    def end(self) -> None:
        """Read the last line."""
        self.feed(0, "")
        super().end()

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a report; one that continues on the next line is damaged."""
        if self.is_wrapped:
            line, fields = UNREADABLE, None
        if line.name == "failed" and fields is not None:
            if self.is_wrks:
                self._fail(number, *fields)
            return False
        is_taken = super().take(number, text, line, fields)
        if is_taken:
            self.is_wrks = True
            if self.report.is_ended:
                self.close()
        return is_taken

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report at any of its lines."""
        called = self.command if self.is_wrks else None
        self.close()
        self.command = self.command or called  # a loop at the prompt
        self.report = Report(number, self.command, self.version, is_called=called is not None)
        self.report.take(line, fields, number)
        return True

    def skip(self, line: str) -> None:
        """Skip a line that is not part of a report; it may be the command or the version."""
        if not line or _FURNITURE.match(line):
            return
        self.is_wrks = False
        if banner := _BANNER.match(line):
            self.version = banner[1]
        elif command := self.find_call(line):
            self.close()
            self.command, self.is_wrks = command, True
        if self.report is not None and (self.report.is_proven or "head" in self.report.seen):
            self.report.interrupt(self.text)
        else:
            self._drop()

    def close(self) -> None:
        """End the open report."""
        report = self.report
        ready = list(report.finish(self.label)) if report is not None and report.is_proven else []
        if not ready:
            self._drop()
        if report is not None and report.is_proven and self.command is report.command:
            self.command = self.version = None
        self.records += ready
        self.has_reports |= bool(ready)
        self.report = None

    def _drop(self) -> None:
        """Drop a report with too few lines; below a command, report that."""
        report, self.report = self.report, None
        if report is not None and report.is_called:
            at = report.reading.last_line or report.reading.line
            self.records.append(SCANTY.at(self.label, at, a_tool="a wrk"))
        elif report is not None and report.proofs:
            self.pass_over(report.reading.line, None)

    def _fail(self, number: int, verb: str, server: str, reason: str) -> None:
        if self.report is not None and self.report.is_proven:
            self.close()
        self.report = None
        failed = Reading(
            tool="wrk",
            form="text",
            line=number,
            last_line=number,
            status="failed",
            command=self.command,
            tool_version=self.version,
            env={"host": server},
        )
        remark = _UNREACHABLE.at(self.label, number, verb=verb, server=server, reason=reason)
        self.records += [failed, remark]
        self.command = self.version = None

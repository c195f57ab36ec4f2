"""Where one run of ab ends and the next begins.

Reports stand below each other, below prompts, between other text, and with their heads or tails
cut off; a run that failed prints none; none may lend its lines to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.ab import lines, markup, remarks
from benchkit.parsers.ab.invocation import Invocation
from benchkit.parsers.ab.report import Report
from benchkit.parsers.base import Head, Reading, Record, Source, bare, find_command
from benchkit.reading.source import UnreadableError

_ARGUMENTS = re.compile(r"\s-[a-zA-Z]|://")
_MS = "ms"


_START = r"^[ \t#>|*/]*+(?:- ++)?+(?:\d{4}-\d\d-\d\dT\S++ ++|[\w.-]++ ++\| *+)?+[ \t#>|*/]*+"
_CELL = r":(?:\s|\*|</?t[dh][^<>]*>)*+"
#: Words that must all be there, and the lines that must then be there, for ab to claim a text.
_SIGNS = tuple(
    (words, tuple(re.compile(line, re.MULTILINE | re.IGNORECASE) for line in lines))
    for words, lines in (
        (("(be patient)",), (_START + r"Benchmarking \S+(?: \[.+\])? \(be patient\)",)),
        (
            ("Complete requests:", "Time taken for tests:"),
            (rf"Complete requests{_CELL}\d", rf"Time taken for tests{_CELL}[\d.]++ seconds"),
        ),
        (
            ("Time per request:", "[#/sec] (mean)"),
            (
                _START + r"Requests per second: +[\d.]+ \[#/sec\] \(mean\)",
                _START + r"Time per request: +[\d.]+ \[ms\] \(mean\)",
            ),
        ),
        (
            ("(longest request)", "within a certain time"),
            (
                _START + r"Percentage of the requests served within a certain time \(ms\)",
                _START + r"100% +\d+ \(longest request\)",
            ),
        ),
        ((" requests completed",), (_START + r"Total of \d+ requests completed\W*$",)),
        (
            ("This is ApacheBench, Version ", "Server Software:"),
            (_START + r"This is ApacheBench, Version \d", rf"Server Software{_CELL}"),
        ),
    )
)


def recognises(head: Head) -> bool:
    """Whether a text holds a part of ab's report, or ab's word that it gave up."""
    text = head.text
    return any(
        all(word in text for word in words) and all(line.search(text) for line in lines)
        for words, lines in _SIGNS
    )


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
    >>> head = b"Concurrency Level:      1\nComplete requests:      9\n"
    >>> reading, diagnostic = parse(Source(None, "out.txt", head))
    >>> reading.status, reading.params
    ('partial', {'connections': '1'})
    """
    reader, empty = _Reader(source.label), True
    problem: UnreadableError | None = None
    try:
        for number, text in source.whole_lines(lines.may_be_cut):
            reader.feed(number, text)
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


class _Reader:
    """The run and the report that are open, and the records that are ready."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.records: list[Record] = []
        self.command: str | None = None
        self.trouble = ""
        self.run: Invocation | None = None
        self.report: Report | None = None

    def feed(self, number: int, text: str) -> None:
        """Take a line of the source; in HTML it may hold many of the report."""
        if markup.is_markup(text):
            for row in markup.read_rows(text):
                self._read(number, row, is_html=True)
        elif line := bare(text):
            self._read(number, line)

    def _read(self, number: int, line: str, *, is_html: bool = False) -> None:
        event = lines.read_line(line)
        if event is None:
            line = lines.without_log_prefix(line)
            event = lines.read_line(line) if line else None
        if event is None:
            self._pass(line)
        elif event[0] < 0:
            self._note(number, event[0], event[1] or ())
        else:
            self._take(number, line, *event)
            if is_html and self.report is not None:
                self.report.is_html = True

    def close(self) -> None:
        """End the run that is open, with or without a report."""
        run, report, self.run, self.report = self.run, self.report, None, None
        self.trouble = ""
        if report is not None and report.proven:
            self.records.extend(report.finish(self.label))
        elif run is not None and report is not None and run.version and report.headed:
            self._leave(report)
        elif run is not None and (run.begun or run.completed is not None):
            self._fail(run)
        else:
            return
        self.command = None

    def _take(self, number: int, line: str, rank: int, fields: lines.Fields) -> None:
        report = self.report
        if fields is None:
            if report is not None and report.proven and report.expects(rank):
                self.records.append(remarks.damaged(self.label, number, line))
            return
        if report is None or not report.take(rank, fields, number):
            report = self._begin(number, rank, fields)
        if report is None:
            return
        if rank in {lines.TIMES, lines.PERCENTAGE} and fields[0] != _MS:
            report.skip_table()
            report.remarks.append(remarks.unknown_unit(self.label, number, fields[0]))
        if report.ended and not report.run.is_verbose:
            self.close()

    def _begin(self, number: int, rank: int, fields: tuple[str, ...]) -> Report | None:
        """Open a report at a line; under ``-v`` the one before it was a body that a server sent."""
        run = self.run
        if run is None or (self.report is not None and not run.is_verbose):
            run = Invocation(line=number, command=self.command)
        report = Report(run)
        if not report.take(rank, fields, number):
            return None
        if run is not self.run:
            self.close()
        self.run, self.report = run, report
        return report

    def _pass(self, line: str) -> None:
        """Pass over a line that is not of a report; it may be the command."""
        command = find_command(line, "ab") if "ab " in line else None
        if command and _ARGUMENTS.search(command):
            self.close()
            self.command = command
        report = self.report
        if not line or report is None or report.run.is_verbose or lines.is_furniture(line):
            return
        if report.proven:
            report.adrift = True
        elif not report.run.version:
            self.run = self.report = None

    def _note(self, number: int, kind: int, fields: tuple[str, ...]) -> None:
        """Take a line that is about the run."""
        run = self.run
        if kind == lines.BANNER or (kind == lines.BEGUN and (run is None or run.begun)):
            self.close()
            run = self.run = Invocation(line=number, command=self.command)
        elif kind == lines.FATAL and (run is None or self.report is not None):
            trouble = self.trouble
            self.close()
            run = self.run = Invocation(line=number, command=self.command, trouble=trouble)
        if kind == lines.TROUBLE:
            self.trouble = fields[0]
        if run is None or (self.report is not None and not run.is_verbose):
            return
        run.last_line = number
        _NOTE[kind](run, fields)
        if kind == lines.FATAL:
            self.close()

    def _fail(self, run: Invocation) -> None:
        reading = Reading(
            tool="ab",
            form="text",
            line=run.line,
            last_line=run.last_line,
            status="failed",
            load_model="closed",
            command=run.command,
            tool_version=run.version or None,
        )
        if run.completed is not None:
            count = float(run.completed)
            reading.add("requests", "count", count, "1", run.last_line, resolution=1.0)
        self.records += [
            reading,
            remarks.failed(self.label, run.last_line, run.trouble, run.completed),
        ]

    def _leave(self, report: Report) -> None:
        """Keep what a report said before it was cut off, which is no number."""
        reading = report.reading
        reading.status = "partial"
        reading.rows.clear()
        what = ["Complete requests"]
        self.records += [reading, remarks.incomplete(self.label, reading.last_line, what)]


def _note_banner(run: Invocation, fields: tuple[str, ...]) -> None:
    run.version = fields[0]


def _note_begun(run: Invocation, fields: tuple[str, ...]) -> None:
    run.begun = True
    dots = fields[1].strip()
    run.dotted = dots.startswith("...")
    run.done = dots.endswith("..done")
    run.trouble = dots.strip(". ").removesuffix("done").strip(". ")


def _note_progress(run: Invocation, _fields: tuple[str, ...]) -> None:
    run.progressed = True


def _note_done(run: Invocation, _fields: tuple[str, ...]) -> None:
    run.done = True


def _note_stopped(run: Invocation, _fields: tuple[str, ...]) -> None:
    run.stopped = True


def _note_logged(run: Invocation, _fields: tuple[str, ...]) -> None:
    run.is_verbose = True


def _note_trouble(run: Invocation, fields: tuple[str, ...]) -> None:
    run.trouble = fields[0]


def _note_fatal(run: Invocation, fields: tuple[str, ...]) -> None:
    run.completed = int(fields[0])


_NOTE = {
    lines.BANNER: _note_banner,
    lines.BEGUN: _note_begun,
    lines.PROGRESS: _note_progress,
    lines.FINISHED: _note_done,
    lines.STOPPED: _note_stopped,
    lines.DONE: _note_done,
    lines.LOGGED: _note_logged,
    lines.TROUBLE: _note_trouble,
    lines.FATAL: _note_fatal,
}

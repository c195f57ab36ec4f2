"""Separation of the runs of ab in a source.

A failed run prints no report; with ``-v``, bodies from the server appear in between. ``ab -w``
prints a table row for each line, with attributes that the user chose; the whole table may also be
in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from benchkit.parsers.ab.invocation import Invocation
from benchkit.parsers.ab.report import Report
from benchkit.parsers.base import Head, Reading, Record, Source, bare
from benchkit.reading import reports
from benchkit.reading.remarks import Remark, list_lines, report_incomplete
from benchkit.reading.reports import CALLED, Fields, Line
from benchkit.reading.urls import describe_url
from benchkit.redaction import show_part
from benchkit.regexes import regex

_MARKUP = regex(r"</?(?:p|table|tr|t[dh]|br|i)\b", re.IGNORECASE)
_END = regex(r"</tr\s*>|<br\s*/?>", re.IGNORECASE)
_OPEN_CELL = regex(r"<t[dh]\b", re.IGNORECASE)
_TAG = regex(r"<[^<>]*>")
_CLOSED = regex(
    r"(?:seconds|bytes|received|sent|\(mean\)|requests\)|request\)|requests completed"
    r"|Exceptions: \d+\)|\(be patient\)|</\w+>)\W*$"
)
_FURNITURE = regex(
    r"[A-Z][\w/.+()-]*(?: [\w/.+()-]+){0,5}:(?: .*)?$|min +(?:mean|avg)|deviation apart\."
    r"|These results are|Copyright \d|Licensed to|\d% +<0> \(never\)|[\d.]+ kb/s total|-[-: ]*$"
    r"|[\d.]{0,9} ?\[(?:#/sec|ms|Kbytes/sec)\]|(?:\.{3,}|…|\[(?:\.{3}|…)\])$"
)
_FAILED = Remark(
    "ab stopped{after} without a report{why}, so this run has no result",
    "check that the server accepts this many connections, or use ab -r, and run again",
)
_UNKNOWN_HOST = _FAILED._replace(hint="check the host in the URL, and run again")
_UNEXPLAINED = _FAILED._replace(hint="check ab's standard error, or give the whole output")

_LOOSE = Remark(
    "this rate belongs to no complete ab report and is ignored: {text}",
    "give the whole output of that run",
    is_remark=False,
)

#: The beginning of ab's error for an unknown host, which it prints before anything else.
_UNRESOLVED = "apr_sockaddr_info_get() for "
_START = r"^[ \t#>|*/]*+(?:- ++)?+(?:\d{4}-\d\d-\d\dT\S++ ++|[\w.-]++ ++\| *+)?+[ \t#>|*/]*+"
_CELL = r":(?:\s|\*|</?t[dh][^<>]*>)*+"
#: Words that must all occur, and patterns that must then all match, to recognise a text as ab's.
_SIGNS = tuple(
    (words, tuple(regex(line, re.MULTILINE | re.IGNORECASE) for line in lines))
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
        (
            ("[#/sec] (mean)", "://"),
            (_START + CALLED.format("ab", r"Requests per second: +[\d.]+ \[#/sec\] \(mean\)"),),
        ),
        ((" requests completed",), (_START + r"Total of \d+ requests completed\W*$",)),
        (
            (_UNRESOLVED,),
            (_START + r"(?:ab: )?apr_sockaddr_info_get\(\) for \S+: \S.* \(\d+\)\W*$",),
        ),
        (
            ("This is ApacheBench, Version ", "Server Software:"),
            (_START + r"This is ApacheBench, Version \d", rf"Server Software{_CELL}"),
        ),
    )
)


def recognises(head: Head) -> bool:
    """Return whether a text has a part of ab's report, or ab's message that it gave up."""
    text = head.text
    return any(
        all(word in text for word in words) and all(line.search(text) for line in lines)
        for words, lines in _SIGNS
    )


def parse(source: Source) -> Iterator[Record]:
    r"""Yield the reports of a source, each followed by diagnostics about it.

    Examples
    --------
    >>> head = b"Concurrency Level:      1\nComplete requests:      9\n"
    >>> reading, diagnostic = parse(Source(None, "out.txt", head))
    >>> reading.status, reading.params
    ('partial', {'connections': '1'})
    """
    return Reader.parse(source)


class Reader(reports.Reader):
    """The open run and its open report."""

    NAMES = EXECUTABLES = "ab"
    KIND = Report
    IS_LOGGED = True

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.trouble = ""
        self.run: Invocation | None = None
        self.is_html = False
        self.loose: tuple[int, str] | None = None  # a rate outside any proven report so far

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed: a count of 1000 to 100."""
        return _CLOSED.search(text) is None

    def feed(self, number: int, text: str) -> None:
        """Read a line of the source; in HTML it may have many lines of the report."""
        self.is_html = "<" in text and _MARKUP.search(text) is not None
        if not self.is_html:
            is_row = text.lstrip().startswith("|")  # of a Markdown table
            super().feed(number, text.replace("|", " ") if is_row else text)
            return
        self.text = ""
        for row in read_rows(text):
            self.read(number, row)

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a report, or of the run around it."""
        if line.name in Invocation.NOTED:
            self._note(number, line.name, fields or ())
            return True
        is_taken, report = super().take(number, text, line, fields), self.report
        if line.name == "rps" and text.partition(":")[2].strip()[:1].isdecimal():
            self._hold(number, text, is_inside=is_taken or bool(report and report.expects(line)))
        if is_taken and report.is_ended and not report.run.is_verbose:
            self.close()
        elif report is not None:
            report.is_html |= self.is_html
        return is_taken

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report at a line; with ``-v`` the previous one was a body from the server."""
        run = self.run
        if run is None or (self.report is not None and not run.is_verbose):
            run = Invocation(line=number, command=self.command, is_called=self.is_called)
        report = Report(run)
        if not report.take(line, fields, number):
            return False
        if run is not self.run:
            self.close()
            if run.is_called:  # a loop at the prompt
                self.command = run.command
        self.run, self.report = run, report
        return True

    def skip(self, line: str) -> None:
        """Skip a line that is not part of a report; it may be the command."""
        if command := self.find_call(line):
            self.close()
            self.command = command
        self.is_called = bool(command) or (self.is_called and not line)
        report = self.report
        if not line or report is None or report.run.is_verbose or _FURNITURE.match(line):
            return
        if report.is_proven:
            report.interrupt(self.text)
        elif not report.run.version:
            self._drop(report)
            self.run = self.report = None

    def close(self) -> None:
        """End the open run, with or without a report."""
        run, report, self.run, self.report = self.run, self.report, None, None
        self.trouble = ""
        if report is not None and report.is_proven:
            self.loose = None
        if report is not None and report.is_proven:
            self._pass_over()
            self.records.extend(report.finish(self.label))
        elif run is not None and report is not None and run.version and report.is_headed:
            self._leave(report.reading)
        elif run is not None and (run.has_begun or run.trouble or run.completed is not None):
            self._fail(run)
        else:
            self._drop(report)
            return
        self._pass_over()
        self.command, self.has_reports = None, True

    def _hold(self, number: int, text: str, *, is_inside: bool) -> None:
        """Hold a rate until its report is proven; one outside a report is ignored."""
        if is_inside and self.report.is_proven:
            return
        self._pass_over()
        self.loose = (number, text)
        if not is_inside:
            self._pass_over()

    def pass_over(self, number: int, line: Line | None) -> None:
        """Record an ignored line, unless a held rate covers it or it is a heading of times."""
        if self.loose is None and (line is None or line.take == "row"):
            super().pass_over(number, line)

    def _drop(self, report: Report | None) -> None:
        """Drop a report with too few lines; a rate in it is reported separately."""
        if self.loose is None and report is not None and report.proofs:
            self.pass_over(report.reading.line, None)
        self._pass_over()

    def _pass_over(self) -> None:
        """Record the held rate as ignored, now that its lines have become no report."""
        if self.loose is not None:
            number, text = self.loose
            self.parts.append(_LOOSE.at(self.label, number, text=show_part(text)))
            self.last_part, self.loose = number, None

    def _note(self, number: int, name: str, fields: Fields) -> None:
        """Apply a line about the run."""
        run = self.run
        if name == "banner" or (name == "begun" and (run is None or run.has_begun)):
            earlier = run.trouble if run is not None and run.is_bare else ""
            self.run = None if earlier else run  # standard error may come before the rest
            self.close()
            run = self.run = Invocation(line=number, command=self.command, trouble=earlier)
        elif name == "trouble" and run is None and self._ends_ab(fields[0]):
            run = self.run = Invocation(line=number, command=self.command)
        elif name == "fatal" and (run is None or self.report is not None):
            trouble = self.trouble
            self.close()
            run = self.run = Invocation(line=number, command=self.command, trouble=trouble)
        if name == "trouble":
            self.trouble = fields[0]
        if run is None or (self.report is not None and not run.is_verbose):
            return
        run.last_line = number
        run.note(name, fields)
        if name == "fatal":
            self.close()

    def _ends_ab(self, trouble: str) -> bool:
        """Return whether an error is all that ab printed, without a banner or a report."""
        is_called = self.is_called and trouble.startswith("apr_")
        return self.report is None and (is_called or trouble.startswith(_UNRESOLVED))

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
            env=describe_url(run.url) if run.url else {},
        )
        after, why = "", f" ({run.trouble})" if run.trouble else ""
        if run.completed is not None:
            count, after = float(run.completed), f" after {run.completed} requests"
            reading.add("requests", "count", count, "1", run.last_line, resolution=1.0)
        remark = _FAILED if run.trouble else _UNEXPLAINED
        remark = _UNKNOWN_HOST if run.trouble.startswith(_UNRESOLVED) else remark
        self.records += [reading, remark.at(self.label, run.last_line, after=after, why=why)]

    def _leave(self, reading: Reading) -> None:
        """Keep a report that was cut off before its results, without any numbers."""
        reading.status = "partial"
        reading.rows.clear()
        lines = list_lines(["Complete requests"])
        self.records += [reading, report_incomplete(reading, self.label, lines)]


def read_rows(text: str) -> list[str]:
    """Return the rows of an HTML line without tags; an unclosed row is omitted.

    Examples
    --------
    >>> read_rows("<tr ><th>Complete requests:</th><td>500</td></tr><tr ><th>Failed")
    ['Complete requests: 500']
    """
    *closed, rest = _END.split(text)
    if not _OPEN_CELL.search(rest):
        closed.append(rest)
    plain = (" ".join(unescape(_TAG.sub(" ", row)).split()) for row in closed)
    return [line for line in map(bare, plain) if line]

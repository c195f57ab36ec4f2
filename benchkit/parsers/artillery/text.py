"""Artillery's terminal summary of versions 1 and 2, also within a log or a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.reading.outcomes import Outcomes, reason_of
from benchkit.reading.remarks import report_damaged, report_incomplete
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import scale, step

#: Prefixes of lines on a page; the blanks after them show which lines belong to a section.
_PAGE = "#>|*/ \t"
_OPENING = r"Summary report @ \d\d:\d\d:\d\d\S{0,9}(?: \d{4}-\d\d-\d\d)?"
_FIND = regex(rf"^[ \t#>|*/]{{0,99}}{_OPENING}[ \t]*$", re.ASCII | re.MULTILINE)
_OPENS = regex(_OPENING, re.ASCII)
_RULE = regex(r"[-─]{5,}")
_SECTION = regex(r"(\S[^\n]{0,300}):")
_ROW = regex(r"(\S[^\n]{0,300}): ++(?:\.++ )?+(\S{1,30})(?: \(\d{1,3}%\))?", re.ASCII)
_NUMBER = regex(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_PERCENTILE = regex(r"p(\d\d)(\d*)", re.ASCII)
_CODE = regex(r"(?:http\.codes\.)?(\d{3})", re.ASCII)
_TIMES = ("http.response_time", "Response time (msec)")
_STATS = {"min": "min", "max": "max", "mean": "mean", "median": "p50"}
_COUNTS = {
    "http.responses": ("requests", "count", "1"),
    "Requests completed": ("requests", "count", "1"),
    "Mean response/sec": ("request_rate", "mean", "1/s"),
    "http.downloaded_bytes": ("bytes_in", "total", "B"),
}
#: Lines that every summary has.
_ENDS = ("vusers.created", "Scenarios launched")


def recognises(head: Head) -> bool:
    """Return whether a text contains the first line of a summary."""
    return _FIND.search(head.text) is not None


def parse(source: Source) -> Iterator[Record]:
    r"""Yield a run for each summary in a text.

    Examples
    --------
    >>> text = b"Summary report @ 10:00:00(+0100)\n  Scenarios launched: 2\n"
    >>> text += b"  Requests completed: 9\n  Response time (msec):\n    median: 2.5\n"
    >>> (run,) = parse(Source(None, "x", text))
    >>> [row[:4] for row in run.rows][:2]
    [(None, 'requests', 'count', 9.0), (None, 'latency', 'p50', 0.0025)]
    """
    summary: _Summary | None = None
    lines = UntilDamage(source.ended_lines())
    for line, text, is_ended in lines:
        cells = text.strip(_PAGE)
        if _OPENS.fullmatch(cells):
            if summary is not None:
                yield from summary.finish(source.label)
            summary = _Summary(line)
        elif summary is not None and not summary.take(line, text, is_ended=is_ended):
            yield from summary.finish(source.label)
            summary = None
    if summary is not None:
        yield from summary.finish(source.label)
    lines.raise_damage()


class _Summary:
    """A summary whose lines are still arriving."""

    def __init__(self, line: int) -> None:
        self.run = Reading(tool="artillery", form="text", line=line, load_model="open")
        self.outcomes = Outcomes(self.run)
        self.section, self.indent = "", 0
        self.seen: set[str] = set()
        self.damaged: list[tuple[int, str]] = []

    def take(self, line: int, text: str, *, is_ended: bool) -> bool:
        """Process a line; return whether it belongs to the summary."""
        cells = text.strip(_PAGE)
        if not cells or _RULE.fullmatch(cells):
            return not self.seen
        indent = len(text) - len(text.lstrip(_PAGE))
        if indent <= self.indent:
            self.section = ""
        if section := _SECTION.fullmatch(cells):
            self.section, self.indent = section[1], indent
            self.seen.add(section[1])
        elif (row := _ROW.fullmatch(cells)) and is_ended:
            self.seen.add(row[1])
            self._add(row[1], row[2], line)
        elif is_ended:
            return False
        else:
            self.damaged.append((line, cells))
        self.run.last_line = line
        return True

    def _add(self, name: str, text: str, line: int) -> None:
        """Add the values of a row."""
        percentile = _PERCENTILE.fullmatch(name)
        is_time = self.section in _TIMES and (name in _STATS or percentile is not None)
        code = _CODE.fullmatch(name) if self.section in {"Codes", ""} else None
        error = name if self.section == "Errors" else ""
        if not self.section and name.startswith("errors."):
            error = name.removeprefix("errors.")
        fact = None if self.section else _COUNTS.get(name)
        if not (is_time or code or error or fact) or text == "NaN":
            return
        if _NUMBER.fullmatch(text) is None:
            self.damaged.append((line, f"{name}: {text}"))
        elif is_time:
            stat = _STATS.get(name) or "p" + ".".join(filter(None, _split(name)))
            value, tick = scale(text, -3), step(text, -3)
            self.run.add("latency", stat, value, "s", line, resolution=tick)
        elif code:
            self.run.add("responses", "count", float(text), "1", line, subject=code[1])
        elif error:
            self.outcomes.fail(reason_of(error), float(text), line)
        elif fact:
            metric, stat, unit = fact
            self.run.add(metric, stat, float(text), unit, line, resolution=step(text))

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the run and its diagnostics."""
        run = self.run
        is_http = self.outcomes.unanswered or any(row[1] != "request_rate" for row in run.rows)
        if not is_http:
            what = "the summary has no requests over HTTP"
            yield Diagnostic(label, run.line, what, "benchkit reads only HTTP times")
            return
        is_whole = any(name in self.seen for name in _ENDS) and not self.damaged
        run.status = run.status if is_whole else "partial"
        is_answered = any(row[3] for row in run.rows if row[1] in {"requests", "responses"})
        yield from self.outcomes.conclude(label, is_failed=not is_answered)
        for line, text in self.damaged:
            yield report_damaged("Artillery", label, line, text)
        if not any(name in self.seen for name in _ENDS):
            yield report_incomplete(run, label, "`vusers.created` line", "Artillery")


def _split(name: str) -> tuple[str, str]:
    """Return the integer and the decimal digits of a percentile (``p999``)."""
    return name[1:3], name[3:]

"""The raw times that ``hey -o csv`` writes: one line per answered request.

They allow percentiles that the report does not have.

The beginning of a file, verbatim (hey 0.1.4; older versions lack the last two columns)::

    response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
    0.0028,0.0011,0.0000,0.0004,0.0012,0.0001,200,0.0010
    0.0028,0.0010,0.0000,0.0004,0.0013,0.0000,200,0.0010

All times are in seconds with four decimals; ``offset`` is the start of the request relative to that
of the run, which is not recorded, so it is not kept. At most a million lines are written.

Not recorded: target, concurrency, failed requests, bytes, the start and the length of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Samples, Source
from benchkit.reading.delimited import begins_table, respelled
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

_HEADER = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"
_HEADERS = (_HEADER, _HEADER + ",status-code,offset")
#: Lines of the file per block of samples.
BLOCK = 1 << 16
#: Maximum number of lines that hey writes, regardless of the number of requests.
MOST = 1_000_000

_TIME = r"(\d{1,9}(?:\.\d{1,4})?)"  # a spreadsheet drops trailing zeros
_ROW = regex(",".join([_TIME] * 6) + r"(?:,(\d{3}),\d{1,9}(?:\.\d{1,4})?)?")
_SERIES: tuple[tuple[str, str | None], ...] = (
    ("latency", None),
    ("phase_time", "connect"),
    ("phase_time", "dns"),
    ("phase_time", "send"),
    ("phase_time", "wait"),
    ("phase_time", "receive"),
)
_RESOLUTION = 1e-4


def recognises(head: Head) -> bool:
    """Return whether a source begins with the header of ``-o csv`` and a row below it."""
    return begins_table(head, _HEADERS, _ROW)


def parse(source: Source) -> Iterator[Record]:
    """Yield the run, its samples in blocks, and diagnostics about unreadable lines.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.
    """
    table = _Table(source.label)
    yield table.reading
    lines = UntilDamage(respelled(source).whole_lines(table.may_be_cut))
    for number, text in lines:
        if text in _HEADERS and table.total:  # of another run
            yield from table.flush()
            yield from table.finish()
            table.begin(number)
            yield table.reading
        table.feed(number, text)
        if len(table.lines) == BLOCK:
            yield from table.flush()
    if lines.damage is not None:
        table.reading.status = "partial"
    yield from table.flush()
    yield from table.finish()
    lines.raise_damage()


class _Table:
    """The rows of the current block, and the state of the run."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.begin(1)

    def begin(self, line: int) -> None:
        """Begin a run with the header on a line."""
        self.reading = Reading(tool="hey", form="csv", line=line, load_model="closed")
        self.has_codes = False
        self.lines: list[int] = []
        self.rows: list[tuple[str, ...]] = []
        self.bad: list[int] = []
        self.cut = False
        self.total = 0
        self.codes: Counter[str] = Counter()

    def may_be_cut(self, text: str) -> bool:
        """Return whether a last line without its newline lacks columns or digits."""
        match = _ROW.fullmatch(text)
        self.cut = match is None or self.has_codes != bool(match[7]) or text[-5] != "."
        return self.cut

    def feed(self, number: int, text: str) -> None:
        """Read a line."""
        if text in _HEADERS:
            self.has_codes = text != _HEADER
            return
        match = _ROW.fullmatch(text)
        if match is not None and self.has_codes == bool(match[7]):
            *times, code = match.groups()
            self.lines.append(number)
            self.rows.append(tuple(times))
            self.reading.last_line = number
            self.total += 1
            if code:
                self.codes[code] += 1
        elif text.strip():
            self.bad.append(number)

    def flush(self) -> Iterator[Samples]:
        """Yield the rows so far as samples."""
        if not self.rows:
            return
        cells = np.array(self.rows, dtype=np.float64).T
        lines = np.array(self.lines, dtype=np.int64)
        for (metric, subject), values in zip(_SERIES, cells, strict=True):
            yield Samples(
                reading=self.reading,
                metric=metric,
                unit="s",
                values=values,
                lines=lines,
                subject=subject,
                resolution=_RESOLUTION,
            )
        self.lines, self.rows = [], []

    def finish(self) -> Iterator[Diagnostic]:
        """Complete the reading, and yield diagnostics about it."""
        reading = self.reading
        if reading.last_line and not self.cut and self.total < MOST:
            total = float(self.total)
            reading.add("requests", "count", total, "1", reading.last_line, origin="computed")
        for code, count in sorted(self.codes.items()):
            reading.add(
                "responses",
                "count",
                float(count),
                "1",
                reading.last_line,
                subject=code,
                origin="computed",
            )
        if self.cut:
            reading.status = "partial"
            what = "the last line is truncated and is ignored"
            hint = "write the file again"
            yield Diagnostic(self.label, reading.last_line, what, hint, "warning")
        if self.bad:
            what = f"this line (1 of {len(self.bad)}) does not belong to the table and is left out"
            hint = "use the file as hey wrote it"
            yield Diagnostic(self.label, self.bad[0], what, hint, "warning")
        if not reading.last_line:
            reading.status = "failed"
            what = "the table of times is empty"
            yield Diagnostic(
                self.label, 0, what, "check whether the server responds", "warning", is_remark=True
            )

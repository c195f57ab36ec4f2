"""The percentiles that ``ab -e`` writes: one line per percent.

Times are in microseconds, while the report has whole milliseconds.

The beginning of a file, verbatim (ab 2.3; 1.3 prints ``%f``, 2.0 ``%e``, both in whole
milliseconds)::

    Percentage served,Time in ms
    0,0.732
    1,0.858
    2,0.910

Row 0 is the minimum, row 100 the maximum; ab before 2.4 stops at 99. The rule differs from that of
the report: here ``sorted[floor(0.5 + n*p/100)]``, there ``sorted[floor(n*p/100)]``, so the two may
differ by one order statistic.

Not recorded: everything but the latency, including the number of requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Source
from benchkit.reading.delimited import begins_table, respelled
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import scale

HEADER = "Percentage served,Time in ms"
#: A row; a spreadsheet drops trailing zeros.
_ROW = regex(r"(\d{1,3}),(\d{1,12}(?:\.(\d{1,3}|\d{6}))?(e[+-]\d\d)?)", re.ASCII)
_ENDS = {0: "min", 100: "max"}
_LAST = 99
_MICRO, _MILLI = 1e-6, 1e-3
#: Decimals of a time in ms with and without a resolution of a microsecond.
_SHORT, _LONG = 3, 6


def recognises(head: Head) -> bool:
    """Return whether a source begins with the header of ``-e`` and a row below it."""
    return begins_table(head, (HEADER,), _ROW)


def parse(source: Source) -> Iterator[Record]:
    """Yield the run, then diagnostics about rows that could not be read.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.
    """
    table = _Table()
    lines = UntilDamage(respelled(source).whole_lines(table.may_be_cut))
    for number, text in lines:
        table.feed(number, text)
    yield from table.finish(source.label)
    lines.raise_damage()


class _Table:
    """The rows so far; each percent is one more than the previous one."""

    def __init__(self) -> None:
        self.reading = Reading(tool="ab", form="csv", line=1, load_model="closed")
        self.next = 0
        self.width: tuple[bool, bool] | None = None
        self.bad: list[int] = []

    def feed(self, number: int, text: str) -> None:
        """Read a line; a number in another format than the first is rejected as truncated."""
        match = _ROW.fullmatch(text)
        if match is None:
            if text.strip() and text != HEADER:
                self.bad.append(number)
            return
        percent, time, decimals, power = match.groups()
        width = (decimals is not None and len(decimals) == _LONG, power is not None)
        if int(percent) != self.next or width != (self.width or width):
            self.bad.append(number)
            return
        self.width = width
        self.next += 1
        stat = _ENDS.get(int(percent), f"p{percent}")
        resolution = _MILLI if any(width) else _MICRO
        self.reading.add("latency", stat, scale(time, -3), "s", number, resolution=resolution)
        self.reading.last_line = number

    def may_be_cut(self, text: str) -> bool:
        """Return whether a last line may lack digits: it has fewer than the lines before."""
        match = _ROW.fullmatch(text)
        size = len(match[3] or "") if match else 0
        is_whole = size in {_SHORT, _LONG} and match is not None
        return not is_whole or self.width != (size == _LONG, bool(match and match[4]))

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        is_whole = self.next > _LAST
        self.reading.status = "complete" if is_whole else "partial"
        yield self.reading
        if not is_whole:
            what = (
                f"the table of percentiles ends before {self.next} %; the part up to there is kept"
            )
            hint = "write the file again"
            yield Diagnostic(label, self.reading.last_line, what, hint, "warning")
        if self.bad:
            what = f"this line (1 of {len(self.bad)}) does not belong to the table and is left out"
            yield Diagnostic(label, self.bad[0], what, "use the unchanged file from ab", "warning")

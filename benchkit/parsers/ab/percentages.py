"""The percentiles that ``ab -e`` writes: one line per percent.

In microseconds where the report has whole milliseconds.

The beginning of a file, verbatim (ab 2.3; 1.3 prints ``%f``, 2.0 ``%e``, both of whole
milliseconds)::

    Percentage served,Time in ms
    0,0.732
    1,0.858
    2,0.910

Row 0 is the least time, row 100 the greatest; ab before 2.4 stops at 99. The rule is not that of
the report: here ``sorted[floor(0.5 + n*p/100)]``, there ``sorted[floor(n*p/100)]``, so that the two
may differ by one order statistic.

Not recorded: all but the latency, also how many requests there were.
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
#: A spreadsheet drops zeros at the end.
_ROW = regex(r"(\d{1,3}),(\d{1,12}(?:\.(\d{1,3}|\d{6}))?(e[+-]\d\d)?)", re.ASCII)
_ENDS = {0: "min", 100: "max"}
_LAST = 99
_MICRO, _MILLI = 1e-6, 1e-3
#: Decimals of a time in ms that is known to the microsecond, and of one that is not.
_SHORT, _LONG = 3, 6


def recognises(head: Head) -> bool:
    """Whether a source begins with the header of ``-e`` and goes on with a line under it."""
    return begins_table(head, (HEADER,), _ROW)


def parse(source: Source) -> Iterator[Record]:
    """Yield the run, then what could not be read.

    Raises
    ------
    UnreadableError
        At damaged gzip; what stood before it has been yielded.
    """
    table = _Table()
    lines = UntilDamage(respelled(source).whole_lines(table.may_be_cut))
    for number, text in lines:
        table.feed(number, text)
    yield from table.finish(source.label)
    lines.raise_damage()


class _Table:
    """The rows so far: each percent is one more than the one before."""

    def __init__(self) -> None:
        self.reading = Reading(tool="ab", form="csv", line=1, load_model="closed")
        self.next = 0
        self.width: tuple[bool, bool] | None = None
        self.bad: list[int] = []

    def feed(self, number: int, text: str) -> None:
        """Take a line; one whose number is printed otherwise than the first is cut."""
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
        """Whether a last line may lack digits; not if it has as many as the lines before."""
        match = _ROW.fullmatch(text)
        size = len(match[3] or "") if match else 0
        is_whole = size in {_SHORT, _LONG} and match is not None
        return not is_whole or self.width != (size == _LONG, bool(match and match[4]))

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and what is to be said about it."""
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

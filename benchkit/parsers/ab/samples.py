"""The raw times that ``ab -g`` writes: one line per request.

This is the only form of ab that allows other percentiles and shows the run over time.

The beginning of a file, verbatim (ab 2.3)::

    starttime	seconds	ctime	dtime	ttime	wait
    Sat Nov 21 00:30:18 2026	1795221018	0	1	1	0
    Sat Nov 21 00:30:18 2026	1795221018	0	1	1	0

``ctime`` is the time to connect, ``dtime`` the time from then to the end, ``ttime`` both, ``wait``
the time from the end of the request to the first byte of the response (part of ``dtime``). All are
in whole milliseconds, each rounded separately, so ``ctime + dtime`` may differ from ``ttime`` by
one. ``seconds`` is the start of the request in seconds since 1970 (in 2.0 microseconds);
``starttime`` is the same in local time without a zone and is not used. Since 2.2 lines are sorted
by ``ttime``, not by start. Failed requests are included.

Versions: 1.3, 2.0 to 2.4, trunk (once the run exceeds ``-n``, lines are averages, without a mark).
Not recorded: target, concurrency, status codes, failures, bytes, the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers import kernel
from benchkit.parsers.base import Head, Reading, Record, Samples, Source
from benchkit.parsers.kernel import Array, Lines, shape_of
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.damage import UntilDamage
from benchkit.reading.delimited import begins_table, find_delimiter, respelled
from benchkit.regexes import regex

HEADER = "starttime\tseconds\tctime\tdtime\tttime\twait"

_ROW = regex(r"[^\t]*\t(\d{1,10}|\d{16})\t(\d{1,10})\t(\d{1,10})\t(\d{1,10})\t(\d{1,10})")
_MICROS = 16  # digits of a time in microseconds
_DIGITS = 10  # maximum for any other number
_SERIES: tuple[tuple[str, str | None, int], ...] = (
    ("latency", None, 3),
    ("phase_time", "connect", 1),
    ("phase_time", "processing", 2),
    ("phase_time", "wait", 4),
)
_RESOLUTION = 1e-3
_SHAPE = shape_of(("-", b"", b"\t"), *5 * [("i", b"\t", b"\t")])


def recognises(head: Head) -> bool:
    """Return whether a source begins with the header of ``-g`` and a row below it."""
    return begins_table(head, (HEADER,), _ROW, "\t")


def parse(source: Source) -> Iterator[Record]:
    """Yield the run, its samples in blocks, and diagnostics about unreadable lines.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.
    """
    table = Table(respelled(source, "\t"))
    records = UntilDamage(table.read_lines())
    yield from records
    yield from table.finish(is_damaged=records.damage is not None)
    records.raise_damage()


def open_reader(source: Source) -> Table | None:
    """Return a reader for a source's span; None if a spreadsheet saved the source."""
    return Table(source) if find_delimiter(source.head().text) == "\t" else None


class Block(NamedTuple):
    """Whole lines read in columns, and the lines that could not be read.

    ``cells`` are int64 of shape (5, lines): start in microseconds since 1970, then the times in
    milliseconds.
    """

    cells: Array
    good: Array
    odd: list[tuple[int, bytes]]


def read_block(data: bytes) -> Block:
    """Read whole lines; a last one without its newline is left out, because it may be truncated."""
    data = data[: data.rfind(b"\n") + 1]
    lines = read_rows(data)
    if lines is None:
        odd = list(enumerate(data.split(b"\n")[:-1]))
        return Block(np.zeros((5, len(odd)), np.int64), np.zeros(len(odd), bool), odd)
    micros = lines.more[0] == _MICROS
    lines.numbers[0] *= np.where(micros, 1, 1_000_000)
    good = lines.good & ((lines.more[0] <= _DIGITS) | micros)
    good &= (lines.more[1:] <= _DIGITS).all(axis=0)
    rows = np.flatnonzero(~good).tolist()
    odd = [(row, data[lines.starts[row] : lines.ends[row]]) for row in rows]
    return Block(lines.numbers, good, odd)


def read_rows(data: bytes) -> Lines | None:
    """Read lines of the table; return None without the kernel."""
    return kernel.read_lines(data, 0, len(data), _SHAPE, 5) if kernel.compiled else None


def _numbers(match: re.Match[str]) -> list[int]:
    seconds, *times = match.groups()
    scale = 1 if len(seconds) == _MICROS else 1_000_000
    return [int(seconds) * scale, *map(int, times)]


class Table:
    """The state of the run while the lines of a source or of its span are read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.headers = 0
        self.begin(1)

    def read_lines(self) -> Iterator[Record]:
        """Yield the run, then its samples."""
        yield self.reading
        number = 1 + (self.source.span.lines if self.source.span else 0)
        for block in self.source.map(read_block, self.source.line_blocks()):
            yield from self.take(number, block)
            number += len(block.good)

    def begin(self, line: int) -> None:
        """Begin a run with the header on a line."""
        self.reading = Reading(tool="ab", form="tsv", line=line, load_model="closed")
        self.bad: list[int] = []
        self.began: np.datetime64 | None = None

    def join(self, other: Self) -> bool:
        """Append what another table read from later lines; return whether the run continues."""
        self.bad += other.bad
        self.reading.last_line = other.reading.last_line or self.reading.last_line
        starts = [start for start in (self.began, other.began) if start is not None]
        self.began = min(starts) if starts else None
        return self.headers <= 1 and not other.headers

    def take(self, number: int, block: Block) -> Iterator[Record]:
        """Yield the rows of whole lines as samples; ``number`` is the first line."""
        cells, good = block.cells, block.good.copy()
        headers, bad = list[int](), list[int]()
        for row, line in block.odd:
            (text,) = clean_lines(line)
            match = _ROW.fullmatch(text)
            if match is not None:
                cells[:, row], good[row] = _numbers(match), True
            elif text == HEADER:
                headers.append(row)
                self.headers += 1
            elif text.strip():
                bad.append(row)
        for part, (first, end) in enumerate(pairwise([0, *headers, len(good)])):
            if part and self.began is not None:  # the header of another run
                yield from self._complete(is_cut=False)
                self.begin(number + first)
                yield self.reading
            self.bad += [number + row for row in bad if first <= row < end]
            rows = first + np.flatnonzero(good[first:end])
            if len(rows):
                yield from self._give(cells if good.all() else cells[:, rows], number + rows)

    def _give(self, cells: Array, lines: Array) -> Iterator[Samples]:
        self.reading.last_line = int(lines[-1])
        times = cells[0].view("datetime64[us]")
        first = times.min()
        self.began = first if self.began is None else min(self.began, first)
        for metric, subject, column in _SERIES:
            yield Samples(
                reading=self.reading,
                metric=metric,
                unit="s",
                values=cells[column] / 1000,
                lines=lines,
                times=times,
                subject=subject,
                resolution=_RESOLUTION,
            )

    def finish(self, *, is_damaged: bool = False) -> Iterator[Diagnostic]:
        """Yield the diagnostics that need the end of the source."""
        if is_damaged:
            self.reading.status = "partial"
        yield from self._complete(is_cut=not is_damaged and not self.source.is_ended)

    def _complete(self, *, is_cut: bool) -> Iterator[Diagnostic]:
        """Complete the reading, and yield diagnostics about it."""
        reading, label = self.reading, self.source.label
        if self.began is not None:
            began: datetime = self.began.astype(datetime)
            reading.started_at = began.replace(tzinfo=UTC)
        if is_cut:
            reading.status = "partial"
            what = "the last line is incomplete and is ignored"
            yield Diagnostic(label, reading.last_line, what, "write the file again", "warning")
        if self.bad:
            what = f"this line (1 of {len(self.bad)}) does not belong to the table and is left out"
            yield Diagnostic(label, self.bad[0], what, "use the unchanged file from ab", "warning")
        if self.began is None:
            reading.status = "failed"
            what = "the table of times is empty"
            yield Diagnostic(
                label, 0, what, "check whether ab completed a request", "warning", is_remark=True
            )

"""The looks of a container, many at once.

CAdvisor writes a kilobyte per container and second, of which a dozen numbers are read. The last
look of a list, and every look that is not like one that was decoded, are left to the plain
decoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from benchkit.parsers.cadvisor.templates import EXACT, Outlines, Template, read_number
from benchkit.parsers.cadvisor.usage import Column, Looks
from benchkit.parsers.counters import Measure
from benchkit.parsers.documents import Part
from benchkit.parsers.octets import MARGIN, Array, Octets
from benchkit.parsers.times import read_times

_LIST, _LOOK = b'"stats":[{"timestamp":"', b'{"timestamp":"'
#: Bytes of lists that are read at once.
_BATCH = 1 << 22
#: Looks that are too few for it.
_FEW = 4
#: Outlines that are told apart, and looks of one outline that mean something else.
_MOST_OUTLINES, _MOST_MEANINGS = 1024, 16


class _Span(NamedTuple):
    """Where the looks of a list begin, the last one too, and in which line."""

    starts: list[int]
    line: int


def find_looks(data: bytes) -> Iterator[Part]:
    """Yield the looks that can be read in columns."""
    known: dict[bytes, list[Template]] = {}
    batch: list[_Span] = []
    for span in _find_spans(data):
        batch.append(span)
        if span.starts[-1] - batch[0].starts[0] >= _BATCH:
            yield from _read(data, batch, known)
            batch = []
    if batch:
        yield from _read(data, batch, known)


def _find_spans(data: bytes) -> Iterator[_Span]:
    line, counted = 1, 0
    found = data.find(_LIST)
    while found >= 0:
        start = found + len(_LIST) - len(_LOOK)
        found = data.find(_LIST, start)
        end = found if found >= 0 else len(data)
        starts = [start]
        while (start := data.find(_LOOK, start + 1, end)) >= 0:
            starts.append(start)
        line, counted = line + data.count(b"\n", counted, starts[0]), starts[0]
        if len(starts) - 1 > _FEW:
            yield _Span(starts, line)


def _read(
    data: bytes, spans: Sequence[_Span], known: dict[bytes, list[Template]]
) -> Iterator[Part]:
    """Read the looks of some lists at once."""
    first, last = spans[0].starts[0], spans[-1].starts[-1]
    outlines = Outlines.of(Octets(data[first:last]))
    starts = np.concatenate([span.starts[:-1] for span in spans]) - first + MARGIN
    ends = np.concatenate([span.starts[1:] for span in spans]) - first + MARGIN - 1
    table = _Table(outlines, starts, ends)
    table.read(known)
    table.kinds[outlines.block.bytes[ends] != ord(",")] = -1
    row = 0
    for span in spans:
        for low, high in _runs(table.kinds[row : row + len(span.starts) - 1]):
            start = span.starts[low]
            line = span.line + data.count(b"\n", span.starts[0], start)
            yield Part(start, span.starts[high] - 1, table.looks(row + low, row + high, line))
        row += len(span.starts) - 1


def _runs(kinds: Array) -> Iterator[tuple[int, int]]:
    """Yield where many rows of one kind begin, and where they end; -1 is no kind.

    Examples
    --------
    >>> list(_runs(np.repeat([0, -1, 1, 0], 5)))
    [(0, 5), (10, 15), (15, 20)]
    """
    borders = np.flatnonzero(np.diff(kinds)) + 1
    for first, last in pairwise([0, *borders.tolist(), len(kinds)]):
        if kinds[first] >= 0 and last - first > _FEW:
            yield first, last


class _Table:
    """Looks of a block, and what they tell."""

    def __init__(self, outlines: Outlines, starts: Array, ends: Array) -> None:
        self._outlines = outlines
        self._starts = np.searchsorted(outlines.places, starts)
        self._ends = np.searchsorted(outlines.places, ends)
        #: Which measures a look tells, by number; -1 for one that could not be read.
        self.kinds = np.full(len(starts), -1, dtype=np.int64)
        self._kinds: dict[tuple[tuple[Measure, str], ...], int] = {}
        self._times = np.zeros(len(starts), dtype=np.int64)
        self._columns: dict[tuple[Measure, str], tuple[Array, Array]] = {}

    def read(self, known: dict[bytes, list[Template]]) -> None:
        """Read all looks, outline by outline."""
        text = self._outlines.text
        groups: dict[bytes, list[int]] = {}
        for row, (start, end) in enumerate(
            zip(self._starts.tolist(), self._ends.tolist(), strict=True)
        ):
            groups.setdefault(text[start:end], []).append(row)
        for outline, numbers in groups.items():
            rows = np.array(numbers)
            if outline not in known:
                if len(known) >= _MOST_OUTLINES:
                    continue
                known[outline] = []
            meanings = known[outline]
            for template in meanings:
                rows = self._take(template, rows)
            while len(rows) and len(meanings) < _MOST_MEANINGS:
                try:
                    template = Template(outline, self._text(int(rows[0])))
                except (ValueError, RecursionError):
                    break
                meanings.append(template)
                rows = self._take(template, rows)

    def _text(self, row: int) -> bytes:
        places = self._outlines.places
        start, end = places[self._starts[row]], places[self._ends[row]]
        return self._outlines.block.text(int(start), int(end))

    def _take(self, template: Template, rows: Array) -> Array:
        """Read looks; return those that mean something else."""
        outlines = self._outlines
        starts = self._starts[rows]
        fits = template.fits(outlines, starts)
        left: Array = rows[~fits]
        rows, starts = rows[fits], starts[fits]
        begins = outlines.places[starts + template.begin]
        times, good = read_times(
            outlines.block, begins, outlines.places[starts + template.end] - begins
        )
        self._times[rows] = times
        for value in template.values:
            parts = [read_number(outlines, starts + int(part)) for part in value.parts]
            whole = np.sum([numbers for numbers, _ in parts], axis=0)
            good &= np.logical_and.reduce([told for _, told in parts]) & (whole < EXACT)
            given = np.ones(len(rows), dtype=bool)
            if value.given >= 0:
                given = read_number(outlines, starts + int(value.given))[0] != 0
            key = value.measure, value.origin
            if key not in self._columns:
                size = len(self.kinds)
                self._columns[key] = np.zeros(size), np.zeros(size, dtype=bool)
            values, told = self._columns[key]
            values[rows], told[rows] = whole / value.divisor, given
        kind = tuple((value.measure, value.origin) for value in template.values)
        self.kinds[rows[good]] = self._kinds.setdefault(kind, len(self._kinds))
        return left

    def looks(self, first: int, last: int, line: int) -> Looks:
        """Return the looks, of one kind, from one row up to, not including, another."""
        rows = slice(first, last)
        kind = list(self._kinds)[int(self.kinds[first])]
        known = [(key, *self._columns[key]) for key in kind]
        columns = [Column(*key, values[rows], told[rows]) for key, values, told in known]
        return Looks(self._times[rows], columns, line)

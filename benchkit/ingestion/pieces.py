"""The runs of one source as they are read, numbered in their order.

A run in a hundred thousand has nothing of its own but place and values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchkit.layout.pieces import Places
from benchkit.parsers.base import Format, Reading, Repeats, Row

if TYPE_CHECKING:
    import numpy as np


class Pieces:
    """The runs of one source as they are read, numbered in their order.

    Parameters
    ----------
    first : int
        The number of the first one.
    """

    def __init__(self, first: int) -> None:
        self.first = first
        self.pieces: dict[int, int] = {}
        self.repeated: list[tuple[int, list[Row] | Repeats]] = []
        self._count = 0
        self._read: list[tuple[Format, Reading]] = []
        self._places: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}

    def take(self, form: Format, record: Reading | Repeats) -> None:
        """Take the next run, or the next ones."""
        if isinstance(record, Reading):
            self._add(form, record, self._count)
            self._count += 1
            return
        self.repeated.append((self.first + self._count, record))
        for reading, rows in _split(record):
            if id(reading) not in self.pieces:
                self._add(form, reading, self._count + int(rows[0]))
            own = self._places.setdefault(id(reading), [])
            own.append((self._count + rows, record.lines[rows]))
        self._count += len(record.lines)

    def in_order(self) -> list[tuple[Format, Reading]]:
        """Return what was read, in the order of the first runs."""
        return sorted(self._read, key=lambda told: self.pieces[id(told[1])])

    def places(self, reading: Reading) -> Places | None:
        """Return the places of the runs that share a reading; None for a run of its own."""
        told = self._places.get(id(reading))
        if told is None:
            return None
        import numpy as np

        return Places(*map(np.concatenate, zip(*told, strict=True)))

    def locate(self, reading: Reading, places: Places | None) -> int:
        """Return the place in the source of a reading's run, or of the first of its ``places``."""
        return self.pieces[id(reading)] - self.first if places is None else int(places.indices[0])

    def spans(self) -> list[tuple[int, int, str]]:
        """Return the first and the last line of each run, and which format claims them."""
        if len({form.name for form, _ in self._read}) < 2:
            return []
        spans = []
        for form, reading in self._read:
            places = self.places(reading)
            if places is None:
                end = max(reading.line, reading.last_line)
                spans.append((reading.line, end, form.name))
            else:
                spans += [(line, line, form.name) for line in places.lines.tolist()]
        return sorted(spans)

    def _add(self, form: Format, reading: Reading, index: int) -> None:
        self.pieces[id(reading)] = self.first + index
        self._read.append((form, reading))


def _split(repeats: Repeats) -> Iterator[tuple[Reading, np.ndarray]]:
    """Yield each reading with the runs that share it."""
    import numpy as np

    order = repeats.which.argsort(kind="stable")
    starts = np.flatnonzero(np.diff(repeats.which[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        yield repeats.readings[repeats.which[rows[0]]], rows

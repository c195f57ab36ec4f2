"""Progress of an ingest: bytes and values read, and the total number of bytes.

Gigabytes take a while, and users want to know how long; counting costs nothing if nobody watches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchkit.ingestion.sources import Found

#: Seconds between two updates.
_EVERY = 0.2


@dataclass(frozen=True, slots=True)
class Seen:
    """Progress of reading one source: the position in its file, and the number of values so far."""

    index: int
    bytes: int
    values: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an ingest.

    Parameters
    ----------
    bytes, total : int
        Sizes of the sources on disk.
    """

    bytes: int
    total: int
    values: int


Watch = Callable[[Progress], None]


class Pace:
    """Limits an action to a few times a second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Return whether enough time has passed since the last call that returned True."""
        now = time.monotonic()
        if now - self._last < _EVERY:
            return False
        self._last = now
        return True


class Meter:
    """Adds up the progress of all sources.

    Parameters
    ----------
    watch : callable, optional
        Receives a `Progress` from time to time.
    """

    def __init__(self, sources: Sequence[Found], watch: Watch | None = None) -> None:
        self._sources = sources
        self._watch = watch
        self._pace = Pace()
        self._total = sum(found.size for found in sources) if watch else 0
        self._done = self._values = 0
        self._open: dict[int, Seen] = {}

    def see(self, seen: Seen) -> None:
        """Update the progress of one source."""
        self._open[seen.index] = seen
        self._report()

    def end(self, index: int, values: int) -> None:
        """Record that a source was read, with its number of values."""
        self._open.pop(index, None)
        self._done += self._sources[index].size
        self._values += values
        self._report()

    def _report(self) -> None:
        if self._watch is None or not self._pace.is_due():
            return
        place = sum(min(s.bytes, self._sources[i].size) for i, s in self._open.items())
        values = sum(seen.values for seen in self._open.values())
        self._watch(Progress(self._done + place, self._total, self._values + values))

"""Values over time, collected per measure and passed on in blocks.

A sample that is reported twice (cAdvisor observes once a second, however often it is queried) is
one sample. Blocks keep memory usage low.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.counters import Measure
from benchkit.reading.bounds import require_few

if TYPE_CHECKING:
    import numpy as np

BLOCK = 1 << 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(text: object) -> int | None:
    """Return a time with a zone in microseconds since 1970; None if it is invalid.

    Examples
    --------
    >>> micros("1970-01-01T01:00:01.000002999+01:00")
    1000002
    >>> micros("2026-11-21 01:21:41") is None
    True
    """
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if time is None or time.tzinfo is None:
        return None
    return (time - _EPOCH) // timedelta(microseconds=1)


class _Key(NamedTuple):
    metric: str
    unit: str
    stat: str
    subject: str | None
    origin: str
    resolution: float | None


@dataclass(slots=True)
class _Columns:
    values: list[float] = field(default_factory=list)
    times: list[int | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    known: list[tuple[np.ndarray, np.ndarray | None, np.ndarray]] = field(default_factory=list)
    size: int = 0


def _gather(several: Sequence[_Columns]) -> None:
    """Append the values in lists to those in columns.

    An array costs as much as twenty numbers in it, and most series hold only one, so they share an
    array.
    """
    import numpy as np

    values = np.array([value for each in several for value in each.values], dtype=np.float64)
    lines = np.array([line for each in several for line in each.lines], dtype=np.int64)
    dated = [0 if time is None else time for each in several for time in each.times]
    times, end = np.array(dated, dtype=np.int64).view("datetime64[us]"), 0
    for each in several:
        if each.values:
            start, end = end, end + len(each.values)
            its_times = None if None in each.times else times[start:end]
            each.known.append((values[start:end], its_times, lines[start:end]))
            each.values, each.times, each.lines = [], [], []


class Gatherer:
    """The values of one reading.

    Parameters
    ----------
    reading : Reading
        Yielded before the first block.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.count = 0
        self._columns: dict[_Key, _Columns] = {}
        self._full: dict[_Key, None] = {}  # those with at least `BLOCK` values
        self._seen: dict[tuple[str, str | None], set[int]] = {}
        self._pending: dict[tuple[str, str | None], np.ndarray] = {}

    def add(
        self,
        measure: Measure,
        subject: str | None,
        value: float,
        *,
        time: int | None,
        line: int,
        origin: str = "reported",
        resolution: float | None = None,
    ) -> None:
        """Add a value in the base unit; a second one for the same time is skipped."""
        if time is not None:
            seen = self._times(measure.metric, subject)
            if time in seen:
                return
            seen.add(time)
        key = _Key(measure.metric, measure.unit, measure.stat, subject, origin, resolution)
        columns = self._columns.setdefault(key, _Columns())
        columns.values.append(float(value))
        columns.times.append(time)
        columns.lines.append(line)
        self._grow(key, columns, 1, line)

    def extend(
        self,
        measure: Measure,
        subject: str | None,
        values: np.ndarray,
        times: np.ndarray,
        lines: np.ndarray | int,
        *,
        origin: str = "reported",
    ) -> None:
        """Add values like `add`: float64, and int64 of µs since 1970, shape (k,)."""
        import numpy as np

        if not len(times):
            return
        fresh = np.ones(len(times), dtype=bool)
        if (np.diff(times) <= 0).any():
            fresh[:] = False
            fresh[np.unique(times, return_index=True)[1]] = True
        place = measure.metric, subject
        if place in self._seen or place in self._pending:
            seen = self._times(*place)
            fresh &= np.fromiter((time not in seen for time in times.tolist()), bool, len(times))
            seen.update(times.tolist())
        else:
            self._pending[place] = times
        count = int(np.count_nonzero(fresh))
        if count:
            at = np.broadcast_to(np.asarray(lines, dtype=np.int64), len(times))[fresh]
            self.append(measure, subject, values[fresh], times[fresh], at, origin=origin)

    def append(
        self,
        measure: Measure,
        subject: str | None,
        values: np.ndarray,
        times: np.ndarray,
        lines: np.ndarray,
        *,
        origin: str = "reported",
    ) -> None:
        """Add values in columns, including several for one time."""
        key = _Key(measure.metric, measure.unit, measure.stat, subject, origin, None)
        columns = self._columns.setdefault(key, _Columns())
        _gather([columns])
        columns.known.append((values, times.view("datetime64[us]"), lines))
        self._grow(key, columns, len(values), int(lines[0]) if len(lines) else 0)

    def _grow(self, key: _Key, columns: _Columns, count: int, line: int) -> None:
        require_few(len(self._columns), line)
        columns.size += count
        self.count += count
        if columns.size >= BLOCK:
            self._full[key] = None

    def _times(self, metric: str, subject: str | None) -> set[int]:
        """Return the times that have a value."""
        seen = self._seen.setdefault((metric, subject), set())
        times = self._pending.pop((metric, subject), None)
        if times is not None:
            seen.update(times.tolist())
        return seen

    def full_blocks(self) -> Iterator[Samples]:
        """Yield and forget the series with at least `BLOCK` values."""
        full, self._full = self._full, {}
        return self._yield_blocks(full)

    def blocks(self) -> Iterator[Samples]:
        """Yield and forget all series."""
        self._full.clear()
        return self._yield_blocks(list(self._columns))

    def _yield_blocks(self, keys: Iterable[_Key]) -> Iterator[Samples]:
        chosen = [(key, self._columns.pop(key)) for key in keys]
        if chosen:
            _gather([columns for _, columns in chosen])
        for key, columns in chosen:
            yield self._block(key, columns)

    def _block(self, key: _Key, columns: _Columns) -> Samples:
        values, times, lines = zip(*columns.known, strict=True)
        dated = [each for each in times if each is not None]
        return Samples(
            reading=self.reading,
            metric=key.metric,
            unit=key.unit,
            stat=key.stat,
            subject=key.subject,
            origin=key.origin,
            resolution=key.resolution,
            values=_join(values),
            lines=_join(lines),
            times=_join(dated) if len(dated) == len(times) else None,
        )


def _join(columns: Sequence[np.ndarray]) -> np.ndarray:
    import numpy as np

    return columns[0] if len(columns) == 1 else np.concatenate(columns)

"""Values over time, gathered by what they measure and handed on in blocks.

In: single values with their times and lines. Out: `Samples`. Why: a sample that is reported twice
(cAdvisor looks once a second, whoever asks) is one sample, and blocks keep memory small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.counters import Measure

BLOCK = 1 << 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(text: object) -> int | None:
    """Return a time with its zone in microseconds since 1970; None where there is no such time.

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
        self._seen: dict[tuple[str, str | None], set[int]] = {}

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
        """Add a value in the base unit; a second one of the same time is passed over."""
        if time is not None:
            seen = self._seen.setdefault((measure.metric, subject), set())
            if time in seen:
                return
            seen.add(time)
        key = _Key(measure.metric, measure.unit, measure.stat, subject, origin, resolution)
        columns = self._columns.setdefault(key, _Columns())
        columns.values.append(float(value))
        columns.times.append(time)
        columns.lines.append(line)
        self.count += 1

    def blocks(self, at_least: int = 1) -> Iterator[Samples]:
        """Yield and forget the series that hold ``at_least`` so many values."""
        for key in [k for k, c in self._columns.items() if len(c.values) >= at_least]:
            yield self._block(key, self._columns.pop(key))

    def _block(self, key: _Key, columns: _Columns) -> Samples:
        import numpy as np

        known = [time for time in columns.times if time is not None]
        dated = len(known) == len(columns.times)
        return Samples(
            reading=self.reading,
            metric=key.metric,
            unit=key.unit,
            stat=key.stat,
            subject=key.subject,
            origin=key.origin,
            resolution=key.resolution,
            values=np.array(columns.values, dtype=np.float64),
            lines=np.array(columns.lines, dtype=np.int64),
            times=np.array(known, dtype=np.int64).view("datetime64[us]") if dated else None,
        )

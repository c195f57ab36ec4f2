"""The raw k6 points of one run, collected while they stream in.

NDJSON and CSV differ only in syntax.

Memory does not grow with the run: each trend is flushed every 65,536 points.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import fsum, inf, isfinite, nan
from urllib.parse import urlsplit

import numpy as np

from benchkit.parsers.base import Reading, Record
from benchkit.parsers.counters import Measure as Series
from benchkit.parsers.k6.columns import Points, read_time
from benchkit.parsers.k6.words import (
    BUILTIN,
    CONTENTS,
    KINDS,
    METRICS,
    Kind,
    Measure,
    Number,
    own_name,
    record,
)
from benchkit.parsers.series import Gatherer
from benchkit.units import scale

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = 1 << 63
#: A metric's name, kind and unit.
_Known = tuple[str, Kind, str]


class Run:
    """One run while its points arrive, singly or in columns.

    Parameters
    ----------
    reading : Reading
        The run; its fields are filled by `close`.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.declared: dict[str, tuple[Kind, str]] = {}
        self.declared_before = self.declared
        self.unknown: set[str] = set()
        self._single: dict[_Known, list[tuple[float, int, int]]] = {}
        self._trends = Gatherer(reading)
        self._totals: dict[str, _Total] = {}
        self._first, self._last = _NEVER, -_NEVER
        self._step = 1e-6
        self._paths: set[str] = set()
        self._host = ""
        self._is_announced = False

    @property
    def is_begun(self) -> bool:
        """Return whether any point has been read."""
        return bool(self._single) or self._last > -_NEVER

    def join(self, other: Run) -> bool:
        """Append the points of a run read from later lines; return False if that is impossible.

        Its ``declared_before`` has to equal the declarations here.
        """
        if other.declared_before != self.declared or (other._host and not self._host):
            return False
        if other.is_begun:
            self._step = other._step
        self.declared = other.declared
        self.unknown |= other.unknown
        self._paths |= other._paths
        self._first, self._last = min(self._first, other._first), max(self._last, other._last)
        self.reading.last_line = max(self.reading.last_line, other.reading.last_line)
        for name, total in other._totals.items():
            if name in self._totals:
                self._totals[name].join(total)
            else:
                self._totals[name] = total
        return True

    def declare(self, name: str, kind: str, contains: str) -> None:
        """Record the kind of a metric."""
        if kind in KINDS:
            self.declared[name] = (KINDS[kind], CONTENTS.get(contains, "1"))

    def _find_kind(self, name: str) -> tuple[Kind, str] | None:
        """Return kind and unit of a metric; record a metric for which both are unknown."""
        known = self.declared.get(name) or BUILTIN.get(name)
        if known is None:
            self.unknown.add(name)
        return known

    def add(self, name: str, text: str, moment: str, line: int, url: str | None) -> None:
        """Add a point.

        Raises
        ------
        ValueError
            If the value is not finite or the time cannot be read.
        """
        known = self._find_kind(name)
        if known is None:
            return
        value = scale(text, -3 if known[1] == "s" else 0)
        if not isfinite(value):
            raise ValueError(text)
        time, self._step = read_time(moment)
        self._single.setdefault((name, *known), []).append((value, time, line))
        if name == "http_reqs" and url is not None:
            self._visit(url)

    def extend(self, points: Points) -> Iterator[Record]:
        """Add points in columns, with the same result as `add` one by one; yield full blocks."""
        self._gather()
        for name, rows in points.by_name():
            if known := self._find_kind(name):
                values = points.thousandths if known[1] == "s" else points.values
                self._take((name, *known), values[rows], points.times[rows], points.lines[rows])
                self._step = points.step
            if name == "http_reqs":
                for target in np.unique(points.targets[rows]).tolist():
                    self._visit(points.urls[target])
        return self.give()

    def _visit(self, url: str) -> None:
        """Record the URL of a request; the run's target is its path if all requests share it."""
        if len(self._paths) <= 1:  # two distinct paths are not a target
            with suppress(ValueError):  # brackets without an IPv6 address
                parts = urlsplit(url)
                self._paths.add(parts.path or "/" if parts.scheme.startswith("http") else "")
                self._host = self._host or parts.netloc.rpartition("@")[2]
                return
            self._paths.add("")

    def give(self, *, is_last: bool = False) -> Iterator[Record]:
        """Yield trends with enough points; the reading comes before its samples."""
        self._gather()
        if self.is_begun and not self._is_announced:
            self._is_announced = True
            yield self.reading
        yield from self._trends.blocks() if is_last else self._trends.full_blocks()

    def _gather(self) -> None:
        """Convert single points to columns."""
        single, self._single = self._single, {}
        for known, points in single.items():
            self._take(known, *map(np.array, zip(*points, strict=True)))

    def _take(
        self, known: _Known, values: np.ndarray, times: np.ndarray, lines: np.ndarray
    ) -> None:
        """Add points of one metric, in the order of their lines."""
        name, kind, unit = known
        if kind == "trend":
            metric, subject = METRICS[kind].get(name) or (own_name(name), "")
            self._trends.append(
                Series(metric, unit, "sample"), subject or None, values, times, lines
            )
        else:
            self._totals.setdefault(name, _Total(Measure(name, "", kind, unit))).add(values, lines)
        self._first = min(self._first, int(times.min()))
        self._last = max(self._last, int(times.max()))
        self.reading.last_line = max(self.reading.last_line, int(lines[-1]))

    def close(self, *, is_whole: bool) -> Iterator[Record]:
        """Yield the remaining samples; add the computed rows if no point is missing."""
        yield from self.give(is_last=True)
        reading = self.reading
        if len(self._paths) == 1:
            (reading.target,) = self._paths
        if self._host:
            reading.env["host"] = self._host
        reading.started_at = _EPOCH + timedelta(microseconds=self._first)
        if is_whole:
            record(reading, (total.measure() for total in self._totals.values()))
            reading.duration = (self._last - self._first) / 1e6
            reading.add(
                "duration", "total", reading.duration, "s", reading.last_line,
                resolution=self._step, origin="computed",
            )  # fmt: skip


class _Total:
    """The summary of a counter, a rate or a gauge."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._sums: list[float] = []  # one per block, summed in the order of its values
        self._passes = self._count = self._line = 0
        self._least, self._greatest, self._last = inf, -inf, nan

    def add(self, values: np.ndarray, lines: np.ndarray) -> None:
        """Add values in the order of their lines."""
        self._sums.append(float(np.cumsum(values)[-1]))
        self._passes += int(np.count_nonzero(values))
        self._count += len(values)
        self._least = min(self._least, float(values.min()))
        self._greatest = max(self._greatest, float(values.max()))
        self._last, self._line = float(values[-1]), int(lines[-1])

    def join(self, other: _Total) -> None:
        """Append the totals of the values after these."""
        self._sums += other._sums
        self._passes += other._passes
        self._count += other._count
        self._least = min(self._least, other._least)
        self._greatest = max(self._greatest, other._greatest)
        self._last, self._line = other._last, other._line

    def measure(self) -> Measure:
        """Return the numbers; the exact sum of the sums does not depend on their order."""
        if self._measure.kind == "counter":
            shown = {"count": fsum(self._sums)}
        elif self._measure.kind == "rate":
            rate = self._passes / self._count
            shown = {"rate": rate, "passes": float(self._passes), "total": float(self._count)}
        else:
            shown = {"value": self._last, "min": self._least, "max": self._greatest}
        for key, value in shown.items():
            self._measure.numbers[key] = Number(value, self._line, origin="computed")
        return self._measure

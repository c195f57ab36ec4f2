"""One run's raw k6 points, gathered as they stream by.

NDJSON and CSV differ in spelling only.

Memory does not grow with the run: a trend is given away every 65,536 points.
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
    """One run while its points come in, one by one or in columns.

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
        """Whether a point has come in."""
        return bool(self._single) or self._last > -_NEVER

    def join(self, other: Run) -> bool:
        """Take in the points that another run took in behind these, if it was told what is known.

        Of what it tells, ``declared_before`` has to be what is declared here.
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
        """Note what kind of metric a name stands for."""
        if kind in KINDS:
            self.declared[name] = (KINDS[kind], CONTENTS.get(contains, "1"))

    def _find_kind(self, name: str) -> tuple[Kind, str] | None:
        """Return kind and unit of a metric; take note of one of which nothing tells them."""
        known = self.declared.get(name) or BUILTIN.get(name)
        if known is None:
            self.unknown.add(name)
        return known

    def add(self, name: str, text: str, moment: str, line: int, url: str | None) -> None:
        """Take in a point.

        Raises
        ------
        ValueError
            If the value is no finite number or the time cannot be read.
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
        """Take in points in columns as `add` takes them in one by one; give blocks away."""
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
        """Note the URL of a request; the run's target is its path, if it is the same in all."""
        if len(self._paths) <= 1:  # two different ones are no target
            with suppress(ValueError):  # brackets without an IPv6 address
                parts = urlsplit(url)
                self._paths.add(parts.path or "/" if parts.scheme.startswith("http") else "")
                self._host = self._host or parts.netloc.rpartition("@")[2]
                return
            self._paths.add("")

    def give(self, *, is_last: bool = False) -> Iterator[Record]:
        """Give away trends of which there is enough; the reading comes before its samples."""
        self._gather()
        if self.is_begun and not self._is_announced:
            self._is_announced = True
            yield self.reading
        yield from self._trends.blocks() if is_last else self._trends.full_blocks()

    def _gather(self) -> None:
        """Put single points into columns."""
        single, self._single = self._single, {}
        for known, points in single.items():
            self._take(known, *map(np.array, zip(*points, strict=True)))

    def _take(
        self, known: _Known, values: np.ndarray, times: np.ndarray, lines: np.ndarray
    ) -> None:
        """Take in some points of one metric, in the order of their lines."""
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
        """Give away what is left; if no point is missing, add the computed rows."""
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
    """What a summary would show of a counter, a rate or a gauge."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._sums: list[float] = []  # of blocks, each in the order of its values
        self._passes = self._count = self._line = 0
        self._least, self._greatest, self._last = inf, -inf, nan

    def add(self, values: np.ndarray, lines: np.ndarray) -> None:
        """Take in values in the order of their lines."""
        self._sums.append(float(np.cumsum(values)[-1]))
        self._passes += int(np.count_nonzero(values))
        self._count += len(values)
        self._least = min(self._least, float(values.min()))
        self._greatest = max(self._greatest, float(values.max()))
        self._last, self._line = float(values[-1]), int(lines[-1])

    def join(self, other: _Total) -> None:
        """Take in what another one did behind these values."""
        self._sums += other._sums
        self._passes += other._passes
        self._count += other._count
        self._least = min(self._least, other._least)
        self._greatest = max(self._greatest, other._greatest)
        self._last, self._line = other._last, other._line

    def measure(self) -> Measure:
        """Return the numbers; the exact sum of sums depends on no order."""
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

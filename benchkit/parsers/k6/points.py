"""One run's raw k6 points, gathered as they stream by.

NDJSON and CSV differ in spelling only.

Memory does not grow with the run: a trend is given away every 65,536 points.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import inf, isfinite
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
        self.unknown: set[str] = set()
        self._single: dict[_Known, list[tuple[float, int, int]]] = {}
        self._trends = Gatherer(reading)
        self._totals: dict[str, Measure] = {}
        self._first, self._last = _NEVER, -_NEVER
        self._step = 1e-6
        self._paths: set[str] = set()
        self._host = ""
        self._is_announced = False

    @property
    def is_begun(self) -> bool:
        """Whether a point has come in."""
        return bool(self._single) or self._last > -_NEVER

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
            _count(self._totals.setdefault(name, Measure(name, "", kind, unit)), values, lines)
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
            record(reading, self._totals.values())
            reading.duration = (self._last - self._first) / 1e6
            reading.add(
                "duration", "total", reading.duration, "s", reading.last_line,
                resolution=self._step, origin="computed",
            )  # fmt: skip


def _count(measure: Measure, values: np.ndarray, lines: np.ndarray) -> None:
    """Add values to what a summary would show of a counter, a rate or a gauge."""
    known = {key: number.value for key, number in measure.numbers.items()}
    if measure.kind == "counter":  # a sum in the order of the values, to the last digit
        shown = {"count": np.cumsum(np.append(known.get("count", 0.0), values))[-1]}
    elif measure.kind == "rate":
        passes = known.get("passes", 0.0) + np.count_nonzero(values)
        total = known.get("total", 0.0) + len(values)
        shown = {"rate": passes / total, "passes": passes, "total": total}
    else:
        shown = {
            "value": values[-1],
            "min": min(known.get("min", inf), values.min()),
            "max": max(known.get("max", -inf), values.max()),
        }
    for key, value in shown.items():
        measure.numbers[key] = Number(float(value), int(lines[-1]), origin="computed")

"""One run's raw k6 points, gathered as they stream by.

NDJSON and CSV differ in spelling only.

Memory does not grow with the run: a trend is given away every `BLOCK` points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import isfinite, nan
from urllib.parse import urlsplit

import numpy as np

from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.k6.columns import Points
from benchkit.parsers.k6.words import (
    CONTENTS,
    TRENDS,
    Kind,
    Measure,
    Number,
    builtin_kind,
    own_name,
    record,
)
from benchkit.units import scale

#: How many points of one trend are held before they are given away.
BLOCK = 1 << 16

#: Nanoseconds in what a timestamp may count, by its length in s.
_FACTORS = {1.0: 10**9, 1e-3: 10**6, 1e-6: 10**3, 1e-9: 1}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS: dict[str, Kind] = {"trend": "trend", "counter": "counter", "rate": "rate", "gauge": "gauge"}


def read_time(text: str) -> int:
    """Read a point's time into microseconds since 1970, UTC.

    RFC 3339 with any zone, or an integer whose digits tell its unit (s, ms, µs, ns).

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> read_time("1595325560"), read_time("2020-07-21T12:59:20.5+03:00")
    (1595325560000000, 1595325560500000)
    """
    if text.isdecimal() and len(text) <= len("1595325560000000000"):
        return int(text) * _FACTORS[_precision(text)] // 1000
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        msg = f"{text} has no zone"
        raise ValueError(msg)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _precision(text: str) -> float:
    """Tell from its digits what a timestamp counts, in s."""
    if not text.isdecimal():
        return 1e-6
    return next(
        (unit for size, unit in ((11, 1.0), (14, 1e-3), (17, 1e-6)) if len(text) <= size), 1e-9
    )


@dataclass(slots=True)
class _Trend:
    """A trend's points that have not been given away yet."""

    metric: str
    subject: str | None
    unit: str
    values: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    columns: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    waiting: int = 0

    def gather(self) -> None:
        """Put single points behind the columns."""
        if self.values:
            times = np.array(self.times, dtype=np.int64)
            self.columns.append((np.array(self.values), np.array(self.lines), times))
            self.values, self.lines, self.times = [], [], []


@dataclass(slots=True)
class _Tally:
    """What is kept of a counter, a rate or a gauge."""

    kind: Kind
    unit: str
    line: int = 0
    n: int = 0
    total: float = 0.0
    value: float = nan
    low: float = float("inf")
    high: float = float("-inf")

    def numbers(self) -> dict[str, Number]:
        """Return the numbers that a summary would show."""
        found = {"count": self.total}
        if self.kind == "rate":
            share = self.total / self.n
            found = {"rate": share, "passes": self.total, "total": float(self.n)}
        elif self.kind == "gauge":
            found = {"value": self.value, "min": self.low, "max": self.high}
        return {key: Number(x, self.line, origin="computed") for key, x in found.items()}


class Gathering:
    """One run while its points come in.

    Parameters
    ----------
    reading : Reading
        The run; its fields are filled by `close`.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.declared: dict[str, tuple[Kind, str]] = {}
        self.unknown: set[str] = set()
        self._trends: dict[str, _Trend] = {}
        self._tallies: dict[str, _Tally] = {}
        self._first: int | None = None
        self._last = 0
        self._step = 1e-6
        self._paths: set[str] = set()
        self._host = ""
        self._moment: tuple[str | None, int] = (None, 0)

    @property
    def started(self) -> bool:
        """Whether a point has come in."""
        return self._first is not None

    def declare(self, name: str, kind: str, contains: str) -> None:
        """Note what kind of metric a name stands for."""
        if kind in _KINDS:
            self.declared[name] = (_KINDS[kind], CONTENTS.get(contains, "1"))

    def visit(self, url: str) -> None:
        """Note the URL of a request; the run's target is its path, if it is the same in all."""
        if len(self._paths) <= 1:  # two different ones are no target
            try:
                parts = urlsplit(url)
            except ValueError:  # brackets without an IPv6 address
                self._paths.add("")
                return
            self._paths.add(parts.path or "/" if parts.scheme.startswith("http") else "")
            self._host = self._host or parts.netloc.rpartition("@")[2]

    def add(self, name: str, text: str, moment: str, line: int) -> Samples | None:
        """Take in a point; return a block of samples once there are enough.

        Raises
        ------
        ValueError
            If the value is no finite number or the time cannot be read.
        """
        known = self.declared.get(name) or builtin_kind(name)
        if known is None:
            self.unknown.add(name)
            return None
        kind, unit = known
        value = scale(text, -3 if unit == "s" else 0)
        if not isfinite(value):
            msg = f"{text} is not finite"
            raise ValueError(msg)
        time = self._read_time(moment)
        self.reading.last_line = line
        if kind == "trend":
            return self._sample(name, unit, value, time, line)
        self._count(name, kind, unit, value, line)
        return None

    def _read_time(self, text: str) -> int:
        known, time = self._moment
        if known != text:
            time = read_time(text)
            self._moment = (text, time)
            self._first = time if self._first is None else min(self._first, time)
            self._last = max(self._last, time)
            self._step = max(1e-6, _precision(text))
        return time

    def _sample(self, name: str, unit: str, value: float, time: int, line: int) -> Samples | None:
        trend = self._trend(name, unit)
        trend.values.append(value)
        trend.lines.append(line)
        trend.times.append(time)
        trend.waiting += 1
        return self._give(trend) if trend.waiting >= BLOCK else None

    def _trend(self, name: str, unit: str) -> _Trend:
        trend = self._trends.get(name)
        if trend is None:
            metric, subject = TRENDS.get(name) or (own_name(name), None)
            trend = self._trends[name] = _Trend(metric, subject, unit)
        return trend

    def _give(self, trend: _Trend) -> Samples:
        trend.gather()
        values, lines, times = (np.concatenate(part) for part in zip(*trend.columns, strict=True))
        trend.columns, trend.waiting = [], 0
        return Samples(
            reading=self.reading,
            metric=trend.metric,
            unit=trend.unit,
            values=values,
            lines=lines,
            times=times.view("datetime64[us]"),
            subject=trend.subject,
        )

    def extend(self, points: Points) -> list[Samples]:
        """Take in points in columns, as `add` and `visit` take them in one by one.

        Returns
        -------
        list of Samples
            Blocks of which there is enough.
        """
        given, known = [], np.zeros(len(points.lines), dtype=bool)
        for name, rows in points.by_name():
            told = self.declared.get(name) or builtin_kind(name)
            if told is None:
                self.unknown.add(name)
                continue
            known[rows] = True
            kind, unit = told
            values = points.values.pick(rows).scaled(-3 if unit == "s" else 0)
            if kind == "trend":
                trend = self._trend(name, unit)
                trend.gather()
                trend.columns.append((values, points.lines[rows], points.times[rows]))
                trend.waiting += len(rows)
                if trend.waiting >= BLOCK:
                    given.append(self._give(trend))
            else:
                self._count_all(name, kind, unit, values, int(points.lines[rows[-1]]))
            if name == "http_reqs":
                for target in np.unique(points.targets[rows]).tolist():
                    self.visit(points.urls[target])
        if known.any():
            self._span(points.times[known], points.step)
            self.reading.last_line = int(points.lines[known][-1])
        return given

    def _span(self, times: np.ndarray, step: float) -> None:
        """Widen the run to times in microseconds; the next point's is read whatever it is."""
        first = int(times.min())
        self._first = first if self._first is None else min(self._first, first)
        self._last = max(self._last, int(times.max()))
        self._moment, self._step = (None, 0), step

    def _count_all(self, name: str, kind: Kind, unit: str, values: np.ndarray, line: int) -> None:
        """Count values as `_count` does one by one: sums in their order, to the last digit."""
        tally = self._tallies.setdefault(name, _Tally(kind, unit))
        tally.n += len(values)
        if kind == "rate":
            tally.total += np.count_nonzero(values)
        else:
            tally.total = float(np.cumsum(np.concatenate(([tally.total], values)))[-1])
        tally.value, tally.line = float(values[-1]), line
        tally.low = min(tally.low, float(values.min()))
        tally.high = max(tally.high, float(values.max()))

    def _count(self, name: str, kind: Kind, unit: str, value: float, line: int) -> None:
        tally = self._tallies.get(name)
        if tally is None:
            tally = self._tallies[name] = _Tally(kind, unit)
        tally.n += 1
        tally.total += (value != 0) if kind == "rate" else value
        tally.value, tally.line = value, line
        tally.low, tally.high = min(tally.low, value), max(tally.high, value)

    def close(self, *, is_whole: bool) -> Iterator[Samples]:
        """Give away what is left; if no point is missing, add the computed rows."""
        for trend in self._trends.values():
            if trend.waiting:
                yield self._give(trend)
        if len(self._paths) == 1:
            self.reading.target = next(iter(self._paths))
        if self._host:
            self.reading.env["host"] = self._host
        if self._first is not None:
            self.reading.started_at = _EPOCH + timedelta(microseconds=self._first)
            if is_whole:
                self._total(self._first)

    def _total(self, first: int) -> None:
        for name, tally in self._tallies.items():
            record(self.reading, Measure(name, "", tally.kind, tally.unit, tally.numbers()))
        reading = self.reading
        reading.duration = (self._last - first) / 1e6
        reading.add(
            "duration", "total", reading.duration, "s", reading.last_line,
            resolution=self._step, origin="computed",
        )  # fmt: skip

"""One attack of vegeta, summed up from its raw results as vegeta's own report does.

Counts and rates from the raw results equal the JSON report of the same run to the last digit only
if they are defined, and divided, as vegeta does.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.urls import host_of
from benchkit.parsers.vegeta.columns import Results
from benchkit.parsers.vegeta.readings import begin, path_of
from benchkit.parsers.vegeta.records import Result

#: How many latencies are handed on at once.
BLOCK = 1 << 16


class Attack:
    """The sums of one attack, and the latencies not handed on yet."""

    def __init__(self, form: str, first: Result) -> None:
        self.reading: Reading = begin(form, first.line)
        self.reading.target = path_of(first.url) if first.url else ""
        if first.url:
            self.reading.env["host"] = host_of(first.url)
        self.name = first.attack
        self._url = first.url
        self._latencies: list[int] = []
        self._starts: list[int] = []
        self._lines: list[int] = []
        self._columns: list[tuple[np.ndarray, ...]] = []
        self._waiting = 0
        self._codes: Counter[int] = Counter()
        self._bytes_in = self._bytes_out = 0
        self._earliest = self._latest = first.start
        self._end = first.start

    def add(self, result: Result) -> bool:
        """Count a result; True when a block is full."""
        self._latencies.append(result.latency)
        self._starts.append(result.start)
        self._lines.append(result.line)
        self._codes[result.code] += 1
        self._bytes_in += result.bytes_in
        self._bytes_out += result.bytes_out
        self._earliest = min(self._earliest, result.start)
        self._latest = max(self._latest, result.start)
        self._end = max(self._end, result.start + result.latency)
        if result.url != self._url:
            self._compare_target(result.url)
        self._waiting += 1
        return self._waiting >= BLOCK

    def extend(self, results: Results) -> bool:
        """Count results as `add` counts them one by one; True when a block is full."""
        self._gather()
        self._columns.append((results.latency, results.start, results.line))
        self._waiting += len(results.line)
        for code, times in zip(*np.unique(results.code, return_counts=True), strict=True):
            self._codes[int(code)] += int(times)
        self._bytes_in += _total(results.bytes_in)
        self._bytes_out += _total(results.bytes_out)
        self._earliest = min(self._earliest, int(results.start.min()))
        self._latest = max(self._latest, int(results.start.max()))
        self._end = max(self._end, int((results.start + results.latency).max()))
        for number in np.unique(results.url).tolist():
            if results.urls[number] != self._url:
                self._compare_target(results.urls[number])
        return self._waiting >= BLOCK

    def _gather(self) -> None:
        """Put single results behind the columns."""
        if self._latencies:
            single = self._latencies, self._starts, self._lines
            self._columns.append(tuple(np.array(column, dtype=np.int64) for column in single))
            self._latencies, self._starts, self._lines = [], [], []

    def _compare_target(self, url: str) -> None:
        """Forget the target if requests go to several paths."""
        self._url = url
        if path_of(url) != self.reading.target:
            self.reading.target = ""

    def take(self) -> Samples:
        """Return the latencies that were gathered, and begin anew."""
        self._gather()
        latencies, starts, lines = (np.concatenate(c) for c in zip(*self._columns, strict=True))
        self._columns, self._waiting = [], 0
        self.reading.last_line = int(lines[-1])
        return Samples(
            reading=self.reading,
            metric="latency",
            unit="s",
            values=latencies / 1e9,
            lines=lines,
            times=(starts // 1000).astype("datetime64[us]"),
            resolution=1e-9,
        )

    @property
    def has_samples(self) -> bool:
        """Whether latencies wait to be handed on."""
        return self._waiting > 0

    def total(self) -> None:
        """Complete the reading with what vegeta's report would say."""
        attack, wait = self._latest - self._earliest, self._end - self._latest
        requests = self._codes.total()
        successes = sum(count for code, count in self._codes.items() if 200 <= code < 400)
        reading = self.reading
        reading.started_at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            microseconds=self._earliest // 1000
        )
        reading.duration = (attack + wait) / 1e9
        self._add("requests", "count", requests, "1")
        for code in sorted(self._codes):
            self._add("responses", "count", self._codes[code], "1", str(code))
        self._add("error_rate", "mean", 1.0 - successes / requests, "1")
        for metric, total in (("bytes_in", self._bytes_in), ("bytes_out", self._bytes_out)):
            self._add(metric, "total", total, "B")
            self._add(metric, "mean", total / requests, "B")
        self._add("duration", "total", reading.duration, "s")
        self._add("duration", "total", attack / 1e9, "s", "attack")
        self._add("duration", "total", wait / 1e9, "s", "wait")
        if attack:
            self._add("request_rate", "mean", requests / _seconds(attack), "1/s")
            throughput = successes / _seconds(attack + wait)
            self._add("success_rate_per_second", "mean", throughput, "1/s")

    def _add(
        self, metric: str, stat: str, value: float, unit: str, subject: str | None = None
    ) -> None:
        resolution = 1e-9 if unit == "s" else None
        self.reading.add(
            metric,
            stat,
            float(value),
            unit,
            self.reading.line,
            subject=subject,
            resolution=resolution,
            origin="computed",
        )


def _total(numbers: np.ndarray) -> int:
    """Return the sum of numbers below 2**61, however many."""
    if float(numbers.sum(dtype=np.float64)) < 1 << 62:
        return int(numbers.sum())
    return sum(numbers.tolist())


def _seconds(nanoseconds: int) -> float:
    """Return seconds as Go's ``Duration.Seconds`` rounds them, to divide as vegeta does."""
    return nanoseconds // 10**9 + (nanoseconds % 10**9) / 1e9

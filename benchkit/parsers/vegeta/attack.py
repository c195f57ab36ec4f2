"""One attack of vegeta, summed up from its raw results as vegeta's own report does.

Counts and rates from the raw results equal the JSON report of the same run to the last digit only
if they are defined, and divided, as vegeta does.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchkit.parsers.base import Samples
from benchkit.parsers.octets import Array
from benchkit.parsers.vegeta.readings import begin, time_of
from benchkit.parsers.vegeta.results import Results
from benchkit.reading.urls import host_of, path_of

#: How many latencies are handed on at once.
BLOCK = 1 << 16


class Attack:
    """The sums of one attack, and the latencies not handed on yet."""

    def __init__(self, form: str, results: Results) -> None:
        url = results.urls[int(results.url[0])]
        self.name = results.attacks[int(results.attack[0])]
        self.reading = begin(form, int(results.line[0]))
        self.reading.target = path_of(url)
        if url:
            self.reading.env["host"] = host_of(url)
        self._columns: list[tuple[Array, Array, Array]] = []
        self.waiting = 0
        self._codes: Counter[int] = Counter()
        self._bytes_in = self._bytes_out = 0
        self._earliest = self._latest = self._end = int(results.start[0])

    def extend(self, results: Results) -> None:
        """Count results."""
        self._columns.append((results.latency, results.start, results.line))
        self.waiting += len(results)
        for code, times in zip(*np.unique(results.code, return_counts=True), strict=True):
            self._codes[int(code)] += int(times)
        self._bytes_in += _total(results.bytes_in)
        self._bytes_out += _total(results.bytes_out)
        self._earliest = min(self._earliest, int(results.start.min()))
        self._latest = max(self._latest, int(results.start.max()))
        self._end = max(self._end, int((results.start + results.latency).max()))
        target = self.reading.target
        urls = np.unique(results.url).tolist() if target else ()
        if any(path_of(results.urls[number]) != target for number in urls):
            self.reading.target = ""

    def take(self) -> Samples:
        """Return the latencies that were gathered, and begin anew."""
        latencies, starts, lines = (np.concatenate(c) for c in zip(*self._columns, strict=True))
        self._columns, self.waiting = [], 0
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

    def total(self) -> None:
        """Complete the reading with what vegeta's report would say."""
        attack, wait = self._latest - self._earliest, self._end - self._latest
        requests = self._codes.total()
        successes = sum(count for code, count in self._codes.items() if 200 <= code < 400)
        reading = self.reading
        reading.started_at = time_of(self._earliest // 1000)
        reading.duration = (attack + wait) / 1e9
        rows: list[tuple[str, str, float, str, str | None]] = [
            ("requests", "count", requests, "1", None),
            *(("responses", "count", n, "1", str(code)) for code, n in sorted(self._codes.items())),
            ("error_rate", "mean", 1.0 - successes / requests, "1", None),
            ("bytes_in", "total", self._bytes_in, "B", None),
            ("bytes_in", "mean", self._bytes_in / requests, "B", None),
            ("bytes_out", "total", self._bytes_out, "B", None),
            ("bytes_out", "mean", self._bytes_out / requests, "B", None),
            ("duration", "total", reading.duration, "s", None),
            ("duration", "total", attack / 1e9, "s", "attack"),
            ("duration", "total", wait / 1e9, "s", "wait"),
        ]
        if attack:
            throughput = successes / _seconds(attack + wait)
            rows.append(("request_rate", "mean", requests / _seconds(attack), "1/s", None))
            rows.append(("success_rate_per_second", "mean", throughput, "1/s", None))
        for metric, stat, value, unit, subject in rows:
            resolution = 1e-9 if unit == "s" else None
            reading.add(
                metric, stat, float(value), unit, reading.line,
                subject=subject, resolution=resolution, origin="computed",
            )  # fmt: skip


def _total(numbers: Array) -> int:
    """Return the sum of numbers that are not negative, however large."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def _seconds(nanoseconds: int) -> float:
    """Return seconds as Go's ``Duration.Seconds`` rounds them, to divide as vegeta does."""
    return nanoseconds // 10**9 + (nanoseconds % 10**9) / 1e9

"""One report of wrk or wrk2, put together line by line.

Which lines may follow which, and which of two lines tells a statistic more precisely, is one
concept apart from how a line is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.wrk import remarks
from benchkit.parsers.wrk.lines import (
    BUCKET,
    CALIBRATION,
    DISTRIBUTION,
    ERRORS,
    HEAD,
    LATENCY,
    MAX,
    MEAN,
    NON2XX,
    QUANTILE,
    RATE,
    REQUESTS,
    SIZE,
    STATS,
    TOTAL,
    TRANSFER,
    UNCORRECTED,
    Fields,
)
from benchkit.parsers.wrk.quantities import (
    describe_url,
    path_of,
    read_bytes,
    read_rate,
    read_share,
    read_time,
    stat_of,
)
from benchkit.units import parse_count, scale

_BLOCK = UNCORRECTED - DISTRIBUTION
_UNCORRECTED_MAX = MAX + _BLOCK
_REPEATED = frozenset({CALIBRATION, QUANTILE, BUCKET, QUANTILE + _BLOCK, BUCKET + _BLOCK})
#: Lines that every report has.
_ALWAYS = (SIZE, STATS, LATENCY, RATE, TOTAL, REQUESTS, TRANSFER)
#: A script or the system may write a line into a report.
_FEW_STRAYS = 1
#: After more lines that are not wrk's, only a heading goes on with a report.
_RESUMING = frozenset({CALIBRATION, STATS, DISTRIBUTION, UNCORRECTED})
#: What no other tool prints in this form; without them a report is not believed.
_PROOF = frozenset({LATENCY, RATE, TOTAL, TRANSFER})
_HEADED = frozenset({HEAD, SIZE})
_NEEDED = {
    HEAD: "Running … test @",
    SIZE: "threads and connections",
    LATENCY: "Latency",
    TOTAL: "requests in",
    REQUESTS: "Requests/sec",
    TRANSFER: "Transfer/sec",
}
_FIRST_CORRECTED = 4
_NAN = "nan"
_SPREAD = ("mean", "stdev", "max")
_REASONS = ("connect", "read", "write", "timeout")
_RATE_OPTION = re.compile(r"\s(?:-R|--rate)[ =]?(\d{1,15}[kMG]?)\b")
_URL = re.compile(r"\bhttps?://[^\s\"']+")
_SIZE_OPTIONS = {
    "threads": re.compile(r"\s(?:-t|--threads)[ =]?(\d{1,9})(?!\S)"),
    "connections": re.compile(r"\s(?:-c|--connections)[ =]?(\d{1,9})(?!\S)"),
}


class Report:
    """A report whose lines are still coming in.

    Parameters
    ----------
    line : int
        Where it begins in the source.
    command, version : str, optional
        What stood above it.
    """

    def __init__(self, line: int, command: str | None, version: str | None) -> None:
        self.reading = Reading(tool="wrk", form="text", line=line, tool_version=version)
        self.command = command
        self.rank = -1
        self.seen: set[int] = set()
        self.strays = 0  # lines of others since the last line
        self.is_histogram = False
        self.block = ""  # the metric whose histogram is being read; unknown until a heading tells
        self.sampled = True
        self.is_go_wrk = False
        self.found: dict[tuple[str, str], tuple[float, float, int]] = {}
        self.counts: dict[str, int] = {}
        self.timeouts = 0
        self.requests: int | None = None

    @property
    def proven(self) -> bool:
        """Whether lines have come that only wrk or go-wrk prints."""
        is_headed = self.is_go_wrk or self.seen >= _HEADED
        return self.is_histogram or is_headed or not self.seen.isdisjoint(_PROOF)

    @property
    def adrift(self) -> bool:
        """Whether so much stands between that only a heading goes on with the report."""
        return self.strays > _FEW_STRAYS

    @property
    def ended(self) -> bool:
        """Whether the last line that wrk prints has come."""
        return self.rank == TRANSFER

    def take(self, rank: int, fields: Fields, line: int) -> bool:
        """Add a line; False if it cannot follow the lines so far and begins another report."""
        rank = self._place(rank, fields)
        if rank < self.rank or (rank == self.rank and rank not in _REPEATED):
            return False
        if self.strays and not self._resumes(rank, fields):
            return False
        self.strays = 0
        self.rank = rank
        self.seen.add(rank)
        self.reading.last_line = line
        _TAKE[rank](self, fields, line)
        return True

    def _resumes(self, rank: int, fields: Fields) -> bool:
        """Whether a line goes on with the report after lines of others."""
        if self.adrift:
            return rank in _RESUMING and fields != ("",)
        return not any(self.rank < always < rank for always in _ALWAYS)

    def _place(self, rank: int, fields: Fields) -> int:
        """Return the rank, moved where it is of the second histogram; -1 if it came before."""
        if not DISTRIBUTION <= rank <= MAX:
            return rank
        if rank == DISTRIBUTION:
            return UNCORRECTED if fields[0] == "Uncorrected" else rank
        if rank == QUANTILE:
            stat = stat_of(fields[0])
            if stat != "max" and (self.block, stat) in self.found:
                return -1
        return rank + _BLOCK if UNCORRECTED <= self.rank <= _UNCORRECTED_MAX else rank

    def _take_nothing(self, _fields: Fields, _line: int) -> None:
        """Pass over a heading."""

    def _take_head(self, fields: Fields, _line: int) -> None:
        verb, url = fields
        self.reading.target = path_of(url)
        self.reading.env |= describe_url(url)
        if verb == "Making":
            self.reading.corrected = "no"

    def _take_size(self, fields: Fields, _line: int) -> None:
        threads, connections, self.is_go_wrk = *fields[:2], len(fields) > 2
        self.reading.params = {"connections": connections, "threads": threads}
        self.reading.connections = int(connections)

    def _take_calibration(self, _fields: Fields, _line: int) -> None:
        self.is_histogram = True

    def _take_latency(self, fields: Fields, line: int) -> None:
        self.sampled = _NAN not in "".join(fields) and read_time(fields[2]).value > 0
        if self.sampled:
            for stat, text in zip(_SPREAD, fields, strict=False):
                self._keep_time("latency", stat, text, line)
            self._add_share("latency_within_stdev", fields[3], line)

    def _take_rate(self, fields: Fields, line: int) -> None:
        if _NAN in "".join(fields):
            return
        for stat, text in zip(_SPREAD, fields, strict=False):
            rate = read_rate(text)
            self._add("thread_request_rate", stat, rate.value, "1/s", line, rate.resolution)
        self._add_share("thread_request_rate_within_stdev", fields[3], line)

    def _take_distribution(self, fields: Fields, _line: int) -> None:
        self.is_histogram = self.is_histogram or bool(fields[0])
        if fields[0] == "Uncorrected":
            self._name_block("latency")
            self.block = "uncorrected_latency"
        else:
            self.block = "latency"

    def _take_quantile(self, fields: Fields, line: int) -> None:
        percent, text = fields
        if "." in percent:
            self.reading.tool = "wrk2"
        elif not self.block:
            self.block = "latency"
        if self.sampled and read_time(text).value:
            self._keep_time(self.block, stat_of(percent), text, line)

    def _take_bucket(self, fields: Fields, line: int) -> None:
        value, level, inverse = fields
        percent = _percent(level)
        if float(value) and (percent != "100" or inverse == "inf"):
            self._keep_millis(stat_of(percent), value, line)

    def _take_mean(self, fields: Fields, line: int) -> None:
        for stat, text in zip(("mean", "stdev"), fields, strict=True):
            if _NAN not in text:
                self._keep_millis(stat, text, line)

    def _take_max(self, fields: Fields, line: int) -> None:
        largest, count = fields
        self.counts[self.block] = int(count)
        if int(count):
            self._keep_millis("max", largest, line, at_par=True)
            return
        for stat in ("mean", "stdev", "min", "max"):
            self.found.pop((self.block, stat), None)

    def _take_total(self, fields: Fields, line: int) -> None:
        count, length, amount = fields
        duration, received = read_time(length), read_bytes(amount)
        self.requests = int(count)
        self.reading.duration = duration.value
        self._add("requests", "count", float(count), "1", line, 1.0)
        self._add("duration", "total", duration.value, "s", line, duration.resolution)
        self._add("bytes_in", "total", received.value, "B", line, received.resolution)

    def _take_errors(self, fields: Fields, line: int) -> None:
        for reason, count in zip(_REASONS, fields, strict=True):
            self._add("failures", "count", float(count), "1", line, 1.0, reason)
        self.timeouts = int(fields[3])

    def _take_non2xx(self, fields: Fields, line: int) -> None:
        self._add("failures", "count", float(fields[0]), "1", line, 1.0, "non2xx")

    def _take_requests(self, fields: Fields, line: int) -> None:
        self._add("request_rate", "mean", float(fields[0]), "1/s", line, 0.01)

    def _take_transfer(self, fields: Fields, line: int) -> None:
        rate = read_bytes(fields[0])
        self._add("bandwidth_in", "mean", rate.value, "B/s", line, rate.resolution)

    def finish(self, label: str) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and what is to be said about it; nothing if it is not proven."""
        reading = self.reading
        if self.is_go_wrk:
            yield remarks.foreign(label, reading.line)
            return
        if not self.proven or not (self.found or reading.rows or HEAD in self.seen):
            return
        self._settle_load()
        nameless = self._add_latencies()
        reading.rows.sort(key=itemgetter(9))
        missing = [name for rank, name in _NEEDED.items() if rank not in self.seen]
        reading.status = "partial" if missing else "complete"
        yield reading
        yield from self._remarks(label, missing, nameless)

    def _remarks(self, label: str, missing: list[str], nameless: bool) -> Iterator[Diagnostic]:
        tool, line = self.reading.tool, self.reading.last_line
        if missing:
            yield remarks.incomplete(label, line, tool, missing)
        if nameless:
            yield remarks.nameless(label, self.reading.line)
        if not self.sampled or self.requests == 0:
            yield remarks.unsampled(label, line, tool, self.requests, self.timeouts)
        elif self.timeouts and tool == "wrk":
            yield remarks.censored(label, line, self.timeouts, self.requests)

    def _add(
        self,
        metric: str,
        stat: str,
        value: float,
        unit: str,
        line: int,
        resolution: float,
        subject: str | None = None,
    ) -> None:
        self.reading.add(metric, stat, value, unit, line, subject=subject, resolution=resolution)

    def _add_share(self, metric: str, percent: str, line: int) -> None:
        share = read_share(percent)
        self._add(metric, "mean", share.value, "1", line, share.resolution)

    def _keep_time(self, metric: str, stat: str, text: str, line: int) -> None:
        time = read_time(text)
        self._keep(metric, stat, time.value, time.resolution, line)

    def _keep_millis(self, stat: str, text: str, line: int, *, at_par: bool = False) -> None:
        self.reading.tool = "wrk2"
        self._keep(self.block, stat, scale(text, -3), 1e-6, line, at_par=at_par)

    def _keep(
        self,
        metric: str,
        stat: str,
        value: float,
        resolution: float,
        line: int,
        *,
        at_par: bool = False,
    ) -> None:
        """Keep a statistic of latency unless a line above told it more (or as) precisely."""
        known = self.found.get((metric, stat))
        if known is None or resolution < known[1] or (at_par and resolution == known[1]):
            self.found[metric, stat] = (value, resolution, line)

    def _name_block(self, metric: str) -> None:
        """Say what the histogram without a heading was, now that the next one tells."""
        for (block, stat), kept in list(self.found.items()):
            if not block:
                del self.found[block, stat]
                self._keep(metric, stat, *kept)
        if "" in self.counts:
            self.counts[metric] = self.counts.pop("")

    def _add_latencies(self) -> bool:
        """Add what was kept of the latencies; True if some belong to no known block."""
        for (metric, stat), (value, resolution, line) in self.found.items():
            if metric:
                n = self.counts.get(metric)
                self.reading.add(metric, stat, value, "s", line, n=n, resolution=resolution)
        return any(not metric for metric, _ in self.found)

    def _settle_load(self) -> None:
        """Tell wrk from wrk2, and what that means for the load and the latencies."""
        reading = self.reading
        if self.command and _agrees(self.command, reading.params):
            reading.command = self.command
            self._take_sizes(self.command)
        rate = _RATE_OPTION.search(reading.command or "")
        reading.target_rate = parse_count(rate[1]).value if rate else None
        if self.is_histogram or rate or (reading.command or "").startswith("wrk2"):
            reading.tool = "wrk2"
        if reading.tool == "wrk2":
            reading.load_model, reading.corrected = "open", "yes"
        elif HEAD in self.seen or QUANTILE in self.seen:
            reading.load_model = "closed"
            reading.corrected = reading.corrected or _correction(reading.tool_version)

    def _take_sizes(self, command: str) -> None:
        """Fill in the threads and connections of a report without its head."""
        asked = {name: option.search(command) for name, option in _SIZE_OPTIONS.items()}
        for name, match in asked.items():
            if match is not None:
                self.reading.params.setdefault(name, match[1])
        connections = self.reading.params.get("connections")
        self.reading.connections = int(connections) if connections else None
        url = _URL.search(command)
        if url and not self.reading.target:
            self._take_head(("", url[0]), 0)


_TAKE: dict[int, Callable[[Report, Fields, int], None]] = {
    HEAD: Report._take_head,
    SIZE: Report._take_size,
    CALIBRATION: Report._take_calibration,
    STATS: Report._take_nothing,
    LATENCY: Report._take_latency,
    RATE: Report._take_rate,
    DISTRIBUTION: Report._take_distribution,
    QUANTILE: Report._take_quantile,
    BUCKET: Report._take_bucket,
    MEAN: Report._take_mean,
    MAX: Report._take_max,
    TOTAL: Report._take_total,
    ERRORS: Report._take_errors,
    NON2XX: Report._take_non2xx,
    REQUESTS: Report._take_requests,
    TRANSFER: Report._take_transfer,
}
_TAKE |= {rank + _BLOCK: _TAKE[rank] for rank in range(DISTRIBUTION, MAX + 1)}


@lru_cache(maxsize=1024)
def _percent(level: str) -> str:
    """Shift ``0.912500`` to ``91.25``."""
    digits = level.replace(".", "")
    return f"{int(digits[:3])}.{digits[3:]}".rstrip("0").rstrip(".")


def _agrees(command: str, params: dict[str, str]) -> bool:
    """Whether a command above the report does not speak of other threads or connections."""
    asked = {name: option.search(command) for name, option in _SIZE_OPTIONS.items()}
    return all(
        match is None or name not in params or match[1] == params[name]
        for name, match in asked.items()
    )


def _correction(version: str | None) -> str:
    major = re.search(r"\d+", version or "")
    return "no" if major and int(major[0]) < _FIRST_CORRECTED else "approximate"

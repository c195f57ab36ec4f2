"""One report of ab, put together line by line.

Which lines may follow which, and what a line means in the light of the others, is one concept
apart from how a line is recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from benchkit.errors import Diagnostic
from benchkit.parsers.ab import clock, remarks
from benchkit.parsers.ab import lines as ab
from benchkit.parsers.ab.invocation import Invocation
from benchkit.parsers.base import Reading
from benchkit.parsers.urls import path_of, query_of
from benchkit.units import scale, step

#: What no other tool prints in this form; without two of them a report is not believed.
_PROOF = frozenset(
    {ab.CONCURRENCY, ab.TAKEN, ab.COMPLETE, ab.TRANSFERRED, ab.PER_REQUEST, ab.RATE, ab.TIMES}
    | {ab.CONNECT, ab.TOTAL, ab.PERCENTAGE, ab.PERCENT}
)
_NEEDED = {
    ab.CONCURRENCY: "Concurrency Level",
    ab.TAKEN: "Time taken for tests",
    ab.COMPLETE: "Complete requests",
    ab.FAILED: "Failed requests",
    ab.TRANSFERRED: "Total transferred",
    ab.RPS: "Requests per second",
}
_ROWS = frozenset({ab.CONNECT, ab.PROCESSING, ab.WAITING, ab.TOTAL})
_SUBJECTS = {ab.CONNECT: "connect", ab.PROCESSING: "processing", ab.WAITING: "wait", ab.TOTAL: None}
_STATS = ("min", "mean", "stdev", "median", "max")
_OUTER = frozenset({"min", "max"})
_REASONS = ("connect", "receive", "length", "exceptions")
_LAST = 100


class Report:
    """A report whose lines are still coming in.

    Parameters
    ----------
    run : Invocation
        The run that it is of.
    """

    def __init__(self, run: Invocation) -> None:
        self.run = run
        self.reading = Reading(tool="ab", form="text", line=run.line, load_model="closed")
        self.rank = -1
        self.percent = 0
        self.seen: set[int] = set()
        self.adrift = False
        self.is_html = False
        self.counts: dict[int, int] = {}
        self.lengths: int | None = None  # failures by length, if there are no others
        self.has_window = False
        self.is_narrow = False
        self.taken: tuple[str, str, int] | None = None
        self.rates: list[tuple[str, str, int]] = []
        self.rate: str | None = None
        self.times: dict[tuple[int, str], tuple[float, float, int]] = {}
        self.remarks: list[Diagnostic] = []

    @property
    def proven(self) -> bool:
        """Whether enough lines have come that only ab prints; under ``-v`` bodies may hold such."""
        is_ours = ab.SOFTWARE in self.seen or not self.run.is_verbose
        return is_ours and len(self.seen & _PROOF) > 1

    @property
    def ended(self) -> bool:
        """Whether the last line that ab prints has come."""
        return self.percent >= _LAST

    def expects(self, rank: int) -> bool:
        """Whether a line of this rank may come next."""
        if self.adrift or (rank in _ROWS and ab.TIMES not in self.seen):
            return False
        if rank == ab.PERCENT:
            return ab.PERCENTAGE in self.seen
        return rank > self.rank

    def take(self, rank: int, fields: tuple[str, ...], line: int) -> bool:
        """Add a line; False if it cannot follow the lines so far."""
        if not self.expects(rank) or (rank == ab.PERCENT and int(fields[0]) <= self.percent):
            return False
        self.rank = rank
        self.seen.add(rank)
        self.reading.last_line = line
        _TAKE.get(rank, Report._take_nothing)(self, rank, fields, line)
        return True

    @property
    def headed(self) -> bool:
        """Whether the first lines of a report have come."""
        return not self.seen.isdisjoint({ab.SOFTWARE, ab.HOST})

    def skip_table(self) -> None:
        """Forget the heading of a table whose rows are not to be read."""
        self.seen -= {ab.TIMES, ab.PERCENTAGE}

    def _take_nothing(self, _rank: int, _fields: tuple[str, ...], _line: int) -> None:
        """Pass over a heading."""

    def _take_note(self, rank: int, fields: tuple[str, ...], _line: int) -> None:
        if fields[0]:
            self.reading.env[_NOTES[rank]] = fields[0]

    def _take_path(self, _rank: int, fields: tuple[str, ...], _line: int) -> None:
        self.reading.target = path_of(fields[0])
        if query := query_of(fields[0]):
            self.reading.env["query"] = query

    def _take_port(self, _rank: int, fields: tuple[str, ...], _line: int) -> None:
        host = self.reading.env.get("host")
        if host:
            name = f"[{host}]" if ":" in host else host
            self.reading.env["host"] = f"{name}:{fields[0]}"

    def _take_concurrency(self, _rank: int, fields: tuple[str, ...], _line: int) -> None:
        self.reading.params = {"connections": fields[0]}
        self.reading.connections = int(fields[0])

    def _take_taken(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        self.taken = (*fields, line)  # type: ignore[assignment]

    def _take_window(self, rank: int, fields: tuple[str, ...], _line: int) -> None:
        self.counts[rank] = int(fields[0])
        self.has_window = bool(fields[1])

    def _take_count(self, rank: int, fields: tuple[str, ...], line: int) -> None:
        self.counts[rank] = int(fields[0])
        metric, stat, unit, subject = _COUNTS[rank]
        self._add(metric, stat, float(fields[0]), unit, line, 1.0, subject)

    def _take_reasons(self, _rank: int, fields: tuple[str | None, ...], line: int) -> None:
        found = {reason: text for reason, text in zip(_REASONS, fields, strict=True) if text}
        for reason, text in found.items():
            self._add("failures", "count", float(text), "1", line, 1.0, reason)
        if {reason for reason, text in found.items() if int(text)} == {"length"}:
            self.lengths = int(found["length"])

    def _take_rps(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        self.rate = fields[0]
        self._add("request_rate", "mean", float(fields[0]), "1/s", line, step(fields[0]))

    def _take_per_request(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        text = fields[0]
        self._add("time_per_request", "mean", scale(text, -3), "s", line, step(text, -3))

    def _take_rate(self, rank: int, fields: tuple[str, ...], line: int) -> None:
        self.rates.append((_BANDWIDTH[rank], fields[0], line))

    def _take_row(self, rank: int, fields: tuple[str | None, ...], line: int) -> None:
        self.is_narrow = not fields[2]
        for stat, text in zip(_STATS, fields, strict=True):
            if text:
                self.times[rank, stat] = (scale(text, -3), step(text, -3), line)

    def _take_percent(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        self.percent = int(fields[0])
        stat = "max" if self.percent == _LAST else f"p{fields[0]}"
        self.times.setdefault((ab.TOTAL, stat), (scale(fields[1], -3), 1e-3, line))

    def finish(self, label: str) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and what is to be said about it."""
        reading, complete = self.reading, self.counts.get(ab.COMPLETE)
        reading.form = "html" if self.is_html else "text"
        reading.tool_version = self.run.version or None
        if self.run.command and self.run.agrees(reading.connections):
            reading.command = self.run.command
        self._add_duration(label)
        self._add_rates()
        self._add_times(label, complete)
        reading.rows.sort(key=itemgetter(9))
        missing = self._missing(complete)
        stopped = self.run.is_stopped(reading.command, complete)
        if missing or stopped:
            reading.status = "partial"
        if complete == 0:
            reading.status = "failed"
        yield reading
        if missing:
            yield remarks.incomplete(label, reading.last_line, missing)
        if stopped:
            asked = self.run.asked(reading.command)
            yield remarks.interrupted(label, reading.last_line, complete, asked)
        yield from self._doubts(label, complete)
        yield from self.remarks

    def _missing(self, complete: int | None) -> list[str]:
        seen = self.seen | ({ab.RPS} if complete == 0 or self.reading.duration == 0 else set())
        missing = [name for rank, name in _NEEDED.items() if rank not in seen]
        if ab.PERCENTAGE in self.seen and not self.ended:
            missing.append("100%")
        elif ab.TOTAL not in seen and not self.ended and complete != 0:
            missing.append("Total")
        return missing

    def _doubts(self, label: str, complete: int | None) -> Iterator[Diagnostic]:
        """Yield what makes the numbers mean something else than they seem to."""
        line = self.reading.last_line
        if complete == 0:
            yield remarks.idle(label, line)
        elif complete and self.counts.get(ab.TRANSFERRED) == 0:
            yield remarks.silent(label, line, complete)
        elif complete and self.counts.get(ab.NON2XX) == complete:
            yield remarks.refused(label, line, complete)
        if self.lengths:
            yield remarks.lengths(label, line, self.lengths)

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

    def _add_duration(self, label: str) -> None:
        if self.taken is None:
            return
        whole, fraction, line = self.taken
        found = clock.taken(
            whole,
            fraction,
            self.run.version,
            is_html=self.is_html,
            count=self.counts.get(ab.COMPLETE),
            rate=self.rate,
        )
        if found is None:
            self.remarks.append(remarks.unclear_clock(label, line, f"{whole}.{fraction}"))
            return
        self.reading.duration = found[0]
        self._add("duration", "total", found[0], "s", line, found[1])

    def _add_rates(self) -> None:
        amount, size = self.counts.get(ab.TRANSFERRED), 1024
        for metric, text, line in self.rates:
            rate, rounding = float(text), step(text)
            if metric == "bandwidth_in":
                size = clock.kilobyte(rate, rounding, amount, self.reading.duration)
            value = scale(text, 3) if size == 1000 else rate * size
            self._add(metric, "mean", value, "B/s", line, rounding * size)

    def _add_times(self, label: str, complete: int | None) -> None:
        window = self.counts.get(ab.WINDOW, 0)
        is_averaged = self.has_window and complete is not None and complete > window
        if is_averaged:
            line = self.reading.last_line
            self.remarks.append(remarks.windowed(label, line, window, complete or 0))
        for (rank, stat), (value, resolution, line) in self.times.items():
            # Without a row for waiting, ab subtracts a least time from a least time.
            is_made_up = self.is_narrow and rank == ab.PROCESSING and ab.WAITING not in self.seen
            if (is_averaged and stat != "mean") or (is_made_up and stat in _OUTER):
                continue
            subject = _SUBJECTS[rank]
            metric = "phase_time" if subject else "latency"
            self.reading.add(
                metric, stat, value, "s", line, subject=subject, n=complete, resolution=resolution
            )


_NOTES = {
    ab.SOFTWARE: "server",
    ab.HOST: "host",
    ab.TLS: "tls",
    ab.LENGTH: "document_length",
    ab.KEPT: "keep_alive",
}
_COUNTS: dict[int, tuple[str, str, str, str | None]] = {
    ab.COMPLETE: ("requests", "count", "1", None),
    ab.FAILED: ("failures", "count", "1", None),
    ab.WRITE: ("failures", "count", "1", "write"),
    ab.NON2XX: ("failures", "count", "1", "non2xx"),
    ab.TRANSFERRED: ("bytes_in", "total", "B", None),
    ab.SENT: ("bytes_out", "total", "B", None),
}
_BANDWIDTH = {ab.RATE: "bandwidth_in", ab.RATE_SENT: "bandwidth_out"}
_TAKE: dict[int, Callable[[Report, int, tuple[str, ...], int], None]] = {
    **dict.fromkeys(_NOTES, Report._take_note),
    **dict.fromkeys(_COUNTS, Report._take_count),
    **dict.fromkeys(_BANDWIDTH, Report._take_rate),
    **dict.fromkeys(_ROWS, Report._take_row),
    ab.PORT: Report._take_port,
    ab.PATH: Report._take_path,
    ab.CONCURRENCY: Report._take_concurrency,
    ab.TAKEN: Report._take_taken,
    ab.WINDOW: Report._take_window,
    ab.REASONS: Report._take_reasons,
    ab.RPS: Report._take_rps,
    ab.PER_REQUEST: Report._take_per_request,
    ab.PERCENT: Report._take_percent,
}

"""One report of ab, assembled line by line.

How a line is read in the context of the others is separate from where a run ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from benchkit.errors import Diagnostic
from benchkit.parsers.ab import clock
from benchkit.parsers.ab.clock import (
    IDLE,
    INTERRUPTED,
    LENGTHS,
    REFUSED,
    SILENT,
    STRANGE,
    TORN,
    UNCLEAR,
    WINDOWED,
)
from benchkit.parsers.ab.invocation import Invocation
from benchkit.parsers.base import Record
from benchkit.reading import reports
from benchkit.reading.reports import Event, Fields, Line, Value, decimal
from benchkit.reading.urls import path_of, query_of
from benchkit.units import Quantity, scale, step

_COUNT = r"(\d{1,15})"
_DECIMAL = r"(\d{1,15}\.\d{2,3})"
_MS = r"(\d{1,12})"
_ROW = rf"{_MS}\s+{_MS}(?:\s+(\d{{1,12}}\.\d)\s+{_MS})?\s+{_MS}"
_NOTES = {
    "software": "server",
    "host": "host",
    "tls": "tls",
    "length": "document_length",
    "kept": "keep_alive",
}
_SUBJECTS = {"connect": "connect", "processing": "processing", "waiting": "wait", "total": None}
_BANDWIDTH = {"rate": "bandwidth_in", "rate sent": "bandwidth_out"}
_STATS = ("min", "mean", "stdev", "median", "max")
_OUTER = frozenset({"min", "max"})
_MILLISECONDS = "ms"
_LAST = 100
_PERCENTS = (50, 66, 75, 80, 90, 95, 98, 99, _LAST)
#: Width of a row's label and of its three columns with ``-S``, and where the last two begin.
_LABEL, _NARROW, _MEAN, _MAX = 12, 16, 6, 11


def _read_rate(text: str) -> Quantity:
    return Quantity(float(text), step(text))


def _read_millis(text: str) -> Quantity:
    return Quantity(scale(text, -3), step(text, -3))


def _count(metric: str, subject: str | None = None, unit: str = "1") -> Value:
    return Value(metric, "total" if unit == "B" else "count", unit, decimal(1.0), subject)


#: The beginning of a note that a user wrote after a text.
_NOTED = "#|//|--|<-|←"


class Report(reports.Report):
    """A report while its lines are read.

    Parameters
    ----------
    run : Invocation
        The run of the report.
    """

    TOOL = "ab"
    LINES = (
        Line("software", rf"((?:\S+(?: (?!{_NOTED})\S+)*+)?)", "Server Software", take="note"),
        Line("host", r"(\S+)", "Server Hostname", take="note"),
        Line("port", r"(\d{1,5})", "Server Port"),
        Line("tls", r"(\S.*)", "SSL/TLS Protocol", take="note"),
        Line("path", rf"(\S+(?: (?!\(|（|{_NOTED})\S+)*+)", "Document Path"),
        Line("length", r"(\d{1,15} bytes|Variable)", "Document Length", take="note"),
        Line("concurrency", r"(\d{1,9})", "Concurrency Level", is_proof=True,
             needed="Concurrency Level"),
        Line("taken", r"(\d{1,9})\.(\d{3,6}) seconds", "Time taken for tests", is_proof=True,
             needed="Time taken for tests"),
        Line("window", _COUNT + r"( \(window\))?", "Number of requests"),
        Line("complete", _COUNT, "Complete requests", (_count("requests"),), "count",
             is_proof=True, needed="Complete requests"),
        Line("failed", _COUNT, "Failed requests", (_count("failures"),), "count",
             needed="Failed requests"),
        Line("reasons", rf"\(Connect: {_COUNT}(?:, Receive: {_COUNT})?, Length: {_COUNT},"
             rf" Exceptions: {_COUNT}\)",
             values=tuple(_count("failures", reason)
                          for reason in ("connect", "receive", "length", "exceptions"))),
        Line("write", _COUNT, "Write errors", (_count("failures", "write"),)),
        Line("write", _COUNT, "Broken pipe errors", (_count("failures", "write"),)),
        Line("non2xx", _COUNT, "Non-2xx responses", (_count("failures", "non2xx"),), "count"),
        Line("kept", _COUNT, "Keep-Alive requests", take="note"),
        Line("transferred", _COUNT + " bytes", "Total transferred", (_count("bytes_in", unit="B"),),
             "count", is_proof=True, needed="Total transferred"),
        *(Line("sent", _COUNT, label, (_count("bytes_out", unit="B"),))
          for label in ("Total body sent", "Total POSTed", "Total PUT")),
        Line("html", _COUNT + " bytes", "HTML transferred",
             (Value("bytes_in", "total", "B", decimal(1.0), "body"),)),
        Line("rps", _DECIMAL + r"( \[#/sec\] \(mean\))?", "Requests per second",
             (Value("request_rate", "mean", "1/s", _read_rate),), needed="Requests per second"),
        Line("per request", _DECIMAL + r" \[ms\] \(mean\)", "Time per request",
             (Value("time_per_request", "mean", "s", _read_millis),), is_proof=True),
        Line("across", _DECIMAL + r" \[ms\] \(mean, across all concurrent requests\)",
             "Time per request"),
        Line("rate", _DECIMAL + r" (?:\[Kbytes/sec\]|kb/s) received", "Transfer rate",
             is_proof=True),
        Line("rate", _DECIMAL + r" \[Kbytes/sec\] received", is_proof=True),
        Line("rate sent", _DECIMAL + r" kb/s sent", take="rate"),
        Line("times", r"Connn?ection Times \((\w+)\)", take="unit", is_proof=True),
        Line("connect", _ROW, "Connect", take="row", under="times", is_proof=True),
        Line("processing", _ROW, "Processing", take="row", under="times"),
        Line("waiting", _ROW, "Waiting", take="row", under="times"),
        Line("total", _ROW, "Total", take="row", under="times", is_proof=True),
        Line("percentage", r"Percentage of the requests served within a certain time \((\w+)\)",
             take="unit", is_proof=True),
        Line("percent", rf"(\d{{1,3}})%\s+{_MS}(?: \((?:longest|last) request\))?",
             under="percentage", is_repeated=True, is_proof=True),
        # about the run around a report
        Line("banner", r"This is ApacheBench, Version (\d[\w.-]*)(?: .*)?"),
        Line("begun", r"Benchmarking (\S+)(?: \[through [^\]]+\])? \(be patient\)(.*)"),
        Line("progressed", r"Completed \d+ requests"),
        Line("done", r"Finished \d+ requests|\.{2,}+done"),
        Line("stopped", r"Finished \d+ requests \(interrupted\)|\.{2,}+interrupted"),
        Line("is_verbose", r"LOG: .*|INFO: .*|WARNING: Response code not 2xx \(.*"),
        Line("fatal", rf"Total of {_COUNT} requests completed"),
        Line("trouble", r"((?:apr_\w++(?:\(\))?+[^:]*+|socket): \S.* \(\d+\)|SSL \w+ failed.*"
             r"|Send request (?:failed|timed out)!|Test aborted after \d+ failures)"),
    )  # fmt: skip

    def __init__(self, run: Invocation) -> None:
        super().__init__(run.line, None)
        self.reading.load_model = "closed"
        self.run = run
        self.percent = 0
        self.is_html = False
        self.counts: dict[str, int] = {}
        self.lengths: int | None = None  # failures by length if there are no others
        self.has_window = False
        self.is_narrow = False
        self.taken: tuple[str, str, int] | None = None
        self.rates: list[tuple[str, str, int]] = []
        self.rate: str | None = None
        self.times: dict[tuple[str, str], tuple[float, float, int]] = {}
        self.torn: dict[str, float] = {}  # the longest requests in two tables of different runs
        self.strange_units: list[tuple[int, str]] = []

    @classmethod
    def read_line(cls, text: str) -> Event | None:
        """Return the event for a line of a report, or of the run around it.

        Examples
        --------
        >>> line, fields = Report.read_line("Complete requests:      3000")
        >>> line.name, fields
        ('complete', ('3000',))
        >>> Report.read_line("Complete requests:      many")[1] is None
        True
        """
        event = super().read_line(text)
        if event is None or event[1] is not None:
            return event
        line = event[0]
        if line.name == "rate" and text.endswith(":"):  # Markdown puts the rates below their label
            return None
        return (line, _split_narrow(text)) if line.name in _SUBJECTS else event

    @property
    def is_proven(self) -> bool:
        """Return whether lines that only ab prints were read; ``-v`` requires Server Software."""
        is_single = self.run.is_called and "rps" in self.seen
        return (is_single or super().is_proven) and (
            "software" in self.seen or not self.run.is_verbose
        )

    @property
    def is_headed(self) -> bool:
        """Return whether the first lines of a report were read."""
        return not self.seen.isdisjoint({"software", "host"})

    @property
    def is_ended(self) -> bool:
        """Return whether the last line that ab prints was read."""
        return self.percent >= _LAST

    def resumes(self, line: Line, fields: Fields) -> bool:
        """Return whether a line continues the report after other lines, with none missing."""
        following = next((percent for percent in _PERCENTS if percent > self.percent), _LAST)
        is_next = line.name != "percent" or int(fields[0]) == following
        return is_next and super().resumes(line, fields)

    def take(self, line: Line, fields: Fields, number: int) -> bool:
        """Add a line; return False if it cannot follow the lines so far."""
        is_earlier = line.name == "percent" and int(fields[0]) <= self.percent
        return not is_earlier and super().take(line, fields, number)

    def _take_note(self, line: Line, fields: Fields, _: int) -> None:
        if fields[0]:
            self.reading.env[_NOTES[line.name]] = fields[0]

    def _take_path(self, _line: Line, fields: Fields, _: int) -> None:
        self.reading.target = path_of(fields[0])
        if query := query_of(fields[0]):
            self.reading.env["query"] = query

    def _take_port(self, _line: Line, fields: Fields, _: int) -> None:
        host = self.reading.env.get("host")
        if host:
            name = f"[{host}]" if ":" in host else host
            self.reading.env["host"] = f"{name}:{fields[0]}"

    def _take_concurrency(self, _line: Line, fields: Fields, _: int) -> None:
        self.reading.params = {"connections": fields[0]}
        self.reading.connections = int(fields[0])

    def _take_taken(self, _: Line, fields: Fields, number: int) -> None:
        self.taken = (fields[0], fields[1], number)

    def _take_window(self, line: Line, fields: Fields, _: int) -> None:
        self.counts[line.name] = int(fields[0])
        self.has_window = bool(fields[1])

    def _take_count(self, line: Line, fields: Fields, _: int) -> None:
        self.counts[line.name] = int(fields[0])

    def _take_reasons(self, line: Line, fields: Fields, _: int) -> None:
        reasons = {value.subject for value, text in zip(line.values, fields, strict=True)
                   if int(text or 0)}  # fmt: skip
        if reasons == {"length"}:
            self.lengths = int(fields[2])

    def _take_rps(self, _line: Line, fields: Fields, _: int) -> None:
        self.rate = fields[0]

    def _take_rate(self, line: Line, fields: Fields, number: int) -> None:
        self.rates.append((_BANDWIDTH[line.name], fields[0], number))

    def _take_unit(self, _: Line, fields: Fields, number: int) -> None:
        if fields[0] != _MILLISECONDS:
            self.seen -= {"times", "percentage"}
            self.proofs -= {"times", "percentage"}
            self.strange_units.append((number, fields[0]))

    def _take_row(self, line: Line, fields: Fields, number: int) -> None:
        self.is_narrow = not fields[2]
        for stat, text in zip(_STATS, fields, strict=True):
            if text:
                self.times[line.name, stat] = (scale(text, -3), step(text, -3), number)

    def _take_percent(self, _: Line, fields: Fields, number: int) -> None:
        self.percent = int(fields[0])
        stat = "max" if self.percent == _LAST else f"p{fields[0]}"
        time = (scale(fields[1], -3), 1e-3, number)
        longest = self.times.setdefault(("total", stat), time)
        if longest[0] != time[0]:
            self.torn = {"percentile": time[0], "longest": longest[0]}
            for percent in _PERCENTS:
                self.times.pop(("total", f"p{percent}"), None)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        reading, complete = self.reading, self.counts.get("complete")
        reading.form = "html" if self.is_html else "text"
        reading.tool_version = self.run.version or None
        if self.run.command and self.run.agrees(reading.connections):
            reading.command = self.run.command
            self.run.describe_load(reading)
        self._add_duration()
        self._add_rates()
        is_averaged = self._add_times(complete)
        reading.rows.sort(key=itemgetter(9))
        missing = self.missing()
        is_stopped = self.run.is_stopped(reading.command, complete)
        if missing or is_stopped:
            reading.status = "partial"
        if complete == 0:
            reading.status = "failed"
        yield reading
        line = reading.last_line
        if missing:
            yield self.incomplete(label, missing)
        if is_stopped:
            requested = self.run.count_requested(reading.command)
            of = f" of {requested}" if requested else ""
            done = f"after {complete}{of} requests" if complete is not None else "before its end"
            yield INTERRUPTED.at(label, line, done=done)
        yield from self._doubts(label, complete)
        for number, unit in self.strange_units:
            yield STRANGE.at(label, number, unit=unit)
        if self.taken and reading.duration is None:
            whole, fraction, number = self.taken
            yield UNCLEAR.at(label, number, text=f"{whole}.{fraction}")
        if self.torn:
            yield TORN.at(label, line, **self.torn)
        if is_averaged:
            yield WINDOWED.at(label, line, window=self.counts["window"], complete=complete)

    def missing(self) -> list[str]:
        """Return the names of the lines that are missing from this report."""
        missing, complete = super().missing(), self.counts.get("complete")
        if "rps" not in self.seen and (complete == 0 or self.reading.duration == 0):
            missing.remove("Requests per second")
        if "percentage" in self.seen and not self.is_ended:
            missing.append("100%")
        elif "total" not in self.seen and not self.is_ended and complete != 0:
            missing.append("Total")
        return missing

    def _doubts(self, label: str, complete: int | None) -> Iterator[Diagnostic]:
        """Yield diagnostics for numbers that mean something else than they seem to."""
        line = self.reading.last_line
        if complete == 0:
            yield IDLE.at(label, line)
        elif complete and self.counts.get("transferred") == 0:
            yield SILENT.at(label, line, complete=complete)
        elif complete and self.counts.get("non2xx") == complete:
            yield REFUSED.at(label, line, complete=complete)
        if self.lengths:
            yield LENGTHS.at(label, line, count=self.lengths)

    def _add_duration(self) -> None:
        if self.taken is None:
            return
        whole, fraction, line = self.taken
        taken = clock.taken(
            whole,
            fraction,
            self.run.version,
            is_html=self.is_html,
            count=self.counts.get("complete"),
            rate=self.rate,
        )
        if taken is not None:
            self.reading.duration, resolution = taken
            self.reading.add("duration", "total", taken[0], "s", line, resolution=resolution)

    def _add_rates(self) -> None:
        amount, size = self.counts.get("transferred"), 1024
        for metric, text, line in self.rates:
            rate, rounding = float(text), step(text)
            if metric == "bandwidth_in":
                size = clock.kilobyte(rate, rounding, amount, self.reading.duration)
            value = scale(text, 3) if size == 1000 else rate * size
            self.reading.add(metric, "mean", value, "B/s", line, resolution=rounding * size)

    def _add_times(self, complete: int | None) -> bool:
        """Add the times; return True if they are averages, of which only the means are used."""
        window = self.counts.get("window", 0)
        is_averaged = self.has_window and complete is not None and complete > window
        for (name, stat), (value, resolution, line) in self.times.items():
            # Without a row for waiting, ab subtracts one minimum from another.
            is_made_up = self.is_narrow and name == "processing" and "waiting" not in self.seen
            if (is_averaged and stat != "mean") or (is_made_up and stat in _OUTER):
                continue
            subject = _SUBJECTS[name]
            metric = "phase_time" if subject else "latency"
            self.reading.add(
                metric, stat, value, "s", line, subject=subject, n=complete, resolution=resolution
            )
        return is_averaged


def _split_narrow(line: str) -> Fields | None:
    """Split a row of ``-S`` by column widths: ab prints no blank before a five-digit maximum."""
    row = line[_LABEL:]
    cells = (row[: _MEAN - 1], row[_MEAN:_MAX], row[_MAX:])
    if (
        len(row) != _NARROW
        or row[_MEAN - 1] != " "
        or not all(c.strip().isdecimal() for c in cells)
    ):
        return None
    least, mean, most = (cell.strip() for cell in cells)
    return least, mean, "", "", most

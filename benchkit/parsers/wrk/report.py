"""One report of wrk or wrk2, assembled line by line.

The order of lines is checked here, and the more precise of two lines with one statistic is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Record
from benchkit.parsers.wrk.command import agrees, find_correction, find_rate, holds_rate, list_sizes
from benchkit.parsers.wrk.remarks import CENSORED, FOREIGN, IDLE, NAMELESS, TORN, UNSAMPLED
from benchkit.parsers.wrk.shape import (
    describe_url,
    path_of,
    read_bytes,
    read_count,
    read_grouped,
    read_level,
    read_rate,
    read_share,
    read_time,
    read_whole,
    stat_of,
)
from benchkit.reading import reports
from benchkit.reading.reports import UNREADABLE, Event, Fields, Line, Value
from benchkit.regexes import regex
from benchkit.units import scale

_COUNT = r"(\d{1,15})"
_TIME = r"\d{1,12}(?:\.\d{1,3})?(?:us|ms|s|m|h)"
_RATE = r"\d{1,15}(?:\.\d{1,3})?[kMGTP]?"
#: A count in which a user may have grouped the thousands.
_GROUPED = r"(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5})"
_BYTES = r"(\d{1,15}(?:\.\d{1,3})?[KMGTP]?B)"
_MILLIS = r"\d{1,12}\.\d{3}"
_THREE = r" +({0}|-?nan\w*) +({0}|-?nan\w*) +({0}|-?nan\w*) +(\d{{1,3}}(?:\.\d\d)?|-?nan)%"
_NAN = "nan"
#: Rows that forks add to the statistics: phases of a request.
_PHASES = {"TTFB": "wait", "Connect": "connect", "TLS": "tls", "DNS": "dns"}
#: Names for the third column of the statistics; forks of wrk2 print 99%.
_THIRD = {"Max": "max", "99%": "p99"}
#: The lines of a histogram, which occur again in the block that ``wrk2 -U`` adds.
_HISTOGRAM = (
    Line("distribution", r"Latency Distribution()"),
    Line("distribution", r"Latency Distribution \(HdrHistogram - (\w+) Latency.*\)"),
    Line("quantile", rf"(\d{{1,3}}(?:\.\d{{1,9}})?)% +({_TIME})", is_repeated=True),
    Line("bucket", rf"({_MILLIS}) +([01]\.\d{{6}}) +\d+ +(\d+\.\d\d|inf)", is_repeated=True),
    Line("mean", rf"\[?Mean += +({_MILLIS}|-?nan), StdDeviation += +({_MILLIS}|-?nan)\]?"),
    Line("max", rf"\[?Max += +({_MILLIS}), Total count += +{_COUNT}\]?"),
)
_AGAIN = {
    line.name: replace(line, name=f"second {line.name}", take=line.name) for line in _HISTOGRAM
}
#: Maximum relative difference of two lines with the same statistic in one run.
_APART = 0.1
_URL = regex(r"\bhttps?://[^\s\"']+")


def _failures(reason: str) -> Value:
    return Value("failures", "count", "1", read_count, reason)


class Report(reports.Report):
    """A report while its lines are read."""

    TOOL = "wrk"
    NUMBERS = regex(
        r"\A(?:(?:Thread Stats|Latency|Req/Sec|Requests/sec:|Transfer/sec:|Socket|Non-2xx"
        r"|\d[^ ]*(?: requests| threads and)|[^ %]*%)(?: |\Z)|\[?(?:Mean|Max) +="
        r"|\S+ +[01]\.\d{6} +\S|\d+\.\d{3} +\S+ +\d+ +\S+\Z)"
    )
    LINES = (
        Line("head", r"Running (\d{1,9}[smh]) test @ (\S+)", needed="Running … test @"),
        Line("head", r"(Making) \d+ requests to (\S+)"),
        Line("size", rf"{_COUNT} threads and {_COUNT} connections",
             needed="threads and connections"),
        Line("size", rf"({_COUNT}) (goroutine)\(s\) running concurrently"),
        Line("calibration", r"Thread calibration: mean lat\.: [^,]+, rate sampling interval: .+",
             is_repeated=True),
        Line("title", r"Test Results @ (\S+)"),
        Line("title", r"-*(Overall) Statistics-*"),
        Line("stats", r"Thread Stats +Avg +Stdev +(Max|99%) +\+/- Stdev", needed="Thread Stats"),
        *(Line("phase", f"({name})" + _THREE.format(_TIME), is_repeated=True) for name in _PHASES),
        Line("latency", "Latency" + _THREE.format(_TIME), is_proof=True, needed="Latency"),
        Line("rate", "Req/Sec" + _THREE.format(_RATE), is_proof=True),
        *_HISTOGRAM,
        *_AGAIN.values(),
        Line("total", rf"(?:Overall )?({_GROUPED}) requests in ({_TIME}), {_BYTES} read",
             values=(Value("requests", "count", "1", read_whole),
                     Value("duration", "total", "s", read_time),
                     Value("bytes_in", "total", "B", read_bytes)),
             is_proof=True, needed="requests in"),
        Line("errors",
             rf"Socket errors: connect {_COUNT}, read {_COUNT}, write {_COUNT}, timeout {_COUNT}",
             values=tuple(map(_failures, ("connect", "read", "write", "timeout")))),
        Line("non2xx", rf"Non-2xx or 3xx responses: {_COUNT}", values=(_failures("non2xx"),)),
        Line("requests", rf"Requests/sec: +({_GROUPED}\.\d\d)", needed="Requests/sec",
             values=(Value("request_rate", "mean", "1/s", read_grouped),)),
        Line("transfer", rf"Transfer/sec: +{_BYTES}", is_proof=True, needed="Transfer/sec",
             values=(Value("bandwidth_in", "mean", "B/s", read_bytes),)),
        Line("failed", r"unable to (connect to|resolve) (\S+:[\w-]+) (.+)"),
    )  # fmt: skip

    def __init__(
        self, line: int, command: str | None, version: str | None = None, *, is_called: bool = False
    ) -> None:
        super().__init__(line, None)
        self.reading.tool_version = version
        self.command = command
        self.is_called = is_called  # directly above, so that a single line may be all of its output
        self.is_wrk2 = False
        self.spread: tuple[str, ...] = ()  # the columns of the statistics, named by a header
        self.block = ""  # metric of the current histogram; empty until a heading names it
        self.sampled = True
        self.is_go_wrk = False
        self.latencies: dict[tuple[str, str], tuple[float, float, int]] = {}
        self.torn: tuple[int, str] | None = None  # line and statistic that contradict others
        self.counts: dict[str, int] = {}
        self.timeouts = 0
        self.requests: int | None = None
        self.rate: float | None = None
        self.length: tuple[str, int] | None = None  # requested length, and its line

    @classmethod
    def read_line(cls, text: str) -> Event | None:
        """Return the event for a line."""
        if ":\t\t" not in text:  # from go-wrk; other tabs come from an editor or `unexpand`
            text = text.replace("\t", " ")
        return super().read_line(text)

    @property
    def is_proven(self) -> bool:
        """Return whether lines were read that only wrk or go-wrk prints."""
        is_headed = self.is_go_wrk or self.seen >= {"head", "size"}
        is_single = self.is_called and "requests" in self.seen
        return self.is_wrk2 or is_headed or bool(self.proofs) or is_single

    @property
    def is_idle(self) -> bool:
        """Return whether no request was completed; without a count, the rate shows it."""
        return self.requests == 0 or (self.requests is None and self.rate == 0)

    @property
    def is_ended(self) -> bool:
        """Return whether the last line that wrk prints was read."""
        return self.rank == self.ranks["transfer"]

    def expects(self, line: Line) -> bool:
        """Return whether a line may come next."""
        if line is UNREADABLE:
            return not self.is_go_wrk and super().expects(line)
        if line.name == "phase":
            return bool(self.spread) and self.rank < self.ranks["rate"]
        return super().expects(line)

    def take(self, line: Line, fields: Fields, number: int) -> bool:
        """Add a line; return False if it cannot follow and therefore begins another report."""
        stat = stat_of(fields[0]) if line.name == "quantile" else ""
        if stat not in self.spread and (self.block, stat) in self.latencies:
            return False
        if line.name in _AGAIN and self._is_second(line, fields):
            line = _AGAIN[line.name]
        return super().take(line, fields, number)

    def accept(self, line: Line, fields: Fields, number: int) -> None:
        """Add a line; a phase may appear above or below the latency."""
        rank = self.rank
        super().accept(line, fields, number)
        self.rank = max(rank, self.rank)

    def _is_second(self, line: Line, fields: Fields) -> bool:
        """Return whether a line of a histogram belongs to the second one."""
        if line.name == "distribution":
            return fields[0] == "Uncorrected"
        return self.ranks["second distribution"] <= self.rank <= self.ranks["second max"]

    def _take_head(self, _: Line, fields: Fields, number: int) -> None:
        length, url = fields
        self.reading.target = path_of(url)
        self.reading.env |= describe_url(url)
        if length == "Making":
            self.reading.corrected = "no"
        else:
            self.length = length, number

    def _take_size(self, _: Line, fields: Fields, _number: int) -> None:
        threads, connections, self.is_go_wrk = *fields[:2], len(fields) > 2
        self.reading.params = {"connections": connections, "threads": threads}
        self.reading.connections = int(connections)

    def _take_calibration(self, *_: object) -> None:
        self.is_wrk2 = True

    def _take_title(self, _: Line, fields: Fields, _number: int) -> None:
        is_overall = fields[0] == "Overall"
        self.reading.target = "" if is_overall else path_of(fields[0])
        self.reading.env = {} if is_overall else dict(describe_url(fields[0]))

    def _take_stats(self, _: Line, fields: Fields, _number: int) -> None:
        third = _THIRD[fields[0]]
        self.spread = ("mean", "stdev", third)
        self.is_wrk2 = self.is_wrk2 or third != "max"

    def _take_latency(self, _: Line, fields: Fields, number: int) -> None:
        self.sampled = _NAN not in "".join(fields) and read_time(fields[2]).value > 0
        if self.sampled and self.spread:
            for stat, text in zip(self.spread, fields, strict=False):
                self._keep_time("latency", stat, text, number)
            self.add(Value("latency_within_stdev", "mean", "1", read_share), fields[3], number)

    def _take_phase(self, _: Line, fields: Fields, number: int) -> None:
        for stat, text in zip(self.spread, fields[1:], strict=False):
            if _NAN not in text:
                self.add(
                    Value("phase_time", stat, "s", read_time, _PHASES[fields[0]]), text, number
                )

    def _take_rate(self, _: Line, fields: Fields, number: int) -> None:
        if _NAN in "".join(fields) or not self.spread:
            return
        for stat, text in zip(self.spread, fields, strict=False):
            self.add(Value("thread_request_rate", stat, "1/s", read_rate), text, number)
        share = Value("thread_request_rate_within_stdev", "mean", "1", read_share)
        self.add(share, fields[3], number)

    def _take_distribution(self, _: Line, fields: Fields, _number: int) -> None:
        self.is_wrk2 = self.is_wrk2 or bool(fields[0])
        if fields[0] == "Uncorrected":
            self._name_block("latency")
            self.block = "uncorrected_latency"
        else:
            self.block = "latency"

    def _take_quantile(self, _: Line, fields: Fields, number: int) -> None:
        percent, text = fields
        if "." in percent:
            self.reading.tool = "wrk2"
        elif not self.block:
            self.block = "latency"
        if self.sampled and read_time(text).value:
            self._keep_time(self.block, stat_of(percent), text, number)

    def _take_bucket(self, _: Line, fields: Fields, number: int) -> None:
        value, level, inverse = fields
        percent = read_level(level)
        if float(value) and (percent != "100" or inverse == "inf"):
            self._keep_millis(stat_of(percent), value, number)

    def _take_mean(self, _: Line, fields: Fields, number: int) -> None:
        for stat, text in zip(("mean", "stdev"), fields, strict=True):
            if _NAN not in text:
                self._keep_millis(stat, text, number)

    def _take_max(self, _: Line, fields: Fields, number: int) -> None:
        largest, count = fields
        self.counts[self.block] = int(count)
        if int(count):
            self._keep_millis("max", largest, number, at_par=True)
            return
        for stat in ("mean", "stdev", "min", "max"):
            self.latencies.pop((self.block, stat), None)

    def _take_total(self, _: Line, fields: Fields, _number: int) -> None:
        self.requests = int(read_whole(fields[0]).value)

    def _take_requests(self, _: Line, fields: Fields, _number: int) -> None:
        self.rate = read_grouped(fields[0]).value

    def _take_errors(self, _: Line, fields: Fields, _number: int) -> None:
        self.timeouts = int(fields[3])

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it, or nothing for an empty report."""
        reading = self.reading
        if self.is_go_wrk:
            yield FOREIGN.at(label, reading.line)
            return
        if not (self.latencies or reading.rows or "head" in self.seen):
            return
        self._settle_load()
        self._settle_length()
        is_nameless = self._add_latencies()
        reading.rows.sort(key=itemgetter(9))
        missing = self.missing()
        reading.status = "failed" if self.is_idle else "partial" if missing else "complete"
        yield reading
        if missing:
            yield self.incomplete(label, missing)
        if is_nameless:
            yield NAMELESS.at(label, reading.line)
        if self.torn:
            yield TORN.at(label, self.torn[0], stat=self.torn[1])
        if not self.sampled or self.is_idle:
            yield self._explain_unsampled(label)
        elif self.timeouts and reading.tool == "wrk":
            is_known = self.requests is not None and self.timeouts <= self.requests
            of = f" of {self.requests}" if is_known else ""
            yield CENSORED.at(label, reading.last_line, timeouts=self.timeouts, of=of)

    def _explain_unsampled(self, label: str) -> Diagnostic:
        """Return a diagnostic for a run without any latency."""
        tool, line = self.reading.tool, self.reading.last_line
        if self.is_idle:
            return IDLE.at(label, line)
        count = "" if self.requests is None else f"{self.requests} "
        late = f" ({self.timeouts} timed out)" if self.timeouts else ""
        hint = "run again with --timeout above the slowest response"
        if tool == "wrk2":
            hint = "run for much longer than the 10 s in which wrk2 calibrates"
        return UNSAMPLED.at(label, line, count=count, late=late, tool=tool, hint=hint)

    def _keep_time(self, metric: str, stat: str, text: str, line: int) -> None:
        time = read_time(text)
        self._keep(metric, stat, time.value, time.resolution, line)

    def _keep_millis(self, stat: str, text: str, line: int, *, at_par: bool = False) -> None:
        self.reading.tool = "wrk2"
        self._keep(self.block, stat, scale(text, -3), 1e-6, line, at_par=at_par)

    def _keep(
        self, metric: str, stat: str, value: float, resolution: float, line: int,
        *, at_par: bool = False,
    ) -> None:  # fmt: skip
        """Keep a statistic of latency unless a line above has it at least as precisely."""
        known = self.latencies.get((metric, stat))
        is_row = known is not None and resolution == known[1] and not at_par  # at a rounded level
        if known and not is_row and abs(value - known[0]) > known[1] + _APART * known[0]:
            self.torn = self.torn or (line, stat)
        if known is None or resolution < known[1] or (at_par and resolution == known[1]):
            self.latencies[metric, stat] = (value, resolution, line)

    def _name_block(self, metric: str) -> None:
        """Assign a histogram without a heading to its metric, now known from the next one."""
        for (block, stat), kept in list(self.latencies.items()):
            if not block:
                del self.latencies[block, stat]
                self._keep(metric, stat, *kept)
        if "" in self.counts:
            self.counts[metric] = self.counts.pop("")

    def _add_latencies(self) -> bool:
        """Add the kept latencies; return True if some belong to an unknown histogram."""
        for (metric, stat), (value, resolution, line) in self.latencies.items():
            if metric:
                n = self.counts.get(metric)
                self.reading.add(metric, stat, value, "s", line, n=n, resolution=resolution)
        return any(not metric for metric, _ in self.latencies)

    def _settle_load(self) -> None:
        """Set the tool (wrk or wrk2), its load model and its correction of latencies."""
        reading = self.reading
        if self.command and agrees(self.command, reading.params):
            reading.command = self.command
            self._take_options(self.command)
        command = reading.command or ""
        reading.target_rate = find_rate(command)
        if self.is_wrk2 or holds_rate(command) or command.startswith("wrk2"):
            reading.tool = "wrk2"
        if reading.tool == "wrk2":
            reading.load_model, reading.corrected = "open", "yes"
        elif command or not self.seen.isdisjoint({"head", "quantile"}):
            reading.load_model = "closed"
            reading.corrected = reading.corrected or find_correction(reading.tool_version)

    def _settle_length(self) -> None:
        """Set the length from the head if the line with the measured one is missing."""
        if self.length and "total" not in self.seen and "requests" in self.seen:
            text, line = self.length
            self.reading.duration = read_time(text).value
            self.reading.add(
                "duration", "total", self.reading.duration, "s", line, origin="computed"
            )

    def missing(self) -> list[str]:
        """Return the names of the missing lines; the command makes up for the first two."""
        sizes, target = self.reading.params.keys(), self.reading.target
        is_whole = bool(self.reading.command and sizes >= {"threads", "connections"} and target)
        lines = (line for line in self.LINES if line.needed and line.name not in self.seen)
        return [each.needed for each in lines if not (is_whole and each.name in {"head", "size"})]

    def _take_options(self, command: str) -> None:
        """Fill in the threads and connections of a report without its head."""
        for name, match in list_sizes(command).items():
            self.reading.params.setdefault(name, match)
        connections = self.reading.params.get("connections")
        self.reading.connections = int(connections) if connections else None
        urls = _URL.findall(command)
        if len(urls) == 1 and not self.reading.target:
            self.reading.target = path_of(urls[0])
            self.reading.env |= describe_url(urls[0])

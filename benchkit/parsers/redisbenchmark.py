r"""Output of redis-benchmark and valkey-benchmark: reports, lines of ``-q``, and CSV.

A report, verbatim (redis-benchmark 7.0, ``-n 20000 -c 20 -P 4 -t set``; most of its distributions
omitted)::

    ====== SET ======
      20000 requests completed in 0.25 seconds
      20 parallel clients
      3 bytes payload
      keep alive: 1
      host configuration "save":
      host configuration "appendonly": no
      multi-thread: no

    Latency by percentile distribution:
    50.000% <= 0.311 milliseconds (cumulative count 10284)

    Cumulative distribution of latencies:
    49.920% <= 0.303 milliseconds (cumulative count 9984)

    Summary:
      throughput summary: 79365.08 requests per second
      latency summary (msec):
              avg       min       p50       p95       p99       max
            0.766     0.048     0.311     3.783     6.455    12.223

Before 6.2 it ends with ``94339.62 requests per second`` and has no latencies except shares of them
below whole milliseconds. ``-q`` and CSV have one line per test::

    SET: 79365.08 requests per second, p50=0.311 msec
    "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms",…
    "SET","79365.08","0.766","0.048","0.311","3.783","6.455","12.223"
    "SET","94339.62"

Each test is a separate benchmark, and a closed loop of its clients.

Meaning of the numbers: the rate is the count divided by the time in whole milliseconds. Latencies
come from a histogram with steps of 8 µs, and of one part in 1,024 from 16 ms on; with ``-P`` each
is that of a whole pipeline. The distributions are not kept.

Not recorded: the start of the run, the version, the pipeline; except in reports, also clients,
counts and times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchkit.parsers.base import FirstPlan, Form, Format, Record, Tool
from benchkit.reading import reports
from benchkit.reading.remarks import Remark, list_lines, report_incomplete
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.signs import holds
from benchkit.redaction import show_part
from benchkit.regexes import regex

_RATE = r"(\d{1,12}\.\d{1,9}) requests per second"
_COUNT = r"(\d{1,15}) requests completed in (\d{1,9}\.\d{1,9}) seconds"
_HEADER = r'"test","rps"((?:,"[a-z][a-z0-9.]{1,9}_latency_ms"){1,12})'
_TROUBLE = (
    r"Could not connect to (?:Redis|Valkey) at .{1,300}|Error from server: .{1,300}"
    r"|WARNING: Could not fetch server CONFIG"
)
_REPLY = "Error from server: "
_TABLE = regex(_HEADER, re.ASCII)
_QUIET_TIME = regex(r"(p[\d.]+)=([\d.]+) msec", re.ASCII)
_FAILED = regex(rf"({_TROUBLE})")
_PROGRESS = "(overall: "
#: Names of tests that identify a table without a header.
_TESTS = ("PING_INLINE", "PING_BULK", "PING_MBULK", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP",
          "RPOP", "SADD", "HSET", "SPOP", "ZADD", "LPUSH (needed to benchmark LRANGE)",
          "LRANGE_100 (first 100 elements)", "MSET (10 keys)")  # fmt: skip
_SIGN = regex(
    rf"^[ \t#>|*/`-]*+(?:{_COUNT}|(?:.*?: )?{_RATE}(?:, p50=.*)?|{_HEADER}|{_TROUBLE}"
    rf'|"(?:{"|".join(map(re.escape, _TESTS))})","\d{{1,12}}\.\d\d")[ \t\r`]*$',
    re.MULTILINE | re.ASCII,
)
#: A row of a table with cells that the tool does not write.
_MISFIT = regex(r'"([^"]{1,500})","[\w.+-]{1,40}"(?:,"[^"]{0,40}"){0,20}')
_STATS = {"avg": "mean"}
#: The steps of its histogram: in seconds, and for larger values as a share of the value.
_STEP, _SHARE = 8e-6, 1 / 1024
_NOTHING = Remark(
    "redis-benchmark stopped without a result ({why}), so this run measured nothing",
    "check that the server answers and knows the command, and run again",
)
_ERRORS = Remark(
    "the server replied with errors ({why}), so this run failed",
    "check the command and the settings of the server, and run again",
)
_NO_ROW = "its table has no row"
_BAD_ROW = Remark(
    "this row (1 of {count}) does not belong to the table and is left out",
    "use the table as redis-benchmark wrote it",
    is_remark=False,
)
_UNTITLED = Remark(
    "this result has no title of its test above it and was left out",
    "keep the line `====== SET ======` above the summary",
    is_remark=False,
)


class Report(reports.Report):
    """A test while its lines are read; in most forms it has only one."""

    TOOL = "redis_benchmark"
    LINES = (
        Line("title", r"====== (.{1,500}) ======", is_opening=True),
        Line("quiet", rf"(.{{1,500}}): {_RATE}((?:, p\d\S{{0,9}}=\d{{1,9}}\.\d{{1,9}} msec)"
             r"{0,9})", is_opening=True),
        Line("row", r'"(.{1,500}?)","(\d{1,12}\.\d{1,9})"((?:,"\d{1,9}\.\d{1,9}"){0,12})',
             is_opening=True),
        Line("completed", _COUNT, under="title", values=(
            Value("requests", "count", "1", decimal(1.0)),
            Value("duration", "total", "s", decimal(0.01)))),
        Line("clients", r"(\d{1,9}) parallel clients", under="completed"),
        Line("rate", _RATE, "throughput summary", under="completed", needed="throughput summary"),
        Line("rate", _RATE, under="completed"),  # before 6.2
        Line("names", r"(avg\s+min(?:\s+p\d{1,2}(?:\.\d{1,3})?){1,9}\s+max)", under="rate"),
        Line("times", r"(\d{1,9}\.\d{1,9}(?:\s+\d{1,9}\.\d{1,9}){3,11})", under="names"),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        self.reading.load_model = "closed"
        self.names: list[str] = []
        self.replied: tuple[int, str] | None = None  # an error from the server, and its line

    @property
    def is_proven(self) -> bool:
        """Return whether it is a test, because a value of it was read."""
        return bool(self.reading.rows)

    def _take_title(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.benchmark = fields[0]

    def _take_clients(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.connect(int(fields[0]))

    def _take_rate(self, _: Line, fields: Fields, number: int) -> None:
        """Add a rate, which is based on a time in whole milliseconds."""
        rate, duration = float(fields[0]), self.reading.duration
        step = max(0.01, 0.001 * rate / duration) if duration else 0.01
        self.reading.add("request_rate", "mean", rate, "1/s", number, resolution=step)

    def _take_names(self, _: Line, fields: Fields, _number: int) -> None:
        self.names = fields[0].split()

    def _take_times(self, _: Line, fields: Fields, number: int) -> None:
        times = fields[0].split()
        if len(times) == len(self.names):
            self._add_times(zip(self.names, times, strict=True), number)
        else:  # it is unknown which one is missing
            self.damaged.append((number, fields[0]))

    def _take_quiet(self, _: Line, fields: Fields, number: int) -> None:
        name, rate, times, _header = fields
        self._take_test("quiet", name, rate, _QUIET_TIME.findall(times), number)

    def _take_row(self, _: Line, fields: Fields, number: int) -> None:
        name, rate, *cells = fields
        times, columns = (each.replace('"', "").split(",")[1:] for each in cells)
        if len(times) == len(columns) and (columns or name in _TESTS):
            stats = (column.removesuffix("_latency_ms") for column in columns)
            self._take_test("csv", name, rate, zip(stats, times, strict=True), number)

    def _take_test(
        self, form: str, name: str, rate: str, times: Iterable[tuple[str, str]], number: int
    ) -> None:
        """Add a test whose values are all on one line."""
        self.reading.form, self.reading.benchmark = form, name
        self.reading.add("request_rate", "mean", float(rate), "1/s", number, resolution=0.01)
        self._add_times(times, number)

    def _add_times(self, times: Iterable[tuple[str, str]], number: int) -> None:
        for name, text in times:
            time = float(f"{text}e-3")
            step = 1e-6 if name == "avg" else max(_STEP, time * _SHARE)
            self.reading.add("latency", _STATS.get(name, name), time, "s", number, resolution=step)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading, which may be partial."""
        missing = self.missing() if "completed" in self.seen else []
        self.reading.status = "partial" if missing else "complete"
        if self.replied is not None:
            self.reading.status = "failed"
            yield _ERRORS.at(label, self.replied[0], why=self.replied[1])
        yield self.reading
        if missing:
            yield report_incomplete(self.reading, label, list_lines(missing), Reader.NAMES)


class Reader(reports.Reader):
    """The open test, the header of a table, and the reason for a missing result."""

    NAMES, EXECUTABLES = "redis-benchmark", "(?:redis|valkey)-benchmark"
    KIND = Report
    IS_LIST = True
    FURNITURE = regex("")

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.header = ""
        self.trouble: tuple[int, str] | None = None
        self.replied: tuple[int, str] | None = None
        self.misfits: list[int] = []

    def read(self, number: int, line: str) -> None:
        """Read a line of a test, the header of a table, or a reason for a missing result.

        Progress precedes it if a copy has blanks instead of the overwritten text.
        """
        if _PROGRESS in line:
            line = line.rpartition(_PROGRESS)[2].partition(")")[2].strip() or line
        if header := _TABLE.fullmatch(line):
            self.header = header[1]
            self.trouble = self.trouble or (number, _NO_ROW)
        elif failed := _FAILED.fullmatch(line):
            self.trouble = self.trouble or (number, failed[1].removeprefix("WARNING: "))
            if failed[1].startswith(_REPLY):  # printed during a test, above its result
                self.close()
                self.replied = number, show_part(failed[1].removeprefix(_REPLY))
        else:
            row = _MISFIT.fullmatch(line)
            is_row = row is not None and (bool(self.header) or row[1] in _TESTS)
            if is_row and Report.read_line(line) is None:
                self.misfits.append(number)
            super().read(number, line)

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a test, and record a row that does not match its header."""
        is_taken = super().take(number, text, line, fields)
        if is_taken and line.name == "row" and self.header and not self.report.is_proven:
            self.misfits.append(number)
        return is_taken

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a test, to which the header of the table above it may apply."""
        is_begun = super().begin(number, line, (*fields, self.header))
        if is_begun:
            self.report.replied, self.replied = self.replied, None
        return is_begun

    def pass_over(self, number: int, line: Line | None) -> None:
        """Report that an untitled result is not read; it ends the test above."""
        del line
        self.close()
        self.records.append(_UNTITLED.at(self.label, number))

    def end(self) -> None:
        """End the last test, or report why there is none."""
        super().end()
        if self.misfits:
            count = len(self.misfits)
            self.records.append(_BAD_ROW.at(self.label, self.misfits[0], count=count))
        number, why = self.trouble or (0, "")
        is_damaged = bool(self.misfits) and why == _NO_ROW
        if why and not (self.has_reports or is_damaged):
            run = Report(number, None).reading
            run.status, run.last_line = "failed", number
            self.records += run, _NOTHING.at(self.label, number, why=why)


TEXT = Format(
    name="redis_benchmark",
    tools=("redis_benchmark",),
    summary="what redis-benchmark and valkey-benchmark print: a rate and latencies per test",
    forms=(
        Form(
            name="text",
            signature="… requests completed in … seconds, throughput summary: …",
            versions="1.0 on",
            not_recorded="when it ran, the version, the pipeline; latencies before 6.2",
        ),
        Form(
            name="quiet",
            signature="SET: … requests per second, p50=… msec",
            versions="1.0 on, -q",
            not_recorded="when it ran, clients, counts, all latencies except the median",
        ),
        Form(
            name="csv",
            signature='"test","rps","avg_latency_ms",… or "SET","94339.62"',
            versions="2.6 on, --csv",
            not_recorded="when it ran, clients, counts; latencies before 6.2",
        ),
    ),
    recognises=holds(_SIGN),
    parse=Reader.parse,
    words=(
        " requests completed in ",
        " requests per second",
        '"test","rps"',
        "Could not connect to Redis at ",
        "Could not connect to Valkey at ",
        "Could not fetch server CONFIG",
        "Error from server: ",
        *(f'"{name}","' for name in _TESTS),
    ),
    anchors=(
        (" requests completed in ", r"\d"),
        ("throughput summary: ", r"\d"),
        (" requests per second", r"(?:, p50=.*+|[ \t]*+$)"),
        ('"test","rps"', ""),
    ),
    embeds=True,
)

TOOLS = (
    Tool(
        name="redis_benchmark",
        formats=(TEXT,),
        command="redis-benchmark -t set,get -c 50 -n 1000000",
        role="load",
        load_model="closed",
        executables=("redis-benchmark", "valkey-benchmark"),
        plan=FirstPlan(
            "redis-benchmark -h {host} -p {port} --csv -t set -c 20 -n 100000",
            # A server that is loading its data listens but rejects commands.
            "until redis-cli -h {host} -p {port} ping | grep -q PONG; do sleep 0.1; done; "
            "redis-benchmark -h {host} -p {port} --csv -t set -c 20 -n 50000",
            serve="redis-server --port {port} --save ''",
            ready="redis://127.0.0.1:6399",
        ),
    ),
)

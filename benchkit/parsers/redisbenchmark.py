r"""What redis-benchmark and valkey-benchmark print: reports, lines of ``-q``, and CSV.

A report, verbatim (redis-benchmark 7.0, ``-n 20000 -c 20 -P 4 -t set``; most of its distributions
left out)::

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

Before 6.2 it ends with ``94339.62 requests per second`` and has no latencies but shares of them
below whole milliseconds. ``-q`` and CSV have one line per test::

    SET: 79365.08 requests per second, p50=0.311 msec
    "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms",…
    "SET","79365.08","0.766","0.048","0.311","3.783","6.455","12.223"
    "SET","94339.62"

Each test is a benchmark of its own, and a closed loop of its clients.

What the numbers are: the rate is the count by the time in whole milliseconds. Latencies are those
of a histogram with steps of 8 µs, from 16 ms on of one in 1,024; with ``-P`` each is that of a
whole pipeline. The distributions are not kept.

Not recorded: when it ran, the version, the pipeline; but for reports clients, counts and times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import (
    Diagnostic,
    FirstPlan,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    bare,
)
from benchkit.reading.reports import INCOMPLETE, Remark
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

_RATE = r"(\d{1,12}\.\d{1,9}) requests per second"
_COUNT = r"(\d{1,15}) requests completed in (\d{1,9}\.\d{1,9}) seconds"
_TROUBLE = (
    r"Could not connect to (?:Redis|Valkey) at .{1,300}|Error from server: .{1,300}"
    r"|WARNING: Could not fetch server CONFIG"
)
_TITLE = regex(r"====== (.{1,500}) ======")
_COMPLETED = regex(_COUNT, re.ASCII)
_CLIENTS = regex(r"(\d{1,9}) parallel clients", re.ASCII)
_THROUGHPUT = regex(rf"(?:throughput summary: )?{_RATE}", re.ASCII)
_NAMES = regex(r"avg\s+min(?:\s+p\d{1,2}(?:\.\d{1,3})?){1,9}\s+max", re.ASCII)
_TIMES = regex(r"\d{1,9}\.\d{1,9}(?:\s+\d{1,9}\.\d{1,9}){3,11}", re.ASCII)
_QUIET = regex(rf"(.{{1,500}}): {_RATE}((?:, p\d\S{{0,9}}=\d{{1,9}}\.\d{{1,9}} msec){{0,9}})")
_QUIET_TIME = regex(r"(p[\d.]+)=([\d.]+) msec", re.ASCII)
_HEADER = regex(r'"test","rps"((?:,"[a-z][a-z0-9.]{1,9}_latency_ms"){1,12})', re.ASCII)
_ROW = regex(r'"(.{1,500}?)","(\d{1,12}\.\d{1,9})"((?:,"\d{1,9}\.\d{1,9}"){0,12})', re.ASCII)
_FAILED = regex(rf"(?:[^()]*\(.*?\(overall: [^()]{{1,20}}\))?({_TROUBLE})")
#: Tests by whose names a table without a header is known.
_TESTS = ("PING_INLINE", "PING_BULK", "PING_MBULK", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP",
          "RPOP", "SADD", "HSET", "SPOP", "ZADD", "LPUSH (needed to benchmark LRANGE)",
          "LRANGE_100 (first 100 elements)", "MSET (10 keys)")  # fmt: skip
_SIGN = regex(
    rf"^[\s#>|*/`-]*(?:{_COUNT}|(?:.*?: )?{_RATE}(?:, p50=.*)?|{_HEADER.pattern}|{_TROUBLE}"
    rf'|"(?:{"|".join(map(re.escape, _TESTS))})","\d{{1,12}}\.\d\d")[\s`]*$',
    re.MULTILINE | re.ASCII,
)
_STATS = {"avg": "mean"}
#: The steps of its histogram: in seconds, and beyond that by the value.
_STEP, _SHARE = 8e-6, 1 / 1024
_NOTHING = Remark(
    "redis-benchmark stopped without a result ({why}), so this run measured nothing",
    "check that the server answers and knows the command, and run again",
)


class _Tests:
    """The tests of a text, whose lines are still coming in."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.records: list[Record] = []
        self.title, self.names = "", list[str]()
        self.report: Reading | None = None  # whose rate is still to come
        self.timed: Reading | None = None  # whose latencies are still to come
        self.columns: list[str] | None = None
        self.trouble: tuple[int, str] | None = None

    def take(self, number: int, line: str, *, is_ended: bool) -> None:
        """Take a line."""
        if heading := _TITLE.fullmatch(line):
            self.close()
            self.title = heading[1]
        elif self.title and (count := _COMPLETED.fullmatch(line)):
            title = self.title
            self.close()
            self.report = self._begin("text", title, number)
            self.report.add("requests", "count", float(count[1]), "1", number)
            self.report.duration = float(count[2])
            self.report.add("duration", "total", float(count[2]), "s", number, resolution=0.01)
        elif self.report is not None and (clients := _CLIENTS.fullmatch(line)):
            self.report.connections = int(clients[1])
            self.report.params = {"connections": clients[1]}
        elif self.report is not None and (rate := _THROUGHPUT.fullmatch(line)):
            self._add_rate(self.report, rate[1], number)
            self.records.append(self.report)
            self.report, self.timed, self.title = None, self.report, ""
        elif self.timed is not None and _NAMES.fullmatch(line):
            self.names = line.split()
        elif self.timed is not None and self.names and is_ended and _TIMES.fullmatch(line):
            self._add_latencies(self.timed, self.names, line.split(), number)
            self.timed, self.names = None, []
        elif quiet := _QUIET.fullmatch(line):
            run = self._add("quiet", quiet[1], quiet[2], number)
            for name, time in _QUIET_TIME.findall(quiet[3]):
                self._add_latencies(run, [name], [time], number)
        else:
            self._take_table(number, line)

    def _take_table(self, number: int, line: str) -> None:
        """Take a line of CSV, or one that says why there is no result."""
        if header := _HEADER.fullmatch(line):
            names = header[1].replace('"', "").split(",")[1:]
            self.columns = [name.removesuffix("_latency_ms") for name in names]
            self.trouble = self.trouble or (number, "its table has no row")
        elif row := _ROW.fullmatch(line):
            times = row[3].replace('"', "").split(",")[1:]
            if len(times) == len(self.columns or ()) and (self.columns or row[1] in _TESTS):
                run = self._add("csv", row[1], row[2], number)
                self._add_latencies(run, self.columns or [], times, number)
        elif failed := _FAILED.fullmatch(line):
            self.trouble = self.trouble or (number, failed[1])

    def _begin(self, form: str, name: str, number: int) -> Reading:
        return Reading(
            tool="redis_benchmark", form=form, line=number, last_line=number,
            benchmark=name, load_model="closed",
        )  # fmt: skip

    def _add(self, form: str, name: str, rate: str, number: int) -> Reading:
        """Add a test of which one line tells everything."""
        self.close()
        run = self._begin(form, name, number)
        self._add_rate(run, rate, number)
        self.records.append(run)
        return run

    @staticmethod
    def _add_rate(run: Reading, text: str, number: int) -> None:
        """Add a rate, which stands on a time in whole milliseconds."""
        rate = float(text)
        step = max(0.01, 0.001 * rate / run.duration) if run.duration else 0.01
        run.add("request_rate", "mean", rate, "1/s", number, resolution=step)
        run.last_line = number

    @staticmethod
    def _add_latencies(run: Reading, names: list[str], times: list[str], number: int) -> None:
        for name, text in zip(names, times, strict=False):
            time = float(f"{text}e-3")
            step = 1e-6 if name == "avg" else max(_STEP, time * _SHARE)
            run.add("latency", _STATS.get(name, name), time, "s", number, resolution=step)
        run.last_line = number

    def close(self) -> None:
        """End a report, of which only a part may have come."""
        if (report := self.report) is not None:
            report.status = "partial"
            self.records.append(report)
            lines, at = "`throughput summary` line", report.last_line
            self.records.append(INCOMPLETE.at(self.label, at, tool="redis-benchmark", lines=lines))
        self.report = self.timed = None
        self.title, self.names = "", []

    def end(self) -> list[Record]:
        """Return what was read, or why nothing was."""
        self.close()
        if self.records:
            return self.records
        if self.trouble is None:
            what = "no complete test of redis-benchmark here"
            return [Diagnostic(self.label, 0, what, "give the whole output of the run")]
        number, why = self.trouble
        run = self._begin("text", "", number)
        run.status = "failed"
        return [run, _NOTHING.at(self.label, number, why=why.removeprefix("WARNING: "))]


def _recognises(head: Head) -> bool:
    return _SIGN.search(head.text) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a run per test.

    Examples
    --------
    >>> text = b"SET: 94339.62 requests per second, p50=0.311 msec\n"
    >>> (run,) = _parse(Source(None, "x", text))
    >>> run.benchmark, [row[1:4] for row in run.rows]
    ('SET', [('request_rate', 'mean', 94339.62), ('latency', 'p50', 0.000311)])
    """
    tests, lines = _Tests(source.label), UntilDamage(source.ended_lines())
    for number, text, is_ended in lines:
        if line := bare(text):
            tests.take(number, line, is_ended=is_ended)
    yield from tests.end()
    lines.raise_damage()


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
    recognises=_recognises,
    parse=_parse,
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
    embeds=True,
)

TOOLS = (
    Tool(
        name="redis_benchmark",
        formats=(TEXT,),
        role="load",
        load_model="closed",
        executables=("redis-benchmark", "valkey-benchmark"),
        plan=FirstPlan(
            "redis-benchmark -p 6399 --csv -t set -c 20 -n 100000",
            "redis-benchmark -p 6399 --csv -t set -c 20 -n 50000",
            serve="redis-server --port 6399 --save ''",
            ready="127.0.0.1:6399",
        ),
    ),
)

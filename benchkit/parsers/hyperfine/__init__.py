r"""hyperfine's JSON, with the wall time of each execution as a run, and its printed output.

A file, verbatim (hyperfine 1.15, ``--export-json``; lists shortened)::

    {"results": [{"command": "count", "mean": 0.0143, "stddev": 0.0098, "median": 0.0113,
      "user": 0.0023, "system": 0.0009, "min": 0.0038, "max": 0.0367,
      "times": [0.003872519, 0.036750331], "exit_codes": [0, 0], "parameters": {"n": "1000"}}]}

Meaning of the numbers: ``times`` are seconds of one execution each, minus the shell's startup time
unless ``-N`` is used; mean, spread and extremes summarise the same times and are not kept. ``user``
and ``system`` are means over executions, which no run has; they are kept for texts only.

The terminal shows only the mean, spread and extremes of a command's runs::

    Benchmark 1: count
      Time (mean ± σ):      20.9 ms ±   1.9 ms    [User: 10.1 ms, System: 0.4 ms]
      Range (min … max):    18.3 ms …  25.4 ms    12 runs

These are one result of `n` runs that cannot be separated; a command that ran once has ``abs ≡``. So
are the rows of its CSV and of its Markdown and Org tables, which have no number of runs::

    command,mean,stddev,median,user,system,min,max,parameter_n
    ./count.sh 1000,0.0035,0.0024,0.0021,0.0012,0.0003,0.0015,0.0066,1000

    | Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
    |:---|---:|---:|---:|---:|
    | `./count.sh 1000` | 3.5 ± 2.4 | 1.5 | 6.6 | 1.00 |

A script may combine several files of this kind under keys, whose path is the group.

Not recorded: the start, the version, the commands of ``--prepare``, the number of warm-ups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
    late,
)
from benchkit.parsers.documents import as_object, line_of, read_documents
from benchkit.reading import reports
from benchkit.reading.reports import Fields, Line
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import parse_time

#: Maximum number of executions of a command that are read as separate runs.
_MOST = 100_000
_SIGNS = (
    regex(r'"results"\s*:\s*\['),
    regex(r'"command"\s*:\s*"'),
    regex(r'"(?:mean|times)"\s*:'),
)


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign.search(head.text) for sign in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per execution.

    Examples
    --------
    >>> text = b'{"results": [{"command": "ls", "times": [0.25, 0.5], "exit_codes": [0, 2]}]}'
    >>> [(each.benchmark, each.status) for each in _parse(Source(None, "ls.json", text))]
    [('ls', 'complete'), ('ls', 'failed')]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        groups = [
            (group, results)
            for group, results in _find_lists(document)
            if results and (not group or "command" in as_object(results[0]))
        ]
        if not groups:
            yield Diagnostic(
                source.label, line, "the file has no results", "run the benchmark again"
            )
        for group, results in groups:
            for record in (each for one in results for each in _read(source.label, one, line)):
                if isinstance(record, Reading):
                    record.group = group
                yield record


def _find_lists(document: object) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of results in objects, each with its path of keys.

    Examples
    --------
    >>> list(_find_lists({"old": {"build": {"results": [1]}}, "results": [2]}))
    [('old/build', [1]), ('', [2])]
    """
    waiting = [("", "", document)]
    while waiting:
        path, name, value = waiting.pop()
        if name == "results" and isinstance(value, list):
            yield path, value
        within = f"{path}/{name}".lstrip("/")
        waiting += [(within, *each) for each in reversed(as_object(value).items())]


def _read(label: str, result: object, line: int) -> Iterator[Record]:
    """Yield the executions of one command."""
    fields = result if isinstance(result, dict) else {}
    command, times = fields.get("command"), fields.get("times")
    if not isinstance(command, str) or not isinstance(times, list) or not times:
        shown = show_part(str(command))
        what = f"the result of {shown} has no `times`" if command else "a result has no command"
        hint = "use the file that --export-json wrote"
        yield Diagnostic(label, line_of(result, line), what, hint)
        return
    if len(times) > _MOST:
        what = f"one command has {len(times):,} `times`, but at most {_MOST:,} are read"
        yield Diagnostic(label, line_of(result, line), what, "run it with --max-runs")
        return
    exits = fields.get("exit_codes")
    scanned = fields.get("parameters")
    params = {k: str(v) for k, v in scanned.items()} if isinstance(scanned, dict) else {}
    name = name_command(command, params)
    for turn, time in enumerate(times):
        here = line_of(time, line)
        if not isinstance(time, int | float) or isinstance(time, bool) or not 0 <= time < 1e9:
            printed = str(time) if isinstance(time, int | float) else show_part(str(time))
            what = f"{printed} is not a valid time and was left out"
            yield Diagnostic(label, here, what, "run the benchmark again")
            continue
        code = exits[turn] if isinstance(exits, list) and turn < len(exits) else 0
        end = "was killed by a signal" if code is None else f"exited with code {code}"
        reading = Reading(
            tool="hyperfine",
            form="json",
            line=here,
            last_line=here,
            benchmark=name,
            params=params,
            status="complete" if code == 0 else "failed",
            remark="" if code == 0 else f"{here}: the command {end}",
        )
        reading.add("time_per_op", "sample", float(time), "s", here, n=1)
        yield reading


def name_command(command: str, params: Mapping[str, str]) -> str:
    r"""Replace a command's values by parameter names, so that a scan is one benchmark.

    Examples
    --------
    >>> name_command("make -j 8 all8", {"jobs": "8"})
    'make -j {jobs} all8'
    >>> print(name_command("make 8", {r"\d": "8"}))
    make {\d}
    """
    for name, value in params.items():
        place = f"{{{name}}}".replace("\\", r"\\")  # escape for a template of `re`
        command = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", place, command)
    return command


_TIME = r"(\d{1,9}\.\d{1,4}) (ns|µs|us|ms|s)"
_MEAN = regex(rf"Time \((?:mean ± σ|abs ≡)\):[ \t]++{_TIME}")
_ONCE = "Time (abs ≡)"
_NAMED = r"(\S.{0,99}?): ++Time \(mean ± σ\):\s+"  # in place of the line above it
_UNREAD = "use the output as hyperfine printed it"
_IGNORED = "Ignoring non-zero exit code"
_USED = rf"(?:\s+\[User:\s+{_TIME}, System:\s+{_TIME}\]|\s+(\[User: [^\]]*\]?))?"


class Report(reports.Report):
    """The terminal output for one command."""

    TOOL = "hyperfine"
    LINES = (
        Line("title", r"Benchmark #?\d{1,4}: (\S.*)", is_opening=True, is_proof=True),
        Line("time", rf"{_TIME} ±\s+{_TIME}{_USED}", "Time (mean ± σ)", is_proof=True),
        Line("time", rf"{_TIME}{_USED}", _ONCE, is_proof=True),
        Line("time", rf"{_NAMED}{_TIME} ±\s+{_TIME}{_USED}", is_opening=True, is_proof=True),
        Line("range", rf"{_TIME} …\s+{_TIME}(?:\s+(\d{{1,9}}) runs)?", "Range (min … max)"),
        Line("warning", r"(.*)", "Warning", is_repeated=True),
    )  # fmt: skip

    unread = (0, "")

    def _take_title(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.benchmark = fields[0]

    def _take_time(self, line: Line, fields: Fields, number: int) -> None:
        if not line.label:
            self.reading.benchmark, fields = fields[0], fields[1:]
            self.proofs.add("title")
        stats = ("sample",) if line.label == _ONCE else ("mean", "stdev")
        self._add(stats, fields, number)
        self._add_used(fields[2 * len(stats) : -1], number)
        self.unread = (number, fields[-1] or "")

    def _take_range(self, _: Line, fields: Fields, number: int) -> None:
        self._add(("min", "max"), fields, number)
        runs = int(fields[4]) if fields[4] else None
        rows = self.reading.rows
        rows[:] = [(*row[:5], runs if row[2] == "mean" else row[5], *row[6:]) for row in rows]

    def _add(self, stats: Sequence[str], fields: Fields, number: int) -> None:
        for stat, text, unit in zip(stats, fields[::2], fields[1::2], strict=False):
            time = parse_time(text + unit)
            self.reading.add(
                "time_per_op", stat, time.value, "s", number, resolution=time.resolution
            )

    def _add_used(self, fields: Fields, number: int) -> None:
        """Add the CPU time of an execution."""
        for subject, text, unit in zip(("user", "system"), fields[::2], fields[1::2], strict=True):
            if text:
                time = parse_time(text + unit)
                self.reading.add(
                    "cpu_time_per_op", "mean", time.value, "s", number,
                    subject=subject, resolution=time.resolution,
                )  # fmt: skip

    def _take_warning(self, _: Line, fields: Fields, number: int) -> None:
        if fields[0].startswith(_IGNORED):
            self.reading.status = "failed"
            self.reading.remark = f"{number}: the command exited with a non-zero code"

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading, and a diagnostic for CPU time that is not read."""
        yield self.reading
        number, text = self.unread
        if text:
            what = f"the CPU time {show_part(text)} is not valid; it is left out"
            yield Diagnostic(label, number, what, _UNREAD, "warning")


class Reader(reports.Reader):
    """The open command."""

    NAMES = EXECUTABLES = "hyperfine"
    KIND = Report
    FURNITURE = regex(r"$^")
    IS_LIST = True

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed."""
        return not text.rstrip().endswith(("]", "runs"))

    def feed(self, number: int, text: str) -> None:
        """Process a line of the source; one that a diff adds belongs to the new side."""
        self.is_added = text.startswith("+")
        super().feed(number, text[1:] if self.is_added else text)

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report; on the new side of a diff it inherits an unchanged title."""
        old = self.report
        if not self.is_added or line.name != "time" or old is None or not old.is_proven:
            return super().begin(number, line, fields)
        new = self.report = Report(number, old.reading.command)
        new.reading.benchmark = old.reading.benchmark
        old.reading.note, new.reading.note = "old", "new"
        self.records.extend(old.finish(self.label))
        new.proofs.add("title")
        return new.take(line, fields, number)


JSON = Format(
    name="hyperfine",
    tools=("hyperfine",),
    summary="hyperfine's JSON: every time of every command",
    forms=(
        Form(
            name="json",
            signature='{"results": [{"command": …, "times": [… ], "exit_codes": […]}]}',
            versions="1.0 on, --export-json",
            not_recorded="when it ran, the version, --prepare, CPU time; not read: its mean",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"command"',),
)

TEXT = Format(
    name="hyperfine_text",
    tools=("hyperfine",),
    summary="hyperfine's output: mean, spread, minimum and maximum per command",
    forms=(
        Form(
            name="text",
            signature="Benchmark 1: … Time (mean ± σ): … Range (min … max): …",
            versions="1.0 on, without --style none",
            not_recorded="individual times, when it ran, the version; not read: ratios",
        ),
    ),
    recognises=lambda head: _MEAN.search(head.text) is not None,
    parse=Reader.parse,
    words=("Time (mean", "Time (abs"),
    anchors=(
        ("Benchmark ", r"#?\d+: \S"),
        ("Time (mean ± σ):", r"\s+\d"),
        ("Range (min … max):", r"\s+\d"),
    ),
    embeds=True,
)

CSV = Format(
    name="hyperfine_csv",
    tools=("hyperfine",),
    summary="hyperfine's CSV: mean, spread, median, minimum and maximum per command",
    forms=(
        Form(
            name="csv",
            signature="command,mean,stddev,median,user,system,min,max",
            versions="1.6 on, --export-csv",
            not_recorded="individual times, their number, when it ran, the version",
        ),
    ),
    recognises=late("benchkit.parsers.hyperfine.tables:recognises_csv"),
    parse=late("benchkit.parsers.hyperfine.tables:parse_csv"),
    words=("stddev",),
)

TABLE = Format(
    name="hyperfine_table",
    tools=("hyperfine",),
    summary="hyperfine's table: mean, spread, minimum and maximum per command",
    forms=(
        Form(
            name="table",
            signature="| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |",
            versions="1.0 on, --export-markdown, --export-orgmode",
            not_recorded="individual times, their number, CPU time; not read: ratios",
        ),
    ),
    recognises=late("benchkit.parsers.hyperfine.tables:recognises_table"),
    parse=late("benchkit.parsers.hyperfine.tables:parse_table"),
    words=(" Mean [",),
    anchors=(("| Command |", r" Mean \["),),
    embeds=True,
)

TOOLS = (
    Tool(
        name="hyperfine",
        formats=(JSON, TEXT, CSV, TABLE),
        command="hyperfine --warmup 3 --export-json result.json COMMAND",
        role="microbenchmark",
        metrics={"time_per_op": "", "cpu_time_per_op": ""},
        primaries=(("time_per_op", "sample"), ("time_per_op", "mean")),
        compares_commands=True,
        plan=FirstPlan(
            # Before 1.17 a dash names a file; a round has one run; commands are compared under one
            # name
            "hyperfine --style none --warmup 1 --runs 1 --export-json /dev/stdout "
            "--command-name sleep 'sleep {variant}'",
            variants=("0.10", "0.11"),
        ),
    ),
)

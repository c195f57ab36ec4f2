r"""Google Benchmark's JSON, CSV and console output, in which every repetition is a run.

A file, verbatim (Google Benchmark 1.7, ``--benchmark_format=json``; shortened)::

    {"context": {"date": "2026-11-23T23:05:44+00:00", "host_name": "vm", "num_cpus": 2,
      "library_build_type": "release"},
     "benchmarks": [{"name": "BM_Roots/10", "run_name": "BM_Roots/10", "run_type": "iteration",
       "repetitions": 6, "repetition_index": 0, "threads": 1, "iterations": 272212,
       "real_time": 2.57706e+02, "cpu_time": 2.57536e+02, "time_unit": "ns",
       "bytes_per_second": 3.1e+08, "items_per_second": 3.8e+07}]}

Meaning of the numbers: times per iteration in ``time_unit``, of the wall clock (``real_time``) and
of the CPU. Rows of ``run_type`` ``aggregate`` (mean, median, …, by name in CSV) repeat the
repetitions and are left out; if only they were written (``--benchmark_report_\ aggregates_only``),
mean, median and spread are kept as one result. With ``/real_time`` and similar endings of a name,
the user chose the relevant time; the verdict uses the wall time.

The console shows the same, rounded to three digits, with rates after it or in columns::

    Benchmark           Time             CPU   Iterations UserCounters...
    BM_Roots/10       258 ns          258 ns       272212 bytes_per_second=295.6Mi/s

Bytes have binary prefixes, even if the ``i`` is missing (before 1.8.3); so have items before 1.5
(``38.8M items/s``).

Not recorded: the command; in CSV also the start and the machine. Not read: user counters,
complexities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Form, Format, Head, Reading, Record, Source, Tool, bare
from benchkit.parsers.documents import Document, Fact, add_fact, is_amount, line_of, read_objects
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.reports import IS_CUT
from benchkit.reading.signs import begins_objects
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import step

_EXPONENT = {"ns": -9, "us": -6, "ms": -3, "s": 0}
_AGGREGATES = {"mean": "mean", "median": "median", "stddev": "stdev"}
#: Endings of aggregate names in files that do not mark them as aggregates.
_ENDING = regex(r"(.+)_(mean|median|stddev|cv|BigO|RMS|min|max)")
_THREADS = regex(r"/threads:\d+")
_COLUMNS = ["name", "iterations", "real_time", "cpu_time", "time_unit"]
#: Number of columns before the user counters.
_UNCOUNTED = 10
_TOOL = "Google Benchmark"
_HINT = f"use the whole file that {_TOOL} wrote"
_UNENDED = "it has no line end, so it may be truncated"


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per repetition.

    Examples
    --------
    >>> text = b'{"benchmarks": [{"name": "BM_A/8", "real_time": 2.5, "time_unit": "us"}]}'
    >>> [(each.benchmark, each.rows[0][3]) for each in _parse(Source(None, "a.json", text))]
    [('BM_A/8', 2.5e-06)]
    """
    return read_objects(source, _read)


def _read(document: Document) -> Iterator[Record]:
    """Yield the repetitions of a document."""
    table = _Table(document.label, "json", document)
    results = list(document.find_all("benchmarks"))
    for result in results:
        table.take(result.fields, document.line)
    yield from table.finish()
    if not results:
        yield document.refuse("the file has no benchmarks", "run the benchmark again")


def _recognises_csv(head: Head) -> bool:
    """Return whether a table begins; the context may precede it if stderr went to the same file."""
    if not (head.is_start and all(column in head.text for column in _COLUMNS)):
        return False
    lines = head.text.split("\n")
    return any("real_time" in line and header_of(line)[:5] == _COLUMNS for line in lines)


def _parse_csv(source: Source) -> Iterator[Record]:
    """Yield a reading per repetition."""
    lines = source.head().text.split("\n")
    above = next((n for n, text in enumerate(lines) if header_of(text)[:5] == _COLUMNS), 0)
    table = _Table(source.label, "csv", Document(source.label, None, 0))
    for line, row in read_rows(source, _TOOL, _COLUMNS, skip=above, may_be_short=_is_skipped):
        if isinstance(row, Diagnostic):
            yield row
        else:
            table.take({name: _read_cell(cell) for name, cell in row.items() if cell}, line)
    yield from table.finish()


def _is_skipped(cells: Sequence[str]) -> bool:
    """Return whether a row ends with an error or a skip, without user counters."""
    return len(cells) == _UNCOUNTED and cells[-2] in {"true", "false"}


def _read_cell(cell: str) -> object:
    """Return the number in a cell, or its text.

    Examples
    --------
    >>> _read_cell("3,1e+08"), _read_cell("ns")
    (310000000.0, 'ns')
    """
    number = cell.replace(",", ".")  # from a spreadsheet; the tool does not group digits
    return float(number) if _NUMBER.fullmatch(number) else cell


def _parse_console(source: Source) -> Iterator[Record]:
    r"""Yield a reading per repetition.

    Examples
    --------
    >>> text = b"Benchmark  Time  CPU  Iterations\nBM_A/8  2.50 us  2.4 us  1000\n"
    >>> [(each.benchmark, each.rows[0][3]) for each in _parse_console(Source(None, "a", text))]
    [('BM_A/8', 2.5e-06)]
    """
    table: _Table | None = None
    counters: list[str] = []
    cpus, is_empty = None, True
    lines = UntilDamage(source.ended_lines())
    for number, text, is_ended in lines:
        line = bare(text)
        if header := _HEADER.fullmatch(line):
            yield from table.finish() if table else ()
            table, counters = _Table(source.label, "console", Document(source.label, None, 0)), []
            table.cpus, is_empty = cpus, False
            if header[1] and "..." not in header[1]:
                counters = header[1].split()
        elif table is None:
            cpus = int(machine[1]) if (machine := _MACHINE.match(line)) else cpus
        elif is_ended and (error := _ERROR.fullmatch(line)):
            kind = "skipped" if error[2] == "SKIPPED" else "error_occurred"
            table.take({"name": error[1], kind: True, "error_message": error[3]}, number)
        elif row := _read_line(line, counters):
            table.take(row if is_ended else {name: row[name] for name in _CERTAIN}, number)
            if not is_ended:
                table.refuse(number, f"only the times of this row are read: {_UNENDED}", "warning")
        elif _LIKE_ROW.search(line) or (table.runs and not is_ended and IS_CUT.match(line)):
            table.refuse(number, f"{show_part(line)} is not a row of this table; it is left out")
    yield from table.finish() if table else ()
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no complete table of Google Benchmark here", _HINT)


def _read_line(line: str, counters: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a console row; empty for any other line.

    Examples
    --------
    >>> row = _read_line("BM_A  258 ns  257 ns  1000 bytes_per_second=1.5G/s", [])
    >>> row["real_time"], row["real_time_step"], row["bytes_per_second"] / 2**30
    (258.0, 1.0, 1.5)
    """
    row = _ROW.fullmatch(line)
    if row is None or row[3] != row[5]:
        return {}
    name, time, unit, cpu, _, count, rest = row.groups(default="")
    time, cpu, rest = (each.replace(",", ".") for each in (time, cpu, rest))
    cells: dict[str, Any] = {"name": name, "time_unit": unit, "iterations": int(count)}
    for key, number in (("real_time", time), ("cpu_time", cpu)):
        cells |= {key: float(number), f"{key}_step": step(number)}
    values = rest.split()
    if len(values) < len(counters):  # it is unknown which one is missing
        cells |= {key: rest for key in counters if key in _OLD.values()}
        values = []
    rates = [(key, value, key[0] == "b") for key, value in zip(counters, values, strict=False)]
    rates += [(key, value, key[0] == "b") for key, value in _COUNTER.findall(rest)]
    rates += [(_OLD[unit], value + "/s", True) for value, unit in _OLD_RATE.findall(rest)]
    for key, value, is_binary in rates:
        match = _RATE.fullmatch(value)
        if match is None and value.endswith("/s"):
            cells[key] = value  # damaged
        elif match and key in _OLD.values():
            prefix, base = match[2].lower().removesuffix("i"), 1024 if is_binary else 1000
            factor = float(base) ** (" kmgtpe".index(prefix) if prefix else 0)
            cells |= {key: float(match[1]) * factor, f"{key}_step": step(match[1]) * factor}
    return cells


class _Table:
    """The rows of a file: repetitions, and aggregates over them."""

    def __init__(self, label: str, form: str, document: Document) -> None:
        self.label, self.form, self.document = label, form, document
        self.runs: list[Reading] = []
        self.aggregates: dict[str, Reading] = {}
        self.problems: list[Diagnostic] = []
        cpus = document.find("context", "num_cpus")
        self.cpus = cpus if isinstance(cpus, int) else None

    def take(self, row: Mapping[str, Any], line: int) -> None:
        """Add a row."""
        name, time = row.get("name"), row.get("real_time")
        line = line_of(time, line_of(row.get("iterations"), line))
        if not isinstance(name, str):
            self.refuse(line, "a result has no name")
            return
        aggregate, name = _find_aggregate(row, name)
        failed = row.get("error_occurred")
        if row.get("skipped") is True or (failed == "false" and time is None):
            what = f"{name} was skipped: {row.get('skip_message') or row.get('error_message')}"
            self.problems.append(Diagnostic(self.label, line, what, severity="note"))
        elif failed in (True, "true"):
            run = self._begin(name, line)
            run.status = "failed"
            run.remark = f"{line}: {row.get('error_message', 'it ended with an error')}"
            self.runs.append(run)
        elif not is_amount(time) or str(row.get("time_unit")) not in _EXPONENT:
            if not aggregate:  # complexities have neither
                self.refuse(line, f"{name} has no valid time or an unknown unit")
        elif aggregate:
            if aggregate in _AGGREGATES:
                run = self.aggregates.setdefault(name, self._begin(name, line))
                self._add(run, row, _AGGREGATES[aggregate], line)
        else:
            run = self._begin(name, line)
            self._add(run, row, "sample", line)
            self.runs.append(run)

    def _add(self, run: Reading, row: Mapping[str, Any], stat: str, line: int) -> None:
        """Add the times and rates of a row; CPU time is added for a repetition or a mean only."""
        exponent, n = _EXPONENT[row["time_unit"]], row.get("iterations")
        facts = {"real_time": Fact("time_per_op", stat, "s", exponent=exponent)}
        if stat != "stdev":
            facts["bytes_per_second"] = Fact("processing_rate", stat, "B/s")
            facts["items_per_second"] = Fact("operation_rate", stat, "1/s", "items")
        if stat in {"sample", "mean"}:
            facts["cpu_time"] = Fact("cpu_time_per_op", "mean", "s", exponent=exponent)
        count = int(n) if is_amount(n) and stat == "sample" else None
        for name, fact in facts.items():
            if is_amount(value := row.get(name)):
                rounding = row.get(f"{name}_step")
                digits = None if rounding is None else rounding * 10.0**fact.exponent
                add_fact(run, fact._replace(step=digits), value, line, count)
                run.last_line = max(run.last_line, line_of(value, line))
            elif name in row:
                shown = "null" if value is None else show_part(str(value))
                what = f"{name} is {shown}, which is not a number; it is left out"
                self.refuse(line, what, "warning")

    def refuse(self, line: int, what: str, severity: str = "error") -> None:
        """Report an unreadable part of a line."""
        self.problems.append(Diagnostic(self.label, line, what, _HINT, severity))

    def _begin(self, name: str, line: int) -> Reading:
        run = Reading(tool="google-benchmark", form=self.form, line=line, last_line=line)
        run.benchmark = _THREADS.sub("", name)
        if threads := _THREADS.search(name):
            run.params = {"threads": threads[0].rpartition(":")[2]}
        run.tool_version = self.document.find_text("context", "library_version") or None
        if self.cpus is not None:
            run.env["cpus"] = str(self.cpus)
        return run

    def finish(self) -> Iterator[Record]:
        """Yield the runs, or aggregates in place of missing repetitions, and the problems."""
        named = {run.benchmark for run in self.runs}
        yield from self.runs
        yield from (run for run in self.aggregates.values() if run.benchmark not in named)
        yield from self.problems


def _find_aggregate(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Return a row's aggregate (empty for a repetition) and its benchmark.

    Examples
    --------
    >>> _find_aggregate({"run_type": "iteration"}, "BM_arg_min"), _find_aggregate({}, "BM_A_mean")
    (('', 'BM_arg_min'), ('mean', 'BM_A'))
    """
    if row.get("run_type") == "iteration":
        return "", name
    run_name, aggregate = row.get("run_name"), row.get("aggregate_name")
    if isinstance(run_name, str) and isinstance(aggregate, str):
        return aggregate, run_name
    if ending := _ENDING.fullmatch(name):
        return ending[2], ending[1]
    return ("unnamed" if row.get("run_type") == "aggregate" else ""), name


#: A time; some locales write `0,313`, but the tool does not group digits, so `1,234` is invalid.
_TIME = r"(\d{1,18}(?:\.\d{1,18}|(?:(?<=\b0),\d{3}|,\d\d?)(?!\d))?(?:e[+-]\d{1,3})?) ?(ns|us|ms|s)"
_ROW = regex(rf"(\S.{{0,500}}?)\s+{_TIME}\s+{_TIME}\s+(\d{{1,18}})(?:\s+(\S.*))?", re.ASCII)
_LIKE_TIME = r"[-+]?(?:\d[\w.,+-]{0,30}|(?i:nan|inf)) ?[nuµm]?s"
#: A row with columns or numbers that the tool does not print.
_LIKE_ROW = regex(
    rf"\s{_LIKE_TIME}\s+(?:{_LIKE_TIME}|\S+ ?[nuµm]?s)(?!\S)|\s[nuµm]?s\s+{_LIKE_TIME}(?!\S)"
    rf"|\s{_LIKE_TIME}\s+\d{{1,18}}(?!\S)",
    re.ASCII,
)
#: Values of a row before its last number, whose end may be truncated.
_CERTAIN = ("name", "time_unit", "real_time", "real_time_step", "cpu_time", "cpu_time_step")
_HEADER = regex(r"Benchmark\s+Time\s+CPU\s+Iterations(?:\s+(\S.{0,2000}))?")
_HEADERS = regex(r"^[ \t#>|*/]{0,99}Benchmark[ \t]+Time[ \t]+CPU[ \t]+Iterations", re.MULTILINE)
#: Lines that the tool prints above its results and that say nothing about them.
_CHATTER = regex(
    r"\A[ \t]*+(?:Running \S++|Run on \(\d{1,5} X .*+|CPU Caches:|Load Average: [\d., ]++"
    r"|L\d (?:Data|Instruction|Unified) \d.*+|\*{3}WARNING\*{3} .*+"
    r"|Benchmark\s+Time\s+CPU\s+Iterations(?:\s.*+)?)[ \t]*+\Z"
)
_ERROR = regex(r"(\S.{0,500}?)\s+(ERROR OCCURRED|SKIPPED): '(.{0,500})'")
_MACHINE = regex(r"Run on \((\d{1,5}) X ")
_COUNTER = regex(r"(?<!\S)((?:bytes|items)_per_second)=(\S{1,30})")
_RATE = regex(r"(\d{1,18}(?:\.\d{1,9})?)([kKMGTPE]?i?)/s", re.ASCII)
_OLD_RATE = regex(r"(?<!\S)(\d{1,18}(?:\.\d{1,9})?[kKMGTPE]?)(B| items)/s", re.ASCII)
_OLD = {"B": "bytes_per_second", " items": "items_per_second"}
_NUMBER = regex(r"\d{1,18}(?:\.\d{1,18})?(?:e[+-]\d{1,3})?", re.ASCII)

#: Beginnings of a whole file, and of one without the context.
_BUILT = begins_objects('"context"', '"benchmarks"', '"library_build_type"')
_TIMED = begins_objects('"benchmarks"', '"real_time"', '"cpu_time"', '"time_unit"')

JSON = Format(
    name="google_benchmark",
    tools=("google-benchmark",),
    summary="Google Benchmark's JSON: every repetition of every benchmark",
    forms=(
        Form(
            name="json",
            signature='{"context": {…}, "benchmarks": [{"name": …, "real_time": …}]}',
            versions="1.0 on, --benchmark_format=json or --benchmark_out",
            not_recorded="the command; not read: user counters, complexities",
        ),
    ),
    recognises=lambda head: _BUILT(head) or _TIMED(head),
    parse=_parse,
    words=('"library_build_type"', '"real_time"'),
)

CSV = Format(
    name="google_benchmark_csv",
    tools=("google-benchmark",),
    summary="Google Benchmark's CSV: every repetition of every benchmark",
    forms=(
        Form(
            name="csv",
            signature="name,iterations,real_time,cpu_time,time_unit,…",
            versions="1.0 on, --benchmark_format=csv or --benchmark_out_format=csv",
            not_recorded="when it ran, the machine; not read: user counters, complexities",
        ),
    ),
    recognises=_recognises_csv,
    parse=_parse_csv,
    words=("real_time",),
)

CONSOLE = Format(
    name="google_benchmark_console",
    tools=("google-benchmark",),
    summary="Google Benchmark's console output: every repetition of every benchmark",
    forms=(
        Form(
            name="console",
            signature="Benchmark  Time  CPU  Iterations",
            versions="1.0 on, also with --benchmark_counters_tabular",
            not_recorded="when it ran, more than three digits; not read: user counters, "
            "complexities",
        ),
    ),
    recognises=lambda head: _HEADERS.search(head.text) is not None,
    parse=_parse_console,
    words=("Iterations",),
    anchors=(("Benchmark ", r"\s*Time\s+CPU\s+Iterations"),),
    embeds=True,
    chatter=_CHATTER,
)

TOOLS = (
    Tool(
        name="google-benchmark",
        formats=(JSON, CSV, CONSOLE),
        command="BENCHMARK --benchmark_repetitions=10 --benchmark_out=result.json",
        role="microbenchmark",
        metrics={
            "time_per_op": "",
            "operation_rate": "items_per_second",
            "cpu_time_per_op": "",
            "processing_rate": "bytes_per_second",
        },
        primaries=(("time_per_op", "sample"), ("time_per_op", "median")),
    ),
)

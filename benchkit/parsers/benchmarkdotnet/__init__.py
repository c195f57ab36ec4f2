r"""BenchmarkDotNet's JSON, measurements and tables: each launch of a process is a run.

A file of the documented shape (``*-report-full.json`` or ``-brief``, most left out)::

    {"Title": "Sorts", "HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.14.0",
       "ProcessorName": "Intel Xeon", "LogicalCoreCount": 8},
     "Benchmarks": [{"DisplayInfo": "Sorts.Quick: DefaultJob [N=100]", "Type": "Sorts",
       "Method": "Quick", "Parameters": "N=100",
       "Statistics": {"N": 15, "Min": 101.5, "Median": 103.2, "Mean": 104.1, "Max": 110.3,
         "StandardDeviation": 2.4},
       "Memory": {"BytesAllocatedPerOperation": 424},
       "Measurements": [{"IterationMode": "Workload", "IterationStage": "Result",
         "LaunchIndex": 1, "IterationIndex": 1, "Operations": 1000, "Nanoseconds": 103200}]}]}

What the numbers are: nanoseconds of one operation. Iterations of one launch follow each other in
one process, so that a launch is a run, whose value is the median of its results. The statistics are
over all launches; they stand for the run where there is one launch or the file has no measurements.
To compare with a verdict, use ``[SimpleJob(launchCount: 5)]`` and the full JSON, or several
sessions of each variant. A job is a param where a benchmark ran under several.

``-measurements.csv`` holds the same iterations and is read in the same way. The summary, as a table
of Markdown or CSV, has a row per benchmark, whose rounded mean is one result::

    | Method | N   | Mean     | Error   | StdDev  | Allocated |
    |------- |---- |---------:|--------:|--------:|----------:|
    | Quick  | 100 | 104.1 ns | 0.62 ns | 2.40 ns |     424 B |

Columns before the first statistic are params, except settings of the job that all rows share.
Parameters that all rows share stand in the lines above the table.

Not recorded: the command, when it ran. Not read: outliers, percentiles, collections, ratios.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from statistics import median
from typing import Any

from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    late,
)
from benchkit.parsers.documents import (
    Fact,
    add_fact,
    as_list,
    is_amount,
    line_of,
    read_documents,
)

_SIGNS = ('"HostEnvironmentInfo"', '"BenchmarkDotNetVersion"')
_STATS = {"Median": "median", "Mean": "mean", "StandardDeviation": "stdev", "Min": "min",
          "Max": "max"}  # fmt: skip
_MEASURED = ("LaunchIndex", "Operations", "Nanoseconds")
_HINT = "use the whole file that JsonExporter wrote"
#: What it writes of one run; of files side by side the first counts.
_FILES = (
    "report-full.json", "report-full-compressed.json", "measurements.csv", "report.json",
    "report-brief.json", "report-brief-compressed.json", "report.csv", "report-github.md",
    "report-default.md", "report-console.md", "report-stackoverflow.md", "report-atlassian.md",
    "report.asciidoc", "report.html",
)  # fmt: skip


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign in head.text for sign in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per launch of each benchmark.

    Examples
    --------
    >>> text = b'{"Benchmarks": [{"Type": "A", "Method": "B", "Statistics": {"Median": 2.5}}]}'
    >>> [(run.benchmark, run.rows[0][3]) for run in _parse(Source(None, "a.json", text))]
    [('A.B', 2.5e-09)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        fields = document if isinstance(document, dict) else {}
        results = [each for each in as_list(fields.get("Benchmarks")) if isinstance(each, dict)]
        if not results:
            yield Diagnostic(
                source.label, line, "the file has no benchmarks", "run the benchmark again"
            )
        host = fields.get("HostEnvironmentInfo")
        counts = Counter(_name(each) for each in results)
        for result in results:
            for record in _read(source.label, result, line):
                if isinstance(record, Reading):
                    _describe(record, host if isinstance(host, dict) else {})
                    if counts[_name(result)] > 1:
                        record.params["job"] = find_job(str(result.get("DisplayInfo", "")))
                yield record


def _name(result: Mapping[str, Any]) -> tuple[str, str]:
    type_, method, levels = (result.get(key) for key in ("Type", "Method", "Parameters"))
    return f"{type_}.{method}", levels if isinstance(levels, str) else ""


def read_levels(text: str) -> dict[str, str]:
    """Return the parameters of a benchmark.

    Examples
    --------
    >>> read_levels("N=100&Text=a")
    {'N': '100', 'Text': 'a'}
    """
    return dict(each.partition("=")[::2] for each in text.split("&") if "=" in each)


def find_job(text: str) -> str:
    """Return the job of a benchmark's description: its settings, or else its name.

    Examples
    --------
    >>> find_job("A.B: Job-XY(Runtime=.NET 8.0) [N=1]"), find_job("A.B: DefaultJob")
    ('Runtime=.NET 8.0', 'DefaultJob')
    """
    job = text.partition(": ")[2].partition(" [")[0]
    _, is_set, settings = job.partition("(")
    return settings.removesuffix(")") if is_set else job


def _describe(run: Reading, host: Mapping[str, Any]) -> None:
    """Take the version and the machine."""
    version, cpu, cores = (
        host.get(key) for key in ("BenchmarkDotNetVersion", "ProcessorName", "LogicalCoreCount")
    )
    run.tool_version = version if isinstance(version, str) else None
    run.env = {"cpu": cpu} if isinstance(cpu, str) else {}
    run.env |= {"cpus": str(int(cores))} if is_amount(cores) else {}
    for key, name in (("RuntimeVersion", "runtime"), ("OsVersion", "os")):
        run.env |= {name: host[key]} if isinstance(host.get(key), str) else {}


def _read(label: str, result: Mapping[str, Any], line: int) -> Iterator[Record]:
    """Yield the launches of a benchmark."""
    name, levels = _name(result)
    statistics = result.get("Statistics")
    numbers = statistics if isinstance(statistics, dict) else {}
    params = read_levels(levels)
    launches = _find_launches(result.get("Measurements"))
    memory = result.get("Memory")
    allocated = memory.get("BytesAllocatedPerOperation") if isinstance(memory, dict) else None
    if statistics is None:
        run = Reading(tool="benchmarkdotnet", form="json", line=line, last_line=line)
        run.benchmark, run.params = name, params
        run.status, run.remark = "failed", f"{line}: {name} has no results"
        yield run
        return
    if not is_amount(numbers.get("Median")):
        yield Diagnostic(label, line, f"{name} has no valid median", _HINT)
        return
    for times in launches if len(launches) > 1 else [[]]:
        run = Reading(tool="benchmarkdotnet", form="json", line=line, benchmark=name)
        run.params = dict(params)
        if times:
            seconds, at = median(time for time, _ in times) * 1e-9, times[0][1]
            run.add("time_per_op", "median", seconds, "s", at, n=len(times), origin="computed")
        else:
            for key, stat in _STATS.items():
                if is_amount(value := numbers.get(key)):
                    add_fact(run, Fact("time_per_op", stat, "s", exponent=-9), value, line)
        if is_amount(allocated):
            add_fact(run, Fact("bytes_per_op", "mean", "B"), allocated, line)
        run.line = min(row[9] for row in run.rows)
        run.last_line = max(row[9] for row in run.rows)
        yield run


def _find_launches(measurements: object) -> list[list[tuple[float, int]]]:
    """Return the nanoseconds of one operation and their lines, by launch."""
    launches: dict[int, list[tuple[float, int]]] = {}
    for each in measurements if isinstance(measurements, list) else []:
        if not isinstance(each, dict) or each.get("IterationStage") != "Result":
            continue
        if each.get("IterationMode") not in ("Workload", "Result"):
            continue
        launch, count, time = (each.get(name) for name in _MEASURED)
        if is_amount(launch) and is_amount(count) and is_amount(time) and count > 0:
            launches.setdefault(int(launch), []).append((time / count, line_of(time, 0)))
    return list(launches.values())


JSON = Format(
    name="benchmarkdotnet",
    tools=("benchmarkdotnet",),
    summary="BenchmarkDotNet's JSON: each launch of each benchmark",
    forms=(
        Form(
            name="json",
            signature='{"HostEnvironmentInfo": {…}, "Benchmarks": [{"Statistics": {…}}]}',
            versions="0.10 on, JsonExporter: -report-full.json, -brief, -compressed",
            not_recorded="when it ran, the command; launches (except in full JSON); not read: "
            "outliers",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"BenchmarkDotNetVersion"',),
    repeating=tuple((f"*-{name}", f"*-{result}") for result, name in combinations(_FILES, 2)),
)

MEASUREMENTS = Format(
    name="benchmarkdotnet_measurements",
    tools=("benchmarkdotnet",),
    summary="BenchmarkDotNet's CSV of measurements: each launch of each benchmark",
    forms=(
        Form(
            name="measurements",
            signature="Target_Method,…,Measurement_LaunchIndex,Measurement_Nanoseconds,…",
            versions="0.10 on, CsvMeasurementsExporter: -measurements.csv",
            not_recorded="when it ran, the command, the version, the machine; not read: warm-ups",
        ),
    ),
    recognises=late("benchkit.parsers.benchmarkdotnet.measurements:recognises"),
    parse=late("benchkit.parsers.benchmarkdotnet.measurements:parse"),
    words=("Measurement_LaunchIndex",),
)

CSV = Format(
    name="benchmarkdotnet_csv",
    tools=("benchmarkdotnet",),
    summary="BenchmarkDotNet's summary as CSV: the mean of each benchmark",
    forms=(
        Form(
            name="csv",
            signature="Method,Job,AnalyzeLaunchVariance,…,Mean,Error,StdDev,…",
            versions="0.9 on, CsvExporter: -report.csv",
            not_recorded="launches, iterations, when it ran, the version, the machine; not read: "
            "errors, ratios, collections",
        ),
    ),
    recognises=late("benchkit.parsers.benchmarkdotnet.tables:recognises_csv"),
    parse=late("benchkit.parsers.benchmarkdotnet.tables:parse_csv"),
    words=("Method",),
)

MARKDOWN = Format(
    name="benchmarkdotnet_markdown",
    tools=("benchmarkdotnet",),
    summary="BenchmarkDotNet's summary as Markdown: the mean of each benchmark",
    forms=(
        Form(
            name="markdown",
            signature="| Method | … | Mean | Error | StdDev |",
            versions="0.9 on, MarkdownExporter: -report-github.md, the summary of the terminal",
            not_recorded="launches, iterations, when it ran; parameters that all rows share, if "
            "the lines above the table are left out; not read: errors, ratios, collections",
        ),
    ),
    recognises=late("benchkit.parsers.benchmarkdotnet.tables:recognises_markdown"),
    parse=late("benchkit.parsers.benchmarkdotnet.tables:parse_markdown"),
    words=("Method",),
    embeds=True,
)

TOOLS = (
    Tool(
        name="benchmarkdotnet",
        formats=(JSON, MEASUREMENTS, CSV, MARKDOWN),
        command="dotnet run -c Release -- --filter '*' --exporters fulljson",
        role="microbenchmark",
        metrics={"time_per_op": "", "bytes_per_op": ""},
        primaries=(("time_per_op", "median"), ("time_per_op", "mean")),
    ),
)

r"""BenchmarkDotNet's JSON, measurements and tables: each launch of a process is a run.

A file of the documented shape (``*-report-full.json`` or ``-brief``, mostly shortened)::

    {"Title": "Sorts", "HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.14.0",
       "ProcessorName": "Intel Xeon", "LogicalCoreCount": 8},
     "Benchmarks": [{"DisplayInfo": "Sorts.Quick: DefaultJob [N=100]", "Type": "Sorts",
       "Method": "Quick", "Parameters": "N=100",
       "Statistics": {"N": 15, "Min": 101.5, "Median": 103.2, "Mean": 104.1, "Max": 110.3,
         "StandardDeviation": 2.4},
       "Memory": {"BytesAllocatedPerOperation": 424},
       "Measurements": [{"IterationMode": "Workload", "IterationStage": "Result",
         "LaunchIndex": 1, "IterationIndex": 1, "Operations": 1000, "Nanoseconds": 103200}]}]}

Meaning of the numbers: times are nanoseconds per operation. The iterations of one launch run in one
process, so a launch is a run, whose value is the median of its results. The statistics cover all
launches; they represent the run if there is only one launch or the file has no measurements. For a
verdict, use ``[SimpleJob(launchCount: 5)]`` and the full JSON, or several sessions of each variant.
A job is a param if a benchmark ran under several.

``-measurements.csv`` has the same iterations and is read in the same way. The summary, as a
Markdown table or CSV, has a row per benchmark, whose rounded mean is one result::

    | Method | N   | Mean     | Error   | StdDev  | Allocated |
    |------- |---- |---------:|--------:|--------:|----------:|
    | Quick  | 100 | 104.1 ns | 0.62 ns | 2.40 ns |     424 B |

Columns before the first statistic are params, except job settings that all rows share. Parameters
that all rows share are in the lines above the table.

Not recorded: the command, the start of the run. Not read: outliers, percentiles, collections,
ratios.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median

from benchkit.parsers.base import Diagnostic, Form, Format, Reading, Record, Source, Tool, late
from benchkit.parsers.documents import Document, Fact, as_object, read_objects
from benchkit.reading.signs import begins_object

_STATS = {"Median": "median", "Mean": "mean", "StandardDeviation": "stdev", "Min": "min",
          "Max": "max"}  # fmt: skip
_MEMORY = {"Memory.BytesAllocatedPerOperation": Fact("bytes_per_op", "mean", "B")}
_FACTS = _MEMORY | {
    f"Statistics.{name}": Fact("time_per_op", stat, "s", exponent=-9)
    for name, stat in _STATS.items()
}
_HOST = {"cpu": "ProcessorName", "cpus": "LogicalCoreCount", "runtime": "RuntimeVersion",
         "os": "OsVersion"}  # fmt: skip
_HINT = "use the whole file that JsonExporter wrote"
#: The files of one run; if several are present, the first counts.
_FILES = (
    "report-full.json", "report-full-compressed.json", "measurements.csv", "report.json",
    "report-brief.json", "report-brief-compressed.json", "report.csv", "report-github.md",
    "report-default.md", "report-console.md", "report-stackoverflow.md", "report-atlassian.md",
    "report.asciidoc", "report.html",
)  # fmt: skip
#: A benchmark, its parameters and its job.
Case = tuple[str, str, str]
#: The nanoseconds per operation of an iteration, and its line.
Time = tuple[float, int]


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per launch of each benchmark.

    Examples
    --------
    >>> text = b'{"Benchmarks": [{"Type": "A", "Method": "B", "Statistics": {"Median": 2.5}}]}'
    >>> [(run.benchmark, run.rows[0][3]) for run in _parse(Source(None, "a.json", text))]
    [('A.B', 2.5e-09)]
    """
    return read_objects(source, _read)


def _read(document: Document) -> Iterator[Record]:
    """Yield the launches of all benchmarks."""
    host = as_object(document.find("HostEnvironmentInfo"))
    known = {name: host[key] for name, key in _HOST.items() if isinstance(host.get(key), str | int)}
    version = document.find_text("HostEnvironmentInfo", "BenchmarkDotNetVersion") or None
    results = [(_identify(each), each) for each in document.find_all("Benchmarks")]
    if not results:
        yield document.refuse("the file has no benchmarks", "run the benchmark again")
    jobs = count_jobs(case for case, _ in results)
    for case, result in results:
        for record in _read_result(result, case, jobs):
            if isinstance(record, Reading):
                record.tool_version = version
                record.env = {name: str(value) for name, value in known.items()}
            yield record


def _identify(result: Document) -> Case:
    """Return the case of a result."""
    type_, method = map(result.find, ("Type", "Method"))
    job = result.find_text("DisplayInfo").partition(": ")[2].partition(" [")[0]
    return f"{type_}.{method}", result.find_text("Parameters"), job


def _read_result(result: Document, case: Case, jobs: Mapping[Case, int]) -> Iterator[Record]:
    """Yield the launches of a benchmark; its statistics represent a single launch."""
    run = begin("json", case, jobs, result.line)
    if result.find("Statistics") is None:
        run.status, run.remark = "failed", f"{run.line}: {run.benchmark} has no results"
        yield run
        return
    if "Statistics.Median" not in result.numbers:
        yield result.refuse(f"{run.benchmark} has no valid median", _HINT)
        return
    launches: dict[float, list[Time]] = {}
    damaged: set[float | None] = set()
    for each in result.find_all("Measurements"):
        launch, count, time = map(each.numbers.get, ("LaunchIndex", "Operations", "Nanoseconds"))
        is_read = is_result(each.find_text("IterationMode"), each.find_text("IterationStage"))
        if is_read and launch is not None and count and time is not None:
            launches.setdefault(launch, []).append((time / count, each.line_of(time)))
        elif is_read:
            damaged.add(launch)
            what = f"an iteration of {run.benchmark} has no valid time, so its launch is left out"
            at = each.line_of(each.find("Nanoseconds"))
            result.problems.append(Diagnostic(result.label, at, what, _HINT, "warning"))
    kept = [times for launch, times in launches.items() if launch not in damaged]
    for times in kept if len(launches) > 1 else [()]:
        run = begin("json", case, jobs, result.line)
        if times:
            add_launch(run, times)
        result.add_facts(run, (_MEMORY if times else _FACTS).get)
        run.line, run.last_line = (pick(row[9] for row in run.rows) for pick in (min, max))
        yield run


def begin(form: str, case: Case, jobs: Mapping[Case, int], line: int) -> Reading:
    """Return a run of a benchmark; its job is a param if the benchmark ran under several.

    A job is identified by its settings, or else by its name.

    Examples
    --------
    >>> cases = ("A.B", "N=1", "Job-XY(Runtime=.NET 8.0)"), ("A.B", "N=1", "DefaultJob")
    >>> [begin("json", case, count_jobs(cases), 1).params["job"] for case in cases]
    ['Runtime=.NET 8.0', 'DefaultJob']
    """
    name, levels, job = case
    run = Reading(tool="benchmarkdotnet", form=form, line=line, last_line=line, benchmark=name)
    run.params = dict(each.partition("=")[::2] for each in levels.split("&") if "=" in each)
    if jobs[name, levels, ""] > 1:
        _, is_set, settings = job.partition("(")
        run.params["job"] = settings.removesuffix(")") if is_set else job
    return run


def count_jobs(cases: Iterable[Case]) -> Mapping[Case, int]:
    """Count the jobs for each benchmark and its parameters."""
    return Counter((name, levels, "") for name, levels, _ in {*cases})


def is_result(mode: str, stage: str) -> bool:
    """Return whether an iteration is a result, and neither overhead nor warm-up."""
    return mode == "Result" or (mode == "Workload" and stage == "Result")


def add_launch(run: Reading, times: Sequence[Time]) -> None:
    """Add the value of a launch: the median of its iterations."""
    seconds = median(time for time, _ in times) / 1e9
    run.add("time_per_op", "median", seconds, "s", times[0][1], n=len(times), origin="computed")


def unquote(name: str) -> str:
    """Remove the quotes around a name with spaces.

    Examples
    --------
    >>> unquote("'Merge sort'"), unquote("Quick")
    ('Merge sort', 'Quick')
    """
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] == "'" else name


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
    recognises=begins_object('"HostEnvironmentInfo"', '"BenchmarkDotNetVersion"'),
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
    anchors=(("|--", r"-*:?[ \t]*\|[-:| \t]*$"),),
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

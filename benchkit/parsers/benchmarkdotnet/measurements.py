"""BenchmarkDotNet's CSV of measurements, in which the iterations of a launch form a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Head, Record, Source
from benchkit.parsers.benchmarkdotnet import (
    Case,
    Time,
    add_launch,
    begin,
    count_jobs,
    is_result,
    unquote,
)
from benchkit.reading.delimited import read_rows
from benchkit.reading.remarks import Remark
from benchkit.regexes import regex

_COLUMNS = ["Target_Method", "Measurement_LaunchIndex", "Measurement_Nanoseconds",
            "Measurement_Operations"]  # fmt: skip
#: The culture may put a comma before the decimals, but thousands are not grouped.
_AMOUNT = regex(r"\d{1,18}(?:[.,]\d{1,2})?", re.ASCII)
_COUNT = regex(r"\d{1,18}", re.ASCII)
_OPTIONAL = ("Measurement_IterationMode", "Measurement_IterationStage", "Target_Type", "Params",
             "Job_Display", "Allocated_Bytes")  # fmt: skip
_HINT = "use the whole file that CsvMeasurementsExporter wrote"

_REPEATED = Remark(
    "{count:,} rows, of which this is the first, repeat iterations of the same launch, and are "
    "left out",
    "save the measurements of each run of BenchmarkDotNet to a separate file",
    is_remark=False,
)


def recognises(head: Head) -> bool:
    """Return whether a source is a CSV of measurements."""
    first = head.text.lstrip().partition("\n")[0]
    return head.is_start and all(name in first for name in _COLUMNS)


def parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per launch of each benchmark: the median of its results.

    Examples
    --------
    >>> text = (
    ...     b"Target_Method,Measurement_LaunchIndex,Measurement_IterationMode,"
    ...     b"Measurement_Nanoseconds,Measurement_Operations\nQuick,1,Result,300,2\n"
    ... )
    >>> [(run.benchmark, run.rows[0][3]) for run in parse(Source(None, "x.csv", text))]
    [('Quick', 1.5e-07)]
    """
    launches: dict[tuple[Case, str, str], list[Time]] = {}
    iterations: set[tuple[Case, str, str]] = set()
    repeated: list[int] = []
    is_cut = False
    for line, row in read_rows(source, "BenchmarkDotNet", _COLUMNS):
        is_cut = isinstance(row, Diagnostic)
        if isinstance(row, Diagnostic):
            yield row
            continue
        mode, stage, type_, levels, job, allocated = (row.get(name, "") for name in _OPTIONAL)
        method, launch, time, count = (row[name] for name in _COLUMNS)
        if not is_result(mode, stage):
            continue
        if not _AMOUNT.fullmatch(time) or not _COUNT.fullmatch(count) or not int(count):
            what = "this row has no valid time or number of operations; it is left out"
            yield Diagnostic(source.label, line, what, _HINT, "warning")
            continue
        case = ".".join(filter(None, (type_, unquote(method)))), levels, job
        if index := row.get("Measurement_IterationIndex"):
            if (case, launch, index) in iterations:
                repeated.append(line)
                continue
            iterations.add((case, launch, index))
        times = launches.setdefault((case, launch, allocated), [])
        times.append((float(time.replace(",", ".")) / int(count), line))
    jobs = count_jobs(case for case, *_ in launches)
    for number, ((case, _, allocated), times) in enumerate(launches.items(), 1):
        run = begin("measurements", case, jobs, times[0][1])
        run.last_line = times[-1][1]
        add_launch(run, times)
        if _COUNT.fullmatch(allocated):
            run.add("bytes_per_op", "mean", float(allocated), "B", run.line)
        if is_cut and number == len(launches):
            run.status, run.remark = "partial", f"{run.last_line}: the file ends within this launch"
        yield run
    if repeated:
        yield _REPEATED.at(source.label, repeated[0], count=len(repeated))
    if not launches:
        yield Diagnostic(source.label, 0, "the file has no results", "run the benchmark again")

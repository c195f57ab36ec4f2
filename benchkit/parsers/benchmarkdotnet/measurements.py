"""BenchmarkDotNet's CSV of measurements: the iterations of a launch are a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from statistics import median

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.benchmarkdotnet import find_job, read_levels
from benchkit.reading.delimited import read_rows
from benchkit.regexes import regex

_COLUMNS = ["Target_Method", "Measurement_LaunchIndex", "Measurement_Nanoseconds",
            "Measurement_Operations"]  # fmt: skip
#: Its culture may write a comma before the decimals; it parts no thousands.
_AMOUNT = regex(r"\d{1,18}(?:[.,]\d{1,2})?", re.ASCII)
_COUNT = regex(r"\d{1,18}", re.ASCII)
_HINT = "use the whole file that CsvMeasurementsExporter wrote"
#: The benchmark, its parameters, its job and the launch.
_Key = tuple[str, str, str, str]


def recognises(head: Head) -> bool:
    """Whether a source is a CSV of measurements."""
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
    first = source.head().text.lstrip().partition("\n")[0]
    delimiter = next((sign for sign in ";\t" if sign in first), ",")
    launches: dict[_Key, tuple[Reading, list[float]]] = {}
    ends_within: Diagnostic | None = None
    for line, row in read_rows(source, "BenchmarkDotNet", _COLUMNS, delimiter):
        ends_within = row if isinstance(row, Diagnostic) else None
        if isinstance(row, Diagnostic):
            yield row
        elif _is_result(row):
            time, count = row["Measurement_Nanoseconds"], row["Measurement_Operations"]
            if not _AMOUNT.fullmatch(time) or not _COUNT.fullmatch(count) or not int(count):
                what = "this row has no valid time or number of operations; it is left out"
                yield Diagnostic(source.label, line, what, _HINT, "warning")
                continue
            run, times = launches.setdefault(_identify(row), (_begin(row, line), []))
            times.append(float(time.replace(",", ".")) / int(count))
            run.last_line = line
    if launches and ends_within:
        run, _ = launches[next(reversed(launches))]
        run.status, run.remark = "partial", f"{run.last_line}: the file ends within this launch"
    jobs: dict[tuple[str, str], set[str]] = {}
    for name, levels, job, _ in launches:
        jobs.setdefault((name, levels), set()).add(job)
    for (name, levels, job, _), (run, times) in launches.items():
        if len(jobs[name, levels]) > 1:
            run.params["job"] = find_job(f": {job}")
        run.rows.insert(0, (None, "time_per_op", "median", median(times) / 1e9, "s", len(times),
                            None, None, "computed", run.line))  # fmt: skip
        yield run
    if not launches:
        yield Diagnostic(source.label, 0, "the file has no results", "run the benchmark again")


def _is_result(row: Mapping[str, str]) -> bool:
    """Tell whether a row is a result, without overhead and warm-ups."""
    mode, stage = (row.get(f"Measurement_Iteration{name}", "") for name in ("Mode", "Stage"))
    return mode == "Result" or (mode == "Workload" and stage == "Result")


def _identify(row: Mapping[str, str]) -> _Key:
    name = ".".join(filter(None, (row.get("Target_Type"), row["Target_Method"])))
    job, launch = row.get("Job_Display", ""), row["Measurement_LaunchIndex"]
    return name, row.get("Params", ""), job, launch


def _begin(row: Mapping[str, str], line: int) -> Reading:
    run = Reading(tool="benchmarkdotnet", form="measurements", line=line, last_line=line)
    run.benchmark, levels, _, _ = _identify(row)
    run.params = read_levels(levels)
    if _COUNT.fullmatch(allocated := row.get("Allocated_Bytes", "")):
        run.add("bytes_per_op", "mean", float(allocated), "B", line)
    return run

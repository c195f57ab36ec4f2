r"""github-action-benchmark's data.js and custom JSON: one value per benchmark and commit.

A file from the branch that the action pushes to (``data.js``, shortened)::

    window.BENCHMARK_DATA = {"lastUpdate": 1574927128603, "repoUrl": "https://github.com/u/r",
      "entries": {"Go Benchmark": [{
        "commit": {"id": "3f2a9c1d", "message": "Sort", "timestamp": "2026-11-20T10:00:00Z"},
        "date": 1574927127603, "tool": "go",
        "benches": [{"name": "BenchmarkFib10", "value": 325, "unit": "ns/op",
          "extra": "5000000 times"}]}]}}

and the input of its tools ``customSmallerIsBetter`` and ``customBiggerIsBetter``::

    [{"name": "Start-up", "unit": "ms", "value": 120, "range": "3", "extra": "cold"}]

Meaning of the numbers: a tool's printed values, one per benchmark; an entry is a run of its commit.
Units of time are times per operation, ``…/s`` and ``…/sec`` operations per second; any other unit
is a separate metric. Only an entry of ``data.js`` records which direction of that metric is better,
so it carries the verdict there; pass ``--metric UNIT`` for the custom JSON. A suite is a group if
the file has several. Google Benchmark's aggregates over repetitions are left out; if the
repetitions are missing, the median represents them. ``benchkit history import`` reads all commits
at once.

Not recorded: the machine, repetitions, the spread of most tools (the meaning of ``range`` varies).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import (
    is_amount,
    line_of,
    read_documents,
    read_moment,
    read_text,
)
from benchkit.reading.signs import begins_object
from benchkit.regexes import regex
from benchkit.units import scale

_ASSIGNMENT = regex(r"\s*window\.BENCHMARK_DATA\s*=")
_CUSTOM = regex(
    r'\[\s*\{(?:\s*"(?:name|unit|value|range|extra)"\s*:\s*(?:"(?:[^"\\]|\\[^\n])*+"|[\d.eE+-]+)\s*+,?)+\}'
)
_TIME = regex(r"(ns|us|µs|μs|ms|s|secs?|(?:nano|micro|milli)?seconds?)(?:/(?:op|iter|ops))?")
_RATE = regex(r"(?:ops|iter|op|iters|ops/iter)/s(?:ec)?")
#: The rest of a line of Go, which the action took as the unit of its first value.
_REST = regex(r"([^\s\d]\S*+)((?:\t *[\d.]{1,20}(?:e[+-]\d{1,3})? [^\s\d]\S*+)+)")
_EXPONENT = {"ns": -9, "us": -6, "µs": -6, "μs": -6, "ms": -3, "s": 0, "sec": 0, "secs": 0}
for _part, _power in {"nano": -9, "micro": -6, "milli": -3, "": 0}.items():
    _EXPONENT |= {f"{_part}second": _power, f"{_part}seconds": _power}
_KNOWN = {"B/op": ("bytes_per_op", "B", 0), "allocs/op": ("allocs_per_op", "1", 0),
          "MB/s": ("processing_rate", "B/s", 6)}  # fmt: skip
#: Google Benchmark's names for aggregates over repetitions.
_AGGREGATE = regex(r"(.+)_(mean|median|stddev|cv)")
_BIGGER = {"benchmarkjs", "pytest", "customBiggerIsBetter"}
_TOOL = "github-action-benchmark"
_HINT = "use the file as github-action-benchmark wrote it"


_is_data = begins_object('"lastUpdate"', '"repoUrl"', '"entries"')


def _recognises(head: Head) -> bool:
    is_script = head.is_start and head.text.lstrip().startswith("window.BENCHMARK_DATA")
    return is_script or _is_data(head)


def _parse(source: Source) -> Iterator[Record]:
    """Yield a reading per benchmark of each commit."""
    whole = read_text(source)
    if isinstance(whole, Diagnostic):
        yield whole
        return
    opening = _ASSIGNMENT.match(whole)
    start = opening.end() if opening else 0
    lines = "\n" * whole.count("\n", 0, start)
    text = lines + whole[start:].rstrip().removesuffix(";")
    for line, document in read_documents(Source(None, source.label, text.encode())):
        if isinstance(document, Diagnostic):
            yield document
            continue
        entries = document.get("entries") if isinstance(document, dict) else None
        suites = entries if isinstance(entries, dict) else {}
        if not suites:
            yield Diagnostic(source.label, line, "the file has no entries", _HINT)
        for suite, commits in suites.items():
            group = suite if len(suites) > 1 else ""
            for entry in commits if isinstance(commits, list) else []:
                yield from _read_entry(source.label, entry, group, line)


def _read_entry(label: str, entry: object, group: str, line: int) -> Iterator[Record]:
    """Yield the benchmarks of one commit, and a damaged run for each unreadable one."""
    fields = entry if isinstance(entry, dict) else {}
    commit = fields.get("commit")
    about = commit if isinstance(commit, dict) else {}
    identity, tool = about.get("id"), fields.get("tool")
    if not isinstance(identity, str) or not identity.strip():
        yield Diagnostic(label, line, "an entry has no commit", _HINT)
        return
    began = _read_date(about.get("timestamp"), fields.get("date"))
    is_bigger = tool in _BIGGER if isinstance(tool, str) else None
    benches = _leave_out_aggregates(fields.get("benches"), tool)
    empty = Diagnostic(label, line, f"commit {identity[:8]} has no benchmarks", _HINT)
    for record in _read_benches(label, benches, is_bigger, line) if benches else [empty]:
        run = record
        if isinstance(record, Diagnostic):
            yield record
            run = Reading(tool=_TOOL, form="json", line=record.line, role="damaged")
            run.remark = f"{record.line}: {record.what}"
        if isinstance(run, Reading):
            run.variant, run.group, run.started_at = identity[:8], group, began
            run.env = {"commit": identity, **({"date": began.isoformat()} if began else {})}
            yield run


def _read_date(timestamp: object, date: object) -> datetime | None:
    """Return the time of a commit, or else of its measurement."""
    if (made := read_moment(timestamp)) is None and is_amount(date) and date < 1e13:
        made = datetime.fromtimestamp(date / 1000, UTC)
    return made


def _leave_out_aggregates(benches: object, tool: object) -> list[object]:
    """Return benchmarks without aggregates over repetitions; a median represents missing ones.

    Examples
    --------
    >>> names = ("a", "a", "a_mean", "a_cv", "b_mean", "b_median", "b_stddev", "c_mean")
    >>> kept = _leave_out_aggregates([{"name": name} for name in names], "googlecpp")
    >>> [each["name"] for each in kept]
    ['a', 'a', 'b', 'c_mean']
    """
    each = benches if isinstance(benches, list) else []
    names = Counter(
        bench["name"]
        for bench in each
        if isinstance(bench, dict) and isinstance(bench.get("name"), str)
    )
    kept: list[object] = []
    for bench in each:
        name = bench.get("name") if isinstance(bench, dict) else None
        ending = _AGGREGATE.fullmatch(name) if isinstance(name, str) else None
        base = ending[1] if ending else ""
        written = (f"{base}_{stat}" in names for stat in ("mean", "median", "stddev"))
        if names[base] < 2 and not (tool == "googlecpp" and all(written)):
            kept.append(bench)
        elif not names[base] and ending and ending[2] == "median":
            kept.append({**bench, "name": base})
    return kept


def _read_benches(
    label: str, benches: object, is_bigger: bool | None, line: int
) -> Iterator[Record]:
    """Yield a reading per benchmark of a list.

    A whole line of Go is one reading, or none if readings of its values follow.
    """
    each = benches if isinstance(benches, list) else []
    for bench, after in zip_longest(each, each[1:]):
        fields: Mapping[str, Any] = bench if isinstance(bench, dict) else {}
        name, value, unit = (fields.get(key) for key in ("name", "value", "unit"))
        at = line_of(value, line)
        if not isinstance(name, str) or not isinstance(unit, str) or not is_amount(value):
            what = f"{name} has no valid value or unit" if name else "a benchmark has no name"
            yield Diagnostic(label, at, what, _HINT)
            continue
        run = Reading(tool=_TOOL, form="json", line=at, last_line=at)
        run.benchmark = name.removesuffix(f" - {unit}")
        first, rest = whole.groups() if (whole := _REST.fullmatch(unit)) else (unit, "")
        if rest and isinstance(after, dict) and after.get("name") == f"{name} - {first}":
            continue
        for number, of_unit in [(repr(float(value)), first), *map(str.split, rest.split("\t")[1:])]:
            metric, base, exponent = _find_metric(of_unit)
            if metric == _name_metric(of_unit) and is_bigger is not None:
                run.better[metric] = "higher" if is_bigger else "lower"
            run.add(metric, "sample", scale(number, exponent), base, at)
        yield run


def _find_metric(unit: str) -> tuple[str, str, int]:
    """Return the metric of a unit, its base unit and the power of ten.

    Examples
    --------
    >>> _find_metric("ns/iter"), _find_metric("secs/op")
    (('time_per_op', 's', -9), ('time_per_op', 's', 0))
    >>> _find_metric("Percent"), _find_metric("")
    (('Percent', '1', 0), ('value', '1', 0))
    """
    if time := _TIME.fullmatch(unit.strip().lower()):
        return "time_per_op", "s", _EXPONENT[time[1]]
    if _RATE.fullmatch(unit.strip()):
        return "operation_rate", "1/s", 0
    return _KNOWN.get(unit, (_name_metric(unit), "1", 0))


def _name_metric(unit: str) -> str:
    """Return the metric of a unit of the user's own; entries may leave the unit empty."""
    return unit.strip() or "value"


def _recognises_custom(head: Head) -> bool:
    text = head.text.lstrip() if head.is_start else ""
    first = _CUSTOM.match(text)
    return first is not None and all(f'"{key}"' in first[0] for key in ("name", "unit", "value"))


def _parse_custom(source: Source) -> Iterator[Record]:
    r"""Yield a reading per benchmark.

    Examples
    --------
    >>> text = b'[{"name": "Start-up", "unit": "ms", "value": 120}]'
    >>> [(run.benchmark, run.rows[0][3]) for run in _parse_custom(Source(None, "a.json", text))]
    [('Start-up', 0.12)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
        else:
            benches = _leave_out_aggregates(document, None)
            yield from _read_benches(source.label, benches, None, line)


HISTORY = Format(
    name="github_action_benchmark",
    tools=(_TOOL,),
    summary="github-action-benchmark's data.js: a value per benchmark and commit",
    forms=(
        Form(
            name="data.js",
            signature='window.BENCHMARK_DATA = {"entries": {…: [{"commit": …, "benches": …}]}}',
            versions="all; dev/bench/data.js of the branch gh-pages, or external-data-json-path",
            not_recorded="the machine, repetitions; not read: range, extra",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("window.BENCHMARK_DATA", '"repoUrl"'),
)

CUSTOM = Format(
    name="github_action_benchmark_custom",
    tools=(_TOOL,),
    summary="the JSON of customSmallerIsBetter and customBiggerIsBetter",
    forms=(
        Form(
            name="json",
            signature='[{"name": …, "unit": …, "value": …}, …]',
            versions="all",
            not_recorded="when it ran, whether higher is better, the machine; not read: range",
        ),
    ),
    recognises=_recognises_custom,
    parse=_parse_custom,
    starts="[",
)

TOOLS = (
    Tool(
        name=_TOOL,
        formats=(HISTORY, CUSTOM),
        role="microbenchmark",
        metrics={"time_per_op": "", "operation_rate": "", "bytes_per_op": "", "allocs_per_op": ""},
        primaries=(("time_per_op", "sample"), ("operation_rate", "sample")),
        tracks_directed=True,
    ),
)

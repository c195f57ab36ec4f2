r"""airspeed velocity's results: the benchmarks of one commit on one machine.

A file, verbatim (asv 0.6, ``results/MACHINE/COMMIT-ENV.json``; most left out)::

    {"commit_hash": "e1b80131837c17e68d97c999bf84b2f4d8d5b51c", "date": 1795640699000,
     "params": {"cpu": "AMD EPYC", "machine": "vm", "num_cpu": "2"}, "python": "3.11",
     "result_columns": ["result", "params", "version", "started_at", "samples"],
     "results": {"suite.time_keys": [[5.2e-07, 1.6e-06], [["10", "100"]], "9fb5", 1795640702139]}}

What the numbers are: results of functions called ``time_…`` and ``timeraw_…`` are seconds, the
median of samples that follow each other in a few processes; a file is a run. ``peakmem_…`` and
``mem_…`` are bytes. A benchmark with parameters has a result for each combination, the last
parameter first, and they stand behind its name, as asv shows them. ``null`` is a benchmark that
failed, and NaN one that was skipped. Before asv 0.4.2 a result is an object in place of a row, or a
number alone; before 0.3 it has no statistics, and a time is the least of its samples.

Not recorded: the names of parameters, the command. Not read: ``track_…``, whose unit is in
``benchmarks.json``, samples, quartiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from math import prod
from typing import Any

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import (
    Fact,
    add_fact,
    as_list,
    is_amount,
    line_of,
    read_documents,
)

#: Up to asv 0.4.1 names of the environment are missing, or the results come first.
_SIGNS = (('"commit_hash"', '"results"', '"env_name"'),
          ('"commit_hash"', '"results"', '"params"', '"requirements"'),
          ('"results"', '"result"', '"ci_99"'))  # fmt: skip
_FACTS = {
    "time": Fact("time_per_op", "median", "s"),
    "timeraw": Fact("time_per_op", "median", "s"),
    "peakmem": Fact("memory_usage", "max", "B"),
    "mem": Fact("memory_usage", "mean", "B"),
}
_HINT = "use the file that asv wrote below results/"
_READ = "benchmarks called time_…, timeraw_…, mem_… and peakmem_… are read"


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and any(all(sign in head.text for sign in signs) for signs in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per benchmark and combination of its parameters.

    Examples
    --------
    >>> results = b'{"a.time_b": [[2, 3], [["x", "y"]]]}'
    >>> text = b'{"result_columns": ["result", "params"], "results": %b}' % results
    >>> [(run.benchmark, run.rows[0][3]) for run in _parse(Source(None, "a.json", text))]
    [('a.time_b(x)', 2.0), ('a.time_b(y)', 3.0)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        fields = document if isinstance(document, dict) else {}
        results, columns = fields.get("results"), as_list(fields.get("result_columns"))
        if not isinstance(results, dict):
            yield Diagnostic(source.label, line, "the file has no results", _HINT)
            continue
        if not all(are_read := [_find_fact(name) is not None for name in results]):
            yield _lack(source.label, line, is_all=not any(are_read))
        env = _describe(fields)
        for name, cells in results.items():
            row = _as_row(cells, columns)
            for record in _read(source.label, name, row, line):
                if isinstance(record, Reading):
                    record.env = dict(env)
                yield record


def _lack(label: str, line: int, *, is_all: bool) -> Diagnostic:
    """Name the benchmarks whose unit a file does not tell."""
    if is_all:
        what = "the file has only track_… benchmarks, whose units are in benchmarks.json"
        return Diagnostic(label, line, what, _READ)
    what = "track_… benchmarks, whose units are in benchmarks.json, were left out"
    return Diagnostic(label, line, what, _READ, "warning")


def _describe(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return what a file tells of all its benchmarks: the commit and the machine."""
    commit, date, params = (fields.get(name) for name in ("commit_hash", "date", "params"))
    env = {"python": str(fields["python"])} if isinstance(fields.get("python"), str) else {}
    for key, name in (("cpu", "cpu"), ("num_cpu", "cpus"), ("machine", "machine")):
        if isinstance(params, dict) and isinstance(value := params.get(key), str) and value:
            env[name] = value
    if isinstance(commit, str):
        env["commit"] = commit
        if is_amount(date) and date < 1e13:
            env["date"] = datetime.fromtimestamp(date / 1000, UTC).isoformat()
    return env


def _as_row(cells: object, columns: Sequence[object]) -> dict[str, Any]:
    """Return what a benchmark has, by its names; those of any version of asv."""
    if columns:
        return dict(zip(map(str, columns), as_list(cells), strict=False))
    row = cells if isinstance(cells, dict) else {"result": None if cells is None else [cells]}
    return {**row, "is_least": not row.get("stats")}


def _find_fact(name: str) -> Fact | None:
    """Return the observation that results of a benchmark are; its name begins with their kind."""
    return _FACTS.get(name.rpartition(".")[2].partition("_")[0])


def _read(label: str, name: str, row: Mapping[str, Any], line: int) -> Iterator[Record]:
    """Yield the results of one benchmark."""
    fact = _find_fact(name)
    if fact is None:
        return
    if row.get("is_least") and fact.unit == "s":
        fact = fact._replace(stat="min")
    values, levels = row.get("result"), row.get("params")
    lists = levels if isinstance(levels, list) else []
    if not all(isinstance(each, list) for each in lists) or not isinstance(values, list | None):
        yield Diagnostic(label, line, f"{name} has no valid result or params", _HINT)
    elif values is None:
        run = Reading(tool="asv", form="json", line=line, last_line=line, benchmark=name)
        run.status, run.remark = "failed", f"{line}: {name} failed in asv"
        yield run
    elif len(values) != prod(map(len, lists)):
        yield Diagnostic(
            label, line, (f"{name} lacks results for some combinations of parameters"), _HINT
        )
    else:
        for value, combination in zip(values, product(*lists), strict=True):
            behind = f"({', '.join(map(str, combination))})" if combination else ""
            at = line_of(value, line)
            run = Reading(tool="asv", form="json", line=at, last_line=at, benchmark=name + behind)
            if is_amount(value):
                add_fact(run, fact, value, at)
                yield run
            elif value is None:
                run.status, run.remark = "failed", f"{at}: {run.benchmark} failed in asv"
                yield run


JSON = Format(
    name="asv",
    tools=("asv",),
    summary="airspeed velocity's results: the benchmarks of one commit",
    forms=(
        Form(
            name="json",
            signature='{"commit_hash": …, "env_name": …, "result_columns": […], "results": {…}}',
            versions="all, results/MACHINE/COMMIT-ENV.json",
            not_recorded="names of parameters; not read: track_…, samples, quartiles",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"commit_hash"', '"ci_99"'),
    repeating=(("machine.json", "../benchmarks.json"), ("benchmarks.json", "*/machine.json")),
)

TOOLS = (
    Tool(
        name="asv",
        formats=(JSON,),
        command="asv run",
        role="microbenchmark",
        metrics={"time_per_op": "", "memory_usage": ""},
        primaries=(("time_per_op", "median"), ("time_per_op", "min")),
    ),
)

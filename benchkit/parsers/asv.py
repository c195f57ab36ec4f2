r"""airspeed velocity's results: the benchmarks of one commit on one machine.

A file, verbatim (asv 0.6, ``results/MACHINE/COMMIT-ENV.json``; mostly shortened)::

    {"commit_hash": "e1b80131837c17e68d97c999bf84b2f4d8d5b51c", "date": 1795640699000,
     "params": {"cpu": "AMD EPYC", "machine": "vm", "num_cpu": "2"}, "python": "3.11",
     "result_columns": ["result", "params", "version", "started_at", "samples"],
     "results": {"suite.time_keys": [[5.2e-07, 1.6e-06], [["10", "100"]], "9fb5", 1795640702139]}}

Meaning of the numbers: results of functions named ``time_…`` and ``timeraw_…`` are seconds, the
median of successive samples in a few processes; a file is a run. ``peakmem_…`` and ``mem_…`` are
bytes. A benchmark with parameters has a result for each combination, with the last parameter
varying fastest; the values follow its name, as in asv's output. ``null`` is a benchmark that
failed, and NaN one that was skipped. Before asv 0.4.2 a result is an object instead of a row, or a
single number; before 0.3 it has no statistics, and a time is the minimum of its samples.

``track_…`` are values that a function returned: a metric named after its unit, which
``benchmarks.json`` in the parent folder records; without that file they are left out.

Not recorded: the names of parameters, the command. Not read: samples, quartiles.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import product
from math import prod
from typing import Any, TypeGuard

from benchkit.config.files import read_file
from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import (
    Fact,
    add_fact,
    as_list,
    as_object,
    is_amount,
    line_of,
    read_documents,
)
from benchkit.redaction import show_part

#: Up to asv 0.4.1 the environment's names are missing, or the results come first.
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
_TRACKED = "track"
#: The unit of a benchmark without a stated one.
_UNITLESS = "unit"


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
        facts = _find_facts(source, results)
        if any(fact.metric == _UNITLESS for fact in facts.values()):
            what = "track_… benchmarks are read without their units, which are in benchmarks.json"
            hint = "give the folder results/ with its benchmarks.json"
            yield Diagnostic(source.label, line, what, hint, "warning")
        env = _describe(fields)
        for name, fact in facts.items():
            row = _as_row(results[name], columns)
            for record in _read(source.label, name, fact, row, line):
                if isinstance(record, Reading):
                    record.env = dict(env)
                yield record


def _describe(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts that apply to all benchmarks of a file: the commit and the machine."""
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
    """Return the cells of a benchmark by column name, for any version of asv."""
    if columns:
        return dict(zip(map(str, columns), as_list(cells), strict=False))
    row = cells if isinstance(cells, dict) else {"result": None if cells is None else [cells]}
    return {**row, "is_least": not row.get("stats")}


def _find_facts(source: Source, names: Iterable[str]) -> dict[str, Fact]:
    """Return the observations for benchmarks, whose names begin with their kind."""
    kinds = {name: name.rpartition(".")[2].partition("_")[0] for name in names}
    units = _read_units(source) if _TRACKED in kinds.values() else {}
    tracked = {name: Fact(units.get(name, _UNITLESS), "sample") for name in names}
    facts = {
        name: tracked[name] if kind == _TRACKED else _FACTS.get(kind)
        for name, kind in kinds.items()
    }
    return {name: fact for name, fact in facts.items() if fact}


def _read_units(source: Source) -> dict[str, str]:
    """Return the units of benchmarks, as recorded by the file in the parent folder."""
    if source.path is None:
        return {}
    listed = source.path.parent.parent / "benchmarks.json"
    # A planted link must not reveal the content of another file.
    with suppress(OSError, ValueError, RecursionError):
        fields = {} if listed.is_symlink() else json.loads(read_file(listed))
        entries = fields.items() if isinstance(fields, dict) else ()
        units = {name: as_object(entry).get("unit") for name, entry in entries}
        return {name: unit for name, unit in units.items() if isinstance(unit, str) and unit}
    return {}


def _read(label: str, name: str, fact: Fact, row: Mapping[str, Any], line: int) -> Iterator[Record]:
    """Yield the results of one benchmark."""
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
        what = f"{name} lacks results for some combinations of parameters"
        yield Diagnostic(label, line, what, _HINT)
    else:
        for value, combination in zip(values, product(*lists), strict=True):
            behind = f"({', '.join(map(str, combination))})" if combination else ""
            at = line_of(value, line)
            run = Reading(tool="asv", form="json", line=at, last_line=at, benchmark=name + behind)
            if is_amount(value) or (fact.stat == "sample" and _is_finite(value)):
                add_fact(run, fact, value, at)
                yield run
            elif value is None:
                run.status, run.remark = "failed", f"{at}: {run.benchmark} failed in asv"
                yield run
            elif value == value:  # noqa: PLR0124 - NaN is a benchmark that was skipped
                what = f"the result of {run.benchmark} is {show_part(str(value))}; it is left out"
                yield Diagnostic(label, at, what, _HINT, "warning")


def _is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number; a function may return anything."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )


JSON = Format(
    name="asv",
    tools=("asv",),
    summary="airspeed velocity's results: the benchmarks of one commit",
    forms=(
        Form(
            name="json",
            signature='{"commit_hash": …, "env_name": …, "result_columns": […], "results": {…}}',
            versions="all, results/MACHINE/COMMIT-ENV.json",
            not_recorded="names of parameters; not read: samples, quartiles",
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

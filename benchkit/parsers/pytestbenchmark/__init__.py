r"""pytest-benchmark's JSON, in which a session is a run and its rounds are samples of that run.

A file, verbatim (pytest-benchmark 5.3, ``--benchmark-json`` with ``--benchmark-save-data``; mostly
shortened)::

    {"machine_info": {"node": "vm", "python_version": "3.11.7", "cpu": {"brand_raw": "Intel"}},
     "commit_info": {"id": "3f2a"},
     "benchmarks": [{"group": null, "name": "test_sort[10]",
       "fullname": "tests/test_sort.py::test_sort[10]", "params": {"size": 10},
       "stats": {"min": 1.06e-06, "max": 0.012, "mean": 4.39e-06, "stddev": 0.0001, "rounds": 3,
         "median": 1.13e-06, "q1": 1.11e-06, "q3": 1.16e-06, "iterations": 1,
         "data": [1.06e-06, 1.13e-06, 0.012]}}],
     "datetime": "2026-11-23T23:04:19.589191+00:00", "version": "5.3.1"}

Meaning of the numbers: times are seconds. A round is a batch of ``iterations`` calls, and its time
is that of one call. Rounds follow each other in one process, so all of them are one run, whose
value is their median (a single slow round shifts the mean); for a verdict, save several sessions of
each variant. ``data`` is present only with ``--benchmark-save-data``; percentiles are computed from
it. Parameters of a test become params, and its name is kept without their brackets. If a parameter
is an object, whose text differs from run to run, the test's id is the param, without memory
addresses. A session that measured uncommitted changes belongs to no commit.

The table on the terminal, also in a log of CI or on a page, and the CSV of a comparison have the
same statistics, in the table of four decimals; its rows ``(NOW)`` and ``(0001_base)`` are variants.

Not recorded: the command, settings of the machine, warm-up rounds. Not read: outliers, quartiles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeGuard

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
from benchkit.parsers.documents import line_of, read_documents, read_moment
from benchkit.regexes import regex

_SIGNS = ('"benchmarks"', '"machine_info"')
_STATS = {"median": "median", "mean": "mean", "min": "min", "max": "max", "stddev": "stdev"}
_LEVELS = {"p90": 0.9, "p99": 0.99, "p99.9": 0.999}
#: An object's memory address, which differs from run to run.
_ADDRESS = regex(r" at 0x[0-9A-Fa-f]{4,16}\b")
#: The beginning of a parameter's text if the parameter is an object.
_OBJECT = "UNSERIALIZABLE["
_HINT = "use the whole file that --benchmark-json wrote"


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign in head.text for sign in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per test.

    Examples
    --------
    >>> text = b'{"benchmarks": [{"name": "test_a[1]", "param": "1", "stats": {"median": 0.5}}]}'
    >>> [(each.benchmark, each.params, each.rows[0][3]) for each in _parse(Source(None, "", text))]
    [('test_a', {'param': '1'}, 0.5)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        fields = document if isinstance(document, dict) else {}
        results = fields.get("benchmarks")
        if not isinstance(results, list) or not results:
            yield Diagnostic(
                source.label, line, "the session has no benchmarks", "run the benchmark again"
            )
            continue
        distinct = _list_distinct(results)
        for result in results:
            for record in _read(source.label, fields, result, line):
                if isinstance(record, Reading) and result["name"] in distinct:
                    record.benchmark = _ADDRESS.sub("", record.benchmark)
                    record.params = {k: _ADDRESS.sub("", v) for k, v in record.params.items()}
                yield record


def _list_distinct(results: Sequence[object]) -> Container[str]:
    """Return the names of tests that remain unique without addresses.

    Examples
    --------
    >>> _list_distinct([{"name": "test[<a at 0x7f001a]"}])
    {'test[<a at 0x7f001a]'}
    >>> _list_distinct([{"name": f"test[<a at 0x7f001{each}]"} for each in "ab"])
    set()
    """
    names = (each.get("name") for each in results if isinstance(each, dict))
    known = {name for name in names if isinstance(name, str)}
    counts = Counter(_ADDRESS.sub("", name) for name in known)
    return {name for name in known if counts[_ADDRESS.sub("", name)] == 1}


def _read(label: str, session: dict[str, Any], result: object, line: int) -> Iterator[Record]:
    """Yield the run of one test, and diagnostics for invalid numbers."""
    fields = result if isinstance(result, dict) else {}
    name, stats = fields.get("name"), fields.get("stats")
    numbers = stats if isinstance(stats, dict) else {}
    if not isinstance(name, str) or not _is_time(numbers.get("median")):
        what = f"{name} has no valid median" if isinstance(name, str) else "a result has no name"
        yield Diagnostic(label, line, what, _HINT)
        return
    run = Reading(tool="pytest-benchmark", form="json", line=line)
    run.benchmark, run.params = _split_name(name, fields)
    count = numbers.get("rounds")
    n = int(count) if isinstance(count, int) and not isinstance(count, bool) else None
    damaged: list[tuple[int, str]] = []
    for key, stat in _STATS.items():
        if _is_time(value := numbers.get(key)):
            run.add("time_per_op", stat, float(value), "s", line_of(value, line), n=n)
        elif key in numbers:
            damaged.append((line_of(value, line), f"{key} is {_show(value)}"))
    data = numbers.get("data", [])
    rounds = data if isinstance(data, list) else [data]
    if wrong := [each for each in rounds if not _is_time(each)]:
        at = line_of(wrong[0], line_of(rounds[0], line))
        damaged.append((at, f"data has {_show(wrong[0])}"))
    elif rounds:
        _add_percentiles(run, rounds, line)
    run.rows.sort(key=itemgetter(9))
    run.line, run.last_line = run.rows[0][9], run.rows[-1][9]
    _describe(run, session)
    yield run
    for at, text in damaged:
        what = f"{text} in {name}, which is not a time; it is left out"
        yield Diagnostic(label, at, what, _HINT, "warning")


def _show(value: object) -> str:
    return json.dumps(value)[:20]


def _split_name(name: str, fields: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Return a test's name without its parameters, and the parameters.

    Examples
    --------
    >>> _split_name("test_a[1-x]", {"params": {"n": 1, "kind": "x"}, "param": "1-x"})
    ('test_a', {'n': '1', 'kind': 'x'})
    >>> _split_name("test_a[fast]", {"params": {"how": {"a": 1}}, "param": "fast"})
    ('test_a', {'param': 'fast'})
    """
    param, params = fields.get("param"), fields.get("params")
    if not isinstance(param, str) or not name.endswith(f"[{param}]"):
        return name, {}
    name = name.removesuffix(f"[{param}]")
    values = params if isinstance(params, dict) else {}
    is_plain = all(
        isinstance(value, str | int | float) and not _is_object(value) for value in values.values()
    )
    if not values or not is_plain:
        return name, {"param": param}
    return name, {key: str(value) for key, value in values.items()}


def _is_object(value: object) -> bool:
    text = str(value)
    return text.startswith(_OBJECT) or _ADDRESS.search(text) is not None


def _add_percentiles(run: Reading, data: Sequence[float], line: int) -> None:
    """Add percentiles of the rounds, each only if a round lies beyond it."""
    import numpy as np

    levels = {stat: level for stat, level in _LEVELS.items() if len(data) * (1 - level) >= 1}
    values = np.quantile(np.array(data, dtype=np.float64), list(levels.values()))
    at = line_of(data[0], line)
    for stat, value in zip(levels, values.tolist(), strict=True):
        run.add("time_per_op", stat, value, "s", at, n=len(data), origin="computed")


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9


def _describe(run: Reading, session: dict[str, Any]) -> None:
    """Set the version, the machine and the commit of the session."""
    version = session.get("version")
    run.tool_version = version if isinstance(version, str) else None
    machine = session.get("machine_info")
    facts = machine if isinstance(machine, dict) else {}
    cpu = facts.get("cpu")
    brand = cpu.get("brand_raw") if isinstance(cpu, dict) else None
    known = {"python": facts.get("python_version"), "cpu": brand, **_find_commit(session)}
    run.env |= {key: value for key, value in known.items() if isinstance(value, str) and value}


def _find_commit(session: dict[str, Any]) -> dict[str, Any]:
    """Return the commit that a session measured, its date and its branch, as far as known.

    Examples
    --------
    >>> _find_commit({"commit_info": {"id": "3f2a", "dirty": False, "branch": "(unknown)"}})
    {'commit': '3f2a'}
    >>> _find_commit({"commit_info": {"id": "unversioned"}})
    {}
    >>> _find_commit({"commit_info": {"id": "3f2a", "dirty": True}})
    {'tree': 'dirty'}
    """
    about = session.get("commit_info")
    if not isinstance(about, dict) or about.get("id") in ("unversioned", "unknown"):
        return {}
    if about.get("dirty"):
        return {"tree": "dirty"}
    made, branch = read_moment(about.get("time")), about.get("branch")
    is_branch = isinstance(branch, str) and not branch.startswith("(")
    known = {"commit": about.get("id"), "date": made.isoformat() if made else None}
    known["branch"] = branch if is_branch else None
    return {name: value for name, value in known.items() if value}


JSON = Format(
    name="pytest_benchmark",
    tools=("pytest-benchmark",),
    summary="pytest-benchmark's JSON: the tests of a session",
    forms=(
        Form(
            name="json",
            signature='{"machine_info": {…}, "benchmarks": [{"name": …, "stats": {…}}]}',
            versions="3.0 on, --benchmark-json, --benchmark-save, --benchmark-autosave",
            not_recorded="when it began, the command; not read: outliers, quartiles, iterations",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"machine_info"',),
)

TABLE = Format(
    name="pytest_benchmark_table",
    tools=("pytest-benchmark",),
    summary="pytest-benchmark's table on the terminal",
    forms=(
        Form(
            name="table",
            signature="Name (time in us)  Min  Max  Mean  …  Rounds  Iterations",
            versions="3.1 on, with any --benchmark-columns; sessions of a comparison are variants",
            not_recorded="the version, the machine, the commit, rounds; not read: outliers, "
            "quartiles, operations/s",
        ),
    ),
    recognises=late("benchkit.parsers.pytestbenchmark.tables:recognises_table"),
    parse=late("benchkit.parsers.pytestbenchmark.tables:parse_table"),
    words=("Name (time in ",),
    anchors=(("Name (time in ", r"m?s|[uµn]s\)"),),
    embeds=True,
)

CSV = Format(
    name="pytest_benchmark_csv",
    tools=("pytest-benchmark",),
    summary="pytest-benchmark's CSV: a row per test",
    forms=(
        Form(
            name="csv",
            signature="name,param:…,min,max,mean,stddev,median,iqr,outliers,ops,rounds,iterations",
            versions="3.1 on, pytest-benchmark compare --csv, with the columns iqr, outliers and "
            "rounds",
            not_recorded="the version, the machine, the commit, rounds; not read: outliers, "
            "quartiles, operations/s",
        ),
    ),
    recognises=late("benchkit.parsers.pytestbenchmark.tables:recognises_csv"),
    parse=late("benchkit.parsers.pytestbenchmark.tables:parse_csv"),
    words=("outliers",),
)

TOOLS = (
    Tool(
        name="pytest-benchmark",
        formats=(JSON, TABLE, CSV),
        command="pytest --benchmark-save-data --benchmark-json result.json",
        role="microbenchmark",
        metrics={"time_per_op": ""},
        primaries=(("time_per_op", "median"),),
    ),
)

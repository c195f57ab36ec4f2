r"""Bencher's metric format (BMF): measures of benchmarks.

A typical file (``bencher run --adapter json``, ``bencher mock``)::

    {"bencher::mock_0": {"latency": {"value": 2.07, "lower_value": 1.86, "upper_value": 2.28}}}

and of version 1, in which a benchmark has parameters and any number of metrics::

    {"sort": [{"parameters": {"size": 16}, "measures": {"latency": {"value": 42, "p99": 97}}}]}

Meaning of the numbers: ``latency`` is nanoseconds unless the file states a unit of time,
``throughput`` is operations per second, and Bencher's other measures are seconds and bytes; a
user-defined measure is a metric without unit or direction. Percentiles are kept. The bounds are
not, because their meaning depends on the adapter. If entries have the same parameters, the later
one applies, as in Bencher.

Not recorded: the start of the run, the tool, repeats; name files so that each is a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
from benchkit.regexes import regex

_NUMBER = r"-?\d{1,18}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?"
_FIELD = rf'"(?:value|lower_value|upper_value)"\s*:\s*(?:{_NUMBER}|null)\s*'
_MEASURE = r'\{\s*"[^"]{1,99}"\s*:\s*\{\s*'
_ENTRY = rf'\[\s*\{{\s*(?:"parameters"\s*:\s*\{{[^{{}}]*\}}\s*,\s*)?"measures"\s*:\s*{_MEASURE}"'
_OPENING = regex(rf'\{{\s*"[^"]{{1,999}}"\s*:\s*(?:{_MEASURE}{_FIELD}[,}}]|{_ENTRY})')
_STAT = regex(r"value|(p\d{1,2}(?:\.\d{1,3})?)", re.ASCII)
_HINT = "use the file that bencher read"
#: Metric, base unit and units with their exponents for each measure; Bencher's unit comes first.
_MEASURES = {
    "latency": ("time_per_op", "s", {"ns": -9, "us": -6, "µs": -6, "ms": -3, "s": 0}),
    "throughput": ("operation_rate", "1/s", {"ops/s": 0}),
}


def _recognises(head: Head) -> bool:
    return head.is_start and _OPENING.match(head.text.lstrip()) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per benchmark.

    Examples
    --------
    >>> text = b'{"sort": {"latency": {"value": 88.0}, "hits": {"value": 3}}}'
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [row[1:5] for row in run.rows]
    [('time_per_op', 'sample', 8.8e-08, 's'), ('hits', 'sample', 3.0, '1')]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        for name, entries in as_object(document).items():
            listed = as_list(entries) or [{"measures": entries}]
            for params, measures in _merge(listed).items():
                run = Reading(tool="bencher", form="json", line=line, benchmark=name)
                run.params = dict(params)
                for problem in _add_measures(run, measures):
                    yield Diagnostic(source.label, problem[0], problem[1], _HINT)
                if run.rows:
                    run.line, run.last_line = run.rows[0][9], run.rows[-1][9]
                    yield run


def _merge(
    entries: list[object],
) -> dict[tuple[tuple[str, str], ...], dict[str, dict[str, object]]]:
    """Return the measures of each set of parameters; later entries replace metrics of earlier ones.

    Examples
    --------
    >>> _merge([{"parameters": {"n": n}, "measures": {"hits": {"value": n}}} for n in (1, 1.0)])
    {(('n', '1'),): {'hits': {'value': 1.0}}}
    """
    sets: dict[tuple[tuple[str, str], ...], dict[str, dict[str, object]]] = {}
    for entry in map(as_object, entries):
        params = sorted(as_object(entry.get("parameters")).items())
        measures = sets.setdefault(tuple((name, _spell(value)) for name, value in params), {})
        for measure, metrics in as_object(entry.get("measures")).items():
            measures[measure] = measures.get(measure, {}) | as_object(metrics)
    return sets


def _spell(value: object) -> str:
    """Return a parameter's value as text; equal numbers give equal texts."""
    return f"{value:.15g}" if is_amount(value) else str(value)


def _add_measures(
    run: Reading, measures: dict[str, dict[str, object]]
) -> Iterator[tuple[int, str]]:
    """Add the metrics of measures to a run; yield line and reason for each invalid one."""
    name = run.benchmark
    if not measures:
        yield run.line, f"{name} has no measures by name"
    for measure, metrics in measures.items():
        stats = {match[1] or "sample": value for metric, value in metrics.items()
                 if (match := _STAT.fullmatch(metric))}  # fmt: skip
        for stat, value in (stats or {"sample": None}).items():
            at = line_of(value, run.line)
            if not is_amount(value):
                yield at, f"{measure} of {name} has no valid value"
            elif (fact := _find_fact(measure, stat, metrics.get("unit"))) is None:
                yield at, f"{measure} of {name} has the unit {metrics['unit']}, which is not known"
            else:
                add_fact(run, fact, value, run.line)


def _find_fact(measure: str, stat: str, unit: object) -> Fact | None:
    """Return the observation for a measure's metric; None if its stated unit is unknown.

    Examples
    --------
    >>> _find_fact("latency", "p99", "ms").exponent, _find_fact("latency", "p99", "cycles")
    (-3, None)
    """
    if measure not in _MEASURES:
        return Fact(measure, stat)
    metric, base, units = _MEASURES[measure]
    exponent = units.get(unit if isinstance(unit, str) else next(iter(units)))
    return None if exponent is None else Fact(metric, stat, base, exponent=exponent)


BMF = Format(
    name="bencher",
    tools=("bencher",),
    summary="Bencher's metric format: measures of benchmarks",
    forms=(
        Form(
            name="json",
            signature='{"benchmark": {"measure": {"value": …}}}, or a list of such objects with '
            "parameters",
            versions="BMF 0 and 1, for bencher run --adapter json",
            not_recorded="when it ran, the tool, repetitions; not read: the bounds",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"value"', '"measures"'),
)

TOOLS = (
    Tool(
        name="bencher",
        formats=(BMF,),
        role="microbenchmark",
        metrics={"time_per_op": "", "operation_rate": ""},
        primaries=(("time_per_op", "sample"), ("operation_rate", "sample")),
    ),
)

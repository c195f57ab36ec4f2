r"""benchcmp's tables: two outputs of ``go test -bench``, side by side.

A table, verbatim (golang.org/x/tools/cmd/benchcmp 0.30)::

    benchmark             old ns/op     new ns/op     delta
    BenchmarkConcat-4     523           68.6          -86.88%

    benchmark             old MB/s     new MB/s     speedup
    BenchmarkConcat-4     36.40        277.20       7.62x

``old allocs`` and ``old bytes`` follow below it if both sides have them.

Meaning of the numbers: a row is one run on each side; a repeated benchmark has another row, or only
its best one (``-best``). Times have at most three digits below 100 ns, and whole nanoseconds above.
Changes are not kept, because they follow from the values.

Not recorded: the names of the files, the time and place of the runs, the iterations; with
``-changed`` also the rows of unchanged benchmarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    bare,
)
from benchkit.parsers.gobench.names import Names
from benchkit.reading.remarks import report_damaged
from benchkit.reading.reports import IS_CUT
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import scale, step

_HEAD = r"benchmark[ \t]+old (ns/op|MB/s|allocs|bytes)[ \t]+new \1[ \t]+(?:delta|speedup)"
_TABLE = regex(rf"^[ \t#>|*/]{{0,99}}{_HEAD}[ \t]*$", re.MULTILINE)
_HEADER = regex(_HEAD)
_ROW = regex(
    r"Benchmark(\S{1,500})\s+(\d{1,18}(?:\.\d{1,2})?)\s+(\d{1,18}(?:\.\d{1,2})?)\s+"
    r"[-+]?(?:\d{1,18}\.\d\d|Inf|NaN)[%x]",
    re.ASCII,
)
#: Metric, base unit and power of ten of a unit.
_UNITS = {
    "ns/op": ("time_per_op", "s", -9),
    "MB/s": ("processing_rate", "B/s", 6),
    "allocs": ("allocs_per_op", "1", 0),
    "bytes": ("bytes_per_op", "B", 0),
}


class _Row(NamedTuple):
    """A row of a table: the values of one run on each side."""

    line: int
    unit: str
    name: str
    values: tuple[str, str]


def _recognises(head: Head) -> bool:
    return _TABLE.search(head.text) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per side of each row, combining the tables of a benchmark.

    Examples
    --------
    >>> text = b"benchmark old ns/op new ns/op delta\nBenchmarkA 523 68.6 -86.88%\n"
    >>> [(run.variant, run.benchmark, run.rows[0][3]) for run in _parse(Source(None, "x", text))]
    [('old', 'A', 5.23e-07), ('new', 'A', 6.86e-08)]
    """
    lines = UntilDamage(source.ended_lines())
    records = list(_read_rows(source.label, lines))
    rows = [each for each in records if isinstance(each, _Row)]
    names = Names(row.name for row in rows)
    runs: dict[tuple[str, int, str], Reading] = {}
    seen: dict[tuple[str, str, int], int] = {}
    call, units = 0, [""]
    for row in rows:
        if row.unit != units[-1]:
            call += row.unit in units  # another call of benchcmp begins with its first table
            units = [*units, row.unit] if row.unit not in units else [row.unit]
        key = (row.name, row.unit, call)
        seen[key] = seen.get(key, 0) + 1
        for side, text in zip(("old", "new"), row.values, strict=True):
            place = (f"{call} {row.name}", seen[key], side)
            run = runs.get(place)
            if run is None:
                benchmark, params = names.split(row.name)
                run = runs[place] = Reading(tool="benchcmp", form="text", line=row.line,
                    benchmark=benchmark, params=params, variant=side)  # fmt: skip
            metric, base, exponent = _UNITS[row.unit]
            run.add(metric, "sample", scale(text, exponent), base, row.line,
                    resolution=step(text, exponent))  # fmt: skip
            run.last_line = row.line
    yield from runs.values()
    yield from (each for each in records if isinstance(each, Diagnostic) and runs)
    lines.raise_damage()
    if not runs:
        message = "the table has no complete row"
        yield Diagnostic(source.label, 0, message, "give the whole output of benchcmp")


def _read_rows(
    label: str, lines: UntilDamage[tuple[int, str, bool]]
) -> Iterator[_Row | Diagnostic]:
    """Yield the rows below a header, and diagnostics for rows that cannot be read."""
    unit = ""
    for number, text, is_ended in lines:
        line = bare(text)
        if header := _HEADER.fullmatch(line):
            unit = header[1]
        elif unit and (row := _ROW.fullmatch(line)):
            yield _Row(number, unit, row[1], (row[2], row[3]))
        elif unit and (line.startswith("Benchmark") or (IS_CUT.match(line) and not is_ended)):
            yield report_damaged("benchcmp", label, number, line)
        elif line:
            unit = ""


TEXT = Format(
    name="benchcmp",
    tools=("benchcmp",),
    summary="benchcmp's tables: one run of each side per benchmark",
    forms=(
        Form(
            name="text",
            signature="benchmark  old ns/op  new ns/op  delta",
            versions="all",
            not_recorded="the names of the files, time, machine, iterations",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("delta", "speedup"),
    anchors=(("benchmark ", r"\s*old \S+\s+new \S+\s+(?:delta|speedup)"),),
    embeds=True,
)

TOOLS = (
    Tool(
        name="benchcmp",
        formats=(TEXT,),
        role="microbenchmark",
        metrics={"time_per_op": "", "bytes_per_op": "", "allocs_per_op": "", "processing_rate": ""},
        primaries=(("time_per_op", "sample"),),
    ),
)

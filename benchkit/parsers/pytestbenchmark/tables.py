"""pytest-benchmark's terminal table, also within a log or a page, and its CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source, bare
from benchkit.reading.delimited import header_of, name_damaged, read_rows
from benchkit.reading.remarks import Remark, report_damaged
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import scale, step

_STATS = {"Min": "min", "Max": "max", "Mean": "mean", "StdDev": "stdev", "Median": "median"}
_UNITS = {"s": 0, "ms": -3, "us": -6, "µs": -6, "ns": -9}
_OTHERS = r"IQR|Outliers(?:\(\*\))?|OPS(?: \([A-Za-z]{1,9}/s\))?|Rounds|Iterations"
_COLUMN = rf"(?:{'|'.join(_STATS)}|{_OTHERS})"
_HEAD = rf"Name \(time in (m?s|[uµn]s)\)((?:\s+{_COLUMN}){{1,10}})"
_TABLE = regex(rf"^[ \t#>|*/]{{0,99}}{_HEAD}[ \t]*$", re.MULTILINE)
_HEADER = regex(_HEAD)
_COLUMNS = regex(_COLUMN)
_RULE = regex(r"-{9,}")
#: The ratio of a value to the best one.
_RATING = regex(r"\((?:>?[\d.,]{1,20}|inf|nan)\)", re.ASCII)
_TIME = regex(r"\d{1,3}(?:,\d{3}){1,5}\.\d{4}|\d{1,18}\.\d{4}", re.ASCII)
_COUNT = regex(r"\d{1,12}", re.ASCII)
#: The session of a row, if a table compares several.
_SIDE = regex(r"(.{1,9999}) \((NOW|(?:[^()\s]{1,200}/)?\d{4}(?:_[^()]{1,200})?)\)", re.ASCII)
_SECONDS = regex(r"\d{1,9}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
_HINT = "use the whole file that pytest-benchmark wrote"
#: Columns of its CSV that tables from elsewhere lack.
_REQUIRED = {"iqr", "outliers", "rounds"}
_TWICE = Remark(
    "{name} appears twice; this second row is left out",
    "write a CSV of each session",
    is_remark=False,
)


def recognises_table(head: Head) -> bool:
    """Return whether a text has the head of a table."""
    return _TABLE.search(head.text) is not None


def parse_table(source: Source) -> Iterator[Record]:
    r"""Yield a reading per row of the tables in a text; the sessions of one table are variants.

    Examples
    --------
    >>> text = b"Name (time in us)  Median  Rounds\n---------\ntest_a[1] (NOW)  5.2000 (1.0)  9\n"
    >>> (run,) = parse_table(Source(None, "", text))
    >>> run.benchmark, run.params, run.variant, run.rows[0][3:6]
    ('test_a', {'param': '1'}, 'NOW', (5.2e-06, 's', 9))
    """
    columns: list[str] = []
    unit, is_empty = "", True
    lines = UntilDamage(source.ended_lines())
    for line, text, is_ended in lines:
        cells = bare(text)
        if header := _HEADER.fullmatch(cells):
            unit, columns = header[1], _COLUMNS.findall(header[2])
            has_begun = False
        elif columns and _RULE.fullmatch(cells):
            columns, has_begun = columns if not has_begun else [], True
        elif not columns:
            continue
        elif is_ended and (run := _read_row(cells, columns, unit, line)) is not None:
            is_empty = False
            yield run
        elif not cells:
            columns = []
        else:
            is_empty = False
            yield report_damaged("pytest-benchmark", source.label, line, cells)
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no complete table of pytest-benchmark here", _HINT)


def _read_row(text: str, columns: Sequence[str], unit: str, line: int) -> Reading | None:
    """Return the result in a row; None if it is not one."""
    words = text.split()
    whole, cells = len(words), {}
    for column in reversed(columns):
        if words and _RATING.fullmatch(words[-1]):
            words.pop()
        if len(words) < 2:
            return None
        cells[column] = words.pop()
    times = {_STATS[name]: cell for name, cell in cells.items() if name in _STATS}
    rounds = cells.get("Rounds", "0")
    if not all(map(_TIME.fullmatch, times.values())) or not times or not _COUNT.fullmatch(rounds):
        return None
    run = Reading(tool="pytest-benchmark", form="table", line=line, last_line=line)
    name = text.rsplit(None, whole - len(words))[0]
    if side := _SIDE.fullmatch(name):
        name, run.variant = side.groups()
    run.benchmark, run.params = _split(name)
    for stat, cell in reversed(times.items()):
        number = cell.replace(",", "")
        run.add(
            "time_per_op", stat, scale(number, _UNITS[unit]), "s", line,
            n=int(rounds) or None, resolution=step(number, _UNITS[unit]),
        )  # fmt: skip
    return run


def _split(name: str) -> tuple[str, dict[str, str]]:
    """Return a test's name without file and parameters, and these.

    Examples
    --------
    >>> _split("tests/test_a.py::test_sort[10-a::b]")
    ('test_sort', {'param': '10-a::b'})
    """
    test, bracket, param = name.partition("[")
    test = test.rpartition("::")[2]
    if not bracket or not param.endswith("]"):
        return test + bracket + param, {}
    return test, {"param": param.removesuffix("]")}


def recognises_csv(head: Head) -> bool:
    """Return whether a source begins with the header of its CSV."""
    columns = header_of(head.text) if head.is_start else []
    has_times = not {"min", "max", "mean", "median"}.isdisjoint(columns)
    return columns[:1] == ["name"] and _REQUIRED.issubset(columns) and has_times


def parse_csv(source: Source) -> Iterator[Record]:
    r"""Yield a reading per row.

    Examples
    --------
    >>> text = b"name,param:n,median,iqr,outliers,rounds\nt.py::test_a[5],5,2e-06,0,1;2,9\n"
    >>> (run,) = parse_csv(Source(None, "", text))
    >>> run.benchmark, run.params, run.rows[0][3:6]
    ('test_a', {'n': '5'}, (2e-06, 's', 9))
    """
    seen: set[str] = set()
    for line, row in read_rows(source, "pytest-benchmark", ("name", *sorted(_REQUIRED))):
        if isinstance(row, Diagnostic):
            yield row
            continue
        run = Reading(tool="pytest-benchmark", form="csv", line=line, last_line=line)
        run.benchmark, run.params = _split(row["name"])
        params = {key[6:]: cell for key, cell in row.items() if key.startswith("param:") and cell}
        run.params = params or run.params
        rounds = row["rounds"]
        n = int(rounds) if _COUNT.fullmatch(rounds) else None
        for column, stat in _STATS.items():
            cell = row.get(column.lower())
            if cell is None:
                continue
            if _SECONDS.fullmatch(cell):
                run.add("time_per_op", stat, float(cell), "s", line, n=n)
            else:
                yield from name_damaged(source, line, column.lower(), cell, "pytest-benchmark")
        key = f"{run.benchmark} {sorted(run.params.items())}"
        if key in seen:
            yield _TWICE.at(source.label, line, name=row["name"][:60])
        elif run.rows:
            yield run
        seen.add(key)

r"""Tables from unknown tools, read by a map of their columns.

A file and its map::

    build,test,ms
    old,sort,12.5
    new,sort,11.75

    [[map]]
    variant = "build"
    benchmark = "test"
    metric = {constant = "time_per_op"}
    value = "ms"
    unit = {constant = "ms"}

Rows come from CSV (separated by commas, semicolons or tabs), from JSON with an object per line, or
from a list in a JSON document; fields of nested objects have dotted names. Without a column for the
run, the rows of one benchmark and metric are its runs, in order.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from math import isfinite
from sys import float_info
from typing import Any

from benchkit.config.maps import Cell, Measure, TableMap, find_unit
from benchkit.errors import UnknownFormatError
from benchkit.metrics import VOCABULARY, vocabulary
from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Row, Source
from benchkit.parsers.documents import line_of, read_documents
from benchkit.parsers.leaves import name_fields
from benchkit.reading.delimited import read_rows
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import read_number

#: The tool of all runs that are read by a map.
TOOL = "table"
NAME = "map"
_HINT = "correct the table, or the map"
#: A number and its unit.
_AMOUNT = regex(
    r"([+-]?[\d.]{1,30}(?:e[+-]?\d{1,3})?) ?([^\W\d_]{1,5}(?:/[^\W\d_]{1,5})?|%)", re.IGNORECASE
)
#: A number with a comma last, and one whose points may separate thousands.
_COMMA = regex(r"[+-]?\d[\d.]{0,30},\d{1,30}")
_GROUPS = regex(r"[+-]?\d{1,3}(?:\.\d{3}){1,9}")
_MOST_NAMED = 20
_LARGEST_RUN = (1 << 31) - 1
Rows = Iterator[tuple[int, Mapping[str, Any] | Diagnostic]]


def choose(source: Source, maps: Sequence[TableMap]) -> Format | None:
    """Return a format for the first map that fits a source; None if none does.

    Raises
    ------
    UnknownFormatError
        If a map names the file but a column is missing.
    """
    for each in maps:
        if each.files and not _is_named(source.label, each.files):
            continue
        missing = find_missing(source, each)
        if not missing:
            return _make_format(each)
        if each.files:
            what = f"the table lacks {', '.join(missing)}, which its map names"
            raise UnknownFormatError(what, where=source.label, hint=_HINT)
    return None


def explain_none(source: Source, maps: Sequence[TableMap]) -> str:
    """Return why no map fits a source."""
    lacking = sorted((find_missing(source, each) for each in maps), key=len)
    return f"no map fits: the table lacks {', '.join(lacking[0])}"


def find_missing(source: Source, each: TableMap) -> list[str]:
    """Return the columns of a map that are missing from the first row of a table."""
    first: Mapping[str, Any] = {}
    if source.head().text:
        rows = (row for _, row in read_table(source, each.records))
        first = next((row for row in rows if isinstance(row, Mapping)), first)
    return [name for name in each.columns if name not in first]


def _is_named(label: str, patterns: Sequence[str]) -> bool:
    name = label.rpartition("/")[2]
    return any(fnmatchcase(each, pattern) for each in (label, name) for pattern in patterns)


def _make_format(each: TableMap) -> Format:
    """Return the format for the tables of a map."""
    return Format(
        name=NAME,
        tools=(TOOL,),
        summary="any other table, with a map of its columns (see `benchkit help maps`)",
        forms=(
            Form(
                name="csv",
                signature="the columns that its map names (--map or [[map]])",
                versions="all; separated by commas, semicolons or tabs",
                not_recorded="anything without a column",
            ),
            Form(
                name="json",
                signature="objects with the fields that its map names",
                versions="all; one object per line, or a list at the path in `records`",
                not_recorded="as csv",
            ),
        ),
        recognises=_recognises,
        parse=partial(parse, each),
    )


def _recognises(head: Head) -> bool:
    return head.is_start


def read_table(source: Source, records: str = "") -> Rows:
    r"""Yield (line, cells by column) per row, and (line, Diagnostic) for an invalid one.

    Examples
    --------
    >>> text = b'{"build": "old", "time": {"ms": 2}}\n{"build": "new", "time": {"ms": 3}}\n'
    >>> [row for _, row in read_table(Source(None, "x.jsonl", text))]
    [{'build': 'old', 'time.ms': 2}, {'build': 'new', 'time.ms': 3}]
    """
    text = source.head().text.lstrip()
    if text[:1] not in {"{", "["}:
        yield from read_rows(source, "its tool", (), is_foreign=True)
    elif not records and _is_object(text.partition("\n")[0]):
        yield from _read_lines(source)
    else:
        yield from _read_document(source, records)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _read_lines(source: Source) -> Rows:
    """Yield the objects of a text with one object per line."""
    for line, text, _ in source.ended_lines():
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            what = f"not valid JSON ({error}): this line is left out"
            yield line, Diagnostic(source.label, line, what, _HINT, "warning")
            continue
        yield from _as_rows(source.label, line, [row])


def _read_document(source: Source, records: str) -> Rows:
    """Yield the objects of a list, which is the document or is at a dotted path of names."""
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield line, document
            continue
        node = document
        for name in records.split(".") if records else ():
            node = node.get(name) if isinstance(node, dict) else None
        if node is None:
            what = f"there is no list {records!r}"
            yield (
                line,
                Diagnostic(source.label, line, what, "set `records` to the path of the list"),
            )
            continue
        yield from _as_rows(source.label, line, node if isinstance(node, list) else [node])


def _as_rows(label: str, line: int, rows: Iterable[object]) -> Rows:
    for row in rows:
        if isinstance(row, dict):
            cells = dict(name_fields(row))
            lines = (line_of(cell, 0) for cell in cells.values())
            yield min(filter(None, lines), default=line), cells
        else:
            what = "expected an object with the columns as names"
            yield line, Diagnostic(label, line, what, _HINT, "warning")


def parse(each: TableMap, source: Source) -> Iterator[Record]:
    """Yield diagnostics about a table, and its runs."""
    table, bad, line = _Runs(each), 0, 0
    whole = UntilDamage(read_table(source, each.records))
    for line, cells in whole:
        if isinstance(cells, Diagnostic):
            yield cells
            continue
        table.rows += 1
        for measure in each.measures:
            if cells.get(measure.column, "") in ("", None) and measure.column in cells:
                yield Diagnostic(source.label, line, f"{measure.column} is empty", "", "note")
                continue
            try:
                table.take(line, cells, measure)
            except (ValueError, KeyError) as error:
                bad += 1
                if bad <= _MOST_NAMED:
                    yield Diagnostic(source.label, line, _explain(error), _HINT, "warning")
    if bad > _MOST_NAMED:
        what = f"{bad - _MOST_NAMED:,} more values are left out for the same reasons"
        yield Diagnostic(source.label, line, what, _HINT, "warning")
    for at, what in table.drop_unclear():
        yield Diagnostic(source.label, at, what, "write numbers with a decimal point")
    yield from (reading for reading in table.runs.values() if reading.rows)
    whole.raise_damage()


def _explain(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"this row has no {error.args[0]}; left out"
    return f"{error}; left out"


class _Runs:
    """The runs of a table, in the order of first appearance."""

    def __init__(self, each: TableMap) -> None:
        self._map = each
        self._is_wide = all(one.metric.constant for one in each.measures)
        self._counts: Counter[tuple[object, ...]] = Counter()
        self._last: dict[tuple[object, ...], int] = {}
        self._seen: dict[tuple[object, ...], int] = {}
        self._commas: dict[str, str] = {}
        self._grouped: dict[str, str] = {}
        self._columns: dict[str, list[tuple[Reading, Row]]] = {}
        self.rows = 0
        self.runs: dict[tuple[object, ...], Reading] = {}

    def take(self, line: int, cells: Mapping[str, Any], measure: Measure) -> None:
        """Add one value of a row.

        Raises
        ------
        ValueError, KeyError
            If a cell does not match the map, or is missing.
        """
        read: Callable[[Cell], str] = partial(_read_text, cells)
        metric = read(measure.metric)
        if not metric:
            raise ValueError(f"{measure.metric.column} is empty")
        cell = str(cells[measure.column]).strip()
        if _COMMA.fullmatch(cell):
            self._commas.setdefault(measure.column, cell)
        value, unit = _read_value(cells, measure, metric, read(measure.unit))
        if _GROUPS.fullmatch(cell):
            self._grouped.setdefault(measure.column, cell)
        line = line_of(cells[measure.column], line)
        stat = read(measure.stat) or read(self._map.stat) or choose_stat(metric)
        subject = read(self._map.subject) or None
        names = ("group", "variant", "benchmark")
        group, variant, benchmark = (read(getattr(self._map, name)) for name in names)
        params = {name: _read_text(cells, Cell(column=name)) for name in self._map.params}
        labels = (group, variant, benchmark, tuple(params.items()))
        number = _read_run(cells, self._map.run) if self._map.run.column else None
        about = (*labels, number, subject, metric, stat)
        ordinal = self._count(about, (*labels, subject))
        run = (*labels, number, ordinal if number is None else 0)
        if number is not None and self._counts[about] > 1 and stat != "sample":
            what = f"run {number} already has this value, in line {self._seen[about]}"
            raise ValueError(what)
        self._seen.setdefault(about, line)
        if run not in self.runs:
            self.runs[run] = Reading(
                tool=TOOL, form=NAME, line=line, group=group, variant=variant,
                benchmark=benchmark, params=params, run=number,
            )  # fmt: skip
        reading = self.runs[run]
        reading.last_line = max(line, reading.last_line)
        reading.add(metric, stat, value, unit, line, subject=subject)
        self._columns.setdefault(measure.column, []).append((reading, reading.rows[-1]))
        if measure.better and metric not in VOCABULARY:
            reading.better[metric] = measure.better

    def _count(self, about: tuple[object, ...], labels: tuple[object, ...]) -> int:
        """Return the number of a value's repeat: its row's, if that has all metrics of a run."""
        self._counts[about] += 1
        if not self._is_wide:
            return self._counts[about]
        if self._last.get(labels) != self.rows:
            self._last[labels] = self.rows
            self._counts[labels] += 1
        return self._counts[labels]

    def drop_unclear(self) -> Iterator[tuple[int, str]]:
        """Drop columns with decimal commas if a point may separate thousands; yield why."""
        for column in self._commas.keys() & self._grouped.keys():
            grouped, comma = self._grouped[column], self._commas[column]
            unclear = {id(row) for _, row in self._columns[column]}
            for reading in self.runs.values():
                reading.rows = [row for row in reading.rows if id(row) not in unclear]
            what = f"{column} has both {grouped!r} and {comma!r}, so the point may part thousands"
            yield self._columns[column][0][1][-1], f"{what}: its numbers are left out"


def choose_stat(metric: object) -> str:
    """Return the statistic for one value per run: the only one, the mean, or the first."""
    known = vocabulary().get(str(metric))
    stats = known.stats if known else ()
    return stats[0] if stats and "mean" not in stats else "mean"


def _read_text(cells: Mapping[str, Any], cell: Cell) -> str:
    """Return the text of a cell; whole numbers have no fraction."""
    if not cell.column:
        return cell.constant
    value = cells[cell.column]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return "" if value is None else str(value).strip()


def _read_value(
    cells: Mapping[str, Any], measure: Measure, metric: str, unit: str
) -> tuple[float, str]:
    """Return a value and its base unit."""
    cell = cells[measure.column]
    text = cell.strip() if isinstance(cell, str) else repr(float(cell)) if is_number(cell) else ""
    try:
        known = find_unit(unit)
        text, of_cell = split_amount(text)
        if of_cell == unit or unit == known.base == find_unit(of_cell).base:
            known = find_unit(of_cell)
        elif of_cell:  # it contradicts the map
            raise ValueError(of_cell)
        number = known.convert(text) if isfinite(read_number(text)) else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{measure.column} is {cell!r}, not a finite number")
    word = VOCABULARY.get(metric)
    if word is not None and known.base != word.unit:
        raise ValueError(f"{metric} needs a unit that converts to {word.unit!r}, got {unit!r}")
    return number, known.base


def split_amount(text: str) -> tuple[str, str]:
    """Return the number in a cell and the unit after it, if there is one.

    Examples
    --------
    >>> split_amount("472.42us"), split_amount("1.5 MB/s"), split_amount("1e5"), split_amount("x")
    (('472.42', 'us'), ('1.5', 'MB/s'), ('1e5', ''), ('x', ''))
    """
    amount = _AMOUNT.fullmatch(text)
    return (amount[1], amount[2]) if amount else (text, "")


def is_number(cell: object) -> bool:
    """Return whether a cell is a number that a float can hold, and not a text or a bool."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return abs(cell) <= float_info.max
    return isinstance(cell, float)


def _read_run(cells: Mapping[str, Any], cell: Cell) -> int:
    text = _read_text(cells, cell)
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _LARGEST_RUN:
        what = f"{cell.column} is {text!r}, not a run number"
        raise ValueError(what)
    return int(text)


#: The format, regardless of the map.
FORMAT = _make_format(TableMap())

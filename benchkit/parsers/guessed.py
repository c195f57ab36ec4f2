"""A map guessed from a table by the names of its columns, their numbers and repeats."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from typing import Any

from benchkit.config.files import MOST_PARTS
from benchkit.config.maps import Cell, Measure, TableMap, find_unit
from benchkit.errors import DataError, Diagnostic
from benchkit.metrics import VOCABULARY
from benchkit.parsers.base import Source
from benchkit.parsers.documents import read_documents
from benchkit.parsers.mapped import is_number, read_table, split_amount
from benchkit.regexes import regex
from benchkit.units import printable, read_number

#: Maximum number of rows that are inspected.
_ROWS = 1000
#: Minimum share of numbers in a column of numbers; other cells may be "n/a", for example.
_MOSTLY = 0.8
_BASE = {"s", "B", "B/s", "1/s", "cores"}
_NAMES = {
    "variant": ("variant", "build", "version", "branch", "config", "configuration", "commit",
                "revision", "implementation", "impl", "label", "mode", "side"),
    "benchmark": ("benchmark", "bench", "test", "case", "scenario", "endpoint", "workload",
                  "query", "name"),
    "run": ("run", "iteration", "iter", "repeat", "rep", "trial", "round", "replicate", "sample"),
    "metric": ("metric", "measure", "measurement", "statistic"),
    "unit": ("unit", "units"),
    "value": ("value", "result", "measured"),
    "group": ("group", "host", "machine"),
}  # fmt: skip
_PARAMS = {"connections", "threads", "concurrency", "clients", "size", "vus", "users", "workers"}
_IGNORED = {"id", "index", "timestamp", "time", "date", "seed", "pid", "port"}
#: Maximum number of columns of a table; more are rows of results inside one object.
_WIDEST = 10_000
#: Cells that represent a missing number.
_MISSING = {"-", "–", "—", "n/a", "na", "nan", "null"}
#: A number with decimal commas or grouped thousands; a single cell does not show which.
_COMMAS = regex(r"[+-]?\d[\d.]{0,30}(?:,\d[\d.]{0,30}){1,9}(?: ?(?:[^\W\d_]{1,5}|%))?")
_WORD = regex(r"[^A-Za-z0-9%/µ.]+|\.(?!\d)")
#: A rate in words, such as ``tokens_per_second``; the unit before it may be one of data.
_RATE = regex(
    r"(?<![A-Za-z])([A-Za-z]++)[ _.-]per[ _.-](?:s|secs?|seconds?)(?![A-Za-z0-9])", re.IGNORECASE
)
#: Amounts of data for which higher is better.
_FLOWS = ("throughput", "bandwidth")
_ALIASES = {"lat": "latency", "response_time": "latency", "throughput": "request_rate"}
#: The name that a column without one gets.
_NAMELESS = regex(r"column \d{1,5}")
_STAT = regex(r"p\d{1,2}(?:\.\d{1,3})?|mean|median|min|max|stdev")
_STATS = {"avg": "mean", "average": "mean", "p50": "p50", "std": "stdev", "stddev": "stdev"}


#: The position of a value in a document: that of the enclosing object, and the value's name there.
_Place = tuple["_Place", str] | None


@dataclass(frozen=True, slots=True)
class _Column:
    """The properties of a column, judging by its first rows."""

    name: str
    is_numeric: bool
    is_whole: bool
    distinct: int
    rows: int
    unit: str = ""  # that of the numbers, if the cells have one
    is_counted: bool = False  # whether the cells are consecutive row numbers
    commas: str = ""  # an example of numbers with commas, which are not read


def is_nameless(column: str) -> bool:
    """Return whether `read_rows` named a column because its header is empty."""
    return _NAMELESS.fullmatch(column) is not None


def _is_deep(column: str) -> bool:
    """Return whether a column's name has more parts than `parse_toml` allows in a map."""
    return column.count(".") >= MOST_PARTS


def guess(source: Source) -> TableMap:
    """Return a map of a table.

    Raises
    ------
    DataError
        If it has no rows, no header, or no column of numbers.
    """
    records = _find_records(source)
    described = _describe_all(source, records)
    columns = [each for each in described if not each.commas and not _is_deep(each.name)]
    labels = _name_labels(columns)
    params = tuple(
        each.name
        for each in columns
        if each.is_numeric and each.name.lower() in _PARAMS and each.name not in labels.values()
    )
    params += tuple(_find_levels(columns, {*labels.values(), *params}))
    numbers = [
        each.name
        for each in columns
        if each.is_numeric
        and each.name not in {*params, *labels.values()}
        and not is_nameless(each.name)
        and (each.unit or each.name.lower() not in _IGNORED)
    ]
    value = labels.pop("value", None)
    if value is None and not numbers:
        raise _refuse(source, described)
    cells: dict[str, Any] = {name: Cell(column=column) for name, column in labels.items()}
    if value is not None and "metric" in labels:
        return TableMap(**cells, value=Cell(column=value), params=params, records=records)
    for name in ("metric", "unit"):
        cells.pop(name, None)
    units = {each.name: each.unit for each in columns}
    measured = [value] if value is not None else numbers
    measures = tuple(
        replace(guess_measure(f"{name} {units[name]}".rstrip()), column=name) for name in measured
    )
    return TableMap(**cells, values=measures, params=params, records=records)


def list_unread(source: Source, guessed: TableMap) -> list[str]:
    """Return the columns that a map omits, with the reason if their numbers cannot be read."""
    unread: list[str] = []
    for each in _describe_all(source, guessed.records):
        if each.name in guessed.columns:
            continue
        name = printable(each.name.replace("\n", " "))
        why = ", which has no name" if is_nameless(each.name) else ""
        if _is_deep(each.name):
            why = ", whose name has more than 200 parts"
        if each.commas:
            why = f", whose numbers have commas ({each.commas}); write them with a decimal point"
        unread.append(f"{name}{why}")
    return unread


def _describe_all(source: Source, records: str) -> list[_Column]:
    """Return the properties of a table's columns, judging by its first rows.

    Raises
    ------
    DataError
        If it is not a table, or has no header.
    """
    head = source.head()
    if not head.text and b"\0" in head.data and b"\n" in head.data:
        line = head.data.count(b"\n", 0, head.data.index(b"\0")) + 1
        hint = "it is damaged, or not UTF-8 text; write the table again"
        raise DataError("contains NUL bytes", where=f"{source.label}:{line}", hint=hint)
    rows = [row for row in _first_rows(source, records) if isinstance(row, Mapping)]
    if not rows:
        what = "no table: expected CSV, JSON with an object per line, or a list of objects in JSON"
        raise DataError(what, where=source.label, hint="list the formats with `benchkit formats`")
    if (width := len(rows[0])) > _WIDEST:
        what, hint = (
            f"has {width:,} columns",
            "write a row for each result, with its name in a column",
        )
        raise DataError(what, where=source.label, hint=hint)
    numbers = [name for name in rows[0] if _read(name) is not None]
    if numbers and head.text.lstrip()[:1] not in {"{", "["}:
        what = f"holds numbers ({', '.join(numbers[:6])}) where a header names the columns"
        hint = "add a header line, such as variant,run,time_ms"
        raise DataError(what, where=f"{source.label}:1", hint=hint)
    return [_describe(name, rows) for name in rows[0] if name]


def _refuse(source: Source, columns: Sequence[_Column]) -> DataError:
    """Return an error that explains why a table has no readable numbers."""
    what, hint = "no column holds numbers", "give a table with a column of numbers"
    if commas := next((each for each in columns if each.commas), None):
        what = f"column {printable(commas.name)} has numbers with commas ({commas.commas})"
        hint = "write numbers with a decimal point and without commas, such as 1234.5"
    return DataError(what, where=source.label, hint=hint)


def _first_rows(source: Source, records: str) -> Iterator[Mapping[str, Any] | Diagnostic]:
    return (row for _, row in islice(read_table(source, records), _ROWS))


def _find_records(source: Source) -> str:
    """Return the path to the first list of objects in a JSON document; empty for other texts."""
    text = source.head().text.lstrip()
    if not text.startswith("{") or "\n{" in text:
        return ""
    _, document = next(read_documents(source), (0, None))
    waiting: deque[tuple[_Place, object]] = deque([(None, document)])
    while waiting:
        place, node = waiting.popleft()
        if isinstance(node, list) and node and isinstance(node[0], dict):
            names = []
            while place:
                place, name = place
                names.append(name)
            return ".".join(reversed(names)).lstrip(".")
        if isinstance(node, dict):
            waiting += [((place, name), each) for name, each in node.items()]
    return ""


def _describe(name: str, rows: Sequence[Mapping[str, Any]]) -> _Column:
    cells = [row.get(name) for row in rows]
    known = [cell for cell in cells if cell not in (None, "")]
    filled = [cell for cell in known if not (isinstance(cell, str) and _is_missing(cell))]
    counted = [number for cell in filled if (number := _read(cell)) is not None]
    is_numeric = bool(filled) and len(counted) >= _MOSTLY * len(filled)
    is_whole = is_numeric and all(number.is_integer() for number in counted)
    unit = "" if is_numeric else _find_unit(filled)
    distinct = len({str(cell) for cell in known})
    is_counted = is_whole and [number - counted[0] for number in counted] == [*range(len(rows))]
    is_numeric |= bool(unit)
    commas = _find_commas(filled)
    return _Column(name, is_numeric, is_whole, distinct, len(rows), unit, is_counted, commas)


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in _MISSING


def _find_commas(cells: Sequence[object]) -> str:
    """Return the first number with commas in a column of numbers."""
    texts = [cell.strip() if isinstance(cell, str) else str(cell) for cell in cells]
    commas = [text for text in texts if _COMMAS.fullmatch(text)]
    plain = [text for text in texts if _read(split_amount(text)[0]) is not None]
    is_numeric = len(commas) + len(plain) >= _MOSTLY * len(cells)
    return commas[0] if commas and is_numeric else ""


def _find_unit(cells: Sequence[object]) -> str:
    """Return the base unit of the numbers in most cells, if each cell has its unit."""
    amounts = [split_amount(cell.strip()) for cell in cells if isinstance(cell, str)]
    written = [unit for number, unit in amounts if unit and _read(number) is not None]
    kinds = {unit if unit == "%" else find_unit(unit).base for unit in written}
    is_amount = len(kinds) == 1 and len(written) >= _MOSTLY * len(cells)
    return next(iter(kinds & {*_BASE, "%"}), "") if is_amount else ""


def _find_levels(columns: Sequence[_Column], used: Container[str]) -> Iterator[str]:
    """Yield columns of repeating texts that are not labels: levels, which distinguish rows.

    This includes a nameless column of numbers, unless it only counts the rows.
    """
    for each in columns:
        is_level = not each.is_numeric and 1 < each.distinct <= each.rows / 2
        is_level |= is_nameless(each.name) and each.distinct > 1 and not each.is_counted
        if is_level and each.name not in used and each.name.lower() not in _IGNORED:
            yield each.name


def _read(cell: object) -> float | None:
    try:
        number = read_number(cell.strip()) if isinstance(cell, str) else None
    except ValueError:
        return None
    if is_number(cell):
        number = float(cell)  # type: ignore[arg-type]
    return number if number is not None and isfinite(number) else None


def _name_labels(columns: Sequence[_Column]) -> dict[str, str]:
    """Return a column per label: by its name, or else repeating texts, fewest values first."""
    columns_by_label: dict[str, str] = {}
    for label, words in _NAMES.items():
        for word in words:
            fitting = (each for each in columns if _fits(label, word, each, columns_by_label))
            if column := next(fitting, None):
                columns_by_label[label] = column.name
                break
    texts = [
        each
        for each in columns
        if not each.is_numeric and each.name not in columns_by_label.values()
    ]
    distinguishing = [each for each in texts if 1 < each.distinct < each.rows]
    distinguishing.sort(key=lambda each: each.distinct)
    unique = [each for each in texts if 1 < each.distinct == each.rows]
    distinguishing += [
        each
        for each in unique
        if is_nameless(each.name) or _is_distinguishing(each, columns_by_label)
    ]
    for label in ("variant", "benchmark"):
        if label not in columns_by_label and distinguishing:
            columns_by_label[label] = distinguishing.pop(0).name
    return columns_by_label


def _is_distinguishing(column: _Column, columns_by_label: Mapping[str, str]) -> bool:
    """Return whether a column of distinct texts is a label, since names identify no other label."""
    return not columns_by_label.keys() & {"variant", "benchmark", "run"} and (
        column.name.lower() not in _IGNORED
    )


def _fits(label: str, word: str, column: _Column, columns_by_label: Mapping[str, str]) -> bool:
    if column.name in columns_by_label.values() or column.name.rpartition(".")[2].lower() != word:
        return False
    if label == "value":
        return column.is_numeric
    if label == "run":
        return column.is_whole
    return label in {"variant", "benchmark", "group"} or not column.is_numeric


def guess_measure(column: str) -> Measure:
    """Return the metric of a column, judging by the words of its name.

    Examples
    --------
    >>> guessed = guess_measure("latency_p99_ms")
    >>> guessed.metric.constant, guessed.stat.constant, guessed.unit.constant
    ('latency', 'p99', 'ms')
    >>> rate = guess_measure("tokens_per_second")
    >>> rate.metric.constant, rate.unit.constant, rate.better
    ('tokens_per_second', '1/s', 'higher')
    """
    words = [word for word in _WORD.split(_RATE.sub(r"\1/s", column)) if word]
    unit, stat, kept = "", "", []
    for word in words:
        lower = word.lower()
        if not stat and (_STAT.fullmatch(lower) or lower in _STATS):  # `min` does not mean minute
            stat = _STATS.get(lower, lower)
        elif not unit and (find_unit(word).base in _BASE or word == "%"):
            unit = word
        elif not unit and lower.endswith("/s"):
            unit = "1/s"
            kept.append(f"{word[:-2]}_per_second")
        else:
            kept.append(word)
    base = find_unit(unit).base if unit else ""
    name = "_".join(kept)
    usual = {"s": "latency" if stat else "time_per_op", "1/s": "request_rate"}
    meant = _ALIASES.get(name.lower(), name.lower())
    metric = meant if meant in VOCABULARY else name or usual.get(base, column)
    known = VOCABULARY.get(metric)
    if known is not None and known.unit != (base or "1"):
        metric = column
    better = {"s": "lower", "1/s": "higher", "B": "lower", "B/s": "higher"}.get(base, "")
    if base == "B" and any(word in name.lower() for word in _FLOWS):
        better = "higher"
    if metric == "latency" and stat == "median":
        stat = "p50"
    constants = (Cell(constant=text) for text in (metric, stat, unit))
    metric_cell, stat_cell, unit_cell = constants
    return Measure(
        column=column, metric=metric_cell, stat=stat_cell, unit=unit_cell,
        better="" if metric in VOCABULARY else better,
    )  # fmt: skip

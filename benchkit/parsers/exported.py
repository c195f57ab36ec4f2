r"""benchkit's own table, as `benchkit export` writes it: CSV, JSON or Parquet.

A file of the usual kind (shortened)::

    group,variant,benchmark,params,run,subject,metric,stat,value,unit,…,tool,source,load_model
    ,otlp,/ping,connections=8,3,,request_rate,mean,29018.83,1/s,…,wrk,otlp/wrk-3.txt:11,closed

Meaning of the numbers: they are those of other tools, in base units, under their final labels. Each
run keeps its number, so it remains the same run if its raw results are read as well. Nothing is
computed from samples in the table, because their statistics are in it.

Not recorded: facts about a run other than its values, such as its start, command and machine, and
the direction of user-defined metrics.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

from benchkit.parsers import registry
from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Samples, Source
from benchkit.parsers.documents import read_documents
from benchkit.reading.bounds import OUTSIZED, OutsizedError, open_parquet
from benchkit.reading.delimited import header_of, read_rows, unquote_formulas
from benchkit.reading.source import PARQUET, UnreadableError, UntilDamage
from benchkit.regexes import regex
from benchkit.schema import ROLES, Labels, LoadModel
from benchkit.units import read_number

if TYPE_CHECKING:
    import pyarrow as pa

_SIGNS = frozenset({"variant", "metric", "stat", "value"})
#: Required columns: without one, runs that the table separates would be pooled or compared.
_NEEDED = (*Labels._fields, "subject", "metric", "stat", "value", "unit")
_BEGINNING = r'\{\s*"format_version"\s*:\s*\d+\s*,\s*"observations"\s*:\s*\['
_DOCUMENT = regex(_BEGINNING)
_PARAM = regex(r",(?=[^,=]*=)")
_MANY = ("sample", "counter")
_LOAD_MODELS: tuple[LoadModel, ...] = get_args(LoadModel)
_LARGEST_RUN = (1 << 31) - 1
_LARGEST_COUNT = 1 << 53
_LONGEST_LINE = 14  # digits: a store has more room, and a table has as much
_MOST_NAMED = 20
_HINT = "use a table that `benchkit export` wrote"
_TEXTS = (
    *(name for name in Labels._fields if name != "run"),
    *("subject", "metric", "stat", "unit", "source", "origin", "role", "load_model"),
)
_Cells = Mapping[str, Any]


def _recognises(head: Head) -> bool:
    if not head.is_start:
        return False
    if head.data.startswith(PARQUET):
        return all(name.encode() in head.data for name in _SIGNS)
    text = head.text.lstrip()
    if text.startswith("{"):
        return _DOCUMENT.match(text) is not None
    return set(header_of(text)) >= _SIGNS


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading and its samples per run and source.

    Examples
    --------
    >>> header = "group,variant,benchmark,params,run,tool,subject,metric,stat,value,unit"
    >>> text = f"{header}\n,otlp,/ping,,3,wrk,,latency,p50,0.5,s\n".encode()
    >>> (run,) = _parse(Source(None, "x.csv", text))
    >>> run.variant, run.benchmark, run.run, run.rows[0][1:5]
    ('otlp', '/ping', 3, ('latency', 'p50', 0.5, 's'))
    """
    head = source.head()
    if head.data.startswith(PARQUET):
        yield from _Table(source.label, "parquet").read(_read_parquet(source))
    elif head.text.lstrip().startswith("{"):
        yield from _Table(source.label, "json").read(_read_json(source))
    else:
        rows = read_rows(source, "benchkit export", _NEEDED)
        yield from _Table(source.label, "csv").read(
            (line, cells if isinstance(cells, Diagnostic) else _unescape(cells))
            for line, cells in rows
        )


def _unescape(cells: _Cells) -> _Cells:
    """Remove the quote that keeps a spreadsheet from reading a cell as a formula."""
    return {name: unquote_formulas(cell) if "'" in cell else cell for name, cell in cells.items()}


def _read_json(source: Source) -> Iterator[tuple[int, _Cells | Diagnostic]]:
    """Yield the rows of a document line by line, or else from the whole document."""
    lines = source.ended_lines()
    if _DOCUMENT.fullmatch(next(lines, (0, "", False))[1].strip()) is None:
        yield from _read_document(source)
        return
    is_closed = False
    for line, text, _ in lines:
        row = text.strip().removesuffix(",")
        is_closed = row == "]}"
        try:
            yield line, {} if is_closed or not row else json.loads(row)
        except (ValueError, RecursionError) as error:
            what = f"not valid JSON ({error}): this row is left out"
            yield line, Diagnostic(source.label, line, what, _HINT, "warning")
    if not is_closed:
        what = "the end of the table is missing, and perhaps more rows with it"
        yield 0, Diagnostic(source.label, 0, what, _HINT, "warning")


def _read_document(source: Source) -> Iterator[tuple[int, _Cells | Diagnostic]]:
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield line, document
            continue
        rows = document.get("observations") if isinstance(document, dict) else None
        for row in rows if isinstance(rows, list) else ():
            at = getattr(row.get("value"), "line", line) if isinstance(row, dict) else line
            yield at, row


def _read_parquet(source: Source) -> Iterator[tuple[int, _Cells | Diagnostic]]:
    """Yield the rows of a Parquet file, numbered from 1."""
    import pyarrow as pa

    number = 0
    try:
        with source.open() as stream:
            file = open_parquet(pa.BufferReader(stream.read()))
        for batch in file.iter_batches():
            for row in _list_rows(batch):
                number += 1
                yield number, row
    except UnreadableError:
        raise
    except OutsizedError as error:
        hint = "write the file again, with its values in a larger number of files"
        yield (
            number,
            Diagnostic(source.label, number, f"the Parquet file {OUTSIZED} ({error})", hint),
        )
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        what = f"the Parquet file is incomplete or damaged ({error})"
        yield number, Diagnostic(source.label, number, what, "write the file again")


def _list_rows(batch: pa.RecordBatch) -> Iterator[_Cells]:
    """Yield the rows; a time that Python's calendar lacks is its number, which is no time."""
    import pyarrow as pa

    place = batch.schema.get_field_index("time")
    if place < 0 or not pa.types.is_timestamp(kind := batch.schema.field(place).type):
        yield from batch.to_pylist()
        return
    times = batch.column(place).cast(pa.timestamp("us", kind.tz), safe=False)
    others = batch.select([name for name in batch.schema.names if name != "time"])
    for row, time in zip(others.to_pylist(), times, strict=True):
        yield row | {"time": _show_time(time)}


def _show_time(time: pa.TimestampScalar) -> object:
    try:
        return time.as_py()
    except (OverflowError, ValueError):
        return f"{time.value} \N{MICRO SIGN}s"


class _Table:
    """A collector of the rows per run, which reports rows that cannot be read."""

    def __init__(self, label: str, form: str) -> None:
        self._label, self._form = label, form
        self._runs: dict[tuple[object, ...], Reading] = {}
        self._samples: dict[tuple[object, ...], list[tuple[float, datetime | None, int]]] = {}

    def read(self, rows: Iterable[tuple[int, Any]]) -> Iterator[Record]:
        """Yield the problems, then the runs, each before its samples."""
        is_first, bad, line = True, 0, 0
        whole = UntilDamage(rows)
        for line, cells in whole:
            if isinstance(cells, Diagnostic):
                yield cells
                continue
            if not cells:
                continue
            if not isinstance(cells, Mapping):
                yield self._warn(line, "expected an object; this row is left out")
                continue
            if is_first and (problem := self._find_missing(line, cells)):
                yield problem
                break
            is_first = False
            try:
                self._take(line, cells)
            except (ValueError, TypeError, OverflowError, KeyError) as error:
                bad += 1
                if bad <= _MOST_NAMED:
                    what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
                    yield self._warn(line, f"{what}; this row is left out")
        if bad > _MOST_NAMED:
            yield self._warn(
                line, f"{bad - _MOST_NAMED:,} more rows are left out for the same reasons"
            )
        yield from self._runs.values()
        for (reading, *about, is_timed), values in self._samples.items():
            yield _make_samples(self._runs[reading], about, values, is_timed=bool(is_timed))  # type: ignore[index]
        whole.raise_damage()

    def _find_missing(self, line: int, cells: object) -> Diagnostic | None:
        names = cells if isinstance(cells, Mapping) else ()
        missing = [name for name in _NEEDED if name not in names]
        if not missing:
            return None
        return Diagnostic(self._label, line, f"the table lacks {', '.join(missing)}", _HINT)

    def _warn(self, line: int, what: str) -> Diagnostic:
        return Diagnostic(self._label, line, what, _HINT, "warning")

    def _take(self, line: int, cells: _Cells) -> None:
        """Add one row.

        Raises
        ------
        ValueError, TypeError
            If a cell is invalid for its column.
        """
        for name in _TEXTS:
            if not isinstance(cells.get(name), str | None):
                raise TypeError(f"{name} is not text")
        value, unit = _read_amount(cells, "value"), cells["unit"] or ""
        if value is None:
            raise ValueError("value is empty")
        place, _, at = str(cells.get("source") or "").rpartition(":")
        known = at.isascii() and at.isdigit() and len(at) <= _LONGEST_LINE
        about = (cells["subject"] or None, cells["metric"] or "", cells["stat"] or "")
        if not all(about[1:]):
            raise ValueError("metric or stat is empty")
        time = _read_time(cells.get("time"))
        step, n = _read_amount(cells, "resolution"), _read_amount(cells, "n")
        if n is not None and not (n.is_integer() and 0 <= n <= _LARGEST_COUNT):
            raise ValueError(f"n is {n:g}, not a whole number")
        origin = str(cells.get("origin") or "reported")
        run = self._find_run(line, cells, place if known else "")
        line = int(at) if known else line
        reading = self._runs[run]
        reading.last_line = max(reading.last_line, line)
        is_event = registry.tool(reading.tool).samples_are_events
        if about[2] in _MANY and is_event and n is None:
            key = (run, *about, unit, step, origin, time is not None)
            self._samples.setdefault(key, []).append((value, time, line))
            return
        subject, metric, stat = about
        reading.add(
            metric, stat, value, unit, line, subject=subject, n=None if n is None else int(n),
            time=time, resolution=step, origin=origin,
        )  # fmt: skip

    def _find_run(self, line: int, cells: _Cells, place: str) -> tuple[object, ...]:
        """Return the key of the run that a row belongs to, adding a new run if needed."""
        texts = [str(cells[name] or "") for name in Labels._fields if name != "run"]
        tool = texts[-1]
        usual = "companion" if registry.tool(tool).role == "companion" else ""
        role = str(cells.get("role") or usual).replace("measured", "")
        if role and role not in ROLES:
            raise ValueError(f"unknown role {role!r}")
        known = str(cells.get("load_model") or registry.tool(tool).load_model)
        load_model = next((each for each in _LOAD_MODELS if each == known), None)
        if load_model is None:
            raise ValueError(f"unknown load model {known!r}")
        key = (role, *texts, _read_run(cells["run"]), place)
        if key not in self._runs:
            group, variant, benchmark, params, _ = texts
            self._runs[key] = Reading(
                tool=tool, form=self._form, line=line, group=group, variant=variant,
                benchmark=benchmark, params=_read_params(params), role=role,
                run=_read_run(cells["run"]), exported_from=place, load_model=load_model,
            )  # fmt: skip
        return key


def _make_samples(
    reading: Reading,
    about: list[Any],
    values: list[tuple[float, datetime | None, int]],
    *,
    is_timed: bool,
) -> Samples:
    """Return samples of a run that differ only in value, time and line."""
    import numpy as np

    subject, metric, stat, unit, step, origin = about
    amounts, times, lines = zip(*values, strict=True)
    moments = [time.replace(tzinfo=None) for time in times] if is_timed else None
    return Samples(
        reading=reading, metric=metric, unit=unit, subject=subject, stat=stat, resolution=step,
        origin=origin, values=np.array(amounts, np.float64), lines=np.array(lines, np.int64),
        times=None if moments is None else np.array(moments, "datetime64[us]"),
    )  # fmt: skip


def _read_amount(cells: _Cells, name: str) -> float | None:
    """Return a finite number; None if the cell is empty."""
    cell = cells.get(name)
    if cell is None or cell == "":
        return None
    number = float("nan")
    with suppress(ValueError, OverflowError):
        if isinstance(cell, str):
            number = read_number(cell)
        elif isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
            number = float(cell)
    if not isfinite(number):
        shown = repr(cell) if isinstance(cell, str | int | float) else f"a {type(cell).__name__}"
        raise ValueError(f"{name} is {shown}, not a finite number")
    return number


def _read_run(cell: object) -> int:
    text = str(cell)
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _LARGEST_RUN:
        raise ValueError(f"run is {text!r}, not a whole number")
    return int(text)


def _read_time(cell: object) -> datetime | None:
    if cell is None or cell == "":
        return None
    time = cell if isinstance(cell, datetime) else datetime.fromisoformat(str(cell))
    if time.tzinfo is None:
        raise ValueError(f"time {cell!r} has no time zone")
    return time.astimezone(UTC)


def _read_params(text: str) -> dict[str, str]:
    """Return params by name; a value may contain commas.

    Examples
    --------
    >>> _read_params("connections=8,list=1,2")
    {'connections': '8', 'list': '1,2'}
    """
    pairs = (pair.partition("=") for pair in _PARAM.split(text) if pair)
    return {name: value for name, _, value in pairs}


EXPORT = Format(
    name="export",
    tools=(),
    summary="benchkit's own table, as `benchkit export` writes it",
    forms=(
        Form(
            name="csv",
            signature="group,variant,benchmark,params,run,subject,metric,stat,value,unit,…",
            versions="all; benchkit export",
            not_recorded="start, command and machine of a run; whether a higher value of a custom "
            "metric is better",
        ),
        Form(
            name="json",
            signature='{"format_version": 1, "observations": [{"group": …}]}',
            versions="all; benchkit export --format json",
            not_recorded="as csv",
        ),
        Form(
            name="parquet",
            signature="PAR1, with the columns of the CSV",
            versions="all; benchkit export -o FILE.parquet",
            not_recorded="as csv",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("metric",),
    is_export=True,
)

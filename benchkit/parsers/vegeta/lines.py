"""Vegeta's raw results as CSV and JSON lines, read in columns or, if a line is odd, one by one.

CSV has no header: time (ns), code, latency (ns), bytes out, bytes in, error; from version 7 also
the body, from 8 attack and number, from 12.8 method, URL and headers. Versions up to 6 quote the
error without escaping quotes in it. CSV of 5.9 and a JSON line of 8.0::

    1795222069242054756,200,142728302,0,0,""
    {"attack":"partial","seq":99,"code":200,"timestamp":"2026-11-21T00:47:49.242054756Z","latency":142728302,"bytes_out":0,"bytes_in":0,"error":"","body":null}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.octets import MARGIN, Array, Octets
from benchkit.parsers.times import read_nanoseconds
from benchkit.parsers.vegeta.results import Flaw, Result, Results, are_possible, gather
from benchkit.reading.cleaning import clean_lines, count_lines
from benchkit.reading.damage import UnreadableError
from benchkit.reading.source import LINE_BLOCK, Source, number_blocks
from benchkit.reading.spans import END, Span
from benchkit.redaction import show_part
from benchkit.regexes import regex

CSV_START = regex(r"(\d{19}),(\d{1,20}),(\d{1,20}),(\d{1,20}),(\d{1,20}),", re.ASCII)
_RECORD = regex(CSV_START.pattern.encode())
_FIELD = regex(r'(?:"((?:[^"]|"")*+)"?+)?+([^,]*+),?')
_TIME = regex(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_NUMBERS = ("code", "latency", "bytes_out", "bytes_in")
_TEXTS = ("attack", "url")
#: Digits of a start time.
_START_DIGITS = 19
#: Maximum number of digits of the other numbers, including leading zeros.
_MOST_DIGITS = 20
#: Of CSV.
_COLUMNS = ("start", *_NUMBERS, "error", "body", "attack", "seq", "method", "url", "headers")
_KEPT = {"start", *_NUMBERS, *_TEXTS, "seq"}
#: Number of columns after the first five: up to version 6, from 7, from 8 and from 12.8.
_TAILS = {1, 2, 4, 7}
_LONGEST_ERROR = 1 << 20
#: Bytes after which a block is passed on even if no record ends in it.
_LONGEST_RECORD = 8 << 20
#: Bytes that mark a line that needs cleaning.
_UNCLEAN = (b"\0", b"\r", b"\x1b")


def read_json(source: Source) -> Iterator[list[Results | Flaw]]:
    """Yield the results of JSON lines, block by block."""
    first = 1 + (source.span.lines if source.span else 0)
    return source.map(_read_json_block, number_blocks(source.line_blocks(), first))


def _read_json_block(numbered: tuple[int, bytes]) -> list[Results | Flaw]:
    results = read_columns(*numbered, _read_json_columns)
    return [results] if results else list(gather(_read_json_lines(*numbered)))


def _read_json_lines(number: int, data: bytes) -> Iterator[Result | Flaw]:
    for line, text in enumerate(clean_lines(data), number):
        if text.strip():
            yield _from_json(line, text) or _odd(line, text)


def _odd(line: int, text: str) -> Flaw:
    return Flaw(line, f"begins {show_part(text, 30)}")


def _from_json(line: int, text: str) -> Result | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    start = parse_timestamp(value.get("timestamp")) if isinstance(value, dict) else None
    numbers = [value.get(name) for name in _NUMBERS] if start else []
    if start is None or not all(type(number) is int for number in numbers):
        return None
    attack, url = (str(value.get(name) or "") for name in _TEXTS)
    seq = value.get("seq")
    seq = seq if type(seq) is int and 0 <= seq < 1 << 62 else -1
    return Result._make((line, start, *numbers, attack, url, 0, seq)).checked()


def parse_timestamp(value: object) -> int | None:
    """Read an RFC 3339 time into nanoseconds since 1970.

    Examples
    --------
    >>> parse_timestamp("2026-11-21T00:21:47.490698251Z")
    1795220507490698251
    """
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        moment = datetime.fromisoformat(match[1] + match[3]) if match else None
    except ValueError:
        return None
    if match is None or moment is None:
        return None
    return int(moment.timestamp()) * 10**9 + int((match[2] or "").ljust(9, "0"))


def read_csv(source: Source) -> Iterator[list[Results | Flaw]]:
    """Yield the results of CSV, block by block."""
    usual = len(_tail_of(source.head().text.partition("\n")[0])) or 1
    return source.map(partial(_read_csv_block, usual), _cut_at_records(source))


def _cut_at_records(source: Source) -> Iterator[tuple[int, bytes, bool]]:
    """Yield numbered blocks that begin with a record; the last one is marked and has one record.

    For a later span, its first record is located from the block before it.
    """
    number, held, span = 1, b"", source.span
    if span is not None and span.start:
        source.span = span._replace(start=span.start - LINE_BLOCK)
    blocks = source.line_blocks()
    if span is not None and span.start:
        held = next(blocks)
        held = held[_find_last(held, span) + 1 :]
        number = 1 + span.lines - count_lines(held)
    for block in blocks:
        held += block
        cut = _find_last(held, span)
        if cut < 0 and len(held) > _LONGEST_RECORD:
            cut = len(held) - 1
        if cut >= 0:
            whole, held = held[: cut + 1], held[cut + 1 :]
            yield number, whole, False
            number += count_lines(whole)
    if span is None or span.end == END:
        yield number, held, True


def _find_last(data: bytes, span: Span | None) -> int:
    """Return the index of the newline before the last record of a block, -1 if there is none."""
    cut = data.rfind(b"\n", 0, -1)
    while cut >= 0 and not _RECORD.match(data, cut + 1):
        cut = data.rfind(b"\n", 0, cut)
    if cut < 0 and span is not None:
        raise UnreadableError("a record is longer than a block")
    return cut


def _read_csv_block(usual: int, numbered: tuple[int, bytes, bool]) -> list[Results | Flaw]:
    number, data, is_last = numbered
    results = None
    if not is_last:
        results = read_columns(number, data, _read_csv_cells)
        results = results or read_columns(number, data, _read_csv_columns)
    return [results] if results else list(gather(_read_csv_lines(number, data, is_last * usual)))


def _read_csv_lines(number: int, data: bytes, usual: int) -> Iterator[Result | Flaw]:
    """Read records; with ``usual``, a last record with fewer columns is truncated."""
    held: tuple[int, str] | None = None
    for line, text in enumerate(clean_lines(data), number):
        if CSV_START.match(text):
            if held is not None:
                yield _from_csv(*held)
            held = line, text
        elif held is not None and _is_open(held[1]):
            held = held[0], f"{held[1]}\n{text}"
        elif text.strip():
            yield _odd(line, text)
    if held is not None:
        size = len(_tail_of(held[1]))
        is_cut = usual and (_is_open(held[1]) or size not in _TAILS or size < usual)
        yield Flaw(held[0], "ends in the middle of a line") if is_cut else _from_csv(*held)


def _is_open(text: str) -> bool:
    """Return whether a quoted field is still open."""
    return text.count('"') % 2 == 1 and len(text) < _LONGEST_ERROR


def _tail_of(text: str) -> list[str]:
    """Return the columns after the first five; version 6 has one, which may contain commas."""
    tail = "".join(text.split(",", 5)[5:])
    is_quoted = tail.startswith('"') and tail.endswith('"') and len(tail) > 1
    return [tail] if is_quoted else split_csv(tail) if tail else []


def split_csv(text: str) -> list[str]:
    """Split the part after the numbers by CSV's quoting rules.

    Examples
    --------
    >>> split_csv('"Get ""http://h/"": refused, again",,agent,7')
    ['Get "http://h/": refused, again', '', 'agent', '7']
    """
    fields = _FIELD.findall(text)  # plus an empty one at the end
    fields = fields if text.endswith(",") else fields[:-1]
    return [quoted.replace('""', '"') + plain for quoted, plain in fields]


def _from_csv(line: int, text: str) -> Result | Flaw:
    tail = _tail_of(text)
    attack = tail[2] if len(tail) in {4, 7} else ""
    url = tail[5] if len(tail) == 7 else ""
    has_seq = len(tail) in {4, 7} and tail[3].isdecimal() and len(tail[3]) < _START_DIGITS
    seq = int(tail[3]) if has_seq else -1
    result = Result._make((line, *map(int, text.split(",")[:5]), attack, url, 0, seq))
    return result.checked() or _odd(line, text)


def read_columns(
    number: int, data: bytes, read: Callable[[bytes], Columns | None]
) -> Results | None:
    """Return the results of a block, or None unless every line is a plain record."""
    size = count_lines(data)
    if any(mark in data for mark in _UNCLEAN):
        return None
    try:
        columns = read(data)
    except ValueError:  # raised by Arrow, or the text is not UTF-8
        return None
    if columns is None or len(columns.numbers[0]) != size:
        return None
    if not are_possible(columns.numbers).all():
        return None
    line = np.arange(number, number + size)
    return Results((line, *columns.numbers, *columns.labels, columns.seq), columns.names)


class Columns(NamedTuple):
    """Columns of numbers (start, code, latency, bytes out and in) and of encoded attacks and URLs.

    ``seq`` is the request's number in its attack.
    """

    numbers: Sequence[Array]
    labels: Sequence[Array]
    names: Sequence[list[str]]
    seq: Array


def _take_table(columns: dict[str, Any]) -> Columns:
    """Convert Arrow's columns to numbers and codes."""
    import pyarrow.compute as pc

    texts = [pc.dictionary_encode(columns[name]) for name in _TEXTS]
    return Columns(
        [np.asarray(columns[name]) for name in ("start", *_NUMBERS)],
        [text.indices.to_numpy() for text in texts],
        [text.dictionary.to_pylist() for text in texts],
        np.asarray(columns["seq"]),
    )


def _read_csv_cells(data: bytes) -> Columns | None:
    """Read unquoted lines with the compiled kernel, if all have the shape of the first."""
    names = _COLUMNS[: 5 + len(_tail_of(data[: data.find(b"\n")].decode()))]
    if not kernel.compiled or b'"' in data or len(names) - 5 not in _TAILS:
        return None
    lines = kernel.read_lines(data, 0, len(data), *_shape_of(names), b"")
    if not lines.good.all() or (lines.more[0] != _START_DIGITS).any():
        return None
    if (lines.more[1:5] > _MOST_DIGITS).any():
        return None
    labels, texts = [np.zeros(len(lines.good), dtype=np.int64)] * 2, [[""], [""]]
    kept = [name for name in names if name in _KEPT]
    for place, name in enumerate(kept):
        if name not in _TEXTS:
            continue
        column = _TEXTS.index(name)
        labels[column], firsts = kernel.group_equal(data, lines.numbers[place], lines.more[place])
        starts, sizes = lines.numbers[place, firsts], lines.more[place, firsts]
        texts[column] = [
            data[start:end].decode()
            for start, end in zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
        ]
    has_seq = "seq" in kept
    if has_seq and (lines.more[kept.index("seq")] >= _START_DIGITS).any():
        return None
    seq = lines.numbers[kept.index("seq")] if has_seq else np.full(len(lines.good), -1)
    return Columns([*lines.numbers[:5]], labels, texts, seq)


@cache
def _shape_of(names: Sequence[str]) -> tuple[bytes, int]:
    """Return the shape of a line with these columns, and the number of cells that are kept."""
    kinds = ["t" if name in _TEXTS else "i" if name in _KEPT else "-" for name in names]
    cells = ((kind, b"," if place else b"", b",") for place, kind in enumerate(kinds))
    return kernel.shape_of(*cells), sum(kind != "-" for kind in kinds)


def _read_json_columns(data: bytes) -> Columns | None:
    import pyarrow as pa
    from pyarrow import json as arrow

    octets = np.frombuffer(data, np.uint8)
    begins = octets[np.flatnonzero(octets[:-1] == ord("\n")) + 1]
    if octets[0] != ord("{") or (begins != ord("{")).any():
        return None  # Arrow skips empty lines
    types = dict.fromkeys(("timestamp", *_TEXTS), pa.string())
    types |= dict.fromkeys((*_NUMBERS, "seq"), pa.int64())
    table = arrow.read_json(
        pa.BufferReader(data),
        arrow.ReadOptions(use_threads=False, block_size=len(data) + 1),
        arrow.ParseOptions(explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"),
    )
    columns = {name: table[name].combine_chunks() for name in types}
    times = columns.pop("timestamp")
    if times.null_count or any(columns[name].null_count for name in _NUMBERS):
        return None
    _, offsets, texts = times.buffers()
    places = np.frombuffer(offsets, np.int32)[: len(times) + 1].astype(np.int64) + MARGIN
    block = Octets(texts.to_pybytes())
    start, good = read_nanoseconds(block, places[:-1], np.diff(places))
    columns |= {name: columns[name].fill_null("") for name in _TEXTS}
    columns["seq"] = columns["seq"].fill_null(-1)
    return _take_table(columns | {"start": np.where(good, start, 0)})


def _read_csv_columns(data: bytes) -> Columns | None:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    tail = len(_tail_of(data[: data.find(b"\n")].decode(errors="replace")))
    if tail not in _TAILS:
        return None
    names = _COLUMNS[: 5 + tail]
    kept = [name for name in names if name in _KEPT]
    table = csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
        csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(include_columns=kept, column_types=dict.fromkeys(kept, pa.string())),
    )
    columns = {name: table[name].combine_chunks() for name in kept}
    counts = [name for name in kept if name not in _TEXTS]
    is_digits = all(pc.all(pc.ascii_is_decimal(columns[name])).as_py() for name in counts)
    if not is_digits or not pc.all(pc.equal(pc.binary_length(columns["start"]), 19)).as_py():
        return None
    lengths = [pc.max(pc.binary_length(columns[name])).as_py() or 0 for name in counts[1:]]
    if max(lengths) > _MOST_DIGITS:
        return None
    columns |= {name: columns[name].cast(pa.int64()) for name in counts}
    empty = dict.fromkeys(_TEXTS, pa.repeat("", len(table))) | {"seq": pa.repeat(-1, len(table))}
    return _take_table(empty | columns)

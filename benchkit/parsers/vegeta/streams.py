"""Vegeta's raw results as a gob stream, read in columns or, if a message is odd, one by one.

The compiled kernel moves from message to message and reads their fields into columns. A message of
another type, of an unusual shape or with damage is read by the plain decoder, and the kernel
continues after it. Without the kernel, the plain decoder reads all messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.octets import MARGIN, Array, Octets, group_equal
from benchkit.parsers.vegeta.gob import (
    BYTES,
    OPAQUE,
    SIGNED,
    TEXT,
    UNSIGNED,
    YEAR_ONE_TO_UNIX,
    Decoder,
    GobError,
    Kind,
    unix_nanoseconds,
)
from benchkit.parsers.vegeta.results import Flaw, Result, Results, are_possible, gather
from benchkit.reading.cleaning import decode
from benchkit.reading.source import Source

_U = np.uint64
_NUMBERS = {"Code": UNSIGNED, "Latency": SIGNED, "BytesOut": UNSIGNED, "BytesIn": UNSIGNED}
_TEXTS = {"Attack": TEXT, "URL": TEXT}
#: Messages read in columns at once; after a batch of fewer than the second number, that many are
#: read singly.
_AT_ONCE, _FEW = 1 << 14, 64
#: Number of loaded bytes below which more are loaded.
_NEAR_END = 1 << 16
#: Maximum number of entries in a map; a message with more is left to the plain decoder.
_MOST_ENTRIES = 64


class Layout(NamedTuple):
    """A struct whose values can be read in columns: its id, and its fields' names and kinds."""

    prefix: bytes
    names: list[str]
    shapes: str


def read_gob(source: Source) -> Iterator[Results | Flaw]:
    """Yield the results of one or more gob streams."""
    decoder = Decoder(source.blocks(), {*_NUMBERS, *_TEXTS, "Timestamp"})
    return source.ahead(gather(_read(decoder)))


def _read(decoder: Decoder) -> Iterator[Results | Result | Flaw]:
    line, types, layout = 0, None, None
    while True:
        if decoder.types is not types:
            types = decoder.types
            layout = find_layout(types) if types and kernel.compiled else None
        results = read_columns(decoder, layout, line) if layout else None
        if results:
            line = int(results.line[-1])
            yield results
        is_usual = layout is None or (results is not None and len(results) >= _FEW)
        for _ in range(1 if is_usual else _FEW):
            try:
                if not decoder.next_message():
                    return
                for name, value in decoder.items():
                    line += 1
                    result = _understand(line, name, value, decoder.stream)
                    yield result or Flaw(line, f"contains a {name or 'value'}")
            except GobError as error:
                yield Flaw(line, str(error))
                return


def _understand(line: int, name: str, value: object, stream: int) -> Result | None:
    """Convert a struct to a result by its fields' names; a gob omits fields that are zero."""
    if name != "Result" or not isinstance(value, dict):
        return None
    start, attack, url = (value.get(key, "") for key in ("Timestamp", "Attack", "URL"))
    numbers = [value.get(key, 0) for key in _NUMBERS]
    is_usual = isinstance(start, bytes) and isinstance(attack, str) and isinstance(url, str)
    if not is_usual or not all(type(number) is int for number in numbers):
        return None
    fields = line, unix_nanoseconds(start), *numbers, attack, url, stream
    return Result(*fields).checked()


def find_layout(types: dict[int, Kind]) -> Layout | None:
    """Return the layout of the only struct of results, or None if its fields are not vegeta's."""
    structs = [(number, kind) for number, kind in types.items() if kind.name == "Result"]
    if len(structs) != 1 or structs[0][1].shape != "struct":
        return None
    ((number, kind),) = structs
    ids = {name: type_id for name, type_id, _ in kind.fields}
    shapes = {name: _shape_of(types, type_id) for name, type_id in ids.items()}
    is_usual = len(ids) == len(kind.fields) and all(shapes.values())
    for name, type_id in (_NUMBERS | _TEXTS).items():
        is_usual &= ids.get(name, type_id) == type_id
    if not is_usual or shapes.get("Timestamp") != "b":
        return None
    coded = (2 * number).to_bytes((2 * number).bit_length() // 8 + 1, "big").lstrip(b"\0")
    prefix = coded if coded < b"\x80" and len(coded) == 1 else bytes((256 - len(coded),)) + coded
    return Layout(prefix, list(ids), "".join(shapes.values()))


def _shape_of(types: dict[int, Kind], type_id: int) -> str:
    """Return the kernel's kind of a type (number, text, bytes or headers), or an empty text."""
    kind = types.get(type_id, Kind(""))
    values = types.get(kind.elem, Kind("")) if kind.shape == "map" else Kind("")
    if (kind.key, values.shape, values.elem) == (TEXT, "slice", TEXT):
        return "h"
    letters = {SIGNED: "n", UNSIGNED: "n", TEXT: "t", BYTES: "b"}
    return "b" if kind.shape in OPAQUE else letters.get(type_id, "")


def read_columns(decoder: Decoder, layout: Layout, line: int) -> Results | None:
    """Read messages up to the first unusual one; return None if that is the next one."""
    if len(decoder.data) - decoder.place < _NEAR_END:
        decoder.load()
    first, end = decoder.place, len(decoder.data)
    places, ends = kernel.find_messages(decoder.data, first, end, layout.prefix, _AT_ONCE)
    if not len(ends):
        return None
    block, shift = Octets(decoder.data[first : int(ends[-1])]), MARGIN - first
    cells, sizes, good = kernel.read_structs(
        block.data, places + shift, ends + shift, layout.shapes, _MOST_ENTRIES
    )
    nothing = np.zeros(len(ends), dtype=np.uint64), np.zeros(len(ends), dtype=np.int64)
    fields = dict(zip(layout.names, zip(cells, sizes, strict=True), strict=True))
    start, is_time = _read_times(block, *fields["Timestamp"])
    columns = {name: fields.get(name, nothing)[0] for name in _NUMBERS}
    latency = columns["Latency"]
    columns["Latency"] = np.where(latency & _U(1), _U(1 << 63), latency >> _U(1))
    numbers = [column.astype(np.int64) for column in columns.values()]
    good &= is_time & are_possible((start, *numbers))
    count = len(good) if good.all() else int(good.argmin())
    if not count:
        return None
    decoder.place = int(ends[count - 1])
    texts, labels = [], []
    for name in _TEXTS:
        at, size = (column[:count] for column in fields.get(name, nothing))
        at = np.where(size > 0, at, _U(MARGIN)).astype(np.int64)
        text, label = group_equal(block, at, size)
        texts.append([*map(decode, text)])
        labels.append(label)
    lines = np.arange(line + 1, line + 1 + count)
    kept = (column[:count] for column in (start, *numbers))
    return Results((lines, *kept, *labels, np.full(count, -1)), texts, decoder.stream)


def _read_times(block: Octets, places: Array, sizes: Array) -> tuple[Array, Array]:
    """Read Go's binary times as nanoseconds since 1970, with a mask of those in range."""
    at = np.where(sizes > 0, places, _U(MARGIN)).astype(np.int64)
    words = block.take(at, 16)
    version = words[:, 0] & _U(0xFF)
    good = ((sizes == 15) & (version == 1)) | ((sizes == 16) & (version == 2))
    seconds = (words[:, 0] >> _U(8) | words[:, 1] << _U(56)).byteswap()
    seconds = seconds.view(np.int64) - YEAR_ONE_TO_UNIX
    rest = (words[:, 1] >> _U(8)).astype(np.uint32).byteswap().astype(np.int64)
    good &= (seconds >= 0) & (seconds < 1 << 32)
    return np.where(good, seconds, 0) * 10**9 + rest, good

"""Vegeta's results in columns, many at once.

An attack of twenty minutes leaves millions of results; a Python object for each would take longer
than vegeta's own report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.octets import MARGIN, Array, Octets, tell_apart
from benchkit.parsers.vegeta import gob
from benchkit.parsers.vegeta.frames import Frames, Layout, find_frames, find_layout, read_values
from benchkit.parsers.vegeta.records import GOB_FIELDS, Flaw, Result, from_gob
from benchkit.reading.source import LINE_BLOCK, Source

_U = np.uint64
#: Bounds within which sums of two are no problem for an int64; others are left to `records`.
MOST_START, MOST = 1 << 62, 1 << 61
_YEAR_ONE_TO_UNIX = 62_135_596_800
#: Where one value in so many is odd, all of its block are read one by one.
_FEW = 8
_SHAPES = {
    "Attack": "text",
    "Code": "number",
    "Timestamp": "blob",
    "Latency": "signed",
    "BytesOut": "number",
    "BytesIn": "number",
    "URL": "text",
}


@dataclass(frozen=True, slots=True)
class Results:
    """Results of one stream in columns; fields as in `Result`, int64, shape (k,).

    ``attack`` and ``url`` are numbers of ``attacks`` and ``urls``.
    """

    line: Array
    start: Array
    code: Array
    latency: Array
    bytes_out: Array
    bytes_in: Array
    attack: Array
    url: Array
    attacks: list[str]
    urls: list[str]
    stream: int = 0

    def pick(self, rows: Array | slice) -> Results:
        """Return some of them."""
        return Results(
            self.line[rows], self.start[rows], self.code[rows], self.latency[rows],
            self.bytes_out[rows], self.bytes_in[rows], self.attack[rows], self.url[rows],
            self.attacks, self.urls, self.stream,
        )  # fmt: skip

    def first(self, row: int) -> Result:
        """Return one of them."""
        numbers = (self.line, self.start, self.code, self.latency, self.bytes_out, self.bytes_in)
        line, start, code, latency, bytes_out, bytes_in = (int(column[row]) for column in numbers)
        attack, url = self.attacks[int(self.attack[row])], self.urls[int(self.url[row])]
        return Result(line, start, code, latency, bytes_out, bytes_in, attack, url, self.stream)


def read_gob(source: Source) -> Iterator[Results | Result | Flaw]:
    """Yield the results of one or more gob streams: in columns where they are as vegeta's are."""
    reader = _Gob()
    try:
        with source.open() as stream:
            yield from reader.read(stream)
    except gob.GobError as error:
        yield Flaw(reader.line, str(error))


class _Tape:
    """A stream of which a block is at hand, to be read in columns or by the plain decoder."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.block = Octets(b"")
        self.place = MARGIN
        self._frames: dict[bytes, Frames] = {}

    def read(self, size: int) -> bytes:
        """Read as a file does."""
        while self.block.end - self.place < size and self.load():
            pass
        start, self.place = self.place, min(self.place + size, self.block.end)
        return self.block.text(start, self.place)

    def load(self) -> bool:
        """Put the next block behind what is left; False at the end of the stream."""
        more = self._stream.read(LINE_BLOCK)
        if more:
            self.block = Octets(self.block.text(self.place, self.block.end) + more)
            self.place = MARGIN
            self._frames = {}
        return bool(more)

    def frames(self, type_id: bytes) -> Frames:
        """Return the candidates for messages of a type in the block at hand."""
        if type_id not in self._frames:
            self._frames[type_id] = find_frames(self.block, type_id)
        return self._frames[type_id]


class _Gob:
    """Results of a gob file; ``line`` counts the values."""

    def __init__(self) -> None:
        self.line = 0

    def read(self, stream: IO[bytes]) -> Iterator[Results | Result | Flaw]:
        tape = _Tape(stream)
        decoder = gob.Decoder(tape, GOB_FIELDS)  # type: ignore[arg-type]
        types, layout = None, None
        while True:
            if decoder.types is not types:
                types = decoder.types
                layout = _find_layout(types) if kernel.compiled else None
            if layout is not None:
                yield from self._read_blocks(tape, decoder, layout)
            if not decoder.next_message():
                return
            yield from self._read_one(decoder)

    def _read_one(self, decoder: gob.Decoder) -> Iterator[Result | Flaw]:
        for item in decoder.items():
            self.line += 1
            yield from_gob(self.line, item) or Flaw(self.line, f"holds a {item.name or 'value'}")

    def _read_blocks(
        self, tape: _Tape, decoder: gob.Decoder, layout: Layout
    ) -> Iterator[Results | Result | Flaw]:
        """Read messages as long as they follow each other."""
        while True:
            frames = tape.frames(layout.type_id)
            chain, end = frames.chain(tape.place, tape.block.end)
            if len(chain):
                yield from self._read_chain(tape, decoder, layout, frames, chain)
                tape.place = end
            if tape.block.end - tape.place > LINE_BLOCK // 2 or not tape.load():
                return

    def _read_chain(
        self, tape: _Tape, decoder: gob.Decoder, layout: Layout, frames: Frames, chain: Array
    ) -> Iterator[Results | Result | Flaw]:
        values = read_values(tape.block, frames.values[chain], frames.ends[chain], layout)
        results, good = _understand(tape.block, *values, self.line, decoder.number)
        if _FEW * np.count_nonzero(~good) > len(good):
            good[:] = False
        done = 0
        for row in np.flatnonzero(~good).tolist():
            if row > done:
                yield results.pick(slice(done, row))
            tape.place, self.line = int(frames.starts[chain[row]]), int(results.line[row]) - 1
            decoder.next_message()
            yield from self._read_one(decoder)
            done = row + 1
        self.line = int(results.line[-1])
        if done < len(good):
            yield results.pick(slice(done, None))


def _find_layout(types: dict[int, gob.Kind] | None) -> Layout | None:
    """Return the layout of results, if they have the fields that count, in vegeta's shapes."""
    layout = find_layout(types, "Result") if types else None
    if layout is None:
        return None
    fields = dict(layout.fields)
    is_usual = len(fields) == len(layout.fields) and all(
        fields.get(name, shape) == shape for name, shape in _SHAPES.items()
    )
    return layout if is_usual and "Timestamp" in fields else None


def _understand(
    block: Octets, found: dict[str, tuple[Array, Array]], good: Array, line: int, stream: int
) -> tuple[Results, Array]:
    """Return the fields in columns, and which rows are results in every way."""
    size = len(good)
    none = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int64)
    numbers = {name: found.get(name, none)[0] for name in ("Code", "BytesOut", "BytesIn")}
    good &= (numbers["Code"] < 1 << 16) & (numbers["BytesOut"] < MOST)
    good &= numbers["BytesIn"] < MOST
    latency = found.get("Latency", none)[0]
    good &= (latency & _U(1) == 0) & (latency >> _U(1) < MOST)
    starts, told = _read_times(block, *found["Timestamp"])
    good &= told
    texts = []
    for name in ("Attack", "URL"):
        at, sizes = found.get(name, none)
        at = np.where(sizes > 0, at, _U(MARGIN)).astype(np.int64)
        texts.append(tell_apart(block, at, np.where(good, sizes, 0)))
    (attacks, attack), (urls, url) = texts
    results = Results(
        np.arange(line + 1, line + 1 + size),
        starts,
        numbers["Code"].astype(np.int64),
        (latency >> _U(1)).astype(np.int64),
        numbers["BytesOut"].astype(np.int64),
        numbers["BytesIn"].astype(np.int64),
        attack,
        url,
        [text.decode("utf-8", errors="replace") for text in attacks],
        [text.decode("utf-8", errors="replace") for text in urls],
        stream,
    )
    return results, good


def _read_times(block: Octets, places: Array, sizes: Array) -> tuple[Array, Array]:
    """Read Go's binary times into nanoseconds since 1970, and tell which are in range."""
    at = np.where(sizes > 0, places, _U(MARGIN)).astype(np.int64)
    words = block.take(at, 16)
    version = words[:, 0] & _U(0xFF)
    good = ((sizes == 15) & (version == 1)) | ((sizes == 16) & (version == 2))
    seconds = (words[:, 0] >> _U(8) | words[:, 1] << _U(56)).byteswap()
    seconds = seconds.view(np.int64) - _YEAR_ONE_TO_UNIX
    rest = (words[:, 1] >> _U(8)).astype(np.uint32).byteswap().astype(np.int64)
    good &= (seconds >= 0) & (seconds < MOST_START // 10**9 - 5)
    nanoseconds = np.where(good, seconds, 0) * 10**9 + rest
    return nanoseconds, good & (nanoseconds > 0)

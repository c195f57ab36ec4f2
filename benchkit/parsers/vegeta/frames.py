"""The messages of a gob stream, a block at once: where they begin, and the fields of each.

A message has no mark, only its length before it; walking from one to the next costs a Python step
per record.

Every place where the type's id stands is a candidate, whose length is read backwards. Walking from
a known beginning, a candidate counts where the one before ends at it: mostly all do, and those that
stand inside of values are jumped over. Where the chain breaks (another type, damage, the end of the
block), the plain decoder goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.octets import Array, Octets
from benchkit.parsers.vegeta.gob import BYTES, OPAQUE, SIGNED, TEXT, UNSIGNED, Kind

_U = np.uint64
#: More keys or values in a map than this are left to the plain decoder.
_MOST_ENTRIES = 64
#: Shapes as the kernel is told them; others are blobs.
_LETTERS = {"number": "n", "signed": "n", "headers": "h"}
#: Bytes that precede the digits of a length, by the length's width.
_WIDTHS = {width: 256 - width for width in (1, 2, 3, 4)}


@dataclass(frozen=True, slots=True)
class Frames:
    """Candidates for messages, in order: where length and value begin, and where they end."""

    starts: Array
    values: Array
    ends: Array

    def chain(self, place: int, end: int) -> tuple[Array, int]:
        """Return the candidates that follow each other from ``place``, and where they stop.

        Parameters
        ----------
        place : int
            Where a message begins.
        end : int
            Of the block; messages that reach beyond it are left out.
        """
        breaks = np.flatnonzero(self.ends[:-1] != self.starts[1:])
        runs = []
        while True:
            first = int(np.searchsorted(self.starts, place))
            if first == len(self.starts) or self.starts[first] != place:
                break
            turn = int(np.searchsorted(breaks, first))
            last = int(breaks[turn]) if turn < len(breaks) else len(self.starts) - 1
            if self.ends[last] > end:
                last -= 1
            if last < first:
                break
            runs.append(np.arange(first, last + 1))
            place = int(self.ends[last])
        return np.concatenate(runs) if runs else np.empty(0, dtype=np.int64), place


def find_frames(block: Octets, type_id: bytes) -> Frames:
    """Find the candidates for messages whose value begins with ``type_id``."""
    ids = block.find_all(type_id[-1]) - len(type_id) + 1
    for step, byte in enumerate(type_id[:-1]):
        ids = ids[block.bytes[ids + step] == byte]
    before = block.word(ids - 8).byteswap()  # the byte next to the id is the lowest
    lowest = (before & _U(0xFF)).astype(np.int64)
    sizes = np.where(lowest < 128, lowest, -1)
    widths = np.ones(len(ids), dtype=np.int64)
    known = (sizes >= 0) & (before >> _U(8) & _U(0xFF) == 0)
    for width, sign in _WIDTHS.items():
        marked = before >> _U(8 * width) & _U(0xFF) == sign
        fits = ~known & marked & (before >> _U(8 * width + 8) & _U(0xFF) == 0)
        sizes = np.where(fits, (before & _U((1 << 8 * width) - 1)).astype(np.int64), sizes)
        widths[fits] = width + 1
        known |= fits
    kept = sizes >= len(type_id)  # an empty message holds no value, whatever stands behind it
    ids, sizes, widths = ids[kept], sizes[kept], widths[kept]
    return Frames(ids - widths, ids + len(type_id), ids + sizes)


@dataclass(frozen=True, slots=True)
class Layout:
    """A struct whose values can be read in columns.

    Parameters
    ----------
    type_id : bytes
        As a value begins with it.
    fields : tuple of (str, str)
        Name and shape: ``number``, ``blob`` (a text, bytes, an opaque value) or ``headers``.
    """

    type_id: bytes
    fields: tuple[tuple[str, str], ...]


def find_layout(types: dict[int, Kind], name: str) -> Layout | None:
    """Return the layout of the one struct of that name, if its fields are of known shapes."""
    found = [(key, kind) for key, kind in types.items() if key > 0 and kind.name == name]
    if len(found) != 1 or found[0][1].shape != "struct":
        return None
    number, kind = found[0]
    shapes = [_shape_of(types, type_id) for _, type_id, _ in kind.fields]
    if not all(shapes) or number >= 1 << 14:
        return None
    coded = 2 * number
    wide = b"\xfe" + coded.to_bytes(2, "big") if coded > 255 else b"\xff" + coded.to_bytes(1, "big")
    names = [field for field, _, _ in kind.fields]
    return Layout(wide if coded > 127 else bytes([coded]), tuple(zip(names, shapes, strict=True)))


def _shape_of(types: dict[int, Kind], type_id: int) -> str:
    if type_id in {SIGNED, UNSIGNED}:
        return "number" if type_id == UNSIGNED else "signed"
    kind = types.get(type_id)
    if type_id in {BYTES, TEXT} or (kind is not None and kind.shape in OPAQUE):
        return "blob" if type_id != TEXT else "text"
    values = types.get(kind.elem) if kind is not None and kind.shape == "map" else None
    if kind is None or values is None or (values.shape, values.elem) != ("slice", TEXT):
        return ""
    return "headers" if kind.key == TEXT else ""


class Walk:
    """Many values of one struct, read side by side.

    Parameters
    ----------
    block : Octets
    places, ends : int64, shape (k,)
        Where each value begins, behind its type's id, and ends.

    Attributes
    ----------
    good : bool, shape (k,)
        Which values were read to their ends by the rules of gob; of the others nothing holds.
    """

    def __init__(self, block: Octets, places: Array, ends: Array) -> None:
        self.block = block
        self.good = np.ones(len(places), dtype=bool)
        self._places = places.copy()
        self._ends = ends

    def read(self, layout: Layout) -> dict[str, tuple[Array, Array]]:
        """Return by field: numbers, or where blobs begin; and which values have it, or its size."""
        if kernel.compiled:
            return self._read_compiled(layout)
        size, last = len(self.good), len(layout.fields)
        everything = np.arange(size)
        turns = self._next(everything, np.full(size, -1, dtype=np.int64), last)
        found = {}
        for index, (name, shape) in enumerate(layout.fields):
            rows = np.flatnonzero(turns == index)
            told, more = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int64)
            if shape in {"number", "signed"}:
                told[rows], more[rows] = self._unsigned(rows), 1
            elif shape == "headers":
                self._skip_headers(rows)
            else:
                sizes = self._sizes(rows)
                told[rows], more[rows] = self._places[rows], sizes
                self._places[rows] += sizes
            found[name] = told, more
            turns[rows] = self._next(rows, turns[rows], last)
        self.good &= self._places == self._ends
        return found

    def _read_compiled(self, layout: Layout) -> dict[str, tuple[Array, Array]]:
        shapes = "".join(_LETTERS.get(shape, "b") for _, shape in layout.fields)
        told, more, self.good = kernel.read_structs(
            self.block.data, self._places, self._ends, shapes, _MOST_ENTRIES
        )
        names = (name for name, _ in layout.fields)
        return {name: (told[i], more[i]) for i, name in enumerate(names)}

    def _next(self, rows: Array, before: Array, last: int) -> Array:
        """Read the step to the next field; ``last`` behind the last one."""
        steps = self._unsigned(rows)
        self.good[rows] &= steps < last + 1
        turns: Array = before + np.minimum(steps, _U(last + 1)).astype(np.int64)
        turns[steps == 0] = last
        self.good[rows] &= (steps == 0) | (turns < last)
        return turns

    def _unsigned(self, rows: Array) -> Array:
        """Read numbers that are not negative; places never leave the block."""
        at = self._places[rows]
        first = self.block.bytes[at]
        numbers: Array = first.astype(np.uint64)
        at += 1
        wide = np.flatnonzero(first >= 128)
        if len(wide):
            widths = 256 - first[wide].astype(np.int64)
            self.good[rows[wide]] &= widths <= 8
            widths = np.minimum(widths, 8)
            rest = self.block.word(at[wide]).byteswap()
            numbers[wide] = rest >> (8 * (8 - widths)).astype(np.uint64)
            at[wide] += widths
        self._places[rows] = np.minimum(at, self.block.end + 1)
        return numbers

    def _sizes(self, rows: Array) -> Array:
        """Read the lengths of what follows; 0 where it would reach beyond its message."""
        sizes = self._unsigned(rows)
        room = np.maximum(self._ends[rows] - self._places[rows], 0)
        fits = sizes <= room.astype(np.uint64)
        self.good[rows] &= fits
        told: Array = np.where(fits, sizes, _U(0)).astype(np.int64)
        return told

    def _skip_headers(self, rows: Array) -> None:
        """Pass over maps of texts to lists of texts."""
        for keyed in self._repeat(rows):
            self._skip(keyed)
            for told in self._repeat(keyed):
                self._skip(told)

    def _skip(self, rows: Array) -> None:
        sizes = self._sizes(rows)
        self._places[rows] += sizes

    def _repeat(self, rows: Array) -> list[Array]:
        """Read how many elements follow; return which values have a first, a second, … of them."""
        counts = self._unsigned(rows)
        few = counts <= _MOST_ENTRIES
        self.good[rows] &= few
        counts[~few] = 0
        return [rows[counts > turn] for turn in range(int(counts.max(initial=0)))]

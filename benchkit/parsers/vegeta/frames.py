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


def read_values(
    block: Octets, places: Array, ends: Array, layout: Layout
) -> tuple[dict[str, tuple[Array, Array]], Array]:
    """Read many values of one struct side by side.

    Parameters
    ----------
    block : Octets
    places, ends : int64, shape (k,)
        Where each value begins, behind its type's id, and ends.
    layout : Layout

    Returns
    -------
    found : dict of name to (uint64, int64), shape (k,)
        Numbers, or where blobs begin; and which values have it, or its size.
    good : bool, shape (k,)
        Which values were read to their ends by the rules of gob; of the others nothing holds.
    """
    shapes = "".join(_LETTERS.get(shape, "b") for _, shape in layout.fields)
    numbers, more, good = kernel.read_structs(block.data, places, ends, shapes, _MOST_ENTRIES)
    names = (name for name, _ in layout.fields)
    return {name: (numbers[i], more[i]) for i, name in enumerate(names)}, good

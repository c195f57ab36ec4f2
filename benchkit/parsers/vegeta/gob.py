"""Go's gob streams, read by the type descriptors that they contain.

A gob names its fields, so a reader that takes names, types and ids from the stream can read every
version of every program.

The layout (https://pkg.go.dev/encoding/gob), message by message::

    length  -id  descriptor          what type ``id`` is: a struct, a slice, a map, an opaque type
    length   id  value               a struct: (step to the next field that is not zero, value)* 0

Numbers below 128 take one byte, others a negated length and big-endian bytes. Type ids begin at 64
or 65, depending on the version of Go, and are valid only within their stream. Concatenated files
contain several streams, each with its own descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from benchkit.reading.cleaning import decode

#: Go's encoder writes no longer message, and no name or URL comes close.
_LONGEST_MESSAGE = 1 << 33
_LONGEST_TEXT = 1 << 24
_DEEPEST = 64
#: Seconds from the year 1, Go's zero time, to 1970.
YEAR_ONE_TO_UNIX = 62_135_596_800


class GobError(Exception):
    """A truncated or invalid stream; the values read before the error remain valid."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type as described by the stream; ``fields`` are (name, type id, whether it is read)."""

    shape: str
    name: str = ""
    fields: tuple[tuple[str, int, bool], ...] = ()
    key: int = 0
    elem: int = 0


def unix_nanoseconds(data: bytes) -> int:
    """Return the nanoseconds since 1970 of a ``time.Time`` in its binary form.

    Raises
    ------
    GobError
        If it is not one: 15 bytes of version 1, or 16 of version 2.
    """
    if (len(data), data[:1]) not in {(15, b"\1"), (16, b"\2")}:
        raise GobError("a time is not in a form that Go writes")
    seconds = int.from_bytes(data[1:9], "big", signed=True) - YEAR_ONE_TO_UNIX
    return seconds * 10**9 + int.from_bytes(data[9:13], "big")


class _Cursor:
    """The bytes of successive messages; ``data`` from ``place`` on is loaded."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.data = b""
        self.place = 0
        self.left = 0

    def load(self) -> bool:
        """Load the next block; return False at the end of the file."""
        more = next(self._blocks, b"")
        if more:
            self.data, self.place = self.data[self.place :] + more, 0
        return bool(more)

    def next_message(self) -> bool:
        """Move to the next message; return False at the end of the file."""
        if self.place == len(self.data) and not self.load():
            return False
        first = self.data[self.place]
        self.left = 257 - first if first > 127 else 1
        if self.left > 9 or not self._has(self.left):
            raise GobError("it ends inside the field that states the length of a message")
        self.left = self.unsigned()
        if self.left > _LONGEST_MESSAGE:
            raise GobError("the length of a message is implausible")
        return True

    def _has(self, size: int) -> bool:
        """Load at least ``size`` bytes; return whether the file has that many."""
        while len(self.data) - self.place < size:
            if not self.load():
                return False
        return True

    def take(self, size: int) -> bytes:
        """Read bytes of the message."""
        if size > self.left or size > _LONGEST_TEXT:
            raise GobError("a value extends beyond its message")
        if not self._has(size):
            raise GobError("it ends in the middle of a message")
        start = self.place
        self.place += size
        self.left -= size
        return self.data[start : self.place]

    def skip(self, size: int) -> None:
        """Skip bytes of the message."""
        while size:
            size -= len(self.take(min(size, max(len(self.data) - self.place, 1))))

    def unsigned(self) -> int:
        """Read an unsigned integer."""
        first = self.take(1)[0]
        if first < 128:
            return first
        width = 256 - first
        if width > 8:
            raise GobError("a number is wider than 64 bits")
        return int.from_bytes(self.take(width), "big")

    def signed(self) -> int:
        """Read a signed integer."""
        coded = self.unsigned()
        return ~(coded >> 1) if coded & 1 else coded >> 1

    def blob(self) -> bytes:
        """Read bytes preceded by their length."""
        return self.take(self.unsigned())

    def text(self) -> str:
        """Read a text."""
        return decode(self.blob())


SIGNED, UNSIGNED, BYTES, TEXT = 2, 3, 5, 6
#: The predefined types of every stream by their gob ids, except interfaces and complex numbers.
#: Bools (1) and floats (4) are read as the numbers that encode them, because no caller needs their
#: values.
_BASIC: dict[int, Callable[[_Cursor], object]] = {
    **dict.fromkeys((1, UNSIGNED, 4), _Cursor.unsigned),
    SIGNED: _Cursor.signed,
    BYTES: _Cursor.blob,
    TEXT: _Cursor.text,
}


def _struct(**fields: int) -> Kind:
    return Kind("struct", fields=tuple((name, kind, True) for name, kind in fields.items()))


#: The encoding of a descriptor itself. These ids are valid only in this table.
_DESCRIPTOR, _COMMON, _FIELD, _FIELDS = -1, -2, -3, -4
_DESCRIPTORS = {
    _DESCRIPTOR: _struct(array=-5, slice=-5, struct=-6, map=-7, opaque=-8, binary=-8, marshaled=-8),
    _COMMON: _struct(name=TEXT, id=2),
    _FIELD: _struct(name=TEXT, id=2),
    _FIELDS: Kind("slice", elem=_FIELD),
    -5: _struct(common=_COMMON, elem=2, length=2),
    -6: _struct(common=_COMMON, fields=_FIELDS),
    -7: _struct(common=_COMMON, key=2, elem=2),
    -8: _struct(common=_COMMON),
}
OPAQUE = frozenset({"opaque", "binary", "marshaled"})


class Decoder(_Cursor):
    """The values of a file with one or more gob streams.

    Parameters
    ----------
    blocks : iterator of bytes
    kept : collection of str
        The names of the struct fields to keep; others are skipped. Fields that are zero are neither
        in a stream nor in the dict of a struct.

    Attributes
    ----------
    stream : int
        The number of the stream in the file, from 0.

    Raises
    ------
    GobError
        If the stream is truncated or damaged; the values before have been yielded.

    Examples
    --------
    >>> point = bytes.fromhex("19ff8103010105506f696e7401ff820001010101580104000000")
    >>> decoder = Decoder(iter([point, bytes.fromhex("05ff82010600")]), {"X"})
    >>> list(decoder)
    [('Point', {'X': 3})]
    """

    def __init__(self, blocks: Iterator[bytes], kept: Collection[str]) -> None:
        super().__init__(blocks)
        self.stream = 0
        self._kept = frozenset(kept)
        self._types = dict(_DESCRIPTORS)
        self._fresh: dict[int, Kind] = {}

    def __iter__(self) -> Iterator[tuple[str, object]]:
        """Yield type names and values; the elements of a slice are yielded one by one."""
        while self.next_message():
            yield from self.items()

    def items(self) -> Iterator[tuple[str, object]]:
        """Yield the values of the message; a type descriptor has none."""
        while self.left:
            type_id = self.signed()
            if type_id < 0:
                self._fresh[-type_id] = self._describe()
                continue
            self._settle()
            yield from self._top(type_id)
            if self.left:
                raise GobError("a message has more data than its value")

    @property
    def types(self) -> dict[int, Kind] | None:
        """Return the types of the stream by id, or None while the next value may change them."""
        return None if self._fresh else self._types

    def _settle(self) -> None:
        """Add the types described since the last value; a known id marks a new stream."""
        if self._fresh.keys() & self._types.keys():
            self._types = dict(_DESCRIPTORS)
            self.stream += 1
        self._types = self._types | self._fresh
        self._fresh = {}

    def _describe(self) -> Kind:
        """Read a descriptor."""
        described = self._value(_DESCRIPTOR, 0)
        if not isinstance(described, dict) or len(described) != 1:
            raise GobError("the description of a type is not valid gob")
        ((shape, parts),) = described.items()
        fields = tuple(
            (field.get("name", ""), field.get("id", 0), field.get("name") in self._kept)
            for field in parts.get("fields", ())
        )
        name = parts.get("common", {}).get("name", "")
        return Kind(shape, name, fields, parts.get("key", 0), parts.get("elem", 0))

    def _top(self, type_id: int) -> Iterator[tuple[str, object]]:
        kind = self._types.get(type_id)
        if (kind is None or kind.shape != "struct") and self.unsigned():
            raise GobError("a value does not start like a gob value")
        if kind is None or kind.shape not in {"slice", "array"}:
            yield (kind.name if kind else "", self._value(type_id, 0))
            return
        element = self._types.get(kind.elem)
        for _ in range(self.unsigned()):
            yield (element.name if element else "", self._value(kind.elem, 1))

    def _value(self, type_id: int, depth: int) -> object:
        basic = _BASIC.get(type_id)
        if basic is not None:
            return basic(self)
        kind = self._types.get(type_id)
        if kind is None or depth > _DEEPEST:
            raise GobError(f"a value is of type {type_id}, which the stream does not describe")
        if kind.shape == "struct":
            return self._fields(kind, depth + 1)
        if kind.shape in OPAQUE:
            return self.blob()
        count = self.unsigned()
        if kind.shape == "map":
            return [
                (self._value(kind.key, depth + 1), self._value(kind.elem, depth + 1))
                for _ in range(count)
            ]
        return [self._value(kind.elem, depth + 1) for _ in range(count)]

    def _fields(self, kind: Kind, depth: int) -> dict[str, object]:
        fields: dict[str, object] = {}
        index = -1
        while step := self.unsigned():
            index += step
            if index >= len(kind.fields):
                raise GobError(f"a {kind.name or 'struct'} has more fields than described")
            name, type_id, is_kept = kind.fields[index]
            if is_kept:
                fields[name] = self._value(type_id, depth)
            else:
                self._pass_over(type_id, depth)
        return fields

    def _pass_over(self, type_id: int, depth: int) -> None:
        kind = self._types.get(type_id)
        if type_id in {BYTES, TEXT} or (kind is not None and kind.shape in OPAQUE):
            self.skip(self.unsigned())
        else:
            self._value(type_id, depth)

"""Go's gob streams, read by the type descriptors that they carry.

A gob names its fields, so a reader that takes names, types and ids from the stream reads every
version of every program.

The layout (https://pkg.go.dev/encoding/gob), message by message::

    length  -id  descriptor          what type ``id`` is: a struct, a slice, a map, an opaque type
    length   id  value               a struct: (step to the next field that is not zero, value)* 0

Numbers below 128 are one byte, others a negated length and big-endian bytes. Type ids begin at 64
or 65 by the version of Go and mean nothing outside their stream; files that were put one behind the
other hold several streams, of which each describes its types anew.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import IO, NamedTuple

_CHUNK = 1 << 16
#: No message of Go's own encoder is longer, and no name or URL comes near.
_LONGEST_MESSAGE = 1 << 33
_LONGEST_TEXT = 1 << 24
_DEEPEST = 64
#: Seconds from the year 1, where Go's times begin, to 1970.
_YEAR_ONE_TO_UNIX = 62_135_596_800


class GobError(Exception):
    """The stream is cut or breaks the rules of gob; what was read before stands."""


class Item(NamedTuple):
    """One value of a stream: which stream of the file, the type's name, the value."""

    stream: int
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Kind:
    """What a descriptor says of a type; ``fields`` are (name, type id, whether it is read)."""

    shape: str
    name: str = ""
    fields: tuple[tuple[str, int, bool], ...] = ()
    key: int = 0
    elem: int = 0


def read(stream: IO[bytes], wanted: Collection[str]) -> Iterator[Item]:
    """Yield the values of a file of one or more gob streams, the elements of a slice one by one.

    Parameters
    ----------
    stream : binary file
        Read forwards only, with memory for one value at a time.
    wanted : collection of str
        The names of the struct fields to keep; others are passed over. Fields that are zero are
        not in a stream and so not in the dict of a struct.

    Raises
    ------
    GobError
        Where the stream is cut or damaged; the values before it have been yielded.

    Examples
    --------
    >>> import io
    >>> point = bytes.fromhex("19ff8103010105506f696e7401ff820001010101580104000000")
    >>> stream = io.BytesIO(point + bytes.fromhex("05ff82010600"))
    >>> [item.value for item in read(stream, {"X"})]
    [{'X': 3}]
    """
    decoder = Decoder(stream, wanted)
    while decoder.next_message():
        yield from decoder.items()


def unix_nanoseconds(data: bytes) -> int:
    """Return the nanoseconds since 1970 of a ``time.Time`` in its binary form.

    Raises
    ------
    GobError
        If it is not one: 15 bytes of version 1, or 16 of version 2.
    """
    if (len(data), data[:1]) not in {(15, b"\1"), (16, b"\2")}:
        msg = "a time is not in a form that Go writes"
        raise GobError(msg)
    seconds = int.from_bytes(data[1:9], "big", signed=True) - _YEAR_ONE_TO_UNIX
    return seconds * 10**9 + int.from_bytes(data[9:13], "big")


class _Cursor:
    """The bytes of one message after the other; at most a chunk is held."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data = b""
        self._pos = 0
        self._unread = 0

    @property
    def left(self) -> int:
        """Bytes of the message that were not taken yet."""
        return len(self._data) - self._pos + self._unread

    def next_message(self) -> bool:
        """Go to the next message; False at the end of the file."""
        first = self._stream.read(1)
        if not first:
            return False
        self._data, self._pos, self._unread = first, 0, 8
        size = first[0] if first[0] < 128 else self._long_length(256 - first[0])
        if size > _LONGEST_MESSAGE:
            msg = "the length of a message is not credible"
            raise GobError(msg)
        self._data, self._pos, self._unread = b"", 0, size
        return True

    def _long_length(self, width: int) -> int:
        data = self._stream.read(min(width, 8))
        if width > 8 or len(data) < width:
            msg = "it ends, or breaks off, in the length of a message"
            raise GobError(msg)
        return int.from_bytes(data, "big")

    def take(self, size: int) -> bytes:
        """Take bytes of the message."""
        if size > len(self._data) - self._pos:
            self._load(size)
        start = self._pos
        self._pos = start + size
        return self._data[start : self._pos]

    def _load(self, size: int) -> None:
        missing = size - (len(self._data) - self._pos)
        if missing > self._unread or size > _LONGEST_TEXT:
            msg = "a value reaches beyond its message"
            raise GobError(msg)
        more = self._stream.read(min(self._unread, max(missing, _CHUNK)))
        self._data, self._pos = self._data[self._pos :] + more, 0
        self._unread -= len(more)
        if len(self._data) < size:
            msg = "it ends in the middle of a message"
            raise GobError(msg)

    def skip(self, size: int) -> None:
        """Pass over bytes of the message."""
        if size > self.left:
            msg = "a value reaches beyond its message"
            raise GobError(msg)
        while size:
            size -= len(self.take(min(size, _CHUNK)))

    def unsigned(self) -> int:
        """Read a number that is not negative."""
        first = self.take(1)[0]
        if first < 128:
            return first
        width = 256 - first
        if width > 8:
            msg = "a number is wider than 64 bits"
            raise GobError(msg)
        return int.from_bytes(self.take(width), "big")

    def signed(self) -> int:
        """Read an integer."""
        coded = self.unsigned()
        return ~(coded >> 1) if coded & 1 else coded >> 1

    def real(self) -> float:
        """Read a float, which is sent with its bytes reversed."""
        bits: float = struct.unpack("<d", self.unsigned().to_bytes(8, "big"))[0]
        return bits

    def blob(self) -> bytes:
        """Read bytes with their length."""
        return self.take(self.unsigned())

    def text(self) -> str:
        """Read a text; what is not UTF-8 is replaced."""
        return self.blob().decode("utf-8", errors="replace")


SIGNED, UNSIGNED, BYTES, TEXT = 2, 3, 5, 6
#: The types that every stream knows, by the ids that gob gives them (but for interfaces, which are
#: refused).
_BASIC: dict[int, Callable[[_Cursor], object]] = {
    1: lambda cursor: bool(cursor.unsigned()),
    2: _Cursor.signed,
    3: _Cursor.unsigned,
    4: _Cursor.real,
    BYTES: _Cursor.blob,
    TEXT: _Cursor.text,
    7: lambda cursor: complex(cursor.real(), cursor.real()),
}


def _struct(**fields: int) -> Kind:
    return Kind("struct", fields=tuple((name, kind, True) for name, kind in fields.items()))


#: How a descriptor is itself encoded. The ids are of this table only.
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


class Decoder:
    """The types that a stream has described so far, and the values made of them.

    Parameters
    ----------
    stream, wanted
        As `read` takes them. Between two messages the stream stands where the next one begins.
    """

    def __init__(self, stream: IO[bytes], wanted: Collection[str]) -> None:
        self._cursor = _Cursor(stream)
        self._wanted = frozenset(wanted)
        self._types = dict(_DESCRIPTORS)
        self._fresh: dict[int, Kind] = {}
        self._stream = 0

    def next_message(self) -> bool:
        """Go to the next message; False at the end of the stream."""
        return self._cursor.next_message()

    def items(self) -> Iterator[Item]:
        """Yield the values of the message; none if it describes a type."""
        cursor = self._cursor
        while cursor.left:
            type_id = cursor.signed()
            if type_id < 0:
                self._fresh[-type_id] = self._describe()
                continue
            self._settle()
            yield from self._top(type_id)
            if cursor.left:
                msg = "a message holds more than its value"
                raise GobError(msg)

    @property
    def number(self) -> int:
        """Which stream of the file this is, from 0."""
        return self._stream

    @property
    def types(self) -> dict[int, Kind] | None:
        """What the stream has described, by id; None while a value may yet change it."""
        return None if self._fresh else self._types

    def _settle(self) -> None:
        """Add the types described since the last value; known ids tell that a new stream began."""
        if self._fresh.keys() & self._types.keys():
            self._types = dict(_DESCRIPTORS)
            self._stream += 1
        self._types |= self._fresh
        self._fresh = {}

    def _describe(self) -> Kind:
        """Read a descriptor."""
        described = self._value(_DESCRIPTOR, 0)
        if not isinstance(described, dict) or len(described) != 1:
            msg = "a type is described in a way that is not gob's"
            raise GobError(msg)
        ((shape, parts),) = described.items()
        fields = tuple(
            (field.get("name", ""), field.get("id", 0), field.get("name") in self._wanted)
            for field in parts.get("fields", ())
        )
        name = parts.get("common", {}).get("name", "")
        return Kind(shape, name, fields, parts.get("key", 0), parts.get("elem", 0))

    def _top(self, type_id: int) -> Iterator[Item]:
        kind = self._types.get(type_id)
        if (kind is None or kind.shape != "struct") and self._cursor.unsigned():
            msg = "a value does not begin as gob's do"
            raise GobError(msg)
        if kind is None or kind.shape not in {"slice", "array"}:
            yield Item(self._stream, kind.name if kind else "", self._value(type_id, 0))
            return
        element = self._types.get(kind.elem)
        for _ in range(self._cursor.unsigned()):
            value = self._value(kind.elem, 1)
            yield Item(self._stream, element.name if element else "", value)

    def _value(self, type_id: int, depth: int) -> object:
        basic = _BASIC.get(type_id)
        if basic is not None:
            return basic(self._cursor)
        kind = self._types.get(type_id)
        if kind is None or depth > _DEEPEST:
            msg = f"a value is of type {type_id}, which the stream does not describe"
            raise GobError(msg)
        if kind.shape == "struct":
            return self._fields(kind, depth + 1)
        if kind.shape in OPAQUE:
            return self._cursor.blob()
        count = self._cursor.unsigned()
        if kind.shape == "map":
            return [
                (self._value(kind.key, depth + 1), self._value(kind.elem, depth + 1))
                for _ in range(count)
            ]
        return [self._value(kind.elem, depth + 1) for _ in range(count)]

    def _fields(self, kind: Kind, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        index = -1
        while step := self._cursor.unsigned():
            index += step
            if index >= len(kind.fields):
                msg = f"a {kind.name or 'struct'} has more fields than were described"
                raise GobError(msg)
            name, type_id, is_wanted = kind.fields[index]
            if is_wanted:
                found[name] = self._value(type_id, depth)
            else:
                self._pass_over(type_id, depth)
        return found

    def _pass_over(self, type_id: int, depth: int) -> None:
        kind = self._types.get(type_id)
        if type_id in {BYTES, TEXT} or (kind is not None and kind.shape in OPAQUE):
            self._cursor.skip(self._cursor.unsigned())
        else:
            self._value(type_id, depth)

"""Looks that differ in their digits only.

CAdvisor writes every look of a container alike; what was decoded once needs no second decoding
but of its numbers.

The outline of a text is the text with ``0`` for every run of digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from benchkit.parsers.cadvisor.usage import Value, read_all
from benchkit.parsers.numerals import read_integers
from benchkit.parsers.octets import Array, Octets

#: Integers below are floats to the last digit.
EXACT = 1 << 53
#: Digits beyond which Python reads no integer, and some.
_MOST_DIGITS = 4000
_MOST_NAMED = 18
#: Exact numbers whose sum is a number of 64 bits.
_MOST_PARTS = 512
_TOKEN = re.compile(rb'"[^"]*"|-?\d[\d.eE+-]*')
_DIGITS = re.compile(rb"\d+")
#: Numbers under these names tell parts apart.
_NAMES = frozenset({"name", "major", "minor"})


class Outlines(NamedTuple):
    """The outlines of a block: the text, and where each of its bytes stands in the block."""

    block: Octets
    text: bytes
    places: Array

    @classmethod
    def of(cls, block: Octets) -> Self:
        """Take the outlines of a whole block, margins included."""
        is_digit = block.bytes - np.uint8(ord("0")) < 10
        kept = np.ones(len(is_digit), dtype=bool)
        np.logical_and(is_digit[1:], is_digit[:-1], out=kept[1:])
        np.logical_not(kept[1:], out=kept[1:])
        places = np.flatnonzero(kept)
        text = np.where(is_digit, np.uint8(ord("0")), block.bytes)[places].tobytes()
        return cls(block, text, places)


class Template:
    """What an outline means.

    Parameters
    ----------
    outline, text : bytes
        Of one look.

    Raises
    ------
    ValueError, RecursionError
        If the text is no JSON, or not so simple that its digits do not matter.
    """

    def __init__(self, outline: bytes, text: bytes) -> None:
        if b"\\" in outline or b"\n" in outline:
            raise ValueError("strings may hold other digits than they seem to")
        tokens = list(_TOKEN.finditer(outline))
        strings = [token for token in tokens if token[0].startswith(b'"')]
        numbers = [token for token in tokens if not token[0].startswith(b'"')]
        marks = _Marks(token.start() if token[0] == b"0" else -1 for token in numbers)
        look = marks.decode(text.decode("utf-8", errors="replace"))
        #: The terms of a look; parts are the places of numbers.
        self.values = [_place(value) for value in read_all(look)]
        if {type(look.get(name, True)) for name in ("has_cpu", "has_memory")} != {bool}:
            raise ValueError("what is told depends on a number")
        self.begin, self.end = strings[1].start() + 1, strings[1].end() - 1
        first = [token.start() + token[0].startswith(b"-") for token in numbers]
        self._numbers = np.array(first, dtype=np.int64)
        runs = zip(_DIGITS.finditer(outline), _DIGITS.findall(text), strict=True)
        fixed = dict.fromkeys(marks.names)
        inside = [token.span() for token in (strings[0], *strings[2:])]
        self._fixed = [
            (run.start(), digits)
            for run, digits in runs
            if run.start() in fixed or any(low < run.start() < high for low, high in inside)
        ]

        if any(len(digits) > _MOST_NAMED for _, digits in self._fixed):
            raise ValueError("a name of digits")

    def fits(self, outlines: Outlines, starts: Array) -> Array:
        """Tell which looks of that outline mean what this one means: bool, shape (k,)."""
        block, places = outlines.block, outlines.places
        at = starts[:, np.newaxis] + self._numbers
        first = places[at]
        sizes = places[at + 1] - first
        odd = (sizes > 1) & (block.bytes[first] == ord("0")) | (sizes > _MOST_DIGITS)
        good: Array = ~odd.any(axis=1)
        for place, digits in self._fixed:
            found, told = read_number(outlines, starts + place)
            sizes = places[starts + place + 1] - places[starts + place]
            good &= told & (found == int(digits)) & (sizes == len(digits))
        return good


def read_number(outlines: Outlines, at: Array) -> tuple[Array, Array]:
    """Read the digits at places of the outlines: numbers, and which are exact as floats."""
    starts = outlines.places[at]
    values, told = read_integers(outlines.block, starts, outlines.places[at + 1] - starts)
    return values, told & (values < EXACT)


class _Marked(int):
    """A number that knows its place in the outline, or -1 where it is no plain integer."""

    place: int


class _Marks:
    """Gives the decoder's numbers their places: it meets them in the order of the text."""

    def __init__(self, places: Iterable[int]) -> None:
        self._places: Iterator[int] = iter(places)
        #: Places of numbers that tell parts apart.
        self.names: list[int] = []

    def decode(self, text: str) -> dict[str, Any]:
        look: dict[str, Any] = json.loads(
            text, parse_int=self._mark, parse_float=self._pass, object_pairs_hook=self._join
        )
        return look

    def _mark(self, digits: str) -> int:
        number = _Marked(digits)
        number.place = next(self._places, -1)
        if number >= EXACT:
            raise ValueError("too large a number may mean none")
        return number

    def _pass(self, digits: str) -> float:
        next(self._places, -1)
        return float(digits)

    def _join(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name twice")
        self.names += [
            number.place for name, number in pairs if name in _NAMES and isinstance(number, _Marked)
        ]
        return found


def _place(value: Value) -> Value:
    """Return a value whose numbers are their places; ``given`` is -1 where it does not count."""
    if len(value.parts) > _MOST_PARTS:
        raise ValueError("a sum may be too large")
    parts = tuple(_place_of(part) for part in value.parts)
    given = _place_of(value.given) if isinstance(value.given, _Marked) else -1
    return value._replace(parts=parts, given=given)


def _place_of(number: float) -> int:
    place = number.place if isinstance(number, _Marked) else -1
    if place < 0:
        raise ValueError("a number of another form")
    return place

"""JSON documents that are read whole, with the line of every number.

In: a source of one or several JSON documents, compact or indented. Out: their values, whose numbers
know their lines. Why: a row points at the line its number stands on, and a cut document must not
give half of what it means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from benchkit.errors import Diagnostic
from benchkit.parsers.source import Source

#: A larger document is refused: it would not fit into memory as Python objects.
LARGEST = 64 << 20

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\n|[a-zA-Z]+')
_BLANK = re.compile(r"[\s,]*")


class Whole(int):
    """An integer of a document; ``line`` is its own, ``next_line`` that of what follows it."""

    line: int
    next_line: int


class Broken(float):
    """A number with a fraction or an exponent, else as `Whole`."""

    line: int
    next_line: int


def read_text(source: Source) -> str | Diagnostic:
    """Return the whole text, or say that it is too large."""
    size = 0
    for block in source.blocks():
        size += len(block)
        if size > LARGEST:
            what = f"is larger than {LARGEST >> 20} MiB, which is read whole"
            return Diagnostic(source.label, 0, what, "ask for a shorter time in several files")
    return source.text()


def read_documents(source: Source) -> Iterator[tuple[int, Any]]:
    r"""Yield (line, value) of every document, and (line, Diagnostic) where one cannot be read.

    Examples
    --------
    >>> source = Source(None, "x.json", b'{"a":\n [7, "8"]}')
    >>> [(line, value["a"][0].line) for line, value in read_documents(source)]
    [(1, 2)]
    """
    text = read_text(source)
    if isinstance(text, Diagnostic):
        yield 0, text
        return
    lines = _Lines(text)
    decoder = json.JSONDecoder(parse_int=lines.whole, parse_float=lines.broken)
    at = _BLANK.match(text).end()  # type: ignore[union-attr]
    counted, line = 0, 1
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield line, _refusal(source.label, text, error)
            return
        yield line, value
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]


def line_of(value: object, default: int) -> int:
    """Return the line of a number of a document; that of the document for anything else."""
    return getattr(value, "line", default)


def _refusal(label: str, text: str, error: Exception) -> Diagnostic:
    line, end = text.count("\n") + 1, len(text.rstrip())
    what = f"is no valid JSON ({error})"
    if isinstance(error, json.JSONDecodeError):
        line, what = error.lineno, f"is no valid JSON ({error.msg}, column {error.colno})"
        if error.pos >= end or error.msg.startswith("Unterminated"):
            what = "is cut short: without its end nobody can tell what is a part of what"
    return Diagnostic(label, line, what, "take the answer again")


class _Lines:
    """Gives the decoder's numbers their lines: it meets them in the order of the text."""

    def __init__(self, text: str) -> None:
        self._places = _places(text) if "\n" in text.rstrip() else None

    def whole(self, digits: str) -> int:
        if self._places is None:
            return int(digits)
        number = Whole(digits)
        number.line, number.next_line = next(self._places)
        return number

    def broken(self, digits: str) -> float:
        if self._places is None:
            return float(digits)
        number = Broken(digits)
        number.line, number.next_line = next(self._places)
        return number


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the line of each number and of the token after it."""
    line, waiting = 1, 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word == "\n":
            line += 1
            continue
        if waiting:
            yield waiting, line
        waiting = line if word[0] in "-0123456789" else 0
    if waiting:
        yield waiting, line

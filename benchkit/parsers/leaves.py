"""The leaves of a JSON document: each scalar with its path and line.

A row names the line of its number, which `json.loads` does not keep, and the values before a
truncation are valid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchkit.reading.bounds import require_short
from benchkit.regexes import regex

_TOKEN = regex(
    r'\s*(?:(?P<mark>[{}\[\],:])|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity)(?=[\s,}\]]))",
    re.DOTALL | re.ASCII,
)
#: A key with its scalar and a comma: most of a document, matched as one token.
_PAIR = regex(
    r'\s*"([^"\\]*+)"\s*:\s*("[^"\\]*+"'
    r"|(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity)(?=[\s,}\]]))(\s*,)?+",
    re.ASCII,
)
_NUMBER = regex(r"-?\d")
#: The bytes of a path's step; the names themselves are shared.
_STEP = 8

Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A scalar: its path in the document, its text, and its line."""

    path: Path
    text: str
    line: int

    @property
    def is_number(self) -> bool:
        """Return whether it is a finite number."""
        return _NUMBER.match(self.text) is not None

    @property
    def string(self) -> str:
        """Return the content of a string; empty for any other scalar, and if it is damaged."""
        return (_decode(self.text) or "") if self.text.startswith('"') else ""

    @property
    def content(self) -> str:
        """Return the content of a string, or any other scalar as written."""
        return self.string or self.text


class DamageError(ValueError):
    """A document that ends early, or is not valid JSON from some line on.

    Parameters
    ----------
    line : int
        The line where reading stopped.
    is_whole : bool
        Whether the document had ended there.
    """

    def __init__(self, what: str, line: int, *, is_whole: bool = False) -> None:
        super().__init__(what)
        self.line = line
        self.is_whole = is_whole


def walk(text: str, line: int = 1) -> Iterator[Leaf]:
    """Yield the leaves of a document that begins on ``line``.

    Raises
    ------
    DamageError
        If the document is damaged; all leaves before are whole.
    CrowdedError
        If the paths need too much memory.

    Examples
    --------
    >>> [(leaf.path, leaf.text) for leaf in walk('{"a": [1, {"b": "c"}]}')]
    [(('a', 0), '1'), (('a', 1, 'b'), '"c"')]
    """
    path: list[str | int] = []
    position, awaits_key, size = 0, False, 0
    while True:
        require_short(size, line)
        while awaits_key and (match := _PAIR.match(text, position)):
            line += text.count("\n", position, match.end(2))
            path[-1], value, comma = match.groups()
            size += _STEP * len(path)
            yield Leaf(tuple(path), value, line)
            line += text.count("\n", match.end(2), match.end())
            position, awaits_key = match.end(), comma is not None
        if (match := _TOKEN.match(text, position)) is None:
            break
        line += text.count("\n", position, match.end())
        position = match.end()
        mark, string, word = match.groups()
        if mark:
            _step(path, mark, line)
            awaits_key = bool(path) and isinstance(path[-1], str) and mark in "{,"
        elif string and awaits_key:
            key, awaits_key = _decode(string), False
            if key is None:
                raise DamageError("a key is damaged", line)
            path[-1] = key
        else:
            size += _STEP * len(path)
            yield Leaf(tuple(path), string or word, line)
        if not path and mark != ":":
            break
    if path or position == 0:
        raise DamageError("the document ends early or is damaged", line)
    if text[position:].strip():
        raise DamageError("extra text after the end of the document", line, is_whole=True)


def name_fields(record: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the fields of an object that are not objects, under dotted names.

    Raises
    ------
    CrowdedError
        If the names need too much memory.

    Examples
    --------
    >>> list(name_fields({"latency": {"p50": 2, "unit": "s"}, "errors": []}))
    [('latency.p50', 2), ('latency.unit', 's'), ('errors', [])]
    """
    size, below = 0, [("", iter(record.items()))]
    while below:
        within, fields = below[-1]
        for key, value in fields:
            name = f"{within}{key}"
            size += len(name)
            require_short(size)
            if isinstance(value, dict):
                below.append((f"{name}.", iter(value.items())))
                break
            yield name, value
        else:
            below.pop()


def _decode(string: str) -> str | None:
    """Return the content of a string, None if it is damaged."""
    if "\\" not in string:
        return string[1:-1]
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return None


def _step(path: list[str | int], mark: str, line: int) -> None:
    """Move along the path at a bracket or comma."""
    last = path[-1] if path else None
    if mark in "{[":
        path.append("" if mark == "{" else 0)
    elif mark != ":" and (last is None or (mark != "," and isinstance(last, str) != (mark == "}"))):
        raise DamageError("brackets do not match", line)
    elif mark in "}]":
        path.pop()
    elif mark == "," and isinstance(last, int):
        path[-1] = last + 1

"""The leaves of a JSON document: each scalar with its path and its line.

A row names the line that holds its number, which `json.loads` forgets; and what stands before a
cut is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<mark>[{}\[\],:])
      | (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<word>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity)(?=[\s,}\]])
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NUMBER = re.compile(r"-?\d")

Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A scalar: where it stands in the document, as it is written, and on which line."""

    path: Path
    text: str
    line: int

    @property
    def is_number(self) -> bool:
        """Whether it is a finite number."""
        return _NUMBER.match(self.text) is not None

    @property
    def string(self) -> str:
        """The content of a string; empty for any other scalar, and where it is damaged."""
        try:
            return str(json.loads(self.text, strict=False)) if self.text.startswith('"') else ""
        except ValueError:
            return ""


class DamageError(ValueError):
    """The document ends early, or is no JSON from some line on.

    Parameters
    ----------
    line : int
        Where reading stopped.
    """

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


def walk(text: str) -> Iterator[Leaf]:
    """Yield the leaves of a document.

    Raises
    ------
    DamageError
        Where the document is damaged; all leaves before were whole.

    Examples
    --------
    >>> [(leaf.path, leaf.text) for leaf in walk('{"a": [1, {"b": "c"}]}')]
    [(('a', 0), '1'), (('a', 1, 'b'), '"c"')]
    """
    path: list[str | int] = []
    line, position, awaits_key = 1, 0, False
    while match := _TOKEN.match(text, position):
        line += text.count("\n", position, match.end())
        position = match.end()
        mark, string, word = match["mark"], match["text"], match["word"]
        if string is not None and awaits_key:
            path[-1], awaits_key = _decode(string, line), False
        elif mark is None:
            yield Leaf(tuple(path), string or word, line)
        else:
            awaits_key = _step(path, mark, line)
        if not path and mark != ":":
            break
    if path or position == 0:
        raise DamageError("the document ends early or is damaged", line)
    if text[position:].strip():
        raise DamageError("text follows the end of the document", line)


def _decode(string: str, line: int) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        raise DamageError("a key is damaged", line) from None


def _step(path: list[str | int], mark: str, line: int) -> bool:
    """Move along the path at a bracket or comma; return whether a key must follow."""
    if mark in "{[":
        path.append("" if mark == "{" else 0)
    elif mark in "}]":
        if not path or isinstance(path[-1], str) is not (mark == "}"):
            raise DamageError("brackets do not match", line)
        path.pop()
    elif mark == ",":
        if not path:
            raise DamageError("a comma stands outside of the document", line)
        last = path[-1]
        if isinstance(last, int):
            path[-1] = last + 1
    return bool(path) and isinstance(path[-1], str) and mark in "{,"

"""Tokens of benchstat's filters and projections, and its error with a mark below the position.

The rules are those of benchproc/internal/parse/tok.go: a word ends at a space or at one of ``( ) :
@ ,``; ``-`` and ``*`` are operators only where a word could begin.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category

from benchkit.benchstat.reader import SPACE
from benchkit.regexes import regex

_OPERATORS = "():@,"
_STARTS = _OPERATORS + "-*"
_WORD = regex(rf"[^{SPACE}{re.escape(_OPERATORS)}]+")
_SPACES = regex(f"[{SPACE}]*")
_ESCAPE = regex(
    r'\\(?:([abfnrtv\\"])|([0-3][0-7]{2})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))'
)
_QUOTED = regex(rf'(?:[^\\"\n]|{_ESCAPE.pattern})*')
_LETTERS = dict(zip('abfnrtv\\"', '\a\b\f\n\r\t\v\\"', strict=True))
#: Mistakes that Go and RE2 name differently.
_GO_WORDS = {
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "no argument for repetition operator": "missing argument to repetition operator",
}
#: Character categories that Go calls graphic: they occupy a column above the mark.
_GRAPHIC = {"L", "M", "N", "P", "S"}


class ExpressionError(ValueError):
    """A filter or projection that benchstat refuses, with its message."""

    def __init__(self, query: str, at: int, message: str) -> None:
        shown = sum(category(c)[0] in _GRAPHIC or category(c) == "Zs" for c in query[:at])
        super().__init__(f"syntax error: {message}\n\t{query}\n\t{' ' * shown}^")


class Token(NamedTuple):
    """One token.

    Parameters
    ----------
    kind : str
        An operator's character, ``AND``, ``OR``, ``word``, ``regexp``, or empty at the end.
    at : int
        Its position in the query.
    text : str
        Its value: quoted words without quotes and escapes.
    """

    kind: str
    at: int
    text: str


class Tokenizer:
    """Reads a query from left to right; the first error ends it."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._at = 0
        self._postponed: list[ExpressionError] = []

    def peek(self, *, value: bool = False) -> Token:
        """Return the next token without consuming it; only a value may be a regular expression."""
        return self._scan(value=value)[0]

    def take(self, *, value: bool = False) -> Token:
        """Return and consume the next token."""
        token, self._at = self._scan(value=value)
        return token

    def refuse(self, message: str, at: int | None = None) -> ExpressionError:
        """Return the error for a position, by default the next token's."""
        return ExpressionError(self.query, self.peek().at if at is None else at, message)

    def postpone(self, message: str, at: int) -> None:
        """Refuse a position once the whole query is parsed: syntax errors come first."""
        self._postponed.append(ExpressionError(self.query, at, message))

    def finish(self) -> None:
        """Refuse the unparsed rest, then the first postponed error."""
        if (token := self.peek()).kind:
            raise self.refuse(f"unexpected {quote(token.text)}", token.at)
        if self._postponed:
            raise self._postponed[0]

    def _scan(self, *, value: bool) -> tuple[Token, int]:
        self._at = at = _SPACES.match(self.query, self._at).end()  # type: ignore[union-attr]
        first = self.query[at : at + 1]
        if not first:
            return Token("", at, ""), at
        if first in _STARTS:
            return Token(first, at, first), at + 1
        if first == "/" and value:
            return self._scan_regexp(at)
        if first == '"':
            return self._scan_quoted(at)
        word = _WORD.match(self.query, at).group()  # type: ignore[union-attr]
        return Token(word if word in {"AND", "OR"} else "word", at, word), at + len(word)

    def _scan_quoted(self, at: int) -> tuple[Token, int]:
        end = at + 1
        while self.query[end : end + 1] not in {'"', ""} or self.query[end - 1 : end + 1] == '\\"':
            end += 1
        if end == len(self.query):
            raise self.refuse("missing end quote", at)
        inside = self.query[at + 1 : end]
        if not _QUOTED.fullmatch(inside):
            raise self.refuse("bad escape sequence", at)
        try:
            text = b"".join(_unescape(inside)).decode("utf-8", "surrogateescape")
        except (UnicodeEncodeError, ValueError):
            raise self.refuse("bad escape sequence", at) from None
        return Token("word", at, text), end + 1

    def _scan_regexp(self, at: int) -> tuple[Token, int]:
        end = find_slash(self.query, at + 1)
        if end < 0:
            raise self.refuse('missing close "/"', at)
        expression = self.query[at + 1 : end]
        try:
            matches(expression, "")
        except ValueError as error:
            raise self.refuse(f"error parsing regexp: {error}", at) from None
        following = self.query[end + 1 : end + 2]
        if following and following not in _STARTS and following not in " \t\n\v\f\r":
            raise self.refuse(
                'regexp must be followed by space or an operator (unescaped "/"?)', end + 1
            )
        return Token("regexp", at, expression), end + 1


def find_slash(query: str, at: int) -> int:
    """Return the end of a regular expression: a ``/`` outside brackets and groups; else -1.

    Examples
    --------
    >>> find_slash("a[/]b/ c", 0), find_slash("(a/b", 0)
    (5, -1)
    """
    brackets = groups = 0
    while at < len(query):
        character = query[at]
        if character == "/" and brackets == groups == 0:
            return at
        if character == "[":
            brackets += 1
        elif character == "]":
            brackets = max(brackets - 1, 0)
        elif character in "()" and brackets == 0:
            groups += 1 if character == "(" else -1
        at += 2 if character == "\\" else 1
    return -1


@lru_cache(maxsize=65536)
def matches(expression: str, text: str) -> bool:
    """Return whether RE2, with Go's syntax, finds a match; ValueError if the expression is invalid.

    Examples
    --------
    >>> matches("^a[[:digit:]]+$", "a12"), matches("(?i)B", "abc"), matches("x", "abc")
    (True, True, False)
    """
    import pandas as pd

    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:  # RE2 searches texts of this type; str.contains warns about every group
        return bool(pd.Series([shown], dtype="large_string[pyarrow]").str.count(expression)[0] > 0)
    except ValueError as error:
        problem, _, part = str(error).removeprefix("Invalid regular expression: ").rpartition(": ")
        raise ValueError(f"{_GO_WORDS.get(problem, problem)}: `{part}`") from None


def quote(text: str) -> str:
    """Quote a token like strconv.Quote."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unescape(text: str) -> list[bytes]:
    """Return the bytes of a quoted Go string: hexadecimal and octal escapes are single bytes."""
    parts, at = [], 0
    for escape in _ESCAPE.finditer(text):
        parts.append(text[at : escape.start()].encode("utf-8", "surrogateescape"))
        letter, octal, byte, *points = escape.groups()
        if letter:
            parts.append(_LETTERS[letter].encode())
        elif octal or byte:
            parts.append(bytes([int(octal or "0", 8) or int(byte or "0", 16)]))
        else:
            parts.append(chr(int(points[0] or points[1], 16)).encode())
        at = escape.end()
    return [*parts, text[at:].encode("utf-8", "surrogateescape")]

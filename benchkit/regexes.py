"""Regular expressions that are compiled on first use.

Compiling all of them takes longer than most commands, each of which uses only a few.
"""

from __future__ import annotations

import re
import sys
from typing import Any, AnyStr, cast

#: From this version on, a possessive group with several alternatives matches correctly.
_SOUND = (3, 11, 5)
#: An escape, a class of characters, a parenthesis, or anything else.
_PIECE = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]|[^\\\[()]+"
_POSSESSIVE = r"([*+?]|\{\d*,?\d*\})\+"


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an expression that is compiled on first use."""
    return cast("re.Pattern[AnyStr]", _Late(text, flags))


def compile_sound(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile an expression now; possessive groups match correctly on any Python."""
    if sys.version_info >= _SOUND:
        return re.compile(text, flags)
    if isinstance(text, str):
        return re.compile(make_atomic(text), flags)
    return re.compile(make_atomic(text.decode("latin-1")).encode("latin-1"), flags)


class _Late:
    """The methods of a pattern that compile it first."""

    __class__ = re.Pattern  # type: ignore[assignment]

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._written = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        text, flags = self._written
        value = getattr(compile_sound(cast("str", text), flags), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return regex, self._written


def make_atomic(text: str) -> str:
    """Return an expression in which atomic groups replace possessive ones.

    Examples
    --------
    >>> make_atomic(r"(?:- ++)?+[ab]*+(c)++")
    '(?>(?:- ++)?)[ab]*+(?>(c)+)'
    """
    parts: list[str] = []
    starts: list[int] = []
    place, tokens, possessives = 0, re.compile(_PIECE, re.DOTALL), re.compile(_POSSESSIVE)
    while token := tokens.match(text, place):
        parts.append(token[0])
        place = token.end()
        if token[0] == "(":
            starts.append(len(parts) - 1)
        elif token[0] == ")":
            start = starts.pop()
            if possessive := possessives.match(text, place):
                parts[start] = f"(?>{parts[start]}"
                parts.append(f"{possessive[1]})")
                place = possessive.end()
    return "".join(parts)

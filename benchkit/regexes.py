"""Regular expressions that are compiled when they are first used.

Compiling all that is there takes longer than most commands, each of which uses a few.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an expression that is compiled at its first use."""
    return cast("re.Pattern[AnyStr]", _Late(text, flags))


class _Late:
    """What becomes a pattern, one method after another."""

    __class__ = re.Pattern  # type: ignore[assignment]

    def __init__(self, text: object, flags: int) -> None:
        self._written = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        text, flags = self._written
        value = getattr(re.compile(cast("str", text), flags), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return regex, self._written

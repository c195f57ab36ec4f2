"""One value of a sidecar, as people write it.

Each kind of value is checked in one place, and the message says what it must be.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeGuard

from benchkit.units import parse_duration

_ZONE = "write it with a time zone, like 2026-11-20T10:00:12Z"


class UnusableError(ValueError):
    """A value cannot be used; the message says what it must be."""


def read_time(value: object) -> datetime:
    """Read a point in time: RFC 3339 with its zone, or seconds or milliseconds since 1970.

    Raises
    ------
    UnusableError
        If it is none of these, or shows no zone.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            value = None
    if isinstance(value, datetime) and value.tzinfo is not None:
        with suppress(OverflowError):  # in the year 1, or 9999
            return value.astimezone(UTC)
    if _is_number(value) and 0 < value < 1e14:
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    raise UnusableError("expected a time with a time zone; " + _ZONE)


def read_whole(value: object) -> int:
    """Read a whole number that is not negative, also from its digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 11:
        value = int(value)
    if not _is_number(value) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        msg = "it must be a whole number of at least 0"
        raise UnusableError(msg)
    return value


def read_code(value: object) -> int:
    """Read an exit code, which may be negative, or the text of one."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        value = int(value) if digits.isascii() and digits.isdigit() and len(digits) < 11 else None
    if not _is_number(value) or not isinstance(value, int):
        msg = "it must be a whole number"
        raise UnusableError(msg)
    return value


def read_text(value: object) -> str:
    """Read a label: a text, or a number as it is written."""
    if not isinstance(value, str) and not _is_number(value):
        msg = "it must be a string"
        raise UnusableError(msg)
    return str(value)


def read_command(value: object) -> str:
    """Read a command line: a text, or its words, which are quoted as a shell needs it."""
    return shlex.join(map(read_text, value)) if isinstance(value, list) else read_text(value)


def read_rate(value: object) -> float:
    """Read requests per second."""
    if not _is_number(value) or not 0 <= value < 1e15:
        msg = "it must be a number of requests per second"
        raise UnusableError(msg)
    return float(value)


def read_seconds(value: object) -> float:
    """Read a duration in s: a number, or a text like ``30s``."""
    if isinstance(value, str):
        return parse_duration(value).value
    if not _is_number(value) or not 0 <= value < 1e10:
        msg = "it must be a number of seconds, or a string like 30s"
        raise UnusableError(msg)
    return float(value)


def one_of(*words: str) -> Callable[[object], str]:
    """Return a reader that takes these words only."""

    def choose(value: object) -> str:
        if value not in words:
            raise UnusableError("it must be one of " + ", ".join(words))
        return str(value)

    return choose


def read_table(value: object) -> dict[str, Any]:
    """Read a table as it is."""
    if not isinstance(value, Mapping):
        msg = "it must be a table"
        raise UnusableError(msg)
    return dict(value)


def read_texts(value: object) -> dict[str, str]:
    """Read a table of texts; numbers and truth values are taken as they are written."""
    table = read_table(value).items()
    return {k: str(v).lower() if isinstance(v, bool) else _read_words(v) for k, v in table}


def _read_words(value: object) -> str:
    return " ".join(map(read_text, value)) if isinstance(value, list) else read_text(value)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)

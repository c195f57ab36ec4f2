"""Values in sidecars: the tables ``[spans]``, ``[limits]`` and ``[containers]``, key by key.

Without these checks, a misspelt or impossible count would silently be missing or wrong.

The functions that read a single value accept it as people write it.

Each kind of value is checked in one place, and the message states what was expected.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeGuard

from benchkit.redaction import HIDDEN, redact_label
from benchkit.redaction.texts import NAMED
from benchkit.schema import CONTAINER_ROLES
from benchkit.units import parse_bytes, parse_duration

_ZONE = "write it with a time zone, like 2026-11-20T10:00:12Z"


class UnusableError(ValueError):
    """An invalid value; the message states what was expected."""


def read_time(value: object) -> datetime:
    """Read a point in time: RFC 3339 with its zone, or seconds or milliseconds since 1970.

    Raises
    ------
    UnusableError
        If it is none of these, or has no zone.
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
    """Read a non-negative whole number, or a string of its digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 11:
        value = int(value)
    if not _is_number(value) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        msg = "it must be a whole number of at least 0"
        raise UnusableError(msg)
    return value


def read_code(value: object) -> int:
    """Read an exit code, which may be negative, or a string of it."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        value = int(value) if digits.isascii() and digits.isdigit() and len(digits) < 11 else None
    if not _is_number(value) or not isinstance(value, int):
        msg = "it must be a whole number"
        raise UnusableError(msg)
    return value


def read_text(value: object) -> str:
    """Read a label: a string, or a number or date kept as written."""
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    if not isinstance(value, str) and not _is_number(value):
        msg = "it must be a string"
        raise UnusableError(msg)
    return str(value)


def read_command(value: object) -> str:
    """Read a command line: a string, or a list of words, which are quoted for a shell."""
    return shlex.join(map(read_text, value)) if isinstance(value, list) else read_text(value)


def read_rate(value: object) -> float:
    """Read requests per second."""
    if not _is_number(value) or not 0 <= value < 1e15:
        msg = "it must be a number of requests per second"
        raise UnusableError(msg)
    return float(value)


def read_seconds(value: object) -> float:
    """Read a duration in s: a number, or a string like ``30s``."""
    if isinstance(value, str):
        return parse_duration(value).value
    if not _is_number(value) or not 0 <= value < 1e10:
        msg = "it must be a number of seconds, or a string like 30s"
        raise UnusableError(msg)
    return float(value)


def one_of(*words: str) -> Callable[[object], str]:
    """Return a reader that accepts only these words."""

    def choose(value: object) -> str:
        if value not in words:
            raise UnusableError("it must be one of " + ", ".join(words))
        return str(value)

    return choose


def read_table(value: object) -> dict[str, Any]:
    """Read a table unchanged."""
    if not isinstance(value, Mapping):
        msg = "it must be a table"
        raise UnusableError(msg)
    return dict(value)


def _read_words(value: object) -> str:
    """Read an entry of a table of strings: a boolean as written, a list as its words."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(read_text, value)) if isinstance(value, list) else read_text(value)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


#: Maximum number of entries of a table; each becomes a column of every table of runs.
MOST = 200


def count(entries: Mapping[str, Any]) -> str:
    """Describe how many entries a table has that exceeds the limit."""
    return f"{len(entries):,} entries, more than {MOST}"


class Unused(NamedTuple):
    """An entry that is not used: its keys, outermost first, the reason and a hint."""

    keys: tuple[str, ...]
    what: str
    hint: str = ""


Checked = tuple[dict[str, Any], list[Unused]]


def check_texts(table: Mapping[str, Any]) -> Checked:
    """Return the entries that are texts, or read as such.

    Examples
    --------
    >>> kept, unused = check_texts({"commit": "c861e65", "cores": 8, "cpu": {"name": "x"}})
    >>> kept, [entry.keys for entry in unused]
    ({'commit': 'c861e65', 'cores': '8'}, [('cpu',)])
    """
    return _check(table, dict.fromkeys(table, _read_words))


def check_spans(table: Mapping[str, Any]) -> Checked:
    """Return the valid span counts.

    Examples
    --------
    >>> kept, unused = check_spans({"per_request": 3.5, "saved": 0, "creatd": 12})
    >>> kept
    {'saved': 0}
    >>> [(entry.keys, entry.hint) for entry in unused][1]
    (('creatd',), "did you mean 'created'?")
    """
    return _check(table, _SPANS)


def check_limits(table: Mapping[str, Any]) -> Checked:
    """Return the valid container limits.

    Examples
    --------
    >>> check_limits({"server": {"cpu": 2.0, "memory": "-1GiB"}})[0]
    {'server': {'cpu': 2.0}}
    """
    kept: dict[str, Any] = {}
    unused: list[Unused] = []
    for container, amounts in table.items():
        if not isinstance(amounts, Mapping):
            name = redact_label(container)
            what = f"{name} = {_show(amounts)} is ignored: it must be a table"
            unused.append(Unused((container,), what, f"use {name} = {{cpu = 2.0}}"))
            continue
        fine, wrong = _check(amounts, _LIMITS, f"{redact_label(container)}.")
        unused += [Unused((container, *entry.keys), entry.what, entry.hint) for entry in wrong]
        if fine:
            kept[container] = fine
    return kept, unused


def check_containers(table: Mapping[str, Any]) -> Checked:
    """Return the containers listed by their role.

    Examples
    --------
    >>> check_containers({"storage": ["es-1", "es-2"], "servce": "server"})[0]
    {'storage': ['es-1', 'es-2']}
    """
    return _check(table, dict.fromkeys(CONTAINER_ROLES, _read_names))


def read_container_names(text: str) -> dict[str, str]:
    """Read a `containers.json`, which names containers by their ids or paths.

    Raises
    ------
    UnusableError
        If it is not an object with string values.

    Examples
    --------
    >>> read_container_names('{"/docker/70106e645a75": "consumer"}')
    {'name./docker/70106e645a75': 'consumer'}
    """
    try:
        names = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"not valid JSON ({error})") from error
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        msg = 'not an object such as {"/docker/70106e645a75": "consumer"}'
        raise UnusableError(msg)
    return {f"name.{container}": name.strip() for container, name in names.items()}


def suggest(key: str, known: Iterable[str]) -> str:
    """Suggest the most similar known key, or list the known keys."""
    names = list(known)
    near = get_close_matches(key, names, 1)
    return f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(names)}"


def _check(
    table: Mapping[str, Any], known: Mapping[str, Callable[[Any], Any]], within: str = ""
) -> Checked:
    kept: dict[str, Any] = {}
    unused = []
    if len(table) > MOST:
        what = f"{within.rstrip('.')} has {count(table)}; all of them are ignored"
        return {}, [Unused((), what)]
    for key, value in table.items():
        if key not in known:
            what = f"the unknown key {within + key!r} is ignored"
            unused.append(Unused((key,), what, suggest(key, known)))
            continue
        try:
            kept[key] = known[key](value)
        except ValueError as error:
            unused.append(Unused((key,), f"{within}{key} = {_show(value)} is ignored: {error}"))
    return kept, unused


def _show(value: object) -> str:
    """Write a value that was expected to be short; redact strings, which may contain anything."""
    if isinstance(value, str):
        return repr(NAMED.other(value))
    return repr(value) if isinstance(value, int | float) else HIDDEN


def _read_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        msg = "it must be a number of spans, a whole number of at least 0"
        raise UnusableError(msg)
    return value


def _read_per_request(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = "it must be the number of spans per request, a whole number of at least 1"
        raise UnusableError(msg)
    return value


def _read_cores(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < float(value) < math.inf:  # type: ignore[arg-type]
        msg = "it must be a number of cores above 0, like 2 or 0.5"
        raise UnusableError(msg)
    return value  # type: ignore[return-value]


def _read_memory(value: object) -> object:
    size = value
    if isinstance(value, str):
        try:
            size = parse_bytes(value, binary="i" in value.lower()).value
        except ValueError:
            raise UnusableError('it must be an amount of data, like "4GiB"') from None
    if isinstance(size, bool) or not isinstance(size, int | float) or not 0 < size < math.inf:
        msg = 'it must be an amount above 0, such as 4096 (bytes) or "4GiB"'
        raise UnusableError(msg)
    return value


def _read_names(value: object) -> object:
    names = list(_list(value))
    if not names or not all(names):
        msg = "it must be the name of a container, or a list of names"
        raise UnusableError(msg)
    return value


def _list(value: object) -> Iterator[str]:
    for name in value if isinstance(value, list) else [value]:
        if not isinstance(name, str):
            msg = "it must be the name of a container, or a list of names"
            raise UnusableError(msg)
        yield read_text(name)


_SPANS: dict[str, Callable[[Any], Any]] = {
    "per_request": _read_per_request,
    "created": _read_count,
    "saved": _read_count,
    "dropped": _read_count,
    "source": read_text,
}
_LIMITS: dict[str, Callable[[Any], Any]] = {"cpu": _read_cores, "memory": _read_memory}

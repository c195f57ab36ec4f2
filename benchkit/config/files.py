"""Configuration files of any name: read completely, so they must be regular and not too large.

A pipe may wait forever for a writer, and a device may be endless.

Keys of a configuration file: known ones, or an error that suggests the nearest.
"""

from __future__ import annotations

import difflib
import errno
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from benchkit.errors import ConfigError
from benchkit.redaction import redact_message
from benchkit.regexes import regex

#: Maximum number of bytes of a file with settings, labels or limits.
LARGEST = 16 << 20
#: Maximum number of digits of an integer in TOML; longer ones cannot even be printed.
_INTEGERS = range(-(1 << 63), 1 << 63)
_LONG = "an integer has more than 64 bits"
#: A key with too many parts: parsing takes quadratic time.
MOST_PARTS = 200
_DEEP = regex(rf"""(?<![\w"'-])(?:[\w"'-]++\s*+\.\s*+){{{MOST_PARTS}}}""")
#: A key that needs no quotes.
_BARE = regex(r"[A-Za-z0-9_-]+")
#: Where shells put the pipes of ``<(command)``; other pipes may have no writer.
_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
Value = TypeVar("Value")


def is_readable(path: Path) -> bool:
    """Return whether a file is regular or a shell's pipe, so reading it will end."""
    is_file = os.path.isfile(path)  # noqa: PTH113 - a third of the time, of thousands of files
    return is_file or (path.as_posix().startswith(_PIPES) and path.is_fifo())


def read_file(path: Path) -> str:
    """Return the text of a configuration file.

    Parameters
    ----------
    path : Path
        A regular file, or a pipe that a shell made for ``<(command)``.

    Raises
    ------
    OSError
        If it cannot be read, is not a regular file, or has more than `LARGEST` bytes.
    UnicodeDecodeError
        If it is not UTF-8.
    """
    path.stat()  # a missing file is not an irregular one
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if not is_readable(path):
        raise OSError(errno.EINVAL, "not a regular file")
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"larger than {LARGEST >> 20} MiB")
    return data.decode("utf-8-sig")


def write_string(text: str) -> str:
    r"""Write a TOML string that round-trips and is harmless in terminals and editors.

    A byte that is not UTF-8 is escaped, because TOML cannot represent it.

    Examples
    --------
    >>> print(write_string('say "é"\x7f'))
    "say \"é\"\U0000007f"
    """
    whole = text.encode("utf-8", "backslashreplace").decode()
    quoted = json.dumps(whole, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


def write_key(name: str) -> str:
    """Write a TOML key, quoted if necessary.

    Examples
    --------
    >>> write_key("otlp-1"), write_key("a b")
    ('otlp-1', '"a b"')
    """
    return name if _BARE.fullmatch(name) else write_string(name)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises
    ------
    ValueError
        If it is not TOML, is nested too deeply, or has an integer of more than 64 bits.
    """
    if _DEEP.search(text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # more digits than Python converts
        raise ValueError(_LONG) from None
    values: list[object] = [table]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, int) and value not in _INTEGERS:
            raise ValueError(_LONG)
    return table


def as_key(kind: str, meaning: str, table: str = "") -> dict[str, str]:
    """Return the metadata of a field that is a key of the settings.

    Parameters
    ----------
    kind : str
        Of the value: a name in `benchkit.config.reference.KINDS`, or choices separated by ``|``.
    meaning : str
        As shown on the reference page and in editors.
    table : str, optional
        The table of the file, if one dataclass covers several.
    """
    return {"kind": kind, "meaning": meaning, "table": table}


def list_keys(settings: type, table: str = "") -> tuple[str, ...]:
    """Return the keys that a dataclass declares for a table."""
    declared = (each for each in fields(settings) if "kind" in each.metadata)
    return tuple(each.name for each in declared if each.metadata["table"] == table)


def require_key(
    key: str, known: Mapping[str, tuple[str, ...]] | tuple[str, ...], where: str
) -> tuple[str, ...]:
    """Return the value of ``key``, or suggest the nearest known key."""
    if key in known:
        return known[key] if isinstance(known, Mapping) else known
    raise unknown("key", key, known, where)


def require_keys(table: Iterable[str], known: tuple[str, ...], where: str) -> None:
    """Refuse a table with an unknown key."""
    for key in table:
        require_key(key, known, where)


def unknown(kind: str, name: str, known: Iterable[str], where: str) -> ConfigError:
    """Return the error that suggests the intended name, or lists all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    suggestion = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return ConfigError(f"unknown {kind} {name!r}", where=where, hint=suggestion)


def read_text(value: object, key: str, where: str) -> str:
    """Return a text, or refuse other types."""
    if isinstance(value, str) and value:
        return value
    what = "is empty" if value == "" else "is not a string"
    raise ConfigError(f"{key} {what}", where=where, hint=f'use {key} = "…"')


def read_shown(value: object, key: str, where: str) -> str:
    """Return a text for reports, without secrets."""
    return redact_message(read_text(value, key, where))


def read_texts(value: object, key: str, where: str) -> tuple[str, ...]:
    """Return one text or a list of them as a tuple."""
    if isinstance(value, str) and value:
        return (value,)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{key} is not a list of strings", where=where, hint=f'use {key} = ["…"]')

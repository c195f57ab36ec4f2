"""Configuration files, whatever their names: read whole, so regular and of a bounded size.

A pipe may wait for ever for somebody who writes, and a device may have no end.
"""

from __future__ import annotations

import errno
import json
import os
import tomllib
from pathlib import Path
from typing import Any

from benchkit.regexes import regex

#: Bytes that a file of settings, labels or limits may have.
LARGEST = 16 << 20
#: Integers that a file of TOML may have; a longer one cannot even be written in a message.
_INTEGERS = range(-(1 << 63), 1 << 63)
_LONG = "an integer has more than 64 bits"
#: A key of so many parts, whose reading takes a time that grows with their square.
_DEEP = regex(r"""(?<![\w"'-])(?:[\w"'-]++\s*+\.\s*+){200}""")
#: A key that needs no quotes.
_BARE = regex(r"[A-Za-z0-9_-]+")
#: Where shells put the pipes of ``<(command)``; a pipe elsewhere may have nobody who writes.
_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def is_readable(path: Path) -> bool:
    """Tell a regular file, or a pipe that a shell made, from what may wait or grow for ever."""
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
        If it cannot be read, is no regular file, or holds more than `LARGEST` bytes.
    UnicodeDecodeError
        If it is not UTF-8.
    """
    path.stat()  # what is not there is no irregular file
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
    r"""Write a string of TOML that reads back as it is, and that no terminal or editor obeys.

    A byte that is no UTF-8 is spelled out, as TOML has no way to write it.

    Examples
    --------
    >>> print(write_string('say "é"\x7f'))
    "say \"é\"\U0000007f"
    """
    whole = text.encode("utf-8", "backslashreplace").decode()
    quoted = json.dumps(whole, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


def write_key(name: str) -> str:
    """Write a key of TOML, in quotes where it needs them.

    Examples
    --------
    >>> write_key("otlp-1"), write_key("a b")
    ('otlp-1', '"a b"')
    """
    return name if _BARE.fullmatch(name) else write_string(name)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that a text of TOML is.

    Raises
    ------
    ValueError
        If it is none, is nested too deeply, or has an integer of more than 64 bits.
    """
    if _DEEP.search(text):
        raise ValueError("a key has more than 200 parts")
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

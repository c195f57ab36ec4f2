"""Standard input, and the files of a system that are not files."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from pathlib import Path

from benchkit.config.files import is_readable
from benchkit.errors import DataError
from benchkit.reading.source import PIPE_BYTES

STDIN = "-"


def read_standard_input() -> bytes:
    """Return standard input as a whole.

    Raises
    ------
    DataError
        If it is closed, or has no end.
    """
    hint = "write it to a file, and name that"
    if sys.stdin is None:  # closed by the shell: <&-
        raise DataError("standard input is closed", where=STDIN, hint=hint)
    data = sys.stdin.buffer.read(PIPE_BYTES + 1)
    if len(data) > PIPE_BYTES:
        limit = f"{PIPE_BYTES >> 20} MiB"
        raise DataError(f"standard input holds more than {limit}", where=STDIN, hint=hint)
    return data


def require_file(path: Path) -> None:
    """Refuse a device and a pipe, but for those that a shell makes for ``<(command)``.

    Raises
    ------
    DataError
        If reading it could wait or grow for ever.
    """
    if not is_readable(path):
        hint = f"pass its content on standard input: - < {shlex.quote(str(path))}"
        raise DataError("not a regular file", where=str(path), hint=hint)


def refuse_irregular(path: Path) -> None:
    """Refuse what a folder holds beside files, by the reason why it cannot be read.

    Raises
    ------
    OSError
        If it is a link to nothing, a folder that cannot be listed, a pipe or a socket.
    """
    if not is_readable(path):
        path.stat()
        if path.is_dir():
            os.listdir(path)  # noqa: PTH208 - tells why not
        raise OSError(errno.EINVAL, "not a regular file")


def is_dropped(path: Path | None) -> bool:
    """Tell whether a link leads nowhere, as git-annex leaves it where it drops the content."""
    return path is not None and path.is_symlink() and not path.exists()

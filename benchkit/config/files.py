"""Configuration files, whatever their names: read whole, so regular and of a bounded size.

A pipe may wait for ever for somebody who writes, and a device may have no end.
"""

from __future__ import annotations

import errno
from pathlib import Path

#: Bytes that a file of settings, labels or limits may have.
LARGEST = 16 << 20
#: Where shells put the pipes of ``<(command)``; a pipe elsewhere may have nobody who writes.
_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def is_readable(path: Path) -> bool:
    """Tell a regular file, or a pipe that a shell made, from what may wait or grow for ever."""
    return path.is_file() or (path.as_posix().startswith(_PIPES) and path.is_fifo())


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
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not is_readable(path):
        raise OSError(errno.EINVAL, "not a regular file")
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it holds more than {LARGEST >> 20} MiB")
    return data.decode("utf-8-sig")

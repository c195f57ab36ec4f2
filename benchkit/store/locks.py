"""The lock by which writers of one machine wait for each other, and the room that its file keeps.

On a full disk, what frees space has to write first: the log says what is needed no more. That room
is taken from the file of the lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from benchkit.store.files import writing

#: Bytes that an ordinary `undo` and the removal of files write, several times over.
ROOM = 1 << 16
#: Bytes of a block in what the system says of a file.
_BLOCK = 512


@contextmanager
def lock(folder: Path, *, uses_room: bool) -> Iterator[None]:
    """Wait for the other writers of a store, where the file system can lock.

    Parameters
    ----------
    folder : Path
    uses_room : bool
        Whether the room that is kept is free meanwhile.
    """
    with writing(folder):
        file = _open(folder / ".lock")
    with file:
        wait_for_others(file)
        if uses_room:
            file.truncate(0)
        try:
            yield
        finally:
            _keep_room(file)


def wait_for_others(file: IO[str]) -> None:
    """Lock a file, where the file system can, which spares writers of this machine conflicts."""
    try:
        import fcntl
    except ImportError:  # a courtesy: commits conflict without it, too
        return
    with suppress(OSError):  # as on some network file systems
        fcntl.flock(file, fcntl.LOCK_EX)


def _open(path: Path) -> IO[str]:
    """Open the file of the lock; no link is followed."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+")


def _keep_room(file: IO[str]) -> None:
    """Take up the room on disk again, unless there is too little."""
    allocate = getattr(os, "posix_fallocate", None)  # not everywhere
    if allocate is None or os.fstat(file.fileno()).st_blocks * _BLOCK >= ROOM:
        return
    try:
        allocate(file.fileno(), 0, ROOM)
    except OSError:
        with suppress(OSError):
            file.truncate(0)

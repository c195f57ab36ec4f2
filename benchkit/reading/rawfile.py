"""A file on disk that is hashed while it is read, and blocks as a stream.

A file of gigabytes is read once, not a second time for its digest.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock

#: Maximum bytes from a pipe, or for a form that is held in memory.
PIPE_BYTES = 1 << 30
#: Opening a pipe without a writer does not block.
_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_BLOCK = 1 << 20


class Checksum:
    """SHA-256 of the contiguous bytes read from the beginning; ``place`` is its end."""

    def __init__(self) -> None:
        self.place = 0
        self._lock = Lock()
        self._digest: hashlib._Hash | None = None  # most sources are held in memory and need none

    def take(self, start: int, data: memoryview) -> None:
        """Add the bytes at a place; bytes added before are ignored."""
        with self._lock:  # a thread that reads ahead may still be running
            if start <= self.place < start + len(data):
                self._digest = self._digest or hashlib.sha256()
                self._digest.update(data[self.place - start :])
                self.place = start + len(data)

    def hexdigest(self) -> str:
        """Return the digest of all bytes added."""
        return (self._digest or hashlib.sha256()).hexdigest()


class RawFile(io.FileIO):
    """A file that reports and hashes the part of it that was read.

    Parameters
    ----------
    watch : callable, optional
        Called with the place after each read.
    """

    def __init__(self, path: Path, checksum: Checksum, watch: Callable[[int], None] | None) -> None:
        super().__init__(path)
        self._checksum, self._watch = checksum, watch

    read = io.RawIOBase.read  # type: ignore[assignment] # by `readinto`, which FileIO's methods bypass
    readall = io.RawIOBase.readall

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        """Read like any raw stream."""
        start = self.tell()
        size = super().readinto(buffer)
        self._checksum.take(start, memoryview(buffer)[: size or 0])
        if self._watch is not None:
            self._watch(start + (size or 0))
        return size


class BlockReader(io.RawIOBase):
    """Blocks as a raw stream, so that the standard library can buffer it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Report that it is readable."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read like any raw stream."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def read_whole(path: Path, keep: int, guard: Callable[[Path], None]) -> bytes | None:
    """Read a file of at most ``keep`` bytes; a stream around it would double the time."""
    file = os.open(path, _OPEN)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            guard(path)
            os.set_blocking(file, True)
        size = status.st_size
        if size > keep:
            return None
        data = os.read(file, size + 1)  # one byte more than there is, to reach the end
        if len(data) != size:  # a pipe, or a file that grows
            while block := os.read(file, _BLOCK):
                data += block
                if len(data) > PIPE_BYTES:
                    raise OSError(errno.EFBIG, f"larger than {PIPE_BYTES >> 20} MiB")
        return data
    finally:
        os.close(file)

"""A file on disk, whose digest is taken in passing, and blocks as a stream.

A file of gigabytes is read once, not once to be read and once to be known again.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path


class Checksum:
    """SHA-256 of what has been read without a gap from the beginning; ``place`` is its end."""

    def __init__(self) -> None:
        self.place = 0
        self._digest: hashlib._Hash | None = None  # most sources are held in memory and need none

    def take(self, start: int, data: memoryview) -> None:
        """Take the bytes that stand at a place; those that were taken before do not count."""
        if start <= self.place < start + len(data):
            self._digest = self._digest or hashlib.sha256()
            self._digest.update(data[self.place - start :])
            self.place = start + len(data)

    def hexdigest(self) -> str:
        """Return the digest of all that was taken."""
        return (self._digest or hashlib.sha256()).hexdigest()


class RawFile(io.FileIO):
    """A file that tells how far it was read, and what.

    Parameters
    ----------
    path : Path
    checksum : Checksum
    watch : callable, optional
        Is told the place after each read.
    """

    def __init__(self, path: Path, checksum: Checksum, watch: Callable[[int], None] | None) -> None:
        super().__init__(path)
        self._checksum, self._watch = checksum, watch

    read = io.RawIOBase.read  # type: ignore[assignment] # by `readinto`, where those of FileIO are roads of their own
    readall = io.RawIOBase.readall

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        """Read as any raw stream does."""
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
        """Say that it can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read as any raw stream does."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

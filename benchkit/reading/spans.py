"""A range of a large file: the whole lines between two places, so that several can read it.

Where ranges begin is fixed by the file alone, at multiples of `SECTION`. Blocks of lines end there,
too, for whoever reads the file from its beginning, so that all read the very same blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchkit.reading.damage import UnreadableError

#: Bytes after which what is summed up block by block begins anew.
SECTION = 64 << 20
#: Beyond the end of any file.
END = 1 << 62


class Span(NamedTuple):
    """A range of a file.

    Parameters
    ----------
    start, end : int
        Multiples of `SECTION`; the last range ends at `END`. The line that stands across a place
        is the first one behind it.
    lines : int
        How many lines end before it.
    before : bytes
        Those of them on which later lines depend.
    """

    start: int
    end: int
    lines: int = 0
    before: bytes = b""


def read_span(
    path: Path, span: Span, size: int, watch: Callable[[int], None] | None
) -> Iterator[bytes]:
    """Yield the lines of a range in blocks that end at multiples of ``size``.

    Raises
    ------
    UnreadableError
        If a line is so long that whoever reads the whole file takes other blocks.
    """
    with path.open("rb") as file:
        if span.start:
            file.seek(span.start - size)
            block = file.read(size)
            yield block[_find_end(block) :]
        place = span.start
        while place < span.end and (block := file.read(size)):
            place += len(block)
            end = _find_end(block) if len(block) == size else 0
            yield block[:end] if place >= span.end else block
            if watch is not None:
                watch(place)


def _find_end(block: bytes) -> int:
    """Return where the last whole line of a block ends."""
    end = block.rfind(b"\n") + 1
    if not end:
        raise UnreadableError("a line is longer than a block")
    return end

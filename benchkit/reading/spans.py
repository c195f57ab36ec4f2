"""A range of a large file: the whole lines between two places, for parallel reading.

The file alone determines where ranges begin: at multiples of `SECTION`. Blocks of lines end there
even when the file is read from its beginning, so that all readers process exactly the same blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchkit.reading.damage import UnreadableError

#: Number of bytes after which sums over blocks start anew.
SECTION = 64 << 20
#: A place beyond the end of any file.
END = 1 << 62


class Span(NamedTuple):
    """A range of a file.

    Parameters
    ----------
    start, end : int
        Multiples of `SECTION`; the last range ends at `END`. A line that crosses a place is the
        first one after it.
    lines : int
        The number of lines that end before it.
    before : bytes
        The earlier lines on which later lines depend.
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
        If a line is so long that reading the whole file would produce other blocks.
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
    """Return the place at which the last whole line of a block ends."""
    end = block.rfind(b"\n") + 1
    if not end:
        raise UnreadableError("a line is longer than a block")
    return end

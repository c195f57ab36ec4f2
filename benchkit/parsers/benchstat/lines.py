"""The lines of a source, and whether each has its end.

A last line without its end may be cut anywhere, and ``n=1`` may be what is left of ``n=10``.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.parsers.base import Source
from benchkit.reading.source import UnreadableError

Line = tuple[int, str, bool]


def read_lines(source: Source) -> Iterator[Line]:
    r"""Yield number, text and whether a line end follows.

    Raises
    ------
    UnreadableError
        At damaged gzip; the whole lines before it have been yielded.

    Examples
    --------
    >>> list(read_lines(Source(None, "", b"goos: linux\ngoar")))
    [(1, 'goos: linux', True), (2, 'goar', False)]
    """
    held: tuple[int, str] | None = None
    try:
        for item in source.lines():
            if held is not None:
                yield (*held, True)
            held = item
    except UnreadableError:
        if held is not None:
            yield (*held, True)
        raise
    if held is not None:
        yield (*held, _ends_in_newline(source))


def _ends_in_newline(source: Source) -> bool:
    tail = b""
    for block in source.blocks():
        tail = block[-2:]
    return tail.rstrip(b"\0").endswith(b"\n")

"""The lines that a benchmark run printed, out of a plain log or out of ``go test -json`` events.

In: a source. Out: whole lines with their place and, from events, their time. Why: an event holds
what was written at once, so one result may be spread over two, and packages may alternate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from benchkit.parsers.source import Source, UnreadableError


class Line(NamedTuple):
    """One line of output.

    Parameters
    ----------
    package : str
        Whose output it is, in events; empty in a plain log.
    first, number : int
        The lines of the source where it begins and where it ends.
    time : datetime or None
        When its end was written, in events.
    text : str
    closed : bool
        Whether the line end is there; without it, the text may be cut anywhere.
    """

    package: str
    first: int
    number: int
    time: datetime | None
    text: str
    closed: bool


def read_lines(source: Source) -> Iterator[Line]:
    """Yield the lines of a plain log, of events, or of both in one file.

    An event that cannot be decoded comes as the line that it is.

    Raises
    ------
    UnreadableError
        When damaged gzip is met; the whole lines before it have been yielded.
    """
    rests: dict[str, Line] = {}
    for number, text, closed in _mark_last(source):
        event = _decode(text) if text.startswith("{") else None
        if event is None:
            yield Line("", number, number, None, text, closed)
        else:
            yield from _join(event, number, rests)
    yield from rests.values()


def looks_like_event(text: str) -> bool:
    """Tell a line that is, or was before it was damaged, an event of ``go test -json``."""
    return text.startswith('{"') and '"Action"' in text


def _mark_last(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Yield number, text and whether a line end follows."""
    held: tuple[int, str] | None = None
    problem: UnreadableError | None = None
    try:
        for item in source.lines():
            if held is not None:
                yield (*held, True)
            held = item
    except UnreadableError as error:
        problem = error
    if held is not None:
        yield (*held, problem is not None or _ends_in_newline(source))
    if problem is not None:
        raise problem


def _ends_in_newline(source: Source) -> bool:
    tail = b""
    for block in source.blocks():
        tail = block[-2:]
    return tail.rstrip(b"\0").endswith(b"\n")


def _decode(text: str) -> dict[str, Any] | None:
    if '"Action"' not in text:
        return None
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _join(event: dict[str, Any], number: int, rests: dict[str, Line]) -> Iterator[Line]:
    """Yield the lines that an event ends; keep what it begins in ``rests``."""
    output, package = event.get("Output"), str(event.get("Package") or "")
    if not isinstance(output, str):
        return
    if not output.isascii():
        output = output.encode("utf-8", "replace").decode()
    time = _read_time(event.get("Time"))
    *whole, rest = output.split("\n")
    for text in whole:
        before = rests.pop(package, None)
        first, head = (before.first, before.text) if before else (number, "")
        yield Line(package, first, number, time, (head + text).rstrip("\r"), closed=True)
    if rest:
        before = rests.get(package)
        first, head = (before.first, before.text) if before else (number, "")
        rests[package] = Line(package, first, number, time, head + rest, closed=False)


def _read_time(text: object) -> datetime | None:
    """Read a time with a zone; anything else is no time."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo is not None else None

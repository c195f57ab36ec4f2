"""The lines that a benchmark run printed, out of a plain log or out of ``go test -json`` events.

An event holds what was written at once, so one result may be spread over two, and packages may
alternate.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from datetime import datetime
from itertools import repeat
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from benchkit.parsers.gobench.patterns import read_row
from benchkit.parsers.gobench.units import REST_INITIALS, STANDARD
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.source import Source, number_blocks

if TYPE_CHECKING:
    from benchkit.parsers.gobench.columns import Table

#: Some lines of a block as they are, with the number of the first of them.
Stretch = tuple[int, bytes]
#: What Markdown puts at the end of a line.
_BREAKS = ("\\", "<br>", "<br/>", "<br />")
#: What go test prints only where a line begins: a line without its end ends before it.
_OPENINGS = ("Benchmark", "=== ", "PASS\n", "FAIL\n", "FAIL\t", "ok  \t")
#: What an event says of a package or benchmark that failed; so does its output, unless left out.
_FAILED = ("fail", "build-fail")
#: Bytes of a log below which line by line is as quick.
SMALL = 1 << 16
#: Bytes of tables that are held in memory between the two readings; more of them lie on disk.
_HELD = 8 << 20


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


class Log:
    """A source that is read twice: for what only the whole of it tells, and for its results."""

    def __init__(self, source: Source) -> None:
        self.label = source.label
        self._source = source
        self._tables: IO[bytes] | None = None
        self._places: dict[int, int] = {}  # of the tables of a block, by its first line
        self._is_held = False  # whether there is nothing but such blocks

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tables is not None:
            self._tables.close()

    def read(self) -> Iterator[Line | Table]:
        """Yield the lines of a plain log, of events, or of both in one file.

        An event that cannot be decoded comes as the line that it is.

        Raises
        ------
        UnreadableError
            When damaged gzip is met; the whole lines before it have been yielded.
        """
        rests: dict[str, Line] = {}
        held = zip(self._places, repeat(b""), strict=False) if self._is_held else None
        count = 0
        for number, block in held or number_blocks(self._source.line_blocks()):
            count += 1
            for item in self._part(number, block):
                if isinstance(item, tuple):
                    yield from _read_lines(*item, rests)
                else:
                    yield item
        yield from rests.values()
        self._is_held = count == len(self._places)

    def _part(self, number: int, block: bytes) -> list[Table | Stretch]:
        """Part a block into tables and what stands between them; a small one has no table."""
        if self._tables is not None and number in self._places:
            self._tables.seek(self._places[number])
            return list(pickle.load(self._tables))  # noqa: S301 - written below
        if number == 1 and len(block) < SMALL:
            return [(number, block)]
        from benchkit.parsers.gobench.columns import part

        items = list(part(number, block))
        if not all(isinstance(item, tuple) for item in items):  # else it is text alone
            self._keep(number, items)
        return items

    def _keep(self, number: int, items: list[Table | Stretch]) -> None:
        """Keep what a block was parted into for the second reading."""
        if self._tables is None:
            from tempfile import SpooledTemporaryFile

            self._tables = SpooledTemporaryFile(_HELD)  # noqa: SIM115 - until the end
        self._places[number] = self._tables.seek(0, 2)
        pickle.dump(items, self._tables, pickle.HIGHEST_PROTOCOL)


def _read_lines(number: int, data: bytes, rests: dict[str, Line]) -> Iterator[Line]:
    """Yield the lines of a stretch, and those that its events end."""
    texts = _join_wrapped(clean_lines(data))
    last = number + len(texts) - 1
    is_ended = data[-2:].rstrip(b"\0").endswith(b"\n")
    for place, text in enumerate(texts, number):
        event = _decode(text) if text.startswith("{") else None
        if event is None:
            if text.startswith('{"'):  # a damaged event: what it would have gone on with is lost
                yield from rests.values()
                rests.clear()
            yield Line("", place, place, None, text, closed=place < last or is_ended)
        else:
            yield from _join(event, place, rests)


def _join_wrapped(texts: list[str]) -> list[str]:
    """Drop a page's line breaks and bars, and put units together that a terminal parted."""
    for place, text in enumerate(texts):
        if "|" in text:
            texts[place] = read_row(text)
        elif text.endswith(_BREAKS):
            ending = next(each for each in _BREAKS if text.endswith(each))
            texts[place] = text.removesuffix(ending)
        elif place and text[:1] in REST_INITIALS and "Benchmark" in texts[place - 1]:
            begin, end = texts[place - 1].split()[-1], text.split()[0]
            if f"{begin}{end}" in STANDARD and end not in STANDARD:
                texts[place - 1], texts[place] = f"{texts[place - 1]}{text}", ""
    return texts


def looks_like_event(text: str) -> bool:
    """Tell a line that is, or was before it was damaged, an event of ``go test -json``."""
    return text.startswith('{"') and '"Action"' in text


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
        test = str(event.get("Test") or "")
        if event.get("Action") in _FAILED and (not test or test.startswith("Benchmark")):
            package = package or str(event.get("ImportPath")).partition(" ")[0]
            yield from (rests.pop(package),) if package in rests else ()
            text = f"--- FAIL: {test}" if test else f"FAIL\t{package}"
            time = _read_time(event.get("Time"))
            yield Line(package, number, number, time, text, closed=True)
        return
    if not output.isascii():
        output = output.encode("utf-8", "backslashreplace").decode()
    time = _read_time(event.get("Time"))
    if package in rests and output.startswith(_OPENINGS):
        yield rests.pop(package)
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

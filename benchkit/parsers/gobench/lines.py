"""The lines that a benchmark run printed, from a plain log or from ``go test -json`` events.

An event holds the text of one write, so a result may be split across two events, and packages may
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

#: Unchanged lines of a block, with the number of the first.
Stretch = tuple[int, bytes]
#: Line breaks that Markdown puts at the end of a line.
_BREAKS = ("\\", "<br>", "<br/>", "<br />")
#: Texts that go test prints only at the beginning of a line; an unfinished line ends before them.
_OPENINGS = ("Benchmark", "=== ", "PASS\n", "FAIL\n", "FAIL\t", "ok  \t")
#: Actions of an event for a failed package or benchmark; its output, unless omitted, has the same
#: information.
_FAILED = ("fail", "build-fail")
#: Size of a log in bytes below which reading line by line is as fast.
SMALL = 1 << 16
#: Bytes of tables held in memory between the two passes; larger ones are stored on disk.
_HELD = 8 << 20


class Line(NamedTuple):
    """One line of output.

    Parameters
    ----------
    package : str
        The package of the output, in events; empty in a plain log.
    first, number : int
        The lines of the source where it begins and ends.
    time : datetime or None
        The time when its end was written, in events.
    text : str
    closed : bool
        Whether the newline is present; without it, the text may be truncated anywhere.
    """

    package: str
    first: int
    number: int
    time: datetime | None
    text: str
    closed: bool


class Log:
    """A source that is read twice: for facts about the whole file, and for its results."""

    def __init__(self, source: Source) -> None:
        self.label = source.label
        self._source = source
        self._tables: IO[bytes] | None = None
        self._places: dict[int, int] = {}  # offsets of the tables of a block, by its first line
        self._is_held = False  # whether the source has only blocks with tables

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tables is not None:
            self._tables.close()

    def read(self) -> Iterator[Line | Table]:
        """Yield the lines of a plain log, of events, or of both in one file.

        An event that cannot be decoded is yielded as a plain line.

        Raises
        ------
        UnreadableError
            If gzip data is damaged; the whole lines before have been yielded.
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
        """Split a block into tables and the lines between; a small one has no table."""
        if self._tables is not None and number in self._places:
            self._tables.seek(self._places[number])
            return list(pickle.load(self._tables))  # noqa: S301 - written below
        if number == 1 and len(block) < SMALL:
            return [(number, block)]
        from benchkit.parsers.gobench.columns import part

        items = list(part(number, block))
        if not all(isinstance(item, tuple) for item in items):  # otherwise it is only text
            self._keep(number, items)
        return items

    def _keep(self, number: int, items: list[Table | Stretch]) -> None:
        """Store the parts of a block for the second pass."""
        if self._tables is None:
            from tempfile import SpooledTemporaryFile

            self._tables = SpooledTemporaryFile(_HELD)  # noqa: SIM115 - until the end
        self._places[number] = self._tables.seek(0, 2)
        pickle.dump(items, self._tables, pickle.HIGHEST_PROTOCOL)


def _read_lines(number: int, data: bytes, rests: dict[str, Line]) -> Iterator[Line]:
    """Yield the lines of a stretch, including those completed by its events."""
    texts = _join_wrapped(clean_lines(data))
    last = number + len(texts) - 1
    is_ended = data[-2:].rstrip(b"\0").endswith(b"\n")
    for place, text in enumerate(texts, number):
        event = _decode(text) if text.startswith("{") else None
        if event is None:
            if text.startswith('{"'):  # a damaged event: the rest of its lines is lost
                yield from rests.values()
                rests.clear()
            yield Line("", place, place, None, text, closed=place < last or is_ended)
        else:
            yield from _join(event, place, rests)


def _join_wrapped(texts: list[str]) -> list[str]:
    """Drop a page's line breaks and bars, and rejoin units split by a terminal."""
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
    """Return whether a line is, or was before damage, an event of ``go test -json``."""
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
    """Yield the lines that an event completes; keep the unfinished one in ``rests``."""
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
    """Read a time with a zone; return None for anything else."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo is not None else None

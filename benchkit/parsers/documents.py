"""JSON documents that are read as a whole, with the line of every number.

Each row refers to its number's line, and a truncated document must not yield half its content.

Long lists may be read in columns first: the decoder then sees a placeholder instead.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeGuard

from benchkit.errors import Diagnostic
from benchkit.parsers.leaves import Leaf, Path, name_fields, walk
from benchkit.reading.cleaning import decode
from benchkit.reading.records import Reading, Record
from benchkit.reading.remarks import Remark
from benchkit.reading.source import Source
from benchkit.regexes import regex
from benchkit.units import scale

#: Maximum size of a document; a larger one would not fit into memory as Python objects.
LARGEST = 64 << 20
#: Minimum size for reading in columns; in a smaller document it would take longer.
_LARGE = 1 << 18
#: A placeholder for a value that was read in columns.
_STANDS_FOR = "-Infinity"

#: Numbers end where they end for the decoder, which reads ``007`` as three.
_TOKEN = regex(
    r'"(?:[^"\\]++|\\.)*+"?|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\n|[a-zA-Z]+'
)
_BLANK = regex(r"[\s,]*")
#: Possible starts of a run: Go's zero time is not one, and nanoseconds since 1970 have a limit.
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2262, 1, 1, tzinfo=UTC)
TRUNCATED = "truncated: without its end, its structure is unknown"

_NEGATIVE = Remark(
    "{name} is {value}, which no time or count can be, and is left out",
    "use the whole file, or check the clock of the machine that measured",
    is_remark=False,
)


class Whole(int):
    """An integer of a document; ``line`` is its line, ``next_line`` that of the next token."""

    line: int
    next_line: int


class Broken(float):
    """A number with a fraction or an exponent, otherwise like `Whole`."""

    line: int
    next_line: int


def read_text(source: Source) -> str | Diagnostic:
    """Return the whole text, or a diagnostic that it is too large."""
    size = 0
    for block in source.blocks():
        size += len(block)
        if size > LARGEST:
            what = f"larger than {LARGEST >> 20} MiB, too large to read as a whole"
            return Diagnostic(source.label, 0, what, "split the time range into several files")
    return source.text()


def read_documents(source: Source) -> Iterator[tuple[int, Any]]:
    r"""Yield (line, value) per document, and (line, Diagnostic) for one that cannot be read.

    Examples
    --------
    >>> source = Source(None, "x.json", b'{"a":\n [7, "8"]}')
    >>> [(line, value["a"][0].line) for line, value in read_documents(source)]
    [(1, 2)]
    """
    text = read_text(source)
    if isinstance(text, Diagnostic):
        yield 0, text
        return
    for line, value, _ in _decode(text, _Lines(text)):
        is_read = not isinstance(value, Exception)
        yield line, value if is_read else _refusal(source.label, text, value)


class Document:
    """An object of a source: its fields, its amounts by dotted names, and its line.

    Any other value counts as an empty object; a part of another begins at its first number.
    """

    def __init__(self, label: str, value: object, line: int, whole: Document | None = None) -> None:
        self.label, self.line = label, line
        self.fields = as_object(value)
        self.numbers = {key: each for key, each in name_numbers(self.fields) if is_amount(each)}
        #: Diagnostics about it and its parts, complete once it is read.
        self.problems: list[Diagnostic] = [] if whole is None else whole.problems
        if whole is not None:
            self.line = min(map(self.line_of, self.numbers.values()), default=line)

    def find(self, *path: str) -> Any:  # noqa: ANN401 - whatever the file holds
        """Return the value at a path of names; None if there is none."""
        value: Any = self.fields
        for name in path:
            value = as_object(value).get(name)
        return value

    def find_text(self, *path: str) -> str:
        """Return the text at a path; empty for any other value."""
        value = self.find(*path)
        return value if isinstance(value, str) else ""

    def find_all(self, *path: str) -> Iterator[Document]:
        """Yield the objects of a list, and an empty one for each other value."""
        for value in as_list(self.find(*path)):
            yield Document(self.label, value, self.line, self)

    def line_of(self, value: object) -> int:
        """Return the line of one of its numbers."""
        return line_of(value, self.line)

    def add_facts(self, run: Reading, find: Callable[[str], Fact | None]) -> None:
        """Add the observations that ``find`` returns for names; report impossible values."""
        for name, value in self.numbers.items():
            if fact := find(name):
                add_fact(run, fact, value, self.line)
        self.check(find)

    def check(self, find: Callable[[str], object]) -> None:
        """Report values whose names ``find`` knows but which cannot be measurements."""
        for name, value in name_fields(self.fields):
            if find(name) and not (is_amount(value) or isinstance(value, list)):
                at, text = self.line_of(value), json.dumps(value)[:20]
                self.problems.append(_NEGATIVE.at(self.label, at, name=name, value=text))

    def refuse(self, what: str, hint: str = "use the whole object that it wrote") -> Diagnostic:
        """Return a diagnostic that explains why it yields no run."""
        return Diagnostic(self.label, self.line, what, hint)


def read_objects(
    source: Source, read: Callable[[Document], Iterator[Record]], *titles: str
) -> Iterator[Record]:
    r"""Yield the records that ``read`` yields per document of a source, and diagnostics.

    Each object of a list is a document, whose heading is the first of its ``titles`` present.

    Examples
    --------
    >>> def read(document):
    ...     yield Reading(tool="oha", form="json", line=document.line)
    >>> source = Source(None, "x.json", b'[\n{"title": "a", "n": 2},\n{"title": "b", "n": 3}]')
    >>> [(run.line, run.headings) for run in read_objects(source, read, "title")]
    [(2, ('a',)), (3, ('b',))]
    """
    for line, value in read_documents(source):
        if isinstance(value, Diagnostic):
            yield value
            continue
        whole = Document(source.label, value, line)
        parts = [Document(source.label, each, line, whole) for each in as_list(value)]
        for document in parts or [whole]:
            for record in read(document):
                if parts and isinstance(record, Reading):
                    record.headings = tuple(filter(None, map(document.find_text, titles)))[:1]
                yield record
        yield from whole.problems


def read_leaves(source: Source) -> Iterator[tuple[int, dict[Path, Leaf] | Diagnostic]]:
    r"""Yield (line, leaves) per document, and (line, Diagnostic) for one that cannot be read.

    Examples
    --------
    >>> ((_, leaves),) = read_leaves(Source(None, "x.json", b'{"a":\n "46ms"}'))
    >>> leaves["a",].string, leaves["a",].line
    ('46ms', 2)
    """
    text = read_text(source)
    if isinstance(text, Diagnostic):
        yield 0, text
        return
    for line, value, place in _decode(text, _Lines("")):
        if isinstance(value, Exception):
            yield line, _refusal(source.label, text, value)
        else:
            leaves = walk(text[place], line) if isinstance(value, dict) else ()
            yield line, {leaf.path: leaf for leaf in leaves}


class Part(NamedTuple):
    """A value between two indices of a text, and the value that replaces it."""

    start: int
    end: int
    value: object


def read_around(
    source: Source, find: Callable[[bytes], Iterable[Part]]
) -> list[tuple[int, Any]] | None:
    """Return the result of `read_documents`, with parts that ``find`` has read.

    Parameters
    ----------
    find : callable
        Takes the text and yields, in order, values that it has read itself: whole ones after a
        colon, bracket or comma, without a newline.

    Returns
    -------
    list or None
        None if the text is small, not plain text, not valid JSON, or has no such part.
    """
    data = _read_large(source)
    if len(data) < _LARGE or any(byte in data for byte in (b"\0", b"\r", b"\x1b")):
        return None
    values: list[object] = []
    rest: list[bytes] = []
    place = 0
    for part in find(data):
        rest += data[place : part.start], _STANDS_FOR.encode()
        place = part.end
        values.append(part.value)
    text = decode(b"".join((*rest, data[place:])))
    if not values or text.count(_STANDS_FOR) != len(values):
        return None
    lines = _Lines(text, values)
    records = [(line, value) for line, value, _ in _decode(text, lines)]
    is_read = lines.is_used_up and not any(isinstance(value, Exception) for _, value in records)
    return records if is_read else None


def _read_large(source: Source) -> bytes:
    """Return the whole content; empty if it is too large."""
    blocks, size = [], 0
    for block in source.blocks():
        size += len(block)
        if size > LARGEST:
            return b""
        blocks.append(block)
    return b"".join(blocks).removeprefix(codecs.BOM_UTF8)


def _decode(text: str, lines: _Lines) -> Iterator[tuple[int, Any, slice]]:
    """Yield the line of each document, its value or an exception, and its slice of the text."""
    decoder = lines.decoder()
    at = _BLANK.match(text).end()  # type: ignore[union-attr]
    counted, line = 0, 1
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield line, error, slice(counted, None)
            return
        yield line, value, slice(counted, at)
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]


def decoder_of(text: str) -> json.JSONDecoder:
    """Return a decoder for the beginning of a text that attaches lines to numbers."""
    return _Lines(text).decoder()


def line_of(value: object, default: int) -> int:
    """Return the line of a document's number; ``default`` for anything else."""
    return getattr(value, "line", default)


class Fact(NamedTuple):
    """The observation for a number of a document, in its unit times ten to ``exponent``."""

    metric: str
    stat: str
    unit: str = "1"
    subject: str | None = None
    exponent: int = 0
    step: float | None = None


def is_amount(value: object) -> TypeGuard[float]:
    """Return whether a value of a document is a possible number of a measurement."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300


def as_object(value: object) -> dict[str, Any]:
    """Return an object of a document; empty for any other value."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a list of a document; empty for any other value."""
    return value if isinstance(value, list) else []


def read_moment(value: object) -> datetime | None:
    """Return the start of a run from a text with a time zone; None for any other value.

    Examples
    --------
    >>> read_moment("2026-11-20T10:00:00Z").hour, read_moment("0001-01-01T00:00:00Z")
    (10, None)
    """
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    is_known = moment is not None and moment.tzinfo is not None and _EARLIEST <= moment < _LATEST
    return moment if is_known else None


def name_numbers(document: object) -> Iterator[tuple[str, float]]:
    """Yield the numbers in an object with dotted names, skipping lists.

    Examples
    --------
    >>> dict(name_numbers({"latency": {"p50": 2}, "errors": -1, "resets": None}))
    {'latency.p50': 2, 'errors': -1}
    """
    for name, value in name_fields(as_object(document)):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value


def add_fact(run: Reading, fact: Fact, value: float, line: int, n: int | None = None) -> None:
    """Add the observation for a number of a document, on the number's line or else on ``line``."""
    metric, stat, unit, subject, exponent, step = fact
    amount = scale(repr(float(value)), exponent)
    at = line_of(value, line)
    run.add(metric, stat, amount, unit, at, subject=subject, n=n, resolution=step)


def _refusal(label: str, text: str, error: Exception) -> Diagnostic:
    line, end = text.count("\n") + 1, len(text.rstrip())
    what = f"not valid JSON ({error})"
    if isinstance(error, json.JSONDecodeError):
        line, what = error.lineno, f"not valid JSON ({error.msg}, column {error.colno})"
        if error.pos >= end or error.msg.startswith("Unterminated"):
            what = TRUNCATED
    return Diagnostic(label, line, what, "copy or write the whole file again")


class _Lines:
    """Lines for the decoder's numbers, which the decoder reads in the order of the text.

    The same order applies to placeholders for values that were read before.
    """

    def __init__(self, text: str, values: Sequence[object] = ()) -> None:
        self._places = _places(text) if "\n" in text.rstrip() else None
        self._values = list(reversed(values))

    @property
    def is_used_up(self) -> bool:
        """Return whether all values were used."""
        return not self._values

    def decoder(self) -> json.JSONDecoder:
        """Return a decoder; for a text of one line, it leaves numbers unchanged."""
        if self._places is None:
            return json.JSONDecoder(parse_constant=self._constant)
        return json.JSONDecoder(
            parse_int=self._whole, parse_float=self._broken, parse_constant=self._constant
        )

    def _constant(self, name: str) -> object:
        number = float(name) if self._places is None else self._broken(name)
        return self._values.pop() if name == _STANDS_FOR and self._values else number

    def _whole(self, digits: str) -> int:
        number = Whole(digits)
        number.line, number.next_line = next(self._places)  # type: ignore[arg-type]
        return number

    def _broken(self, digits: str) -> float:
        number = Broken(digits)
        number.line, number.next_line = next(self._places)  # type: ignore[arg-type]
        return number


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the line of each number and that of the next token."""
    above = len(text) - len(text.lstrip("\n"))  # a document of a page has all lines above it
    line, waiting = 1 + above, 0
    for match in _TOKEN.finditer(text, above):
        word = match[0]
        if word == "\n":
            line += 1
            continue
        if waiting:
            yield waiting, line
        waiting = line if word[0] in "-0123456789NI" else 0
    if waiting:
        yield waiting, line

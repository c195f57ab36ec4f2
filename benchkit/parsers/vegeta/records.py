"""One request as vegeta's raw results tell it, from gob, CSV or JSON lines.

Three encodings, four sets of columns and two layouts of gob hold the same facts; what sums them
up sees one.

CSV has no header: time (ns), code, latency (ns), bytes out, bytes in, error; from version 7 the
body, from 8 attack and number, from 12.8 method, URL and headers. Versions up to 6 write the error
in quotes without escaping any inside. CSV of 5.9 and a JSON line of 8.0::

    1795222069242054756,200,142728302,0,0,""
    {"attack":"partial","seq":99,"code":200,"timestamp":"2026-11-21T00:47:49.242054756Z","latency":142728302,"bytes_out":0,"bytes_in":0,"error":"","body":null}
"""

from __future__ import annotations

import json
import re
from calendar import timegm
from collections.abc import Iterator
from typing import NamedTuple

from benchkit.parsers.vegeta import gob

CSV_START = re.compile(r"(\d{19}),(\d{1,5}),(\d{1,19}),(\d{1,20}),(\d{1,20}),")
_FIELD = re.compile(r'("(?:[^"]|"")*"|[^,]*)(?:,|$)')
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")
GOB_FIELDS = ("Attack", "Code", "Timestamp", "Latency", "BytesOut", "BytesIn", "URL")
#: Columns after the first five, by version: 7, 8 and 12.8; version 6 is known by its quotes.
_TAILS = {2, 4, 7}
_LONGEST_ERROR = 1 << 20


class Result(NamedTuple):
    """One request.

    ``start`` is ns since 1970, ``latency`` ns; ``line`` is the ordinal in a binary source;
    ``stream`` tells streams apart that were put one behind the other.
    """

    line: int
    start: int
    code: int
    latency: int
    bytes_out: int
    bytes_in: int
    attack: str = ""
    url: str = ""
    stream: int = 0


class Flaw(NamedTuple):
    """A place where something else than a result stands, and what."""

    line: int
    reason: str


def from_gob(line: int, item: gob.Item) -> Result | None:
    """Make a result of a struct by its fields' names; zero fields are not in it."""
    value = item.value
    if item.name != "Result" or not isinstance(value, dict):
        return None
    start = value.get("Timestamp")
    if not isinstance(start, bytes):
        return None
    numbers = [value.get(name, 0) for name in ("Code", "Latency", "BytesOut", "BytesIn")]
    attack, url = value.get("Attack", ""), value.get("URL", "")
    texts = isinstance(attack, str) and isinstance(url, str)
    if not texts or not all(type(number) is int for number in numbers):
        return None
    code, latency, bytes_out, bytes_in = numbers
    at = gob.unix_nanoseconds(start)
    return _checked(Result(line, at, code, latency, bytes_out, bytes_in, attack, url, item.stream))


def take_json(line: int, text: str) -> Iterator[Result | Flaw]:
    """Read a line of JSON; an empty one is none."""
    if not text.strip():
        return
    try:
        value = json.loads(text)
        result = _from_json(line, value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        result = None
    yield result or Flaw(line, f"begins {text[:30]!r}")


def _from_json(line: int, value: dict[str, object]) -> Result | None:
    names = ("code", "latency", "bytes_out", "bytes_in")
    numbers = [value.get(name) for name in names]
    start = parse_timestamp(value.get("timestamp"))
    attack, url = value.get("attack", ""), value.get("url", "")
    if start is None or not all(type(number) is int for number in numbers):
        return None
    code, latency, bytes_out, bytes_in = (int(str(number)) for number in numbers)
    return _checked(Result(line, start, code, latency, bytes_out, bytes_in, str(attack), str(url)))


class CsvReader:
    """Lines of CSV, of which a record is known to be whole when the next one begins."""

    def __init__(self) -> None:
        self._pending: tuple[int, str] | None = None
        self._columns = 0

    def take(self, line: int, text: str) -> Iterator[Result | Flaw]:
        """Read the next line."""
        if CSV_START.match(text):
            yield from self.close()
            self._pending = line, text
        elif self._pending is not None and _is_open(self._pending[1]):
            self._pending = self._pending[0], f"{self._pending[1]}\n{text}"
        elif text.strip():
            yield Flaw(line, f"begins {text[:30]!r}")

    def close(self) -> Iterator[Result | Flaw]:
        """Yield the record before one that begins."""
        if self._pending is not None:
            line, text = self._pending
            self._columns, self._pending = self._columns or _columns(text), None
            yield _from_csv(line, text) or Flaw(line, f"begins {text[:30]!r}")

    def end(self) -> Iterator[Result | Flaw]:
        """Yield the last record."""
        if self._pending is not None:
            yield _last(*self._pending, self._columns)

    def note_columns(self, columns: int) -> None:
        """Take note of a record's columns after the first five; those of the first one count."""
        self._columns = self._columns or columns


def _last(line: int, text: str, columns: int) -> Result | Flaw:
    """Return the last record, unless it has lost its end."""
    own = _columns(text)
    is_cut = _is_open(text) or (own not in _TAILS | {1}) or (columns > 1 and own < columns)
    flaw = Flaw(line, "ends in the middle of a line")
    return flaw if is_cut else _from_csv(line, text) or flaw


def _is_open(text: str) -> bool:
    """Whether a quoted field is not closed yet."""
    return text.count('"') % 2 == 1 and len(text) < _LONGEST_ERROR


def _tail(text: str) -> str:
    match = CSV_START.match(text)
    return text[match.end() :] if match is not None else ""


def _columns(text: str) -> int:
    """Count the columns after the first five; 1 for version 6, whose commas tell nothing."""
    tail = _tail(text)
    if tail.startswith('"') and tail.endswith('"') and len(tail) > 1:
        return 1
    return len(_split(tail)) if tail else 0


def _split(tail: str) -> list[str]:
    """Split what stands after the numbers, as CSV quotes it.

    Examples
    --------
    >>> _split('"Get ""http://h/"": refused, again",,agent,7')
    ['Get "http://h/": refused, again', '', 'agent', '7']
    """
    fields = [
        match[1][1:-1].replace('""', '"') if match[1][:1] == '"' else match[1]
        for match in _FIELD.finditer(tail)
    ]
    return fields if tail.endswith(",") or not fields else fields[:-1] if not fields[-1] else fields


def _from_csv(line: int, text: str) -> Result | None:
    match = CSV_START.match(text)
    if match is None:
        return None
    start, code, latency, bytes_out, bytes_in = map(int, match.groups())
    columns = _columns(text)
    tail = _split(text[match.end() :]) if columns in {4, 7} else []
    attack = tail[2] if len(tail) >= 4 else ""
    url = tail[5] if len(tail) == 7 else ""
    return _checked(Result(line, start, code, latency, bytes_out, bytes_in, attack, url))


def parse_timestamp(value: object) -> int | None:
    """Read an RFC 3339 time into nanoseconds since 1970.

    Examples
    --------
    >>> parse_timestamp("2026-11-21T00:21:47.490698251Z")
    1795220507490698251
    """
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    *clock, fraction, zone = match.groups()
    seconds = timegm(tuple(map(int, clock)))
    if zone != "Z":
        offset = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        seconds -= offset if zone[0] == "+" else -offset
    return seconds * 10**9 + int((fraction or "").ljust(9, "0"))


def _checked(result: Result) -> Result | None:
    """Return a result whose numbers are possible."""
    is_possible = (
        0 < result.start < 2**63
        and 0 <= result.latency < 2**62
        and 0 <= result.code < 2**16
        and 0 <= result.bytes_out < 2**62
        and 0 <= result.bytes_in < 2**62
    )
    return result if is_possible else None

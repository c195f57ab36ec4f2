"""Real texts of every format, and damage to them.

A mutated input depends only on a seed and its number.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from roads import FIXTURES, TEXTS

from benchkit.config.maps import parse_maps
from benchkit.errors import BenchkitError
from benchkit.parsers import mapped, registry
from benchkit.parsers.base import Format, Reading, Repeats
from benchkit.reading.source import Source, UnreadableError

#: Maximum bytes of a mutated text; longer ones are excerpted line by line.
_SIZE = 6000
#: Number of times that a character is repeated within a line.
_SWOLLEN = 100_000
_SIDECARS = {"PROVENANCE.toml", "run.toml", "runs.json", "benchkit.toml"}
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_BLANKS = re.compile(rb"[ \t]+")

#: Numbers that no tool prints, or only few.
NUMBERS = (
    *(b"0", b"-0", b"00", b"007", b"1e5", b"1E-05", b"1e999", b"-1e999", b"5e-324", b"NaN", b"nan"),
    *(b"inf", b"+Inf", b"-Infinity", b"-1", b"-1.5", b"+3", b".5", b"5.", b"1,234", b"1.234,5"),
    *(b"1_000", b"0x1F", b"9" * 20, b"9" * 400, b"0." + b"3" * 60, b"9223372036854775808"),
    *(b"1.797693134862315708e308", "١٢٣".encode(), "１２".encode(), b"1e", b"--1", b"1.2.3", b"--"),
)
UNITS = (
    *(b"ns", b"us", "µs".encode(), "μs".encode(), b"ms", b"s", b"m", b"h", b"m30s", b"MB", b"KiB"),
    *(b"k", b"M", b"G", b"%", b"ns/op", b"B/op", b"allocs/op", b"MB/s", b"reqs/s", b" secs", b"."),
)
PIECES = (
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b" ",
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xe2\x80\xae",
        b"\xef\xbb\xbf",
    ),
    *(b"\x1b[31m", b"\x1b[2K", b"\x0b", b"\x85", "\u2028".encode(), "\u00a0".encode(), b"|", b"#"),
    *(b'"', b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]", b"[[", b"{}", b"null", b"true"),
    *(b":", b",", b";", b"=", b"/", b"</pre>", b"<br>", b"```", b"> ", b"+", b"-", b"../", b"%s"),
    *(
        b"{x}",
        b"panic: ",
        b"FAIL",
        b"Benchmark",
        b"Running 1s test @ http://h/",
        b"Requests/sec: 7",
    ),
)
PREFIXES = (
    *(b"# ", b"> ", b"+", b"    ", b"web-1  | ", b"[2024-05-01T10:00:22.123Z] ", b"12: ", b"\xff"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """A real text, and a format that reads it."""

    form: Format
    data: bytes
    label: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutated text."""

    text: Text
    data: bytes


@cache
def texts() -> dict[str, list[Text]]:
    """Return texts of every format, by the format's name."""
    by_format: dict[str, list[Text]] = defaultdict(list)
    for label, (form, data) in TEXTS.items():
        by_format[form.name].append(Text(form, data, label))
    for text in _tables():
        by_format[text.form.name].append(text)
    for path in sorted(FIXTURES.rglob("*")):
        if path.is_file() and path.name not in _SIDECARS and not path.name.endswith(".run.toml"):
            for text in _excerpts(path):
                by_format[text.form.name].append(text)
    return {name: _select_distinct(each) for name, each in by_format.items()}


def _tables() -> Iterator[Text]:
    """Yield tables that a map reads, in each of their forms."""
    named = tomllib.loads((FIXTURES / "tables/map.toml").read_text(encoding="utf-8"))
    data = (FIXTURES / "tables/builds.csv").read_bytes()
    rows = [
        {name: json.loads(cell) if cell[0].isdigit() else cell for name, cell in row.items()}
        for row in csv.DictReader(io.StringIO(data.decode()))
    ]
    forms = {
        "csv": data,
        "semicolons": data.replace(b",", b";"),
        "tabs": data.replace(b",", b"\t"),
        "lines": "".join(f"{json.dumps(row)}\n" for row in rows).encode(),
        "list": json.dumps(rows, indent=1).encode(),
        "path": json.dumps({"results": {"rows": rows}}).encode(),
    }
    for name, text in forms.items():
        keys = {"records": "results.rows"} if name == "path" else {}
        maps = parse_maps([{**each, **keys} for each in named["map"]], "map.toml")
        form = mapped.choose(Source(None, "builds", text), maps)
        if form is None:
            raise AssertionError(f"no map reads the table {name}")
        yield Text(form, text, f"tables/builds, {name}")


def _excerpts(path: Path) -> Iterator[Text]:
    with suppress(BenchkitError, UnreadableError):
        data = b"".join(Source.load(path).blocks())
        data = data if len(data) <= _SIZE else _shorten(data)
        for form in registry.identify(Source(None, path.name, data)):
            if any(isinstance(r, Reading | Repeats) for r in form.parse(Source(None, "x", data))):
                yield Text(form, data, path.relative_to(FIXTURES).as_posix())


def _shorten(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    head, tail = b"".join(lines[:40])[: _SIZE // 2], b"".join(lines[-40:])[-_SIZE // 2 :]
    return head[: head.rfind(b"\n") + 1] + tail[tail.find(b"\n") + 1 :]


def _select_distinct(candidates: list[Text], most: int = 60) -> list[Text]:
    """Return a limited number of texts, evenly chosen, no two of which differ only in digits."""
    shapes = {re.sub(rb"\d+", b"0", text.data): text for text in candidates}
    kept = list(shapes.values())
    return kept[:: 1 + len(kept) // most]


def make(seed: int, number: int) -> Mutant:
    """Return one mutated input."""
    rng = Random(f"{seed}/inputs/{number}")  # noqa: S311 - to be repeatable
    known = texts()
    text = rng.choice(known[rng.choice(sorted(known))])
    data = change(rng, text.data)
    if not rng.randrange(40):
        data = _swell(rng, data)
    if not rng.randrange(6):
        data = rng.choice(_DRESSES)(rng, data)
    return Mutant(text, data)


def change(rng: Random, data: bytes) -> bytes:
    """Return a text with a few changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_CHANGES)(rng, data)
    return data


def _span(rng: Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((0, 1, 1, 2, 5, 30, 300)))


def _put(rng: Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.choice((*PIECES, *UNITS, *NUMBERS)) + data[end:]


def _noise(rng: Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.randbytes(rng.randrange(4)) + data[end:]


def _copy(rng: Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    place = rng.randrange(len(data) + 1)
    return data[:place] + data[start:end] + data[place:]


def _number(rng: Random, data: bytes) -> bytes:
    return _replace(rng, data, _NUMBER, rng.choice(NUMBERS))


def _digit(rng: Random, data: bytes) -> bytes:
    return _replace(rng, data, re.compile(rb"\d"), b"%d" % rng.randrange(10))


def _unit(rng: Random, data: bytes) -> bytes:
    return _replace(rng, data, re.compile(rb"(?<=\d)[a-zA-Z%]+(?:/\w+)?"), rng.choice(UNITS))


def _blank(rng: Random, data: bytes) -> bytes:
    return _replace(rng, data, _BLANKS, rng.choice((b"", b" ", b"\t", b"\n", b"   ", b"\xc2\xa0")))


def _replace(rng: Random, data: bytes, pattern: re.Pattern[bytes], put: bytes) -> bytes:
    places = [match.span() for match in pattern.finditer(data)]
    if not places:
        return data
    start, end = rng.choice(places)
    return data[:start] + put + data[end:]


def _lines(rng: Random, data: bytes) -> bytes:
    """Drop, double, move or swap lines."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    first, second = (rng.randrange(len(lines)) for _ in range(2))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[min(first, second) : max(first, second) if rng.randrange(2) else None]
    elif kind == 1:
        lines[first:first] = lines[min(first, second) : max(first, second)]
    elif kind == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines.insert(first, lines.pop(second))
    return b"".join(lines)


def _cut(rng: Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] if rng.randrange(3) else data[place:]


def _splice(rng: Random, data: bytes) -> bytes:
    """Insert lines of another text, perhaps of another tool."""
    known = texts()
    lines = rng.choice(known[rng.choice(sorted(known))]).data.splitlines(keepends=True)
    start = rng.randrange(len(lines)) if lines else 0
    ends = [match.end() for match in re.finditer(rb"\n", data)] or [len(data)]
    place = rng.choice(ends)
    return data[:place] + b"".join(lines[start : start + rng.choice((1, 3, 40))]) + data[place:]


def _repeat(rng: Random, data: bytes) -> bytes:
    """Repeat a few bytes very often."""
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 1, 2, 9))]
    return data[:start] + piece * rng.choice((30, 300, 2000)) + data[start:]


def _swell(rng: Random, data: bytes) -> bytes:
    """Repeat a character within a line, so often that quadratic work takes seconds."""
    spans = [match.span() for match in re.finditer(rb"[^\n]+", data)]
    start, end = rng.choice(spans) if spans else (0, len(data))
    place = rng.randrange(start, end + 1)
    known = [*{*data[start:end]} - {*b"0123456789"} | {*b"/:=,. "}]
    return data[:place] + bytes([rng.choice(sorted(known))]) * _SWOLLEN + data[place:]


def _twice(_: Random, data: bytes) -> bytes:
    return data + data


_CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(_put, _put, _noise, _copy, _number, _number, _number, _digit, _unit, _unit, _blank),
    *(_lines, _lines, _cut, _splice, _repeat, _twice),
)


def _prefix(rng: Random, data: bytes) -> bytes:
    prefix = rng.choice(PREFIXES)
    return b"".join(prefix + line for line in data.splitlines(keepends=True))


def _gzip(rng: Random, data: bytes) -> bytes:
    packed = gzip.compress(data, mtime=0)
    return packed if rng.randrange(2) else _noise(rng, packed)


def _utf16(_: Random, data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode("utf-16")


_DRESSES: tuple[Callable[[Random, bytes], bytes], ...] = (
    _prefix,
    _prefix,
    _gzip,
    _utf16,
    lambda _, data: data.replace(b"\n", b"\r\n"),
    lambda _, data: b"\xef\xbb\xbf" + data,
)

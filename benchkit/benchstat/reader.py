"""Lines of the Go benchmark format, read exactly like benchstat.

Benchkit's own reader repairs pasted and indented lines; benchstat skips them, and a reproduction
that reads more would print other numbers.

::

    goos: linux
    Unit ns/op assume=exact
    BenchmarkPing-2    10000     40094 ns/op     195 B/op       6 allocs/op

Units are in base form; benchstat splits its tables by tidied unit, and by nothing else about the
unit.

The rules are those of benchfmt/reader.go: a result starts at column 0; a name alone on its line is
skipped; ``key: value`` holds until the key appears again, and an empty value removes it; all other
lines are skipped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category

from benchkit.benchstat.numbers import parse_float, parse_int
from benchkit.regexes import regex

_WORD = regex(r"([*/-]*)([^*/-]*)")


@lru_cache(maxsize=1024)
def tidy_unit(unit: str) -> tuple[str, float]:
    """Return the base form of a unit and the factor for its values.

    Only ``ns`` and ``MB`` change, as whole words between ``*``, ``/``, ``-``, and only in the
    numerator (benchunit/tidy.go); ``µs``, ``ms`` and ``KB`` remain unchanged.

    Examples
    --------
    >>> tidy_unit("ns/op"), tidy_unit("p50-ns"), tidy_unit("op/ns")
    (('sec/op', 1e-09), ('p50-sec', 1e-09), ('op/ns', 1.0))
    """
    factor, parts = 1.0, ""
    for marks, word, below in split_unit(unit):
        if word == "ns" and not below:
            parts, factor = f"{parts}{marks}sec", factor / 1e9
        elif word == "MB" and not below:
            parts, factor = f"{parts}{marks}B", factor * 1e6
        else:
            parts += marks + word
    return parts, factor


def is_binary(unit: str) -> bool:
    """Return whether a unit has bytes in its numerator: its prefixes are powers of 1024."""
    return any(word in {"B", "MB", "bytes"} and not below for _, word, below in split_unit(unit))


def split_unit(unit: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each word with the separators before it, and whether it is in the denominator."""
    below = False
    for marks, word in _WORD.findall(unit):
        deciding = marks.replace("-", "")[-1:]
        below = deciding == "/" if deciding else below
        yield marks, word, below


class Measurement(NamedTuple):
    """One value of a benchmark line.

    Parameters
    ----------
    unit : str
        Tidied.
    printed_unit : str
        The unit as printed, if it was tidied; filters see both.
    """

    value: float
    unit: str
    printed_unit: str = ""


def tidy(value: float, unit: str) -> Measurement:
    """Return a value in its base unit.

    A value that the factor leaves unchanged (0 and infinities) keeps its unit, too, so it gets a
    separate table: benchfmt/reader.go recognises "tidied" by a changed value.

    Examples
    --------
    >>> tidy(1520, "ns/op")
    Measurement(value=1.52e-06, unit='sec/op', printed_unit='ns/op')
    >>> tidy(0, "ns/op")
    Measurement(value=0, unit='ns/op', printed_unit='')
    """
    base, factor = tidy_unit(unit)
    tidied = value * factor
    if tidied == value:
        return Measurement(value, unit)
    return Measurement(tidied, base, unit)


class UnitMetadata:
    """The contents of all files' ``Unit`` lines; the first value wins (benchfmt/units.go)."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], str] = {}

    def add(self, unit: str, key: str, value: str) -> str:
        """Store one ``key=value``; return an error message, empty if there is none."""
        known = self._values.setdefault((tidy_unit(unit)[0], key), value)
        return "" if known == value else f"metadata {key} of unit {unit} already set to {known}"

    def is_exact(self, unit: str) -> bool:
        """Return whether a unit has ``assume=exact``."""
        return self._values.get((tidy_unit(unit)[0], "assume")) == "exact"


#: The space characters of Go's unicode.IsSpace, for use inside [ ].
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACES = regex(f"[{SPACE}]+")
#: bufio.Scanner gives up on a line of this length in bytes.
_LONGEST = 65536


class BenchstatError(Exception):
    """A reason for benchstat to stop: it prints this line and no table, and exits with code 0."""


@dataclass(frozen=True, slots=True)
class Result:
    """One benchmark line.

    Parameters
    ----------
    label : str
        The column: the file's label.
    config : tuple of (key, value)
        In benchstat's order.
    name : str
        Without ``Benchmark``.
    values : tuple of Measurement
        In the order of the line.
    """

    label: str
    config: tuple[tuple[str, str], ...]
    name: str
    values: tuple[Measurement, ...]


@dataclass(slots=True)
class Reader:
    """Reads one file.

    Parameters
    ----------
    path, label : str
        The file as named in warnings; its column.
    units : UnitMetadata
        Shared by all files.
    """

    path: str
    label: str
    units: UnitMetadata
    warnings: list[str] = field(default_factory=list)
    _config: list[tuple[str, str]] = field(default_factory=list)
    _line: int = 0

    def read(self, data: bytes) -> Iterator[Result]:
        """Yield the results; warnings are added to ``warnings``."""
        lines = data.split(b"\n")
        for self._line, raw in enumerate(lines if lines[-1] else lines[:-1], start=1):
            if len(raw) >= _LONGEST:
                raise BenchstatError(f"{self.path}:{self._line - 1}: bufio.Scanner: token too long")
            line = raw.removesuffix(b"\r").decode("utf-8", "surrogateescape")
            if line.startswith("Benchmark"):
                yield from self._read_result(line.removeprefix("Benchmark"))
            elif line.startswith("U") and (fields := split_fields(line))[0] == "Unit":
                self._read_unit(fields[1:])
            else:
                self._read_config(line)

    def _read_result(self, line: str) -> Iterator[Result]:
        name, *fields = split_fields(line)
        if name == line:
            return  # `go test -v` prints only the name when a benchmark starts
        try:
            values = tuple(parse_measurements(fields))
        except ValueError as error:
            self._complain(str(error))
            return
        yield Result(self.label, tuple(self._config), name, values)

    def _read_unit(self, fields: list[str]) -> None:
        if not fields:
            self._complain("missing unit")
        for text in fields[1:]:
            key, equals, value = text.partition("=")
            wrong = "" if key and equals else "expected key=value"
            wrong = wrong or self.units.add(fields[0], key, value)
            if wrong:
                self._complain(wrong)

    def _read_config(self, line: str) -> None:
        entry = split_config(line)
        if entry is None:
            return
        key, value = entry
        at = next((i for i, (known, _) in enumerate(self._config) if known == key), None)
        if value and at is not None:
            self._config[at] = (key, value)
        elif value:
            self._config.append((key, value))
        elif at is not None:  # result.go: the last key replaces the removed one
            self._config[at] = self._config[-1]
            del self._config[-1]

    def _complain(self, what: str) -> None:
        self.warnings.append(f"{self.path}:{self._line}: {what}")


def split_fields(line: str) -> list[str]:
    """Split like splitField: leading space makes an empty first field, trailing space none.

    Examples
    --------
    >>> split_fields("Ping-2  10  5 ns/op "), split_fields(" 10")
    (['Ping-2', '10', '5', 'ns/op'], ['', '10'])
    """
    fields = _SPACES.split(line)
    return fields[:-1] if len(fields) > 1 and not fields[-1] else fields


def split_config(line: str) -> tuple[str, str] | None:
    """Return key and value of a configuration line, or None for any other line.

    Examples
    --------
    >>> split_config("pkg: a b"), split_config("pkg:"), split_config("pkg:a"), split_config("P: a")
    (('pkg', 'a b'), ('pkg', ''), None, None)
    """
    rest, colon, value = line[1:].partition(":")
    key = line[:1] + rest
    if not colon or not is_key(key):
        return None
    stripped = value.lstrip(" \t")
    return (key, stripped) if not value or stripped != value else None


def is_key(text: str) -> bool:
    """Return whether a text starts in lower case and has neither space nor upper case."""
    kinds = [category(character) for character in text]
    return kinds[:1] == ["Ll"] and "Lu" not in kinds and not _SPACES.search(text)


def parse_measurements(fields: list[str]) -> Iterator[Measurement]:
    """Read iteration count, values and units; ValueError has benchstat's message."""
    if not fields:
        raise ValueError("missing iteration count")
    _parse(parse_int, fields[0], "parsing iteration count")
    if len(fields) == 1:
        raise ValueError("missing measurements")
    for at in range(1, len(fields), 2):
        value = _parse(parse_float, fields[at], "parsing measurement")
        if at + 1 == len(fields):
            raise ValueError("missing units")
        yield tidy(value, fields[at + 1])


def _parse(parse: Callable[[str], float], text: str, doing: str) -> float:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{doing}: {error}") from None

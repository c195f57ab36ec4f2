"""Units in base form, and what ``Unit`` lines say about them.

Benchstat's tables are split by tidied unit, and by nothing else about the unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchkit.regexes import regex

_WORD = regex(r"([*/-]*)([^*/-]*)")


@lru_cache(maxsize=1024)
def tidy_unit(unit: str) -> tuple[str, float]:
    """Return the base form of a unit and what its values are multiplied by.

    Only ``ns`` and ``MB`` change, as whole words between ``*``, ``/``, ``-``, and only in the
    numerator (benchunit/tidy.go); ``µs``, ``ms`` and ``KB`` stay as they are.

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
    """Tell whether a unit counts bytes in its numerator: its prefixes are powers of 1024."""
    return any(word in {"B", "MB", "bytes"} and not below for _, word, below in split_unit(unit))


def split_unit(unit: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each word with the marks before it, and whether it is in the denominator."""
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
        The unit as printed, where it was tidied; filters see both.
    """

    value: float
    unit: str
    printed_unit: str = ""


def tidy(value: float, unit: str) -> Measurement:
    """Return a value in its base unit.

    A value that the factor leaves as it is (0 and the infinities) keeps its unit too, so that it
    lands in a table of its own: benchfmt/reader.go tells "tidied" by the value having changed.

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
    """What the ``Unit`` lines of all files say; the first word stands (benchfmt/units.go)."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], str] = {}

    def add(self, unit: str, key: str, value: str) -> str:
        """Take one ``key=value``; return what is wrong with it, empty if nothing is."""
        known = self._values.setdefault((tidy_unit(unit)[0], key), value)
        return "" if known == value else f"metadata {key} of unit {unit} already set to {known}"

    def is_exact(self, unit: str) -> bool:
        """Tell whether ``assume=exact`` was said of a unit."""
        return self._values.get((tidy_unit(unit)[0], "assume")) == "exact"

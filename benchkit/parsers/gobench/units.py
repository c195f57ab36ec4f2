"""The units of Go benchmarks, tidied as benchstat tidies them, and what ``Unit`` lines say of them.

A value is multiplied as golang.org/x/perf/benchunit does, so that centres equal benchstat's bit
for bit; unlike benchstat, a value of 0 is tidied too and stays with the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache

from benchkit.redaction import show_part
from benchkit.regexes import regex

_SEPARATOR = regex(r"([*/\-\s])")
#: A letter, or nothing but signs (``%``); never a number, a change (``+12%``), a table's bar or a
#: page's tags.
_UNIT = regex(r"(?![-+|])(?![^<]*<[a-z/])(?:\D+|.*[^\W\d_].*)")

#: What go test itself measures.
METRICS = {
    "sec/op": "time_per_op",
    "B/op": "bytes_per_op",
    "allocs/op": "allocs_per_op",
    "B/s": "processing_rate",
}
#: The units that go test prints without being told to.
STANDARD = frozenset({"ns/op", "MB/s", "B/op", "allocs/op"})
#: A slip of the keyboard in one of them (``ns/opp``, ``ns/o``), unlike ``MB/sec`` or ``ns/op-p99``.
_SLIP = regex("|".join(f"{unit[:-1]}(?:{unit[-1]}{{2,}})?" for unit in sorted(STANDARD)))
#: What the second part of a standard unit begins with, where a line break parts it.
REST_INITIALS = frozenset(unit[place] for unit in STANDARD for place in range(1, len(unit)))
_ALLOWED = {"assume": ("exact", "nothing"), "better": ("higher", "lower")}


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit means.

    Parameters
    ----------
    metric : str
        Its name in the table.
    base : str
        The base unit: s, B, B/s, 1/s or 1.
    factor : float
        What a printed number is multiplied by.
    exponent : int
        The same as a power of ten, for the rounding step.
    """

    metric: str
    base: str
    factor: float
    exponent: int

    def step(self, decimals: int) -> float:
        """Return the rounding step of a number with so many decimals, in the base unit."""
        return _power(self.exponent - decimals)


@lru_cache(maxsize=4096)
def read_unit(text: str) -> Unit | None:
    """Return what a unit means, or None if the text cannot be one.

    Examples
    --------
    >>> read_unit("MB/s")
    Unit(metric='processing_rate', base='B/s', factor=1000000.0, exponent=6)
    >>> read_unit("-12.5%") is None
    True
    """
    if _UNIT.fullmatch(text) is None or _SLIP.fullmatch(text):
        return None
    tidied, factor, exponent = tidy(text)
    return Unit(METRICS.get(tidied, tidied), _find_base(tidied), factor, exponent)


def tidy(unit: str) -> tuple[str, float, int]:
    """Write ``ns`` as ``sec`` and ``MB`` as ``B`` wherever they stand in the numerator.

    Returns
    -------
    tuple of (str, float, int)
        The tidied unit, the factor for its values, and the factor's power of ten.

    Examples
    --------
    >>> tidy("p99-ns"), tidy("op/ns")
    (('p99-sec', 1e-09, -9), ('op/ns', 1.0, 0))
    """
    parts = _SEPARATOR.split(unit)
    factor, exponent, denominator = 1.0, 0, False
    for place, part in enumerate(parts):
        if part in {"*", "/"}:
            denominator = part == "/"
        elif part == "ns" and not denominator:
            parts[place], factor, exponent = "sec", factor / 1e9, exponent - 9
        elif part == "MB" and not denominator:
            parts[place], factor, exponent = "B", factor * 1e6, exponent + 6
    return "".join(parts), factor, exponent


def _find_base(tidied: str) -> str:
    """Return the base unit of a tidied unit; ``/op`` and the like do not change it."""
    over: set[str] = set()
    under: set[str] = set()
    denominator = False
    for part in _SEPARATOR.split(tidied):
        if part in {"*", "/"}:
            denominator = part == "/"
        else:
            (under if denominator else over).add(part)
    time, data = "sec" in over, bool(over & {"B", "bytes"})
    if under & {"s", "sec"}:
        return "1" if time else "B/s" if data else "1/s"
    return "1" if time == data else "s" if time else "B"


@cache
def _power(exponent: int) -> float:
    return float(f"1e{exponent}")


#: Problems of one ``Unit`` line that are named; others are counted.
_LISTED = 20


@dataclass(slots=True)
class UnitMetadata:
    """What the ``Unit`` lines of a file say, by metric; they hold for the whole file."""

    assume: dict[str, str] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)

    def read(self, text: str) -> list[str]:
        """Take over one line ``Unit <unit> key=value …``; return what is wrong with it."""
        _, _, rest = text.partition("Unit")
        name, *settings = rest.split() or [""]
        unit = read_unit(name)
        if unit is None or not any("=" in setting for setting in settings):
            return []
        problems = [problem for text in settings if (problem := self._set(unit.metric, text))]
        more = (
            [f"{len(problems) - _LISTED:,} more words are not settings"]
            if problems[_LISTED:]
            else []
        )
        return [*problems[:_LISTED], *more]

    def _set(self, metric: str, text: str) -> str:
        key, _, value = text.partition("=")
        allowed = _ALLOWED.get(key)
        if allowed is None:
            return "" if key and value else f"{show_part(text)} does not have the form key=value"
        if value not in allowed:
            return f"{key}={show_part(value)} is not {' or '.join(allowed)}"
        known = (self.assume if key == "assume" else self.better).setdefault(metric, value)
        return "" if known == value else f"{text!r} contradicts {key}={known} on an earlier line"

"""The units of Go benchmarks, tidied like benchstat's, and the metadata in ``Unit`` lines.

Values are multiplied as in golang.org/x/perf/benchunit, so that centres equal benchstat's bit for
bit. Unlike in benchstat, a value of 0 is tidied too and stays with the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache

from benchkit.redaction import show_part
from benchkit.regexes import regex

_SEPARATOR = regex(r"([*/\-\s])")
#: A unit: it has a letter or consists of signs (``%``). It is never a number, a change (``+12%``),
#: a table's bar or a page's tag.
_UNIT = regex(r"(?![-+|])(?![^<]*<[a-z/])(?:\D+|.*[^\W\d_].*)")

#: Metrics that go test itself measures.
METRICS = {
    "sec/op": "time_per_op",
    "B/op": "bytes_per_op",
    "allocs/op": "allocs_per_op",
    "B/s": "processing_rate",
}
#: The units that go test prints by default.
STANDARD = frozenset({"ns/op", "MB/s", "B/op", "allocs/op"})
#: A mistyped standard unit (``ns/opp``, ``ns/o``), unlike ``MB/sec`` or ``ns/op-p99``.
_SLIP = regex("|".join(f"{unit[:-1]}(?:{unit[-1]}{{2,}})?" for unit in sorted(STANDARD)))
#: First characters of the second part when a line break splits a standard unit.
REST_INITIALS = frozenset(unit[place] for unit in STANDARD for place in range(1, len(unit)))
_ALLOWED = {"assume": ("exact", "nothing"), "better": ("higher", "lower")}


@dataclass(frozen=True, slots=True)
class Unit:
    """The meaning of a unit.

    Parameters
    ----------
    metric : str
        The name in the table.
    base : str
        The base unit: s, B, B/s, 1/s or 1.
    factor : float
        The factor for a printed number.
    exponent : int
        The same as a power of ten, for the rounding step.
    """

    metric: str
    base: str
    factor: float
    exponent: int

    def step(self, decimals: int) -> float:
        """Return the rounding step, in the base unit, of a number with this many decimals."""
        return _power(self.exponent - decimals)


@lru_cache(maxsize=4096)
def read_unit(text: str) -> Unit | None:
    """Return the meaning of a unit, or None if the text cannot be one.

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
    """Replace ``ns`` by ``sec`` and ``MB`` by ``B`` everywhere in the numerator.

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
    """Return the base unit of a tidied unit; denominators other than time do not change it."""
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


#: Maximum number of problems listed for one ``Unit`` line; the rest are counted.
_LISTED = 20


@dataclass(slots=True)
class UnitMetadata:
    """The settings of a file's ``Unit`` lines by metric; they apply to the whole file."""

    assume: dict[str, str] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)

    def read(self, text: str) -> list[str]:
        """Apply a line ``Unit <unit> key=value …``; return its problems."""
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

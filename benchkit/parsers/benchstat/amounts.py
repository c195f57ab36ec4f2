"""benchstat's printed amounts, units and cells.

The old tool scales everything by powers of ten and has its own metric names (``alloc/op``), the new
one scales bytes by 1,024 and prints tidied units.

A cell of a table consists of a centre, the spread of its runs, and a comparison.

Text, csv and html of both tools contain the same values, and a truncated cell has to be
distinguished from a whole one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import comb, isfinite
from typing import NamedTuple

from benchkit.parsers.gobench.units import Unit, read_unit
from benchkit.regexes import regex
from benchkit.units import scale, step

_DECIMAL = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "m": -3, "n": -9}
_MICRO = dict.fromkeys(("µ", "μ", "u", "┬╡", "Âµ"), -6)
_EXPONENTS = _DECIMAL | _MICRO
_BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_AMOUNT = regex(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)(\D*)", re.ASCII)

#: The old tool's names for units of go test; a custom metric may have a prefix ``name-``.
_RENAMED = {"time/op": "ns/op", "time/GC": "ns/GC", "alloc/op": "B/op", "speed": "MB/s"}
#: Suffixes that the old tool puts after numbers of these units, which are then in base units.
_TAILS = {
    "ns/op": "s",
    "ns/GC": "s",
    "B/op": "B",
    "bytes/op": "B",
    "bytes": "B",
    "MB/s": "B/s",
}
#: Units of time and size other than those of go test, as powers of ten of the base unit.
_TIMES = {"s": 0, "ms": -3, "ns": -9, **{f"{micro}s": power for micro, power in _MICRO.items()}}
_SIZES = {"kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12}
#: Units that may appear alone although they are per operation.
_ALONE = {*_TIMES, "allocs"}
_MARKS = r"(?:\s+[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?!\S))*"
#: A cell in a text, with the comparison after it. Only a zero of the old tool has no ``±``.
CELL = regex(
    r"(?<!\S)(?P<center>[+-]?(?:\d[^\s±%]*|Inf|NaN)(?!\S))"
    r"(?:\s+±\s*(?P<spread>[+-]?\d+%|\?|∞|[+-]?(?:Inf|NaN)%)(?!\S))?"
    rf"(?P<marks>{_MARKS})"
    r"(?:\s+(?P<delta>~|\?|[+\N{MINUS SIGN}-]?(?:\d+(?:\.\d+)?|Inf|NaN)%)(?!\S))?"
    rf"(?:\s+\((?P<note>[^()]*)\)(?!\S){_MARKS})?"
)
_NOTE = regex(r"(?:p=([\N{MINUS SIGN}-]?\d+\.\d+)\s+)?n=(\d{1,9})(?:\+(\d{1,9}))?", re.ASCII)
_SHARE = regex(r"(\d{1,9})%", re.ASCII)
_NO_SPREAD = ("?", "∞")
#: With more runs than this on both sides, the smallest p is far below any printed one.
_MANY = 100


class Amount(NamedTuple):
    """A value in its base unit, and the rounding step of its text."""

    value: float
    step: float


class Heading(NamedTuple):
    """The meaning of the numbers below a table's heading.

    Parameters
    ----------
    text : str
        The unit or metric as printed.
    unit : Unit
        The meaning of that.
    tail : str
        The text after every number and its prefix: ``s``, ``B``, ``B/s`` or empty.
    exponent : int
        The power of ten between a printed number and the base unit, without its prefix.
    alone : Unit, optional
        Its meaning if another table has ``/op``.
    """

    text: str
    unit: Unit
    tail: str
    exponent: int
    alone: Unit | None = None


def read_heading(text: str) -> Heading | None:
    """Read the unit above a column of the new tool; return None if it cannot be a unit.

    Examples
    --------
    >>> read_heading("sec/op").unit.metric, read_heading("p99-sec").unit.metric
    ('time_per_op', 'p99-sec')
    """
    unit = read_unit(text)
    return None if unit is None else Heading(text, unit, "", unit.exponent)


def read_old_heading(text: str, *, scaled: bool) -> Heading | None:
    """Read the metric above a column of the old tool.

    Parameters
    ----------
    text : str
        ``time/op``, ``user-time/op``, ``speed``, ``p99-ns``, …
    scaled : bool
        Whether numbers have prefixes and units, as everywhere but in csv.

    Examples
    --------
    >>> read_old_heading("alloc/op", scaled=True).unit.metric
    'bytes_per_op'
    >>> heading = read_old_heading("ms", scaled=True)
    >>> heading.unit.metric, heading.unit.base, heading.exponent
    ('time_per_op', 's', -3)
    """
    prefix, dash, last = text.rpartition("-")
    word = _RENAMED.get(last, last)
    size, slash, per = last.partition("/")
    exponent = (_TIMES | _SIZES).get(size) if word == last else None
    if exponent is not None:
        word = f"{'ns' if size in _TIMES else 'MB'}{slash}{per}"
    unit = read_unit(f"{prefix}{dash}{word}")
    if unit is None:
        return None
    alone = unit if text in _ALONE else None
    if alone:
        unit = read_unit(f"{word}/op") or unit
    if exponent is not None:  # such numbers have no unit after them
        return Heading(text, unit, "", exponent, alone)
    tail = _TAILS.get(word, "") if scaled else ""
    return Heading(text, unit, tail, 0 if tail else unit.exponent, alone)


def read_amount(text: str, heading: Heading) -> Amount | None:
    """Read a number with its prefix; return None if it is truncated, infinite or of another unit.

    Examples
    --------
    >>> read_amount("3.065Ki", read_heading("B/op")).value == 3.065 * 1024
    True
    """
    match = _AMOUNT.fullmatch(text)
    if match is None or not match[2].endswith(heading.tail):
        return None
    number, prefix = match[1], match[2].removesuffix(heading.tail)
    factor = _BINARY.get(prefix, 1)
    exponent = 0 if factor > 1 else _EXPONENTS.get(prefix)
    if exponent is None:
        return None
    exponent += heading.exponent
    amount = Amount(scale(number, exponent) * factor, step(number, exponent) * factor)
    return amount if all(map(isfinite, amount)) else None


@dataclass(slots=True)
class Cell:
    """The values of one benchmark in one column.

    Parameters
    ----------
    center : float
        The median or mean in the base unit.
    step : float or None
        The rounding step of its text; None if it was printed in full.
    share : float or None
        The value after ``±`` as a share of the centre; None if that is not a number.
    marked : bool
        Whether it has a footnote.
    n : int or None
        The number of its runs.
    line : int or None
        Its line, if a row may span several lines.
    """

    center: float
    step: float | None
    share: float | None
    marked: bool = False
    n: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two columns.

    Parameters
    ----------
    sizes : tuple of (int, int)
        The number of runs on each side.
    pvalue : str
        As printed; empty if no test was made.
    """

    sizes: tuple[int, int]
    pvalue: str

    def find_fault(self) -> str:
        """Return why the p-value is impossible with these runs; empty if it is possible.

        Examples
        --------
        >>> Comparison((5, 5), "0.008").find_fault()
        ''
        >>> Comparison((5, 5), "0.000").find_fault()
        'p=0.000 is impossible with 5+5 runs: the smallest p of their Mann-Whitney test is 0.0079'
        """
        if not self.pvalue or min(self.sizes) < 1:
            return ""
        stated = float(self.pvalue.replace("\N{MINUS SIGN}", "-"))
        written = f"p={self.pvalue} is impossible with {self.sizes[0]}+{self.sizes[1]} runs"
        if stated > 1:
            return f"{written}: a probability cannot exceed 1"
        if stated < 0:
            return f"{written}: a probability cannot be negative"
        least = 0.0 if min(self.sizes) > _MANY else 2 / comb(sum(self.sizes), self.sizes[0])
        rounding = 0.5 * 10.0 ** -len(self.pvalue.partition(".")[2])
        if stated + rounding * (1 + 1e-9) >= least:
            return ""
        return f"{written}: the smallest p of their Mann-Whitney test is {least:.2g}"


def read_comparison(note: str | None) -> Comparison | None:
    """Read ``p=0.280 n=10`` or ``p=0.133 n=10+9``; return None for notes like ``all equal``."""
    match = _NOTE.fullmatch(note.strip()) if note else None
    if match is None:
        return None
    first = int(match[2])
    return Comparison((first, int(match[3] or first)), match[1] or "")


def read_cell(center: str, spread: str | None, heading: Heading, marks: str = "") -> Cell | None:
    """Read a cell of a text; return None if it is truncated or not finite.

    Examples
    --------
    >>> from benchkit.parsers.benchstat.amounts import read_heading
    >>> read_cell("66.98µ", "21%", read_heading("sec/op"))
    Cell(center=6.698e-05, step=1e-08, share=0.21, marked=False, n=None, line=None)
    """
    amount = read_amount(center, heading)
    if amount is None or (spread is None and amount.value):
        return None
    return Cell(amount.value, amount.step, read_share(spread), bool(marks.strip()))


def read_share(spread: str | None) -> float | None:
    """Read ``21%``; return None for an infinite interval."""
    match = _SHARE.fullmatch(spread) if spread else None
    return int(match[1]) / 100 if match else None


def is_spread(text: str) -> bool:
    """Return whether a spread is whole (``21%``, ``∞``, ``?``) and not truncated."""
    return text in _NO_SPREAD or text.endswith("%")

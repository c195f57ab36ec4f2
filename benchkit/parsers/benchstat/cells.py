"""What stands in a cell of a table: a centre, how far its runs spread, and a comparison.

Text, csv and html of both tools say the same things, and a cell that is cut has to be told from
one that is whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import comb

from benchkit.parsers.benchstat.amounts import Heading, read_amount
from benchkit.regexes import regex

_MARKS = r"(?:\s+[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?!\S))*"
#: A cell of a text, with the comparison behind it. Only a zero of the old tool has no ``±``.
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
#: Beyond this many runs on both sides the smallest p is far below what is printed.
_MANY = 100


@dataclass(slots=True)
class Cell:
    """What is told of one benchmark in one column.

    Parameters
    ----------
    center : float
        The median or mean in the base unit.
    step : float or None
        The rounding step of its text; None where it was printed in full.
    share : float or None
        What stands behind ``±``, as a share of the centre; None where that is no number.
    marked : bool
        Whether a footnote hangs on it.
    n : int or None
        The number of runs that it is of.
    line : int or None
        Where it stands, if a row may have more lines than one.
    """

    center: float
    step: float | None
    share: float | None
    marked: bool = False
    n: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is told of two columns.

    Parameters
    ----------
    sizes : tuple of (int, int)
        The number of runs on either side.
    pvalue : str
        As printed; empty where no test was made.
    """

    sizes: tuple[int, int]
    pvalue: str

    def find_fault(self) -> str:
        """Say why the p-value cannot have come from these runs; empty if it can.

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
    """Read ``p=0.280 n=10`` or ``p=0.133 n=10+9``; None for ``all equal`` and the like."""
    match = _NOTE.fullmatch(note.strip()) if note else None
    if match is None:
        return None
    first = int(match[2])
    return Comparison((first, int(match[3] or first)), match[1] or "")


def read_cell(center: str, spread: str | None, heading: Heading, marks: str = "") -> Cell | None:
    """Read a cell that a text shows; None if it is cut, or not finite.

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
    """Read ``21%``; None for an interval that is not finite."""
    match = _SHARE.fullmatch(spread) if spread else None
    return int(match[1]) / 100 if match else None


def is_spread(text: str) -> bool:
    """Tell a whole spread (``21%``, ``∞``, ``?``) from one that is cut."""
    return text in _NO_SPREAD or text.endswith("%")

"""Amounts as benchstat prints them, and the units that stand above them.

The old tool scales everything by powers of ten and names its metrics (``alloc/op``), the new one
scales bytes by 1,024 and shows tidied units.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import NamedTuple

from benchkit.parsers.gobench.units import Unit, read_unit
from benchkit.regexes import regex
from benchkit.units import scale, step

_DECIMAL = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "m": -3, "n": -9}
_MICRO = dict.fromkeys(("µ", "μ", "u", "┬╡", "Âµ"), -6)
_EXPONENTS = _DECIMAL | _MICRO
_BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_AMOUNT = regex(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)(\D*)", re.ASCII)

#: What the old tool calls the units of go test; a custom metric may put ``name-`` before them.
_RENAMED = {"time/op": "ns/op", "time/GC": "ns/GC", "alloc/op": "B/op", "speed": "MB/s"}
#: What the old tool writes behind a number of these units; such a number is in base units.
_TAILS = {
    "ns/op": "s",
    "ns/GC": "s",
    "B/op": "B",
    "bytes/op": "B",
    "bytes": "B",
    "MB/s": "B/s",
}
#: Units of time and size beside those of go test, as powers of ten of the base unit.
_TIMES = {"s": 0, "ms": -3, "ns": -9, **{f"{micro}s": power for micro, power in _MICRO.items()}}
_SIZES = {"kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12}
#: Units that stand alone where they are per operation.
_ALONE = {*_TIMES, "allocs"}


class Amount(NamedTuple):
    """A value in its base unit and the rounding step of its text."""

    value: float
    step: float


class Heading(NamedTuple):
    """What the heading of a table says of its numbers.

    Parameters
    ----------
    text : str
        The unit or metric as printed.
    unit : Unit
        What it means.
    tail : str
        What stands behind every number and its prefix: ``s``, ``B``, ``B/s`` or nothing.
    exponent : int
        The power of ten between a printed number and the base unit, its prefix apart.
    alone : Unit, optional
        What it means beside a table that says ``/op``.
    """

    text: str
    unit: Unit
    tail: str
    exponent: int
    alone: Unit | None = None


def read_heading(text: str) -> Heading | None:
    """Read the unit above a column of the new tool; None if it cannot be one.

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
        Whether numbers carry prefixes and units, as everywhere but in csv.

    Examples
    --------
    >>> read_old_heading("alloc/op", scaled=True).unit.metric
    'bytes_per_op'
    >>> heading = read_old_heading("ms", scaled=True)
    >>> heading.unit.metric, heading.unit.base, heading.exponent
    ('time_per_op', 's', -3)
    """
    prefix, dash, last = text.rpartition("-")
    own = _RENAMED.get(last, last)
    size, slash, per = last.partition("/")
    exponent = (_TIMES | _SIZES).get(size) if own == last else None
    if exponent is not None:
        own = f"{'ns' if size in _TIMES else 'MB'}{slash}{per}"
    unit = read_unit(f"{prefix}{dash}{own}")
    if unit is None:
        return None
    alone = unit if text in _ALONE else None
    if alone:
        unit = read_unit(f"{own}/op") or unit
    if exponent is not None:  # no unit stands behind such numbers
        return Heading(text, unit, "", exponent, alone)
    tail = _TAILS.get(own, "") if scaled else ""
    return Heading(text, unit, tail, 0 if tail else unit.exponent, alone)


def read_amount(text: str, heading: Heading) -> Amount | None:
    """Read a number with its prefix; None if it is cut, not finite, or of another unit.

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

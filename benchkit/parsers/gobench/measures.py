"""The measurements of one result line: numbers and their units, in turn.

What stands before a damage is kept, what comes after it is not, because nobody knows any more
which number goes with which unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from benchkit.parsers.gobench.units import Unit, read_unit

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Measure(NamedTuple):
    """One value in its base unit, with the rounding step of its text."""

    unit: Unit
    value: float
    step: float


@dataclass(slots=True)
class Measures:
    """What a result line tells.

    Parameters
    ----------
    found : list of Measure
    not_finite : list of str
        Numbers that are none, with their units: ``NaN p99-ns``.
    problem : str
        Why the rest of the line could not be read; empty if all of it was.
    """

    found: list[Measure] = field(default_factory=list)
    not_finite: list[str] = field(default_factory=list)
    problem: str = ""


def read_measures(words: Sequence[str]) -> Measures:
    """Read numbers and units in turn, up to the first thing that is neither.

    Examples
    --------
    >>> [(m.unit.metric, m.value) for m in read_measures(["2.5", "MB/s", "64", "B/op"]).found]
    [('processing_rate', 2500000.0), ('bytes_per_op', 64.0)]
    """
    measures = Measures()
    if not words:
        measures.problem = "no measurement follows the iteration count"
    for place in range(0, len(words), 2):
        number = words[place]
        decimals = _count_decimals(number)
        if decimals is None and _NOT_FINITE.fullmatch(number) is None:
            measures.problem = f"{number[:40]!r} stands where a number is expected"
            break
        if place + 1 == len(words):
            measures.problem = f"the number {number[:40]} has no unit"
            break
        unit = read_unit(words[place + 1])
        if unit is None:
            measures.problem = f"{words[place + 1][:40]!r} stands where a unit is expected"
            break
        value = float(number) * unit.factor
        if decimals is not None and isfinite(value):
            measures.found.append(Measure(unit, value, unit.step(decimals)))
        else:
            measures.not_finite.append(f"{number} {words[place + 1]}")
    return measures


def _count_decimals(number: str) -> int | None:
    """Return how many decimals a text has, less its exponent; None if it is not a number."""
    if number.isascii() and number.isdecimal():
        return 0
    match = _NUMBER.fullmatch(number)
    return len(match[1] or match[2] or "") - int(match[3] or 0) if match else None

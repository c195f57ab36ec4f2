"""Cells of numbers in one unit, down a column."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.tables.model import Cell, Column
from benchkit.tables.wording import NOTHING
from benchkit.units import Scale, common_scale, format_number, format_percent

_MINUS = "\N{MINUS SIGN}"


def scale_of(values: Sequence[float | None], unit: str) -> Scale:
    """Choose one scale for a column."""
    return common_scale([value for value in values if value is not None], unit)


def column(key: str, header: str, scale: Scale | None = None) -> Column:
    """Return a column of numbers that says its scale."""
    return Column(key, header, scale.label if scale else "", "right")


def amount(value: float | None, scale: Scale, *, signed: bool = False, digits: int = 3) -> Cell:
    """Write a value in the scale of its column; a difference with its sign.

    Examples
    --------
    >>> amount(0.0000148, Scale(1e-6, "µs"), signed=True).text
    '+14.8'
    """
    if value is None:
        return Cell(NOTHING)
    text = format_number(value / scale.factor, digits)
    return Cell(f"+{text}" if signed and value > 0 else text, value)


def count(value: float | None) -> Cell:
    """Write a count: whole."""
    return Cell(NOTHING) if value is None else Cell(format_number(float(round(value)), 1), value)


def percent(fraction: float | None, limits: Sequence[float] = (), *, signed: bool = False) -> Cell:
    """Write a share, never rounded across a limit.

    Examples
    --------
    >>> percent(0.7829).text.replace("\N{NO-BREAK SPACE}", " ")
    '78.3 %'
    """
    if fraction is None:
        return Cell(NOTHING)
    text = format_percent(fraction, limits)
    return Cell(text if signed else text.lstrip("+±"), fraction)

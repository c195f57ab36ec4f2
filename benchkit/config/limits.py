"""The maximum cost of a change: per cent, percentage points, a factor, or an amount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchkit.errors import ConfigError
from benchkit.regexes import regex
from benchkit.units import parse_bytes, parse_time

Kind = Literal["percent", "points", "factor", "absolute"]

_LIMIT = regex(r"(\+?)\s*+(\d++(?:\.\d*+)?|\.\d++)\s*+(.*)")
_POINTS = {"pp", "points", "percentage points"}
_FACTORS = {"x", "\N{MULTIPLICATION SIGN}"}
_HINT = 'use "5%", "2pp" (percentage points), "1.1x", or an amount: "0.5 ms", "+8 KiB", "+2"'


@dataclass(frozen=True, slots=True)
class Limit:
    """The maximum cost of a change.

    Parameters
    ----------
    kind : {'percent', 'points', 'factor', 'absolute'}
    value : float
        Percent and points as fractions (0.05 for 5 %), a factor from 1 on, an amount in ``unit``.
        Not negative.
    unit : str
        The base unit of an amount; ``1`` for points and counts, empty for shares and factors.
    text : str
        As written.
    """

    kind: Kind
    value: float
    unit: str
    text: str

    @property
    def is_relative(self) -> bool:
        """Whether it is a share of the baseline."""
        return self.kind in {"percent", "factor"}

    @property
    def share(self) -> float:
        """The relative increase that a limit allows: 0.1 for ``10%`` and for ``1.1x``."""
        return self.value - 1 if self.kind == "factor" else self.value


def parse_limit(limit: object, where: str) -> Limit:
    """Parse a limit.

    Parameters
    ----------
    limit : str or 0
        A text with its unit; KB are 1,000 bytes and KiB 1,024; a number without a unit is a count
        and has a sign, ``+2``.
    where : str
        For the error.

    Raises
    ------
    ConfigError
        If it is invalid or negative.

    Examples
    --------
    >>> parse_limit("5%", "x").value, parse_limit("2pp", "x").value
    (0.05, 0.02)
    >>> parse_limit("+8 KiB", "x").value, parse_limit("0.5 ms", "x").value
    (8192.0, 0.0005)
    >>> round(parse_limit("1.1x", "x").share, 6)
    0.1
    """
    if limit == 0 and not isinstance(limit, bool):
        limit = "0%"
    match = _LIMIT.fullmatch(limit.strip()) if isinstance(limit, str) else None
    if match is None:
        raise ConfigError(f"{limit!r} is not a limit", where=where, hint=_HINT)
    sign, number, unit = match.groups()
    text = str(limit).strip()
    if unit == "%":
        return Limit("percent", float(number) / 100, "", text)
    if unit in _POINTS:
        return Limit("points", float(number) / 100, "1", text)
    if unit in _FACTORS:
        if float(number) < 1:
            hint = "a factor is a multiple of the baseline's cost: 1.1x allows 10 % more"
            raise ConfigError(f"{text!r} is below 1", where=where, hint=hint)
        return Limit("factor", float(number), "", text)
    if not unit and (sign or float(number) == 0):
        return Limit("absolute", float(number), "1", text)
    return _amount(number, unit, text, where)


def _amount(number: str, unit: str, text: str, where: str) -> Limit:
    if unit == "cores" or unit in {"/s", "1/s"}:
        return Limit("absolute", float(number), unit if unit == "cores" else "1/s", text)
    try:
        if unit.removesuffix("/s").endswith(("B", "bytes")):
            amount = parse_bytes(f"{number}{unit.removesuffix('/s')}", binary=False).value
            return Limit("absolute", amount, "B/s" if unit.endswith("/s") else "B", text)
        return Limit("absolute", parse_time(f"{number}{unit}").value, "s", text)
    except ValueError as error:
        raise ConfigError(f"{text!r} is not a limit", where=where, hint=_HINT) from error

"""Numbers as Go reads and writes them.

Go accepts underscores and hexadecimal floats, and writes 1e+06 where Python writes 1000000.0.
"""

from __future__ import annotations

from decimal import Decimal
from math import copysign, inf, isinf, isnan, nan

from benchkit.regexes import regex

_SYNTAX = "invalid syntax"
_RANGE = "value out of range"
_INTEGER = regex(r"[+-]?[0-9]+")
_DECIMAL = regex(r"[+-]?[0-9_.]+(?:[eE][+-]?[0-9_]+)?")
_HEXADECIMAL = regex(r"[+-]?0[xX](?=_?[0-9a-fA-F.])[0-9a-fA-F_.]*[pP][+-]?[0-9_]+")
#: An underscore must be between digits, or between 0x and a digit.
_BAD_UNDERSCORE = regex(r"(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])")
_SPECIAL = {
    "nan": nan, "inf": inf, "+inf": inf, "-inf": -inf,
    "infinity": inf, "+infinity": inf, "-infinity": -inf,
}  # fmt: skip


def parse_int(text: str) -> int:
    """Read a 64-bit integer like strconv.Atoi; ValueError has Go's message.

    Examples
    --------
    >>> parse_int("+12")
    12
    >>> parse_int("1e3")
    Traceback (most recent call last):
    ValueError: invalid syntax
    """
    if not _INTEGER.fullmatch(text):
        raise ValueError(_SYNTAX)
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > 19 or not -(2**63) <= int(text) < 2**63:
        raise ValueError(_RANGE)
    return int(text)


def parse_float(text: str) -> float:
    """Read a float like benchfmt's copy of strconv.ParseFloat; ValueError has Go's message.

    Examples
    --------
    >>> parse_float("1_520.5"), parse_float("0x1p-2"), parse_float("+Inf")
    (1520.5, 0.25, inf)
    >>> parse_float("1e999")
    Traceback (most recent call last):
    ValueError: value out of range
    """
    if text.isascii() and text.lower() in _SPECIAL:
        return _SPECIAL[text.lower()]
    if _HEXADECIMAL.fullmatch(text) and not _BAD_UNDERSCORE.search(text):
        return _parse_hexadecimal(text.replace("_", ""))
    if not _DECIMAL.fullmatch(text):
        raise ValueError(_SYNTAX)
    try:
        value = float(text)
    except ValueError:
        raise ValueError(_SYNTAX) from None
    if isinf(value):
        raise ValueError(_RANGE)
    return value


def _parse_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        raise ValueError(_RANGE) from None
    except ValueError:
        raise ValueError(_SYNTAX) from None


def write_float(value: float) -> str:
    """Write a float as Go's ``%v``: shortest digits, an exponent below 1e-4 and from 1e+06 on.

    Examples
    --------
    >>> [write_float(value) for value in (52.0, 1e5, 1234567.0, 1.52e-06, -0.0)]
    ['52', '100000', '1.234567e+06', '1.52e-06', '-0']
    """
    if isnan(value) or isinf(value):
        return _write_special(value)
    if value == 0:
        return "-0" if copysign(1, value) < 0 else "0"
    number = Decimal(repr(value))
    exponent = number.adjusted()
    if -4 <= exponent < 6:
        text = f"{number:f}"
        return text.removesuffix(".0")
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{'-' * (value < 0)}{mantissa}e{exponent:+03d}"


def write_fixed(value: float, digits: int, *, signed: bool = False) -> str:
    """Write a float as Go's ``%.2f``, or ``%+.2f`` if signed.

    Examples
    --------
    >>> write_fixed(-1.456, 2, signed=True), write_fixed(float("inf"), 0)
    ('-1.46', '+Inf')
    """
    if isnan(value):
        return "+NaN" if signed else "NaN"
    if isinf(value):
        return _write_special(value)
    return f"{value:{'+' if signed else ''}.{digits}f}"


def _write_special(value: float) -> str:
    if isnan(value):
        return "NaN"
    return "+Inf" if value > 0 else "-Inf"

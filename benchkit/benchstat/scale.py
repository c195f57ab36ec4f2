"""Numbers of a text table: three significant digits and a prefix (benchunit/scale.go)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchkit.benchstat.numbers import write_fixed
from benchkit.benchstat.units import is_binary

#: From which share of a factor on one, two or three digits stand behind the point: what is smaller
#: would be rounded up to one digit more.
_ROUNDED = ((1, "99.995"), (2, "9.9995"), (3, ".99995"))
_DECIMAL = tuple(zip(range(12, -10, -3), ("T", "G", "M", "k", "", "m", "µ", "n"), strict=True))
_BINARY = tuple(zip(range(40, -10, -10), ("Ti", "Gi", "Mi", "Ki", ""), strict=True))
#: Digits behind the point below the smallest prefix.
_MOST_DIGITS = 10


class Scale(NamedTuple):
    """Digits behind the point, the value of one prefix, and the prefix."""

    digits: int
    factor: float
    prefix: str

    def write(self, value: float) -> str:
        """Write a number without its unit."""
        return write_fixed(value / self.factor, self.digits) + self.prefix


def find_scale(values: Iterable[float], unit: str) -> Scale:
    """Return the scale of the value closest to 0 that is not 0.

    Examples
    --------
    >>> find_scale([1.5e-6, 2e-3], "sec/op").write(2e-3), find_scale([5000], "B/op").write(5000)
    ('2000.000µ', '4.883Ki')
    """
    least = min((abs(value) for value in values if value), default=0.0)
    if not least:
        return Scale(3, 1, "")
    binary = is_binary(unit)
    factor, prefix = 1.0, ""
    for exponent, prefix in _BINARY if binary else _DECIMAL:
        factor = 2.0**exponent if binary else float(f"1e{exponent}")
        for digits, share in _ROUNDED:
            bound = float(share) * factor if binary else float(f"{share}e{exponent}")
            if least >= bound:
                return Scale(digits, factor, prefix)
    shown = least / factor
    digits = 3
    while digits < _MOST_DIGITS and not shown >= float(f"9.9995e{2 - digits}"):
        digits += 1
    return Scale(digits, factor, prefix)

"""Units as people write them into tables, and the base units that they are multiples of."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from benchkit.units import scale

_TIMES = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms", "msec", "millis", "millisecond", "milliseconds"),
    "us": ("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"),
    "ns": ("ns", "nsec", "nanos", "nanosecond", "nanoseconds"),
}
_EXPONENTS = {"s": 0, "ms": -3, "us": -6, "ns": -9}
_OPERATIONS = ("req", "reqs", "request", "requests", "op", "ops", "query", "queries", "")
_RATES = {"rps", "qps", "tps", "ops", "hz", "iops"}
_COUNTS = {"", "1", "count", "ratio", "share"}
_DECIMAL = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12}
_BINARY = {"ki": 10, "mi": 20, "gi": 30, "ti": 40}


class Unit(NamedTuple):
    """A unit as so many of its base unit: ten to ``exponent``, times ``factor``."""

    base: str
    exponent: int = 0
    factor: Fraction = Fraction(1)

    def convert(self, number: str) -> float:
        """Return a decimal text in the base unit, rounded once where the factor is 1."""
        value = scale(number, self.exponent)
        return value if self.factor == 1 else float(Fraction(value) * self.factor)


_SINGLE = {
    "%": Unit("1", -2),
    **dict.fromkeys(_COUNTS, Unit("1")),
    **dict.fromkeys(("core", "cores"), Unit("cores")),
    **dict.fromkeys(("min", "minute", "minutes"), Unit("s", factor=Fraction(60))),
    **dict.fromkeys(("h", "hour", "hours"), Unit("s", factor=Fraction(3600))),
}


@lru_cache(maxsize=1 << 10)
def find_unit(text: str) -> Unit:
    """Return what a unit means; an unknown one is its own base.

    Examples
    --------
    >>> find_unit("ms").convert("12.5"), find_unit("req/s").base, find_unit("widgets").base
    (0.0125, '1/s', 'widgets')
    >>> find_unit("KiB").convert("2"), find_unit("MB/s")
    (2048.0, Unit(base='B/s', exponent=6, factor=Fraction(1, 1)))
    """
    word = text.strip()
    lower = word.lower()
    if lower in _SINGLE:
        return _SINGLE[lower]
    time = lower.removesuffix("/op").removesuffix("/iter")
    for name, known in _TIMES.items():
        if time in known:
            return Unit("s", _EXPONENTS[name])
    above, slash, below = lower.partition("/")
    if lower in _RATES or (slash and below in _TIMES["s"] and above in {*_OPERATIONS, "1"}):
        return Unit("1/s")
    if slash and below not in {*_TIMES["s"], "op"}:
        return Unit(word)
    return _find_bytes(above, "B/s" if below in _TIMES["s"] else "B") or Unit(word)


def _find_bytes(word: str, base: str) -> Unit | None:
    """Return a unit of data; ``kB`` is 1,000 bytes and ``KiB`` 1,024."""
    prefix = word.removesuffix("bytes").removesuffix("byte").removesuffix("b")
    if prefix == word:
        return None
    if prefix in _DECIMAL:
        return Unit(base, _DECIMAL[prefix])
    return Unit(base, factor=Fraction(1 << _BINARY[prefix])) if prefix in _BINARY else None

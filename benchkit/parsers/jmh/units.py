"""The observation for a JMH score, by its unit and its profiler or method."""

from __future__ import annotations

from typing import NamedTuple

from benchkit.metrics import VOCABULARY
from benchkit.regexes import regex
from benchkit.units import scale

#: Powers of ten of a second, and the seconds of longer units.
_EXPONENT = {"ns": -9, "us": -6, "ms": -3, "s": 0}
_LONG = {"min": 60.0, "hr": 3600.0, "day": 86400.0}
TIMES = "|".join((*_EXPONENT, *_LONG))
_UNIT = regex(rf"({TIMES})/op|ops/({TIMES})")
#: Units of profilers: sums over all iterations, and amounts of memory in powers of 1,024.
_COUNTS = frozenset({"counts", "#"})
_SIZES = ("", "K", "M", "G")
_AMOUNT = regex(r"([KMG]?)B(/sec|/op)?")
_ALLOCATED = "gc.alloc.rate.norm"


class _Scale(NamedTuple):
    """The observation for a score with a unit."""

    metric: str
    unit: str
    exponent: int = 0
    factor: float = 1.0
    stat: str = ""  # set if the score is a sum over all iterations

    @property
    def is_profilers(self) -> bool:
        """Return whether a profiler measured it, and not the benchmark."""
        return self.metric not in {"time_per_op", "operation_rate"}

    def apply(self, score: float) -> float:
        """Return a score in the base unit."""
        return scale(repr(score), self.exponent) * self.factor


def find_scale(unit: object, part: str = "") -> _Scale | None:
    """Return the observation for a score by its unit, and by its profiler or method.

    Examples
    --------
    >>> find_scale("ops/ms").apply(2.0), find_scale("us/op").apply(2.0)
    (2000.0, 2e-06)
    """
    match = _UNIT.fullmatch(unit) if isinstance(unit, str) else None
    if match is None:
        return _find_profilers(unit, part) if part and isinstance(unit, str) else None
    time, rate = match.groups()
    if time:
        return _Scale("time_per_op", "s", _EXPONENT.get(time, 0), _LONG.get(time, 1.0))
    return _Scale("operation_rate", "1/s", -_EXPONENT.get(rate, 0), 1 / _LONG.get(rate, 1.0))


def _find_profilers(unit: str, part: str) -> _Scale | None:
    """Return the observation for a profiler's score; None if it is text.

    Examples
    --------
    >>> _find_profilers("MB/sec", "gc.alloc.rate").apply(1.0), _find_profilers("---", "asm")
    (1048576.0, None)
    """
    if part == _ALLOCATED:
        return _Scale("bytes_per_op", "B") if unit == "B/op" else None
    part = f"jmh.{part}" if part in VOCABULARY else part  # a user-defined counter
    if unit in _EXPONENT:
        return _Scale(part, "s", _EXPONENT[unit], stat="total")
    if unit in _COUNTS:
        return _Scale(part, "1", stat="count")
    amount = _AMOUNT.fullmatch(unit)
    if amount is None:
        return _Scale(part, "1") if regex(r".*[\w#].*").fullmatch(unit) else None
    size, per = amount.groups()
    return _Scale(part, "B/s" if per == "/sec" else "B", factor=1024.0 ** _SIZES.index(size))

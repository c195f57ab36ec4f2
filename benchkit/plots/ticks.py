"""Where the ticks of an axis stand and what they say.

Readers compare with round numbers in the units of the tables, 1-2-5 on a logarithmic axis and per
cent on an axis of changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchkit.plots.chart import Tick
from benchkit.units import format_change, format_number, format_percent

#: As many ticks as fit before their texts meet.
_MOST = 8
_SMALL = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_LARGE = (1.1, 1.25, 1.5, 1.75, 2, 3, 4, 5, 10, 20, 50, 100, 1000, 10000)
#: Within a decade, the first that suit: 1-2-5, more where too few fit, fewer where too many.
_STEPS = ((1, 2, 5), (1, 2, 3, 4, 5, 6, 8), (1,))
_FEWEST = 3


def ratio_ticks(low: float, high: float) -> tuple[Tick, ...]:
    r"""Return ticks for an axis of logarithms of ratios, as signed changes.

    Examples
    --------
    >>> [text.replace("\xa0", " ") for _, text in ratio_ticks(-0.2, 2.5)]
    ['0', '+50 %', '3×', '5×', '10×']
    """
    ticks = [(0.0, "0")]
    for ratios in (_SMALL[::-1], _LARGE):
        last = 0.0
        for place, ratio in ((math.log(ratio), ratio) for ratio in ratios):
            if low <= place <= high and abs(place - last) >= (high - low) / _MOST:
                ticks.append((place, shorten(format_change(ratio))))
                last = place
    return tuple(ticks)


def write_percent(change: float) -> str:
    """Write a tick of a linear axis of changes: ``−15 %``, ``0``."""
    return "0" if round(change, 9) == 0 else shorten(format_percent(change))


def shorten(text: str) -> str:
    """Leave out decimals that are zero: ``−15 %``, ``2×``."""
    return re.sub(r"\.0+(?=\D|$)", "", text)


def write_tick(value: float, digits: int = 3) -> str:
    """Write a tick of a linear axis of values: ``0.5``, ``25``.

    Examples
    --------
    >>> write_tick(25.0), write_tick(0.5)
    ('25', '0.5')
    """
    text = format_number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_of(places: Sequence[float]) -> int:
    """Return how many significant digits tell ticks apart, at least 3.

    Examples
    --------
    >>> digits_of([0.0, 10.0, 20.0]), digits_of([150.5, 151.0, 151.5])
    (3, 4)
    """
    steps = [abs(b - a) for a, b in pairwise(places)]
    largest, least = max(map(abs, places), default=0.0), min(steps, default=0.0)
    if not (largest > 0 and least > 0):
        return 3
    return max(3, math.floor(math.log10(largest)) - math.floor(math.log10(least * 1.0001)) + 1)


def log_ticks(values: Iterable[float]) -> tuple[Tick, ...]:
    """Return 1-2-5 ticks for a logarithmic axis that holds the values; even ones for near ends.

    Examples
    --------
    >>> [text for _, text in log_ticks([0.3, 40])]
    ['0.5', '1', '2', '5', '10', '20']
    >>> [text for _, text in log_ticks([120, 290])]
    ['150', '200', '250']
    """
    positive = [value for value in values if value > 0]
    if not positive:
        return ()
    low, high = min(positive), max(positive)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in _STEPS:
        inside = [s * 10.0**power for power in powers for s in steps]
        inside = [place for place in inside if low <= place <= high]
        if _FEWEST <= len(inside) <= _MOST:
            return tuple((place, write_tick(place)) for place in inside)
    return _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Return ticks at equal distances, for ends that are too near for powers of ten."""
    if not high > low:
        return ((low, write_tick(low)),)
    decade = 10.0 ** math.floor(math.log10(high - low))
    for step in (decade * part for part in (1, 0.5, 0.2, 0.1)):
        inside = [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        if len(inside) >= _FEWEST:
            break
    digits = digits_of(inside)
    return tuple((place, write_tick(place, digits)) for place in inside)

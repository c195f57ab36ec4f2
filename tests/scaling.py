"""How the time of some work grows with its input, independent of the machine's speed."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

Made = TypeVar("Made")
#: Linear work takes 4 times as long for 4 times the input, quadratic work 16 times.
LIMIT = 9
#: Seconds below which the work counts as fast, since clocks give no reliable ratio there.
FLOOR = 0.1


def assert_linear(make: Callable[[int], Made], work: Callable[[Made], object], size: int) -> None:
    """Fail if the work on ``size`` takes nine times as long as on a quarter of it.

    It is measured up to four times: another process may take a core during any of them.
    """
    small, large = make(size // 4), make(size)
    ratios = list[float]()
    while len(ratios) < 4:
        quarter, full = _measure(work, small), _measure(work, large)
        if full < FLOOR or full < LIMIT * quarter:
            return
        ratios.append(full / quarter)
    raise AssertionError(f"4 times the input takes {min(ratios):.1f} times as long, or more")


def _measure(work: Callable[[Made], object], made: Made) -> float:
    start = process_time()
    work(made)
    return process_time() - start

"""How the time of a piece of work grows with its input, which no machine's speed changes."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

Made = TypeVar("Made")
#: Linear work takes 4 times as long for 4 times the input, quadratic work 16 times.
LIMIT = 9
#: Seconds below which the work counts as fast: a clock tells no ratio there.
FLOOR = 0.1


def assert_linear(make: Callable[[int], Made], work: Callable[[Made], object], size: int) -> None:
    """Fail where the work on ``size`` takes nine times as long as on a quarter of it.

    It is measured up to four times: another process may take a core from any one of them.
    """
    small, large = make(size // 4), make(size)
    ratios = list[float]()
    while len(ratios) < 4:
        quarter, whole = _measure(work, small), _measure(work, large)
        if whole < FLOOR or whole < LIMIT * quarter:
            return
        ratios.append(whole / quarter)
    raise AssertionError(f"4 times the input takes {min(ratios):.1f} times as long, or more")


def _measure(work: Callable[[Made], object], made: Made) -> float:
    start = process_time()
    work(made)
    return process_time() - start

"""What makes this machine noisy, the remedies, and how much equal runs vary on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from benchkit.doctor.checks import CHECKS, Check, Machine, Readings
from benchkit.doctor.spin import Noise, measure_blocks, summarise_blocks

__all__ = ["Check", "Examination", "Machine", "Noise", "examine"]

#: Seconds for which the load of other programs is observed.
_WATCHED = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The checks of a machine, and its measured noise."""

    noise: Noise | None
    checks: tuple[Check, ...]


def examine(
    machine: Machine,
    seconds: float,
    *,
    pause: Callable[[float], None] = time.sleep,
    measure: Callable[[float], tuple[float, ...]] = measure_blocks,
) -> Examination:
    """Observe other programs for a second, time equal blocks of work, and check the machine.

    Parameters
    ----------
    seconds : float
        How long to measure; 0 skips it.
    pause, measure : callable
        How to wait, and how to measure.
    """
    start = machine.count()
    pause(_WATCHED)
    idle = machine.count()
    blocks = measure(seconds) if seconds else ()
    readings = Readings(machine=machine, start=start, idle=idle, end=machine.count())
    return Examination(
        noise=summarise_blocks(blocks) if blocks else None,
        checks=tuple(check(readings) for check in CHECKS),
    )

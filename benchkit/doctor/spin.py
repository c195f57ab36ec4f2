"""A fixed amount of work, done again and again: how far it differs is the noise of the machine."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat

#: Blocks of work, and the fewest where the machine turns out to be slower than at the start.
BLOCKS, FEWEST = 20, 8
#: Runs per side that a comparison is promised for.
RUNS = 8
#: Largest spread of the grades A to D.
_SPREADS = (0.005, 0.01, 0.02, 0.05)
_GRADES = "ABCDE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How far equal blocks of work differ.

    Parameters
    ----------
    grade : str
    spread : float
        Coefficient of variation of the blocks, without outlying ones.
    detectable : float
        The smallest change that 8 runs per side of the length of a block usually show.
    outliers : int
        Blocks that are left out.
    durations : tuple of float
        Of all blocks, in seconds.
    """

    grade: str
    spread: float
    detectable: float
    outliers: int
    durations: tuple[float, ...]


def grade(spread: float) -> str:
    """Return the grade of a machine on which runs vary so much.

    Examples
    --------
    >>> grade(0.004), grade(0.01), grade(0.3)
    ('A', 'B', 'E')
    """
    return _GRADES[bisect_left(_SPREADS, spread)]


def summarise_blocks(durations: Sequence[float]) -> Noise:
    """Measure the spread of blocks as `plan` does that of runs."""
    from benchkit.stats.outliers import find_outliers
    from benchkit.stats.samplesize import smallest_effect
    from benchkit.stats.spread import measure_spread

    far = find_outliers([math.log(each) for each in durations]).tolist()
    kept = [each for each, is_far in zip(durations, far, strict=True) if not is_far]
    spread = measure_spread(kept).cv
    return Noise(
        grade=grade(spread),
        spread=spread,
        detectable=smallest_effect(spread, RUNS),
        outliers=sum(far),
        durations=tuple(durations),
    )


def measure_blocks(
    seconds: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, ...]:
    """Do the same work in blocks for so many seconds, and return how long each block took."""
    length = seconds / (BLOCKS + 1)
    rounds = _fit_rounds(length, clock)
    deadline = clock() + 2 * seconds
    blocks: list[float] = []
    while len(blocks) < BLOCKS and (len(blocks) < FEWEST or clock() < deadline):
        blocks.append(_time(rounds, clock))
    return tuple(blocks)


def _fit_rounds(length: float, clock: Callable[[], float]) -> int:
    """Return the rounds that fill a block, from a trial of at least half of it."""
    rounds, taken = 1, 0.0
    while taken < length / 2:
        rounds *= 2
        taken = _time(rounds, clock)
    return max(1, round(rounds * length / taken))


def _time(rounds: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in repeat(None, rounds):
        pass
    return clock() - start

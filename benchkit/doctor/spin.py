"""A fixed amount of work, repeated: its variation is the noise of the machine.

Each repetition is a separate process, like a run of a benchmark, so variation between processes
counts, too.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchkit.doctor import work
from benchkit.errors import DataError

#: Number of blocks, and the minimum if the machine becomes slower after the start.
BLOCKS, FEWEST = 20, 8
#: Runs per side for which a detectable change is reported.
RUNS = 8
#: Outlying blocks that a passing disturbance explains; more of them are noise of the machine.
_CHANCE = 1
#: Largest spreads of the grades A to E, each twice as large as the one before.
_SPREADS = (0.005, 0.01, 0.02, 0.04, 0.08)
_GRADES = "ABCDEF"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How much equal blocks of work differ.

    Parameters
    ----------
    spread : float
        Coefficient of variation of the blocks, without a single outlier.
    detectable : float
        The smallest change that 8 runs per side, as long as a block, would usually detect.
    outliers : int
        Number of blocks that are left out.
    durations : tuple of float
        Those of all blocks, in seconds.
    """

    grade: str
    spread: float
    detectable: float
    outliers: int
    durations: tuple[float, ...]


def grade(spread: float) -> str:
    """Return the grade of a machine with this spread between runs.

    Examples
    --------
    >>> grade(0.004), grade(0.01), grade(0.3)
    ('A', 'B', 'F')
    """
    return _GRADES[bisect_left(_SPREADS, spread)]


def summarise_blocks(durations: Sequence[float]) -> Noise:
    """Measure the spread of blocks like `plan` measures that of runs."""
    from benchkit.stats.outliers import find_outliers
    from benchkit.stats.samplesize import smallest_effect
    from benchkit.stats.spread import measure_spread

    far = find_outliers([math.log(each) for each in durations]).tolist()
    if sum(far) > _CHANCE:
        far = [False] * len(far)
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
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
    measure: Callable[[int], float] | None = None,
) -> tuple[float, ...]:
    """Repeat the same work in blocks for some seconds, and return the time of each block.

    ``measure`` runs a number of rounds, and returns their time.
    """
    measure = measure or time_work
    length = seconds / (BLOCKS + 1)
    rounds = _fit_rounds(length, measure)
    deadline = clock() + 3 * seconds
    blocks: list[float] = []
    while len(blocks) < BLOCKS and (len(blocks) < FEWEST or clock() < deadline):
        blocks.append(measure(rounds))
    return tuple(blocks)


def _fit_rounds(length: float, measure: Callable[[int], float]) -> int:
    """Return the rounds that fill a block, from a trial of at least half of it."""
    rounds, taken = 1, 0.0
    while taken < length / 2:
        rounds *= 2
        taken = measure(rounds)
    return max(1, round(rounds * length / taken))


def time_work(rounds: int) -> float:
    """Return the time that a number of rounds takes in a separate process."""
    command = [sys.executable, "-I", "-S", work.__file__, str(rounds)]
    done = subprocess.run(  # noqa: S603 - no shell, and this interpreter
        command, capture_output=True, check=False
    )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DataError(
            f"the timed work failed: {last}", hint="omit it with benchkit doctor --seconds 0"
        )
    return float(done.stdout)

"""How often `benchkit bisect` names the right commit of 64, by noise of runs and builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchkit.bisect.search import Answer, Limits, Row, Values, search

ROW = Row("", "Get", "", "", "time_per_op", "sample")


@dataclass(frozen=True, slots=True)
class Bisection:
    """A history of 64 commits: the number of commits that change the level, and the noises.

    Parameters
    ----------
    changes : int
    step, noise, offset : float
        Of a change, of one run, and of each build, as logarithms.
    slow : float
        Share of runs that are 15 % slower.
    """

    changes: int = 1
    step: float = 0.05
    noise: float = 0.02
    offset: float = 0.0
    slow: float = 0.0


BISECTIONS = (
    Bisection(),
    Bisection(offset=0.01),
    Bisection(offset=0.02),
    Bisection(step=0.03),
    Bisection(step=0.1),
    Bisection(step=0.3, offset=0.02),
    Bisection(slow=0.05),
    Bisection(changes=2),
    Bisection(changes=0),
    Bisection(changes=0, offset=0.02),
)
_LAST = 64


class Machine:
    """A `benchkit.bisect.search.Bench` with known levels."""

    def __init__(self, levels: Sequence[float], world: Bisection, rng: np.random.Generator) -> None:
        self._levels, self._world, self._rng = levels, world, rng
        self._runs: list[tuple[int, int, float]] = []
        self._rounds = 0

    def measure(self, commits: Sequence[int], rounds: int) -> bool:
        """Draw values."""
        for _ in range(rounds):
            self._rounds += 1
            for commit in commits:
                slow = 0.15 * (self._rng.random() < self._world.slow)
                level = self._levels[commit] + slow + self._rng.normal(0.0, self._world.noise)
                self._runs.append((self._rounds, commit, float(np.exp(level))))
        return True

    def leave_out(self, commit: int, problem: str) -> None:
        """Print nothing."""

    def rows(self) -> Mapping[Row, Values]:
        """Return the drawn values."""
        return {ROW: Values(*map(list, zip(*self._runs, strict=True)))} if self._runs else {}


def try_one(world: Bisection, seed: int) -> tuple[str, Answer]:
    """Search one history; return the result: right, wrong, range, or how it ended."""
    rng = np.random.default_rng(seed)
    changes = {int(place) for place in rng.integers(1, _LAST + 1, world.changes)}
    places = np.arange(_LAST + 1)
    levels = rng.normal(0.0, world.offset, _LAST + 1)
    for change in changes:
        levels += np.where(places >= change, world.step, 0.0)
    answer = search(Machine(levels.tolist(), world, rng), _LAST, Limits())
    if answer.ending == "found":
        return ("right" if answer.first in changes else "wrong"), answer
    if answer.ending == "undecided":
        is_within = any(answer.first <= change <= answer.last for change in changes)
        return ("range" if is_within or not changes else "wrong"), answer
    return answer.ending, answer


def try_bisection(world: Bisection, sessions: int) -> dict[str, Any]:
    """Search many histories, and count the results."""
    results = [try_one(world, seed) for seed in range(sessions)]
    counts = Counter(ending for ending, _ in results)
    return {
        **asdict(world),
        "sessions": sessions,
        **{ending: count / sessions for ending, count in sorted(counts.items())},
        "builds": float(np.median([answer.builds for _, answer in results])),
        "made": float(np.median([answer.runs for _, answer in results])),
    }


def write_bisections(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the manual's table of searches."""
    endings = ("right", "range", "several", "no change", "builds differ", "wrong")
    heads = (
        "changes", "step", "run noise", "build noise", "right commit", "a range that contains it",
        "several", "no change shown", "builds differ as much", "wrong", "builds", "runs",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows:
        slow = f", {row['slow']:.0%} of runs 15 % slow".replace("%", " %", 1) if row["slow"] else ""
        cells = [
            f"{row['changes']}",
            f"{row['step'] * 100:g} %" if row["changes"] else "–",
            f"{row['noise'] * 100:g} %{slow}",
            f"{row['offset'] * 100:g} %",
            *(f"{row.get(ending, 0.0) * 100:.1f} %" for ending in endings),
            f"{row['builds']:g}",
            f"{row['made']:g}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)

"""Joint tests of many rows outside the grid: measured in rounds, and averaged over all.

Rows measured in rounds are decided by pairs of rounds or not at all, and the answer over all
benchmarks counts runs, however strongly the rows correlate.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import log, log1p
from typing import Any

import numpy as np

from benchkit.comparison.measure import measure
from benchkit.comparison.ranks import Ranks
from benchkit.stats.aligned import align
from benchkit.stats.families import Block, decide_family
from benchkit.stats.geomean import compare_together
from benchkit.stats.rank import smallest_pvalue
from benchkit.stats.rankrows import compare_rows
from simulation.trials import CONFIDENCE, judge_rows
from simulation.worlds import ROUNDS, SPREAD, FloatArray, describe

ALPHA = 0.05
#: How much rows differ in spread.
_ROWS_DIFFER = 0.5
SHAPES = ((3, 5), (3, 6), (3, 10), (5, 6), (5, 8))
RUNS = ((3, 3), (4, 4), (6, 6), (10, 10), (8, 4), (12, 4))


@dataclass(frozen=True)
class Rounds:
    """Rows judged together, measured in rounds, none of which changes.

    ``ratio`` is the spread of the variant, ``others`` that of the variants not compared, both as
    multiples of the baseline's; ``alike`` the share of a run's variance that all rows have in
    common.
    """

    name: str
    ratio: float = 1.0
    others: float = 1.0
    alike: float = 0.0


@dataclass(frozen=True)
class Together:
    """Benchmarks that are averaged, every second one of which changes by 5 %.

    ``alike`` and ``ratio`` as in `Rounds`; ``is_slow``: one run in ten is 20 % slow in all rows.
    """

    name: str
    alike: float = 0.0
    ratio: float = 1.0
    is_slow: bool = False


IN_ROUNDS = (
    Rounds("rows of their own"),
    Rounds("rows of the same runs (0.8 in common)", alike=0.8),
    Rounds("one side varies twice as much", ratio=2.0),
    Rounds("one side varies 6 times as much", ratio=6.0),
    Rounds("the other variants vary a fifth", others=0.2),
)
TOGETHER = (
    Together("20 rows of their own"),
    Together("20 rows of the same runs (0.8 in common)", alike=0.8),
    Together("20 rows, one side varies 3 times as much", ratio=3.0),
    Together("20 rows of the same runs, one side varies 6 times as much", alike=0.8, ratio=6.0),
    Together("20 rows of the same runs, 1 run in 10 is 20 % slow", alike=0.8, is_slow=True),
)


def try_rounds(setting: Rounds, sessions: int) -> list[dict[str, Any]]:
    """Return the share of sessions with a rejection, for 20 and 60 rows and every shape."""
    return [
        {
            **asdict(setting),
            "rows": rows,
            "shape": [variants, rounds],
            "sessions": sessions,
            "any": _try_shape(setting, rows, variants, rounds, sessions),
        }
        for rows in (20, 60)
        for variants, rounds in SHAPES
    ]


def _try_shape(setting: Rounds, rows: int, variants: int, rounds: int, sessions: int) -> float:
    rng = np.random.default_rng(zlib.crc32(repr((setting, rows, variants, rounds)).encode()))
    spreads = np.array([1.0, setting.ratio, *[setting.others] * (variants - 2)])
    rejected = 0
    for _ in range(sessions):
        logs = spreads * _draw(rng, setting.alike, (rows, rounds, variants))
        logs += rng.normal(0, ROUNDS, (1, rounds, 1))
        x, y = map(np.array, zip(*(align(table, 0, 1) for table in logs), strict=True))
        smallest = smallest_pvalue(rounds, rounds)
        block = Block(
            x=x,
            y=y,
            pvalue=compare_rows(x, y).pvalue,
            smallest=np.full(rows, smallest),
            resolution=np.zeros(rows),
            rounds="aligned",
        )
        (decision,) = decide_family([block], ALPHA)
        rejected += bool((decision.p_adjusted <= ALPHA).any())
    return rejected / sessions


def try_together(setting: Together, sessions: int) -> list[dict[str, Any]]:
    """Return how often the interval excludes zero where nothing changes, and covers a true change.

    And how often the simultaneous intervals of the rows cover all changes, in a fifth of sessions.
    """
    tried = []
    for n, m in RUNS:
        rng = np.random.default_rng(zlib.crc32(repr((setting, n, m)).encode()))
        change = np.where(np.arange(20) % 2, log1p(0.05), 0.0)[:, None]
        false = covered = at_once = 0
        for session in range(sessions):
            x, y = (_draw(rng, setting.alike, (20, runs)) for runs in (n, m))
            y *= setting.ratio
            if setting.is_slow:
                x, y = (side + log(1.2) * (rng.random(side.shape[1]) < 0.1) for side in (x, y))
            none, some = compare_together(x, y), compare_together(x, y + change)
            false += not none.low <= 0 <= none.high
            covered += bool(some.low <= change.mean() <= some.high)
            if session < _count_at_once(sessions):
                at_once += _cover(x, y + change, change[:, 0])
        rates = {
            "false": false / sessions,
            "covered": covered / sessions,
            "at_once": at_once / _count_at_once(sessions),
        }
        tried.append({**asdict(setting), "runs": [n, m], "sessions": sessions, **rates})
    return tried


def _count_at_once(sessions: int) -> int:
    return max(sessions // 5, 1)


def _cover(x: FloatArray, y: FloatArray, change: FloatArray) -> bool:
    """Return whether the simultaneous intervals of all rows cover their changes."""
    before, after = 100 * np.exp(x), 100 * np.exp(y)
    sides = [(tuple(a), tuple(b)) for a, b in zip(before.tolist(), after.tolist(), strict=True)]
    ranks = Ranks(sides, CONFIDENCE)
    rows = [(*pair, measure(*pair, "", CONFIDENCE, ranks=ranks)) for pair in sides]
    intervals = [row.simultaneous for row in judge_rows(rows).rows]
    return all(
        (low is None or low <= true) and (high is None or true <= high)
        for true, (low, high) in zip(np.exp(change).tolist(), intervals, strict=True)
    )


def _draw(rng: np.random.Generator, alike: float, shape: tuple[int, ...]) -> FloatArray:
    """Draw runs of rows that differ in spread, ``alike`` of which they have in common."""
    rows, *runs = shape
    scale = SPREAD * np.exp(_ROWS_DIFFER * rng.standard_normal((rows, *[1] * len(runs))))
    alone, common = rng.standard_normal(shape), rng.standard_normal((1, *runs))
    drawn: FloatArray = scale * (np.sqrt(1 - alike) * alone + np.sqrt(alike) * common)
    return drawn


def limit_of(cell: dict[str, Any]) -> float:
    """Return the largest false-alarm rate allowed for a cell, allowing for Monte Carlo error."""
    most = 0.08 if min(cell.get("runs", [9])) <= 3 else 0.065
    slack: float = 3 * (ALPHA * (1 - ALPHA) / cell["sessions"]) ** 0.5
    return most + slack


def write_lines(record: dict[str, Any]) -> Iterable[str]:
    """Write the lines of the manual's table: the worst over all numbers of runs, by setting."""
    for setting in IN_ROUNDS:
        cells = [cell for cell in record["rounds"] if cell["name"] == setting.name]
        kept = "holds" if all(c["any"] <= limit_of(c) for c in cells) else "**breaks**"
        shapes = ", ".join(f"{variants} × {rounds}" for variants, rounds in SHAPES)
        worst = _percent(max(c["any"] for c in cells))
        name = describe(f"20 and 60 {setting.name}" if setting.name[0] == "r" else setting.name)
        yield f"| family in rounds | {shapes} | {name} | {worst} | – | – | – | {kept} |"
    for average in TOGETHER:
        cells = [cell for cell in record["together"] if cell["name"] == average.name]
        kept = "holds" if all(_holds(c) for c in cells) else "**breaks**"
        runs = ", ".join(f"{n} + {m}" for n, m in RUNS)
        false, covered = max(c["false"] for c in cells), min(c["covered"] for c in cells)
        shares = f"{_percent(false)} | {_percent(covered)}"
        name = describe(average.name)
        yield f"| benchmarks together | {runs} | {name} | {shares} | – | – | {kept} |"
        covered = min(c["at_once"] for c in cells)
        kept = "holds" if all(c["at_once"] >= least_at_once(c) for c in cells) else "**breaks**"
        yield f"| intervals at once | {runs} | {name} | – | {_percent(covered)} | – | – | {kept} |"


def least_at_once(cell: dict[str, Any]) -> float:
    """Return the least share of sessions in which joint intervals must cover all changes."""
    sessions = _count_at_once(cell["sessions"])
    slack: float = 3 * (ALPHA * (1 - ALPHA) / sessions) ** 0.5
    return 0.935 - slack


def _holds(cell: dict[str, Any]) -> bool:
    return bool(max(cell["false"], 1 - cell["covered"]) <= limit_of(cell))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"

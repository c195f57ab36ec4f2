"""All cells of the suite, and the promise of each.

A single list states the promises; the reduced tests, the record and the manual's table all start
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from benchkit.comparison import ALIGNED, RANK, WELCH
from simulation.trials import CONFIDENCE, MARGIN, Cell, Family, Rates, try_cell, try_family
from simulation.worlds import (
    BLOCKS,
    DRIFT_APART,
    EXPONENTIAL,
    FOLLOWING_APART,
    HEAVY,
    HISTORIES,
    SIDES,
    SLOW,
    STARVED,
    STEADY,
    World,
)

ALPHA = 1 - CONFIDENCE
#: The method for one new run, if the package has it.
HISTORIC = "prediction"
#: True effects: none, a third of the margin, the margin both ways, and one to be detected.
EFFECTS = (0.0, 0.01, MARGIN, -MARGIN, 0.05)
#: Runs of the two sides, which select the method; and one new run against a history.
RUNS = ((2, 2), (3, 3), (3, 8), (4, 4), (5, 10), (6, 6), (10, 10), (20, 20))
HISTORY = ((8, 1), (12, 1), (20, 1), (40, 1))
#: Variants and rounds.
ROUNDS = ((2, 8), (2, 20), (3, 5), (3, 10), (3, 20), (5, 5), (5, 10), (5, 20))

FAMILIES = (
    Family("10 rows, none differs", 10, 0, 6, 0.0),
    Family("10 rows, half differ by 5 %", 10, 5, 10, 0.0),
    Family("10 rows of the same runs (0.8 in common)", 10, 0, 6, 0.8),
    Family("20 rows, exploratory, half differ by 5 %", 20, 10, 10, 0.5, primary=False),
)


@dataclass(frozen=True)
class Setting:
    """A world with its numbers of runs, and the results of one method in it."""

    world: World
    n: int
    m: int
    variants: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """Identifies the row."""
        return self.world.name, self.n, self.m, self.variants

    def cell(self, effect: float) -> Cell:
        """Return the cell with this true effect."""
        return Cell(self.world, self.n, self.m, effect, self.variants)


def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of the setting that a row belongs to."""
    return row["world"], *row["runs"], row["variants"]


def list_settings() -> tuple[Setting, ...]:
    """Return every world with every number of runs tried with it."""
    sides = [Setting(world, n, m) for world in SIDES for n, m in RUNS]
    history = [Setting(world, n, m) for world in HISTORIES for n, m in HISTORY]
    rounds = [Setting(world, n, n, variants) for world in BLOCKS for variants, n in ROUNDS]
    steady = [Setting(STEADY, n, n, variants) for variants, n in ROUNDS if variants > 2]
    return (*sides, *rounds, *steady, *history)


def try_setting(setting: Setting, often: int, seldom: int) -> dict[str, Any]:
    """Try one setting under every effect: many sessions if a promise is at stake, otherwise few."""
    cells = {
        effect: try_cell(
            setting.cell(effect), often if effect in {0.0, MARGIN, -MARGIN} else seldom
        )
        for effect in EFFECTS
    }
    return {
        "method": cells[0.0].method,
        "world": setting.world.name,
        "runs": [setting.n, setting.m],
        "variants": setting.variants,
        "effects": {f"{effect:g}": _plain(rates) for effect, rates in cells.items()},
    }


def _plain(rates: Rates) -> dict[str, float | int]:
    plain: dict[str, float | int] = {
        name: round(value, 5) if isinstance(value, float) else value
        for name, value in asdict(rates).items()
        if name != "method"
    }
    return plain


def try_families(sessions: int) -> list[dict[str, Any]]:
    """Try every family; empty for no sessions."""
    if not sessions:
        return []
    return [
        {"family": family.name, "sessions": sessions, "false": try_family(family, sessions)}
        for family in FAMILIES
    ]


def error(share: float, sessions: int) -> float:
    """Return three Monte Carlo errors."""
    return 3 * sqrt(share * (1 - share) / sessions)


@dataclass(frozen=True)
class Promise:
    """A promise about a row: the key of the share, and its bounds."""

    name: str
    effect: float
    low: float
    high: float
    read: Callable[[Mapping[str, float]], float]

    def share(self, row: Mapping[str, Any]) -> float:
        """Return the observed share."""
        return self.read(row["effects"][f"{self.effect:g}"])

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Return whether the share lies within the bounds, allowing for Monte Carlo error."""
        slack = error(ALPHA, row["effects"][f"{self.effect:g}"]["sessions"])
        return self.low - slack <= self.share(row) <= self.high + slack


PROMISES = (
    Promise("false alarms", 0.0, 0.0, ALPHA, lambda rates: rates["rejected"]),
    Promise("covers", 0.0, CONFIDENCE, 1.0, lambda rates: rates["covered"]),
    Promise("covers", MARGIN, CONFIDENCE, 1.0, lambda rates: rates["covered"]),
    Promise("equivalent", MARGIN, 0.0, ALPHA, lambda rates: rates["equivalent"]),
    Promise("equivalent", -MARGIN, 0.0, ALPHA, lambda rates: rates["equivalent"]),
)


def find_broken(row: Mapping[str, Any]) -> list[str]:
    """Name the promises that a row breaks."""
    return list(dict.fromkeys(p.name for p in PROMISES if not p.holds(row)))


_ORDER = (
    "the order of the runs looks like a change; B330 and B332 report it, alternating prevents it"
)
_UNLIKE = "a kind of run that is rare among the earlier ones lies outside their prediction"
_UNEVEN = (
    "with 3 runs on one side and many on the other, Welch's t rejects too often: use equal numbers"
)
_STEADY = "aligning assumes that variants vary about equally; `--blocks never` does not"
#: Why promises do not hold, by world and method; all others must hold.
BREAKS = {
    **{(DRIFT_APART.name, method): _ORDER for method in (RANK, WELCH, HISTORIC)},
    **{(FOLLOWING_APART.name, method): _ORDER for method in (RANK, WELCH)},
    **{(world.name, HISTORIC): _UNLIKE for world in (HEAVY, EXPONENTIAL, SLOW, STARVED)},
    (STEADY.name, ALIGNED): _STEADY,
}


def explain(row: Mapping[str, Any]) -> str:
    """Explain why a row may break promises; empty if it must not."""
    n, m = row["runs"]
    uneven = _UNEVEN if row["method"] == WELCH and n != m else ""
    return BREAKS.get((row["world"], row["method"]), uneven)

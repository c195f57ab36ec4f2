"""Input and output of every campaign."""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from random import Random

#: Logs the progress of a run.
LOG = logging.getLogger("soak")
_ROOT = Path(__file__).parents[2]
#: In the order of the table; each is a module here with ``TITLE`` and ``run``.
CAMPAIGNS = (
    *("inputs", "names", "kills", "growth", "disk"),
    *("damage", "writers", "sanitizers", "regexes"),
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The amount of work of a campaign.

    Parameters
    ----------
    folder : Path
        An empty folder that the campaign may fill.
    seconds : float
        No trial begins after these.
    seed : int
    scale : float
        The share of its full number of trials that a campaign aims at; 1 in a whole run.
    jobs : int
        Processes that may run trials at once.
    """

    folder: Path
    seconds: float = 600.0
    seed: int = 1
    scale: float = 1.0
    jobs: int = 1
    started: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Return whether the time is up."""
        return time.monotonic() - self.started > self.seconds

    def trials(self, full: int) -> int:
        """Scale a number of trials."""
        return max(1, round(full * self.scale))

    def some(self, names: Sequence[str]) -> list[str]:
        """Return all names, or a few of them in a short run."""
        count = max(2, round(len(names) * min(1.0, 10 * self.scale)))
        return self.random("some").sample(names, min(count, len(names)))

    def random(self, *names: object) -> Random:
        """Return a random generator that depends on the seed and on names."""
        return Random("/".join(map(ascii, (self.seed, *names))))  # noqa: S311 - to be repeatable


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a campaign.

    Parameters
    ----------
    trials : int
    losses : list of str
        One line for each trial in which a promise was broken, with how to have it again.
    figures : dict of str to number or str
        What was measured meanwhile.
    target : int
        The trials that the campaign aimed at; fewer are a loss of none, and the table says so.
    """

    trials: int
    losses: list[str] = field(default_factory=list)
    figures: dict[str, float | int | str] = field(default_factory=dict)
    target: int = 0


def title(name: str) -> str:
    """Return the title of a campaign in the table."""
    return str(import_module(f"soak.{name}").TITLE)


def seconds(name: str) -> float:
    """Return the time limit of a campaign in a whole run; together they take at most 45 minutes."""
    return float(import_module(f"soak.{name}").SECONDS)


def run(name: str, budget: Budget) -> Outcome:
    """Run one campaign; if it fails itself, that is a loss."""
    try:
        outcome: Outcome = import_module(f"soak.{name}").run(budget)
    except Exception:  # noqa: BLE001 - the others still have to run
        outcome = Outcome(0, [traceback.format_exc()])
    return replace(outcome, losses=[_leave_places(loss, budget.folder) for loss in outcome.losses])


def _leave_places(text: str, folder: Path) -> str:
    """Return a text in which no path reveals the machine on which it was written."""
    for place in sorted({folder, _ROOT, Path(sys.prefix), Path(sys.base_prefix)}, reverse=True):
        text = text.replace(f"{place}/", "")
    return text

"""What k6 tells on the terminal while it runs: scenarios, progress, the last state.

Only the console tells of the load that was offered, of the run's length and of iterations that
were cut off.

      scenarios: (100.00%) 1 scenario, 200 max VUs, 1m0s max duration (incl. graceful stop):
               * shorten: 500.00 iterations/s for 30s (maxVUs: 50-200, gracefulStop: 30s)
    …
    running (0m30.0s), 000/050 VUs, 15001 complete and 0 interrupted iterations
    shorten ✓ [ 100% ] 000/050 VUs  30s  500.00 iters/s

``✓`` ends a run, ``✗`` tells that it was broken off. Scenarios that start iterations at a rate
are an open load; looping or iteration-counting VUs are a closed one; both at once is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from benchkit.parsers.base import LoadModel, Reading
from benchkit.parsers.k6.words import Crossing
from benchkit.units import parse_duration

RUNNING = re.compile(
    r"running \((?P<elapsed>(?:\d{1,15}(?:\.\d+)?[hms])+)\), \d+/(?P<users>\d{1,9}) VUs, "
    r"(?P<complete>\d{1,15}) complete and (?P<interrupted>\d{1,15}) interrupted iterations"
)
_MARK = re.compile(r"\S\s+(?P<mark>[✓✗]) \[[-=>\s\d%]*\] ")
_RATE = re.compile(r"^[^:]+: (?P<ramping>Up to )?(?P<rate>\d{1,15}\.\d+) iterations/s for ")
_LOOPING = re.compile(
    r"^[^:]+: (?:(?:Up to )?\d+ looping VUs for "
    r"|\d+ iterations (?:shared among|for each of) \d+ VUs|Externally controlled)"
    r"|^vus: \d+, max: \d+$"
)
_CROSSED = re.compile(r"thresholds on metrics '(?P<names>[^']*)' have been crossed")
_ABORTED = re.compile(r"test run was aborted|level=error msg=\"(?:test aborted|context canceled)")


class _State(NamedTuple):
    elapsed: str
    users: int
    complete: float
    interrupted: float
    line: int


def _read_state(text: str, number: int) -> _State | None:
    running = RUNNING.search(text)
    if running is None:
        return None
    counts = (float(running["complete"]), float(running["interrupted"]))
    return _State(running["elapsed"], int(running["users"]), *counts, number)


@dataclass(slots=True)
class Console:
    """What the console told of one run.

    Parameters
    ----------
    rates : list of float or None
        Iterations per second of each open scenario; None where it varies.
    looping : int
        How many closed scenarios there are.
    state : tuple, optional
        The last ``running`` line.
    crossed : list of Crossing
        The metrics whose thresholds k6 reports as crossed.
    finished, aborted : bool
        Whether that line stands at the end of the run, and whether k6 was stopped early.
    """

    rates: list[float | None] = field(default_factory=list)
    looping: int = 0
    state: _State | None = None
    crossed: list[Crossing] = field(default_factory=list)
    finished: bool = False
    aborted: bool = False
    _marks: bool = False

    def hear(self, text: str, number: int) -> bool:
        """Take in a line; return whether it was one of the console's own."""
        if state := _read_state(text, number):
            self.state, self._marks, self.finished = state, True, False
            return True
        mark = _MARK.search(text) if self._marks else None
        if mark:
            self.finished = True
            self.aborted |= mark["mark"] == "✗"
            return True
        self._marks &= bool(text)
        if crossed := _CROSSED.search(text):
            self.crossed = [Crossing(number, name.strip()) for name in crossed["names"].split(",")]
            return True
        self.aborted |= _ABORTED.search(text) is not None
        return self._hear_scenario(text)

    def is_of_next(self, text: str) -> bool:
        """Tell whether a ``running`` line is the next run's: this one ended in another state."""
        state = self.state
        if state is None or not self.finished:
            return False
        return _read_state(text, state.line) not in (None, state)

    def _hear_scenario(self, text: str) -> bool:
        rate = _RATE.match(text)
        if rate:
            self.rates.append(None if rate["ramping"] else float(rate["rate"]))
            return True
        looping = _LOOPING.match(text) is not None
        self.looping += looping
        return looping

    @property
    def load_model(self) -> LoadModel:
        """Open, closed, or unknown where both kinds or none were told."""
        if bool(self.rates) == bool(self.looping):
            return "unknown"
        return "open" if self.rates else "closed"

    def describe(self, reading: Reading) -> None:
        """Fill in what a reading can know from the console alone."""
        reading.load_model = self.load_model
        if self.load_model == "open" and len(self.rates) == 1:
            reading.target_rate = self.rates[0]
        if self.aborted:
            reading.status = "partial"
        if self.state is not None and self.finished:
            self._count(reading, self.state)

    @staticmethod
    def _count(reading: Reading, state: _State) -> None:
        elapsed = parse_duration(state.elapsed)
        reading.duration = elapsed.value
        if reading.connections is None:
            reading.connections = state.users
        line = state.line
        reading.add("duration", "total", elapsed.value, "s", line, resolution=elapsed.resolution)
        if not any(row[:3] == (None, "iterations", "count") for row in reading.rows):
            reading.add("iterations", "count", state.complete, "1", line)
        reading.add("interrupted_iterations", "count", state.interrupted, "1", line)

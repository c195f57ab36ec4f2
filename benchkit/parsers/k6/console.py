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

from dataclasses import dataclass, field

from benchkit.parsers.base import Reading
from benchkit.parsers.k6.words import Crossing
from benchkit.regexes import regex
from benchkit.units import parse_duration

RUNNING = regex(
    r"running \(((?:\d{1,15}(?:\.\d+)?[hms])+)\), \d+/(\d{1,9}) VUs, "
    r"(\d{1,15}) complete and (\d{1,15}) interrupted iterations"
)
_MARK = regex(r"\S\s+(?P<mark>[✓✗]) \[[-=>\s\d%]*\] ")
_RATE = regex(r"^[^:]+: (?P<ramping>Up to )?(?P<rate>\d{1,15}\.\d+) iterations/s for ")
_LOOPING = regex(
    r"^[^:]+: (?:(?:Up to )?\d+ looping VUs for "
    r"|\d+ iterations (?:shared among|for each of) \d+ VUs|Externally controlled)"
    r"|^vus: \d+, max: \d+$"
)
_CROSSED = regex(r"thresholds on metrics '(?P<names>[^']*)' have been crossed")
_ABORTED = regex(r"test run was aborted|level=error msg=\"(?:test aborted|context canceled)")


@dataclass(slots=True)
class Console:
    """What the console told of one run.

    Parameters
    ----------
    rates : list of float or None
        Iterations per second of each open scenario; None where it varies.
    looping : int
        How many closed scenarios there are.
    state : tuple of str
        The last ``running`` line: time, users, complete and interrupted iterations.
    line : int
        Where that stands.
    crossed : list of Crossing
        The metrics whose thresholds k6 reports as crossed.
    finished, aborted : bool
        Whether that line stands at the end of the run, and whether k6 was stopped early.
    """

    rates: list[float | None] = field(default_factory=list)
    looping: int = 0
    state: tuple[str, ...] = ()
    line: int = 0
    crossed: list[Crossing] = field(default_factory=list)
    finished: bool = False
    aborted: bool = False
    is_idle: bool = False
    _marks: bool = False

    def take(self, text: str, number: int) -> bool:
        """Take in a line; return whether it was one of the console's own."""
        if running := RUNNING.search(text):
            self.state, self.line = running.groups(), number
            self._marks, self.finished = True, False
            self.is_idle = "), 0/" in running[0]
        elif self._marks and (mark := _MARK.search(text)):
            self.finished = True
            self.aborted |= mark["mark"] == "✗"
        else:
            self._marks &= bool(text)
            return self._note_other(text, number)
        return True

    def _note_other(self, text: str, number: int) -> bool:
        if crossed := _CROSSED.search(text):
            self.crossed = [Crossing(number, name.strip()) for name in crossed["names"].split(",")]
            return True
        self.aborted |= _ABORTED.search(text) is not None
        if rate := _RATE.match(text):
            self.rates.append(None if rate["ramping"] else float(rate["rate"]))
            return True
        looping = _LOOPING.match(text) is not None
        self.looping += looping
        return looping

    def is_of_next(self, text: str) -> bool:
        """Tell whether a ``running`` line is the next run's: this one ended in another state."""
        running = RUNNING.search(text)
        return self.finished and running is not None and running.groups() != self.state

    def describe(self, reading: Reading) -> None:
        """Fill in what a reading can know from the console alone."""
        if bool(self.rates) != bool(self.looping):  # of both kinds at once the model is unknown
            reading.load_model = "open" if self.rates else "closed"
        if not self.looping and len(self.rates) == 1:
            (reading.target_rate,) = self.rates
        if self.aborted:
            reading.status = "partial"
        if not self.finished:
            return
        time, users, complete, interrupted = self.state
        elapsed, line = parse_duration(time), self.line
        reading.duration = elapsed.value
        if reading.connections is None:
            reading.connections = int(users)
        reading.add("duration", "total", elapsed.value, "s", line, resolution=elapsed.resolution)
        if not any(row[:3] == (None, "iterations", "count") for row in reading.rows):
            reading.add("iterations", "count", float(complete), "1", line)
        reading.add("interrupted_iterations", "count", float(interrupted), "1", line)

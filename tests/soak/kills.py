"""Commands killed at any point: the store has its former content, or all of the new one."""

from __future__ import annotations

import time

from soak.campaign import Budget, Outcome
from soak.dying import Command, Conditions
from soak.scenes import NAMES, Scene, set_up

TITLE = "kill -9 of ingest, compaction, undo, history add, capture"
SECONDS = 240.0
#: Points per command in a whole run, and the same number at random times.
_POINTS, _AT_RANDOM = 20, 6


def run(budget: Budget) -> Outcome:
    """Kill each command at points spread over its steps, and at random times."""
    losses: list[str] = []
    points = steps = target = 0
    for scene in set_up(budget.folder, budget.some(NAMES)):
        trial = _Trial(scene, budget)
        losses += trial.losses
        steps += trial.steps
        places = trial.places()
        target += len(places)
        for place in places:
            if budget.is_over:
                break
            points += 1
            try:
                trial.kill_at(place)
            except Exception as error:  # noqa: BLE001 - any is a loss
                losses.append(f"{scene.name}, step {place} of {trial.steps}: {error!r}")
    return Outcome(points, losses, {"steps": steps}, target)


class _Trial:
    """A command that is killed again and again."""

    def __init__(self, scene: Scene, budget: Budget) -> None:
        self._scene, self._budget = scene, budget
        self._folder = budget.folder / "work"
        self.losses: list[str] = []
        started = time.monotonic()
        scene.copy(self._folder)
        answer, self.steps = self._start(None).wait()
        self._seconds = time.monotonic() - started
        if answer is None or answer.code:
            self.losses.append(f"{scene.name}: {answer and answer.describe()}, though not killed")
        self._states = [scene.see(scene.before), scene.see(self._folder)]

    def _start(self, last: int | None) -> Command:
        conditions = Conditions(last=last, many_files=self._scene.many_files)
        return Command(self._folder, self._scene.words, conditions)

    def places(self) -> list[int | float]:
        """Return steps, and times in seconds."""
        random = self._budget.random("kills", self._scene.name)
        count = min(self._budget.trials(_POINTS), self.steps)
        steps = sorted(random.sample(range(1, self.steps + 1), count))
        times = self._budget.trials(_AT_RANDOM)
        return [*steps, *(random.uniform(0, self._seconds) for _ in range(times))]

    def kill_at(self, place: float) -> None:
        """Kill the command at a step or a time, and continue.

        Raises
        ------
        AssertionError
            If something is lost, or invented.
        """
        folder = self._scene.copy(self._folder)
        command = self._start(place if isinstance(place, int) else None)
        if isinstance(place, float):
            time.sleep(place)
            command.kill()
        command.wait()
        state = self._scene.see(folder)
        if state not in self._states:
            raise AssertionError("neither the state before nor the one after")
        self._scene.go_on(folder, state)

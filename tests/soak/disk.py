"""A full disk: exit 3, and the store as it was."""

from __future__ import annotations

from soak.campaign import Budget, Outcome
from soak.dying import Command, Conditions
from soak.scenes import NAMES, Scene, set_up

TITLE = "full disk, in ingest, compaction, undo, history add, capture"
SECONDS = 60.0
#: Sizes to which files are limited in a whole run: from none to more than any file needs.
_ROOMS = (0, 1, 60, 500, 1_000, 2_000, 3_000, 5_000, 8_000, 12_000, 20_000, 1_000_000)


def run(budget: Budget) -> Outcome:
    """Try each command with less and less room."""
    losses: list[str] = []
    trials = refused = target = 0
    for scene in set_up(budget.folder, budget.some(NAMES)):
        before = scene.see(scene.before)
        rooms = budget.random("disk").sample(_ROOMS, budget.trials(len(_ROOMS)))
        target += len(rooms)
        for room in rooms:
            if budget.is_over:
                break
            trials += 1
            try:
                refused += _try(scene, budget, before, room)
            except Exception as error:  # noqa: BLE001 - any is a loss
                losses.append(f"{scene.name}, files of {room} bytes at most: {error!r}")
    return Outcome(trials, losses, {"refused with exit 3": refused}, target)


def _try(scene: Scene, budget: Budget, before: object, room: int) -> bool:
    folder = scene.copy(budget.folder / "work")
    conditions = Conditions(many_files=scene.many_files, room=room)
    answer, _ = Command(folder, scene.words, conditions).wait()
    if answer is None or answer.is_crash or answer.code not in {0, 3}:
        raise AssertionError(answer.describe() if answer else "it ended without an answer")
    state = scene.see(folder)
    if answer.code and state != before:
        raise AssertionError(f"the store has changed: {answer.describe()}")
    if not answer.code and state == before:
        raise AssertionError("it says that all was done, and nothing was")
    scene.go_on(folder, state)
    return bool(answer.code)

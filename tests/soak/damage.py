"""A damaged store: every command works or names the file, and `store repair` restores it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from soak.campaign import Budget, Outcome
from soak.commands import Answer, call
from soak.stores import State, expect, read_state, write_runs

TITLE = "damaged stores: every file deleted, cut, emptied, changed, replaced"
SECONDS = 90.0
_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("runs",),
    ("export",),
    ("compare", "--baseline", "none"),
    ("report", "--baseline", "none", "-o", "report.md"),
    ("gate", "--baseline", "none", "--max-overhead", "request_rate=90%"),
    ("check",),
    ("history", "show"),
    ("ingest", "third", "-q"),
    ("undo",),
)
_WRITING = {"ingest", "undo"}


def _change(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(3):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, random: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data))])


def _replace(path: Path, random: Random) -> None:
    """Replace a file by another one of the same folder and kind, if there is one."""
    others = sorted(set(path.parent.glob(f"*{path.suffix}")) - {path})
    if path.suffix and others:
        shutil.copy(random.choice(others), path)


_DAMAGE: dict[str, Callable[[Path, Random], object]] = {
    "deleted": lambda path, _: path.unlink(),
    "emptied": lambda path, _: path.write_bytes(b""),
    "cut": _cut,
    "changed": _change,
    "replaced": _replace,
}


def run(budget: Budget) -> Outcome:
    """Damage each file in each way, one at a time."""
    whole = budget.folder / "whole"
    for variant in ("none", "otlp"):
        expect(call(whole.parent, "ingest", str(write_runs(whole / "results", variant)), "-q",
                    "--store", str(whole / ".benchkit")))  # fmt: skip
    write_runs(whole / "third", "zipkin")
    before = read_state(whole)
    usual = {w: 0 if w[0] in _WRITING else call(whole, *w).code for w in _COMMANDS}
    newest = max((whole / ".benchkit/runs/_delta_log").glob("*.json"))
    files = [
        p for p in sorted((whole / ".benchkit").rglob("*")) if p.is_file() and p.stat().st_size
    ]
    cases = [
        (path, kind)
        for path in files
        for kind in _DAMAGE
        # Lost without a trace, the newest commit of runs looks as if it was never made.
        if path.name != ".gitignore" and (path, kind) != (newest, "deleted")
    ]
    random = budget.random("damage")
    random.shuffle(cases)
    losses: list[str] = []
    trials = refused = tried = 0
    cases = cases[: budget.trials(len(cases))]
    for path, kind in cases:
        if budget.is_over:
            break
        place = path.relative_to(whole)
        trial = _Trial(whole, place, kind, random, budget.folder / "work")
        problems, count, refusals = trial.run(before, usual)
        losses += [f"{place} {kind}, seed {budget.seed}: {problem}" for problem in problems]
        trials += count
        refused += refusals
        tried += 1
    figures: dict[str, float | int | str] = {
        "files": len(files),
        "kinds of damage": f"{tried} of {len(cases)}",
        "refused with the file name": refused,
    }
    return Outcome(trials, losses, figures, len(cases) * (len(_COMMANDS) + 2))


class _Trial:
    """One file, damaged in one way."""

    def __init__(self, whole: Path, place: Path, kind: str, random: Random, folder: Path) -> None:
        self._folder, self._place = folder, place
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        _DAMAGE[kind](folder / place, random)
        self._damaged = folder.parent / "damaged"
        shutil.rmtree(self._damaged, ignore_errors=True)
        shutil.copytree(folder, self._damaged)

    def run(
        self, before: State, usual: Mapping[tuple[str, ...], int]
    ) -> tuple[list[str], int, int]:
        """Return the problems, the number of commands run, and how many of them refused."""
        problems: list[str] = []
        refused = 0
        for words in _COMMANDS:
            answer = call(self._folder, *words)
            name = " ".join(words[:2])
            if answer.is_crash or answer.code not in {0, 1, 3, 4}:
                problems.append(f"{name}: {answer.describe()}")
            elif answer.code == 3 != usual[words] and not self._is_named(answer):
                problems.append(f"{name} does not name the file: {answer.describe()}")
            refused += answer.code == 3 and self._is_named(answer)
            if answer.code == 0 and words == ("runs",):
                problems += self._compare(before)
            if words[0] in _WRITING:
                shutil.rmtree(self._folder)
                shutil.copytree(self._damaged, self._folder)
        problems += self._repair(before)
        return problems, len(_COMMANDS) + 2, refused

    def _is_named(self, answer: Answer) -> bool:
        """Return whether an answer names the damaged file.

        A log without its beginning is named as a whole; one that names another newest commit than
        the existing one names that as missing.
        """
        text = answer.out + answer.err
        is_log = self._place.parent.name == "_delta_log"
        end = "/" if self._place.name == "_newest" else ":"
        return self._place.name in text or (is_log and f"{self._place.parent}{end}" in text)

    def _compare(self, before: State) -> list[str]:
        """Compare runs and values with those before, if the store is read without a warning."""
        try:
            state = read_state(self._folder)
        except AssertionError as error:
            return [] if "exit 3" in str(error) else [f"export: {error}"]
        changed = [key for key in {*state, *before} if before.get(key) != state.get(key)]
        return [f"other runs or values without a word: {changed[:2]}"] if changed else []

    def _repair(self, before: State) -> list[str]:
        """Check, repair, and read the sources again: everything is as before."""
        checked = call(self._folder, "store", "check")
        repaired = call(self._folder, "store", "repair")
        problems = [
            f"store {name}: {answer.describe()}"
            for name, answer in (("check", checked), ("repair", repaired))
            if answer.is_crash or answer.code not in {0, 3}
        ]
        if repaired.code:
            return [*problems, f"store repair: {repaired.describe()}"]
        for variant in ("none", "otlp"):
            source = str(self._folder.parent / "whole" / "results" / variant)
            answer = call(self._folder, "ingest", source, "-q")
            if answer.code:
                return [*problems, f"ingest after repair: {answer.describe()}"]
        try:
            state = read_state(self._folder)
        except AssertionError as error:
            return [*problems, f"after repair: {error}"]
        return [*problems, "after repair, other runs"] if state != before else problems

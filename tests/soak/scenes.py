"""Commands that write, each with a folder in its former state."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roads import FIXTURES

from soak.commands import call
from soak.stores import State, expect, read_state, write_runs

NAMES = ("ingest", "compaction", "undo", "history add", "capture")


@dataclass(frozen=True, slots=True)
class Scene:
    """A command, and the former content of its folder."""

    name: str
    words: tuple[str, ...]
    before: Path
    many_files: int | None = None

    def copy(self, folder: Path) -> Path:
        """Return a folder in its former state, replacing the current content."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.before, folder)
        return folder

    def see(self, folder: Path) -> State:
        """Return the runs of a folder's store, or the visible results of a capture."""
        if self.name != "capture":
            return read_state(folder)
        results = folder / "results"
        if not any(path.name[0] != "." for path in results.rglob("*.txt")):
            return {}
        expect(call(folder, "ingest", "results", "-q", "--strict", "--store", "captured"))
        state = read_state(folder, store="captured")
        shutil.rmtree(folder / "captured")
        return {key[:5]: values for key, values in state.items()}

    def go_on(self, folder: Path, state: State) -> None:
        """Use a folder as if nothing had happened.

        Raises
        ------
        AssertionError
            If that does not bring all of what is new, and only that.
        """
        if self.name == "capture":
            expect(call(folder, *self.words))
            if len(self.see(folder)) != len(state) + 1:
                raise AssertionError("the next capture is not beside the first")
            return
        write_runs(folder / "third", "zipkin")
        expect(call(folder, "ingest", "third", "-q"))
        now = read_state(folder)
        brought = [key for key in now if key[1] == "zipkin"]
        if len(brought) != 3 or {key: now[key] for key in now if key in state} != state:
            raise AssertionError("the next ingest does not add its runs")
        if len(now) != len(state) + 3:
            raise AssertionError("the next ingest adds other runs than its own")


def set_up(root: Path, names: Sequence[str]) -> Iterator[Scene]:
    """Yield scenes; each has its folder until the next one is requested."""
    folder = root / "before"
    for name in names:
        write_runs(folder / "first", "none")
        write_runs(folder / "second", "otlp")
        words: tuple[str, ...] = ("ingest", "second", "-q")
        if name != "capture":
            expect(call(folder, "ingest", "first", "-q"))
        if name == "compaction":
            for number in range(6):
                write_runs(folder / f"more-{number}", f"v{number}", 1)
                expect(call(folder, "ingest", f"more-{number}", "-q"))
        elif name == "undo":
            expect(call(folder, *words))
            words = ("undo", "-q")
        elif name == "history add":
            commit = ("--commit", "0123456789abcdef", "--date", "2026-11-20T10:00:00Z", "-q")
            words = ("history", "add", "second", *commit)
        elif name == "capture":
            result = FIXTURES / "tracing-wrk/otlp/wrk-1.txt"
            # Two byte-identical results would count as one.
            load = ("sh", "-c", f"cat '{result}'; date +%s.%N")
            words = ("capture", "-q", "--variant", "a", "--", *load)
        yield Scene(name, words, folder, 4 if name == "compaction" else None)
        shutil.rmtree(folder)

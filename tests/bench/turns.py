"""Whole processes in turn, A B A B: wall time, CPU time, peak memory.

Absolute times on a shared machine mean nothing, and a disturbance should hit both sides of a pair.
"""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Command:
    """A command line; ``before`` prepares it, outside the measured time."""

    argv: Sequence[str]
    before: Callable[[], object] | None = None


@dataclass(frozen=True)
class Turn:
    """One run: seconds, peak memory in bytes, and CPU seconds of all its processes."""

    wall: float
    peak: int
    cpu: float


def run_in_turn(commands: dict[str, Command], rounds: int) -> dict[str, list[Turn]]:
    """Run the commands in turn; the first round is a warm-up and does not count."""
    turns: dict[str, list[Turn]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            turn = run_once(command)
            if number or not rounds:
                turns[name].append(turn)
    return turns


def typical(turns: Sequence[Turn]) -> float:
    """Return the median wall time in s."""
    return median(turn.wall for turn in turns)


def run_once(command: Command) -> Turn:
    """Run one command to its end.

    Raises
    ------
    SystemExit
        If it fails; with what it said.
    """
    if command.before is not None:
        command.before()
    start, before = time.perf_counter(), _measure_children()
    # An installed package is compiled: in a checkout the first round compiles the modules.
    known = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(
        command.argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=known
    )
    peak = _Peak(child.pid)
    _, stderr = child.communicate()
    wall, cpu = time.perf_counter() - start, _measure_children() - before
    if child.returncode:
        raise SystemExit(
            f"{' '.join(command.argv)[:200]}: {stderr.decode(errors='replace')[-800:]}"
        )
    return Turn(wall, peak.stop(), cpu)


def _measure_children() -> float:
    """Return the CPU seconds of the children that have ended, to the us."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class _Peak:
    """Samples the memory of a process and its children, ten times a second.

    Shared pages count once (PSS, Linux only; 0 elsewhere).
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._most = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        self._is_over.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._is_over.wait(0.1):
            self._most = max(self._most, sum(map(_share, _family(self._pid))))


def _family(pid: int) -> list[int]:
    pids = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            text = (task / "children").read_text(encoding="ascii")
            for child in text.split():
                pids += _family(int(child))
    except OSError:  # it has ended
        return pids
    return pids


def _share(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    kib = next((line.split()[1] for line in text.splitlines() if line.startswith("Pss:")), "0")
    return int(kib) << 10

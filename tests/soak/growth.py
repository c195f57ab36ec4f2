"""Hundreds of ingests of results measured again: memory, disk and time stay constant.

In ordinary use, files that a commit removed and entries of the logs are kept for an hour. Here the
hour has always passed, so everything on disk counts.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from benchkit.store import delta, tidying
from soak.campaign import Budget, Outcome
from soak.commands import call
from soak.stores import expect, read_state, write_runs

TITLE = "ingests into one store, of results measured again"
SECONDS = 150.0
_INGESTS = 300
_FOLDERS = 5
#: Number of ingests after which every kind of cleanup has run at least once.
_SETTLED = 2 * tidying.MANY_FILES
#: Settings of the tables that turn hours into seconds.
_HOURS_LATER = {
    "delta.logRetentionDuration": "interval 0 seconds",
    "delta.deletedFileRetentionDuration": "interval 10 seconds",
}
#: Allowed growth of a quantity in the second half of the remaining ingests.
_SLACK = {"CPU time": 0.5, "memory": 0.1, "files": 0.25, "size": 0.25}


def run(budget: Budget) -> Outcome:
    """Ingest a few folders in turn, each time with other values."""
    count = budget.trials(_INGESTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delta, "_REMOVED_HOURS", 0)
        patch.setattr(delta, "_SETTINGS", {**delta._SETTINGS, **_HOURS_LATER})
        series = _ingest(budget, count)
        expect(call(budget.folder, "store", "vacuum", "-q"))
    done = len(series["files"])
    losses = [
        f"{name} grows by {100 * grown:.0f} % in {done} ingests"
        for name, grown in _growths(series).items()
        if grown > _SLACK[name]
    ]
    expected = 2 * min(done, _FOLDERS)
    if (runs := len(read_state(budget.folder))) != expected:
        losses.append(f"{runs} runs in place of {expected}")
    files, size = _measure(budget.folder / ".benchkit")
    figures: dict[str, float | int | str] = {
        "ms per ingest": round(1000 * float(np.median(series["CPU time"]))),
        "MB of memory": round(max(series["memory"]) / 1e6),
        "files at most": int(max(series["files"])),
        "KB at most": round(max(series["size"]) / 1e3),
        "after vacuum": f"{files} files, {size / 1e3:.0f} KB",
    }
    figures |= {f"growth of {name}, %": round(100 * g) for name, g in _growths(series).items()}
    return Outcome(done, losses, figures, count)


def _ingest(budget: Budget, count: int) -> dict[str, list[float]]:
    """Return each quantity after each ingest."""
    random = budget.random("growth")
    series: dict[str, list[float]] = {name: [] for name in _SLACK}
    for number in range(count):
        if budget.is_over:
            break
        name = f"{number % _FOLDERS}"
        for path in write_runs(budget.folder / name, f"v{name}", 2).iterdir():
            path.write_text(f"{path.read_text()}\nRun again {random.random()}\n")
        clock = time.process_time()
        expect(call(budget.folder, "ingest", name, "-q"))
        seconds = time.process_time() - clock
        quantities = (seconds, _memory(), *_measure(budget.folder / ".benchkit"))
        for values, quantity in zip(series.values(), quantities, strict=True):
            values.append(quantity)
    return series


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def _measure(store: Path) -> tuple[int, int]:
    """Return number and size of all files of a store."""
    sizes = [path.stat().st_size for path in store.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


def _growths(series: dict[str, list[float]]) -> dict[str, float]:
    """Return the growths that can be judged: a short run ends before anything has settled.

    Files pile up until they are merged, so the maxima are compared; for time the medians are.
    """
    growths = {}
    for name, values in series.items():
        settled = values[_SETTLED:]
        half = len(settled) // 2
        typical = np.median if name == "CPU time" else np.max
        if half > tidying.MANY_FILES:
            growths[name] = float(typical(settled[half:]) / typical(settled[:half])) - 1
    return growths

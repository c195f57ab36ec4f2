"""Hundreds of ingests of results measured again: memory, files and time stay what they were."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from deltalake import DeltaTable

from benchkit.store import tidying
from soak.campaign import Budget, Outcome
from soak.commands import call
from soak.dying import limit_files
from soak.stores import expect, read_state, write_runs

TITLE = "ingests into one store, of results measured again"
_INGESTS = 300
_FOLDERS = 5
#: Quantities that a few ingests tell nothing of, and the ingests from which they are judged.
_SLOW_TO_SETTLE, _FEW = {"time", "memory", "size"}, 100
_MANY_FILES = tidying.MANY_FILES
#: How much of its median a quantity may grow over all ingests once small files are put together.
_SLACK = {"time": 0.5, "memory": 0.1, "files": 0.5, "size": 0.5}


def run(budget: Budget) -> Outcome:
    """Ingest a few folders in turn, each time with other values."""
    count = max(budget.trials(_INGESTS), 20)
    random = budget.random("growth")
    seen: dict[str, list[float]] = {name: [] for name in _SLACK}
    losses = []
    many = budget.trials(_MANY_FILES)
    limit_files(many)
    for number in range(count):
        if budget.is_over:
            break
        target = write_runs(budget.folder / f"{number % _FOLDERS}", f"v{number % _FOLDERS}", 2)
        for path in target.iterdir():
            text = path.read_text()
            path.write_text(f"{text}\nRun again {random.random()}\n")
        clock = time.process_time()
        expect(call(budget.folder, "ingest", f"{number % _FOLDERS}", "-q"))
        seen["time"].append(time.process_time() - clock)
        seen["memory"].append(_memory())
        live = _live_files(budget.folder / ".benchkit")
        seen["files"].append(len(live))
        seen["size"].append(sum(path.stat().st_size for path in live))
    if len(seen["time"]) < 2 * many:
        losses.append(f"time was up after {len(seen['time'])} ingests, too few to judge")
    for name, values in seen.items():
        grown = _growth(values[many:])
        if grown > _SLACK[name] and (len(values) >= _FEW or name not in _SLOW_TO_SETTLE):
            losses.append(f"{name} grows by {100 * grown:.0f} % of its median in {count} ingests")
    runs = len(read_state(budget.folder))
    if runs != min(count, _FOLDERS) * 2:
        losses.append(f"{runs} runs in place of {min(count, _FOLDERS) * 2}")
    figures: dict[str, float | int | str] = {
        "ms each": round(1000 * float(np.median(seen["time"]))),
        "MB": round(max(seen["memory"]) / 1e6),
        "files": int(max(seen["files"])),
    }
    figures |= {f"growth of {name}, %": round(100 * _growth(v[many:])) for name, v in seen.items()}
    return Outcome(len(seen["time"]), losses, figures)


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def _live_files(store: Path) -> list[Path]:
    """Return the files that the newest versions of the tables need."""
    return [
        store / name / path
        for name in ("runs", "values")
        for path in DeltaTable(store / name).get_add_actions(flatten=True)["path"].to_pylist()
    ]


def _growth(values: list[float]) -> float:
    """Return the growth over all values by the median of slopes, per median."""
    later = np.array(values)
    if len(later) < 2:
        return 0.0
    first, second = np.triu_indices(len(later), 1)
    slope = np.median((later[second] - later[first]) / (second - first))
    return float(slope * len(later) / np.median(later))

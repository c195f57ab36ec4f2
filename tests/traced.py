"""Simulated histories of one benchmark: levels commit by commit, and the resulting text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchkit import schema
from benchkit.comparison.model import Plan
from benchkit.history import trace
from benchkit.history.model import History
from benchkit.tables.history import history_lines

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

START = datetime(2026, 10, 1, tzinfo=UTC)


def name(number: int) -> str:
    return f"{number:07d}a"


def store(
    levels: Sequence[float],
    *,
    machines: Sequence[str] = (),
    dated: bool = True,
    group: str = "",
    seed: int = 1,
) -> tuple[Observations, Runs]:
    """Return runs of one benchmark, three per commit; a level of 0 is an unmeasured commit."""
    generator = np.random.default_rng(seed)
    rows, runs = [], []
    for number, level in enumerate(levels):
        for run in (1, 2, 3) if level else ():
            commit = name(number)
            key = {
                "group": f"{commit}/{group}".rstrip("/"), "variant": "base", "benchmark": "Ping",
                "params": "", "run": run, "tool": "gobench",
            }  # fmt: skip
            common = dict.fromkeys(schema.column_names())
            common |= {"metric": "time_per_op", "stat": "sample", "unit": "s", "origin": "reported"}
            value = level * float(np.exp(generator.normal(0, 0.01)))
            rows.append({**common, **key, "value": value, "source": "a.txt:1"})
            env = {"commit": commit}
            if machines:
                env["cpu"] = machines[number]
            if dated:
                env["date"] = (START + timedelta(days=number)).isoformat()
            blank = dict.fromkeys(schema.column_names(schema.RUN_COLUMNS))
            blank |= {"role": "measured", "load_model": "unknown", "units": {}, "sources": []}
            runs.append({**blank, **key, "env": env})
    return schema.observations(pd.DataFrame(rows)), schema.runs(pd.DataFrame(runs))


def join(*parts: tuple[Observations, Runs]) -> tuple[Observations, Runs]:
    observations, runs = (
        pd.concat(frames, ignore_index=True) for frames in zip(*parts, strict=True)
    )
    return schema.observations(observations), schema.runs(runs)


def text(history: History) -> str:
    return "\n".join(history_lines(history)).replace("\N{NO-BREAK SPACE}", " ")


def counted(
    levels: Sequence[float], metric: str = "allocs_per_op", unit: str = "1", runs: int = 3
) -> History:
    """Trace counts that every run of a commit has in common."""
    observations, runs_table = store([1e-3] * len(levels))
    rows = observations.assign(metric=metric, unit=unit, value=np.repeat(levels, 3).astype(float))
    kept = rows["run"].le(runs), runs_table["run"].le(runs)
    plan = Plan(primaries=((metric, ""),))
    return trace(schema.observations(rows[kept[0]]), schema.runs(runs_table[kept[1]]), plan)

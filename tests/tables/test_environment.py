"""Differences between the variants' environments, and the number of runs that record them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from examples import tracing_runs

from benchkit.tables.environment import environment_tables

if TYPE_CHECKING:
    from benchkit.schema import Runs


def recorded(runs: Runs) -> dict[str, list[str]]:
    tables = environment_tables(runs)
    return {row[0].text: [cell.text for cell in row[1:]] for t in tables for row in t.rows}


def test_fact_of_one_run_is_not_attributed_to_all() -> None:
    runs = tracing_runs()
    measured = runs.index[(runs["variant"] == "otlp") & (runs["role"] == "measured")]
    runs["env"] = pd.Series(
        [{"keep_alive": 100000} if i == measured[0] else {} for i in runs.index]
    )
    rows = recorded(runs)
    assert f"100000 in 1 of {len(measured)} runs, not recorded in the others" in rows["keep_alive"]
    assert rows["keep_alive"].count("not recorded") == len(rows["keep_alive"]) - 1
    runs["env"] = pd.Series([{"keep_alive": 100000}] * len(runs))
    assert recorded(runs)["keep_alive"] == ["100000"]
    runs["env"] = pd.Series([{"keep_alive": 100000} if i % 2 else {} for i in range(len(runs))])
    assert recorded(runs)["keep_alive"] == [
        f"100000 in {len(runs) // 2} of {len(runs)} runs, not recorded in the others"
    ]

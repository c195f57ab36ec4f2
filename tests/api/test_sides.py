"""Who is compared with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pandas as pd

from benchkit.api.sides import list_comparable, pair_up

if TYPE_CHECKING:
    from benchkit.schema import Runs


def test_a_summary_by_another_tool_is_no_baseline_of_the_runs_beside_it() -> None:
    names = ["off", "on", "baseline"]
    tools = ["gobench", "gobench", "benchstat"]
    frame = pd.DataFrame({"variant": names, "tool": tools, "role": "measured"})
    runs = cast("Runs", frame)
    likely = list_comparable(names, runs)
    assert likely == ["off", "on"]
    assert pair_up(names, None, None, likely=likely) == (("off", "on"), ("off", "baseline"))
    assert pair_up(names, "baseline", "on", likely=likely) == (("baseline", "on"),)

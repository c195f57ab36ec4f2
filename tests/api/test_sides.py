"""Which sides are compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import gated
import pandas as pd
import pytest

import benchkit as bk
from benchkit.api.sides import list_comparable, pair_up
from benchkit.cli import run
from benchkit.errors import DataError

if TYPE_CHECKING:
    from benchkit.schema import Runs


def test_summary_by_another_tool_is_not_the_baseline_of_other_runs() -> None:
    names = ["off", "on", "baseline"]
    tools = ["gobench", "gobench", "benchstat"]
    facts = {"role": "measured", "stopping": [{}] * 3}
    runs = cast("Runs", pd.DataFrame({"variant": names, "tool": tools, **facts}))
    assert list_comparable(names, runs) == ["off", "on"]
    assert pair_up(names, None, None, runs=runs) == (("off", "on"), ("off", "baseline"))
    assert pair_up(names, "baseline", "on", runs=runs) == (("baseline", "on"),)


def test_command_that_lists_failed_runs_names_their_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("1", "2"):
        gated.write_runs(Path(f"my results/base/{name}.txt"), seed=int(name), runs=1)
        failed = gated.write_runs(Path(f"my results/new/{name}.txt"), seed=3 + int(name), runs=1)
        failed.write_text(failed.read_text().replace("PASS", "panic: no\nFAIL\tx\t0.5s"))
    with pytest.raises(DataError) as raised:
        bk.load("my results").compare()
    assert raised.value.hint == "list them with `benchkit runs 'my results/new'`"
    assert run(["runs", "my results/new"]) == 0
    assert "failed" in capsys.readouterr().out
    assert run(["ingest", "my results"]) == 0
    with pytest.raises(DataError) as raised:
        bk.load(".benchkit").compare()
    assert raised.value.hint == "list them with `benchkit runs`"

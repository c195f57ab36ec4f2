"""The line under a verdict: what was compared, with which load and machine, and when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from examples import gobench, runs_of, tracing, tracing_runs

import benchkit as bk
from benchkit.reporting.head import write_status

if TYPE_CHECKING:
    from benchkit import schema

FIXTURES = Path(__file__).parents[2] / "fixtures"


def status(runs: schema.Runs) -> str:
    return write_status(tracing(), runs, ()).replace("\N{NO-BREAK SPACE}", " ")


def loaded(rate: float, *, other: float | None = None) -> schema.Runs:
    runs = tracing_runs()
    runs["load_model"] = "open"
    runs["params"] = ""
    runs["target_rate"] = float(rate)
    if other is not None:
        runs.loc[runs["variant"].eq("otlp"), "target_rate"] = float(other)
    return runs


def test_benchmark_follows_the_sides() -> None:
    assert " vs. none · /ping/GRM · 8 runs per side · " in status(tracing_runs())


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Get", "Ping"], "Get and Ping"),
        ([f"B{n}" for n in range(6)], "B0, B1, B2, B3, B4 and B5"),
        ([f"B{n}" for n in range(7)], "7 benchmarks"),
        ([f"BenchmarkOTelOverhead/SetGet_Mixed/{n}" for n in range(4)], "4 benchmarks"),
        ([""], None),
        (["", "Get"], "Get and unnamed"),
    ],
)
def test_few_benchmarks_are_named_and_many_are_counted(names: list[str], text: str | None) -> None:
    verdicts = gobench(dict.fromkeys(names, ((1.0,) * 4, (1.0,) * 4)))
    parts = write_status(verdicts, None, ()).split(" · ")
    assert parts[1] == (text or "4 runs per side")


def test_only_compared_benchmarks_are_named() -> None:
    results = bk.load(FIXTURES / "shorturl-k6")
    line = write_status(results.compare(baseline="baseline").verdicts, results.runs, ())
    assert "legacy" not in line
    assert " · open loop at 500 requests/s · " in line.replace("\N{NO-BREAK SPACE}", " ")


def test_variant_without_a_common_benchmark_is_not_a_side() -> None:
    results = bk.load(FIXTURES / "skywalking-vegeta")
    line = write_status(results.compare(baseline="no-agent").verdicts, results.runs, ())
    assert line.startswith("agent vs. no-agent · ")


def test_fixed_rate_is_part_of_the_load() -> None:
    assert "open loop at 500 requests/s · 15.0 s each" in status(loaded(500))
    assert "open loop at 500 to 1000 requests/s" in status(loaded(500, other=1000))
    assert "open loop · 15.0 s each" in status(loaded(float("nan")))
    assert "open loop · 15.0 s each" in status(loaded(500, other=float("nan")))


def test_nearly_equal_durations_are_shown_as_one() -> None:
    runs = tracing_runs()
    runs["duration"] = [15.0 + n / 100 for n in range(len(runs))]
    assert " · about 15.0 s each · " in status(runs)
    runs.loc[0, "duration"] = 3.0
    assert " · 3.00 s to 15." in status(runs)


def test_levels_of_load_are_shown_as_a_range() -> None:
    runs = tracing_runs()
    levels = [f"connections={2**n},threads=2,mode=a{n}" for n in range(len(runs))]
    runs["params"] = pd.Series(levels)
    last = 2 ** (len(runs) - 1)
    assert f"connections=1 to {last}, threads=2 · " in status(runs)


def test_machines_that_differ_are_counted() -> None:
    runs = tracing_runs()
    assert " · Xeon · " in status(runs)
    runs["env"] = pd.Series([{"cpu": ("Xeon", "EPYC")[n % 2]} for n in range(len(runs))])
    assert " · 2 kinds of CPU · " in status(runs)
    runs["env"] = pd.Series([{"cpu": "Xeon"} if n else {} for n in range(len(runs))])
    assert f" · Xeon ({len(runs) - 1} of {len(runs)} runs) · " in status(runs)


def test_unrecorded_machine_and_date_are_stated() -> None:
    runs = tracing_runs()
    assert "machine" not in status(runs)
    runs["env"] = pd.Series([{}] * len(runs))
    runs["started_at"] = pd.NaT
    assert " · machine and date not recorded · " in status(runs)
    runs["env"] = pd.Series([{"cpu": "Xeon"}] * len(runs))
    assert " · Xeon · date not recorded · " in status(runs)


def test_runs_without_a_comparison_name_their_benchmark() -> None:
    runs = runs_of([("none", "/ping", n, "", "", 0.0, "") for n in (1, 2)], "wrk")
    verdicts = tracing()
    verdicts = replace(verdicts, comparisons=replace(verdicts.comparisons, contrasts=(), pairs=()))
    assert write_status(verdicts, runs, ()).startswith("none · /ping · 2 runs, no comparison · wrk")


def test_sweep_names_only_the_swept_parameter() -> None:
    swept = bk.load(FIXTURES / "nginx-ab").compare()
    line = write_status(swept.verdicts, swept.runs, (), swept.parts)
    assert line.startswith("nginx · /index.html and unnamed · ")
    assert " runs, no comparison · " in line
    assert "edge" not in line
    assert "connections=1 to 100" in line

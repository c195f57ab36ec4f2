"""The policy of the published Redis workflow, applied to files named as in that workflow."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

POLICY = """
schema = 1
[project]
title = "redisotel-native overhead"
baseline = "baseline"
[ingest]
layout = "{variant}.txt"
rename = [["OTelOverhead(_Baseline|/OTel_[A-Za-z]+)/", "OTelOverhead/"]]
split = {pattern = "OTel_(?P<variant>Enabled|Disabled)", lower = true}
[stats]
confidence = 0.95
margin = "3%"
seed = 20261120
[[gate]]
name = "dormant code"
pair = ["baseline", "disabled"]
metric = "time_per_op"
target = "0%"
acceptable = "1%"
on_inconclusive = "warn"
[[gate]]
name = "simple operations"
pair = ["disabled", "enabled"]
metric = "time_per_op"
where = {benchmark = ["*/Ping", "*/Set"]}
target = "5%"
acceptable = "10%"
[[gate]]
name = "complex operations"
pair = ["disabled", "enabled"]
metric = "time_per_op"
where = {benchmark = ["*/Pipeline"]}
target = "5%"
acceptable = "10%"
[[gate]]
name = "memory"
pair = ["disabled", "enabled"]
metric = "bytes_per_op"
acceptable = "+8 KiB"
"""


def test_each_rule_has_its_rows_and_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = {"Ping": 0.047, "Set": 0.03, "Pipeline": 0.2}
    base = {f"OTelOverhead_Baseline/{name}": 0.0 for name in costs}
    both = {
        f"OTelOverhead/OTel_{variant}/{name}": cost * share
        for variant, share in (("Disabled", 0), ("Enabled", 1))
        for name, cost in costs.items()
    }
    gated.write_runs(tmp_path / "results" / "baseline.txt", seed=1, benchmarks=base)
    gated.write_runs(tmp_path / "results" / "otel.txt", seed=2, benchmarks=both)
    (tmp_path / "benchkit.toml").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet", "--format", "json"]) == 1
    gates = json.loads(capsys.readouterr().out)["gates"]
    outcomes = {
        gate["name"]: {row["benchmark"].split("/")[-1]: row["outcome"] for row in gate["rows"]}
        for gate in gates
    }
    assert set(outcomes["dormant code"].values()) <= {"not shown", "acceptable"}
    assert outcomes["simple operations"]["Set"] == "within target"
    assert outcomes["simple operations"]["Ping"] in {"acceptable", "within target"}
    assert outcomes["complex operations"] == {"Pipeline": "over the limit"}
    assert set(outcomes["memory"].values()) == {"acceptable"}

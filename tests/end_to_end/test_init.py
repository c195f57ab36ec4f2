"""`init` writes a policy that the gate can use unchanged, from any kind of results."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("scenario", "baseline", "metrics"),
    [
        ("tracing-wrk", "none", ["request_rate"]),
        ("redis-gobench/pinned", "Baseline", ["time_per_op", "bytes_per_op", "allocs_per_op"]),
        ("skywalking-vegeta", "no-agent", []),
    ],
)
def test_policy_of_real_results_is_usable_by_the_gate(
    scenario: str,
    baseline: str,
    metrics: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    results = str(FIXTURES / scenario)
    assert run(["init", results, "--quiet"]) == 0
    text = (tmp_path / "benchkit.toml").read_text(encoding="utf-8")
    policy = tomllib.loads(text)
    assert policy["project"]["baseline"] == baseline
    assert [gate["metric"] for gate in policy.get("gate", [])] == metrics
    rules = [line for line in text.split("[[gate]]")[-1].splitlines() if "on_missing" not in line]
    assert "# where = {benchmark = [" in text or "benchmark" not in "\n".join(rules)
    assert run(["gate", results, "--quiet"]) != 2  # the verdict does not matter here
    assert capsys.readouterr().out[0] in "✓△?✗"


def test_commented_settings_are_usable_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gated.write_pair(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "results", "--quiet"]) == 0
    file = tmp_path / "benchkit.toml"
    keys = ("# target", "# where", "# pair", "# margin", "# title", "# exclude", "# split")
    lines = file.read_text(encoding="utf-8").splitlines()
    used = [line.removeprefix("# ") if line.startswith(keys) else line for line in lines]
    file.write_text("\n".join(used), encoding="utf-8")
    assert run(["gate", "results", "--quiet"]) == 0


def test_names_that_do_not_match_get_a_rename_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variant, name in (("baseline", "Overhead_Baseline"), ("enabled", "Overhead/OTel_Enabled")):
        path = tmp_path / "results" / f"{variant}.txt"
        gated.write_runs(path, seed=len(variant), benchmarks=(f"{name}/Ping", f"{name}/Set"))
    monkeypatch.chdir(tmp_path)
    assert run(["init", "results", "--quiet"]) == 0
    text = (tmp_path / "benchkit.toml").read_text(encoding="utf-8")
    assert "rename = [" in text
    assert run(["gate", "results", "--quiet", "--max-overhead", "time_per_op=50%"]) == 0


def test_existing_policy_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_runs(tmp_path / "results" / 'odd"name.txt', seed=1)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "benchkit.toml"
    file.write_text("schema = 1\n", encoding="utf-8")
    assert run(["init", "results"]) == 2
    assert "replace it with --force" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "schema = 1\n"
    assert run(["init", "results", "--force"]) == 0
    assert "Nothing could be compared yet" in file.read_text(encoding="utf-8")
    assert capsys.readouterr().err.endswith("next: benchkit gate results\n")
    assert run(["init", "results", "-o", "-"]) == 0
    assert tomllib.loads(capsys.readouterr().out)["schema"] == 1
    assert run(["init", "nowhere", "--force"]) == 3


def test_suggested_next_command_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_pair(tmp_path / "my results")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "my results", "-o", "ci.toml"]) == 0
    next_command = capsys.readouterr().err.rpartition("next: benchkit ")[2]
    assert next_command == "gate 'my results' --policy ci.toml\n"
    assert run([*shlex.split(next_command), "--quiet"]) == 0


def test_suggested_rename_removes_the_variant_from_benchmark_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_pair(tmp_path / "results")
    names = ("OTel_Enabled/Ping", "OTel_Disabled/Ping")
    gated.write_runs(tmp_path / "one.txt", seed=1, benchmarks=names)
    monkeypatch.chdir(tmp_path)
    assert run(["init", "results", "--quiet"]) == 0
    file = tmp_path / "benchkit.toml"
    text = file.read_text(encoding="utf-8").replace("# split", "split")
    file.write_text(text.replace('# rename = ["s#OTel', 'rename = ["s#OTel'), encoding="utf-8")
    base = ["--baseline", "disabled", "--quiet"]
    assert run(["gate", "one.txt", *base, "--max-overhead", "time_per_op=50%"]) == 0
    assert "enabled takes 0.5" in capsys.readouterr().out

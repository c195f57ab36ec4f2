"""Variants in benchmark names, selected on the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.errors import ExitCode

NAMES = "BenchmarkPing/OTel_{}-8 \t 1000\t 1{}.5 ns/op\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    text = "".join(NAMES.format(name, n) for n in range(4) for name in ("On", "Off"))
    (tmp_path / "results.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "results.txt"


def test_pattern_takes_the_variant_from_the_names(results: str, capsys: Captured) -> None:
    options = [results, "--split", r"OTel_(?P<variant>\w+)"]
    assert run(["runs", *options, "--format", "json"]) == ExitCode.DONE
    variants = {row["variant"] for row in json.loads(capsys.readouterr().out)["runs"]}
    assert variants == {"On", "Off"}
    command = ["compare", *options, "--baseline", "Off", "--rename", r"s#OTel_\w+##"]
    assert run(command) == ExitCode.DONE
    assert "On" in capsys.readouterr().out


@pytest.mark.parametrize("pattern", ["OTel_(On|Off)", "OTel_(?P<variant>"])
def test_pattern_without_a_variant_is_refused(pattern: str, results: str, capsys: Captured) -> None:
    assert run(["runs", results, "--split", pattern]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert error.startswith(f"benchkit: error: --split: {pattern!r}")
    assert r"write --split 'OTel_(?P<variant>\w+)'" in error


def test_commands_timed_by_hyperfine_are_suggested_as_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    timed = [
        {"command": f"python {name}.py", "mean": time, "times": [time, time + 0.01, time + 0.02]}
        for name, time in (("first", 0.5), ("second", 0.7))
    ]
    (tmp_path / "bench.json").write_text(json.dumps({"results": timed}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["compare", "bench.json"]) == ExitCode.DATA
    error = capsys.readouterr().err
    assert "make each of its timed commands a variant" in error
    command = next(line for line in error.split("benchkit ") if "--split" in line)
    assert run(shlex.split(command)) == ExitCode.DONE
    assert "python second.py vs. python first.py" in capsys.readouterr().out

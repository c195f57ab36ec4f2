"""Damage recorded in a store: how the gate reports it, and when it ends."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

GATE = ("gate", "--max-overhead", "time_per_op=50%", "--format", "json")


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr")):
        for number in (1, 2):
            path = Path(f"res/{side}/run-{number}.txt")
            gated.write_runs(path, seed=10 * seed + number, runs=5, spread=0.002)
    path = Path("res/pr/run-3.txt")
    path.write_text("")
    return path


def test_damage_that_fails_the_gate_is_part_of_the_verdict(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*GATE, "res"]) == 3
    refused = json.loads(capsys.readouterr().out)["refused"]
    assert damaged.name in refused
    assert "not in the verdict" not in refused


def test_removed_damaged_file_is_forgotten_once_its_folder_is_ingested(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", "res"]) == 0
    assert run(GATE) == 3
    damaged.unlink()
    assert run(GATE) == 3  # the folder was not ingested without it
    assert run(["ingest", "res"]) == 0
    assert "B110" not in capsys.readouterr().err
    assert run(GATE) == 0


def test_strict_ingest_refuses_damage(damaged: Path) -> None:
    assert run(["ingest", "res", "--strict", "--store", "strict"]) == 3
    damaged.unlink()
    assert run(["ingest", "res", "--strict", "--store", "strict"]) == 0


def test_same_path_on_both_sides_is_reported(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", "res", "./res"]) == 3
    assert "both sides have the same path" in capsys.readouterr().out
    assert damaged.exists()


def test_measurements_that_count_as_one_are_reported_first(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged.unlink()
    Path("res/pr/run-2.txt").rename("other.txt")
    run(["ingest", "main=res/main", "pr=res/pr"])
    run(["ingest", "pr=other.txt"])
    capsys.readouterr()
    run(["compare"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("~ Inconclusive: two measurements of pr count as one (B111). ")

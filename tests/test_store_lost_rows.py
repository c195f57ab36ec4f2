"""A lost file of the log of runs revives nothing that its commit had removed."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest
from deltalake import DeltaTable

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

NAMES = ("results/main.txt", "results/pr.txt")


def measure(name: str, seed: int, store: str) -> None:
    gated.write_runs(Path(name), seed=seed)
    ingest([name], Store(store))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a store of two variants, the second one measured twice."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate((*NAMES, NAMES[1]), 1):
        measure(name, seed, "store")
    return "store"


def describe(store: str) -> list[tuple[str, str, float]]:
    """Return all values of a store with their variants and metrics."""
    values = bk.load(store=store).observations
    return sorted(zip(values["variant"], values["metric"], values["value"], strict=True))


def lose_rows(store: str, seq: int) -> None:
    """Delete the file of one commit of runs."""
    files = sorted(Path(store, "runs").glob("*.parquet"), key=lambda p: int(p.name.split("-")[0]))
    files[seq].unlink()


def repair(store: str) -> None:
    assert run(["store", "check", "--store", store]) == 3
    assert run(["store", "repair", "--store", store]) == 0
    assert run(["store", "check", "--store", store]) == 0


def test_superseded_run_stays_removed_when_its_successor_is_lost(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = describe(store)
    lose_rows(store, -1)
    repair(store)
    assert NAMES[1] in capsys.readouterr().out
    assert describe(store) == [value for value in described if value[0] == "main"]
    assert run(["ingest", *NAMES, "--store", store]) == 0
    assert describe(store) == described


def test_superseded_run_stays_removed_after_the_log_was_lost(store: str) -> None:
    described = describe(store)
    for entry in Path(store, "runs", "_delta_log").glob("*"):
        entry.unlink()
    repair(store)
    assert describe(store) == described
    lose_rows(store, 2)
    repair(store)
    assert describe(store) == [value for value in described if value[0] == "main"]


def test_superseded_run_stays_removed_after_a_checkpoint(store: str) -> None:
    for table in ("runs", "values"):
        settings = {"delta.checkpointInterval": "5"}
        DeltaTable(f"{store}/{table}").alter.set_table_properties(settings)
    for seed in range(4, 11):  # enough commits for a checkpoint to replace the first ones
        measure("results/other.txt", seed, store)
        if seed == 6:
            measure(NAMES[0], seed, store)
    assert list(Path(store, "runs", "_delta_log").glob("*.checkpoint.parquet"))
    before = describe(store)
    lose_rows(store, -1)
    repair(store)
    assert describe(store) == [value for value in before if value[0] != "other"]


def test_effects_of_a_lost_undo_are_kept(store: str) -> None:
    measure(NAMES[1], 4, store)
    Store(store).undo()
    before = describe(store)
    lose_rows(store, -1)
    repair(store)
    assert describe(store) == before


def test_run_measured_after_the_lost_commit_is_kept(store: str) -> None:
    measure(NAMES[1], 4, store)
    before = describe(store)
    lose_rows(store, 2)
    repair(store)
    assert describe(store) == before


def write_many(folders: list[str], count: int) -> list[str]:
    paths = [f"{folder}/{name}-1.txt" for folder in folders for name in range(count)]
    for path in paths:
        gated.write_runs(Path(path), seed=1)
    return paths


def name_sources(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Lose all files of runs, and return the list printed by `repair`."""
    capsys.readouterr()
    for file in Path("many/runs").glob("*.parquet"):
        file.unlink()
    assert run(["store", "repair", "--store", "many"]) == 0
    printed = capsys.readouterr()
    assert "unknown" not in printed.err
    return printed.out.splitlines()


def test_every_source_of_a_lost_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = write_many(["a", "b"], 3)
    ingest(["a", "b"], Store("many"))
    described = describe("many")
    assert name_sources(capsys) == paths
    ingest(["a", "b"], Store("many"))
    assert describe("many") == described
    for entry in Path("many/runs/_delta_log").glob("*"):
        entry.unlink()
    assert run(["store", "repair", "--store", "many"]) == 0
    assert name_sources(capsys) == paths


def test_folders_are_named_for_very_many_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("benchkit.store.notes._LONGEST", 20)
    write_many(["a", "b"], 3)
    ingest(["a", "b"], Store("many"))
    assert name_sources(capsys) == ["a/", "b/"]

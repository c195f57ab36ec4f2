"""Runs that were read by themselves, and are no repeats of each other, fail the gate."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run


@pytest.mark.parametrize("names", [("a1b2c3d", "b2c3d4e"), ("2026-10-01", "2026-10-02")])
def test_folders_of_one_parent_are_told_apart_by_their_names(
    names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(names):
        gated.write_runs(Path(f"commits/{name}/bench.txt"), seed=seed, runs=5)
        assert run(["ingest", f"commits/{name}", "-q"]) == 0
    assert set(bk.load().runs["variant"]) == set(names)


def test_one_variant_of_several_folders_fails_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, commit in enumerate(("a1b2c3d", "b2c3d4e")):
        for place, name in enumerate(("main", "pr")):
            path = Path(f"commits/{commit}/{name}.txt")
            gated.write_runs(path, seed=2 * seed + place, runs=5, spread=0.002)
        assert run(["ingest", f"commits/{commit}", "-q"]) == 0
    assert run(["gate", "--max-overhead", "time_per_op=5%", "--format", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    mixed = [one for one in document["findings"] if one["code"] == "B111"]
    assert [one["where"] for one in mixed] == ["main", "pr"]
    assert "runs of 2 folders count together: commits/a1b2c3d, " in mixed[0]["message"]
    arguments = ["gate", "commits/a1b2c3d", "commits/b2c3d4e"]
    assert run(arguments) == 0  # named together they are told apart
    printed = capsys.readouterr().out
    assert "a1b2c3d" in printed
    assert "b2c3d4e" in printed
    assert run(["gate", "commits", "-q"]) == 0


@pytest.mark.parametrize("count", [2, 4])
def test_folders_that_are_ingested_one_by_one_are_named_with_the_command_that_reads_them_together(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    count: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = ["in/main", "in/pr", "in/pr2", "in/pr3"][:count]
    for place, folder in enumerate(folders):
        for seed, endpoint in enumerate(("large", "small"), 2 * place):
            gated.write_runs(Path(folder, f"{endpoint}.txt"), seed=seed, runs=6)
        assert run(["ingest", folder]) == 0
        printed = capsys.readouterr().err
        assert ("error: B111 large: runs of " in printed) == (place > 0)
    command = f"benchkit ingest {' '.join(folders) if count == 2 else 'in'} --store NEW"
    assert f"if they are repeats, run `{command}`" in printed
    assert f"label each folder: {folders[-1].removeprefix('in/')}={folders[-1]}" in printed
    assert run([*command.split()[1:], "-q"]) == 0
    assert set(bk.load(store="NEW").runs["variant"]) == {Path(folder).name for folder in folders}


def test_folders_that_count_runs_or_are_labelled_are_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        for variant in ("main", "pr"):
            seed = 2 * number + (variant == "pr")
            gated.write_runs(Path(f"run{number}/{variant}.txt"), seed=seed, runs=5)
            gated.write_runs(Path(f"night/{seed}/redis.txt"), seed=seed, runs=5)
            assert run(["ingest", f"{variant}=night/{seed}", "--store", "labelled", "-q"]) == 0
        assert run(["ingest", f"run{number}", "-q"]) == 0
    for store in (".benchkit", "labelled"):
        assert "B111" not in set(bk.load(store=store).findings["code"])


def test_files_of_a_variant_that_are_ingested_one_by_one_are_no_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, path in enumerate(["A/list", "A/search", "B/list", "B/search"]):
        gated.write_runs(Path(f"{path}.txt"), seed=seed, runs=4)
        assert run(["ingest", f"{path}.txt", "--variant", path[0], "--store", "apart", "-q"]) == 0
    capsys.readouterr()
    gate = ["gate", "--baseline", "A", "--store"]
    assert run([*gate, "apart"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "runs of 2 names of files count together: list, search" in shown
    for variant in "AB":
        assert run(["ingest", variant, "--variant", variant, "--store", "together", "-q"]) == 0
    assert run([*gate, "together"]) == 0
    for number in (1, 2):
        for variant in "AB":
            gated.write_runs(Path(f"{variant}/get-{number}.txt"), seed=number, runs=4)
            path = f"{variant}/get-{number}.txt"
            assert run(["ingest", path, "--variant", variant, "--store", "runs", "-q"]) == 0
    assert run([*gate, "runs"]) == 3  # the same values under both labels
    assert "names of files" not in capsys.readouterr().out

"""Runs that were ingested separately and are not repeats of each other fail the gate."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"


@pytest.mark.parametrize("names", [("a1b2c3d", "b2c3d4e"), ("2026-10-01", "2026-10-02")])
def test_sibling_folders_are_distinguished_by_their_names(
    names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(names):
        gated.write_runs(Path(f"commits/{name}/bench.txt"), seed=seed, runs=5)
        assert run(["ingest", f"commits/{name}", "-q"]) == 0
    assert set(bk.load().runs["variant"]) == set(names)


def test_one_variant_from_several_folders_fails_the_gate(
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
    assert run(arguments) == 0  # read together they are distinguished
    printed = capsys.readouterr().out
    assert "a1b2c3d" in printed
    assert "b2c3d4e" in printed
    assert run(["gate", "commits", "-q"]) == 0


@pytest.mark.parametrize("count", [2, 4])
def test_separately_ingested_folders_are_reported_with_a_combined_command(
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


def test_numbered_or_labelled_folders_are_repeats(
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


def test_separately_ingested_files_of_a_variant_are_not_repeats(
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


@pytest.mark.parametrize("tool", ["go", "wrk"])
def test_packed_file_next_to_another_measurement_fails_the_gate(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy packed earlier used to hide the regression in the run that took its name."""
    monkeypatch.chdir(tmp_path)
    if tool == "go":
        for seed, name in enumerate(("main", "pr", "old")):
            gated.write_runs(Path(f"res/{name}/1.txt"), seed=seed, cost=0.08 * (name == "pr"))
        plain, old = [Path("res/pr/1.txt")], [Path("res/old/1.txt")]
    else:
        for name in ("main", "pr", "old"):
            source = FIXTURES / "tracing-wrk" / ("none" if name == "main" else "apm")
            shutil.copytree(source, f"res/{name}", ignore=shutil.ignore_patterns("*[!1-3].txt"))
        plain, old = sorted(Path("res/pr").iterdir()), sorted(Path("res/old").iterdir())
        for path in plain:
            path.write_text(re.sub(r"(sec: +)1\d", r"\g<1>8", path.read_text()))
    for path, earlier in zip(plain, old, strict=True):
        Path(f"{path}.gz").write_bytes(gzip.compress(earlier.read_bytes()))
    shutil.rmtree("res/old")
    limit = "time_per_op=5%" if tool == "go" else "request_rate=25%"
    gate = ["gate", "--baseline", "main", "--max-overhead", limit, "--format", "json"]
    for arguments in (["res"], ["--store", "store"]):
        if arguments != ["res"]:
            assert run(["ingest", "res", *arguments]) == 0
            capsys.readouterr()
        assert run([*gate, *arguments]) == 3
        findings = json.loads(capsys.readouterr().out)["findings"]
        (mixed,) = [one for one in findings if one["code"] == "B111"]
        assert mixed["where"] == "pr"
        assert f"{plain[0].name}.gz" in mixed["message"]
        assert mixed["remedy"].endswith("; then ingest with `--store NEW`")
    for path in plain:
        Path(f"{path}.gz").unlink()
    assert run(["ingest", "res", "--store", "NEW"]) == 0
    assert run([*gate, "--store", "NEW"]) == (tool == "go")


def test_packed_copy_is_one_measurement_until_the_file_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("main", "pr")):
        path = gated.write_runs(Path(f"res/{name}/1.txt"), seed=seed)
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    gate = ["gate", "--max-overhead", "time_per_op=5%", "--store", "store"]
    assert run(["ingest", "res", "--store", "store"]) == 0
    assert run(gate) == 0
    gated.write_runs(path, seed=3, cost=0.08)
    assert run(["ingest", "res", "--store", "store"]) == 0
    assert run(gate) == 3
    assert "B111" in capsys.readouterr().err


def test_packed_copy_of_samples_is_one_measurement(tmp_path: Path) -> None:
    source = FIXTURES / "k6-edge" / "small" / "k6-raw-small.json.gz"
    packed = Path(shutil.copy(source, tmp_path))
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    assert "B111" not in set(bk.load(tmp_path).findings["code"])

"""Files renamed, swapped, packed or copied between two ingests lose no measurement."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run

SIDES = ("main", "pr")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ingest two files of each side."""
    monkeypatch.chdir(tmp_path)
    folder = Path("res")
    for seed, name in enumerate(("main-1", "main-2", "pr-1", "pr-2")):
        gated.write_runs(folder / f"{name}.txt", seed=seed, runs=3)
    assert run(["ingest", "res"]) == 0
    return folder


def list_values(variant: str) -> list[float]:
    """Return the times of a variant in the store."""
    rows = bk.load().observations
    rows = rows[(rows["variant"] == variant) & (rows["benchmark"] == "Ping")]
    return sorted(rows[rows["metric"] == "time_per_op"]["value"])


def read_values(*names: str) -> list[float]:
    """Return the times in some files."""
    lines = [line for name in names for line in Path(name).read_text().splitlines()]
    times = [line.split()[2] for line in lines if line.startswith("BenchmarkPing")]
    return sorted(float(value) * 1e-9 for value in times)


def are_close(stored: list[float], read: list[float]) -> bool:
    return stored == pytest.approx(read, rel=1e-12)


def rotate(folder: Path) -> None:
    for side in SIDES:
        (folder / f"{side}-1.txt").rename(folder / f"{side}-3.txt")
        gated.write_runs(folder / f"{side}-1.txt", seed=len(side) + 50, runs=3)


def swap_repeats(folder: Path) -> None:
    for side in SIDES:
        swap(folder / f"{side}-1.txt", folder / f"{side}-2.txt")


def swap_sides(folder: Path) -> None:
    for number in (1, 2):
        swap(folder / f"main-{number}.txt", folder / f"pr-{number}.txt")


def swap(one: Path, other: Path) -> None:
    one.rename("aside")
    other.rename(one)
    Path("aside").rename(other)


def label_files(side: str) -> list[str]:
    return [f"{side}={path}" for path in sorted(Path("res").glob(f"{side}-*.txt*"))]


@pytest.mark.parametrize("change", [rotate, swap_repeats, swap_sides])
@pytest.mark.parametrize("way", ["folder", "labels"])
def test_store_has_the_values_of_the_files(
    folder: Path, change: Callable[[Path], None], way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    labelled = [argument for side in SIDES for argument in label_files(side)]
    assert run(["ingest", *(["res"] if way == "folder" else labelled)]) == 0
    capsys.readouterr()
    change(folder)
    labelled = [argument for side in SIDES for argument in label_files(side)]
    assert run(["ingest", *(["res"] if way == "folder" else labelled)]) == 0
    assert "B103" not in capsys.readouterr().err
    for side in SIDES:
        files = map(str, folder.glob(f"{side}-*.txt*"))
        assert are_close(list_values(side), read_values(*files))


@pytest.mark.parametrize("way", ["folder", "labels"])
def test_packed_files_keep_their_runs(
    folder: Path, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [list_values(side) for side in SIDES]

    def ingest() -> None:
        labelled = [argument for side in SIDES for argument in label_files(side)]
        assert run(["ingest", *(["res"] if way == "folder" else labelled)]) == 0
        assert "B11" not in capsys.readouterr().err
        assert [list_values(side) for side in SIDES] == before
        assert "B111" not in set(bk.load().findings["code"])

    ingest()
    for path in [*folder.glob("*.txt")]:
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    ingest()
    for path in [*folder.glob("*.gz")]:
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    ingest()


def test_copied_folder_counts_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = [list_values(side) for side in SIDES]
    shutil.copytree(folder, "backup")
    assert run(["ingest", "backup"]) == 0
    assert "B103" in capsys.readouterr().err
    assert [list_values(side) for side in SIDES] == before


@pytest.mark.usefixtures("folder")
def test_file_ingested_under_another_label_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["ingest", "main=res/main-1.txt", "pr=res/pr-1.txt", "--store", "new"]) == 0
    capsys.readouterr()
    assert run(["ingest", "pr=res/main-1.txt", "--store", "new"]) == 0
    shown = "B103 main, pr: the same values of res/main-1.txt count as main and as pr"
    assert shown in capsys.readouterr().err
    run(["compare", "--store", "new"])
    assert shown in capsys.readouterr().out
    gated.write_runs(Path("res/main-1.txt"), seed=9, runs=3)
    assert run(["ingest", "main=res/main-1.txt", "--store", "new"]) == 0
    assert "B103" not in set(bk.load(store="new").findings["code"])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("is_linked", [False, True])
def test_store_moved_with_its_results_accepts_ingests(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_linked: bool,
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("res", ".benchkit"):
        Path(name).rename(here / name)
    if is_linked:
        Path("res").symlink_to(here / "res")
    monkeypatch.chdir(here)
    before = list_values("pr")
    capsys.readouterr()
    assert run(["ingest", "res"]) == 0
    shown = capsys.readouterr().err
    assert ("4 superseded" in shown, "B103" in shown) == (True, False)
    assert list_values("pr") == before


@pytest.mark.usefixtures("folder")
def test_suggested_commands_for_moved_and_remeasured_results_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    for name in ("res", ".benchkit"):
        Path(name).rename(tmp_path / "here" / name)
    monkeypatch.chdir(tmp_path / "here")
    for seed, path in enumerate(sorted(Path("res").iterdir())):
        gated.write_runs(path, seed=50 + seed, runs=3)
    assert run(["ingest", "res"]) == 0
    match = re.search(
        r"B111 main: .*for a store without .*`benchkit (.*)`", capsys.readouterr().err
    )
    assert match is not None
    assert run(shlex.split(match[1])) == 0
    assert run(["gate", "--store", "NEW"]) == 0

"""`history site` reports a folder that it cannot write to, and refuses an empty name."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

from benchkit.cli import run

DATE = ["--date", "2026-10-01T10:00:00Z", "-q"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(tmp_path / "results/base.txt", seed=1, benchmarks=("Ping",))
    assert run(["history", "add", "results", "--commit", "0000001a", *DATE]) == 0
    return tmp_path


@pytest.mark.parametrize("place", ["file", "file/pages", "link"])
def test_invalid_folder_for_pages_is_reported(
    folder: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "file").write_text("x")
    (folder / "link").symlink_to("gone")
    assert run(["history", "site", place]) == 2
    assert f"error: {place}: cannot create the folder: " in capsys.readouterr().err
    assert (folder / "file").read_text() == "x"
    assert not (folder / "gone").exists()


@pytest.mark.parametrize("place", ["", " "])
def test_empty_folder_name_is_refused(
    folder: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert run(["history", "site", place]) == 2
    assert "DIR: its value is empty; give a folder for the pages" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["index.html", "benchmarks/ping.html", "benchmarks"])
def test_link_to_another_folder_is_refused_before_anything_is_written(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "elsewhere").mkdir()
    link = folder / "site" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(folder / "elsewhere")
    before = sorted((folder / "site").rglob("*"))
    assert run(["history", "site", "site"]) == 2
    assert f"error: site/{name}: is a link to another folder" in capsys.readouterr().err
    assert sorted((folder / "site").rglob("*")) == before

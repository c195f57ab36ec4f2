"""A store that a stranger made reads, writes and deletes nothing outside of its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

RESULT = Path(__file__).resolve().parent.parent / "fixtures/tracing-wrk/none/wrk-1.txt"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with results and a store, beside a folder of the user's."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/notes.txt").write_text("mine")
    (tmp_path / "checkout/results/none").mkdir(parents=True)
    shutil.copy(RESULT, tmp_path / "checkout/results/none")
    monkeypatch.chdir(tmp_path / "checkout")
    ingest(["results"], Store())
    return tmp_path / "checkout"


def show_home(checkout: Path) -> dict[str, bytes]:
    home = checkout.parent / "home"
    files = (path for path in home.rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("place", "target"),
    [
        (".lock", "notes.txt"),
        (".gitignore", "new.txt"),
        ("runs", "runs"),
        ("values", "values"),
        ("values/raw=false", "raw"),
        ("runs/_delta_log", "log"),
        ("runs/_delta_log/_newest", "new.txt"),
    ],
)
def test_no_link_in_a_store_is_followed(checkout: Path, place: str, target: str) -> None:
    link, home = checkout / ".benchkit" / place, checkout.parent / "home"
    if link.is_dir():
        shutil.move(link, home / target)
    else:
        link.unlink(missing_ok=True)
    link.symlink_to(home / target)
    before = show_home(checkout)
    (checkout / "results/none/wrk-2.txt").write_text(RESULT.read_text().replace("10406", "10407"))
    for words in (["ingest", "results"], ["store", "vacuum"], ["store", "repair"], ["undo"]):
        assert run(words) == 3 or place == ".gitignore"
    assert show_home(checkout) == before


def test_a_link_in_place_of_the_store_is_followed_only_by_name(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = checkout.parent / "home/store"
    shutil.move(checkout / ".benchkit", target)
    (checkout / ".benchkit").symlink_to(target)
    before = show_home(checkout)
    for words in (["ingest", "results"], ["runs"], ["undo"], ["store", "check"]):
        assert run(words) == 3
        streams = capsys.readouterr()
        assert ".benchkit: the store is a link to another folder" in streams.out + streams.err
        assert f"--store {target}" in streams.out + streams.err
    assert show_home(checkout) == before
    assert run(["runs", "--store", str(target)]) == 0


@pytest.mark.parametrize("table", ["runs", "values"])
@pytest.mark.parametrize("form", ["../../../home/{}", "{home}/{}", "file://{home}/{}"])
def test_a_log_names_no_file_outside_of_its_table(checkout: Path, table: str, form: str) -> None:
    folder, home = checkout / ".benchkit" / table, checkout.parent / "home"
    file = next(folder.rglob("*.parquet"))
    shutil.move(file, home / file.name)
    for entry in (folder / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in entry.read_text().splitlines()]
        for action in actions:
            if "add" in action:
                action["add"]["path"] = form.format(file.name, home=home)
            for name in ("checksum", "files", "place"):
                action.get("commitInfo", {}).pop(name, None)
        entry.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    before = show_home(checkout)
    for words in (["export"], ["undo"], ["store", "vacuum"], ["store", "repair"]):
        run(words)
    assert run(["export"]) == 3
    assert show_home(checkout) == before

"""The rest of a store that lost its logs of commits is never mistaken for no store."""

from __future__ import annotations

import shutil
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

LOGS = ("runs/_delta_log", "values/_delta_log")
COMMANDS = (
    ["runs"],
    ["compare", "--baseline", "main"],
    ["check"],
    ["gate", "--baseline", "main"],
    ["report", "--baseline", "main"],
    ["export"],
    ["history", "show"],
    ["ingest", "results"],
    ["undo"],
    ["store", "check"],
    ["store", "upgrade"],
    ["store", "vacuum"],
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a store of three ingests; the second variant was measured twice."""
    monkeypatch.chdir(tmp_path)
    for seed, name in ((1, "main"), (2, "pr"), (3, "pr")):
        gated.write_runs(Path("results") / f"{name}.txt", seed=seed)
        ingest([f"results/{name}.txt"], Store("store"))
    return tmp_path / "store"


def empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def describe(store: Path) -> list[tuple[str, str, float]]:
    """Return all values of a store with their variants and metrics."""
    values = bk.load(store=str(store)).observations
    return sorted(zip(values["variant"], values["metric"], values["value"], strict=True))


@pytest.mark.parametrize("lose", [empty, shutil.rmtree])
@pytest.mark.parametrize("lost", [LOGS, LOGS[:1], ("runs/_delta_log", "values")])
def test_no_command_treats_a_store_without_its_log_as_missing(
    store: Path, lose: object, lost: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = describe(store)
    for name in lost:
        (shutil.rmtree if name == "values" else lose)(store / name)  # type: ignore[operator]
    for command in COMMANDS:
        assert run([*command, "--store", str(store)]) == 3, command
        streams = capsys.readouterr()
        shown = streams.err + streams.out
        assert "runs/_delta_log" in shown, command
        assert "benchkit store repair" in shown, command
    assert run(["compare", str(store), "--baseline", "main"]) == 3
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert run(["store", "check", "--store", str(store)]) == 0
    if "values" in lost:
        assert "results/main.txt" in capsys.readouterr().out
        for name in ("main", "pr"):
            assert run(["ingest", f"results/{name}.txt", "--store", str(store)]) == 0
    assert describe(store) == before


def test_store_without_runs_asks_to_ingest_everything_again(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = describe(store)
    shutil.rmtree(store / "runs")
    assert run(["ingest", "results", "--store", str(store)]) == 3
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert "all folders" in capsys.readouterr().err
    assert run(["store", "check", "--store", str(store)]) == 0
    for name in ("main", "pr"):
        assert run(["ingest", f"results/{name}.txt", "--store", str(store)]) == 0
    assert describe(store) == before


def test_rows_in_merged_files_count_once_whatever_their_times(store: Path) -> None:
    gated.write_runs(Path("results/main.txt"), seed=4)
    Store(str(store)).tidy(thoroughly=True)
    ingest(["results/main.txt"], Store(str(store)))
    ingest(["results/pr.txt"], Store(str(store)))
    Store(str(store)).tidy(thoroughly=True)
    before = describe(store)
    for name in LOGS:
        shutil.rmtree(store / name)
    copy = Path("copy")
    for file in sorted(store.rglob("*.parquet"), key=lambda path: -path.stat().st_mtime_ns):
        place = copy / file.relative_to(store)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
    assert run(["store", "repair", "--store", str(copy)]) == 0
    assert describe(copy) == before


def test_uncommitted_entry_of_another_writer_is_not_a_log(store: Path) -> None:
    """delta-rs first writes an entry under a temporary name, which once lost a new store."""
    for place, version in ((store, 9), (Path("new"), 0)):
        log = place / "runs/_delta_log"
        log.mkdir(parents=True, exist_ok=True)
        (log / f"{version:020}.json#1").write_text('{"commitInfo"')
    assert run(["ingest", "results", "--store", "new"]) == 0
    assert run(["store", "check", "--store", str(store)]) == 0
    assert describe(Path("new")) == describe(store)


def test_ingest_that_reads_nothing_leaves_no_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.dat").write_text("nothing measured")
    assert run(["ingest", str(tmp_path / "notes.dat"), "--store", str(tmp_path / "store")]) == 3
    assert run(["undo", "--store", str(tmp_path / "store")]) == 3
    assert "no store here" in capsys.readouterr().err


def test_results_in_folders_named_like_tables_are_not_a_store(tmp_path: Path) -> None:
    for name in ("main", "pr"):
        gated.write_runs(tmp_path / "runs" / f"{name}.txt", seed=len(name))
    (tmp_path / "runs" / "mine.parquet").write_bytes(b"PAR1")
    assert run(["compare", str(tmp_path), "--baseline", "main"]) == 0
    assert run(["store", "check", "--store", str(tmp_path)]) == 3

"""A store written before the log of runs opens, grows, and is rewritten by `store upgrade`."""

from __future__ import annotations

import shutil
from pathlib import Path

import gated
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.archives import unpack
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
#: As listed by that build: k6's text and export are one run.
RUNS = {"none": 3, "otlp": 3, "k6": 9}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    unpack(FIXTURES / "earlier-store" / "store.tar.gz", tmp_path / "earlier", "store.tar.gz")
    return tmp_path / "earlier"


def count_runs(store: str) -> dict[str, int]:
    return dict(bk.load(store=store).runs["variant"].value_counts())


def values(store: str) -> list[tuple[object, ...]]:
    frame = bk.load(store=store).observations.astype(str)
    return sorted(frame.itertuples(index=False, name=None), key=repr)


def encodings(store: str) -> set[str]:
    used: set[str] = set()
    for path in DeltaTable(f"{store}/values").file_uris():
        group = pq.ParquetFile(path).metadata.row_group(0)
        for at in range(group.num_columns):
            used.update(group.column(at).encodings)
    return used


def test_earlier_store_opens_and_ingests_into_it_can_be_undone(place: Path) -> None:
    store = str(place / "store")
    assert count_runs(store) == RUNS
    before = values(store)
    assert run(["undo", "--store", store]) == 3, "its last ingest is in no log"
    shutil.copytree(FIXTURES / "tracing-wrk" / "zipkin", place / "zipkin")
    assert run(["ingest", str(place / "zipkin"), "--store", store]) == 0
    assert count_runs(store) == {**RUNS, "zipkin": 16}
    assert run(["undo", "--store", store]) == 0
    assert values(store) == before


def test_upgrade_makes_an_earlier_store_readable_by_other_programs(place: Path) -> None:
    store = str(place / "store")
    before = values(store)
    assert "BYTE_STREAM_SPLIT" in encodings(store)
    assert run(["store", "upgrade", "--store", store]) == 0
    assert "BYTE_STREAM_SPLIT" not in encodings(store)
    assert values(store) == before
    assert count_runs(store) == RUNS
    for name in ("runs", "values"):
        settings = DeltaTable(f"{store}/{name}").metadata().configuration
        assert settings["delta.logRetentionDuration"] == "interval 1 hours"
    table = DeltaTable(f"{store}/runs").to_pyarrow_table()
    assert not any(table[name].null_count for name in ("seq", "operation", "dropped"))
    assert run(["undo", "--store", store]) == 3
    assert run(["store", "check", "--store", store]) == 0
    assert Store(store).tidy().rewritten == 0


def test_vacuum_reports_the_number_of_deleted_files(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(place / "store")
    assert run(["store", "upgrade", "--store", store]) == 0
    for _ in range(2):
        before = set(Path(store).rglob("*.parquet"))
        capsys.readouterr()
        assert run(["store", "vacuum", "--store", store]) == 0
        deleted = len(before - set(Path(store).rglob("*.parquet")))
        error = capsys.readouterr().err
        assert f"{deleted} files deleted from disk" in error or not deleted
        assert "deleted" not in error or deleted
    assert "nothing to do" in error


def test_vacuum_merges_files(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(place / "store")
    before = values(store)
    assert run(["store", "vacuum", "--store", store]) == 0
    assert "merged" in capsys.readouterr().err
    assert len(DeltaTable(f"{store}/values").file_uris()) == 1
    assert values(store) == before


def test_upgrade_without_changed_labels_keeps_the_last_ingest_undoable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        gated.write_runs(tmp_path / f"r{number}/base.txt", seed=number, benchmarks=("Ping",))
        assert run(["ingest", f"r{number}", "-q"]) == 0
    assert run(["store", "upgrade"]) == 0
    assert run(["store", "check"]) == 0
    capsys.readouterr()
    assert run(["undo"]) == 0
    assert "10 runs from r2/base.txt; the store now holds 10 runs" in capsys.readouterr().err

"""A store is complete or absent: append, conflict, undo, tidy."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from benchkit.cli import run
from benchkit.errors import StoreError
from benchkit.ingestion.sink import ValueSink
from benchkit.parsers.base import Reading, Samples
from benchkit.store import Store, conflicts, delta, new_batch, tidying, values_schema
from benchkit.store.batch_files import write_files
from benchkit.store.reader import Reader


def batch(number: int, *, raw: bool = False, value: float = 1.0) -> pa.RecordBatch:
    row = {
        "batch": number,
        "raw": raw,
        "piece": 0,
        "metric": "latency",
        "stat": "p50",
        "value": value,
        "unit": "s",
        "origin": "reported",
        "line": 1,
    }
    return pa.RecordBatch.from_pylist([row], values_schema())


def append(store: Store, batches: list[pa.RecordBatch]) -> None:
    """Append values that no piece refers to yet."""
    with store.staging(number := new_batch()) as folder:
        store.add(write_files(folder, number, batches))


def pieces(number: int, *names: str) -> pa.Table:
    return pa.table(
        {
            "batch": pa.repeat(pa.scalar(number, pa.int64()), len(names)),
            "piece": pa.array(range(len(names)), pa.int64()),
            "path": pa.array(names, pa.string()),
        }
    )


def add_pieces(store: Store, number: int, *names: str) -> None:
    store.commit_pieces(lambda _: pieces(number, *names))


def paths(store: Store) -> list[str]:
    pieces = store.pieces()
    assert pieces is not None
    return pieces["path"].to_pylist()  # type: ignore[no-any-return]


def test_place_without_a_store_is_empty(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "none"))
    assert store.pieces() is None
    assert store.values().num_rows == 0
    assert not store.is_store()


def test_values_and_pieces_are_read_back(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    append(store, [batch(1), batch(1, raw=True, value=2.0)])
    add_pieces(store, 1, "a")
    assert store.is_store()
    assert store.values()["value"].to_pylist() == [1.0]
    assert sorted(store.values(raw=True)["value"].to_pylist()) == [1.0, 2.0]
    assert store.values(metrics=["request's rate"]).num_rows == 0
    assert paths(store) == ["a"]


def test_last_row_of_a_piece_counts_unless_dropped(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a", "b")
    add_pieces(store, 1, "c", "b")
    assert paths(store) == ["c", "b"]
    gone = pieces(1, "c").append_column("dropped", pa.array([True]))
    store.commit_pieces(lambda _: gone)
    assert paths(store) == ["b"]


def test_commit_conflicts_with_any_other_since_the_pieces_were_read(tmp_path: Path) -> None:
    """Two blind appends of delta-rs from one stale version both succeed."""
    store, read = Store(str(tmp_path)), []

    def build(current: pa.Table | None) -> pa.Table:
        read.append(0 if current is None else len(current))
        if len(read) == 1:
            add_pieces(Store(str(tmp_path)), 1, "a")
        elif len(read) == 2:
            add_pieces(Store(str(tmp_path)), 2, "b")
        return pieces(3, "c")

    store.commit_pieces(build)
    assert read == [0, 1, 2]
    assert paths(store) == ["a", "b", "c"]


def test_commit_that_fails_after_another_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Observed on S3: delta-rs cannot read the entry of the writer that came first."""
    store, commit, calls = Store(str(tmp_path)), DeltaTable.create_write_transaction, []
    add_pieces(store, 1, "a")

    def fail_once(self: DeltaTable, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        calls.append(self.version())
        if len(calls) > 1:
            commit(self, *arguments, **options)
            return
        add_pieces(Store(str(tmp_path)), 2, "b")
        raise DeltaError("Invalid table version: 1")

    monkeypatch.setattr(DeltaTable, "create_write_transaction", fail_once)
    add_pieces(store, 3, "c")
    assert paths(store) == ["a", "b", "c"]


def test_endless_conflicts_are_a_store_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conflicts, "_PATIENCE", 0.3)
    other = Store(str(tmp_path))

    def build(current: pa.Table | None) -> pa.Table:
        add_pieces(other, 1 if current is None else 1 + len(current), "a")
        return pieces(0, "b")

    with pytest.raises(
        StoreError, match="other processes changed the store at the same time"
    ) as raised:
        Store(str(tmp_path)).commit_pieces(build)
    assert "nothing was changed" in raised.value.hint
    assert set(paths(other)) == {"a"}


def test_column_of_a_later_build_is_added_to_the_log(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a")
    store.commit_pieces(lambda _: pieces(2, "b").append_column("status", pa.array(["failed"])))
    stored = store.pieces()
    assert stored is not None
    assert stored["status"].to_pylist() == [None, "failed"]


def test_undo_reverts_exactly_one_ingest(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a")
    add_pieces(store, 2, "b")
    store.undo()
    assert paths(store) == ["a"]
    with pytest.raises(StoreError, match="only the last ingest"):
        store.undo()


def test_undo_restores_dropped_pieces_and_labels(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a", "b")
    change = pieces(1, "x", "b").append_column("dropped", pa.array([False, True]))
    new = pieces(2, "c").append_column("dropped", pa.array([False]))
    store.commit_pieces(lambda _: pa.concat_tables([change, new]))
    assert paths(store) == ["x", "c"]
    store.undo()
    assert paths(store) == ["a", "b"]


def test_first_ingest_can_be_undone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a")
    store.undo()
    assert paths(store) == []


def test_nothing_to_undo_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store"):
        Store(str(tmp_path)).undo()


def test_values_needed_by_neither_piece_nor_undo_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidying, "MANY_STALE", 1)
    store = Store(str(tmp_path))
    for number in (1, 2, 3):
        append(store, [batch(number, value=number)])
        old = pieces(number - 1, "a").append_column("dropped", pa.array([True]))
        new = pieces(number, "a").append_column("dropped", pa.array([False]))
        rows = pa.concat_tables([old, new])
        store.commit_pieces(lambda _, rows=rows: rows)  # type: ignore[misc]
        store.tidy()
    assert sorted(store.values()["value"].to_pylist()) == [2.0, 3.0]
    store.undo()
    store.tidy(thoroughly=True)
    assert sorted(store.values()["value"].to_pylist()) == [2.0]


def test_unneeded_values_are_deleted_in_bulk(tmp_path: Path) -> None:
    store, versions = Store(str(tmp_path)), []
    for number in range(1, 40):
        append(store, [batch(number, value=number)])
        old = pieces(number - 1, "a").append_column("dropped", pa.array([True]))
        new = pieces(number, "a").append_column("dropped", pa.array([False]))
        rows = pa.concat_tables([old, new])
        store.commit_pieces(lambda _, rows=rows: rows)  # type: ignore[misc]
        store.tidy()
        versions.append(count_files(store))
    assert max(versions) <= 18
    assert DeltaTable(tmp_path / "values").version() < 45


def test_logs_drop_entries_that_no_writer_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"delta.logRetentionDuration": "interval 0 seconds"}
    monkeypatch.setattr(delta, "_SETTINGS", {**delta._SETTINGS, **settings})
    store = Store(str(tmp_path))
    for number in range(1, 45):
        add_pieces(store, number, "a")
    assert len(list((tmp_path / "runs" / "_delta_log").glob("*.json"))) <= 21


def test_values_a_writer_may_still_refer_to_are_kept(tmp_path: Path) -> None:
    store, now = Store(str(tmp_path)), new_batch()
    append(store, [batch(now, value=1.0)])
    append(store, [batch(now - (25 * 3_600_000_000 << 12), value=2.0)])
    add_pieces(store, 1, "a")
    store.tidy(thoroughly=True)
    assert store.values()["value"].to_pylist() == [1.0]


def test_batches_are_distinguished_by_time() -> None:
    first = new_batch()
    assert new_batch() != first > 1_700_000_000_000_000


def test_uncreatable_folder_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--store"):
        append(Store(str(tmp_path / "file" / "store")), [batch(1)])


def count_files(store: Store) -> int:
    return len(DeltaTable(f"{store.url}/values").file_uris())


def test_many_small_ingests_are_merged_and_can_still_be_undone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in range(1, 33):
        append(store, [batch(number, value=number), batch(number, raw=True, value=-number)])
        add_pieces(store, number, str(number))
        if number == 31:
            store.tidy()
            assert count_files(store) == 62
    store.tidy()
    assert count_files(store) == 2
    assert sorted(store.values()["value"].to_pylist()) == list(range(1, 33))
    assert min(store.values(raw=True)["value"].to_pylist()) == -32
    assert paths(store) == [str(number) for number in range(1, 33)]
    store.undo()
    assert len(paths(store)) == 31


def test_log_of_runs_is_merged_and_can_still_be_undone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in range(1, 17):
        add_pieces(store, 1, *(f"{number}.{place}" for place in range(3)))
    store.tidy()
    assert len(DeltaTable(f"{store.url}/runs").file_uris()) == 1
    assert paths(store) == ["16.0", "16.1", "16.2"]
    store.undo()
    assert paths(store) == ["15.0", "15.1", "15.2"]


def test_store_of_an_earlier_layout_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    add_pieces(Store(str(tmp_path)), 1, "a")
    write_deltalake(
        tmp_path / "values", pa.table(batch(1).to_pydict(), values_schema()), partition_by=["batch"]
    )
    with pytest.raises(StoreError, match="earlier benchkit"):
        append(Store(str(tmp_path)), [batch(2)])
    assert len(list((tmp_path / "values").rglob("*.parquet"))) == 1


def test_leftovers_of_a_crash_are_deleted_once_nobody_can_be_writing_them(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    append(store, [batch(1)])
    add_pieces(store, 1, "a")
    folder = tmp_path / "values" / "raw=true"
    folder.mkdir()
    for name, age in (("1-old.parquet", 25 * 3600), ("2-new.parquet", 0)):
        (folder / name).write_bytes(b"PAR1")
        os.utime(folder / name, (time.time() - age,) * 2)
    store.tidy(thoroughly=True)
    assert [path.name for path in folder.iterdir()] == ["2-new.parquet"]
    assert len(store.values(raw=True)) == 1


def test_vacuum_deletes_merged_files_of_both_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path))
    for number in range(1, 4):
        append(store, [batch(number, value=number)])
        add_pieces(store, number, str(number))
    store.tidy(thoroughly=True)
    assert all(len(list_parquet(store, name)) == 4 for name in ("runs", "values"))
    monkeypatch.setattr("benchkit.store.delta._REMOVED_HOURS", 0)
    assert store.tidy(thoroughly=True).deleted == 6
    for name in ("runs", "values"):
        (left,) = list_parquet(store, name)
        assert DeltaTable(f"{store.url}/{name}").file_uris() == [str(left)]
    assert paths(store) == ["1", "2", "3"]


def list_parquet(store: Store, table: str) -> list[Path]:
    return list(Path(store.url, table).rglob("*.parquet"))


def test_samples_of_one_metric_and_piece_are_found_by_row_groups(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    add_pieces(store, 1, "a")
    sink = ValueSink(7, tmp_path / "values")
    reading = Reading(tool="k6", form="json", line=1)
    for block in range(40):
        for place, metric in enumerate(("latency", "vus")):
            values = np.arange(5000.0) + block * 5000 + place / 2
            lines = np.arange(5000) + block * 5000
            piece = block // 20
            sink.take(
                piece, Samples(reading=reading, metric=metric, unit="s", values=values, lines=lines)
            )
    batches, (file,) = sink.close()
    assert batches == []
    store.add([file])
    groups = pq.ParquetFile(file.path).metadata
    metrics = [groups.row_group(i).column(3).statistics for i in range(groups.num_row_groups)]
    assert all(statistics.min == statistics.max for statistics in metrics)
    assert {statistics.min for statistics in metrics} == {"latency", "vus"}
    encodings = {
        code for i in range(groups.num_columns) for code in groups.row_group(0).column(i).encodings
    }
    assert "BYTE_STREAM_SPLIT" not in encodings, "the vectorised reader of Spark cannot read it"
    assert groups.row_group(0).column(5).compression == "ZSTD"
    table = store.values(raw=True, metrics=["vus"], pieces=[(7, 1)])
    assert sorted(table["value"].to_pylist()) == [v + 0.5 for v in range(100_000, 200_000)]
    assert store.values(raw=True, pieces=[]).num_rows == 0


def test_log_files_are_read_once_and_new_ones_only_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, read = Store(str(tmp_path)), list[str]()
    original = Reader._read

    def read_file(self: Reader, path: str, *about: Any) -> Any:  # noqa: ANN401
        read.append(path)
        return original(self, path, *about)

    monkeypatch.setattr(Reader, "_read", read_file)
    for number in range(1, 5):
        store.pieces()
        add_pieces(store, number, "a", "b")
    assert paths(store) == ["a", "b"] * 4
    assert len(read) == len(set(read)) == 4


def test_ordered_log_is_read_without_a_copy(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in range(1, 4):
        add_pieces(store, number, "a")
    now = store.pieces()
    log = store._log.read_last()
    assert now is not None
    assert log is not None
    assert now["path"].to_pylist() == ["a"] * 3
    assert addresses(now) == addresses(log)


def addresses(log: pa.Table) -> list[int]:
    return [chunk.buffers()[2].address for chunk in log["path"].chunks]


def test_object_store_without_an_account_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["runs", "az://x/y"], ["runs", "--store", "az://x/y"]):
        assert run(words) == 3
        message = capsys.readouterr().err
        assert "az://x/y/runs: the store failed: Generic MicrosoftAzure error: Account" in message

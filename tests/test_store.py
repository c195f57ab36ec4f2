"""A store is whole or not there: append, replace, sweep, undo."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from benchkit.errors import StoreError
from benchkit.ingestion.samples import SampleSink
from benchkit.parsers.base import Reading, Samples
from benchkit.store import Store, new_batch, values_schema


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


def pieces(*names: str) -> pa.Table:
    return pa.table({"path": pa.array(names, pa.string())})


def test_a_place_without_a_store_is_empty(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "none"))
    assert store.pieces() is None
    assert store.values().num_rows == 0
    assert not store.is_store()


def test_values_and_pieces_come_back(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.append([batch(1), batch(1, raw=True, value=2.0)])
    store.replace_pieces(lambda current: pieces("a") if current is None else current)
    assert store.is_store()
    assert store.values()["value"].to_pylist() == [1.0]
    assert sorted(store.values(raw=True)["value"].to_pylist()) == [1.0, 2.0]
    assert store.values(metrics=["request's rate"]).num_rows == 0
    found = store.pieces()
    assert found is not None
    assert found["path"].to_pylist() == ["a"]


def test_undo_takes_one_ingest_back_and_no_more(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.replace_pieces(lambda _: pieces("a"))
    store.replace_pieces(lambda _: pieces("a", "b"))
    store.undo()
    found = store.pieces()
    assert found is not None
    assert found["path"].to_pylist() == ["a"]
    with pytest.raises(StoreError, match="only the last ingest"):
        store.undo()


def test_the_first_ingest_can_be_taken_back(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.replace_pieces(lambda _: pieces("a"))
    store.undo()
    found = store.pieces()
    assert found is not None
    assert found.num_rows == 0


def test_there_is_nothing_to_undo_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store"):
        Store(str(tmp_path)).undo()


def test_a_sweep_deletes_what_no_piece_needs(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in (1, 2):
        store.append([batch(number, value=number)])
    store.sweep([2])
    assert store.values()["value"].to_pylist() == [2.0]


def test_batches_are_told_apart_by_time() -> None:
    first = new_batch()
    assert new_batch() >= first > 1_700_000_000_000_000


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--store"):
        Store(str(tmp_path / "file" / "store")).append([batch(1)])


def count_files(store: Store) -> int:
    return len(DeltaTable(f"{store.url}/values").file_uris())


def test_many_small_ingests_are_put_together_and_can_still_be_undone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in range(31):
        store.append([batch(number, value=number), batch(number, raw=True, value=-number)])
        names = list(map(str, range(number + 1)))
        store.replace_pieces(lambda _, names=names: pieces(*names))  # type: ignore[misc]
    assert not store.compact()
    assert count_files(store) == 62
    store.append([batch(31, value=31.0), batch(31, raw=True, value=-31.0)])
    store.replace_pieces(lambda _: pieces(*map(str, range(32))))
    assert store.compact()
    assert count_files(store) == 2
    assert sorted(store.values()["value"].to_pylist()) == list(range(32))
    assert sorted(store.values(raw=True)["value"].to_pylist()) == sorted([*range(-31, 32), 0])
    assert not store.compact()
    store.undo()
    found = store.pieces()
    assert found is not None
    assert found.num_rows == 31
    store.sweep(range(31))
    assert sorted(store.values()["value"].to_pylist()) == list(range(31))


def test_a_store_of_an_earlier_layout_is_refused_and_left_alone(tmp_path: Path) -> None:
    write_deltalake(
        tmp_path / "values", pa.table(batch(1).to_pydict(), values_schema()), partition_by=["batch"]
    )
    with pytest.raises(StoreError, match="earlier benchkit"):
        Store(str(tmp_path)).append([batch(2)])
    assert len(list((tmp_path / "values").rglob("*.parquet"))) == 1


def test_what_a_crash_left_is_deleted_when_nobody_can_be_reading_it(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.append([batch(1)])
    folder = tmp_path / "values" / "raw=true"
    folder.mkdir()
    for name, age in (("1-old.parquet", 7200), ("2-new.parquet", 0)):
        (folder / name).write_bytes(b"PAR1")
        os.utime(folder / name, (time.time() - age,) * 2)
    store.sweep([1])
    assert [path.name for path in folder.iterdir()] == ["2-new.parquet"]
    assert len(store.values(raw=True)) == 1


def test_samples_of_one_metric_and_piece_are_found_by_row_groups(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    sink = SampleSink(7, tmp_path / "values")
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
    assert all(told.min == told.max for told in metrics)
    assert {told.min for told in metrics} == {"latency", "vus"}
    assert "BYTE_STREAM_SPLIT" in groups.row_group(0).column(5).encodings
    found = store.values(raw=True, metrics=["vus"], pieces=[(7, 1)])
    assert sorted(found["value"].to_pylist()) == [v + 0.5 for v in range(100_000, 200_000)]
    assert store.values(raw=True, pieces=[]).num_rows == 0

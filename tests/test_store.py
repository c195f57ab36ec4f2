"""A store is whole or not there: append, replace, sweep, undo."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from benchkit.errors import StoreError
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

"""Each column of a stored file is read once, and only the rows needed are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchkit.store import Store, reader
from benchkit.store.log import KEYS

ROWS = 50


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Make a store of two files of runs, neither of which counts as small."""
    monkeypatch.setattr(reader, "SMALL", 0)
    made = Store(str(tmp_path / "store"))
    for batch in (2, 1):
        commit(made, batch, f"of {batch}")
    return made


def commit(store: Store, batch: int, name: str) -> None:
    texts = [f"{name}.{piece}" for piece in range(ROWS)]
    rows = {"batch": [batch] * ROWS, "piece": range(ROWS), "path": texts, "label": texts}
    store.commit_pieces(lambda _: pa.table(rows), columns=[])


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Record the file and name of each column that is read."""
    noted: list[tuple[str, str]] = []
    original = reader.Reader._read_coded

    def note(self: reader.Reader, path: str, columns: Sequence[str] | None, *about: Any) -> Any:  # noqa: ANN401
        read = original(self, path, columns, *about)
        noted.extend((path, name) for name in read.rows.column_names)
        return read

    monkeypatch.setattr(reader.Reader, "_read_coded", note)
    return noted


def test_each_column_is_read_once(store: Store, decoded: list[tuple[str, str]]) -> None:
    again = Store(store.url)
    for columns in (["path"], ["path", "label"], None, []):
        assert again.pieces(columns) is not None
    assert len(decoded) == len(set(decoded)) == 2 * len([*KEYS, "path", "label"])


def test_rows_have_all_columns_in_the_order_of_the_pieces(store: Store) -> None:
    again = Store(store.url)
    commit(store, 1, "changed")
    stored = again.pieces(["path"])
    assert stored is not None
    assert stored["path"].to_pylist()[:2] == ["changed.0", "changed.1"]
    places = np.array([3, ROWS - 1, ROWS, 2 * ROWS - 1, 0])
    taken = again.take(pa.array(places))
    assert taken["path"] == stored["path"].take(pa.array(places))
    assert taken["label"].to_pylist() == taken["path"].to_pylist()
    assert set(taken.column_names) == {"batch", "piece", "path", "label"}


def test_file_without_matching_rows_has_no_further_column_read(
    store: Store, decoded: list[tuple[str, str]]
) -> None:
    again = Store(store.url)
    again.pieces(["path"])
    decoded.clear()
    for _ in range(2):
        assert again.take(pa.array([0]))["label"].to_pylist() == ["of 1.0"]
    ((path, name),) = decoded
    assert name == "label"
    assert path.startswith("3-")


def test_no_rows_yield_an_empty_table_with_all_columns(store: Store) -> None:
    again = Store(store.url)
    again.pieces(["path"])
    taken = again.take(pa.array([], pa.int64()))
    assert len(taken) == 0
    assert {"batch", "piece", "path", "label"} <= set(taken.column_names)


def test_distinct_texts_are_stored_without_a_dictionary(tmp_path: Path) -> None:
    digests = [f"{piece:064}" for piece in range(4 * ROWS)]
    rows: dict[str, list[Any]] = {
        "batch": [1] * len(digests),
        "piece": [*range(len(digests))],
        "sha256": digests,
        "variant": ["none", "otlp"] * (2 * ROWS),
        "label": digests[:ROWS] * 4,
    }
    store = Store(str(tmp_path / "store"))
    store.commit_pieces(lambda _: pa.table(rows))
    (path,) = tmp_path.glob("store/runs/*.parquet")
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(at) for at in range(group.num_columns)]
    coded = {one.path_in_schema for one in columns if "RLE_DICTIONARY" in one.encodings}
    assert coded >= {"variant", "label"}
    assert "sha256" not in coded
    stored = Store(store.url).pieces()
    assert stored is not None
    assert [stored[name].to_pylist() for name in rows] == [*rows.values()]

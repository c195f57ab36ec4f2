"""The columns of a store's runs equal those built from its parts, with the same labels."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchkit.errors import DataError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.frames import runs
from benchkit.ingestion.rows import fill_rows, parts_table
from benchkit.ingestion.stored import list_apart, list_parts, list_row_layers, read_rows
from benchkit.store import Store
from benchkit.store.columns import plain


@pytest.mark.parametrize(
    ("folder", "packages"), [("gobench-edge", True), ("wrk-edge", False), ("benchstat", True)]
)
def test_columns_have_the_labels_of_parts(tmp_path: Path, folder: str, packages: bool) -> None:
    store = Store(str(tmp_path))
    ingest([f"fixtures/{folder}"], store, Options())
    parts = list_parts(store)
    assert (len({part.pkg for part in parts} - {""}) > 1) is packages
    rows = read_rows(store)
    assert rows.equals(fill_rows(plain(parts_table(parts))))
    pd.testing.assert_frame_equal(runs(rows), runs(parts_table(parts)))


def test_origins_are_layers_and_only_repeated_commits_become_parts(
    tmp_path: Path,
) -> None:
    store = Store(str(tmp_path / "store"))
    measured = (("c861e65", "a"), ("c861e65", "b"), ("0a1b2c3", "a"), ("0a1b2c3", "a"))
    for number, (commit, origin) in enumerate(measured):
        file = tmp_path / f"{number}.txt"
        file.write_text(f"pkg: x\nBenchmarkA 10 {number + 7}.0 ns/op\n")
        ingest([str(file)], store, Options(variant="main", commit=commit, origin=origin))
    rows = read_rows(store)
    layers = [layer["origin"].to_pylist() for layer in list_row_layers(rows)]
    assert [sorted(layer) for layer in layers] == [["a", "a", "b"], ["a"]]
    assert {part.env["commit"] for part in list_apart(rows)} == {"0a1b2c3"}


def test_empty_store_has_no_runs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty or does not exist"):
        read_rows(Store(str(tmp_path)))

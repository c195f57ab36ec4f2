"""Other programs read the store: the manual's lines for Polars and DuckDB are run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from documents import list_blocks

from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store

ROOT = Path(__file__).resolve().parent.parent
WRK = ROOT / "fixtures" / "tracing-wrk"
#: The centres that `benchkit compare` shows for these folders.
MEDIANS = {"none": 10531.175, "otlp": 9172.865}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a store; what a later ingest superseded counts no more."""
    store = Store(str(tmp_path / ".benchkit"))
    folder = tmp_path / "results"
    for name in ("none", "otlp"):
        shutil.copytree(WRK / name, folder / name)
    for path in (WRK / "otlp" / "wrk-1.txt", WRK / "otlp" / "wrk-2.txt"):
        ingest([str(folder)], store, Options(), jobs=1)
        shutil.copy(path, folder / "otlp" / "wrk-2.txt")  # another result, then its own again
    ingest([str(folder)], store, Options(), jobs=1)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_block(program: str) -> dict[str, Any]:
    """Run the manual's block that imports ``program``."""
    pytest.importorskip(program, reason=f"{program} is in the dependency group test")
    (block,) = [block for block in list_blocks("python") if f"import {program}" in block]
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102 - our own manual
    return names


@pytest.mark.usefixtures("here")
def test_polars_reads_the_store() -> None:
    rates = run_block("polars")["rates"]
    assert dict(rates.iter_rows()) == pytest.approx(MEDIANS)


@pytest.mark.usefixtures("here")
def test_duckdb_reads_the_store() -> None:
    assert run_block("duckdb")["medians"] == pytest.approx(MEDIANS)


def test_every_file_of_the_store_has_the_same_columns(tmp_path: Path) -> None:
    """Samples lie in files of their own; readers that take all files at once want them alike."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is in the dependency group test")
    store = Store(str(tmp_path / "store"))
    ingest([str(ROOT / "fixtures" / "nginx-ab" / "nginx" / "ab-small-c30-1.tsv.gz")], store)
    pattern = f"{store.url}/values/raw=*/*.parquet"
    counted = duckdb.sql(
        f"select raw, count(*), count(n) from read_parquet('{pattern}') group by raw order by raw"  # noqa: S608
    ).fetchall()
    assert [raw for raw, _, _ in counted] == ["false", "true"]
    assert counted[1][1] > 1000 > counted[1][2] == 0
    assert counted[0][2] > 0

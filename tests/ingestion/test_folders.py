"""Folders of variants in which no result was read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gated
import pytest

import benchkit as bk
from benchkit.errors import ConfigError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for seed, name in enumerate(("main", "pr"), 1):
        gated.write_runs(tmp_path / "results" / name / "1.txt", seed=seed)
    (tmp_path / "results" / "new").mkdir()
    return tmp_path / "results"


def list_empty(runs: bk.schema.Runs) -> list[str]:
    return [str(name) for name in runs.loc[runs["role"] == "empty", "variant"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [("", ""), (".gitkeep", ""), ("run.toml", "exit = 1\n"), ("output.txt", "Killed\n")],
)
def test_a_folder_beside_those_of_variants_is_a_variant_that_was_lost(
    results: Path, name: str, text: str
) -> None:
    if name:
        (results / "new" / name).write_text(text)
    loaded = bk.load(results)
    assert list_empty(loaded.runs) == ["new"]
    assert [d.what for d in loaded.diagnostics if d.where.endswith("new")] == [
        "no result in this folder of a variant"
    ]


@pytest.mark.parametrize("name", ["throughput.svg", "run.sh"])
def test_a_folder_of_plots_or_scripts_is_no_variant(results: Path, name: str) -> None:
    (results / "new" / name).write_text("")
    assert list_empty(bk.load(results).runs) == []


def test_an_excluded_folder_is_no_variant(results: Path, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest([str(results)], store, Options(exclude=("new",)))
    assert list_empty(bk.load(store=store.url).runs) == []


@pytest.mark.parametrize("write", [str, "fresh={}".format])
def test_a_folder_named_among_others_is_a_variant_that_was_lost(
    results: Path, write: Callable[[Path], str]
) -> None:
    runs = bk.load(results / "main", results / "pr", write(results / "new")).runs
    assert list_empty(runs) == ["fresh" if "fresh" in write(Path()) else "new"]


def test_a_store_forgets_a_lost_folder_that_is_gone(results: Path, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    assert ingest([str(results)], store).runs == 40
    for _ in range(2):
        assert list_empty(bk.load(store=store.url).runs) == ["new"]
        ingest([str(results)], store)
    (results / "new").rmdir()
    gated.write_runs(results / "pr" / "2.txt", seed=9)
    ingest([str(results)], store)
    assert list_empty(bk.load(store=store.url).runs) == []


def test_raw_files_have_no_origin(results: Path) -> None:
    with pytest.raises(ConfigError, match="only runs of a store have an origin"):
        bk.load(results, origin="github/71")

"""Runs whose files are gone from a folder that is ingested again are kept, and named everywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import IngestSummary, ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Ingest six files of each variant."""
    monkeypatch.chdir(tmp_path)
    measure(range(1, 7), seed=0)
    made = Store("store")
    ingest(["res"], made)
    return made


def measure(numbers: range, seed: int) -> None:
    for variant in ("main", "pr"):
        for number in numbers:
            seed += 1
            gated.write_runs(Path(f"res/{variant}/{number}.txt"), seed=seed, runs=1)


def list_gone(summary: IngestSummary) -> list[str]:
    return [str(finding) for finding in summary.findings if finding.code == "B110"]


def test_a_folder_measured_again_with_fewer_files_is_named_by_every_command(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert run(["ingest", "res", "--store", store.url]) == 0
    printed = capsys.readouterr().err
    assert "res/main/4.txt, res/main/5.txt, res/main/6.txt and 3 more" in printed
    assert "benchkit ingest res --store NEW" in printed
    for command in ("check", "compare", "gate"):
        run([command, "--store", store.url])
        printed = capsys.readouterr().out
        assert "B110" in printed
        assert "res/main/4.txt" in printed
    run(["gate", "--store", store.url, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    (finding,) = [one for one in document["findings"] if one["code"] == "B110"]
    assert finding["numbers"] == {"sources": 6}
    runs = bk.load(store=store.url).runs
    assert len(runs[(runs["benchmark"] == "Ping") & (runs["variant"] == "pr")]) == 6


def test_the_named_commands_end_it(store: Store) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert list_gone(ingest(["res"], store))
    assert not list_gone(ingest(["res"], Store("new")))
    store.undo()
    assert "B110" not in set(bk.load(store=store.url).findings["code"])
    assert not list_gone(ingest(["res"], store, Options(origin="second")))
    assert "B110" not in set(bk.load(store=store.url, origin="second").findings["code"])


def test_a_removed_file_is_named_where_nothing_else_changed_and_no_more_once_it_is_back(
    store: Store,
) -> None:
    Path("res/pr/6.txt").rename("6.txt")
    for _ in range(2):
        assert "res/pr/6.txt" in str(list_gone(ingest(["res"], store)))
        assert "B110" in set(bk.load(store=store.url).findings["code"])
    Path("6.txt").rename("res/pr/6.txt")
    assert not list_gone(ingest(["res"], store))
    assert "B110" not in set(bk.load(store=store.url).findings["code"])


@pytest.mark.parametrize(
    "options", [Options(variant="third"), Options(commit="c861e65"), Options(origin="job")]
)
def test_other_labels_or_origins_and_moved_files_are_not_gone(
    store: Store, options: Options
) -> None:
    Path("res/pr/6.txt").rename("res/pr/7.txt")
    assert not list_gone(ingest(["res"], store))
    Path("res/pr/7.txt").unlink()
    assert not list_gone(ingest(["res"], store, options))

"""Ingesting never duplicates or loses a run, and never leaves a store half-written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import benchkit.api as bk
from benchkit import cli
from benchkit.errors import DataError
from benchkit.ingestion.commit import IngestSummary, ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store, reader

REPORT = """\
Running 15s test @ http://127.0.0.1:8080/ping/GRM
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.86ms  847.93us  17.29ms   95.32%
    Req/Sec     5.23k   521.60     6.28k    77.67%
  156120 requests in 15.00s, 38.50MB read
Requests/sec:  {rate:.2f}
Transfer/sec:      2.57MB
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for variant, rates in {"none": (10406.41, 10713.21), "otlp": (9307.29, 9269.90)}.items():
        folder = tmp_path / "results" / variant
        folder.mkdir(parents=True)
        for run, rate in enumerate(rates, 1):
            (folder / f"wrk-{run}.txt").write_text(REPORT.format(rate=rate))
    return tmp_path / "results"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def rates(store: Store) -> dict[tuple[str, int], float]:
    frame = bk.load(store=store.url).observations
    rows = frame[frame["metric"] == "request_rate"]
    return dict(zip(zip(rows["variant"], rows["run"], strict=True), rows["value"], strict=True))


def outcomes(summary: IngestSummary) -> list[str]:
    return [report.outcome for report in summary.reports]


ALL = {("none", 1): 10406.41, ("none", 2): 10713.21, ("otlp", 1): 9307.29, ("otlp", 2): 9269.90}


def test_folder_becomes_runs(results: Path, store: Store) -> None:
    summary = ingest([str(results)], store)
    assert summary.runs == 4
    assert rates(store) == ALL


def test_ingesting_twice_changes_nothing(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    before = sorted(Path(store.url).rglob("*.parquet"))
    assert outcomes(ingest([str(results)], store)) == ["unchanged"] * 4
    assert sorted(Path(store.url).rglob("*.parquet")) == before
    assert rates(store) == ALL


def test_ingesting_by_another_path_changes_nothing(
    results: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest([str(results)], store)
    monkeypatch.chdir(results.parent)
    assert outcomes(ingest(["results"], store)) == ["unchanged"] * 4


def test_changed_content_replaces_only_its_rows(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    (results / "otlp" / "wrk-2.txt").write_text(REPORT.format(rate=9000.5))
    assert outcomes(ingest([str(results)], store)) == ["unchanged"] * 3 + ["read"]
    assert rates(store) == {**ALL, ("otlp", 2): 9000.5}


def test_settings_without_labels_change_no_source(
    results: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "benchkit.toml"
    labelled = '[env]\nmachine = "m1"\n'
    file.write_text(labelled)
    command = ["ingest", str(results), "--store", store.url]
    assert cli.run(command) == 0
    batches = set(store.values()["batch"].to_pylist())
    file.write_text(f"# a comment\n\n[project]\ntitle = 'costs'\n\n{labelled}")
    assert cli.run(command) == 0
    assert set(store.values()["batch"].to_pylist()) == batches
    file.write_text(labelled.replace("m1", "m2"))
    assert cli.run(command) == 0
    loaded = bk.load(store=store.url)
    assert {env["machine"] for env in loaded.runs["env"]} == {"m2"}
    assert not batches & set(store.pieces()["batch"].to_pylist())  # type: ignore[index]


def test_new_run_is_added(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    (results / "none" / "wrk-3.txt").write_text(REPORT.format(rate=10000.5))
    ingest([str(results / "none")], store)
    assert rates(store) == {**ALL, ("none", 3): 10000.5}


def test_copy_counts_once_and_is_reported(results: Path, store: Store) -> None:
    shutil.copy(results / "none" / "wrk-1.txt", results / "none" / "wrk-9.txt")
    summary = ingest([str(results)], store)
    assert [finding.code for finding in summary.findings] == ["B103"]
    assert rates(store) == ALL


def test_moved_file_keeps_its_run(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    (results / "none" / "wrk-2.txt").rename(results / "none" / "wrk-7.txt")
    ingest([str(results)], store)
    expected = {**ALL, ("none", 7): ALL["none", 2]}
    del expected["none", 2]
    assert rates(store) == expected


def test_path_measured_again_under_another_label_is_added(results: Path, store: Store) -> None:
    ingest([f"main={results / 'none'}"], store)
    for run, rate in enumerate((8000.0, 8100.0), 1):
        (results / "none" / f"wrk-{run}.txt").write_text(REPORT.format(rate=rate))
    summary = ingest([f"pr={results / 'none'}"], store)
    assert summary.runs == 4
    assert rates(store) == {
        ("main", 1): 10406.41, ("main", 2): 10713.21, ("pr", 1): 8000.0, ("pr", 2): 8100.0
    }  # fmt: skip


def test_file_labelled_again_on_the_command_line_counts_once(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    ingest([f"otlp={results / 'otlp'}"], store)
    assert rates(store) == ALL


def test_new_sidecar_relabels_stored_runs(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    (results / "otlp" / "run.toml").write_text('variant = "otel"\n[env]\ncommit = "c861e65"\n')
    ingest([str(results)], store)
    assert {variant for variant, _ in rates(store)} == {"none", "otel"}
    runs = bk.load(store=store.url).runs
    assert [env.get("commit") for env in runs["env"]] == [None, None, "c861e65", "c861e65"]


def test_bad_file_costs_only_itself(results: Path, store: Store) -> None:
    (results / "otlp" / "wrk-3.txt").write_bytes(b"\0\1\2")
    (results / "otlp" / "wrk-4.txt").write_text("")
    summary = ingest([str(results)], store)
    assert sorted(outcomes(summary)) == ["read"] * 4 + ["refused"] * 2
    assert all("wrk-" in problem.path for problem in summary.diagnostics)
    assert rates(store) == ALL


def test_strict_stores_nothing_if_anything_is_refused(results: Path, store: Store) -> None:
    (results / "otlp" / "wrk-3.txt").write_text("not a benchmark")
    with pytest.raises(DataError, match=r"otlp/wrk-3.txt: refused 1 of 5 sources"):
        ingest([str(results)], store, strict=True)
    with pytest.raises(DataError, match="empty or does not exist"):
        rates(store)


def test_undo_reverts_the_last_ingest(results: Path, store: Store) -> None:
    ingest([str(results / "none")], store)
    ingest([str(results / "otlp")], store)
    store.undo()
    assert {variant for variant, _ in rates(store)} == {"none"}
    ingest([str(results / "otlp")], store)
    assert rates(store) == ALL


def test_folder_and_store_give_the_same_frames(results: Path, store: Store) -> None:
    ingest([str(results)], store)
    stored, raw = bk.load(store=store.url), bk.load(results)
    order = ["variant", "run", "metric", "stat"]
    pd.testing.assert_frame_equal(
        stored.observations.sort_values(order, ignore_index=True),
        raw.observations.sort_values(order, ignore_index=True),
    )
    pd.testing.assert_frame_equal(stored.runs, raw.runs)


@pytest.mark.parametrize("after", [0.0, 0.3, 0.6, 0.8, 1.0, 1.2])
def test_killed_ingest_leaves_the_store_unchanged(
    results: Path, store: Store, after: float
) -> None:
    ingest([str(results / "none")], store)
    for run in range(3, 400):
        text = REPORT.format(rate=9000 + run / 100)
        (results / "otlp" / f"wrk-{run}.txt").write_text(text)
    command = [sys.executable, "-m", "benchkit", "ingest", str(results), "--store", store.url]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    variants = {variant for variant, _ in rates(store)}
    assert variants in ({"none"}, {"none", "otlp"})
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(rates(store)) == 2 + 2 + 397


def test_ingest_of_a_commit_reads_stored_run_files_once(
    results: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest([str(results / "none")], store, Options(commit="a" * 40))
    stored = {path.name for path in Path(store.url).glob("runs/*.parquet")}
    read, paths = reader.Reader._read, list[str]()

    def note(self: reader.Reader, path: str, *rest: object) -> object:
        paths.append(path)
        return read(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "SMALL", 0)  # otherwise all columns are read at once
    monkeypatch.setattr(reader.Reader, "_read", note)
    summary = ingest([str(results / "otlp")], Store(store.url), Options(commit="b" * 40))
    assert summary.count("read") == 2
    assert sum(path in stored for path in paths) == len(stored) == 1

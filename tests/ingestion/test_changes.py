"""Concurrent, interrupted or undone ingests lose no run and keep no run without values."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import benchkit.api as bk
from benchkit.errors import Diagnostic
from benchkit.ingestion import changes, copies
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.loading import list_runs, list_runs_of
from benchkit.ingestion.parts import Part
from benchkit.ingestion.rows import read_parts
from benchkit.labels.numbering import Piece, settle
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
WRK = (FIXTURES / "tracing-wrk" / "none" / "wrk-1.txt").read_text(encoding="utf-8")
#: Ingests one folder after the other, without the lock that avoids conflicts.
WRITER = """
import sys
from contextlib import nullcontext
from benchkit.store import tables
tables.lock = lambda folder, *, uses_room: nullcontext()
from benchkit.cli import run
for folder in sys.argv[2:]:
    if code := run(["ingest", folder, "--store", sys.argv[1], "--jobs", "1", "--quiet"]):
        sys.exit(code)
"""


def write_run(path: Path, rate: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(re.sub(r"Requests/sec: .*", f"Requests/sec: {rate:.2f}", WRK))
    return path


def rates(store: Store) -> list[float]:
    frame = bk.load(store=store.url).observations
    return sorted(frame.loc[frame["metric"] == "request_rate", "value"])


@pytest.mark.parametrize("same", [False, True], ids=["own variants", "one variant"])
def test_concurrent_writers_lose_no_run(tmp_path: Path, *, same: bool) -> None:
    writers, rounds, expected, started = 3, 2, [], []
    store = Store(str(tmp_path / "store"))
    for writer in range(writers):
        folders = []
        for at in range(rounds):
            folder = tmp_path / f"{writer}-{at}"
            rate = 1000.0 + 10 * writer + at
            write_run(folder / ("v" if same else f"v{writer}") / f"wrk-{at + 1}.txt", rate)
            expected.append(rate)
            folders.append(str(folder))
        command = [sys.executable, "-c", WRITER, store.url, *folders]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    errors = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * writers, errors
    assert rates(store) == sorted(expected)
    runs = bk.load(store=store.url).runs
    assert not runs.duplicated(["variant", "run"]).any()


def test_interrupted_ingest_and_undo_leave_the_last_complete_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The values that `undo` restores were once deleted before a commit that never happened."""
    store, folder = Store(str(tmp_path / "store")), tmp_path / "results"
    path = write_run(folder / "none" / "wrk-1.txt", 1000.0)
    ingest([str(folder)], store)
    write_run(path, 2000.0)
    ingest([str(folder)], store)
    write_run(path, 3000.0)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "commit_pieces", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            ingest([str(folder)], store)
    store.tidy(thoroughly=True)
    store.undo()
    assert rates(store) == [1000.0]
    write_run(path, 1000.0)
    assert [report.outcome for report in ingest([str(folder)], store).reports] == ["unchanged"]
    store.tidy(thoroughly=True)
    assert rates(store) == [1000.0]


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_small_ingest_settles_only_its_series(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path / "store"))
    for variant in ("none", "otlp"):
        for run in (1, 3):
            rate = 1000.0 * run + len(variant)
            write_run(tmp_path / "a" / variant / f"wrk-{run}.txt", rate + (variant == "otlp"))
    ingest([str(tmp_path / "a")], store)
    settled: list[Piece] = []

    def watch(parts: list[Piece]) -> list[Diagnostic]:
        settled.extend(parts)
        return settle(parts)

    monkeypatch.setattr(copies, "settle", watch)
    write_run(tmp_path / "b" / "otlp" / "wrk-2.txt", 1002.0)
    summary = ingest([str(tmp_path / "b")], store)
    assert {part.variant for part in settled} == {"otlp"}
    assert summary.runs == 5


def test_separate_ingests_number_runs_like_a_single_one(tmp_path: Path) -> None:
    source = FIXTURES / "shorturl-k6" / "baseline"
    apart, together = Store(str(tmp_path / "apart")), Store(str(tmp_path / "together"))
    ingest([str(source)], together)
    (folder := tmp_path / "baseline").mkdir()
    for path in sorted(source.iterdir(), reverse=True):
        shutil.copy(path, folder)
        ingest([str(folder)], apart)
    columns = ["benchmark", "params", "run", "connections"]
    first, second = (
        bk.load(store=store.url).runs[columns].sort_values(columns[:3]).to_numpy().tolist()
        for store in (apart, together)
    )
    assert first == second


def ingest_separately(store: Store, folder: Path, *names: str) -> list[str]:
    """Ingest files one command each, and return the notes of the last one."""
    for number, name in enumerate(names):
        write_run(folder / name, 1000.0 + number)
    notes = [ingest([str(folder / name)], store).diagnostics for name in names]
    return [note.what for note in notes[-1]]


@pytest.mark.parametrize(
    "names", [("jdk-17.txt", "jdk-21.txt"), ("wrk-get-2.txt", "wrk-get-3.txt")]
)
def test_numbers_of_files_ingested_one_by_one_are_noted_as_ambiguous(
    names: tuple[str, str], tmp_path: Path
) -> None:
    store = Store(str(tmp_path / "store"))
    (note,) = ingest_separately(store, tmp_path / "results", *names)
    assert "count as repeats, but the numbers may be part of the names" in note
    again = ingest([str(tmp_path / "results" / name) for name in names], store)
    assert {each.severity for each in again.diagnostics} <= {"note"}  # that it is ambiguous
    variants = bk.load(store=store.url).observations[["variant", "benchmark"]].drop_duplicates()
    assert len(variants) == 2


@pytest.mark.parametrize(
    "names", [("none-1.txt", "none-2.txt"), ("none.txt", "none-2.txt"), ("wrk-2.txt", "wrk-3.txt")]
)
def test_numbers_that_clearly_count_runs_need_no_note(
    names: tuple[str, str], tmp_path: Path
) -> None:
    store = Store(str(tmp_path / "store"))
    assert not ingest_separately(store, tmp_path / "results", *names)


def test_ingest_builds_no_objects_for_runs_of_other_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every job of a CI system has its results at the same path."""
    store, made = Store(str(tmp_path / "store")), []
    for rate in range(1, 9):
        write_run(tmp_path / "results" / "none" / "wrk-1.txt", 1000.0 * rate)

        def read_noting(rows: pa.Table) -> list[Part]:
            made.append(len(rows))
            return read_parts(rows)

        with monkeypatch.context() as patch:
            patch.setattr(changes, "read_parts", read_noting)
            ingest([str(tmp_path / "results")], store, Options(origin=f"job-{rate}"))
    assert sum(made) == 0
    stored = store.pieces(["origin"])
    assert stored is not None
    assert len(stored) == len(set(stored["origin"].to_pylist())) == 8


def test_runs_of_a_commit_are_listed_without_other_commits(tmp_path: Path) -> None:
    store, names = Store(str(tmp_path / "store")), [f"{number}" * 40 for number in (1, 2, 3)]
    for number, name in enumerate(names, 1):
        write_run(tmp_path / "results" / "none" / "wrk-1.txt", 1000.0 * number)
        write_run(tmp_path / "results" / "otlp" / "wrk-1.txt", 7000.0 + number)
        ingest([str(tmp_path / "results")], store, Options(commit=name))
    runs, all_runs = list_runs_of(names[1], store), list_runs((), store.url)
    assert runs is not None
    assert all_runs is not None
    of_commit = all_runs.runs[[env["commit"] == names[1] for env in all_runs.runs["env"]]]
    assert runs["variant"].tolist() == of_commit["variant"].tolist() == ["none", "otlp"]
    assert runs["sources"].tolist() == of_commit["sources"].tolist()
    assert list_runs_of("4" * 40, store) is None

"""The result does not depend on the number of processes, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import benchkit.api as bk
from benchkit.errors import StoreError
from benchkit.ingestion import reading, workers
from benchkit.ingestion.commit import IngestSummary, ingest
from benchkit.ingestion.discovery import Options, discover
from benchkit.ingestion.sink import FEW, ValueSink, read_ahead
from benchkit.ingestion.sources import Found
from benchkit.reading.source import Source
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write 80 reports of wrk, a copy of one, an invalid file, and raw samples of ab."""
    root = tmp_path / "results"
    for path in sorted((FIXTURES / "tracing-wrk").rglob("*.txt")):
        target = root / path.relative_to(FIXTURES / "tracing-wrk")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    folder = root / "none"
    (folder / "wrk-91.txt").write_bytes((folder / "wrk-1.txt").read_bytes())
    (folder / "wrk-92.txt").write_text("no benchmark\n")
    header = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
    row = "Sat Nov 21 11:00:0{0} 2026\t179522280{0}\t1\t{1}\t{2}\t{1}\n"
    for run in (1, 2):
        rows = (row.format(i % 10, i % 90, i % 90 + 1) for i in range(9_000 * run))
        (root / "ab" / "none").mkdir(parents=True, exist_ok=True)
        (root / "ab" / "none" / f"ab-{run}.tsv").write_text(header + "".join(rows))
    return root


def list_facts(summary: IngestSummary) -> tuple[object, ...]:
    return summary.reports, summary.skipped, summary.diagnostics, summary.findings, summary.runs


def rows(store: Store) -> pa.Table:
    names = ("piece", "metric", "stat", "subject", "line")
    order = [(name, "ascending") for name in names]
    return store.values(raw=True).drop_columns("batch").sort_by(order).combine_chunks()


def list_files(store: Store) -> set[Path]:
    return set(Path(store.url).rglob("*.parquet"))


def test_result_does_not_depend_on_the_number_of_processes(results: Path, tmp_path: Path) -> None:
    outcomes = []
    for jobs in (1, 2, 3):
        store = Store(str(tmp_path / f"store-{jobs}"))
        summary = ingest([str(results)], store, jobs=jobs)
        frames = bk.load(store=store.url)
        outcomes.append((list_facts(summary), rows(store), frames.observations, frames.runs))
    assert len(outcomes[0][2]) > 700
    assert len(outcomes[0][1]) > 4 * 27_000 > FEW
    for other in outcomes[1:]:
        assert other[0] == outcomes[0][0]
        assert other[1].equals(outcomes[0][1])
        assert other[2].equals(outcomes[0][2])
        assert other[3].equals(outcomes[0][3])


def test_tasks_are_contiguous_and_a_large_file_is_one_task() -> None:
    sources = [
        Found(label=str(i), address=str(i), path=None, labels=None, sidecar=None, bytes=size)  # type: ignore[arg-type]
        for i, size in enumerate([10] * 70 + [workers.TASK_BYTES] + [10])
    ]
    assert workers.plan_tasks(sources) == [(0, 64), (64, 70), (70, 71), (71, 72)]
    assert workers.plan_tasks([]) == []
    assert workers.choose_jobs(sources[:70], None, Options()) == 1
    assert workers.choose_jobs(sources[:70], 8, Options()) == 2


@pytest.mark.parametrize("task", [1, workers.TASK_BYTES], ids=["processes", "one process"])
def test_large_file_is_read_by_several_threads(
    task: int, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"

    def note(function: object, items: object) -> object:
        with notes.open("a") as file:
            file.write("x")
        return read_ahead(function, items)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "AHEAD_BYTES", 0)
    monkeypatch.setattr(reading, "read_ahead", note)
    monkeypatch.setattr(workers, "TASK_BYTES", task)
    sources = discover([str(results / "ab")], Options()).found
    small, large = sorted(each.size for each in sources)
    assert small < workers.find_share(sources, 2) < large
    assert workers.find_share(sources, 3) < small + 1 < workers.find_share(sources, 1)
    used, tables = [], []
    for jobs in (1, 2, 8):
        notes.write_text("")
        store = Store(str(tmp_path / f"store-{jobs}"))
        ingest([str(results / "ab")], store, jobs=jobs)
        used.append(len(notes.read_text()))
        tables.append(rows(store))
    assert used == [0, 1, 2]
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize(
    ("report", "jobs"),
    [("tracing-wrk/none/wrk-1.txt", 1), ("nginx-ab/nginx/hey-c50-1.txt", 2)],
)
def test_small_plain_reports_are_read_by_one_process(
    report: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(70):
        (tmp_path / f"run-{number}.txt").write_bytes((FIXTURES / report).read_bytes())
    sources = discover([str(tmp_path)], Options()).found
    monkeypatch.setattr(workers, "WORTH_BYTES", 4096)
    monkeypatch.setattr(workers, "count_cores", lambda: 2)
    assert workers.choose_jobs(sources, None, Options()) == jobs


def test_killed_process_costs_the_file_it_was_reading(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Found.load

    def kill(source: Found) -> Source:
        if source.label.endswith("none/wrk-3.txt"):
            os.kill(os.getpid(), signal.SIGKILL)
        return load(source)

    monkeypatch.setattr(Found, "load", kill)
    store = Store(str(tmp_path / "store"))
    summary = ingest([str(results)], store, jobs=2)
    ended = [problem for problem in summary.diagnostics if "crashed" in problem.what]
    assert [problem.path for problem in ended] == [str(results / "none" / "wrk-3.txt")]
    assert "signal 9" in ended[0].what
    assert summary.count("refused") == 2
    runs = bk.load(store=store.url).runs
    assert summary.runs == (runs["role"] != "damaged").sum() > 80
    lost = runs[runs["role"] == "damaged"]["remark"]
    assert lost.str.contains("signal 9").sum() == 1


def test_store_error_in_one_process_is_raised(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("cannot write the store: No space left on device")

    monkeypatch.setattr(ValueSink, "close", refuse)
    store = Store(str(tmp_path / "store"))
    with pytest.raises(StoreError, match="No space left"):
        ingest([str(results)], store, jobs=2)
    assert not list(Path(store.url).rglob("*.parquet"))
    assert store.pieces() is None


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_all_processes_and_leaves_the_store_unchanged(
    results: Path, tmp_path: Path, jobs: str
) -> None:
    for run in range(3, 9):
        text = (results / "ab" / "none" / "ab-2.tsv").read_text()
        (results / "ab" / "none" / f"ab-{run}.tsv").write_text(text * 4)
    store = Store(str(tmp_path / "store"))
    ingest([str(results / "none")], store)
    before, stored = rows(store), list_files(store)
    command = [sys.executable, "-m", "benchkit", "ingest", str(results), "--jobs", jobs]
    child = subprocess.Popen(
        [*command, "--store", store.url],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while list_files(store) == stored and child.poll() is None and time.monotonic() < end:
        time.sleep(0.01)  # until the first file of samples is begun
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert errors.endswith("interrupted; no partial results were kept\n")
    assert "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.killpg(child.pid, 0)
    assert rows(store).equals(before)
    options = Options()
    again = ingest([str(results)], store, options, jobs=int(jobs))
    runs = bk.load(store=store.url).runs
    assert again.runs == (runs["role"] != "damaged").sum() > 80
    assert len(discover([str(results)], options).found) == len(again.reports)

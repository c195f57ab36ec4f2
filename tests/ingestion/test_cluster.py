"""Workers of a Dask cluster read the same as one process, even if one of them dies."""

from __future__ import annotations

import gzip
from asyncio import CancelledError, wait_for
from collections.abc import Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import dask
import pyarrow as pa
import pytest
from distributed import LocalCluster
from object_store import serve

import benchkit.api as bk
from benchkit.cli import run
from benchkit.errors import ConfigError, DataError, StoreError
from benchkit.ingestion import cluster as module
from benchkit.ingestion import keeper, workers
from benchkit.ingestion.cluster import Cluster
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.sink import FEW
from benchkit.ingestion.sources import Found
from benchkit.ingestion.workers import find_share
from benchkit.reading.source import Source
from benchkit.store import Store

T = TypeVar("T")
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK = FIXTURES / "tracing-wrk"
#: Sizes that give a small file many ranges, each with a file of samples.
SIZES = {
    "benchkit.ingestion.ranges.SECTION": 32 << 10,
    "benchkit.parsers.k6.raw.SECTION": 32 << 10,
    "benchkit.parsers.k6.raw.BLOCK_BYTES": 16 << 10,
    "benchkit.parsers.vegeta.raw.SECTION": 32 << 10,
    "benchkit.parsers.vegeta.raw.LINE_BLOCK": 8 << 10,
    "benchkit.parsers.vegeta.lines.LINE_BLOCK": 8 << 10,
    "benchkit.reading.source._BLOCK": 8 << 10,
    "benchkit.reading.source.Source.line_blocks.__defaults__": (8 << 10,),
    "benchkit.ingestion.sink.FEW": 100,
}
#: Files that are read in ranges, and others: two runs, and a line of two blocks.
RANGED = {
    "k6-1.json": "k6-edge/small/k6-raw-small.json.gz",
    "k6-2.csv": "k6-edge/nested/k6-raw-2.csv.gz",
    "ab-1.tsv": "nginx-ab/nginx/ab-small-c30-1.tsv.gz",
    "vegeta-1.csv": "vegeta-single/agent/vegeta-results-1.csv.gz",
    "vegeta-2.json": "vegeta-edge/truncated/vegeta-results.cut30.json",
}
#: Run by each worker at startup: a file named `ends` kills each worker, one named `ends-once` only
#: the first. It notes each file of a store below `threads` that is read in several threads, and
#: each file whose ranges are joined.
PRELOAD = f"""
import os
from pkgutil import resolve_name
from benchkit.ingestion import reading
from benchkit.ingestion.sources import Found

def dask_setup(worker):
    for name, value in {SIZES}.items():
        place, _, name = name.rpartition(".")
        setattr(resolve_name(place), name, value)
    join = reading.Reader.read_joined
    def note_joined(reader, index, found, joined):
        os.mkdir(f"{{found.path}}.{{len(joined.ranges)}}")
        return join(reader, index, found, joined)
    reading.Reader.read_joined = note_joined
    identify, ahead = reading.Reader._identify, reading.read_ahead
    def note(reader, source):
        reading.AHEAD_BYTES = 0 if "threads" in source.label else 16 << 20
        reading.read_ahead = lambda *each: (os.mkdir(f"{{source.path}}.threads"), ahead(*each))[1]
        return identify(reader, source)
    reading.Reader._identify = note
    load = Found.load
    def end(found):
        if "-ends" in found.label:
            try:
                os.mkdir(f"{{found.path}}.seen")
            except FileExistsError:
                if "once" in found.label:
                    return load(found)
            os._exit(7)
        return load(found)
    Found.load = end
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a scheduler and two workers, which can also read objects of an S3 server."""
    preload = tmp_path_factory.mktemp("preload") / "ends.py"
    preload.write_text(PRELOAD)
    with serve() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        for name, size in SIZES.items():
            patch.setattr(name, size)
        patch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "1")
        dask.config.refresh()
        with LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50,
            preload=str(preload),
        ) as running:  # fmt: skip
            yield running.scheduler_address


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Write files that count as large, including lines that are not results."""
    (folder := tmp_path / "large").mkdir()
    for name, path in RANGED.items():
        data = (FIXTURES / path).read_bytes()
        data = gzip.decompress(data) if path.endswith(".gz") else data
        lines = data.splitlines(keepends=True)[:1500] * (8 if name == "vegeta-2.json" else 1)
        for place in (3, len(lines) // 2, len(lines) - 3) if name != "vegeta-1.csv" else ():
            lines.insert(place, b'{"no": "result"}\n')
        if name == "k6-1.json":
            lines.insert(700, next(x for x in lines if b"Metric" in x).replace(b"http_", b"late_"))
            lines[800:] = [
                x.replace(b"http_reqs", b"late_reqs").replace(b'"value":1,', b'"value":0.1,')
                for x in lines[800:]
            ]  # fmt: skip
            (folder / "k6-3.json").write_bytes(b"".join(lines * 2))
        if name.endswith("tsv"):
            long = [*lines[:1000], b"x" * (20 << 10) + b"\n", *lines[1000:]]
            (folder / "ab-2.tsv").write_bytes(b"".join(long))
        (folder / name).write_bytes(b"".join(lines))
    return folder


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write 16 reports of wrk, a copy, an invalid file, and more samples than are sent directly."""
    root = tmp_path / "results"
    for variant in ("none", "otlp"):
        (root / variant).mkdir(parents=True)
        for number in range(1, 9):
            report = (WRK / variant / f"wrk-{number}.txt").read_bytes()
            (root / variant / f"wrk-{number}.txt").write_bytes(report)
    (root / "none" / "wrk-91.txt").write_bytes((root / "none" / "wrk-1.txt").read_bytes())
    (root / "none" / "wrk-92.txt").write_text("no benchmark\n")
    row = "Sat Nov 21 11:00:0{0} 2026\t179522280{0}\t1\t{1}\t{2}\t{1}\n"
    rows = "".join(row.format(i % 10, i % 90, i % 90 + 1) for i in range(FEW // 4 + 100))
    (root / "ab-none").mkdir()
    (root / "ab-none" / "ab-1.tsv").write_text(
        f"starttime\tseconds\tctime\tdtime\tttime\twait\n{rows}"
    )
    return root


def rows(store: Store) -> pa.Table:
    names = ("piece", "metric", "stat", "subject", "line")
    order = [(name, "ascending") for name in names]
    return store.values(raw=True).drop_columns("batch").sort_by(order).combine_chunks()


@pytest.mark.parametrize("url", ["store", "s3://b/cluster"])
def test_result_equals_that_of_one_process(
    address: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    here, there = Store("here"), Store(url)
    one, other = ingest([str(results)], here), ingest([str(results)], there, cluster=address)
    assert (one.reports, one.diagnostics, one.findings, one.runs) == (
        other.reports, other.diagnostics, other.findings, other.runs,
    )  # fmt: skip
    assert one.runs == 17
    assert len(rows(here)) > FEW
    assert rows(there).equals(rows(here))
    assert not list(tmp_path.rglob("raw=*/**/*.tmp"))
    again = ingest([str(results)], there, cluster=address)
    assert again.count("unchanged") == 17


def test_dead_worker_costs_a_retry(address: str, results: Path, tmp_path: Path) -> None:
    report = (WRK / "otlp" / "wrk-1.txt").read_bytes() + b"again\n"
    (results / "none" / "wrk-9-ends-once.txt").write_bytes(report)
    summary = ingest([str(results)], Store(str(tmp_path / "store")), cluster=address)
    assert (tmp_path / "results/none/wrk-9-ends-once.txt.seen").is_dir()
    assert summary.runs == 18


def test_result_that_arrives_as_a_poll_ends_is_kept(
    address: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancel(waiting: Coroutine[None, None, T], seconds: float) -> T:
        if seconds != module._LOOK:
            return await wait_for(waiting, seconds)
        waiting.close()
        raise CancelledError  # as asyncio may if both happen at once

    monkeypatch.setattr("distributed.utils.wait_for", cancel)
    summary = ingest([str(results)], Store(str(tmp_path / "store")), cluster=address)
    assert summary.runs == 17


def test_file_that_kills_its_workers_is_reported(
    address: str, results: Path, tmp_path: Path
) -> None:
    (results / "none" / "wrk-9-ends.txt").write_bytes(b"no report")
    summary = ingest([str(results)], Store(str(tmp_path / "store")), cluster=address)
    ended = [problem for problem in summary.diagnostics if "workers" in problem.what]
    assert [problem.path for problem in ended] == [str(results / "none" / "wrk-9-ends.txt")]
    assert summary.runs == 17
    damaged = bk.load(store=str(tmp_path / "store")).runs.query("role == 'damaged'")
    assert damaged["remark"].str.contains("the workers died while they read this file").sum() == 1


def test_large_file_is_read_by_several_threads(
    address: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = partial(find_share, jobs=2)  # even if a worker is still starting
    monkeypatch.setattr(module, "find_share", lambda sources, _: share(sources))
    tables, folder = [], tmp_path / "threads"
    folder.mkdir()
    samples = (results / "ab-none" / "ab-1.tsv").read_text()
    for number, times in ((1, 1), (2, 4)):
        head, _, lines = samples.partition("\n")
        (folder / f"ab-{number}.tsv").write_text(f"{head}\n{lines * times}")
    for name, cluster in (("here", ""), ("there", address)):
        store = Store(str(tmp_path / name))
        ingest([str(folder)], store, cluster=cluster, jobs=None if cluster else 1)
        tables.append(rows(store))
    assert [path.name for path in folder.glob("*.threads")] == ["ab-2.tsv.threads"]
    assert tables[0].equals(tables[1])


def test_large_file_is_read_in_ranges(
    address: str, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(module, "RANGED_BYTES", 0)
    monkeypatch.setattr(module, "RANGED_THREADS", 0)
    monkeypatch.setattr(workers, "TASK_FILES", 1)
    monkeypatch.setattr(module, "find_share", lambda *_: 0.0)
    here, there = Store(str(tmp_path / "here")), Store("s3://b/ranges")
    one, other = ingest([str(large)], here), ingest([str(large)], there, cluster=address)
    assert (one.reports, one.diagnostics, one.findings, one.runs) == (
        other.reports, other.diagnostics, other.findings, other.runs,
    )  # fmt: skip
    assert rows(there).equals(rows(here))
    exports = []
    for store in (here, there):
        assert run(["export", "--store", store.url]) == 0
        exports.append(sorted(capsys.readouterr().out.splitlines()))  # files may be in any order
    assert exports[1] == exports[0]
    counts = {path.stem: int(path.suffix[1:]) for path in large.glob("*.[1-9]*")}
    assert counts.keys() == RANGED.keys()
    assert min(counts.values()) > 1


def test_files_invisible_to_workers_are_read_locally(
    address: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, submit = Found.load, Cluster._submit
    read_locally = list[str]()

    def note(source: Found) -> Source:
        read_locally.append(source.label)
        return load(source)

    def hide(self: Cluster, task: tuple[int, int], known: object) -> object:
        for source in self._sources[slice(*task)]:
            source.bytes += 1  # as if their file of this name were a different one
        return submit(self, task, known)  # type: ignore[arg-type]

    monkeypatch.setattr(Found, "load", note)
    monkeypatch.setattr(Cluster, "_submit", hide)
    summary = ingest([str(results)], Store(str(tmp_path / "store")), cluster=address)
    assert summary.runs == 17
    assert len(set(read_locally)) == len(summary.reports)
    notes = [each for each in summary.diagnostics if "cannot read this file" in each.what]
    assert len(notes) == 1


def test_store_that_differs_on_the_workers_is_refused(
    address: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    see = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: path.suffix != ".parquet" and see(path))
    store = Store(str(tmp_path / "store"))
    with pytest.raises(StoreError, match="is a different folder"):
        ingest([str(results)], store, cluster=address)
    assert store.pieces() is None


def test_worker_with_another_benchkit_version_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchkit.__version__", "9.9")
    with pytest.raises(DataError, match=r"has benchkit .*, this process has 9\.9"):
        Cluster(address, [], Options())


def test_missing_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    with pytest.raises(DataError, match="the scheduler does not answer"):
        Cluster("tcp://127.0.0.1:9", [], Options())


def test_local_cluster_is_started_and_stopped(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store")
    assert run(["ingest", str(results / "none"), "--cluster", "local:1", "--store", store]) == 0
    assert "wrk     read" in capsys.readouterr().out


@pytest.mark.parametrize("spec", ["", "local:0", "local:x", "host:8786", "tcp://", "http://h:1"])
def test_invalid_cluster_address_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError, match="is not the address of a cluster"):
        Cluster(spec, [], Options())


def test_missing_package_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keeper, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="distributed is not installed") as refused:
        Cluster("local", [], Options())
    assert "pip install '.[distributed]'" in str(refused.value)


def test_configured_cluster_is_ignored_with_a_warning(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("benchkit.toml").write_text('[ingest]\ncluster = "local:x"\n')
    assert run(["ingest", str(results)]) == 2
    assert "'local:x' is not the address of a cluster" in capsys.readouterr().err
    assert run(["ingest", str(results), "--jobs", "1"]) == 0
    assert run(["ingest", str(results), "--jobs", "1", "--cluster", "local"]) == 2
    assert "cannot be combined with --jobs" in capsys.readouterr().err
    Path("benchkit.toml").write_text('[ingest]\ncluster = "tcp://127.0.0.1:9"\n')
    assert run(["ingest", str(results), "--store", "other"]) == 0
    warning = capsys.readouterr().err.splitlines()[0]
    assert warning.startswith("warning: ignoring [ingest] cluster of benchkit.toml: a scheduler ")
    assert warning.endswith(" if you trust it, pass it as --cluster")
    assert run(["ingest", str(results), "--cluster", "nowhere"]) == 2

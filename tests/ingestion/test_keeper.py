"""A local cluster leaves no process behind, however it or the command ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from distributed import Client
from roads import FIXTURES

from benchkit.errors import DataError
from benchkit.ingestion import commit, workers
from benchkit.ingestion.cluster import Cluster
from benchkit.ingestion.discovery import Options, discover
from benchkit.ingestion.harvest import Catch
from benchkit.ingestion.reading import Known
from benchkit.ingestion.sources import Found
from benchkit.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
#: Sends itself a signal when a given module is imported, or when a worker is about to read.
PROGRAM = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {phase!r}:
            os.kill(os.getpid(), signal.{number})
sys.meta_path.insert(0, Interrupting())
if {phase!r}.startswith("Cluster."):
    from benchkit.ingestion.cluster import Cluster
    name = {phase!r}.partition(".")[2]
    before = getattr(Cluster, name)
    def interrupt(*arguments):
        os.kill(os.getpid(), signal.{number})
        return before(*arguments)
    setattr(Cluster, name, interrupt)
sys.argv = ["benchkit", "ingest", "results", "--cluster", "local:2", "--store", "store"]
if __name__ == "__main__":
    from benchkit.__main__ import main
    main()
"""
PHASES = (
    "dask", "distributed.deploy", "tornado.netutil", "Cluster._require_workers", "Cluster._submit",
    "Cluster._wait",
)  # fmt: skip


@pytest.fixture
def sources(tmp_path: Path) -> list[Found]:
    folder = tmp_path / "results" / "none"
    folder.mkdir(parents=True)
    for path in sorted((FIXTURES / "tracing-wrk" / "none").glob("wrk-*.txt")):
        (folder / path.name).write_bytes(path.read_bytes())
    return discover([str(tmp_path / "results")], Options()).found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder for temporary files, which also identifies the processes."""
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def list_processes(place: Path) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if (
                entry.name.isdigit()
                and f"TMPDIR={place}\0".encode() in (entry / "environ").read_bytes()
            ):
                yield int(entry.name)


def wait_until_gone(place: Path) -> None:
    """Wait until no process is left; some end a moment after their parent."""
    end = time.monotonic() + 30
    while (left := [*list_processes(place)]) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left
    assert not [*place.iterdir()]


@pytest.mark.parametrize(
    ("phase", "number"),
    [*((phase, "SIGINT") for phase in PHASES), (PHASES[1], "SIGTERM"), (PHASES[-1], "SIGTERM")],
)
def test_interrupt_leaves_nothing_behind(
    sources: list[Found], place: Path, tmp_path: Path, phase: str, number: str
) -> None:
    assert sources
    program = PROGRAM.format(phase=phase, number=number)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not [*list_processes(place)]
    assert not [*place.iterdir()]
    assert done.stderr == "benchkit: error: interrupted; no partial results were kept\n"
    assert done.returncode == 130
    assert not [*(tmp_path / "store").rglob("*.parquet")]


def test_readers_end_with_a_killed_process(
    sources: list[Found], place: Path, tmp_path: Path
) -> None:
    assert sources
    program = PROGRAM.format(phase="Cluster._wait", number="SIGKILL")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    wait_until_gone(place)


def test_killed_worker_costs_a_retry(sources: list[Found]) -> None:
    cluster = Cluster("local:1", sources, Options())
    try:
        (before,) = cluster._client.run(os.getpid).values()
        os.kill(before, signal.SIGKILL)
        tasks = [(index, index + 1) for index in range(len(sources))]
        results = [*cluster.read_all(tasks, Known(), lambda _: None)]
        (after,) = cluster._client.run(os.getpid).values()
    finally:
        cluster.stop()
    expected = workers.Alone(sources, Options()).read_all(tasks, Known(), lambda _: None)
    assert [one.outcomes[0].report for one in results] == [
        one.outcomes[0].report for one in expected
    ]
    assert {one.outcomes[0].report.outcome for one in results} >= {"read"}
    assert after != before
    assert not Path(f"/proc/{after}").exists()


def test_worker_killed_during_startup_costs_a_retry(
    sources: list[Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = Client.wait_for_workers

    def kill(client: Client, *arguments: int, **options: float) -> None:
        wait(client, *arguments, **options)
        (worker,) = client.run(os.getpid).values()
        os.kill(worker, signal.SIGKILL)

    monkeypatch.setattr(Client, "wait_for_workers", kill)
    cluster = Cluster("local:1", sources, Options())
    try:
        (result,) = cluster.read_all([(0, len(sources))], Known(), lambda _: None)
    finally:
        cluster.stop()
    assert [one.report.outcome for one in result.outcomes] == ["read"] * len(sources)


def test_lost_keeper_is_reported_and_its_workers_end(sources: list[Found]) -> None:
    cluster = Cluster("local:2", sources, Options())
    try:
        running = [*cluster._client.run(os.getpid).values()]
        (keeper,) = {*cluster._client.run(os.getppid).values()}
        os.kill(keeper, signal.SIGKILL)
        tasks = [(0, len(sources))]
        with pytest.raises(DataError, match="the cluster is lost"):
            list(cluster.read_all(tasks, Known(), lambda _: None))
    finally:
        cluster.stop()
    end = time.monotonic() + 30
    while any(Path(f"/proc/{each}/exe").exists() for each in running) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{each}/exe").exists() for each in running)


def test_workers_are_forked_from_a_process_without_threads(sources: list[Found]) -> None:
    cluster = Cluster("local:2", sources, Options())
    try:
        (keeper,) = {*cluster._client.run(os.getppid).values()}
        threads = [each.read_text() for each in Path(f"/proc/{keeper}/task").glob("*/comm")]
    finally:
        cluster.stop()
    # The thread of pyarrow's allocator handles forks.
    assert len([name for name in threads if not name.startswith("jemalloc")]) == 1


def test_readers_end_before_their_files_are_deleted(
    sources: list[Found], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late:
        """Writes a file of samples until it is stopped."""

        def read_all(self, _: object, known: Known, *__: object) -> Iterator[Catch]:
            assert known.folder is not None
            known.folder.mkdir(parents=True)
            self.paths = [known.folder / f"{known.batch}-late.parquet"]
            return map(self.fail, [known])

        def fail(self, _: object) -> Catch:
            raise KeyboardInterrupt

        def stop(self) -> None:
            while self.paths:
                self.paths.pop().touch()

    monkeypatch.setattr(commit, "_choose", lambda *_: Late())
    with pytest.raises(KeyboardInterrupt):
        commit.ingest([str(tmp_path / "results")], Store(str(tmp_path / "store")))
    assert sources
    assert not [*(tmp_path / "store").rglob("*.parquet")]


def test_cluster_listens_only_on_loopback_at_any_free_port(
    sources: list[Found], recwarn: pytest.WarningsRecorder
) -> None:
    clusters = [Cluster("local:1", sources, Options()) for _ in range(2)]
    try:
        sockets = {*list_sockets()}
        lines = (line.split() for line in read_tables())
        addresses = [
            line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets
        ]
    finally:
        for cluster in clusters:
            cluster.stop()
    assert len(addresses) >= 2
    assert {address.partition(":")[0] for address in addresses} == {"0100007F"}
    assert not [each for each in recwarn if "Port" in str(each.message)]


def list_sockets() -> Iterator[str]:
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            yield str(path.readlink())


def read_tables() -> Iterator[str]:
    for name in ("tcp", "tcp6"):
        yield from Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]

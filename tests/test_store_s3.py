"""A store on an object store loses no run when writers collide, and keeps its own files."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from invocation import benchkit

from benchkit.cli import run
from benchkit.store.delta import Table

ROOT = Path(__file__).resolve().parent.parent
WRK = (ROOT / "fixtures" / "tracing-wrk" / "none" / "wrk-1.txt").read_text(encoding="utf-8")
WRITERS, ROUNDS = 4, 2
WRITER = """
import sys
from benchkit.__main__ import leave
from benchkit.cli import run
for folder in sys.argv[2:]:
    if code := run(["ingest", folder, "--store", sys.argv[1], "--jobs", "1", "--quiet"]):
        leave(code)
leave(0)
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Start an S3 server on loopback that supports conditional puts; yield its address.

    The environment of this process points to it while the server runs.
    """
    pytest.importorskip("moto.server", reason="moto[server] is in the dependency group test")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                request(address, "PUT", "/bench")
                break
            except OSError:
                time.sleep(0.2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", address)
            patch.setenv("AWS_ALLOW_HTTP", "true")
            patch.setenv("AWS_ACCESS_KEY_ID", "test")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
            patch.setenv("AWS_REGION", "us-east-1")
            patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
            yield address
    finally:
        server.terminate()
        server.wait()


def request(address: str, method: str, path: str) -> str:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=5)
    connection.request(method, path)
    return connection.getresponse().read().decode()


def list_files(address: str, prefix: str) -> list[str]:
    path = f"/bench?list-type=2&prefix={prefix}"
    return re.findall(r"<Key>([^<]+)</Key>", request(address, "GET", path))


def delete_files(address: str, prefix: str) -> None:
    """Delete as a client with credentials; the server refuses others."""
    paths = list_files(address, prefix)
    assert paths
    for path in paths:
        Table("s3://bench").filesystem.delete_file(path)
    assert not list_files(address, prefix)


def write_run(path: Path, rate: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(re.sub(r"Requests/sec: .*", f"Requests/sec: {rate:.2f}", WRK))


@pytest.mark.usefixtures("bucket")
def test_no_run_is_lost_when_writers_collide_on_an_object_store(tmp_path: Path) -> None:
    store, expected, started = "s3://bench/race", [], []
    for writer in range(WRITERS):
        folders = []
        for at in range(ROUNDS):
            rate = 1000.0 + 10 * writer + at
            write_run(tmp_path / f"{writer}-{at}" / "none" / f"wrk-{at + 1}.txt", rate)
            expected.append(f"{rate}")
            folders.append(str(tmp_path / f"{writer}-{at}"))
        command = [sys.executable, "-c", WRITER, store, *folders]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    errors = [process.communicate(timeout=180)[1] for process in started]
    assert [process.returncode for process in started] == [0] * WRITERS, errors
    done = benchkit("export", "--metric", "request_rate", "--store", store, cwd=tmp_path)
    rates = [line.split(",")[-9] for line in done.stdout.splitlines()[1:]]
    assert sorted(rates) == sorted(expected), done.stdout + done.stderr


def test_object_store_supports_undo_check_repair_and_vacuum(tmp_path: Path, bucket: str) -> None:
    store = ("--store", "s3://bench/whole")
    for rate in (1000.0, 2000.0, 3000.0):
        write_run(tmp_path / "none" / "wrk-1.txt", rate)
        assert benchkit("ingest", str(tmp_path / "none"), *store, cwd=tmp_path).returncode == 0
    assert not [name for name in list_files(bucket, "whole/") if "snappy" in name]
    assert benchkit("undo", *store, cwd=tmp_path).returncode == 0
    assert ",2000.0," in benchkit("export", *store, cwd=tmp_path).stdout
    assert benchkit("store", "vacuum", *store, cwd=tmp_path).returncode == 0
    assert benchkit("store", "check", *store, cwd=tmp_path).returncode == 0
    assert ",2000.0," in benchkit("export", *store, cwd=tmp_path).stdout
    delete_files(bucket, "whole/values/raw")
    done = benchkit("compare", "--baseline", "none", *store, cwd=tmp_path)
    assert done.returncode == 3
    assert "benchkit store repair" in done.stderr
    assert benchkit("store", "check", *store, cwd=tmp_path).returncode == 3
    assert "wrk-1.txt" in benchkit("store", "repair", *store, cwd=tmp_path).stdout
    assert benchkit("store", "check", *store, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("tables", [("runs",), ("runs", "values")])
def test_store_with_a_deleted_log_of_commits_is_not_empty(
    tmp_path: Path, bucket: str, tables: tuple[str, ...]
) -> None:
    name = f"lost-{len(tables)}"
    store = ("--store", f"s3://bench/{name}")
    for number, rate in ((1, 1000.0), (2, 2000.0)):
        write_run(tmp_path / "none" / f"wrk-{number}.txt", rate)
        assert benchkit("ingest", str(tmp_path / "none"), *store, cwd=tmp_path).returncode == 0
    before = benchkit("export", *store, cwd=tmp_path).stdout
    for table in tables:
        delete_files(bucket, f"{name}/{table}/_delta_log")
    for command in (["export"], ["ingest", str(tmp_path / "none")], ["store", "check"]):
        done = benchkit(*command, *store, cwd=tmp_path)
        assert done.returncode == 3
        assert f"{name}/runs/_delta_log" in done.stderr + done.stdout
        assert "benchkit store repair" in done.stderr
    assert benchkit("store", "repair", *store, cwd=tmp_path).returncode == 0
    assert benchkit("store", "check", *store, cwd=tmp_path).returncode == 0
    assert sorted(benchkit("export", *store, cwd=tmp_path).stdout) == sorted(before)


@pytest.mark.parametrize("table", ["runs", "values"])
def test_deleted_newest_entry_is_detected_and_restored(
    tmp_path: Path, bucket: str, table: str
) -> None:
    name = f"newest-{table}"
    store = ("--store", f"s3://bench/{name}")
    for number, rate in ((1, 1000.0), (2, 2000.0)):
        write_run(tmp_path / "none" / f"wrk-{number}.txt", rate)
        assert benchkit("ingest", str(tmp_path / "none"), *store, cwd=tmp_path).returncode == 0
    before = benchkit("export", *store, cwd=tmp_path).stdout
    log = f"{name}/{table}/_delta_log"
    newest = max(key for key in list_files(bucket, f"{log}/") if key.endswith(".json"))
    delete_files(bucket, newest)
    for command in (["export"], ["ingest", str(tmp_path / "none")], ["store", "check"]):
        done = benchkit(*command, *store, cwd=tmp_path)
        assert done.returncode == 3, command
        assert newest in done.stderr + done.stdout
        assert "benchkit store repair" in done.stderr
    assert benchkit("store", "repair", *store, cwd=tmp_path).returncode == 0
    assert benchkit("store", "check", *store, cwd=tmp_path).returncode == 0
    assert sorted(benchkit("export", *store, cwd=tmp_path).stdout) == sorted(before)


@pytest.mark.parametrize(
    "words",
    [
        *("store check", "store repair", "store vacuum", "store upgrade", "history prune"),
        *("runs", "compare", "export", "undo"),
    ],
)
def test_unreachable_store_is_a_store_error(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AWS_ALLOW_HTTP", raising=False)  # so that nothing retries for seconds
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "test")
    keep = ["--keep", "1"] if "prune" in words else []
    assert run([*words.split(), *keep, "--store", "s3://bench/unreachable"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("benchkit: error: s3://bench/unreachable")
    assert ": the store failed: " in line
    assert line.endswith("your credentials and the network, and run the command again")

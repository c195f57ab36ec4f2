"""Queries of a Prometheus over HTTP: recorded responses from a small server, and a real one."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from benchkit.cli import run
from benchkit.errors import BenchkitError, ConfigError, DataError
from benchkit.ingestion.prometheus_api import PASSWORD, TOKEN, USER, RangeQuery, ask, parse_query

RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-resources" / "prometheus"
RANGE = RECORDED / "query_range-cpu_seconds_total.json"
CPU = "container_cpu_usage_seconds_total"
START, END = 1795224103302, 1795224142302
SECRET = "s3cr3tvalue"  # noqa: S105 - what must not be found


@dataclass
class Server:
    """Answers every request the same way, and records the requests."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    requests: list[tuple[str, dict[str, list[str]], dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def answer(self, parameters: dict[str, list[str]]) -> bytes:
        """Return the body, cut to the requested range."""
        try:
            document = json.loads(self.body)
            start, end = (float(parameters[name][0]) for name in ("start", "end"))
            for series in document["data"]["result"]:
                series["values"] = [v for v in series["values"] if start <= v[0] <= end]
        except (ValueError, KeyError, TypeError):
            return self.body
        return json.dumps(document).encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server on loopback."""
    state = Server(body=RANGE.read_bytes())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            parameters = parse_qs(parts.query)
            state.requests.append((parts.path, parameters, dict(self.headers)))
            time.sleep(state.delay)
            body = state.answer(parameters)
            self.send_response(state.status)
            for name, value in {"Content-Length": f"{len(body)}", **state.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_port}"
        thread = Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def query(server: Server, **other: int | str) -> RangeQuery:
    arguments: dict[str, Any] = {"url": server.url, "query": CPU, "start": START, "end": END}
    return RangeQuery(**{**arguments, "step": 1000, **other})


@dataclass
class Done:
    """The outcome of a command."""

    returncode: int
    stdout: str
    stderr: str


def benchkit(cwd: Path, *arguments: str, **environ: str) -> Done:
    out, err = StringIO(), StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as m:
        for name, value in environ.items():
            m.setenv(name, value)
        code = run(arguments)
    return Done(code, out.getvalue(), err.getvalue())


def live(server: Server, *more: str) -> list[str]:
    moments = ["--start", "2026-11-21T01:21:43.302Z", "--end", f"{END / 1000}"]
    return ["ingest", "--prometheus", f"{server.url}/", *moments, *more]


def test_response_is_passed_through_unchanged(server: Server) -> None:
    recorded = json.loads(RANGE.read_bytes())["data"]["result"]
    assert json.loads(ask(query(server), environ={}))["data"]["result"] == recorded
    ((path, parameters, headers),) = server.requests
    assert path == "/api/v1/query_range"
    assert parameters == {
        "query": [CPU],
        "start": ["1795224103.302"],
        "end": ["1795224142.302"],
        "step": ["1"],
    }
    assert "Authorization" not in headers


def test_long_range_is_queried_in_pieces_and_joined(server: Server) -> None:
    recorded = json.loads(RANGE.read_bytes())["data"]["result"]
    whole = json.loads(ask(query(server, step=1), environ={}))
    assert whole["data"]["result"] == recorded
    pieces = [
        (round(float(parameters["start"][0]) * 1000), round(float(parameters["end"][0]) * 1000))
        for _, parameters, _ in server.requests
    ]
    assert (pieces[0][0], pieces[-1][1]) == (START, END)
    assert [after - end for (_, end), (after, _) in pairwise(pieces)] == [1] * 3
    assert max(end - start + 1 for start, end in pieces) == 11_000


def test_warnings_of_all_pieces_are_kept_once(server: Server) -> None:
    document = json.loads(RANGE.read_bytes())
    server.body = json.dumps({**document, "warnings": ["partial"], "infos": [1]}).encode()
    whole = json.loads(ask(query(server, step=1), environ={}))
    assert (whole["warnings"], whole["infos"]) == (["partial"], ["1"])


@pytest.mark.parametrize(
    ("environ", "header"),
    [
        ({TOKEN: f"{SECRET}\n"}, f"Bearer {SECRET}"),
        (
            {USER: "me", PASSWORD: SECRET},
            "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode(),
        ),
        ({PASSWORD: "s\udcff"}, "Basic " + base64.b64encode(b":s\xff").decode()),
    ],
)
def test_credentials_come_from_the_environment(
    server: Server, environ: dict[str, str], header: str
) -> None:
    answer = ask(query(server), environ=environ)
    assert server.requests[0][2]["Authorization"] == header
    assert SECRET.encode() not in answer


ERRORS = {
    "error": (400, (RECORDED / "query-parse-error.json").read_bytes(), "unclosed left parenthesis"),
    "error with 200": (200, (RECORDED / "query-parse-error.json").read_bytes(), "bad_data"),
    "too many points": (
        400,
        b'{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution"}',
        "exceeded maximum resolution",
    ),
    "credentials": (401, b"Unauthorized", TOKEN),
    "forbidden": (403, b"", "HTTP 403"),
    "no API": (404, b"404 page not found", "/api/v1"),
    "overloaded": (503, b"<html>", "HTTP 503"),
    "a login page": (200, b"<html>Please log in</html>", "does not come from Prometheus"),
    "another API": (200, b'{"hello": "world"}', "does not come from Prometheus"),
    "a list": (200, b"[]", "does not come from Prometheus"),
}


@pytest.mark.parametrize("case", ERRORS.values(), ids=ERRORS)
def test_refused_query_says_what_to_do(server: Server, case: tuple[int, bytes, str]) -> None:
    server.status, server.body, message = case
    with pytest.raises(DataError) as error:
        ask(query(server), environ={TOKEN: SECRET})
    assert message in str(error.value)
    assert error.value.hint
    assert SECRET not in str(error.value)


def test_redirect_is_not_followed(server: Server) -> None:
    server.status, server.headers = 302, {"Location": f"http://me:{SECRET}@other.example/login"}
    with pytest.raises(DataError, match=r"redirects to other\.example") as error:
        ask(query(server), environ={TOKEN: SECRET})
    assert SECRET not in str(error.value)
    assert len(server.requests) == 1


def test_missing_response_and_missing_server_are_errors(server: Server) -> None:
    server.delay = 1.0
    with pytest.raises(DataError, match=r"no response within 0\.2 s"):
        ask(query(server), timeout=0.2, environ={})
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(DataError, match="Connection refused"):
            ask(query(server, url=nobody), environ={})


def test_truncated_response_is_refused(server: Server) -> None:
    server.headers = {"Content-Length": "1000000"}
    server.status = 200
    with pytest.raises(DataError, match="truncated"):
        ask(query(server), timeout=5, environ={})


def test_invalid_token_is_not_printed(server: Server) -> None:
    with pytest.raises(BenchkitError) as error:
        ask(query(server), environ={TOKEN: f"{SECRET}\r\nX: y"})
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"url": "prometheus:9090"}, "--prometheus"),
        ({"url": "file:///etc/passwd"}, "--prometheus"),
        ({"url": "http://h:port"}, "--prometheus"),
        ({"url": "http://h:9090/é"}, "--prometheus"),
        ({"url": "http://a..b:9090"}, "--prometheus"),
        ({"query": "up\udcff"}, "--query"),
        ({"url": f"http://me:{SECRET}@h:9090"}, "--prometheus"),
        ({"url": f"http://h:9090/?token={SECRET}"}, "--prometheus"),
        ({"start": None}, "--start"),
        ({"end": None}, "--end"),
        ({"start": "2026-11-20T10:00:00"}, "--start"),
        ({"end": "yesterday"}, "--end"),
        ({"end": "1"}, "--end"),
        ({"step": "0s"}, "--step"),
        ({"step": "often"}, "--step"),
        ({"step": "1ms", "end": "1895224103"}, "--step"),
    ],
)
def test_invalid_query_is_refused_before_sending(changed: dict[str, Any], where: str) -> None:
    arguments = {"url": "http://h:9090", "query": "up", "start": "1795224103", "end": "1795224104"}
    with pytest.raises(ConfigError) as error:
        parse_query(**{**arguments, "step": "1s", **changed})
    assert error.value.where == where
    assert SECRET not in str(error.value)


def test_session_is_ingested_from_a_server(server: Server, tmp_path: Path) -> None:
    done = benchkit(tmp_path, *live(server, "--query", CPU, "--format", "json"), **{TOKEN: SECRET})
    assert done.returncode == 0, done.stderr
    (source,) = json.loads(done.stdout)["sources"]
    assert source["outcome"] == "read"
    url = f"{server.url}/api/v1/query_range?query={CPU}&start=1795224103.302"
    assert source["label"] == f"{url}&end=1795224142.302&step=1"

    table = benchkit(tmp_path, "export", "--metric", "cpu_time").stdout.splitlines()
    filed = benchkit(tmp_path, "export", str(RANGE), "--metric", "cpu_time").stdout.splitlines()
    assert len(table) == len(filed) == 121
    values = [sorted(line.split(",")[5:15] for line in lines) for lines in (table, filed)]
    assert values[0] == values[1]
    assert table[1].endswith(f"{source['label']}:1,")  # a companion has no load model
    stored = b"".join(p.read_bytes() for p in (tmp_path / ".benchkit").rglob("*") if p.is_file())
    assert SECRET.encode() not in stored

    again = benchkit(tmp_path, *live(server, "--query", CPU, "--format", "json"))
    assert [s["outcome"] for s in json.loads(again.stdout)["sources"]] == ["unchanged"]


def test_failed_query_costs_only_itself(server: Server, tmp_path: Path) -> None:
    server.body = b'{"status":"success","data":{"resultType":"matrix","result":[]}}'
    both = ["--query", "absent", "--query", CPU]
    done = benchkit(tmp_path, *live(server, *both))
    assert done.returncode == 3
    assert "the query matched nothing" in done.stderr
    file = str(RECORDED.parents[1] / "tracing-wrk" / "none" / "wrk-1.txt")
    server.status, server.body = 400, (RECORDED / "query-parse-error.json").read_bytes()
    done = benchkit(tmp_path, *live(server, "--query", "sum(", file, "--format", "json"))
    assert done.returncode == 0
    assert [s["outcome"] for s in json.loads(done.stdout)["sources"]] == ["read", "refused"]
    assert "unclosed left parenthesis" in done.stdout
    strict = benchkit(tmp_path, *live(server, "--query", "sum(", file, "--strict"))
    assert strict.returncode == 3


@pytest.mark.parametrize(
    "arguments",
    [["ingest"], ["ingest", "--query", "up"], ["ingest", "--prometheus", "http://127.0.0.1:1"]],
)
def test_usage_errors(arguments: list[str], tmp_path: Path) -> None:
    done = benchkit(tmp_path, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


EXPORTER = """
import sys, time
from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server
registry = CollectorRegistry()
labels = ("id", "cpu")
cpu = Counter("container_cpu_usage_seconds", "CPU", labels, registry=registry)
memory = Gauge("container_memory_rss", "RSS", ("id",), registry=registry)
start_http_server(int(sys.argv[1]), addr="127.0.0.1", registry=registry)
while True:
    cpu.labels("/bench/server", "total").inc(0.05)
    memory.labels("/bench/server").set(8355840)
    time.sleep(0.1)
"""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def _start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def prometheus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run Prometheus, scraping a small exporter five times per second; return its address."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed (Debian: apt-get install prometheus)")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    exporter, port = free_port(), free_port()
    config = tmp_path / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
        "scrape_configs:\n"
        "- job_name: bench\n"
        f"  static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]\n"
    )
    listen = f"--web.listen-address=127.0.0.1:{port}"
    store = f"--storage.tsdb.path={tmp_path / 'tsdb'}"
    scraped = _start(sys.executable, "-c", EXPORTER, str(exporter))
    server = _start(program, f"--config.file={config}", store, listen)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        for process in (server, scraped):
            process.terminate()
            process.wait(60)


def real(url: str, query: str, seconds: int, step: int) -> RangeQuery:
    now = int(time.time() * 1000)
    return RangeQuery(url=url, query=query, start=now - seconds * 1000, end=now, step=step)


def wait_for_samples(url: str, least: int) -> None:
    for _ in range(600):
        with suppress(DataError):
            counted = json.loads(ask(real(url, f"count_over_time({CPU}[1m])", 0, 1000)))
            samples = counted["data"]["result"]
            if samples and int(samples[0]["values"][0][1]) >= least:
                return
        time.sleep(0.1)
    pytest.fail("Prometheus did not scrape the exporter")


def test_real_prometheus_is_queried(prometheus: str, tmp_path: Path) -> None:
    wait_for_samples(prometheus, 8)
    end = time.time()
    moments = ["--start", f"{end - 2:.3f}", "--end", f"{end:.3f}", "--step", "200ms"]
    queries = ["--query", CPU, "--query", "container_memory_rss"]
    done = benchkit(tmp_path, "ingest", "--prometheus", prometheus, *moments, *queries)
    assert done.returncode == 0, done.stderr
    lines = benchkit(tmp_path, "export", "--metric", "cpu_time").stdout.splitlines()[1:]
    values = [float(line.split(",")[8]) for line in lines]
    assert len(values) >= 5
    assert values == sorted(values)
    assert values[-1] > values[0]
    assert {line.split(",")[5] for line in lines} == {"/bench/server"}
    memory = benchkit(tmp_path, "export", "--metric", "memory_rss").stdout.splitlines()[1:]
    assert {line.split(",")[8] for line in memory} == {"8355840.0"}

    with pytest.raises(DataError, match="parse error"):
        ask(real(prometheus, "sum(", 2, 1000))
    (series,) = json.loads(ask(real(prometheus, CPU, 3000, 100)))["data"]["result"]
    times = [round(point[0] * 1000) for point in series["values"]]
    assert {after - before for before, after in pairwise(times)} == {100}

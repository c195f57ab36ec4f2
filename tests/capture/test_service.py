"""A plan starts its service, waits for it, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread

import pytest

from benchkit.capture import service
from benchkit.capture.ending import interruptible
from benchkit.capture.execution import FailedError, quote_end
from benchkit.capture.plan import parse_plan
from benchkit.capture.session import Session, carry_out
from benchkit.capture.usage import read_table

#: Answers on a port; its second argument makes it fork into another session, or misbehave.
SERVER = """
import http.server, os, signal, sys, time
port, manner = int(sys.argv[1]), sys.argv[2]
if manner == "broken":
    sys.exit("cannot read config\\nbad key: port")
if manner == "daemon" and os.fork():
    sys.exit(0)
if manner == "daemon" or (manner == "family" and not os.fork()):
    os.setsid()
    if manner == "family":
        time.sleep(600)
if manner == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/die":
            os._exit(7)
        self.send_response(503 if time.monotonic() < busy else 200)
        self.end_headers()
        self.wfile.write(b"pong")
busy = time.monotonic() + (manner == "late")
if manner == "deaf":
    time.sleep(600)
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
ADVICE = "check the address, or set ready_timeout in the plan to wait longer"
GET = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read())"


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


@pytest.fixture
def capture(tmp_path: Path, port: int) -> Callable[..., Session]:
    (tmp_path / "server.py").write_text(SERVER)

    def run(manner: str, path: str = "/", **options: object) -> Session:
        plan = {
            "serve": [sys.executable, str(tmp_path / "server.py"), str(port), manner],
            "ready": f"http://127.0.0.1:{port}/",
            "command": [sys.executable, "-c", GET, f"http://127.0.0.1:{port}{path}"],
            "variants": {"none": {}},
        }
        return carry_out(parse_plan({**plan, **options}), tmp_path / "out", announce=print)

    return run


def is_served(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def list_leftovers(folder: Path) -> list[str]:
    """Return the command lines of processes that mention a folder."""
    lines = []
    for pid, process in read_table().items():
        if pid != os.getpid() and not process.is_ended:
            try:
                lines.append(Path(f"/proc/{pid}/cmdline").read_text())
            except OSError:
                continue
    return [line for line in lines if str(folder / "server.py") in line]


@pytest.mark.parametrize("manner", ["plain", "late", "family", "daemon", "stubborn"])
def test_service_is_measured_and_leaves_nothing_behind(
    capture: Callable[..., Session],
    tmp_path: Path,
    port: int,
    manner: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(service, "_END", 1.0)
    session = capture(manner, rounds=2, warmup=[sys.executable, "-c", "print(1)"])
    assert session.problem == ""
    assert [run.record.role for run in session.runs] == ["warmup", "measured"] * 2
    assert (tmp_path / "out/none/2.txt").read_text() == "b'pong'\n"
    killed = capsys.readouterr().out.count(": still running 1 s after SIGTERM; killed\n")
    assert killed == (2 if manner == "stubborn" else 0)
    assert not is_served(port)
    assert list_leftovers(tmp_path) == []


def test_unrelated_process_is_neither_measured_nor_stopped(
    capture: Callable[..., Session],
) -> None:
    with subprocess.Popen(["/bin/sh", "-c", "while :; do sleep 0.05; done"]) as other:
        try:
            session = capture("plain")
            assert (session.problem, other.poll()) == ("", None)
        finally:
            other.kill()


def test_ignored_hangup_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_exited_service_is_reported_with_its_last_lines(
    capture: Callable[..., Session],
) -> None:
    session = capture("broken")
    assert session.runs == ()
    assert session.problem.endswith(
        "the service exited with code 1; its last lines: cannot read config / bad key: port"
    )
    assert session.problem.startswith("serve = ")


def test_wait_for_an_unresponsive_service_is_limited(
    capture: Callable[..., Session],
    tmp_path: Path,
    port: int,
) -> None:
    for manner, ready, patience, problem in (
        (
            "deaf",
            f"127.0.0.1:{port}",
            0.5,
            f"not ready after 0.5 s: nothing listens there; it printed nothing; {ADVICE}",
        ),
        ("plain", f"http://127.0.0.1:{port}/die", 60, "the service exited with code 7"),
    ):
        session = capture(manner, ready=ready, ready_timeout=patience)
        assert problem in session.problem
        assert list_leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("head", "rest", "problem"),
    [
        ("HTTP/1.1 200 OK\r\nX: ", "a", "takes longer than 2 s"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", "takes longer than 2 s"),
        ("HTTP/1.1 302 Found\r\nLocation: http://[::1/\r\n\r\n", "", "Invalid IPv6 URL"),
        ("HTTP/1.1 302 Found\r\nLocation: http://a..b/\r\n\r\n", "", "label empty or too long"),
    ],
    ids=["slow header", "endless header", "invalid address", "invalid host"],
)
def test_incomplete_response_or_bad_redirect_is_not_an_answer(
    port: int, head: str, rest: str, problem: str
) -> None:
    def respond(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.recv(1 << 16)  # unread data would turn the close into a reset
            connection.sendall(head.encode())
            while rest:
                connection.sendall(rest.encode())
                time.sleep(0.01)

    table = {"ready": f"http://127.0.0.1:{port}/", "ready_timeout": 0, "command": "true"}
    waiting = service.serving(parse_plan({**table, "variants": {"a": {}}}).variants["a"])
    with socket.create_server(("127.0.0.1", port)) as server:
        Thread(target=respond, args=[server], daemon=True).start()
        with pytest.raises(FailedError, match=f"not ready after 0 s: no answer: .*{problem}"):
            waiting.__enter__()


class Locked(BaseHTTPRequestHandler):
    """Answers requests with a password, except on one path."""

    def do_GET(self) -> None:
        is_known = self.headers["Authorization"] == "Basic bWU6YzBmZmVl"
        self.send_response(503 if self.path == "/busy" else 200 if is_known else 401)
        self.end_headers()


@pytest.mark.parametrize(
    ("user", "path", "status"), [("me:c0ffee", "", 0), ("me:c0c0a", "", 401), ("u:p", "busy", 503)]
)
def test_credentials_are_sent_and_a_refusal_is_reported(
    port: int, user: str, path: str, status: int
) -> None:
    table = {"ready": f"http://{user}@127.0.0.1:{port}/{path}", "ready_timeout": 0}
    plan = parse_plan({**table, "command": "true", "variants": {"a": {}}})
    waiting = service.serving(plan.variants["a"])
    with HTTPServer(("127.0.0.1", port), Locked) as server:
        Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        if status:
            with pytest.raises(FailedError, match=f"after 0 s: it answers with status {status}; "):
                waiting.__enter__()
        else:
            with waiting as running:
                assert running is None
        server.shutdown()


def test_quoting_a_log_keeps_the_write_position_of_the_service() -> None:
    with TemporaryFile() as log:
        os.write(log.fileno(), b"one\ntwo\n")
        os.lseek(log.fileno(), 3, os.SEEK_SET)
        assert quote_end(log) == "one / two"
        assert os.lseek(log.fileno(), 0, os.SEEK_CUR) == 3


def test_run_fails_if_the_service_exits(
    capture: Callable[..., Session],
) -> None:
    session = capture("plain", "/die")
    assert session.runs[0].record.role == "failed"
    assert "during the run, the service exited with code 7; its last lines: " in session.problem


def test_run_ends_with_its_service_though_the_command_continues(
    capture: Callable[..., Session], port: int
) -> None:
    script = f"{sys.executable} -c '{GET}' http://127.0.0.1:{port}/die 2> /dev/null; sleep 600"
    session = capture("plain", command=["sh", "-c", script])
    assert session.runs[0].record.duration < 60
    assert session.runs[0].record.exit == 124
    assert "allow more time" not in session.problem
    assert "standard error" not in session.problem
    assert "during the run, the service exited with code 7; its last lines: " in session.problem


def test_program_already_on_the_port_is_not_measured(
    capture: Callable[..., Session], port: int
) -> None:
    with socket.create_server(("127.0.0.1", port)):
        session = capture("plain")
    assert session.runs == ()
    assert "another program already answers there" in session.problem


def test_ready_without_serve_waits_for_a_service_started_before(
    capture: Callable[..., Session], port: int
) -> None:
    asleep = [sys.executable, "-c", "import time; time.sleep(9)"]
    session = capture("plain", serve=asleep, ready_timeout=0.2)
    assert "no answer: Connection refused; " in session.problem
    address = {"ready": f"127.0.0.1:{port}", "ready_timeout": 0.2}
    plan = {**address, "command": "true", "variants": {"a": {}}}
    waiting = service.serving(parse_plan(plan).variants["a"])
    with pytest.raises(FailedError, match="nothing listens there"), waiting:
        pass
    served = service.serving(parse_plan(plan).variants["a"])
    with socket.create_server(("127.0.0.1", port)), served as running:
        assert running is None


def test_plan_of_the_manual_can_be_run(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[2] / "benchkit/manual/howto/capture.md"
    plan = page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    changes = {"rounds = 8": "rounds = 2", "2s": "0s", "wrk ": "true ", "8080/ping": f"{port}/"}
    for text, other in changes.items():
        assert text in plan
        plan = plan.replace(text, other)
    monkeypatch.chdir(tmp_path)
    Path("server").write_text(
        '#!/bin/sh\necho "$@" >> served\n'
        f"exec {sys.executable} -m http.server --bind 127.0.0.1 {port}\n"
    )
    Path("server").chmod(0o755)
    session = carry_out(parse_plan(tomllib.loads(plan)), Path("out"))
    assert session.problem == ""
    served = Path("served").read_text().splitlines()
    assert served == [f"--exporter {name}" for name in ("none", "otlp", "otlp", "none")]
    assert [run.record.role for run in session.runs] == ["warmup", "measured"] * 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("manner", ["family", "deaf"])
def test_interrupt_stops_the_service(
    tmp_path: Path, port: int, manner: str, number: signal.Signals
) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "plan.toml").write_text(
        f"serve = ['{sys.executable}', '{tmp_path}/server.py', '{port}', '{manner}']\n"
        f"ready = '127.0.0.1:{port}'\ncommand = 'sleep 600'\n[variants.a]\n"
    )
    words = [sys.executable, "-m", "benchkit", "capture", "--plan", "plan.toml"]
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - nohup ignores it
    ) as process:
        ends = time.monotonic() + 60
        while not (list_leftovers(tmp_path) and (manner == "deaf" or is_served(port))):
            assert time.monotonic() < ends
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(60) == 130
    assert list_leftovers(tmp_path) == []


def test_service_ends_with_a_killed_session(tmp_path: Path, port: int) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    serve = sys.executable, f"{tmp_path}/server.py", f"{port}", "family"
    program = f"""
import os
from benchkit.capture.plan import Commands
from benchkit.capture.service import serving
with serving(Commands(command=("true",), serve={serve!r}, ready="127.0.0.1:{port}")):
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    ends = time.monotonic() + 30
    while list_leftovers(tmp_path):
        assert time.monotonic() < ends
        time.sleep(0.02)

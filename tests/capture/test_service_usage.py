"""Resource usage of a service is written next to each run, and agrees with the kernel's counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchkit.api import load
from benchkit.capture.plan import parse_plan
from benchkit.capture.session import carry_out
from benchkit.capture.usage import is_served_by, recording

REPORT = Path(__file__).resolve().parents[2] / "fixtures/tracing-wrk/none/wrk-1.txt"
#: Burns 0.4 s of CPU in a child process that ends, and 0.3 s itself, with 40 MB.
BURN = """
import os, time
def burn(seconds):
    while time.process_time() < seconds:
        pass
if not os.fork():
    burn(0.4)
    os._exit(0)
os.wait()
burn(0.3)
block = bytearray(40_000_000)
for place in range(0, len(block), 4096):
    block[place] = 1
time.sleep(0.5)
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmHWM")).split()[1])
"""
SERVER = """
import http.server, sys, threading, time
def burn():
    while True:
        time.sleep(0.001)
        end = time.thread_time() + 0.002
        while time.thread_time() < end:
            pass
threading.Thread(target=burn, daemon=True).start()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{time.process_time()}".encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
#: Notes the cores that the service counted, and prints a report.
WRK = """#!{python}
import pathlib, time, urllib.request
def count():
    return float(urllib.request.urlopen("http://127.0.0.1:{port}/").read()), time.monotonic()
before, began = count()
time.sleep(2)
after, ended = count()
pathlib.Path({cores!r}).write_text(str((after - before) / (ended - began)))
print(pathlib.Path({report!r}).read_text())
"""


def test_samples_agree_with_the_kernel() -> None:
    process = subprocess.Popen([sys.executable, "-c", BURN], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with recording([process.pid]) as samples, process.stdout as output:
        largest = int(output.read()) * 1024
        _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    counted = [sample.cpu / 1e9 for sample in samples]
    memory = max(sample.memory for sample in samples)
    assert counted == sorted(counted)
    assert counted[-1] == pytest.approx(used.ru_utime + used.ru_stime, abs=0.06)
    assert memory == pytest.approx(largest, rel=0.05)
    assert memory > 40e6


def test_only_a_listening_process_is_measured() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert is_served_by({os.getpid()}, port)
        assert not is_served_by({os.getppid()}, port)
    assert not is_served_by({os.getpid()}, port)


def test_unmeasured_service_is_reported_once_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchkit.capture.service.is_served_by", lambda *_: False)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = f"{probe.getsockname()[1]}"
    plan = {
        "serve": [sys.executable, "-c", SERVER, port],
        "ready": f"127.0.0.1:{port}",
        "command": ["true"],
        "rounds": 2,
        "variants": {"none": {}},
    }
    lines: list[str] = []
    assert carry_out(parse_plan(plan), tmp_path / "out", announce=lines.append).problem == ""
    (line,) = (each for each in lines if "not recorded" in each)
    assert line == (
        "CPU and memory of the service are not recorded: no process of the service itself "
        f"listens on port {port}; record it with cAdvisor or docker stats "
        "(`benchkit help load-tests`)"
    )


def test_capture_has_the_cpu_per_request_of_its_service(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = f"{probe.getsockname()[1]}"
    counted = tmp_path / "cores"
    words = {"python": sys.executable, "port": port, "cores": str(counted), "report": str(REPORT)}
    (tmp_path / "wrk").write_text(WRK.format(**words))
    (tmp_path / "wrk").chmod(0o755)
    plan = {
        "serve": [sys.executable, "-c", SERVER, port],
        "ready": f"127.0.0.1:{port}",
        "command": [str(tmp_path / "wrk")],
        "variants": {"a b": {}},
    }
    assert carry_out(parse_plan(plan), tmp_path / "out").problem == ""
    (name,) = (path.name for path in (tmp_path / "out").rglob("docker-stats-*.json"))
    assert name == "docker-stats-wrk-1.json"
    results = load(tmp_path / "out")
    values = results.observations.set_index("metric")["value"]
    cores, rate = values["cpu_usage"].min(), values["request_rate"]
    assert cores == pytest.approx(float(counted.read_text()), rel=0.2)
    assert values["cpu_per_request"] == pytest.approx(cores / rate, rel=0.01)
    assert values["memory_usage"].min() > 5e6
    companion = results.runs[results.runs["role"] == "companion"].iloc[0]
    assert companion["variant"] == "a b"

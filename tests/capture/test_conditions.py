"""Capture waits until a machine is quiet, and a sidecar records its conditions during the run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from machines import CPU, stat

from benchkit.api import load
from benchkit.audit.machine import parse_cpus
from benchkit.capture import placement
from benchkit.capture.conditions import CpuTimes, Quiet, recording_conditions
from benchkit.capture.placement import Placement, place, running_on
from benchkit.capture.plan import parse_plan
from benchkit.capture.session import carry_out
from benchkit.errors import ConfigError

CORES = len(os.sched_getaffinity(0))


class Load:
    """A machine with 4 CPUs and a given load in each second."""

    def __init__(self, root: Path, *busy: float) -> None:
        self.busy, self.slept, self.root = list(busy), 0.0, root
        (root / "proc").mkdir()
        self.idle = self.user = 1000
        self._write()

    def sleep(self, seconds: float) -> None:
        busy = self.busy.pop(0) if len(self.busy) > 1 else self.busy[0]
        self.slept += seconds
        self.user += round(100 * seconds * busy)
        self.idle += round(100 * seconds * (4 - busy))
        self._write()

    def _write(self) -> None:
        (self.root / "proc/stat").write_text(stat(self.idle, self.user))


def test_quiet_machine_is_checked_once(tmp_path: Path) -> None:
    machine = Load(tmp_path, 0.05)
    assert Quiet(5, tmp_path, machine.sleep).wait() == ""
    assert machine.slept == 5


def test_busy_machine_is_waited_for(tmp_path: Path) -> None:
    machine = Load(tmp_path, 2.0, 0.5, 0.02)
    assert Quiet(5, tmp_path, machine.sleep).wait() == "waited 15 s until the machine was quiet"


def test_machine_that_stays_busy_is_measured_and_not_waited_for_again(tmp_path: Path) -> None:
    machine = Load(tmp_path, 1.4)
    quiet = Quiet(5, tmp_path, machine.sleep)
    message = "not quiet after {} s: other programs use 1.4 of 4 CPUs; measured anyway"
    assert quiet.wait() == message.format(60)
    assert quiet.wait() == message.format(5)
    machine.busy = [0.0]
    assert quiet.wait() == ""
    machine.busy = [1.4, 0.0]
    assert quiet.wait() == "waited 10 s until the machine was quiet"


def test_wait_is_skipped_if_no_load_is_recorded(tmp_path: Path) -> None:
    assert Quiet(5, tmp_path).wait() == ""
    assert Quiet(0).wait() == ""


def test_stolen_time_is_a_share_of_the_requested_time() -> None:
    before = CpuTimes(times=(100, 0, 0, 800, 0, 0, 0, 100), cpus=2)
    now = CpuTimes(times=(190, 0, 0, 1700, 0, 0, 0, 110), cpus=2)
    assert now.share_stolen(before) == pytest.approx(0.1)
    assert now.count_busy(before) == pytest.approx(0.18)


def test_conditions_cover_the_time_between_two_readings(tmp_path: Path) -> None:
    tasks = tmp_path / "proc/7/task"
    files = {
        "proc/stat": stat(0, 100), "proc/7/task/7/status": "nonvoluntary_ctxt_switches:\t5\n",
        f"{CPU}/cpu0/cpufreq/scaling_cur_freq": "1200000",
        f"{CPU}/cpu1/cpufreq/scaling_cur_freq": "3400000",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with recording_conditions({7}, tmp_path) as conditions:
        (tmp_path / "proc/stat").write_text(stat(0, 190, 10))
        (tasks / "7/status").write_text("nonvoluntary_ctxt_switches:\t25\n")
        (tasks / "8").mkdir()
        (tasks / "8/status").write_text("nonvoluntary_ctxt_switches:\t2\n")
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert conditions.pop("switches") >= 0
    assert conditions == {"service_switches": 22, "stolen": 0.1, "frequency": 3.4e9}


@pytest.mark.parametrize(
    ("siblings", "allowed", "placement_or_reason"),
    [
        (("0-1", "0-1", "2-3", "2-3"), range(4), Placement(frozenset((2, 3)), frozenset((0, 1)))),
        (("0,2", "1,3", "0,2", "1,3"), range(4), Placement(frozenset((1, 3)), frozenset((0, 2)))),
        (("0", "1", "2"), (0, 2), Placement(frozenset((2,)), frozenset((0,)))),
        (("0", "1", "2"), range(3), Placement(frozenset((1, 2)), frozenset((0,)))),
        (
            ("0-1", "0-1", "2-3", "2-3"),
            (0, 1),
            "a core each, but only 2 threads of 1 core can be used",
        ),
        (("0",), (0,), "a core each, but only 1 CPU can be used"),
        ((), (0, 1), "the kernel does not report which CPUs share a core"),
    ],
)
def test_cores_are_divided_with_all_their_threads(
    siblings: tuple[str, ...], allowed: range, placement_or_reason: Placement | str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for number, text in enumerate(siblings):
        path = tmp_path / CPU / f"cpu{number}/topology/thread_siblings_list"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    monkeypatch.setattr(placement, "list_cpus", lambda: list(allowed))
    placed = place(tmp_path)
    if isinstance(placement_or_reason, str):
        assert str(placed).startswith("not pinned: ")
        assert placement_or_reason in str(placed)
    else:
        assert placed == placement_or_reason


def test_only_started_processes_inherit_the_cpus() -> None:
    before = os.sched_getaffinity(0)
    cpu = min(before)
    words = [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"]
    with running_on({cpu}):
        inside = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert inside == f"{{{cpu}}}\n"
    assert os.sched_getaffinity(0) == before


@pytest.mark.skipif(CORES < 2, reason="needs two CPUs")
def test_service_and_generator_of_a_plan_run_on_separate_cpus(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    report = Path(__file__).resolve().parents[2] / "fixtures/tracing-wrk/none/wrk-1.txt"
    code = f"import os; print(*os.sched_getaffinity(0)); print(open({str(report)!r}).read())"
    plan = {
        "serve": [sys.executable, "-m", "http.server", f"{port}", "--bind", "127.0.0.1"],
        "ready": f"http://127.0.0.1:{port}/", "command": [sys.executable, "-c", code],
        "pin": True, "variants": {"none": {}},
    }  # fmt: skip
    lines: list[str] = []
    session = carry_out(parse_plan(plan), tmp_path / "out", announce=lines.append)
    assert session.problem == ""
    assert lines[0].startswith("pinned: the service to CPU ")
    env = session.runs[0].record.env
    service, generator = (parse_cpus(env[f"{name}.cpus"]) for name in ("service", "generator"))
    assert service
    assert not service & generator
    first = session.runs[0].path.read_text().splitlines()[0]
    assert {int(cpu) for cpu in first.split()} == generator
    conditions = load(tmp_path / "out").runs["conditions"].iloc[0]
    assert {"switches", "service_switches", "stolen"} <= conditions.keys()


def test_plan_without_a_service_cannot_be_pinned(tmp_path: Path) -> None:
    plan = {"command": "true", "pin": True, "variants": {"none": {}}}
    with pytest.raises(ConfigError, match="pins a service, but the plan does not start one"):
        carry_out(parse_plan(plan), tmp_path / "out")
    with pytest.raises(ConfigError, match="GOGC=1: there is no such command; write env before it"):
        carry_out(parse_plan({**plan, "command": "GOGC=1 true", "pin": False}), tmp_path / "out")
    with pytest.raises(ConfigError, match="pin: expected true or false"):
        parse_plan({**plan, "pin": "yes"})
    assert parse_plan({**plan, "quiet_before": "5s"}).quiet == 5

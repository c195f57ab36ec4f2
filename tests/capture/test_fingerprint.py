"""The fingerprint records what Linux reports, and nothing that may be secret."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from benchkit.capture import fingerprint
from benchkit.capture.fingerprint import VARIABLES, read_limits, take_fingerprint


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")
    return root


CPU = "sys/devices/system/cpu"
MACHINE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: 12th Gen Intel(R) Core(TM) i7-1280P\n",
    "proc/meminfo": "MemTotal:       16384 kB\nMemFree:  1 kB",
    f"{CPU}/cpu0/topology/thread_siblings_list": "0-1",
    f"{CPU}/cpu1/topology/thread_siblings_list": "0-1",
    f"{CPU}/cpu2/topology/thread_siblings_list": "2",
    f"{CPU}/cpu10/topology/thread_siblings_list": "10",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave",
    f"{CPU}/cpu2/cpufreq/scaling_governor": "performance",
}


def test_machine_is_described(tmp_path: Path) -> None:
    recorded = take_fingerprint(write(tmp_path, MACHINE), {})
    assert recorded["cpu"] == "12th Gen Intel(R) Core(TM) i7-1280P"
    assert recorded["siblings"] == "0-1 2 10"
    assert recorded["governor"] == "performance powersave"
    assert recorded["memory"] == "16777216"
    assert int(recorded["cpus"]) >= 1
    assert recorded["kernel"]


def test_only_allowed_variables_are_recorded() -> None:
    environ = {
        "GOGC": "off",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:hidden@collector:4317",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=hidden",
        "AWS_SECRET_ACCESS_KEY": "hidden",
        "DATABASE_URL": "hidden",
    }
    recorded = take_fingerprint(environ=environ)
    assert recorded["GOGC"] == "off"
    assert recorded["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://REDACTED@collector:4317"
    assert "hidden" not in repr(recorded)
    assert set(environ) & set(recorded) <= set(VARIABLES)


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        ({"proc/self/cgroup": "0::/"}, {}),
        (
            {
                "proc/self/cgroup": "0::/user/job",
                "sys/fs/cgroup/user/cpu.max": "150000 100000",
                "sys/fs/cgroup/user/job/cpu.max": "max 100000",
                "sys/fs/cgroup/user/job/memory.max": "4294967296",
            },
            {"cpu_limit": "1.5", "memory_limit": "4294967296"},
        ),
        (
            {
                "proc/self/cgroup": "0::/",
                "sys/fs/cgroup/cpu.max": "200000 100000",
                "sys/fs/cgroup/memory.max": "max",
            },
            {"cpu_limit": "2"},
        ),
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n0::/docker/a",
                "sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
                "sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes": "1048576",
            },
            {"cpu_limit": "0.5", "memory_limit": "1048576"},
        ),
        (
            {
                "proc/self/cgroup": "5:cpu:/",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            {},
        ),
    ],
    ids=["none", "unified, the group above", "unified, in a container", "version 1", "no quota"],
)
def test_limits_are_the_lowest_of_all_parent_groups(
    tmp_path: Path, files: dict[str, str], limits: dict[str, str]
) -> None:
    assert read_limits(write(tmp_path, files)) == limits


def test_commit_is_that_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, {"a.txt": "a"}))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "commit" not in take_fingerprint()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "a.txt"], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    recorded = take_fingerprint()
    assert (len(recorded["commit"]), recorded["changed"]) == (40, "false")
    write(tmp_path, {"a.txt": "b", "results.txt": "no part of the checkout"})
    assert take_fingerprint()["changed"] == "true"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux pins processes, others not")
def test_pinned_process_records_its_affinity() -> None:
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        pytest.skip("one CPU alone")
    try:
        os.sched_setaffinity(0, {max(before)})
        recorded = take_fingerprint()
    finally:
        os.sched_setaffinity(0, before)
    assert (recorded["affinity"], recorded["cpus"]) == (f"{max(before)}", "1")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout of one file, which differs from the state that git recorded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("a")
    for words in (["init"], ["add", "a"], ["commit", "-m", "a"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], check=True)
    os.utime(tmp_path / "a", (1, 1))
    return tmp_path


@pytest.mark.parametrize(
    ("key", "attribute"),
    [
        ("core.fsmonitor", ""),
        ("core.sshCommand", ""),
        ("filter.own.clean", "filter=own"),
        ("filter.own.process", "filter=own"),
        ("diff.external", ""),
        ("diff.own.textconv", "diff=own"),
        ("diff.own.command", "diff=own"),
        ("alias.status", ""),
        ("core.pager", ""),
    ],
)
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_filters_of_a_checkout_are_not_run(
    checkout: Path, key: str, attribute: str, place: str
) -> None:
    (checkout / place).parent.mkdir(exist_ok=True)
    (checkout / place).write_text(f"* {attribute}\n")
    subprocess.run(["git", "config", key, "touch ran; cat"], check=True)
    assert take_fingerprint(checkout, {})["changed"] == "false"
    assert not (checkout / "ran").exists()


def test_hooks_of_a_checkout_are_not_run(checkout: Path) -> None:
    hook = checkout / "hooks/post-index-change"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.hooksPath", str(hook.parent)], check=True)
    assert take_fingerprint(checkout, {})["changed"] == "false"
    assert not (checkout / "ran").exists()


def test_line_endings_and_modes_of_a_checkout_are_not_changes(checkout: Path) -> None:
    subprocess.run(["git", "config", "core.autocrlf", "true"], check=True)
    subprocess.run(["git", "config", "core.filemode", "false"], check=True)
    (checkout / "a").chmod(0o755)
    assert take_fingerprint(checkout, {})["changed"] == "false"
    (checkout / "a").write_text("b")
    assert take_fingerprint(checkout, {})["changed"] == "true"


def test_hanging_git_is_stopped_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = tmp_path / "bin/git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\n(sleep 2; touch {tmp_path}/ran) & wait\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    monkeypatch.setattr(fingerprint, "_SECONDS", 0.2)
    assert "commit" not in take_fingerprint(tmp_path, {})
    time.sleep(2.2)
    assert not (tmp_path / "ran").exists()

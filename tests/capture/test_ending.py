"""Commands that never end are stopped, and so are processes that a command leaves running."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from benchkit.capture import ending, usage
from benchkit.capture.usage import Process, read_table

#: The command with a shorter grace period for processes that ignore Ctrl-C (ten seconds is long).
IMPATIENT = """
import sys
from benchkit.capture import ending
from benchkit.cli import run
ending.POLITE = tuple((number, seconds / 10) for number, seconds in ending.POLITE)
sys.exit(run(sys.argv[1:]))
"""


def benchkit(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IMPATIENT, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("show", [[], ["--show"]])
def test_command_that_never_ends_is_stopped_with_all_its_children(
    tmp_path: Path, show: list[str]
) -> None:
    script = "trap '' INT; sleep 611 & echo begun; setsid sleep 612"
    words = ("capture", "--variant", "a", "--timeout", "1s", *show, "--", "sh", "-c", script)
    done = benchkit(*words, cwd=tmp_path)
    assert done.returncode == 3
    assert (
        "results/a/1.txt: the command was still running after 1 s, and was stopped; its standard "
        "error is empty; check what it waits for, or allow more time with --timeout; made 0 of 1"
    ) in done.stderr
    assert (tmp_path / "results/a/1.txt").read_text() == "begun\n"
    sidecar = (tmp_path / "results/a/1.txt.run.toml").read_text()
    assert 'role = "failed"' in sidecar
    assert "exit = 124\n" in sidecar
    assert list_commands("sleep 611", "sleep 612") == []


def test_shell_is_signalled_before_its_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A set has no order of process numbers, so the shell printed `Terminated`."""
    parents = {64: 129, 129: 66, 66: 1, 68: 66}
    alive, signalled = set(parents), list[int]()

    def end(pid: int, _number: int) -> None:
        signalled.append(pid)
        alive.discard(pid)

    monkeypatch.setattr("os.kill", end)
    monkeypatch.setattr(
        usage, "read_process", lambda pid: Process(parents[pid], 0, 0, is_ended=False)
    )
    assert ending.end_processes(lambda: set(alive), ending.FIRM) == set()
    assert sorted(signalled) == sorted(parents)
    for child, parent in parents.items():
        assert parent == 1 or signalled.index(parent) < signalled.index(child)


def test_preparations_that_never_end_are_stopped(tmp_path: Path) -> None:
    for when in ("before", "after"):
        (tmp_path / "plan.toml").write_text(f"""
        timeout = "500ms"
        {when} = "sleep 613"
        command = "true"
        [variants.none]
        """)
        done = benchkit("capture", "--plan", "plan.toml", "--out", when, cwd=tmp_path)
        assert done.returncode == 3
        assert f"{when} = sleep 613: the command was still running after 0.5 s" in done.stderr
        assert list_commands("sleep 613") == []


def test_leftover_processes_of_a_command_are_stopped_and_counted(tmp_path: Path) -> None:
    script = "sleep 614 & sleep 614 & true"
    words = ("capture", "--variant", "a", "--repeat", "2", "--", "sh", "-c", script)
    done = benchkit(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1.txt: stopped 2 processes that were left of the command\n" in done.stderr
    assert list_commands("sleep 614") == []


def test_leftover_processes_of_a_preparation_keep_running(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("""
    before = "sleep 615 & echo $! > pid"
    after = "kill $(cat pid) && touch killed"
    command = "true"
    [variants.none]
    """)
    assert benchkit("capture", "--plan", "plan.toml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "killed").exists()


def list_commands(*lines: str) -> list[str]:
    """Return those of some command lines that are running."""
    running = []
    for pid, process in read_table().items():
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            if not process.is_ended and " ".join(filter(None, words)) in lines:
                running.append(" ".join(words))
    return running

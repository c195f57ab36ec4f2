"""`benchkit ab` on a git repository: two commits, built and measured in turn until decided."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commits import BENCH, git, write_history
from invocation import benchkit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with three commits: the last one is slower, the second one does not build."""
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    write_history(tmp_path / "repo", [1000, 1000, 1300], broken=1)
    return tmp_path


def ab(
    folder: Path, *more: str, sides: tuple[str, str] = ("HEAD~2", "HEAD")
) -> subprocess.CompletedProcess[str]:
    command = ("--", "sh", "bench.sh")
    return benchkit("ab", *sides, "--repo", "repo", *more, *command, cwd=folder)


def test_two_commits_are_measured_until_decided(folder: Path) -> None:
    done = ab(folder, "--build", "sh build.sh && touch built")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("▲ head takes ")
    assert "decided: 8 runs in 4 rounds" in done.stdout
    base = git(folder / "repo", "rev-parse", "HEAD~2")
    assert f"base: {base[:10]} (change 0)\n" in done.stderr
    runs = (folder / "runs").read_text().splitlines()
    assert len(runs) == 8
    assert not any(Path(run).exists() for run in runs)
    assert len(git(folder / "repo", "worktree", "list").splitlines()) == 1
    sidecar = (folder / "ab-results" / "base" / "1.txt.run.toml").read_text()
    assert f'commit = "{base}"' in sidecar

    again = ab(folder, "--build", "sh build.sh && touch built", "--format", "json", "-q")
    answer = json.loads(again.stdout)
    assert (answer["decided"], answer["rounds"], answer["runs"]) == (True, 4, [])
    assert again.stderr == ""
    compared = benchkit("compare", "ab-results", "--format", "json", cwd=folder)
    assert json.loads(compared.stdout)["rows"] == answer["rows"]
    assert benchkit("gate", "ab-results", cwd=folder).returncode == 1
    assert benchkit("report", "ab-results", cwd=folder).returncode == 0

    other = ab(folder, "--build", "sh build.sh && touch built", sides=("HEAD", "HEAD~2"))
    assert other.returncode == 2
    assert "ab-results: holds runs of another commit for base; choose an empty" in other.stderr
    other = ab(folder, "--build", "sh build.sh && touch rebuilt 2")
    assert other.returncode == 2
    assert "ab-results: holds runs with another 'build' for base: sh -c" in other.stderr


def test_command_runs_in_the_same_folder_of_each_work_tree(folder: Path) -> None:
    place = folder / "repo" / "a b"
    place.mkdir()
    for level in (1000, 1300):
        (place / "bench.sh").write_text(BENCH)
        (place / "level").write_text(f"{level}\n")
        git(folder / "repo", "add", "--all")
        git(folder / "repo", "commit", "--quiet", "--message", f"level {level}")
    words = ("ab", "HEAD~1", "HEAD", "--build", "touch built", "--", "sh", "bench.sh")
    assert benchkit(*words, cwd=place).returncode == 0
    assert {Path(run).name for run in (folder / "runs").read_text().splitlines()} == {"a b"}
    done = benchkit("ab", "HEAD~2", "HEAD", "--out", "more", "--", "sh", "bench.sh", cwd=place)
    assert done.returncode == 3
    assert "the commit has no folder a b" in done.stderr


def test_build_that_never_ends_is_stopped(folder: Path) -> None:
    done = ab(folder, "--build", "echo no server yet; sleep 616", "--timeout", "500ms")
    assert done.returncode == 3
    assert "--build was still running after 0.5 s, and was stopped: 'no server yet'" in done.stderr
    assert len(git(folder / "repo", "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (("nope", "HEAD"), "unknown commit 'nope' in repo; see git log"),
        (("HEAD", "HEAD"), "BASE and HEAD are the same commit, "),
        (("HEAD", "HEAD~0"), "BASE and HEAD are the same commit, "),
    ],
)
def test_incomparable_commits_are_refused(
    folder: Path, sides: tuple[str, str], message: str
) -> None:
    done = ab(folder, sides=sides)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (folder / "ab-results").exists()


def test_impossible_rounds_are_refused_before_building(folder: Path) -> None:
    done = ab(folder, "--build", "touch built", "--max-rounds", "1")
    assert done.returncode == 2
    assert "expected 2 <= --min-rounds <= --max-rounds" in done.stderr
    assert "build" not in done.stderr


def test_folder_without_a_repository_is_reported(folder: Path) -> None:
    done = benchkit("ab", "HEAD~1", "HEAD", "--", "sh", "bench.sh", cwd=folder)
    assert done.returncode == 2
    assert ".: not a git repository" in done.stderr
    assert "name the folder of the repository with --repo" in done.stderr


def test_commit_that_cannot_be_built_is_an_error(folder: Path) -> None:
    done = ab(folder, "--build", "sh build.sh", sides=("HEAD~1", "HEAD"))
    assert done.returncode == 3
    assert "--build exited with code 1; try it in a checkout of that commit" in done.stderr
    assert "error: base (" in done.stderr
    assert len(git(folder / "repo", "worktree", "list").splitlines()) == 1


def test_failed_run_of_another_commit_is_set_aside(folder: Path) -> None:
    repo, sides = folder / "repo", ("HEAD~2", "HEAD")
    for script, words in (("exit 1\n", ()), (f"{BENCH}exit 0\n", ("--amend",))):
        (repo / "bench.sh").write_text(script)
        git(repo, "commit", "--quiet", "--all", "--message", "faster", *words)
        done = ab(folder, "--max-rounds", "4", sides=sides)
        assert done.returncode == (0 if words else 3), done.stderr
    assert "ab-results: set aside 1 failed run of other commits or commands\n" in done.stderr
    assert "2/8 head measured 2: " in done.stderr
    assert " failed" not in benchkit("gate", "ab-results", cwd=folder).stdout


def test_unreadable_output_and_failures_are_errors(folder: Path) -> None:
    words = ("ab", "HEAD~1", "HEAD", "--repo", "repo")
    for command, message in ((("echo", "hello"), "no results"), (("false",), "code 1")):
        done = benchkit(*words, "--out", command[0], "--", *command, cwd=folder)
        assert done.returncode == 3
        assert message in done.stderr
        assert ("; let the command print" in done.stderr) == (command[0] == "echo")
    done = benchkit(*words, "--", "./nowhere", cwd=folder)
    assert done.returncode == 2
    assert "./nowhere: cannot be started" in done.stderr


def test_uncommitted_changes_give_a_warning(folder: Path) -> None:
    (folder / "repo" / "level").write_text("2000\n")
    done = ab(folder)
    assert done.returncode == 0
    assert "warning: repo: changes that are not committed are not measured" in done.stderr
    assert "warning" not in ab(folder, "--out", "b", sides=("HEAD~2", "HEAD~1")).stderr


@pytest.mark.parametrize("during", ["build", "measurement"])
def test_interrupt_leaves_no_work_tree_and_the_series_continues(folder: Path, during: str) -> None:
    hold = 'test -e "$RUNS.waits" || { touch "$RUNS.waits"; exec sleep 60; }'
    late = f'test "$(wc -l < "$RUNS")" -lt 5 || {hold}'
    script = f"{late}; . ./bench.sh" if during == "measurement" else ". ./bench.sh"
    build = hold if during == "build" else "true"
    (folder / "runs").touch()
    words = ("ab", "HEAD~2", "HEAD", "--repo", "repo", "--build", build, "--", "sh", "-c", script)
    process = subprocess.Popen(
        [sys.executable, "-m", "benchkit", *words],
        cwd=folder, env={**os.environ, "TMPDIR": str(folder)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(2000):
        if (folder / "runs.waits").exists():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert len(git(folder / "repo", "worktree", "list").splitlines()) == 1
    assert not list(folder.glob("benchkit-trees-*"))
    made = len((folder / "runs").read_text().splitlines())
    done = benchkit(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "decided: 8 runs in 4 rounds" in done.stdout
    assert len((folder / "runs").read_text().splitlines()) == 8
    assert made == (5 if during == "measurement" else 0)

"""`benchkit bisect` on a git repository: builds, runs, continued searches and output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from commits import git, write_history
from invocation import benchkit

from benchkit.bisect.repository import Repository, opening
from benchkit.capture.places import holding
from benchkit.cli import run
from benchkit.errors import DataError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a repository of 13 commits; one is slower, and one does not build."""
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    write_history(tmp_path / "repo", [1000] * 7 + [1300] * 6, broken=5)
    hook = tmp_path / "repo" / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    return tmp_path


def bisect(
    folder: Path, *more: str, span: str = "HEAD~12..HEAD"
) -> subprocess.CompletedProcess[str]:
    scripts = ("--bench", "sh bench.sh", "--build", "sh build.sh")
    return benchkit("bisect", span, "--repo", "repo", *scripts, *more, cwd=folder)


def test_commit_is_named_and_a_second_search_measures_nothing_again(folder: Path) -> None:
    done = bisect(folder)
    assert done.returncode == 0, done.stderr
    slower = git(folder / "repo", "log", "--format=%h", "--abbrev=10", "-1", "HEAD~5")
    assert done.stdout.startswith(f"{slower} (change 7) changed time per operation of Get by +")
    assert "with a probability of 99." in done.stdout
    (forecast,) = (line for line in done.stderr.splitlines() if line.startswith("round 4: "))
    assert forecast.endswith(", about 4 more")
    runs = (folder / "runs").read_text().splitlines()
    assert f"{len(runs)} runs" in done.stdout
    assert not any(Path(run).exists() for run in runs)
    sidecar = next((folder / "bisect-results" / slower).glob("*.toml")).read_text()
    assert f'commit = "{git(folder / "repo", "rev-parse", slower)}"' in sidecar
    assert len(git(folder / "repo", "worktree", "list").splitlines()) == 1
    assert not (folder / "hooked").exists()

    again = bisect(folder, "--format", "json", "-q")
    document = json.loads(again.stdout)["bisect"]
    assert document["ending"] == "found"
    assert document["first"] == document["last"] == git(folder / "repo", "rev-parse", "HEAD~5")
    assert document["low"] <= 1.3 <= document["high"]
    assert (folder / "runs").read_text().splitlines() == runs
    assert again.stderr == ""
    compared = benchkit("compare", "bisect-results", cwd=folder)
    assert compared.returncode == 0, compared.stderr

    stray = folder / "bisect-results" / "stray"
    stray.mkdir()
    for name, text in (("1.txt", "BenchmarkGet 100 9 ns/op\n"), ("2.txt", "")):
        (stray / name).write_text(text)
    lines = bisect(folder).stderr.splitlines()
    assert (
        "not part of this search: bisect-results/stray/1.txt, bisect-results/stray/2.txt" in lines
    )
    shutil.rmtree(stray)

    narrower = bisect(folder, span="HEAD~11..HEAD~2")  # rounds recorded for other ends
    assert narrower.stdout.startswith(f"{slower} (change 7) changed")
    assert "about" not in narrower.stderr.splitlines()[-1]  # no forecast for a finished search
    next((folder / "bisect-results" / slower).glob("*.toml")).unlink()
    lost = bisect(folder)
    assert lost.returncode == 3
    assert "the rounds of its runs are unknown: an output or a sidecar is missing" in lost.stderr
    good = git(folder / "repo", "log", "--format=%h", "--abbrev=10", "-1", "HEAD~12")
    assert f"more time per operation than {good} (95" in compared.stdout
    with holding(folder / "bisect-results"):
        assert "another session is measuring in this folder" in bisect(folder).stderr
    for script in ("--bench", "--build"):
        other = bisect(folder, script, "sh bench.sh 2")
        assert other.returncode == 2
        assert "bisect-results: holds runs " in other.stderr


def test_commit_that_does_not_build_is_reported_and_left_out(folder: Path) -> None:
    build = 'test "$(cat number)" != 6 || { echo no compiler here; exit 3; }'
    done = bisect(folder, "--build", build, span="HEAD~7..HEAD~5")
    assert done.returncode == 0, done.stderr
    broken, slower = (
        git(folder / "repo", "log", "--format=%h", "--abbrev=10", "-1", place)
        for place in ("HEAD~6", "HEAD~5")
    )
    assert (f"{broken} is left out: --build exited with code 3: 'no compiler here'") in done.stderr
    assert done.stdout.startswith(f"One of the 2 commits {broken} to {slower} changed ")
    assert "only the last of these commits can be measured; 2 commits measured" in done.stdout
    again = bisect(folder, "--build", build, "--format", "json", span="HEAD~7..HEAD~5")
    unusable = json.loads(again.stdout)["bisect"]["unusable"]
    assert unusable == [git(folder / "repo", "rev-parse", broken)]
    assert f"left out as before: {broken}; delete bisect-results/" in again.stderr


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("HEAD", "expected a range of commits, got 'HEAD'"),
        ("HEAD~3..nope", "unknown commit 'nope' in repo"),
        ("HEAD..HEAD~3", "HEAD is not a first-parent ancestor of HEAD~3"),
        ("HEAD..HEAD", "HEAD is not a first-parent ancestor of HEAD: both are "),
        ("--upload-pack=x..HEAD", "unknown option"),
    ],
)
def test_invalid_range_is_refused(folder: Path, span: str, message: str) -> None:
    done = bisect(folder, span=span)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (folder / "bisect-results").exists()


def test_end_that_cannot_be_built_or_run_is_an_error(folder: Path) -> None:
    done = bisect(folder, span="HEAD~12..HEAD~7")
    assert done.returncode == 3
    assert "--build exited with code 1; choose two ends that both build" in done.stderr
    done = benchkit(*("bisect", "HEAD~12..HEAD", "--repo", "repo", "--bench", "exit 4"), cwd=folder)
    assert done.returncode == 3
    assert "exited with code 4" in done.stderr


def test_unreadable_output_is_an_error_that_names_the_file(folder: Path) -> None:
    done = benchkit(
        *("bisect", "HEAD~12..HEAD", "--repo", "repo", "--bench", "echo hello"), cwd=folder
    )
    assert done.returncode == 3
    assert "no results were read" in done.stderr
    assert "let the command print one run's results in a format" in done.stderr


def test_work_trees_of_a_killed_session_are_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = folder / "repo"
    program = f"""
import os, tempfile
from pathlib import Path
from benchkit.bisect.repository import opening
tempfile.tempdir = {f"{folder}"!r}
with opening(Path({f"{repo}"!r})) as repository:
    repository.check_out(repository.find_commit("HEAD"))
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    monkeypatch.setattr("tempfile.tempdir", f"{folder}")
    (killed,) = folder.glob("benchkit-trees-*")
    with opening(repo) as repository:
        tree = repository.check_out(repository.find_commit("HEAD"))
        assert not killed.exists()
        with opening(repo):
            assert tree.exists()
        assert len(git(repo, "worktree", "list").splitlines()) == 2
    assert not list(folder.glob("benchkit-trees-*"))


def test_interrupted_search_says_that_its_runs_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("benchkit.bisect.search.search", interrupt)
    words = ["--repo", f"{folder}/repo", "--out", f"{folder}/out", "--bench", "true"]
    assert run(["bisect", "HEAD~2..HEAD", *words]) == 130
    assert "interrupted: the runs are kept; run the same command" in capsys.readouterr().err


def test_secret_in_a_commit_message_is_not_shown(folder: Path) -> None:
    repo = folder / "repo"
    for number, subject in enumerate(("use https://me:c0ffee@example.org/", "set token=c0ffee")):
        (repo / "number").write_text(f"a{number}")
        git(repo, "commit", "--quiet", "--all", "--message", subject)
    with closing(Repository(repo, folder / "trees")) as history:
        commits = history.list_commits("HEAD~1..HEAD")
    assert [commit.subject for commit in commits] == [
        "use https://REDACTED@example.org/", "set token=REDACTED"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "key",
    [
        *("filter.own.smudge", "filter.own.process", "log.showSignature", "core.sshCommand"),
        *("core.fsmonitor", "filter.a=b.smudge", "filter.a=b.process"),
        "filter.\udcff.smudge",  # a byte that is not UTF-8
    ],
)
def test_programs_in_repository_settings_are_not_run(key: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".gitattributes").write_bytes(os.fsencode(f"* filter={key.split('.')[1]}\n"))
    for number in (1, 2):
        (tmp_path / "a").write_text(f"{number}\n")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", f"change\u2028{number}")
    head = git(tmp_path, "cat-file", "commit", "HEAD")
    lines = head.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END\n\n", 1)
    (tmp_path / "signed").write_text(f"{lines}\n")
    signed = git(tmp_path, "hash-object", "-t", "commit", "-w", "signed")
    run = tmp_path / "run.sh"
    run.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    run.chmod(0o755)
    git(tmp_path, "config", "gpg.program", str(run))
    git(tmp_path, "config", key, "true" if key.startswith("log") else str(run))
    repository = Repository(tmp_path, tmp_path / "trees")
    history = repository.list_commits(f"HEAD~1..{signed}")
    assert [commit.subject for commit in history] == ["change\u20281", "change\u20282"]
    assert (repository.check_out(history[-1]) / "a").read_text() == "2\n"
    repository.close()
    assert not (tmp_path / "ran").exists()


def test_hooks_that_the_settings_of_a_repository_name_are_disabled(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for name in ("own", "a=b", "\udcff"):
        git(tmp_path, "config", f"hook.{name}.command", "touch ran")
        git(tmp_path, "config", f"hook.{name}.event", "post-checkout")
    repository = Repository(tmp_path, tmp_path / "trees")
    for name in ("own", "a=b", "\udcff"):  # git 2.54 runs them, and asks this first
        enabled = repository._run(*repository._programs, "config", f"hook.{name}.enabled")
        assert enabled == (0, "false\n")


def test_a_git_that_does_not_tell_where_a_setting_is_from_checks_nothing_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_history(tmp_path / "repo", [1000])
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    programs = f'*--show-scope*) exit 129;; *) exec {shutil.which("git")} "$@";;'
    old.write_text(f'#!/bin/sh\ncase "$*" in {programs} esac\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent), prepend=":")
    repository = Repository(tmp_path / "repo", tmp_path / "trees")
    with pytest.raises(DataError, match="its filters and hooks are unknown"):
        repository.check_out(repository.find_commit("HEAD"))

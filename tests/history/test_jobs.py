"""A history reports where it pools runs of CI jobs that may measure different things."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

from benchkit.cli import run

GITLAB = ("CI_PIPELINE_ID", "CI_JOB_NAME", "CI_JOB_ID")
GITHUB = ("GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "RUNNER_NAME")


def add(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], values: str, *, label: str = ""
) -> None:
    for name, value in zip(names, values.split(","), strict=True):
        monkeypatch.setenv(name, value)
    gated.write_runs(Path("results/base.txt"), seed=len(values), runs=5, benchmarks=("Ping",))
    dated = ["--commit", "0000001a", "--date", "2026-10-01T10:00:00Z"]
    assert run(["history", "add", f"{label}results", *dated]) == 0


@pytest.mark.parametrize(
    ("names", "jobs", "pooled"),
    [
        (GITLAB, ("5,bench: [3.11],1", "5,bench: [3.12],22"), "the CI jobs bench:-[3.11] and"),
        (GITHUB, ("5,1,bench,a", "5,1,bench,bb"), "several jobs of the matrix bench"),
        (GITLAB, ("5,bench,1", "5,bench,22"), ""),
        (GITHUB, ("5,1,bench,a", "5,2,bench,bb"), ""),
        (GITLAB, ("5,bench,1", "66,bench,2"), ""),
    ],
)
def test_runs_of_one_commit_from_different_jobs_are_reported(
    names: tuple[str, ...],
    jobs: tuple[str, str],
    pooled: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    add(monkeypatch, names, jobs[0])
    capsys.readouterr()
    add(monkeypatch, names, jobs[1])
    added = " ".join(capsys.readouterr().err.split())
    assert run(["history", "show"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for text in (added, shown):
        assert (f"uns of {pooled or 'x'}" in text) == bool(pooled)
        assert ("`benchkit history add NAME=PATH`" in text) == bool(pooled)


def test_jobs_with_separate_labels_are_not_pooled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    add(monkeypatch, GITLAB, "5,a,1", label="py311=")
    add(monkeypatch, GITLAB, "5,b,22", label="py312=")
    assert run(["history", "show"]) == 0
    assert "count as repeats" not in "".join(capsys.readouterr())

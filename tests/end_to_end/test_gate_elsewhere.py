"""A gate in CI judges what its own run measured, and no other run's results."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.ingestion.origins import REPOSITORIES

JOB = {
    "GITHUB_RUN_ID": "71",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_JOB": "bench",
    "RUNNER_NAME": "arm",
}
LIMIT = ["gate", "--max-overhead", "time_per_op=5%"]


@pytest.mark.parametrize("cost", [0.0, 0.15])
def test_run_that_measured_nothing_is_inconclusive(
    cost: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    gated.write_runs(Path("results/main.txt"), seed=1)
    gated.write_runs(Path("results/pr.txt"), seed=2, cost=cost)
    assert run(["ingest", "results", "-q"]) == 0
    monkeypatch.setenv("GITHUB_RUN_ID", "72")
    capsys.readouterr()
    for options in (LIMIT, ["gate"]):
        assert run([*options, "--format", "json", "-q"]) == 4
        answer = json.loads(capsys.readouterr().out)
        assert answer["verdict"] == "undecided"
        assert "not measured by this CI run, but by origin github/71/1/bench/arm" in str(answer)
    assert run([*LIMIT, "--origin", "github/71", "-q"]) == (1 if cost else 0)


def test_run_that_measured_nothing_is_inconclusive_among_several_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_RUN_ID", "1")
    for seed, job in enumerate("AB"):
        monkeypatch.setenv("GITHUB_JOB", job)
        gated.write_runs(Path("results/main.txt"), seed=2 * seed)
        gated.write_runs(Path("results/pr.txt"), seed=2 * seed + 1)
        assert run(["ingest", "results", "-q"]) == 0
    monkeypatch.setenv("GITHUB_RUN_ID", "2")
    monkeypatch.setenv("GITHUB_JOB", "A")
    capsys.readouterr()
    lax = ["--on-inconclusive", "pass"]
    for options in (LIMIT, ["gate"], [*LIMIT, *lax], ["gate", "--junit", "j.xml", "--github"]):
        assert run(options) == 4
        shown = " ".join(capsys.readouterr().out.split())
        why = "not measured by this CI run, but by origin github/1/A, github/1/B; measure in this"
        assert f"? Undecided: {why}" in shown
        assert "B215 main, pr: " in shown
    for name in ("json", "md"):
        assert run(["gate", "--format", name]) == 4
    assert run(["compare"]) == 2  # it does not guess which of them is meant
    assert run([*LIMIT, "--origin", "github/1/A"]) == 0


def test_job_without_a_run_id_may_only_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(Path("results/main.txt"), seed=1)
    gated.write_runs(Path("results/pr.txt"), seed=2)
    monkeypatch.setenv("CODEBUILD_BUILD_ID", "1")
    assert run(["ingest", "results", "-q"]) == 0
    monkeypatch.setenv("CODEBUILD_BUILD_ID", "2")
    capsys.readouterr()
    assert run(LIMIT) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "B215 main, pr: not measured by this CI job, but by origin codebuild/1" in shown


RUN_AND_JOB = {
    "gitlab": ("CI_PIPELINE_ID", "CI_JOB_ID"),
    "buildkite": ("BUILDKITE_BUILD_ID", "BUILDKITE_JOB_ID"),
    "circleci": ("CIRCLE_WORKFLOW_ID", "CIRCLE_WORKFLOW_JOB_ID"),
    "travis": ("TRAVIS_BUILD_ID", "TRAVIS_JOB_ID"),
    "appveyor": ("APPVEYOR_BUILD_ID", "APPVEYOR_JOB_ID"),
    "bitbucket": ("BITBUCKET_BUILD_NUMBER", "BITBUCKET_STEP_UUID"),
    "cirrus": ("CIRRUS_BUILD_ID", "CIRRUS_TASK_ID"),
    "drone": ("DRONE_BUILD_NUMBER", "DRONE_STAGE_NUMBER"),
    "semaphore": ("SEMAPHORE_WORKFLOW_ID", "SEMAPHORE_JOB_ID"),
}


@pytest.mark.parametrize("system", RUN_AND_JOB)
def test_gate_in_a_separate_job_judges_the_runs_of_its_pipeline(
    system: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def enter(pipeline: int, job: int) -> None:
        for name, number in zip(RUN_AND_JOB[system], (pipeline, job), strict=True):
            monkeypatch.setenv(name, str(number))

    monkeypatch.chdir(tmp_path)
    for pipeline, cost in ((500, 0.0), (501, 0.15)):
        gated.write_runs(Path("results/main.txt"), seed=pipeline)
        gated.write_runs(Path("results/pr.txt"), seed=pipeline + 7, cost=cost)
        enter(pipeline, 9001 + pipeline)
        assert run(["ingest", "results", "-q"]) == 0
    for pipeline, code in ((500, 0), (501, 1), (502, 4)):
        enter(pipeline, 9999)
        capsys.readouterr()
        assert run([*LIMIT, "-q"]) == code
        assert ("B215" in capsys.readouterr().out) == (code == 4)
    assert run([*LIMIT, "--origin", f"{system}/500", "-q"]) == 0
    assert run([*LIMIT, "--origin", f"{system}/501", "-q"]) == 1


@pytest.mark.parametrize("system", REPOSITORIES)
def test_builds_with_one_number_in_two_repositories_are_two_runs(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in RUN_AND_JOB[system]:
        monkeypatch.setenv(name, "12")
    for repository, cost in (("o/x", 0.5), ("o/y", 0.0)):
        monkeypatch.setenv(REPOSITORIES[system], repository)
        gated.write_runs(Path("results/main.txt"), seed=1)
        gated.write_runs(Path("results/pr.txt"), seed=2, cost=cost)
        assert run(["ingest", "results", "-q"]) == 0
    for repository, code in (("o/x", 1), ("o/y", 0)):
        monkeypatch.setenv(REPOSITORIES[system], repository)
        assert run([*LIMIT, "-q"]) == code
    assert run([*LIMIT, "--origin", f"{system}/o:x-12", "-q"]) == 1

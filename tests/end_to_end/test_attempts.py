"""A retried CI job counts once, and a gate finds the runs of its pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

LIMIT = ["gate", "--baseline", "main", "--max-overhead", "time_per_op=5%"]
GITLAB = ("CI_PIPELINE_ID", "CI_JOB_NAME", "CI_JOB_ID")
GITHUB = ("GITHUB_RUN_ID", "GITHUB_JOB", "GITHUB_RUN_ATTEMPT")
CIRCLECI = (
    *("CIRCLE_WORKFLOW_WORKSPACE_ID", "CIRCLE_WORKFLOW_ID"),
    *("CIRCLE_JOB", "CIRCLE_NODE_INDEX", "CIRCLE_WORKFLOW_JOB_ID"),
)
AZURE = (
    *("BUILD_BUILDID", "SYSTEM_STAGEATTEMPT", "SYSTEM_JOBATTEMPT"),
    *("SYSTEM_JOBNAME", "SYSTEM_JOBID"),
)
BUILDKITE = ("BUILDKITE_BUILD_ID", "BUILDKITE_LABEL", "BUILDKITE_JOB_ID")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def enter(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], values: str) -> None:
    for name, value in zip(names, values.split(), strict=True):
        monkeypatch.setenv(name, value)


def ingest(cost: float, seed: int = 1) -> None:
    gated.write_runs(Path("results/main.txt"), seed=seed)
    gated.write_runs(Path("results/pr.txt"), seed=seed + 1, cost=cost)
    assert run(["ingest", "results", "-q"]) == 0


@pytest.mark.parametrize(
    ("names", "attempts", "gate"),
    [
        (GITLAB, ("5 b 1", "5 b 2"), "5 gate 3"),
        (GITHUB, ("5 b 1", "5 b 2"), "5 gate 3"),
        (CIRCLECI, ("5 5 b 0 1", "5 6 b 0 2"), "5 7 gate 0 3"),
        (BUILDKITE, ("5 b 1", "5 b 2"), "5 gate 3"),
    ],
)
def test_last_attempt_of_a_job_counts_and_others_are_named(
    names: tuple[str, ...],
    attempts: tuple[str, str],
    gate: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for values, cost in zip(attempts, (0.15, 0.0), strict=True):
        enter(monkeypatch, names, values)
        ingest(cost, seed=int(values[-1]))
    for values in (gate, attempts[1]):
        enter(monkeypatch, names, values)
        capsys.readouterr()
        assert run([*LIMIT, "--format", "json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        (finding,) = [f for f in answer["findings"] if f["code"] == "B115"]
        assert finding["where"] == "main, pr"
        assert "because the job was retried as" in finding["message"]
    earlier = finding["message"].split()[2]
    assert run([*LIMIT, "--origin", earlier, "-q"]) == 1


@pytest.mark.parametrize(
    ("names", "measured", "gate"),
    [
        (CIRCLECI, "5 5 bench 0 1", "5 6 gate 0 2"),
        (("CI_UPSTREAM_PIPELINE_ID", "CI_PIPELINE_ID", "CI_JOB_ID"), "5 6 60", " 5 50"),
        (("CI_UPSTREAM_PIPELINE_ID", "CI_PIPELINE_ID", "CI_JOB_ID"), "5 6 60", "5 7 70"),
    ],
)
def test_gate_judges_runs_of_earlier_workflow_jobs_or_child_pipelines(
    names: tuple[str, ...], measured: str, gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(monkeypatch, names, measured)
    ingest(0.15)
    if gate.startswith(" "):
        monkeypatch.delenv(names[0])
        names = names[1:]
    enter(monkeypatch, names, gate)
    assert run([*LIMIT, "-q"]) == 1


@pytest.mark.parametrize("attempt", ["2", "3"])
def test_gate_chooses_no_matrix_leg_if_one_was_retried(
    attempt: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = (*GITHUB, "RUNNER_NAME")
    for seed, values in enumerate(("5 bench 1 arm", "5 bench 1 intel", "5 bench 2 arm")):
        enter(monkeypatch, names, values)
        ingest(0.0, seed=seed)
    enter(monkeypatch, names, f"5 gate {attempt} x")
    assert run(LIMIT) == 2
    assert "from 3 origins" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "jobs", "gate", "left"),
    [
        (GITLAB, ("5 arm 1", "5 intel/64 2"), "5 gate 3", "gitlab/5/intel:64/2 gitlab/5/arm/1"),
        (
            GITHUB,
            ("5 arm 1", "5 intel 1", "5 intel 2"),
            "5 gate 2",
            "github/5/2/intel github/5/1/arm",
        ),
        (
            CIRCLECI,
            ("5 5 arm 0 1", "5 5 intel 0 2", "5 6 intel 0 3"),
            "5 6 gate 0 4",
            "circleci/5/6/intel/0/3 circleci/5/arm/0/1",
        ),
        (
            AZURE,
            ("5 1 1 arm a", "5 1 1 intel b", "5 1 2 intel b"),
            "5 1 2 gate c",
            "azure/5/1/2/intel/b azure/5/1/1/arm/a",
        ),
    ],
)
def test_job_that_was_not_retried_counts_next_to_a_retried_one(
    names: tuple[str, ...],
    jobs: tuple[str, ...],
    gate: str,
    left: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for seed, values in enumerate(jobs):
        enter(monkeypatch, names, values)
        ingest(0.0, seed=seed)
    enter(monkeypatch, names, gate)
    assert run(LIMIT) == 2
    assert ", ".join(f"'{origin}'" for origin in left.split()) in capsys.readouterr().err

"""Neither a tag nor a fork's `main` counts as the main branch, in any CI system."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.ingestion.job_branches import name_branch

GITHUB = {"GITHUB_RUN_ID": "5"}
GITLAB = {"CI_PIPELINE_ID": "5"}
FORK = {**GITLAB, "CI_COMMIT_REF_NAME": "main", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "main"}
TAG = {**GITLAB, "CI_COMMIT_TAG": "v1", "CI_COMMIT_REF_NAME": "v1"}
BUILDKITE = {"BUILDKITE_BUILD_ID": "5", "BUILDKITE_BRANCH": "main"}
TRAVIS = {"TRAVIS_BUILD_ID": "5", "TRAVIS_BRANCH": "main"}
JENKINS = {"BUILD_TAG": "jenkins-bench-5"}
AZURE = {"BUILD_BUILDID": "5"}
DRONE, CODEBUILD = {"DRONE_BUILD_NUMBER": "5"}, {"CODEBUILD_BUILD_ID": "b:5"}


@pytest.mark.parametrize(
    ("environ", "branch"),
    [
        ({**GITHUB, "GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1"}, "tags"),
        ({**GITHUB, "GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "main"}, "tags"),
        ({**GITHUB, "GITHUB_REF_NAME": "main", "GITHUB_HEAD_REF": "fix"}, "fix"),
        # pull_request_target names the target branch of the pull request
        ({**GITHUB, "GITHUB_REF_NAME": "main", "GITHUB_HEAD_REF": "main"}, "pull/main"),
        (FORK, "pull/main"),
        (
            {**FORK, "CI_MERGE_REQUEST_REF_PATH": "refs/merge-requests/1/head"},
            "refs/merge-requests/1/head",
        ),
        (TAG, "tags"),
        ({**GITLAB, "CI_COMMIT_REF_NAME": "main"}, "main"),
        ({**BUILDKITE, "BUILDKITE_PULL_REQUEST": "false"}, "main"),
        ({**BUILDKITE, "BUILDKITE_PULL_REQUEST": "12"}, "pull/12"),
        ({**BUILDKITE, "BUILDKITE_TAG": "v1"}, "tags"),
        ({**TRAVIS, "TRAVIS_PULL_REQUEST": "false"}, "main"),
        ({**TRAVIS, "TRAVIS_PULL_REQUEST": "3", "TRAVIS_PULL_REQUEST_BRANCH": "fix"}, "fix"),
        ({**JENKINS, "BRANCH_NAME": "PR-7", "CHANGE_BRANCH": "main"}, "pull/PR-7"),
        ({**JENKINS, "BRANCH_NAME": "main"}, "main"),
        ({**AZURE, "BUILD_SOURCEBRANCH": "refs/heads/main"}, "main"),
        ({**AZURE, "BUILD_SOURCEBRANCH": "refs/tags/v1"}, "tags"),
        (
            {
                **AZURE,
                "BUILD_SOURCEBRANCH": "refs/pull/1/merge",
                "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/main",
            },
            "refs/pull/1/merge",
        ),
        ({**DRONE, "DRONE_COMMIT_REF": "refs/tags/v1"}, "tags"),
        ({**CODEBUILD, "CODEBUILD_WEBHOOK_TRIGGER": "branch/main"}, "main"),
        ({**CODEBUILD, "CODEBUILD_WEBHOOK_TRIGGER": "tag/v1"}, "tags"),
        # outside CI, these variables have another meaning
        ({"TAG_NAME": "latest", "BRANCH_NAME": "fix"}, ""),
    ],
)
def test_branch_of_a_job(environ: dict[str, str], branch: str) -> None:
    assert name_branch(environ) == branch


@pytest.mark.parametrize("environ", [FORK, TAG])
def test_main_history_excludes_commits_of_tags_and_forks(
    environ: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, added in enumerate(({**GITLAB, "CI_COMMIT_REF_NAME": "main"}, environ)):
        for name, value in added.items():
            monkeypatch.setenv(name, value)
        gated.write_runs(Path("results/base.txt"), seed=number, runs=5, benchmarks=("Ping",))
        dated = ["--commit", f"{number:07d}a", "--date", f"2026-10-0{number + 1}T10:00:00Z"]
        assert run(["history", "add", "results", *dated, "-q"]) == 0
    capsys.readouterr()
    assert run(["history", "show", "--format", "json"]) == 0
    series = json.loads(capsys.readouterr().out)["history"]["series"]
    assert {point["commit"] for one in series for point in one["points"]} == {"0000000a"}

"""The branch and the commit that a CI job measures, from its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from benchkit.ingestion.origins import SYSTEMS

#: The branch of every tag, because a commit of any branch may have a tag.
TAGS = "tags"


class Refs(NamedTuple):
    """The variables for a job's branch, its tag, and a pull request's source and number."""

    branch: str
    tag: str = ""
    source: str = ""
    number: str = ""


REFS = {
    "github": Refs("GITHUB_REF_NAME", "GITHUB_REF_TYPE", "GITHUB_HEAD_REF", "GITHUB_REF_NAME"),
    # CI_COMMIT_BRANCH is not set if a pipeline belongs to a pull request on GitHub.
    "gitlab": Refs(
        *("CI_COMMIT_REF_NAME", "CI_COMMIT_TAG"),
        *("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_MERGE_REQUEST_REF_PATH"),
    ),
    "buildkite": Refs("BUILDKITE_BRANCH", "BUILDKITE_TAG", number="BUILDKITE_PULL_REQUEST"),
    "circleci": Refs("CIRCLE_BRANCH", "CIRCLE_TAG"),
    "azure": Refs(
        "BUILD_SOURCEBRANCH", source="SYSTEM_PULLREQUEST_SOURCEBRANCH", number="BUILD_SOURCEBRANCH"
    ),
    "jenkins": Refs("BRANCH_NAME", "TAG_NAME", "CHANGE_BRANCH", "BRANCH_NAME"),
    "travis": Refs(
        *("TRAVIS_BRANCH", "TRAVIS_TAG", "TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_PULL_REQUEST"),
    ),
    "appveyor": Refs(
        *("APPVEYOR_REPO_BRANCH", "APPVEYOR_REPO_TAG_NAME"),
        *("APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH", "APPVEYOR_PULL_REQUEST_NUMBER"),
    ),
    "bitbucket": Refs("BITBUCKET_BRANCH", "BITBUCKET_TAG", number="BITBUCKET_PR_ID"),
    "cirrus": Refs("CIRRUS_BRANCH", "CIRRUS_TAG"),
    "codebuild": Refs("CODEBUILD_WEBHOOK_TRIGGER"),
    "drone": Refs("DRONE_COMMIT_REF"),
    "semaphore": Refs(
        *("SEMAPHORE_GIT_BRANCH", "SEMAPHORE_GIT_TAG_NAME"),
        *("SEMAPHORE_GIT_PR_BRANCH", "SEMAPHORE_GIT_PR_NUMBER"),
    ),
}
#: The variables for a job's commit.
COMMITS = (
    *("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "BUILD_SOURCEVERSION"),
    *("GIT_COMMIT", "TRAVIS_COMMIT", "APPVEYOR_REPO_COMMIT", "BITBUCKET_COMMIT"),
    *("CIRRUS_CHANGE_IN_REPO", "CODEBUILD_RESOLVED_SOURCE_VERSION", "DRONE_COMMIT_SHA"),
    "SEMAPHORE_GIT_SHA",
)
#: Values that state that a job is not for a tag or a pull request.
_NONE = frozenset({"branch", "false"})
#: Common names of a project's main branch, which forks use as well.
_TRUNKS = frozenset({"main", "master", "trunk", "develop"})


def name_branch(environ: Mapping[str, str] = os.environ) -> str:
    """Return the branch that a CI job measures; ``tags`` for a tag, empty outside CI.

    A fork's ``main`` is not the project's, so its pull request is named by number.

    Examples
    --------
    >>> name_branch({"GITHUB_RUN_ID": "5", "GITHUB_REF_TYPE": "branch", "GITHUB_REF_NAME": "main"})
    'main'
    >>> name_branch({"CI_PIPELINE_ID": "5", "CI_COMMIT_REF_NAME": "v1", "CI_COMMIT_TAG": "v1"})
    'tags'
    >>> name_branch({"CIRCLE_WORKFLOW_ID": "5", "CIRCLE_BRANCH": "fix"}), name_branch({})
    ('fix', '')
    """
    for system, names in REFS.items():
        if environ.get(SYSTEMS[system][0]):
            return _choose(*(_read(environ.get(name, "")) for name in names))
    return ""


def name_commit(environ: Mapping[str, str] = os.environ) -> str:
    """Return the commit that a CI job measures; empty outside CI."""
    return next((environ[name] for name in COMMITS if environ.get(name)), "")


def _choose(branch: str, tag: str, source: str, number: str) -> str:
    if tag or branch == TAGS:
        return TAGS
    name = source or branch
    # Some systems use one variable for the branch of a push and the number of a request.
    is_request = bool(source) or number not in ("", branch)
    if not is_request or name not in _TRUNKS:
        return name
    # On GitHub's pull_request_target, it is the branch that the request targets.
    is_number = number.startswith("refs/") or number.endswith("/merge")
    return number if is_number else f"pull/{number or name}"


def _read(value: str) -> str:
    """Return the short name of a ref; empty for a value that names none."""
    for start in ("refs/heads/", "branch/"):
        value = value.removeprefix(start)
    if value.startswith(("refs/tags/", "tag/")):
        return TAGS
    return "" if value in _NONE else value

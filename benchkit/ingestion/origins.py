"""Origins of results (the CI job or machine that ingested them), and the choice of one per side.

Attempts at one CI job are recognised by the origins of their runs.
"""

from __future__ import annotations

import os
import socket
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from shlex import quote
from typing import NamedTuple

from benchkit import selection
from benchkit.errors import DataError, Finding, OriginError, SelectionError, UnmeasuredError
from benchkit.ingestion.parts import Part
from benchkit.labels.jobs import Job, read_job
from benchkit.listing import list_names
from benchkit.redaction import redact_origin

#: Variables that identify a job of each CI system, its run first; the first is unique to the
#: system.
SYSTEMS = {
    # The legs of a matrix share their job's name, and may run on one runner in turn; then only the
    # tracking id differs.
    "github": (
        *("GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
        *("RUNNER_NAME", "RUNNER_TRACKING_ID"),
    ),
    "gitlab": ("CI_PIPELINE_ID", "CI_JOB_NAME", "CI_JOB_ID"),
    "buildkite": (
        *("BUILDKITE_BUILD_ID", "BUILDKITE_LABEL", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_JOB_ID"),
    ),
    "circleci": (
        *("CIRCLE_WORKFLOW_ID", "CIRCLE_JOB", "CIRCLE_NODE_INDEX", "CIRCLE_WORKFLOW_JOB_ID"),
    ),
    "azure": (
        *("BUILD_BUILDID", "SYSTEM_STAGEATTEMPT", "SYSTEM_JOBATTEMPT"),
        *("SYSTEM_JOBNAME", "SYSTEM_JOBID"),
    ),
    "jenkins": ("BUILD_TAG", "NODE_NAME"),
    "travis": ("TRAVIS_BUILD_ID", "TRAVIS_JOB_ID"),
    "appveyor": ("APPVEYOR_BUILD_ID", "APPVEYOR_JOB_ID"),
    "bitbucket": ("BITBUCKET_BUILD_NUMBER", "BITBUCKET_STEP_UUID"),
    "cirrus": ("CIRRUS_BUILD_ID", "CIRRUS_TASK_NAME", "CIRRUS_TASK_ID"),
    "codebuild": ("CODEBUILD_BUILD_ID",),
    "drone": ("DRONE_BUILD_NUMBER", "DRONE_STAGE_NUMBER"),
    "semaphore": ("SEMAPHORE_WORKFLOW_ID", "SEMAPHORE_JOB_NAME", "SEMAPHORE_JOB_ID"),
}
#: Variables for the parent of a run: GitLab's parent pipeline, and a rerun workflow's original.
WHOLES = {"gitlab": "CI_UPSTREAM_PIPELINE_ID", "circleci": "CIRCLE_WORKFLOW_WORKSPACE_ID"}
#: Variables for the repository, where a system counts the runs of each repository.
REPOSITORIES = {"bitbucket": "BITBUCKET_REPO_FULL_NAME", "drone": "DRONE_REPO"}
#: Systems whose job id does not begin with the id of its run.
_WITHOUT_RUN = frozenset({"codebuild"})
#: Number of characters kept of GitHub's tracking id.
_SHORT = 8
#: Number of parts in the origin of a job of a GitLab pipeline without parent: pipeline, name, id.
_IN_PARENT = 3
#: Roles of runs that show how a variant did.
JUDGED = frozenset({"measured", "failed", "damaged"})
#: Maximum number of origins that a finding names.
_SHOWN = 3
#: The finding that nothing was measured here.
_ELSEWHERE = "B215"


class Side(NamedTuple):
    """The unit that uses one origin: a variant of a commit, or one machine's companion records."""

    commit: str
    variant: str
    has_load: bool


def name_job(environ: Mapping[str, str] = os.environ) -> str:
    """Return the name of the CI job that an environment describes; empty outside CI.

    Examples
    --------
    >>> name_job({"GITHUB_RUN_ID": "71", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_JOB": "bench"})
    'github/71/2/bench'
    >>> name_job({"CI_PIPELINE_ID": "500", "CI_JOB_ID": "4711"}), name_job({})
    ('gitlab/500/4711', '')
    """
    for system, names in SYSTEMS.items():
        if environ.get(names[0]):
            whole = environ.get(WHOLES.get(system, ""), "")
            above = [] if whole == environ[names[0]] else [whole]
            run = f"{environ.get(REPOSITORIES.get(system, ''), '')} {environ[names[0]]}".strip()
            values = (*above, run, *(environ.get(name, "") for name in names[1:]))
            return "/".join((system, *map(_shorten, filter(None, values))))
    return ""


def name_origin(store: str) -> str:
    """Return the origin of results that this process ingests into a store, by default."""
    return name_job() or (socket.gethostname() if "://" in store else "")


def _shorten(value: str) -> str:
    if value.startswith("github_"):
        return value.removeprefix("github_")[:_SHORT]
    return "-".join(redact_origin(value).replace("/", ":").split())


@dataclass(slots=True)
class Choice:
    """The parts of one origin per side, and the sides that several origins hold.

    ``contested`` maps a variant to its origins, newest first. ``stale`` maps a variant that no
    preferred origin holds, although it holds others, to the reason why no gate judges it.
    ``retried`` maps the origin of a CI job to its earlier attempts, by variant.
    """

    parts: list[Part]
    contested: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stale: dict[str, DataError] = field(default_factory=dict)
    retried: dict[str, dict[str, list[str]]] = field(default_factory=dict)


def choose(parts: Sequence[Part], named: Sequence[str] = (), job: str = "") -> Choice:
    """Choose an origin for each side: a named one, else this CI job's or run's, else the only one.

    Parameters
    ----------
    parts : sequence of Part
    named : sequence of str
        Origins or their beginnings (``github/71``), preferred ones first.
    job : str
        The origin of this CI job, if there is one.

    Raises
    ------
    SelectionError
        If no part has a named origin.
    """
    known = sorted({part.origin for part in parts})
    circles = _list_circles(job)
    preferred = (*named, *circles)
    for name in named:
        if not match(name, known):
            _refuse_unknown(name, known)
    if len(known) < 2 and not preferred:
        return Choice(list(parts))
    chosen: dict[Side, str | None] = {}
    contested: dict[str, tuple[str, ...]] = {}
    retried: dict[str, dict[str, list[str]]] = defaultdict(dict)
    elsewhere: dict[str, Sequence[str]] = {}
    own: set[str] = set()
    for side, origins in _list_holders(parts).items():
        left = _narrow(origins, named, circles)
        chosen[side] = left[0] if len(left) == 1 else None
        if chosen[side] is not None and (earlier := list_earlier(left[0], origins)):
            retried[left[0]][side.variant] = earlier
        if len(left) > 1:
            contested[side.variant] = tuple(left)
        if any(match(name, origins) for name in preferred):
            own.add(side.variant)
        elif side.has_load:
            elsewhere[side.variant] = origins
    stale = {name: _explain(name, of, named) for name, of in elsewhere.items() if name not in own}
    # A job that measured nothing only gates, so it takes each side from wherever it is.
    return Choice(_keep(parts, chosen), contested, stale if own else {}, retried)


def leave_out_history(parts: Sequence[Part]) -> list[Part]:
    """Return the parts outside the commits of a history, if they have two sides; otherwise all."""
    others = [part for part in parts if not read_commit(part.assigned)]
    sides = {part.variant for part in others if part.role in JUDGED}
    return others if len(sides) > 1 else list(parts)


def _list_circles(job: str) -> list[str]:
    """Return a CI job, its child pipeline if it is in one of GitLab's, and its run.

    An attempt is not included, because jobs that were not retried count as well.
    """
    system, *below = job.split("/")
    is_child = system == "gitlab" and len(below) > _IN_PARENT
    around = ["/".join((system, *below[:length])) for length in (1 + is_child, 1)]
    return [*dict.fromkeys((job, *around))] if job else []


def list_copied(choice: Choice, refused: Sequence[Part], job: str) -> dict[str, UnmeasuredError]:
    """Return the variants measured by other jobs of which this job has only a copy of a result."""
    measured = {part.variant for part in choice.parts if part.origin == job}
    return {
        part.variant: UnmeasuredError(
            part.remark or part.label, hint=f"measure '{part.variant}' again"
        )
        for part in refused
        if job and part.role == "duplicate" and part.origin == job and part.variant not in measured
    }


def names_elsewhere(finding: Finding) -> bool:
    """Return whether a finding reports that nothing was measured in this CI run."""
    return finding.code == _ELSEWHERE and finding.numbers.get("runs_here") == 0


def find_elsewhere(choice: Choice, job: str) -> Iterator[Finding]:
    """B215: a CI job examines results of another run, and measured nothing itself."""
    loaded = [part for part in choice.parts if part.role in JUDGED]
    held = (origin for origins in choice.contested.values() for origin in origins)
    origins = sorted({*(part.origin for part in loaded), *held})
    if job and origins and not any(match(name, origins) for name in _list_circles(job)):
        shown = ", ".join(origin or "this machine" for origin in origins[:_SHOWN])
        is_run = job.partition("/")[0] not in _WITHOUT_RUN  # its job ids do not identify the run
        yield Finding(
            code=_ELSEWHERE,
            severity="warning",
            where=", ".join(dict.fromkeys((*(p.variant for p in loaded), *choice.contested))),
            message=f"not measured by this CI {'run' if is_run else 'job'}, but by origin {shown}",
            remedy=f"measure in this {'run' if is_run else 'job'}, or select an origin with "
            "--origin",
            numbers={"origins": len(origins)} | ({"runs_here": 0} if is_run else {}),
        )


def list_layers(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield all parts in layers, in which each side has at most one origin."""
    holders = _list_holders(parts)
    for place in range(max(map(len, holders.values()), default=0)):
        layer = {side: (*of, *(None for _ in range(place)))[place] for side, of in holders.items()}
        yield _keep(parts, layer)


def refuse_contested(
    contested: Mapping[str, Sequence[str]], pairs: Sequence[tuple[str, str]] | None = None
) -> None:
    """Refuse variants that several origins hold, if they are among the pairs.

    Raises
    ------
    OriginError
        With the origins and the option that chooses one.
    """
    meant = contested if pairs is None else {name for pair in pairs for name in pair}
    for variant, origins in contested.items():
        if variant not in meant:
            continue
        raise OriginError(variant, origins)


def _explain(variant: str, origins: Sequence[str], named: Sequence[str]) -> DataError:
    """Return the error that no judged origin measured a variant."""
    judged = f"--origin {' or '.join(named)} contains" if named else "this job measured"
    return DataError(
        f"{judged} no run of {variant}",
        hint=f"measure it, or judge the newest runs of the store with --origin {quote(origins[0])}",
    )


def _refuse_unknown(name: str, known: Sequence[str]) -> None:
    """Refuse an origin that the store does not contain.

    Raises
    ------
    SelectionError
    """
    if any(known):
        selection.require(name, [origin or "(this machine)" for origin in known], "origin")
    what = f"unknown origin {name!r}"
    raise SelectionError(what, hint="the store has no origins: omit --origin")


def match(name: str, origins: Sequence[str]) -> list[str]:
    """Return the origin of this name, else those that begin with it, else those with such a part.

    Examples
    --------
    >>> match("github/71", ["github/71/1/bench"]), match("bench2", ["github/71/1/bench2/r1"])
    (['github/71/1/bench'], ['github/71/1/bench2/r1'])
    """
    name = redact_origin(name)
    exact = [origin for origin in origins if origin == name]
    part = f"{name.strip('/')}/"
    begun = [origin for origin in origins if name and origin.startswith(part)]
    return exact or begun or [o for o in origins if name and f"/{part}" in f"/{o}/"]


def _narrow(origins: Sequence[str], named: Sequence[str], circles: Sequence[str]) -> Sequence[str]:
    for name in named:
        if left := match(name, origins):
            return list_last(left)
    if circles and circles[0] in origins:
        return [circles[0]]
    last = list_last(origins)
    for name in circles:
        if left := match(name, last):
            return left
    return last


def _list_holders(parts: Sequence[Part]) -> dict[Side, list[str]]:
    """Return the origins of each side, newest first."""
    loaded = _list_loaded(parts)
    newest: dict[Side, dict[str, int]] = defaultdict(dict)
    for part in parts:
        if part.role != "companion" or part.origin not in loaded:
            batches = newest[_find_side(part, loaded)]
            batches[part.origin] = max(batches.get(part.origin, 0), part.batch)
    return {side: sorted(of, key=of.__getitem__, reverse=True) for side, of in newest.items()}


def _keep(parts: Sequence[Part], chosen: Mapping[Side, str | None]) -> list[Part]:
    """Keep the parts of the chosen origins; companions without a side follow their origin."""
    loaded, used = _list_loaded(parts), set(chosen.values())

    def is_kept(part: Part) -> bool:
        side = _find_side(part, loaded)
        return part.origin == chosen[side] if side in chosen else part.origin in used

    return [part for part in parts if is_kept(part)]


def _list_loaded(parts: Sequence[Part]) -> set[str]:
    return {part.origin for part in parts if part.role != "companion"}


def read_commit(assigned: str) -> str:
    """Return the commit among the command-line labels; empty if there is none.

    Examples
    --------
    >>> read_commit("commit=c861e65,variant=main"), read_commit("variant=main")
    ('c861e65', '')
    """
    head, _, value = assigned.partition(",")[0].partition("=")
    return value if head == "commit" else ""


def _find_side(part: Part, loaded: AbstractSet[str]) -> Side:
    return Side(read_commit(part.assigned), part.variant, part.origin in loaded)


def list_last(origins: Sequence[str]) -> list[str]:
    """Return the origins without earlier attempts at retried jobs.

    Parameters
    ----------
    origins : sequence of str
        Newest first. Jobs that share their name and attempt, as the legs of a matrix do, are kept:
        nothing shows which of them was retried.
    """
    jobs: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for origin in origins:
        job = read_job(origin)
        jobs[job.run, job.name or origin][job.attempt].append(origin)
    earlier: set[str] = set()
    for attempts in jobs.values():
        if all(len(same) == 1 for same in attempts.values()):
            earlier.update(*list(attempts.values())[1:])
    return [origin for origin in origins if origin not in earlier]


def list_earlier(last: str, origins: Sequence[str]) -> list[str]:
    """Return the origins of earlier attempts at a job, newest first, given its last one."""
    job = read_job(last)
    older = origins[origins.index(last) + 1 :] if job.name else ()
    return [origin for origin in older if _is_same(read_job(origin), job)]


def _is_same(one: Job, other: Job) -> bool:
    return (one.run, one.name) == (other.run, other.name) and one.attempt != other.attempt


def find_retried(retried: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[Finding]:
    """B115: runs of earlier attempts are left out, by last attempt and variant."""
    for last, variants in retried.items():
        earlier = sorted({origin for origins in variants.values() for origin in origins})
        yield Finding(
            code="B115",
            severity="info",
            where=", ".join(variants),
            message=f"runs of {list_names(earlier, _SHOWN)} are left out, because the job was "
            f"retried as {last}",
            remedy="to use them instead, select that attempt with --origin",
            numbers={"attempts": len(earlier) + 1},
        )

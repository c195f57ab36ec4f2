"""The CI job that an origin names."""

from __future__ import annotations

from typing import NamedTuple

#: The parts of an origin below its run that name the job; the rest is the attempt.
_NAMES = {
    "github": slice(1, 2),
    "azure": slice(2, 4),
    "gitlab": slice(-2, -1),
    "buildkite": slice(-3, -1),
    "circleci": slice(-3, -1),
    "cirrus": slice(-2, -1),
    "semaphore": slice(-2, -1),
}


class Job(NamedTuple):
    """A CI job of one run, and the attempt that an origin names; ``name`` is empty if unknown."""

    run: str
    name: str
    attempt: str


def read_job(origin: str) -> Job:
    """Parse an origin into its CI run, job and attempt.

    Examples
    --------
    >>> read_job("gitlab/500/bench/9001")
    Job(run='gitlab/500', name='bench', attempt='gitlab/500/bench/9001')
    >>> read_job("github/71/2/bench/arm").attempt, read_job("laptop").name
    ('github/71/2', '')
    """
    system, _, below = origin.partition("/")
    run, *rest = below.split("/")
    part = _NAMES.get(system, slice(0, 0))
    name = "/".join(rest[part])
    # All legs of a matrix share one name and one attempt.
    legs = part.start > 0 and name
    attempt = "/".join((system, run, *rest[: part.start])) if legs else origin
    return Job(f"{system}/{run}", name, attempt)

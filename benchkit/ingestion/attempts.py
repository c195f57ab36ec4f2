"""Attempts at one CI job, as the origins of their runs name them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchkit.errors import Finding
from benchkit.labels.jobs import Job, read_job
from benchkit.listing import list_names

#: Origins that a finding names.
_SHOWN = 3


def list_last(origins: Sequence[str]) -> list[str]:
    """Return the origins without those of earlier attempts at a job that was retried.

    Parameters
    ----------
    origins : sequence of str
        The newest first. Jobs that share their name and attempt, as the legs of a matrix do, stay:
        nothing tells which of them was retried.
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
    """Return the origins, the newest first, of earlier attempts at a job than its last one."""
    job = read_job(last)
    older = origins[origins.index(last) + 1 :] if job.name else ()
    return [origin for origin in older if _is_same(read_job(origin), job)]


def _is_same(one: Job, other: Job) -> bool:
    return (one.run, one.name) == (other.run, other.name) and one.attempt != other.attempt


def find_retried(retried: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[Finding]:
    """B115: runs of an earlier attempt are left out, by the last attempt and the variant."""
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

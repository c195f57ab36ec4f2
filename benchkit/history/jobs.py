"""Runs of one commit that come from CI jobs of different names: finding B116."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from benchkit.codes import number_rows
from benchkit.errors import Finding
from benchkit.history.trials import Trials
from benchkit.labels.jobs import Job, read_job
from benchkit.listing import list_names
from benchkit.schema import Side

#: Jobs that a finding names.
_SHOWN = 4


def find_mixed_jobs(trials: Trials) -> Iterator[Finding]:
    """B116: a history pools what jobs of different names, or legs of a matrix, measured.

    Parameters
    ----------
    trials : Trials
        The measured runs. Those of another machine are another series.
    """
    numbers, firsts = number_rows(trials.rows, ("origin",))
    texts = trials.rows["origin"].iloc[firsts].tolist()
    jobs = [read_job(text if isinstance(text, str) else "") for text in texts]
    named = np.array([bool(job.name) for job in jobs], dtype=bool)[numbers]
    if len(set(numbers[named].tolist())) < 2:
        return
    rows = trials.leave_commits()[named]
    rows = rows.assign(job=numbers[named], commit=trials.commits[named])
    rows = rows.assign(machine=trials.machines[named])
    cells, _ = number_rows(rows, (*Side._fields, "commit", "machine"))
    _, pairs = number_rows(rows.assign(cell=cells), ("cell", "job"))
    sizes = np.bincount(cells[pairs])
    pairs = pairs[sizes[cells[pairs]] > 1]
    pooled = defaultdict[int, list[int]](list)
    for cell, job in zip(cells[pairs].tolist(), rows["job"].iloc[pairs].tolist(), strict=True):
        pooled[cell].append(job)
    labels = zip(pairs.tolist(), cells[pairs].tolist(), strict=True)
    first_rows = {cell: row for row, cell in reversed([*labels])}
    mixed = defaultdict[tuple[str, ...], set[int]](set)
    for cell, members in pooled.items():
        if names := _name_jobs([jobs[member] for member in members]):
            mixed[names].add(int(rows["commit"].iloc[first_rows[cell]]))
    for names, commits in mixed.items():
        yield _describe(names, len(commits))


def _name_jobs(jobs: Sequence[Job]) -> tuple[str, ...]:
    """Name jobs that differ; none where all are runs of one job."""
    names = sorted({job.name for job in jobs})
    attempts = {(job.run, job.name, job.attempt) for job in jobs}
    legs = len(attempts) < len(jobs)
    return tuple(names) if legs or len(names) > 1 else ()


def _describe(names: Sequence[str], commits: int) -> Finding:
    count = "1 commit" if commits == 1 else f"{commits} commits"
    jobs = (
        f"the CI jobs {list_names(names, _SHOWN)}"
        if len(names) > 1
        else f"several jobs of the matrix {names[0]}"
    )
    return Finding(
        code="B116",
        severity="warning",
        message=f"runs of {jobs} count as repeats at {count}",
        remedy="if they measure different things, add the results of each job under a name of its "
        "own, `benchkit history add NAME=PATH`",
        numbers={"jobs": len(names), "commits": commits},
    )

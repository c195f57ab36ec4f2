"""The runs that were meant to measure a commit, as columns: labels, commit, date and machine.

The newest commit that was tried, whatever happened to its runs.

Runs of one commit that come from CI jobs with different names: finding B116.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from benchkit.codes import code, number_maps, number_rows
from benchkit.config.acceptance import SHORTEST
from benchkit.derived.failures import NONE_FAILED, Share, list_failures, pool_failures
from benchkit.errors import Finding, describe
from benchkit.history.model import Latest
from benchkit.labels.declared import UnusableError, read_time
from benchkit.labels.jobs import Job, read_job
from benchkit.listing import list_names
from benchkit.schema import FINGERPRINT, RUN_KEY, Side, list_labels

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

Value = TypeVar("Value", bound=Hashable)

#: Roles of runs that were meant to measure a commit, whatever happened to them.
_TRIED = frozenset({"measured", "failed", "damaged", "empty"})
_KEPT = (*RUN_KEY, "role", "remark", "origin")

#: Share of failed requests above which rates and latencies mean nothing.
_MANY = 0.01

#: Maximum number of jobs that a finding names.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs that name their commit, one per row.

    Parameters
    ----------
    rows : DataFrame
        Their labels, role, remark and origin.
    commits : ndarray of int
        The number of each one's commit.
    names : list of str
        The commits by their numbers.
    machines : ndarray of int
        The number of each one's machine.
    fingerprints : list of mapping
        The facts that identify a machine, by number.
    dates : dict of str to datetime
        The earliest date of each commit, in order.
    """

    rows: pd.DataFrame
    commits: np.ndarray
    names: list[str]
    machines: np.ndarray
    fingerprints: Sequence[Mapping[str, str]]
    dates: dict[str, datetime]

    @property
    def present(self) -> list[str]:
        """The commits of the runs, in the order of their first appearance."""
        return [self.names[number] for number in dict.fromkeys(self.commits.tolist())]

    @property
    def undated(self) -> list[str]:
        """The commits without a date."""
        return [commit for commit in self.present if commit not in self.dates]

    @property
    def places(self) -> np.ndarray:
        """The position of each commit in chronological order, by number; -1 without a date."""
        places = {commit: place for place, commit in enumerate(self.dates)}
        return np.array([places.get(commit, -1) for commit in self.names], dtype=np.int64)

    def of_role(self, role: str) -> Trials:
        """Return the trials of one role."""
        return self.take((self.rows["role"] == role).to_numpy())

    def take(self, is_kept: np.ndarray) -> Trials:
        """Return some of the trials."""
        return Trials(
            self.rows[is_kept], self.commits[is_kept], self.names, self.machines[is_kept],
            self.fingerprints, self.dates,
        )  # fmt: skip

    def leave_commits(self) -> pd.DataFrame:
        """Return the rows with group and variant, without the parts that name the commit."""
        return self.rows.assign(
            **{name: self._leave_commit(name) for name in ("group", "variant")},
        )

    def _leave_commit(self, name: str) -> pd.Categorical:
        pairs = self.rows[[name]].assign(commit=self.commits)
        numbers, firsts = number_rows(pairs, (name, "commit"))
        labels, commits = self.rows[name].iloc[firsts].tolist(), self.commits[firsts].tolist()
        kept = [
            drop_commit(label, self.names[commit])
            for label, commit in zip(labels, commits, strict=True)
        ]
        return code(kept).take(numbers)


def read_trials(runs: Runs) -> Trials:
    """Return the runs that were meant to measure a commit."""
    numbers, tables = number_maps(runs["env"])
    commits = [table.get("commit") or "" for table in tables]
    has_commit = np.array([bool(commit) for commit in commits], dtype=bool)
    is_tried = has_commit[numbers] & runs["role"].isin(list(_TRIED)).to_numpy()
    rows, numbers = runs.loc[is_tried, [*_KEPT, "started_at"]], numbers[is_tried]
    of_table, names = _number(commits)
    machines, facts = _number([_list_facts(table) for table in tables])
    dates = _date_commits(
        [_read_date(table.get("date")) for table in tables],
        of_table, names, numbers, rows.pop("started_at"),
    )  # fmt: skip
    fingerprints = [{name: fact for name, fact in zip(FINGERPRINT, values, strict=True) if fact}
                    for values in facts]  # fmt: skip
    return Trials(rows, of_table[numbers], names, machines[numbers], fingerprints, dates)


def _date_commits(
    stated: list[datetime | None],
    commits: np.ndarray,
    names: list[str],
    numbers: np.ndarray,
    starts: pd.Series,
) -> dict[str, datetime]:
    """Return the earliest date of each commit, in order: as recorded, else the start of its runs.

    Commits with equal dates, such as after a rebase, are in the order of their addition.
    """
    dates: dict[str, datetime] = {}
    for number in dict.fromkeys(numbers.tolist()):
        if (date := stated[number]) is not None:
            _keep_earlier(dates, names[commits[number]], date)
    is_stated = np.array([date is not None for date in stated], dtype=bool)
    began = starts[~is_stated[numbers]].groupby(commits[numbers[~is_stated[numbers]]]).min()
    for commit, start in began.dropna().items():
        _keep_earlier(dates, names[commit], start.to_pydatetime())
    return {commit: dates[commit] for commit in sorted(dates, key=dates.__getitem__)}


def _keep_earlier(dates: dict[str, datetime], commit: str, date: datetime) -> None:
    dates[commit] = min(date, dates.get(commit, date))


def _number(values: Sequence[Value]) -> tuple[np.ndarray, list[Value]]:
    """Return the number of each value, and the distinct values by number."""
    known = dict[Value, int]()
    numbers = [known.setdefault(value, len(known)) for value in values]
    return np.array(numbers, dtype=np.int64), list(known)


def _list_facts(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the facts that identify a machine."""
    return tuple(str(env.get(name) or "") for name in FINGERPRINT)


def _read_date(text: str | None) -> datetime | None:
    try:
        return read_time(text) if text else None
    except UnusableError:
        return None


def drop_commit(label: str, commit: str) -> str:
    """Return a group or variant without the parts that name the commit.

    Examples
    --------
    >>> drop_commit("nightly/c861e65", "c861e65f00d1")
    'nightly'
    """
    parts = (part for part in label.split("/") if not _names(part, commit))
    return "/".join(parts)


def _names(part: str, commit: str) -> bool:
    short, long = sorted((part.lower(), commit.lower()), key=len)
    return len(short) >= SHORTEST and long.startswith(short)


def find_latest(
    observations: Observations, tried: Trials, problems: Sequence[Finding] = ()
) -> Latest:
    """Find the newest commit of runs of every role.

    Parameters
    ----------
    problems : sequence of Finding
        Those of `benchkit.ingestion.pooled.find_mixed_commits`.
    """
    undated = tuple(sorted(tried.undated))
    if not tried.dates:
        return Latest(undated=undated)
    commit = list(tried.dates)[-1]
    is_newest = np.array([name == commit for name in tried.names], dtype=bool)[tried.commits]
    failing, before = _share_failures(observations, tried.rows, is_newest)
    newest = tried.rows[is_newest]
    roles = newest["role"].tolist()
    remarks = [text if isinstance(text, str) else "" for text in newest["remark"].tolist()]
    failed = [
        remark
        for role, remark in zip(roles, remarks, strict=True)
        if role == "failed" or (role == "measured" and remark)
    ]
    reasons = tuple(dict.fromkeys(filter(None, failed)))  # one for all benchmarks of a process
    variants = {f"{variant} at {commit}": variant for variant in tried.rows["variant"].unique()}
    mixed = (
        describe(f.message, where=variants[f.where], hint=f.remedy)
        for f in problems
        if f.where in variants
    )
    return Latest(
        commit=commit,
        failed=len(reasons) + failed.count(""), reasons=reasons,
        damaged=sum(role in {"damaged", "empty"} for role in roles),
        failing=failing, is_failing=failing.value > max(_MANY, 2 * before.value), undated=undated,
        mixed=tuple(mixed),
    )  # fmt: skip


def _share_failures(
    observations: Observations, rows: pd.DataFrame, is_newest: np.ndarray
) -> tuple[Share, Share]:
    """Return the share of failed requests at the newest commit, and at those before it."""
    failures = list_failures(observations)
    if not failures:
        return NONE_FAILED, NONE_FAILED
    of_newest = dict(zip(list_labels(rows), is_newest.tolist(), strict=True))
    return (
        pool_failures(each for key, each in failures.items() if of_newest.get(key) is True),
        pool_failures(each for key, each in failures.items() if of_newest.get(key) is False),
    )


def find_mixed_jobs(trials: Trials) -> Iterator[Finding]:
    """B116: a history pools measurements of jobs with different names, or of a matrix.

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
    """Name jobs that differ; nothing if all are runs of one job."""
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

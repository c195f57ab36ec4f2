"""The runs that were to measure a commit, in columns: their labels, commit, date and machine."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from benchkit.codes import code, number_maps, number_rows
from benchkit.config.acceptance import SHORTEST
from benchkit.labels.declared import UnusableError, read_time
from benchkit.schema import FINGERPRINT, RUN_KEY

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs

Value = TypeVar("Value", bound=Hashable)

#: Roles of runs that were to measure a commit, whatever became of them.
_TRIED = frozenset({"measured", "failed", "damaged", "empty"})
_KEPT = (*RUN_KEY, "role", "remark", "origin")


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
        The facts that identify a machine, by their numbers.
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
        """The place of each commit in their order, by their numbers; -1 without a date."""
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
        """Return the rows, group and variant without the parts that name the commit."""
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
    """Return the runs that were to measure a commit."""
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
    fingerprints = [{name: fact for name, fact in zip(FINGERPRINT, own, strict=True) if fact}
                    for own in facts]  # fmt: skip
    return Trials(rows, of_table[numbers], names, machines[numbers], fingerprints, dates)


def _date_commits(
    stated: list[datetime | None],
    commits: np.ndarray,
    names: list[str],
    numbers: np.ndarray,
    starts: pd.Series,
) -> dict[str, datetime]:
    """Return the earliest date of each commit, in order: as recorded, else when its runs began."""
    dates: dict[str, datetime] = {}
    for number in dict.fromkeys(numbers.tolist()):
        if (date := stated[number]) is not None:
            _keep_earlier(dates, names[commits[number]], date)
    is_stated = np.array([date is not None for date in stated], dtype=bool)
    began = starts[~is_stated[numbers]].groupby(commits[numbers[~is_stated[numbers]]]).min()
    for commit, start in began.dropna().items():
        _keep_earlier(dates, names[commit], start.to_pydatetime())
    return dict(sorted(dates.items(), key=lambda item: (item[1], item[0])))


def _keep_earlier(dates: dict[str, datetime], commit: str, date: datetime) -> None:
    dates[commit] = min(date, dates.get(commit, date))


def _number(values: Sequence[Value]) -> tuple[np.ndarray, list[Value]]:
    """Return the number of each value, and the different ones by their numbers."""
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

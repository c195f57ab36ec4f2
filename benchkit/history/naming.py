"""Names of series and commits, and the branch of a commit as its runs record it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from shlex import quote
from string import hexdigits
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.codes import number_maps
from benchkit.errors import ConfigError, DataError
from benchkit.history.model import Change, Newest, Series
from benchkit.metrics import display_name
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Number of characters of a commit that are shown.
_SHORT = 7


def name_series(series: Series) -> str:
    """Name the subject of a series."""
    texts = (
        display_name(series.metric, series.stat), series.variant, series.group, series.benchmark,
        series.params, series.subject,
    )  # fmt: skip
    return printable(" · ".join(text for text in texts if text))


def shorten(commit: str, others: Iterable[str] = ()) -> str:
    """Write a commit for display: 7 characters, or as many as distinguish it from the others.

    Examples
    --------
    >>> shorten("c861e65f00d1"), shorten("c861e65f00d1", ["c861e65e"])
    ('c861e65', 'c861e65f')
    """
    alike = [_count_alike(commit, other) for other in others if other != commit]
    return printable(commit[: max([_SHORT, *(count + 1 for count in alike)])])


def name_commits(series: Series) -> dict[str, str]:
    """Return the displayed name of each commit of a series; no two are the same."""
    commits = sorted(point.commit for point in series.points)
    return {
        commit: shorten(commit, commits[max(n - 1, 0) : n + 2]) for n, commit in enumerate(commits)
    }


def name_commit(series: Series, commit: str) -> str:
    """Return the displayed name of one commit of a series, as in `name_commits`."""
    commits = sorted(point.commit for point in series.points)
    n = bisect_left(commits, commit)
    return shorten(commit, commits[max(n - 1, 0) : n + 2])


def write_day(time: datetime) -> str:
    """Write a date for people.

    Examples
    --------
    >>> write_day(datetime(2026, 11, 1))
    '1 Nov 2026'
    """
    return f"{time.day} {time:%b %Y}"


def resolve(commit: str, known: Collection[str], *, where: str = "--commit") -> str:
    """Return the known commit that is meant; it may be abbreviated.

    Parameters
    ----------
    commit : str
        7 characters or more.
    where : str
        The option that names it.

    Raises
    ------
    ConfigError
        If it abbreviates several commits, or a known one abbreviates it.

    Examples
    --------
    >>> resolve("abc1234", ["abc1234def", "0123456"]), resolve("ABC1234DEF", ["abc1234def"])
    ('abc1234def', 'abc1234def')
    """
    if not set(commit.lower()) <= set(hexdigits):
        return commit
    commit = commit.lower()
    longer = sorted({one for one in known if one.lower().startswith(commit)})
    if commit in longer or not (longer or _begins(known, commit)):
        return commit
    if len(longer) == 1:
        return longer[0]
    if longer:
        what = f"{commit} matches both {longer[0]} and {longer[1]}"
        raise ConfigError(what, where=where, hint="give more digits of the commit")
    short = _begins(sorted(known), commit)
    what = f"{commit} starts with {short}, which is in the store"
    hint = f"use {where} {short} if it is the same commit"
    raise ConfigError(what, where=where, hint=hint)


def _count_alike(one: str, other: str) -> int:
    """Count the equal characters at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _begins(known: Collection[str], commit: str) -> str:
    """Return a known commit that is an abbreviation of this one; empty if there is none."""
    return next((one for one in known if commit.startswith(one.lower())), "")


def is_cost(series: Series, change: Change | Newest) -> bool | None:
    """Return whether a change, or the newest commit, is worse; None if no direction is better."""
    if series.better not in {"lower", "higher"}:
        return None
    if isinstance(change, Change) and change.is_exact:
        is_more = change.after > change.before
    else:
        is_more = change.difference > 0 if series.is_difference else change.ratio > 1
    return is_more == (series.better == "lower")


#: The branch that is followed by default.
MAIN = "main"
#: Names of the main branch; runs that record no branch belong to it.
_MAIN = frozenset({MAIN, "master", ""})


class Recorded(NamedTuple):
    """A commit as named in the store, and the branches that its runs record."""

    commit: str
    branches: Collection[str]


def read_branch(env: Mapping[str, str]) -> str:
    """Return the branch that a run records; ``main`` for ``master`` and for none.

    Examples
    --------
    >>> read_branch({"branch": "master"}), read_branch({}), read_branch({"branch": "fix"})
    ('main', 'main', 'fix')
    """
    branch = env.get("branch", "")
    return MAIN if branch in _MAIN else branch


def list_branches(runs: Runs, first: str = MAIN) -> list[str]:
    """Return the branches of the runs with a commit, the main one first."""
    _, tables = number_maps(runs["env"])
    names = {read_branch(env) for env in tables if env.get("commit")}
    lead = read_branch({"branch": first})
    return sorted(names, key=lambda name: (name != lead, name)) or [lead]


def follow_branch(runs: Runs, branch: str) -> tuple[Runs, dict[str, int]]:
    """Keep the runs of the commits of a branch, and count the commits of the others.

    Parameters
    ----------
    branch : str
        A commit belongs to every branch that one of its runs records.

    Raises
    ------
    DataError
        If runs have commits, and none of them is on the branch.
    """
    numbers, tables = number_maps(runs["env"])
    recorded = _list_recorded(tables)
    meant = read_branch({"branch": branch})
    kept = {commit for commit, names in recorded.items() if meant in names}
    others = defaultdict[str, int](int)
    for commit in recorded.keys() - kept:
        for name in recorded[commit]:
            others[name] += 1
    if recorded and not kept:
        names = ", ".join(sorted(others))
        hint = f"choose a recorded branch: --branch {quote(min(others))}"
        raise DataError(f"no commit is on branch {branch!r}, only on {names}", hint=hint)
    is_kept = np.array([env.get("commit", "") in kept for env in tables], dtype=bool)
    rows: Runs = runs[is_kept[numbers]]
    return rows, dict(sorted(others.items()))


def find_recorded(runs: Runs, commit: str) -> Recorded | None:
    """Return the runs' record of a commit with its full hash; None if they lack it."""
    _, tables = number_maps(runs["env"])
    for name, branches in _list_recorded(tables).items():
        if commit.lower().startswith(name.lower()):
            return Recorded(name, branches)
    return None


def _list_recorded(tables: Sequence[Mapping[str, str]]) -> dict[str, set[str]]:
    """Return the commits with their branches."""
    recorded = defaultdict[str, set[str]](set)
    for env in tables:
        if commit := env.get("commit"):
            recorded[commit].add(read_branch(env))
    return recorded

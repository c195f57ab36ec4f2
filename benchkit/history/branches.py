"""The branch that each commit is of, as its runs record it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.codes import number_maps
from benchkit.errors import DataError

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: The branch that is followed unless another is named.
MAIN = "main"
#: What the main branch is called; runs that record no branch are taken for it.
_MAIN = frozenset({MAIN, "master", ""})


class Recorded(NamedTuple):
    """A commit as the store names it, and the branches that its runs record."""

    commit: str
    branches: Collection[str]


def read_branch(env: Mapping[str, str]) -> str:
    """Return the branch that a run records; ``main`` where that is ``master`` or nothing.

    Examples
    --------
    >>> read_branch({"branch": "master"}), read_branch({}), read_branch({"branch": "fix"})
    ('main', 'main', 'fix')
    """
    branch = env.get("branch", "")
    return MAIN if branch in _MAIN else branch


def list_branches(runs: Runs, first: str = MAIN) -> list[str]:
    """Return the branches of the runs that name their commit, a first one before the others."""
    _, tables = number_maps(runs["env"])
    names = {read_branch(env) for env in tables if env.get("commit")}
    lead = read_branch({"branch": first})
    return sorted(names, key=lambda name: (name != lead, name)) or [lead]


def follow_branch(runs: Runs, branch: str) -> tuple[Runs, dict[str, int]]:
    """Keep the runs of the commits of a branch, and count the commits of the others.

    Parameters
    ----------
    branch : str
        A commit is of every branch that one of its runs records.

    Raises
    ------
    DataError
        If runs name commits, and none of them is of the branch.
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
    """Return what the runs record of a commit that is given in full; None if they lack it."""
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

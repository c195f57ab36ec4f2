"""Whether there is no baseline yet, or one that was misspelled or could not be read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

from benchkit.errors import Diagnostic, SourceReport
from benchkit.selection import list_baselines as list_called

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: So alike are a name and its misspelling.
_ALIKE = 0.75
_LOST = frozenset({"refused", "failed", "empty", "duplicate"})


class Loaded(Protocol):
    """What was loaded."""

    @property
    def runs(self) -> Runs: ...  # noqa: D102
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...  # noqa: D102
    @property
    def reports(self) -> Sequence[SourceReport]: ...  # noqa: D102


def lacks_baseline(results: Loaded, requested: Collection[str]) -> bool:
    """Tell whether no baseline is among what was loaded, and none was lost on the way.

    Parameters
    ----------
    requested : collection of str
        The baselines that are named; empty if none is.
    """
    if any(problem.severity == "error" for problem in results.diagnostics):
        return False
    if any(report.outcome in _LOST for report in results.reports):
        return False
    known = list(dict.fromkeys(results.runs["variant"].tolist()))
    if not known or set(requested) & set(known) or list_called(known):
        return False
    if not requested:
        return len(known) == 1
    return len(known) == 1 or not any(
        difflib.get_close_matches(name, known, n=1, cutoff=_ALIKE) for name in requested
    )


def is_of_baseline(argument: str, requested: Collection[str], *, is_first: bool) -> bool:
    """Tell whether a PATH that is not there is that of the baseline.

    Parameters
    ----------
    argument : str
        As it was named, ``base=git:FETCH_HEAD:main``.
    requested : collection of str
        The baselines that are named; empty if none is.
    is_first : bool
        Whether it stands before the other paths.

    Examples
    --------
    >>> is_of_baseline("base=git:FETCH_HEAD:main", ["base"], is_first=False)
    True
    >>> is_of_baseline("results/new", [], is_first=False)
    False
    """
    label, equals, path = argument.partition("=")
    name = label if equals else PurePosixPath(path or label).name.rpartition(":")[2]
    return name in requested if requested else bool(list_called([name])) or is_first

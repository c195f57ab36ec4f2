"""Whether what a gate names is there, where there is no baseline to compare it with.

Whether there is no baseline yet, or one that was misspelled or could not be read.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

from benchkit import selection
from benchkit.config.files import unknown
from benchkit.config.rules import Rule
from benchkit.errors import Diagnostic, SourceReport
from benchkit.gating.choice import Requested
from benchkit.gating.matching import COLUMNS, read_params
from benchkit.gating.policy import Policy
from benchkit.selection import list_baselines as list_called

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


#: They tell the sides of a comparison, one of which is not there.
_SIDES = ("baseline", "variant")

#: So alike are a name and its misspelling.
_ALIKE = 0.75
_LOST = frozenset({"refused", "failed", "empty", "duplicate"})


def require_names(observations: Observations, policy: Policy, requested: Requested) -> None:
    """Refuse a variant, metric, statistic or ``where`` that the results do not have.

    Raises
    ------
    SelectionError
        With the name that may have been meant.
    ConfigError
        If ``where`` names neither a column nor a param.
    """
    present = dict.fromkeys(observations["variant"].tolist())
    pairs = (*requested.pairs, *(rule.pair for rule in policy.rules if rule.pair))
    for name in (*(requested.variants or ()), *(variant for _, variant in pairs)):
        selection.require(name, present, "variant")
    for rule in policy.rules:
        _require(observations, rule)


def _require(observations: Observations, rule: Rule) -> None:
    measured = observations[["metric", "stat"]].drop_duplicates()
    pairs = zip(measured["metric"].tolist(), measured["stat"].tolist(), strict=True)
    selection.require_metric(rule.metric, rule.stat, pairs)
    rows = observations[observations["metric"] == rule.metric]
    if rule.stat:
        selection.require(rule.stat, rows["stat"].drop_duplicates(), f"statistic of {rule.metric}")
    params = [read_params(params) for params in rows["params"].drop_duplicates()]
    known = dict.fromkeys((*COLUMNS, *(key for levels in params for key in levels)))
    for key, values in rule.where:
        if key not in known:
            raise unknown("key", key, list(known), f"`where` of the gate {rule.name!r}")
        if key in _SIDES:
            continue
        known_values = (
            rows[key].astype("str").fillna("")
            if key in COLUMNS
            else [levels.get(key, "") for levels in params]
        )
        _require_values(key, values, dict.fromkeys(map(str, known_values)))


def _require_values(key: str, values: Iterable[str], known: Iterable[str]) -> None:
    for value in values:
        if not any(fnmatchcase(one, value) for one in known):
            selection.require(value, known, key)


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

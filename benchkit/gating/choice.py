"""The pairs of a gate, and whether the names in its options exist if there is no baseline yet."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchkit import selection
from benchkit.config.files import unknown
from benchkit.config.rules import Rule
from benchkit.errors import ConfigError, Diagnostic, SourceReport
from benchkit.gating.events import Pair
from benchkit.gating.matching import COLUMNS, read_params
from benchkit.gating.policy import Policy
from benchkit.selection import list_baselines as list_called

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

Pairs = Sequence[Pair]


class Requested(NamedTuple):
    """The names on the command line; empty without one."""

    baseline: str | None = None
    variants: Sequence[str] | None = None
    pairs: Pairs = ()


class Choice(NamedTuple):
    """The pairs for rules that name none; ``named`` are those that must be compared."""

    default: Pairs = ()
    named: Pairs = ()


class Chosen(Protocol):
    """An object with variants."""

    @property
    def variants(self) -> list[str]: ...  # noqa: D102
    def choose_pairs(  # noqa: D102
        self, baseline: str | None, variant: Sequence[str] | None
    ) -> tuple[tuple[str, str], ...]: ...


def choose(results: Chosen, policy: Policy, requested: Requested) -> Choice:
    """Choose the pairs of the rules that name none; none if every rule does.

    Raises
    ------
    SelectionError, BaselineError
        If a name does not exist, or no baseline can be inferred.
    ConfigError
        If every rule names its pair, and the command line names others.
    """
    pairs = [rule.pair for rule in policy.rules if rule.pair]
    if pairs and len(pairs) == len(policy.rules):
        for name in (
            requested.baseline,
            *(requested.variants or ()),
            *chain.from_iterable(requested.pairs),
        ):
            if name is not None:
                selection.require(name, results.variants, "variant")
        _refuse_others(policy, pairs, requested)
        return Choice()
    if requested.pairs:
        return Choice(tuple(requested.pairs), tuple(requested.pairs))
    chosen = results.choose_pairs(
        requested.baseline or policy.settings.baseline, requested.variants
    )
    return Choice(chosen, chosen if requested.variants else ())


def list_baselines(policy: Policy, requested: Requested) -> set[str]:
    """Return the named baselines."""
    baselines = {
        pair[0] for pair in (*requested.pairs, *(rule.pair for rule in policy.rules)) if pair
    }
    if not baselines or any(rule.pair is None for rule in policy.rules):
        baselines |= {*filter(None, [requested.baseline or policy.settings.baseline])}
    return baselines


def _refuse_others(policy: Policy, pairs: Pairs, requested: Requested) -> None:
    """Refuse options that contradict the names in the rules."""
    baselines, variants = map(set, zip(*pairs, strict=True))
    disagreeing = {
        "--baseline": requested.baseline is not None and requested.baseline not in baselines,
        "--variant": bool(requested.variants) and set(requested.variants or ()) != variants,
        "--pair": bool(requested.pairs) and set(requested.pairs) != set(pairs),
    }
    for option, is_other in disagreeing.items():
        if is_other:
            named = ", ".join(dict.fromkeys(":".join(pair) for pair in pairs))
            raise ConfigError(
                f"every rule of {policy.origin} has its own pair: {named}",
                where=option,
                hint="omit the option, or remove the pair from the rules",
            )


#: They name the sides of a comparison, one of which is missing.
_SIDES = ("baseline", "variant")

#: Minimum similarity of a name and its misspelling.
_ALIKE = 0.75
_LOST = frozenset({"refused", "failed", "empty", "duplicate"})


def require_names(observations: Observations, policy: Policy, requested: Requested) -> None:
    """Refuse a variant, metric, statistic or ``where`` that is not in the results.

    Raises
    ------
    SelectionError
        With the likely intended name.
    ConfigError
        If ``where`` contains neither a column nor a param.
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
    """The loaded results."""

    @property
    def runs(self) -> Runs: ...  # noqa: D102
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...  # noqa: D102
    @property
    def reports(self) -> Sequence[SourceReport]: ...  # noqa: D102


def lacks_baseline(results: Loaded, requested: Collection[str]) -> bool:
    """Return whether no baseline was loaded, and none was lost while reading.

    Parameters
    ----------
    requested : collection of str
        The named baselines; empty if there are none.
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
    """Return whether a missing PATH is that of the baseline.

    Parameters
    ----------
    argument : str
        As typed, ``base=git:FETCH_HEAD:main``.
    requested : collection of str
        The named baselines; empty if there are none.
    is_first : bool
        Whether it is the first path.

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

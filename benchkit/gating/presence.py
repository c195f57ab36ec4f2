"""Whether what a gate names is there, where there is no baseline to compare it with."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchkit import selection
from benchkit.config.files import unknown
from benchkit.config.rules import Rule
from benchkit.gating.choice import Requested
from benchkit.gating.matching import COLUMNS, read_params
from benchkit.gating.policy import Policy

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: They tell the sides of a comparison, one of which is not there.
_SIDES = ("baseline", "variant")


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
    known = dict.fromkeys((*COLUMNS, *(key for own in params for key in own)))
    for key, values in rule.where:
        if key not in known:
            raise unknown("key", key, list(known), f"`where` of the gate {rule.name!r}")
        if key in _SIDES:
            continue
        known_values = (
            rows[key].astype("str").fillna("")
            if key in COLUMNS
            else [own.get(key, "") for own in params]
        )
        _require_values(key, values, dict.fromkeys(map(str, known_values)))


def _require_values(key: str, values: Iterable[str], known: Iterable[str]) -> None:
    for value in values:
        if not any(fnmatchcase(one, value) for one in known):
            selection.require(value, known, key)

"""Which pairs a gate is about: those of its rules, of the command line, or guessed from names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, Protocol

from benchkit import selection
from benchkit.errors import ConfigError
from benchkit.gating.events import Pair
from benchkit.gating.policy import Policy

Pairs = Sequence[Pair]


class Requested(NamedTuple):
    """What the command line names; empty where it does not."""

    baseline: str | None = None
    variants: Sequence[str] | None = None
    pairs: Pairs = ()


class Choice(NamedTuple):
    """What rules without a pair are about; ``named`` are the pairs that have to be compared."""

    default: Pairs = ()
    named: Pairs = ()


class Chosen(Protocol):
    """What has variants."""

    @property
    def variants(self) -> list[str]: ...  # noqa: D102
    def choose_pairs(  # noqa: D102
        self, baseline: str | None, variant: Sequence[str] | None
    ) -> tuple[tuple[str, str], ...]: ...


def choose(results: Chosen, policy: Policy, requested: Requested) -> Choice:
    """Choose the pairs of the rules that name none; none where every rule does.

    Raises
    ------
    SelectionError, BaselineError
        If a name is not there, or no baseline can be told.
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
    """Return the baselines that are named."""
    baselines = {
        pair[0] for pair in (*requested.pairs, *(rule.pair for rule in policy.rules)) if pair
    }
    if not baselines or any(rule.pair is None for rule in policy.rules):
        baselines |= {*filter(None, [requested.baseline or policy.settings.baseline])}
    return baselines


def _refuse_others(policy: Policy, pairs: Pairs, requested: Requested) -> None:
    """Refuse options that name anything but what the rules do."""
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

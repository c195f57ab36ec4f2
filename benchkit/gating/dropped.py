"""What the baseline has and the variant has not, in words."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.comparison import Contrast, Dropped
from benchkit.config.rules import Action
from benchkit.gating.events import Pair
from benchkit.gating.outcome import GateOutcome, RuleOutcome
from benchkit.listing import list_names
from benchkit.metrics import display_name
from benchkit.units import printable

#: So many are named in the sentence; the rest are counted.
_SHOWN = 3


def say_dropped(outcome: GateOutcome, action: Action) -> str:
    """Say in a clause which rows were not compared, of those with this action."""
    compared = {(*_pair(row.contrast), *_place(row.contrast)[:2]) for row in outcome.rows}
    levels = {(*_pair(row.contrast), *_place(row.contrast)) for row in outcome.rows}
    named: dict[Pair, dict[str, None]] = {}
    for rule in outcome.rules:
        for row in rule.dropped:
            if rule.find_acceptance(row) or rule.choose_action(row) != action:
                continue
            pair, place = _pair(row), _place(row)
            where = " ".join(filter(None, place if (*pair, *place[:2]) in compared else place[:2]))
            known = (*pair, *place) in levels or not where
            named.setdefault(pair, {})[name_dropped(row) if known else where] = None
    pairs = {_pair(row.contrast) for row in outcome.rows}
    is_alone = len(pairs | set(named)) == 1
    return "; ".join(_say(pair, list(names), is_alone) for pair, names in named.items())


def describe_dropped(outcome: RuleOutcome) -> Iterator[str]:
    """Yield for each pair the rows that a rule would hold for, and that no one accepts.

    Many are counted: JSON and JUnit list each.
    """
    named: dict[Pair, dict[str, dict[str, None]]] = {}
    for row in outcome.dropped:
        if outcome.find_acceptance(row) is None:
            places = named.setdefault(_pair(row), {})
            metrics = places.setdefault(" ".join(filter(None, _place(row))), {})
            metrics[display_name(row.metric, row.stat)] = None
    for (baseline, variant), places in named.items():
        alike: dict[str, list[str]] = {}
        for place, metrics in places.items():
            alike.setdefault(list_names(metrics), []).append(place)
        texts = (
            f"{metrics}{f' on {list_names(own, _SHOWN)}' if any(own) else ''}"
            for metrics, own in alike.items()
        )
        yield printable(
            f"The gate “{outcome.rule.name}” did not compare {variant}: only {baseline} has "
            f"{'; '.join(texts)}."
        )


def name_dropped(row: Dropped) -> str:
    """Name a row: ``time_per_op on Ping``."""
    place = " ".join(filter(None, _place(row)))
    return printable(f"{display_name(row.metric, row.stat)}{f' on {place}' if place else ''}")


def _say(pair: Pair, names: list[str], is_alone: bool) -> str:
    of = "" if is_alone else f" of {pair[1]}"
    return printable(f"{list_names(names, _SHOWN)}{of} not compared: only in {pair[0]}")


def _pair(row: Contrast | Dropped) -> Pair:
    return row.baseline, row.variant


def _place(row: Contrast | Dropped) -> tuple[str, str, str]:
    return row.group, row.benchmark, row.params

"""Every event of a gate with its clause, for outputs that are read by machines."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.comparison import Dropped
from benchkit.gating.clauses import list_event_texts
from benchkit.gating.dropped import name_dropped
from benchkit.gating.events import Occurrence
from benchkit.gating.incidents import join
from benchkit.gating.outcome import GateOutcome, RowOutcome, RuleOutcome, list_events
from benchkit.gating.wording import (
    describe_blind,
    describe_cost,
    say,
    say_limit,
)
from benchkit.units import printable


def list_all_texts(outcome: GateOutcome) -> Iterator[tuple[Occurrence, str]]:
    """Yield every event, as many as are counted, those that concern no row first."""
    yield from list_event_texts(outcome)
    for rule in outcome.rules:
        for each, rows in list_events(rule):
            yield each, _describe(rule, rows)
    if not (outcome.rules or outcome.events or outcome.problem):
        yield from ((each, "nothing was compared") for each in outcome.occurrences)


def _describe(rule: RuleOutcome, rows: tuple[RowOutcome, ...] | tuple[Dropped, ...]) -> str:
    """Describe the row that an event concerns, or all that are gone with a benchmark."""
    if not rows:
        text = describe_blind(rule)
        return text[:1].lower() + text[1:]
    lost = [row for row in rows if isinstance(row, Dropped)]
    if lost:
        accepted = rule.find_acceptance(lost[0])
        if accepted:
            return printable(f"accepted: {lost[0].benchmark} removed ({accepted.text})")
        names = join([name_dropped(row) for row in lost], 3)
        return printable(f"{names} not compared: only in {lost[0].baseline}")
    return "; ".join(_describe_row(row) for row in rows if isinstance(row, RowOutcome))


def _describe_row(row: RowOutcome) -> str:
    cost = describe_cost(row)
    text = f"{say(row)}: {cost}, {say_limit(row)}"
    if row.accepted is not None:
        text = f"accepted: {text} ({row.accepted.text})"
    return printable(f"{text} ({row.undecided})" if row.undecided else text)

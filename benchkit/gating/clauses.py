"""Clauses about events that concern no row: the same in every output."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.gating.events import (
    ADDED,
    BASELINE_CRASH,
    CRASH,
    DAMAGED,
    MIXED,
    NO_BASELINE,
    NOT_COMPARED,
    UNDECIDABLE,
    UNKNOWN,
    UNUSED,
    Occurrence,
)
from benchkit.gating.outcome import GateOutcome
from benchkit.units import printable


def list_event_texts(outcome: GateOutcome) -> Iterator[tuple[Occurrence, str]]:
    """Yield each event that concerns no row, with its clause."""
    for each in outcome.events:
        yield each, _LEADS[each.event].format(each.text)
    if outcome.problem:
        text = printable(outcome.problem)
        each = Occurrence(event=NOT_COMPARED, action=outcome.problem_action, text=text)
        yield each, f"nothing was compared: {text}"


#: What a clause about an event that concerns no row begins with.
_LEADS = {
    CRASH: "{}",
    BASELINE_CRASH: "{}",
    ADDED: "new: {}",
    DAMAGED: "{}",
    MIXED: "{}",
    UNKNOWN: "{}",
    UNUSED: "{}",
    NO_BASELINE: (
        "there is no baseline, so nothing was compared and a regression would go unnoticed{}"
    ),
    NOT_COMPARED: "{}",
    UNDECIDABLE: "undecided: {}",
}

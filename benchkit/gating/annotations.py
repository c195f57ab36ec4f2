"""Annotations of a GitHub step: failures, and warnings that the policy wants.

GitHub shows at most ten of a kind per step and drops the rest silently; the tenth line says how
many more there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.errors import ExitCode
from benchkit.gating.events import (
    ACCEPTED,
    ADDED,
    BASELINE_CRASH,
    CRASH,
    DAMAGED,
    FAILING,
    INCONCLUSIVE,
    MISSING,
    MIXED,
    NO_BASELINE,
    NOT_COMPARED,
    REGRESSION,
    UNDECIDABLE,
    UNKNOWN,
    UNUSED,
    Event,
)
from benchkit.gating.result import GateResult
from benchkit.gating.wording import (
    describe_cost,
    describe_dropped,
    describe_faults,
    list_event_texts,
    say,
    say_failures,
    say_limit,
)
from benchkit.units import printable

MOST = 10
_KINDS = {"fail": "error", "warn": "warning", "pass": "notice"}
#: Titles of the events.
_OUTCOMES = {
    REGRESSION: "regression",
    CRASH: "a run failed",
    BASELINE_CRASH: "a run of the baseline failed",
    MISSING: "not compared",
    ADDED: "new benchmark",
    DAMAGED: "damaged file",
    MIXED: "two measurements as one",
    UNKNOWN: "unknown format",
    INCONCLUSIVE: "inconclusive",
    UNDECIDABLE: "undecided",
    FAILING: "requests fail",
    NO_BASELINE: "no baseline",
    NOT_COMPARED: "nothing compared",
    ACCEPTED: "accepted",
    UNUSED: "unused acceptance",
}
_MESSAGE = {"%": "%25", "\n": "%0A"}
_PROPERTY = {**_MESSAGE, ":": "%3A", ",": "%2C"}


def to_annotations(result: GateResult) -> str:
    """Write the annotations; empty if there are none."""
    events = [*_annotate_whole(result), *_annotate(result)]
    lines = []
    for kind in ("error", "warning", "notice"):
        texts = [(title, text) for level, title, text in events if level == kind]
        if len(texts) > MOST:
            more = f"and {len(texts) - MOST + 1} more; see the job summary"
            texts = [*texts[: MOST - 1], ("benchkit gate", more)]
        lines += [
            f"::{kind} title={escape(printable(title), _PROPERTY)}::{escape(text)}"
            for title, text in texts
        ]
    return "".join(f"{line}\n" for line in lines)


def escape(text: str, characters: dict[str, str] | None = None) -> str:
    r"""Write a text so that it can neither end a workflow command nor start another.

    Examples
    --------
    >>> escape("5%\n::error::")
    '5%25%0A::error::'
    """
    shown = "\n".join(map(printable, text.split("\n")))
    return "".join((characters or _MESSAGE).get(c, c) for c in shown)


def _title(event: Event) -> str:
    """Return a title that names the outcome: the list of a job shows little more."""
    return f"benchkit gate: {_OUTCOMES[event]}"


def _title_whole(result: GateResult) -> str:
    if result.self_test is not None:
        return "benchkit gate: self-test"
    if result.exit_code is ExitCode.USAGE:
        return "benchkit gate: not configured"
    return _title(next((each.event for each in result.outcome.occurrences), NOT_COMPARED))


def _annotate_whole(result: GateResult) -> Iterator[tuple[str, str, str]]:
    """Yield what applies to all rows: the default rule, and refused sources."""
    if result.policy.endswith("the default rule"):
        yield "notice", "benchkit gate", result.policy
    if result.refused:
        yield "warning", "benchkit gate: refused sources", result.refused


def _annotate(result: GateResult) -> Iterator[tuple[str, str, str]]:
    """Yield kind, title and text of each annotation."""
    outcome = result.outcome
    if result.self_test is not None or outcome.problem or not outcome.rules:
        if not result.has_passed:
            yield "error", _title_whole(result), result.sentence
        elif outcome.problem or not outcome.has_baseline:
            yield "warning", _title_whole(result), result.sentence
        return
    for each, text in list_event_texts(outcome):
        yield _KINDS[each.action], _title(each.event), text
    for note in describe_faults(outcome):
        yield "error", _title(NOT_COMPARED), note
    for rule in outcome.rules:
        if rule.rule.on_missing != "pass":
            yield from (
                (_KINDS[rule.rule.on_missing], f"{rule.rule.name}: {_OUTCOMES[MISSING]}", text)
                for text in describe_dropped(rule)
            )
        for row in rule.rows:
            event = rule.find_event(row)
            if event is None or (event[1] == "pass" and row.accepted is None):
                continue
            cost = describe_cost(row)
            text = f"{say(row)}: {cost}, {say_limit(row)}"
            if row.newly_fails:
                text = f"requests fail: {say_failures(row)}; {text}"
            if row.accepted is not None:
                text = f"accepted {row.accepted.text}; {text}"
            word = say(row) if event[0] in {REGRESSION, INCONCLUSIVE} else _OUTCOMES[event[0]]
            yield _KINDS[event[1]], f"{rule.rule.name}: {word}", text

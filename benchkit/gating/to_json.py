"""The gate as JSON with stable keys.

Scripts read the numbers that a table rounds; later versions add keys and rename none.

Format version 2: ``verdict`` is pass, fail or undecided, and ``sentence`` holds the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchkit.comparison import Dropped
from benchkit.gating.events import EVENTS, Occurrence
from benchkit.gating.incidents import join
from benchkit.gating.outcome import GateOutcome, RowOutcome, RuleOutcome, list_events
from benchkit.gating.result import GateResult, SelfTest
from benchkit.gating.wording import (
    describe_blind,
    describe_cost,
    list_event_texts,
    name_dropped,
    say,
    say_limit,
)
from benchkit.reporting.json_text import format_json
from benchkit.reporting.to_json import finding_values
from benchkit.units import printable

FORMAT_VERSION = 2
_LABELS = (
    "group", "benchmark", "params", "tool", "subject", "metric", "stat", "unit", "better",
    "baseline", "variant", "n_baseline", "n_variant", "center_baseline", "center_variant", "method",
)  # fmt: skip


def to_json(result: GateResult) -> str:
    """Write a gate's result as JSON; floats round-trip, unknown numbers are null."""
    return format_json(document(result)) + "\n"


def document(result: GateResult) -> dict[str, Any]:
    """Return what `to_json` writes, as plain Python values."""
    outcome, tested = result.outcome, result.self_test
    return {
        "format_version": FORMAT_VERSION,
        "verdict": result.verdict,
        "sentence": result.sentence,
        "exit_code": int(result.exit_code),
        "passed": result.has_passed,
        "confidence": outcome.confidence,
        "policy": result.policy or None,
        "problem": outcome.problem or None,
        "refused": result.refused or None,
        "counts": {event.name: len(outcome.select(event)) for event in EVENTS},
        "events": [
            {"event": each.event.name, "action": each.action, "text": text}
            for each, text in list_all_texts(outcome)
        ],
        "gates": [_rule(rule) for rule in outcome.rules],
        "findings": [finding_values(finding) for finding in result.findings],
        "self_test": _describe_self_test(tested) if tested else None,
    }


def _describe_self_test(tested: SelfTest) -> dict[str, Any]:
    incidents = {name: answer or None for name, answer in tested.answers.items()}
    return {
        "planted": tested.planted, "unseen": list(tested.unseen), "incidents": incidents,
    }  # fmt: skip


def _rule(outcome: RuleOutcome) -> dict[str, Any]:
    rule = outcome.rule
    return {
        "name": rule.name,
        "metric": rule.metric,
        "stat": rule.stat,
        "pair": list(rule.pair) if rule.pair else None,
        "where": {key: list(values) for key, values in rule.where},
        "target": rule.target.text if rule.target else None,
        "acceptable": rule.acceptable.text if rule.acceptable else None,
        "on_inconclusive": rule.on_inconclusive,
        "on_undecided": rule.on_undecided,
        "on_missing": rule.on_missing,
        "min_runs": rule.min_runs,
        "no_findings": list(rule.no_findings),
        "missing": list(outcome.missing),
        "not_compared": [asdict(row) for row in outcome.dropped],
        "rows": [_row(row) for row in outcome.rows],
    }


def _row(row: RowOutcome) -> dict[str, Any]:
    evidence, contrast = row.evidence, row.contrast
    return {
        "outcome": row.word,
        "said": say(row),
        "undecided": row.undecided or None,
        "accepted": row.accepted.text if row.accepted else None,
        **{key: getattr(contrast, key) for key in _LABELS},
        "estimate": "ratio" if evidence.is_ratio else "difference",
        "value": evidence.value,
        "low": evidence.low,
        "high": evidence.high,
        "p_over": None if evidence.is_exact else row.p_over,
        "adjustment": row.adjustment or None,
        "p_within": None if evidence.is_exact else evidence.p_within,
        "runs_needed": row.runs_needed,
        "notes": list(row.notes),
    }


def list_all_texts(outcome: GateOutcome) -> Iterator[tuple[Occurrence, str]]:
    """Yield every event, as often as counted, those that concern no row first."""
    yield from list_event_texts(outcome)
    for rule in outcome.rules:
        for each, rows in list_events(rule):
            yield each, _describe(rule, rows)
    if not (outcome.rules or outcome.events or outcome.problem):
        yield from ((each, "nothing was compared") for each in outcome.occurrences)


def _describe(rule: RuleOutcome, rows: tuple[RowOutcome, ...] | tuple[Dropped, ...]) -> str:
    """Describe the row that an event concerns, or all rows that a benchmark lost."""
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

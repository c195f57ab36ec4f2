"""The gate in one sentence: the verdict, the row that decides it, and every event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.config.rules import Action
from benchkit.errors import ExitCode, Finding
from benchkit.gating.events import (
    ACCEPTED,
    ADDED,
    FAIL,
    FAILING,
    INCONCLUSIVE,
    MISSING,
    NO_BASELINE,
    NOT_COMPARED,
    PASS,
    UNDECIDABLE,
    UNUSED,
    Event,
)
from benchkit.gating.exactness import describe_worse
from benchkit.gating.outcome import (
    ACCEPTABLE,
    NOT_SHOWN,
    OVER,
    WITHIN,
    WORDS,
    GateOutcome,
    RowOutcome,
)
from benchkit.gating.wording import (
    MARKS,
    describe_blind,
    describe_cost,
    list_event_texts,
    mark_of,
    measure_cost,
    measure_suspicion,
    raise_first,
    say,
    say_dropped,
    say_failures,
    say_limit,
)
from benchkit.units import printable


def write_sentence(outcome: GateOutcome, findings: Sequence[Finding] = ()) -> str:
    """State the decision, the deciding row, every event, and the effect of the order of the runs.

    Returns
    -------
    str
        A mark and a sentence: ``✗ Over the limit: otlp serves 13.1 % fewer requests/s than none,
        limit 5%.``
    """
    if outcome.problem_code is ExitCode.USAGE and outcome.problem:
        return f"✗ Nothing was compared: {printable(outcome.problem)}."
    clauses = list(_list_clauses(outcome))
    held = [row for row in outcome.rows if row.word in {ACCEPTABLE, WITHIN}]
    is_plain = outcome.verdict == PASS and not (outcome.select(ACCEPTED) or _is_open(outcome))
    if held and is_plain:
        clauses.insert(0, _describe_nearest(held))
    if count := _count(outcome):
        clauses.insert(1, count)
    reasons = (describe_worse(outcome), _describe_order(findings), _describe_end(outcome))
    clauses += filter(None, reasons)
    clauses[0] = raise_first(clauses[0])
    return f"{_choose_mark(outcome)} {'; '.join(clauses)}."


def _list_clauses(outcome: GateOutcome) -> Iterator[str]:
    """Yield a clause for every event, the one that decides the exit code first."""
    texts = {id(each): text for each, text in list_event_texts(outcome)}
    shown: set[tuple[Event, Action]] = set()
    for each in outcome.occurrences:
        kind = each.event, each.action
        if id(each) in texts:
            yield texts[id(each)]
        elif each.event is NOT_COMPARED and each.text:
            yield f"nothing was compared: {printable(each.text)}"
        elif kind not in shown:
            shown.add(kind)
            yield from filter(None, (_describe_event(outcome, *kind),))


def _describe_event(outcome: GateOutcome, event: Event, action: Action) -> str:
    """Say where an event of rows or rules happened: the worst row, or all names."""
    rows = [
        row
        for rule in outcome.rules
        for row in rule.rows
        if rule.find_event(row) == (event, action)
    ]
    if event is MISSING:
        return say_dropped(outcome, action)
    if event is NOT_COMPARED:
        blind = [rule for rule in outcome.rules if not rule.has_compared]
        return "; ".join(_lower(describe_blind(rule)) for rule in blind) or "nothing was compared"
    if event is ACCEPTED:
        return _describe_accepted(outcome, rows)
    is_open = event in {INCONCLUSIVE, UNDECIDABLE}
    worst = max(
        rows,
        key=lambda row: (row.newly_fails, is_open and measure_suspicion(row), measure_cost(row)),
    )
    if event is FAILING:
        return f"requests fail: {_describe_failures(rows)}"
    if event is UNDECIDABLE:
        return f"undecided: {_describe(worst)} ({worst.undecided})"
    return f"{say(worst)}: {_describe(worst)}"


def _describe_accepted(outcome: GateOutcome, rows: Sequence[RowOutcome]) -> str:
    """Name the regressions and removals that the policy accepts."""
    names = [f"{_describe(row)} ({row.accepted.text})" for row in rows if row.accepted]
    names += [
        f"{lost.benchmark} removed ({accepted.text})"
        for rule in outcome.rules
        for lost in rule.dropped
        if (accepted := rule.find_acceptance(lost))
    ]
    return printable(f"accepted: {', '.join(dict.fromkeys(names))}")


def _describe_nearest(held: Sequence[RowOutcome]) -> str:
    """Describe the row nearest to its limit, among those within it that changed."""
    word = next(word for word in WORDS if any(row.word == word for row in held))
    alike = (row for row in held if row.word == word)
    worst = max(alike, key=lambda row: (measure_cost(row) != 0, measure_cost(row)))
    return f"{say(worst)}: {_describe(worst)}"


def _choose_mark(outcome: GateOutcome) -> str:
    """Return the mark of the verdict; for a pass, whether all requirements are shown to be met."""
    events = outcome.occurrences
    is_failing = any(each.event is FAILING and each.action == "fail" for each in events)
    if outcome.verdict == FAIL or is_failing:
        return MARKS[OVER]
    if outcome.verdict != PASS or _is_open(outcome):
        return MARKS[NOT_SHOWN]
    held = [row for row in outcome.rows if row.word in {ACCEPTABLE, WITHIN}]
    return MARKS[mark_of(max(held, key=_rank))] if held else MARKS[WITHIN]


def _is_open(outcome: GateOutcome) -> bool:
    """Return whether the policy passes something for which there is no evidence."""
    return bool(outcome.select(INCONCLUSIVE, UNDECIDABLE, FAILING, NO_BASELINE, NOT_COMPARED))


def _rank(row: RowOutcome) -> tuple[bool, float]:
    return mark_of(row) == ACCEPTABLE, measure_cost(row)


def _describe_end(outcome: GateOutcome) -> str:
    """Say how the policy treats undecided or missing rows."""
    relevant = [each for each in outcome.occurrences if each.event not in {ADDED, ACCEPTED, UNUSED}]
    if relevant and outcome.has_passed and outcome.has_baseline:
        return "the policy allows it"
    return "the policy fails it" if outcome.exit_code is ExitCode.INCONCLUSIVE else ""


def _describe_order(findings: Sequence[Finding]) -> str:
    """Say which sides were not measured alternately, or may not have been."""
    orders = [each for each in findings if each.code == "B330"]
    if not orders:
        return ""
    more = f" (and {len(orders) - 1} more)" if len(orders) > 1 else ""
    return printable(f"{orders[0].message.partition(':')[0]}{more} (B330)")


def _describe(row: RowOutcome) -> str:
    rule = row.rule
    cost = describe_cost(row)
    if row.word == WITHIN and rule.target is not None:
        return f"{cost}, target {rule.target.text}"
    if row.word == ACCEPTABLE and rule.target is not None:
        return (
            f"{cost}, within the limit {rule.limit.text}, but target {rule.target.text} not proven"
        )
    return f"{cost}, {say_limit(row)}"


def _count(outcome: GateOutcome) -> str:
    """Count the rows by outcome; empty if there is only one."""
    total = len(outcome.rows)
    words = [word for word in WORDS if outcome.count(word)]
    counts = [(outcome.count(word), say(next(outcome.with_word(word)))) for word in words]
    if total <= 1:
        return ""
    if len(counts) == 1:
        return f"all {total} rows: {counts[0][1]}"
    counted = (
        f"{number} {word}{'s' if word == 'regression' and number > 1 else ''}"
        for number, word in counts
    )
    return f"{total} rows: {', '.join(counted)}"


def _describe_failures(rows: Sequence[RowOutcome]) -> str:
    """Say where the largest share of requests newly fails."""
    return say_failures(max(rows, key=lambda row: row.contrast.failed_variant))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

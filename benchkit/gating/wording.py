"""The gate in words: one sentence first, the same wherever a gate is read as a text.

In: `GateOutcome`. Out: plain texts. Why: terminal, job summary, comment, outputs and JSON hold the
same words; passing because nothing was shown is said, and never looks like passing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.errors import ExitCode
from benchkit.gating.dropped import describe_dropped, say_dropped
from benchkit.gating.outcome import (
    ACCEPTABLE,
    NOT_SHOWN,
    OVER,
    WITHIN,
    WORDS,
    GateOutcome,
    RowOutcome,
    RuleOutcome,
)
from benchkit.tables.wording import FACTOR, name_metric
from benchkit.units import (
    common_scale,
    format_change,
    format_interval,
    format_number,
    format_percent,
    printable,
)

MARKS = {OVER: "✗", NOT_SHOWN: "?", ACCEPTABLE: "△", WITHIN: "✓"}
NO_BASELINE = (
    "There is no baseline: nothing was compared, which does not say that nothing got worse."
)
_PASSES = "the policy lets this pass"
_FAILS = "the policy fails this"


def write_sentence(outcome: GateOutcome) -> str:
    """Say what the gate decided, and by which row.

    Returns
    -------
    str
        A mark and a sentence: ``✗ Over the limit: request_rate of otlp −13.1 %, limit 5%.``
    """
    if not outcome.has_baseline:
        return f"? {NO_BASELINE}"
    if outcome.problem:
        return f"✗ Nothing was compared: {printable(outcome.problem)}."
    blind = [rule for rule in outcome.rules if not rule.has_compared]
    if outcome.exit_code is ExitCode.DATA:
        what = [*map(describe_blind, blind)] or ["Nothing was compared"]
        one = f"1 row {say(outcome.rows[0])}" if len(outcome.rows) == 1 else _count(outcome)
        what += [one if outcome.rows else "", say_dropped(outcome)]
        return f"✗ {'; '.join(filter(None, what))}."
    word = next(word for word in WORDS if outcome.count(word))
    rows = list(outcome.with_word(word))
    worst = max(rows, key=lambda row: (row.newly_fails, measure_cost(row)))
    told = f"{say(worst)}: {_describe(worst)}"
    failed, dropped = _tell_failures(outcome), say_dropped(outcome)
    if failed and word != OVER:
        mark = "?" if outcome.has_passed else "✗"
        parts = [f"{mark} Requests fail: {failed}", told, _count(outcome), dropped]
    elif dropped and word not in {OVER, NOT_SHOWN}:
        parts = [f"? {_raise(dropped)}", told, _count(outcome)]
    else:
        also = failed and f"requests fail: {failed}"
        parts = [f"{MARKS[mark_of(worst)]} {_raise(told)}", also, _count(outcome), dropped]
    parts += [_lower(describe_blind(rule)) for rule in blind]
    if word == NOT_SHOWN or (dropped and word != OVER):
        parts.append(_PASSES if outcome.has_passed else _FAILS)
    return "; ".join(filter(None, parts)) + "."


def say_failures(row: RowOutcome) -> str:
    """Say what share of the requests of each side failed."""
    c = row.contrast
    sides = (c.failed_variant, c.failed_baseline)
    shares = [f"{100 * share:.3g}\N{NO-BREAK SPACE}%" for share in sides]
    return printable(f"{shares[0]} of those of {c.variant}, {shares[1]} of those of {c.baseline}")


def mark_of(row: RowOutcome) -> str:
    """Return the word whose mark a row carries: acceptable without a target is all that is asked.

    Examples
    --------
    >>> MARKS[WITHIN]
    '✓'
    """
    return WITHIN if row.word == ACCEPTABLE and row.rule.target is None else row.word


def say(row: RowOutcome) -> str:
    """Return the word for a row: without a limit, that of its verdict."""
    if not row.rule.is_default:
        return row.word
    return {OVER: "regression", WITHIN: "no regression"}.get(row.word, row.word)


def say_limit(row: RowOutcome) -> str:
    """Say what a row is held against: ``limit 5%``, or the margin where no limit is set."""
    return f"{'margin' if row.rule.is_default else 'limit'} {row.rule.limit.text}"


def describe_blind(outcome: RuleOutcome) -> str:
    """Say what a rule did not find."""
    name = printable(outcome.rule.name)
    if outcome.missing:
        return f"The gate “{name}” found no {_list(list(map(printable, outcome.missing)))}"
    pair = (
        f" for {outcome.rule.pair[1]} against {outcome.rule.pair[0]}" if outcome.rule.pair else ""
    )
    return f"The gate “{name}” compared nothing: no {outcome.rule.label or 'primary row'}" + (
        printable(pair)
    )


def name_row(row: RowOutcome) -> str:
    """Name a row: ``request_rate of otlp on /ping/GRM``."""
    c = row.contrast
    place = " ".join(filter(None, (c.group, c.benchmark)))
    return printable(f"{name_metric(c)} of {c.variant}{f' on {place}' if place else ''}")


def write_cost(row: RowOutcome) -> str:
    """Write the estimated change: ``+4.7 %``, ``33.4×`` or ``+5.4 KiB``."""
    value, limits = row.evidence.value, _shares(row)
    if value is None:
        return "–"
    if row.evidence.is_ratio:
        return format_change(value) if value >= FACTOR else format_percent(value - 1, limits)
    return _amount(value, row)


def write_cost_interval(row: RowOutcome) -> str:
    """Write its interval at ``1 - 2 alpha``, empty where there is none."""
    low, high = row.evidence.low, row.evidence.high
    if low is None or high is None or low == high:
        return ""
    if row.evidence.is_ratio:
        return format_interval(low, high, _shares(row), ratio=row.evidence.value)
    return f"[{_amount(low, row)}, {_amount(high, row)}]"


def measure_cost(row: RowOutcome) -> float:
    """Return how large a share of its limit a row costs, for sorting."""
    evidence, limit = row.evidence, row.rule.limit
    value = evidence.value or 0.0
    change = value - 1 if evidence.is_ratio else value
    cost = -change if row.contrast.better == "higher" else change
    if row.contrast.better == "none":
        cost = abs(change)
    allowed = limit.share if limit.is_relative else limit.value
    return cost / allowed if allowed else cost


def describe_notes(outcome: GateOutcome) -> Iterator[str]:
    """Yield what the reader has to know beyond rows: what `describe_faults` does, rows dropped."""
    yield from describe_faults(outcome)
    for rule in outcome.rules:
        yield from describe_dropped(rule)


def describe_faults(outcome: GateOutcome) -> Iterator[str]:
    """Yield which rules compared nothing, or less than they name, and which are barred."""
    for rule in outcome.rules:
        if outcome.has_baseline and not rule.has_compared:
            yield f"{describe_blind(rule)}."
        if rule.is_barred and rule.rows:
            yield f"The gate “{printable(rule.rule.name)}”: {rule.rows[0].notes[0]}."


def _tell_failures(outcome: GateOutcome) -> str:
    """Say where the largest share of requests newly fails; empty where none does."""
    failing = [row for row in outcome.rows if row.newly_fails]
    worst = max(failing, key=lambda row: row.contrast.failed_variant, default=None)
    return say_failures(worst) if worst else ""


def _describe(row: RowOutcome) -> str:
    rule = row.rule
    told = " ".join(filter(None, (name_row(row), write_cost(row), write_cost_interval(row))))
    if row.word == WITHIN and rule.target is not None:
        return f"{told}, target {rule.target.text}"
    if row.word == ACCEPTABLE and rule.target is not None:
        return f"{told}, inside the limit {rule.limit.text}, target {rule.target.text} not shown"
    return f"{told}, {say_limit(row)}"


def _count(outcome: GateOutcome) -> str:
    """Count the rows by their words; empty where there is but one."""
    total = len(outcome.rows)
    words = [word for word in WORDS if outcome.count(word)]
    counts = [(outcome.count(word), say(next(outcome.with_word(word)))) for word in words]
    if total == 1:
        return ""
    if len(counts) == 1:
        return f"all {total} rows: {counts[0][1]}"
    return f"of {total} rows " + ", ".join(f"{number} {word}" for number, word in counts)


def _shares(row: RowOutcome) -> tuple[float, ...]:
    """Return the changes that rounding must not cross."""
    limits = [limit for limit in (row.rule.target, row.rule.acceptable) if limit is not None]
    shares = [limit.share for limit in limits if limit.is_relative]
    return (0.0, *shares, *(-share for share in shares))


def _amount(value: float, row: RowOutcome) -> str:
    c = row.contrast
    if c.unit == "1" and row.rule.limit.kind == "points":
        return f"{100 * value:+.3g}\N{NO-BREAK SPACE}pp".replace("-", "\N{MINUS SIGN}")
    scale = common_scale([value], c.unit)
    sign = "+" if value > 0 else ""
    unit = f"\N{NO-BREAK SPACE}{scale.label}" if scale.label else ""
    return f"{sign}{format_number(value / scale.factor)}{unit}"


def _list(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _raise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

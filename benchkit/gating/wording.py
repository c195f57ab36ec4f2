"""The gate in words: one sentence first, the same wherever a gate is read as a text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchkit.gating.dropped import describe_dropped
from benchkit.gating.outcome import (
    ACCEPTABLE,
    NOT_SHOWN,
    OVER,
    WITHIN,
    GateOutcome,
    RowOutcome,
    RuleOutcome,
)
from benchkit.intervals import TOO_WIDE, format_ends, format_interval, is_wide_difference
from benchkit.listing import list_names
from benchkit.tables.phrases import phrase_change
from benchkit.tables.wording import format_bare, name_metric, write_amount, write_share
from benchkit.units import (
    FACTOR_DOWN,
    FACTOR_UP,
    format_change,
    printable,
)

MARKS = {OVER: "✗", NOT_SHOWN: "?", ACCEPTABLE: "△", WITHIN: "✓"}


def say_failures(row: RowOutcome) -> str:
    """Say what share of the requests of each side failed."""
    c = row.contrast
    sides = (c.failed_variant, c.failed_baseline)
    bound = "up to " if c.is_failed_bound else ""
    shares = [f"{bound * (share > 0)}{100 * share:.3g}\N{NO-BREAK SPACE}%" for share in sides]
    return printable(f"{shares[0]} of {c.variant}'s, {shares[1]} of {c.baseline}'s")


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
    if row.word == NOT_SHOWN:
        return "inconclusive"
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
        return f"The gate “{name}” found no {list_names(map(printable, outcome.missing))}"
    pair = f" for {outcome.rule.pair[1]} vs. {outcome.rule.pair[0]}" if outcome.rule.pair else ""
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
        return format_change(value, limits)
    return _amount(value, row)


def write_cost_interval(row: RowOutcome) -> str:
    """Write its interval at ``1 - 2 alpha``, empty where there is none."""
    low, high = row.evidence.low, row.evidence.high
    if low is None or high is None or low == high:
        return ""
    if row.evidence.is_ratio:
        return format_interval(low, high, _shares(row), ratio=row.evidence.value)
    if is_wide_difference(low, high, row.contrast.center_baseline):
        return TOO_WIDE
    return f"[{_amount(low, row)}, {_amount(high, row)}]"


def describe_cost(row: RowOutcome) -> str:
    """Say how a row changes: ``otlp serves 13.1 % fewer requests/s than none (90 % CI …)``."""
    c, value = row.contrast, row.evidence.value
    cost, place = write_cost(row), " ".join(filter(None, (c.group, c.benchmark)))
    where = f" on {printable(place)}" if place else ""
    who = printable(c.variant)
    is_same = value == (1 if row.evidence.is_ratio else 0)
    if (
        value is None
        or is_same
        or not (size := cost.lstrip("+±\N{MINUS SIGN}\N{DIVISION SIGN}")).strip(
            "0.\N{NO-BREAK SPACE}%"
        )
    ):
        phrase = f"{who}: no change in {name_metric(c)} from {printable(c.baseline)}"
        return f"{phrase}{where} {_write_sureness(row)}".rstrip()
    is_factor = row.evidence.is_ratio and not FACTOR_DOWN < value < FACTOR_UP
    size += "\N{MULTIPLICATION SIGN}" if is_factor and value < 1 else ""
    phrase = phrase_change(who, c, size, is_factor)
    return f"{phrase}{where} {_write_sureness(row)}".rstrip()


def _write_sureness(row: RowOutcome) -> str:
    """Write the interval at ``1 - 2 alpha`` in the sentence; empty where there is none."""
    low, high, value = row.evidence.low, row.evidence.high, row.evidence.value
    text = write_cost_interval(row)
    if not text or low is None or high is None or value is None:
        return ""
    if text == TOO_WIDE:
        return f"({TOO_WIDE} how much)"
    is_ratio = row.evidence.is_ratio
    ends = format_ends(low, high, value, _shares(row)) if is_ratio else text.strip("[]")
    ends = write_share(row.contrast, ends)
    return f"({format_bare(1 - 2 * (1 - row.contrast.confidence))} CI {ends})"


def measure_cost(row: RowOutcome) -> float:
    """Return how large a share of its limit a row costs, for sorting."""
    cost, allowed = _read_cost(row), _read_allowed(row)
    return cost / allowed if allowed else cost


def measure_suspicion(row: RowOutcome) -> float:
    """Return how far a cost lies beyond its limit, in widths of its interval, for sorting.

    A noisy row costs much by chance, so its size alone says little.
    """
    low, high = row.evidence.low, row.evidence.high
    if low is None or high is None or not 0 < high - low < math.inf:
        return -math.inf
    return (_read_cost(row) - _read_allowed(row)) / (high - low)


def _read_cost(row: RowOutcome) -> float:
    value = row.evidence.value or 0.0
    change = value - 1 if row.evidence.is_ratio else value
    if row.contrast.better == "none":
        return abs(change)
    return -change if row.contrast.better == "higher" else change


def _read_allowed(row: RowOutcome) -> float:
    limit = row.rule.limit
    return limit.share if limit.is_relative else limit.value


def describe_notes(outcome: GateOutcome) -> Iterator[str]:
    """Yield blind and barred rules, and rows that are gone; the sentence names all else."""
    yield from describe_faults(outcome)
    for rule in outcome.rules:
        yield from describe_dropped(rule)


def describe_faults(outcome: GateOutcome) -> Iterator[str]:
    """Yield which rules compared nothing, or less than they name, and which are barred."""
    for rule in outcome.rules:
        if not rule.has_compared:
            yield f"{describe_blind(rule)}."
        if rule.barred and rule.rows:
            yield f"The gate “{printable(rule.rule.name)}”: {rule.barred}."


def _shares(row: RowOutcome) -> tuple[float, ...]:
    """Return the changes that rounding must not cross."""
    limits = [limit for limit in (row.rule.target, row.rule.acceptable) if limit is not None]
    shares = [limit.share for limit in limits if limit.is_relative]
    return (0.0, *shares, *(-share for share in shares))


def _amount(value: float, row: RowOutcome) -> str:
    c = row.contrast
    if c.unit == "1" and row.rule.limit.kind == "points":
        return f"{100 * value:+.3g}\N{NO-BREAK SPACE}pp".replace("-", "\N{MINUS SIGN}")
    sign = "+" if value > 0 else ""
    return f"{sign}{write_amount(value, c.unit)}"


def raise_first(text: str) -> str:
    """Write a clause with a capital letter, unless it begins with the path of a package or URL.

    Examples
    --------
    >>> raise_first("over the limit"), raise_first("example.com/y Put not compared")
    ('Over the limit', 'example.com/y Put not compared')
    """
    return text if "/" in text.partition(" ")[0] else text[:1].upper() + text[1:]

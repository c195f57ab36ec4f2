"""The gate in words: one sentence first, identical in all text outputs.

Clauses about events that concern no row: the same in every output.

Names of what the baseline has and the variant lacks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchkit.comparison import Contrast, Dropped
from benchkit.config.rules import Action
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
    Pair,
)
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
from benchkit.metrics import display_name
from benchkit.tables.phrases import phrase_change
from benchkit.tables.wording import format_bare, name_metric, write_amount, write_share
from benchkit.units import (
    FACTOR_DOWN,
    FACTOR_UP,
    format_change,
    printable,
)

MARKS = {OVER: "✗", NOT_SHOWN: "?", ACCEPTABLE: "△", WITHIN: "✓"}

#: Maximum number of names in the sentence; the rest are counted.
_SHOWN = 3


def say_failures(row: RowOutcome) -> str:
    """Say which share of each side's requests failed."""
    c = row.contrast
    sides = (c.failed_variant, c.failed_baseline)
    bound = "up to " if c.is_failed_bound else ""
    shares = [f"{bound * (share > 0)}{100 * share:.3g}\N{NO-BREAK SPACE}%" for share in sides]
    return printable(f"{shares[0]} of {c.variant}'s, {shares[1]} of {c.baseline}'s")


def mark_of(row: RowOutcome) -> str:
    """Return the outcome that determines a row's mark: acceptable without a target means passed.

    Examples
    --------
    >>> MARKS[WITHIN]
    '✓'
    """
    return WITHIN if row.word == ACCEPTABLE and row.rule.target is None else row.word


def say(row: RowOutcome) -> str:
    """Return the outcome of a row; without a limit, that of its verdict."""
    if row.word == NOT_SHOWN:
        return "inconclusive"
    if not row.rule.is_default:
        return row.word
    return {OVER: "regression", WITHIN: "no regression"}.get(row.word, row.word)


def say_limit(row: RowOutcome) -> str:
    """Say what a row is compared with: ``limit 5%``, or the margin without a limit."""
    return f"{'margin' if row.rule.is_default else 'limit'} {row.rule.limit.text}"


def describe_blind(outcome: RuleOutcome) -> str:
    """Say which names of a rule matched nothing."""
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
    """Write its interval at ``1 - 2 alpha``, empty if there is none."""
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
    """Write the interval at ``1 - 2 alpha`` for the sentence; empty if there is none."""
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
    """Return the share of its limit that a row costs, for sorting."""
    cost, allowed = _read_cost(row), _read_allowed(row)
    return cost / allowed if allowed else cost


def measure_suspicion(row: RowOutcome) -> float:
    """Return how far a cost is above its limit, in widths of its interval, for sorting.

    A noisy row can cost much by chance, so its size alone means little.
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
    """Yield blind and barred rules, and missing rows; the sentence names everything else."""
    yield from describe_faults(outcome)
    for rule in outcome.rules:
        yield from describe_dropped(rule)


def describe_faults(outcome: GateOutcome) -> Iterator[str]:
    """Yield which rules compared nothing or less than they name, and which are barred."""
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
    """Capitalise a clause, unless it begins with a path or URL.

    Examples
    --------
    >>> raise_first("over the limit"), raise_first("example.com/y Put not compared")
    ('Over the limit', 'example.com/y Put not compared')
    """
    return text if "/" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def list_event_texts(outcome: GateOutcome) -> Iterator[tuple[Occurrence, str]]:
    """Yield each event that concerns no row, with its clause."""
    for each in outcome.events:
        yield each, _LEADS[each.event].format(each.text)
    if outcome.problem:
        text = printable(outcome.problem)
        each = Occurrence(event=NOT_COMPARED, action=outcome.problem_action, text=text)
        yield each, f"nothing was compared: {text}"


#: The beginning of a clause about an event that concerns no row.
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


def say_dropped(outcome: GateOutcome, action: Action) -> str:
    """Name in a clause the rows with this action that were not compared."""
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
    """Yield for each pair the rows that a rule would cover and that nobody accepts.

    If there are many, they are counted: JSON and JUnit list each.
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
            f"{metrics}{f' on {list_names(names, _SHOWN)}' if any(names) else ''}"
            for metrics, names in alike.items()
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

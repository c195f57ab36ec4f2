"""The verdict as text: one sentence first, then at most three bullets.

Terminal, Markdown, HTML, JSON and JUnit begin with the same sentence. Undecided rows are described
as inconclusive, with the changes that are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.comparison import DIRECTIONS
from benchkit.listing import list_first, list_names
from benchkit.metrics import display_name, lookup
from benchkit.sensitivity import sum_up
from benchkit.tables.average import describe_undecided
from benchkit.tables.clauses import Clause, write_clauses
from benchkit.tables.phrases import measure_size, name_cell, name_cells, name_kind
from benchkit.tables.wording import (
    MARKS,
    name_metric,
    name_variant,
    write_change,
    write_interval,
)
from benchkit.units import format_change, printable
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
    Verdict,
    Verdicts,
)

_WORDS = 35
_BULLETS = 3
#: Maximum number of metrics that the sentence names without a number.
_NAMED = 2
#: Maximum number of variants without a value that the sentence names.
_LISTED = 6
_SHOWN = {REGRESSION, IMPROVEMENT, CHANGED}
#: The most severe verdict determines the mark of the sentence.
_GRAVEST = (REGRESSION, INCONCLUSIVE, CHANGED, IMPROVEMENT, EQUIVALENT, UNCHANGED)


def headline(verdicts: Verdicts) -> str:
    """Summarise the comparison in one sentence of about 35 words.

    Returns
    -------
    str
        A mark and a sentence: ``▲ otlp serves 13.1 % fewer requests/s than none (95 % CI 11.1–14.8
        %); 8 runs each.`` The mark is that of the most severe verdict.
    """
    clauses = _order(write_clauses(verdicts))
    unread = say_lacking(verdicts)
    if not clauses:
        guidance = (
            "~ No verdict: the two sides have no primary metric in common. Choose one of the "
            "metrics below with --metric, or metrics= in Python."
        )
        return f"{guidance} {unread[:1].upper()}{unread[1:]}." if unread else guidance
    kept, left = _fit(clauses)
    sentence = "; ".join(clause.text for clause in kept)
    more = f"{_list_metrics(left, kept)}: see below" if left else ""
    runs = "" if all(clause.is_single for clause in kept) else _count_runs(verdicts.primary)
    words = {row.word for row in verdicts.primary}
    mark = MARKS[next(word for word in _GRAVEST if word in words)]
    return f"{mark} {'; '.join(filter(None, (sentence, runs, more, unread)))}."


def _count_runs(rows: Sequence[Verdict]) -> str:
    """State the number of runs behind the sentence: ``8 runs each``."""
    counts = {n for row in rows for n in (row.contrast.n_baseline, row.contrast.n_variant)}
    if len(counts) == 1:
        return "1 run each" if counts == {1} else f"{counts.pop()} runs each"
    return f"{min(counts)} to {max(counts)} runs each"


def say_lacking(verdicts: Verdicts) -> str:
    """Name the variants that the sentence cannot cover, because none of their values was read.

    Returns
    -------
    str
        ``no readable request_rate: skywalking, zipkin``; empty if none is missing.
    """
    missing: dict[str, list[str]] = {}
    for variant, names in sorted(verdicts.comparisons.lacking.items()):
        what = f"readable {display_name(*names[0])}" if names else "measured run"
        missing.setdefault(what, []).append(printable(variant))
    return "; ".join(f"no {what}: {list_first(names, _LISTED)}" for what, names in missing.items())


def _list_metrics(clauses: Sequence[Clause], named: Sequence[Clause]) -> str:
    """Name the metrics without room in the sentence, with variants if it mentions the metric."""
    known = {clause.metric for clause in named}
    names = list(
        dict.fromkeys(
            f"{c.metric} of {c.variant}" if c.variant and c.metric in known else c.metric
            for c in clauses
        )
    )
    rest = len(names) - _NAMED
    if rest > 1:
        return f"{', '.join(names[:_NAMED])} and {rest} others"
    return list_names(names)


def bullets(verdicts: Verdicts, caveats: Sequence[str] = ()) -> tuple[str, ...]:
    """List what does not fit the sentence: more costs, undecided rows, other changes.

    Parameters
    ----------
    caveats : sequence of str, optional
        What a reader must know before the sentence.

    Returns
    -------
    tuple of str
        At most three.
    """
    _, left = _fit(_order(write_clauses(verdicts)))
    lines = (*caveats, _say_drift(verdicts), _say_unknown(verdicts), _say_exploratory(verdicts))
    items = [f"{MARKS[clause.word]} {clause.text}." for clause in left]
    rest = [line for line in lines if line][: _BULLETS - 1 if items else _BULLETS]
    room = _BULLETS - len(rest)
    if len(items) > room:
        items = [*items[: room - 1], " ".join(items[room - 1 :])]
    return (*items, *rest)


def _order(clauses: Sequence[Clause]) -> list[Clause]:
    """Put metrics with a regression first, then with other changes; keep each metric together."""
    words: dict[str, set[str]] = {}
    for clause in clauses:
        words.setdefault(clause.metric, set()).add(clause.word)

    def rank(clause: Clause) -> tuple[bool, bool, bool]:
        its = words[clause.metric]
        return REGRESSION not in its, not its & _SHOWN, INCONCLUSIVE not in its

    return sorted(clauses, key=rank)


def _fit(clauses: Sequence[Clause]) -> tuple[list[Clause], list[Clause]]:
    """Keep as many whole clauses as fit the sentence, but at least the first."""
    words = 0
    for index, clause in enumerate(clauses):
        words += len(clause.text.split(" "))
        if index and words > _WORDS:
            return list(clauses[:index]), list(clauses[index:])
    return list(clauses), []


def _say_drift(verdicts: Verdicts) -> str:
    """List the changes in the sentence that drift of the machine has moved, and their values."""
    moved = [row for row in verdicts.primary if row.contrast.drift is not None]
    if not moved:
        return ""
    changes = [
        f"{_name_row(row, verdicts.primary, verdicts)} {format_change(1 + drift.change)}, "
        f"not {format_change(1 + drift.plain)}"
        for row in moved[:_BULLETS]
        if (drift := row.contrast.drift) is not None
    ]
    more = f" (and {len(moved) - _BULLETS} more)" if len(moved) > _BULLETS else ""
    rest = f"{'; '.join(changes)}{more}"
    return f"The runs drift (B332). After a linear trend is removed, the change is: {rest}."


def _say_unknown(verdicts: Verdicts) -> str:
    rows = [row for row in verdicts.primary if row.word == INCONCLUSIVE]
    if not rows:
        return ""
    if all(row.contrast.method in DIRECTIONS for row in rows):
        return _ask_for_runs(rows, verdicts)
    together = describe_undecided(verdicts)
    answer = f" {together[0].upper()}{together[1:]}." if together else ""
    if len(rows) == 1:
        return f"{_say_one(rows[0], verdicts)}{answer}"
    total = len(verdicts.primary)
    every = "both" if total == 2 else f"all {total}"
    count = every if len(rows) == total else f"{len(rows)} of {total}"
    count = f"{count[0].upper()}{count[1:]} primary rows are inconclusive"
    lacks = sum_up([row.sensitivity for row in rows])
    return f"{'; '.join(filter(None, (count, lacks)))}.{answer}"


def _ask_for_runs(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """State how many runs rows without an interval need, and name the rows if not all need them."""
    hardest = max((row.runs_needed for row in rows if row.runs_needed), default=None)
    if not hardest:
        return ""
    if len(rows) == len(verdicts.primary):
        return f"Run each side at least {hardest} times for a verdict."
    where = "; ".join(_list_rows(rows, verdicts))
    return f"{where}: direction only; run each side at least {hardest} times for a verdict."


def _list_rows(rows: Sequence[Verdict], verdicts: Verdicts) -> list[str]:
    """Name rows by metric and variant, with the benchmarks of each together."""

    def name(row: Verdict) -> str:
        return f"{name_variant(row.contrast, verdicts)}, {name_metric(row.contrast)}"

    parts = []
    for each in dict.fromkeys(map(name, rows)):
        few = [row for row in rows if name(row) == each]
        cells = name_cells(few, [row for row in verdicts.primary if name(row) == each])
        kind = f" {name_kind(few)}" if cells == str(len(few)) else ""
        parts.append(f"{each} on {cells}{kind}")
    return parts


def _say_one(row: Verdict, verdicts: Verdicts) -> str:
    c, margin = row.contrast, verdicts.margin
    where = _name_row(row, verdicts.primary, verdicts)
    change = f"{write_change(c, margin)} {write_interval(c, margin)}".removesuffix(" –")
    needs = row.notes[-1] if row.notes else ""
    return f"Inconclusive: {where}, {change}; {needs}."


def _name_row(row: Verdict, rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    c = row.contrast
    same = [r for r in rows if name_metric(r.contrast) == name_metric(c)]
    cells = {(r.contrast.group, r.contrast.benchmark, r.contrast.params) for r in same}
    place = f" on {name_cell(c, [r for r in same if r.contrast.variant == c.variant])}"
    return f"{name_variant(c, verdicts)}, {name_metric(c)}{place if len(cells) > 1 else ''}"


def _say_exploratory(verdicts: Verdicts) -> str:
    rows = [row for row in verdicts.rows if not row.contrast.primary]
    moved = [row for row in rows if row.word in _SHOWN]
    if not moved:
        return ""
    verb = "differs" if len(moved) == 1 else "differ"
    counted = f"Secondary metrics (not part of the verdict): {len(moved)} of {len(rows)} {verb}"
    alike = _find_alike(moved)
    largest = max(alike, key=lambda row: measure_size(row.contrast))
    metric = printable(lookup(largest.contrast.metric).display or largest.contrast.metric)
    among = f" in {metric}" if 1 < len(alike) < len(moved) else ""
    name = _name_row(largest, rows, verdicts)
    if among and name_metric(largest.contrast) == metric:
        name = name.replace(f", {metric}", "", 1)
    return f"{counted}; largest{among}: {name} {write_change(largest.contrast, verdicts.margin)}."


def _find_alike(rows: Sequence[Verdict]) -> list[Verdict]:
    """Return the largest group of comparable changes: same metric, direction and scale."""
    kinds: dict[tuple[object, ...], list[Verdict]] = {}
    for row in rows:
        c = row.contrast
        kind = c.metric, c.unit, c.better, row.word, c.delta > 0, c.ratio is None
        kinds.setdefault(kind, []).append(row)
    return max(kinds.values(), key=len)

"""Rows that no measured value could decide: too few runs, another machine, or no test at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchkit.audit.facts import name_side
from benchkit.audit.names import list_partly_missing
from benchkit.audit.sides import (
    OTHER_ANSWERS,
    have_other_connections,
    is_rate,
    list_connections,
    list_other_loads,
)
from benchkit.comparison import (
    DIRECTIONS,
    EXACT,
    HISTORY,
    REFUSED,
    SINGLE,
    Adjusted,
    Comparisons,
    Contrast,
    Dropped,
    count_runs,
)
from benchkit.comparison.families import is_constant, refuse_all
from benchkit.comparison.files import count_concurrent
from benchkit.comparison.limits import find_smallest_over
from benchkit.config.rules import Rule
from benchkit.derived.record import keep, keep_measured, list_settings
from benchkit.errors import Finding
from benchkit.gating.events import UNDECIDABLE, Action, Occurrence, Pair
from benchkit.gating.outcome import NOT_SHOWN, OVER, GateOutcome, RowOutcome
from benchkit.ingestion.origins import names_elsewhere
from benchkit.ingestion.relabelled import INGESTED_FOR
from benchkit.labels.shards import SHARD, SHARDS
from benchkit.listing import list_names
from benchkit.schema import Side, list_labels
from benchkit.units import printable
from benchkit.verdict import FAILING, Verdict, is_failing

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Adjusts the p-values of t-tests, the only ones for runs that do not vary.
_BY_T = frozenset({"holm-welch", "holm-paired"})
#: Maximum number of runs that a reason names.
_SHOWN = 3
OF_CONNECTIONS = frozenset(("request_rate", "latency"))
OTHER_CONNECTIONS = (
    "the sides had different numbers of connections or virtual users, on which rates and latencies "
    "of a closed loop depend, or one side is an open loop (B216)"
)
_NO_PRIMARY = (
    "the sides have no primary metric in common, so nothing was judged; name one in a rule "
    "([[gate]])"
)
_OTHER_LOADS = "the sides carried different loads, so their latencies are not comparable (B315)"


def describe_elsewhere(findings: Sequence[Finding]) -> str:
    """Say that the runs belong to another CI run, whose code may differ."""
    return next((f"{f.message}; {f.remedy}" for f in findings if names_elsewhere(f)), "")


def list_elsewhere(
    findings: Sequence[Finding], contested: Mapping[str, Sequence[str]]
) -> tuple[Occurrence, ...]:
    """Return the decision for a CI run that measured nothing, while several others did: none."""
    why = describe_elsewhere(findings) if contested else ""
    return (Occurrence(event=UNDECIDABLE, action="fail", text=printable(why)),) if why else ()


def describe_unfit(rule: Rule, contrast: Contrast, unlike: Mapping[Pair, str]) -> str:
    """Say why a row can show nothing; empty if it can."""
    if is_failing(contrast):
        return FAILING
    if contrast.other_answers:
        return printable(f"{contrast.other_answers}: not comparable ({OTHER_ANSWERS})")
    if contrast.method == EXACT:
        return ""
    if not rule.allow_other_machine and (contrast.baseline, contrast.variant) in unlike:
        return (
            f"{unlike[contrast.baseline, contrast.variant]}; to count it anyway, set "
            "allow_other_machine"
        )
    fewest = min(contrast.n_baseline, contrast.n_variant)
    if contrast.method == SINGLE and fewest >= rule.min_runs:
        return "; ".join(contrast.notes)
    runs = "1 run" if fewest == 1 else f"{fewest} runs"
    few = f"{runs} on a side, but the policy requires {rule.min_runs}"
    return few if fewest < rule.min_runs else ""


def describe_undecidable(verdict: Verdict) -> str:
    """Say why an inconclusive row could not have been decided; empty if it could."""
    sensitivity = verdict.sensitivity
    is_closed = sensitivity.least is not None
    if is_closed or verdict.contrast.method in {*DIRECTIONS, REFUSED, HISTORY}:
        return sensitivity.note or "no test"
    is_below = verdict.contrast.ratio is None and verdict.contrast.center_baseline < 0
    return verdict.obstacle if is_below else ""


def list_unjudged(comparisons: Comparisons, action: Action) -> Iterator[Occurrence]:
    """Yield the loads for which both sides have a rate but no primary metric: no row is gated.

    This happens if no run records the load model, or if an open loop's report has no median
    latency.
    """
    rows: tuple[Contrast | Dropped, ...] = (*comparisons.contrasts, *comparisons.dropped)
    judged = {(row.workload, row.baseline, row.variant) for row in rows if row.primary}
    for c in comparisons.contrasts:
        if is_rate(c) and (c.workload, c.baseline, c.variant) not in judged:
            text = printable(": ".join((name_side(c.side), _NO_PRIMARY)))
            pair = (c.baseline, c.variant)
            yield Occurrence(event=UNDECIDABLE, action=action, text=text, pair=pair)


def find_closed_rows(
    rows: Sequence[RowOutcome], adjusted: Sequence[Adjusted | None], alpha: float
) -> Iterator[str]:
    """Yield for each row why none of its values could show it over the limit; empty if some can."""
    family = [how.pvalue for how in adjusted if how]
    holm = [row for row, how in zip(rows, adjusted, strict=True) if how and how.method == "holm"]
    pvalues = [row.p_over for row in holm if row.p_over is not None]
    refused = refuse_all(pvalues, [find_smallest_over(row.contrast) for row in holm], alpha)
    closed = {id(row) for row, no in zip(holm, refused, strict=True) if no}
    closed |= {
        id(row)
        for row, how in zip(rows, adjusted, strict=True)
        if how and how.method in _BY_T and how.pvalue > alpha and is_constant(row.contrast)
    }
    for row in rows:
        c = row.contrast
        runs = f"{c.n_baseline} + {c.n_variant} runs"
        together = f" when {len(family)} rows are tested together" if len(family) > 1 else ""
        needed = count_runs(c, len(family), 2 * alpha) if id(row) in closed else 0
        advice = f"cannot reach p ≤ {alpha:.2g}{together}: make at least {needed} runs per side"
        yield f"{runs} {advice}" if needed else ""


def undecide_rows(outcome: GateOutcome, comparisons: Comparisons, runs: Runs) -> GateOutcome:
    """Return an outcome in which rows show nothing if their runs do not measure the variant.

    These are latencies of open loops at different loads, and rates and latencies of closed loops
    with different connections, whatever they show. Unless they are over the limit, they also
    include runs of an earlier commit than the ingest was for, benchmarks of which the variant lost
    some runs or generators, and runs that overlapped in time.
    """
    known = read_connections(runs)
    sides = (labels.side for labels in list_labels(runs))
    models = dict(zip(sides, runs["load_model"].tolist(), strict=True))
    places = {(c.side, c.baseline) for c in list_other_loads(comparisons, models)}
    losses = list_partly_missing(comparisons, runs)
    unfit = _describe_earlier(runs) | _describe_incomplete(runs)
    concurrent = _describe_concurrent(runs)

    def settle(row: RowOutcome) -> RowOutcome:
        c = row.contrast
        why = ""
        if row.word != OVER:
            loss = losses.get((c.workload, (c.baseline, c.variant)), "")
            at_once = (
                concurrent.get(c.workload.side(name), "") for name in (c.baseline, c.variant)
            )
            reasons = (unfit.get(c.side, ""), f"{loss} (B345)" if loss else "", *at_once)
            why = next(filter(None, reasons), "")
        if c.metric == "latency" and (c.side, c.baseline) in places:
            why = _OTHER_LOADS
        baseline = c.workload.side(c.baseline)
        if c.metric in OF_CONNECTIONS and have_other_connections(known, baseline, c.side):
            why = OTHER_CONNECTIONS
        if not why:
            return row
        notes = tuple(dict.fromkeys((why, *row.notes)))
        return replace(
            row, word=NOT_SHOWN, undecided=why, notes=notes, accepted=None, runs_needed=None
        )

    rules = (replace(rule, rows=tuple(map(settle, rule.rows))) for rule in outcome.rules)
    is_unfit = bool(places or losses or known or unfit or concurrent)
    return replace(outcome, rules=tuple(rules)) if is_unfit else outcome


def _describe_incomplete(runs: Runs) -> dict[Side, str]:
    """Say which runs of a side were set aside because some of their generators have no results."""
    parts = keep(runs, runs["role"] == "part")
    lost: dict[Side, set[int]] = {}
    for *labels, number, env in list_settings(parts, *Side._fields, "run"):
        if SHARD in env or SHARDS in env:
            lost.setdefault(Side(*labels), set()).add(number)
    return {
        side: printable(
            f"run{'s' * (len(numbers) > 1)} {list_names(map(str, sorted(numbers)), _SHOWN)} of "
            f"'{side.variant}' lack{'s' * (len(numbers) == 1)} results of some generators (B213)"
        )
        for side, numbers in lost.items()
    }


def _describe_concurrent(runs: Runs) -> dict[Side, str]:
    return {
        side: printable(f"{files} files of '{side.variant}' were measured at the same time (B217)")
        for side, files in count_concurrent(runs).items()
    }


def read_connections(runs: Runs) -> dict[Side, set[float]]:
    """Return the connections of each side whose runs all record them, like `list_connections`."""
    measured = keep_measured(runs)
    sides = (labels.side for labels in list_labels(measured))
    numbers = (
        number if isinstance(number, int | float) else None
        for number in measured["connections"].tolist()
    )
    return list_connections(zip(sides, numbers, measured["load_model"].tolist(), strict=True))


def _describe_earlier(runs: Runs) -> dict[Side, str]:
    """Say which sides were ingested again unchanged, although for a later commit."""
    measured = keep_measured(runs)
    reasons: dict[Side, str] = {}
    for *labels, env in list_settings(measured, *Side._fields):
        side = Side(*labels)
        if later := env.get(INGESTED_FOR):
            reasons[side] = printable(
                f"the runs of '{side.variant}' are unchanged since commit {env['commit']}, "
                f"though they were ingested for {later}: measure them again"
            )
    return reasons

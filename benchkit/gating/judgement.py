"""Judgement of each row by its rule, for all rules of a gate together.

"Over" is claimed for many rows at once and is adjusted for that; "within" has to hold for every row
and needs no adjustment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from benchkit.comparison import (
    EXACT,
    Adjusted,
    Comparisons,
    Contrast,
)
from benchkit.comparison.limits import LimitEvidence, decide_limits, find_ratios, measure_limit
from benchkit.comparison.series import DECIDED
from benchkit.config.limits import Limit
from benchkit.config.rules import Habits, Rule
from benchkit.errors import Finding
from benchkit.gating.events import Pair
from benchkit.gating.exactness import is_exact, is_worse
from benchkit.gating.matching import Valid, find_idle, match, match_dropped
from benchkit.gating.outcome import (
    ACCEPTABLE,
    NOT_SHOWN,
    OVER,
    WITHIN,
    GateOutcome,
    RowOutcome,
    RuleOutcome,
)
from benchkit.gating.undecidable import (
    describe_elsewhere,
    describe_undecidable,
    describe_unfit,
    find_closed_rows,
)
from benchkit.intervals import TOO_WIDE, format_size, is_wide
from benchkit.stats.power import runs_to_show_equivalence
from benchkit.stats.sample import ROUNDING
from benchkit.tables.wording import name_adjustment
from benchkit.units import format_pvalue
from benchkit.verdict import (
    CHANGED,
    INCONCLUSIVE,
    REGRESSION,
    Verdict,
    Verdicts,
    excludes_cost,
)

#: The reason why nothing is shown if the order of the runs decides: see
#: `audit.order.take_out_drift`.
_TURNED = (
    "the runs drift, and without the drift the outcome would be different: alternate between the "
    "variants"
)
#: The reason why a change that `compare` shows is not a regression.
_AIMLESS = "the value changed, but benchkit does not know whether higher or lower is better"
_ALONE = "the interval is for this row alone"
#: The default rule without a limit.
DEFAULT = "no regression"


def judge_rules(
    comparisons: Comparisons,
    rules: Sequence[Rule],
    findings: Sequence[Finding] = (),
    pairs: Sequence[Pair] = (),
    unlike: Mapping[Pair, str] | None = None,
    named: Sequence[Pair] = (),
    acceptances: Callable[[Rule], Valid] = lambda _: (),
) -> GateOutcome:
    """Judge every row by the rules.

    Parameters
    ----------
    findings : sequence of Finding
        If one has a severity that a rule excludes, the rule fails and only shows what is over its
        limit.
    pairs : sequence of (baseline, variant)
        Those that a rule without a pair covers; all by default.
    unlike : mapping of pair to text, optional
        Pairs whose sides were measured on different machines, and how these differ.
    named : sequence of (baseline, variant)
        Those requested by name: a rule without a pair that compares nothing of one of them is
        blind.
    acceptances : callable
        Returns the accepted regressions of a rule that are still valid.

    Notes
    -----
    Over the limit: the one-sided test of "costs no more than the limit", p adjusted over all
    rows of the gate, at most alpha. Acceptable and within target: the one-sided test of "costs
    that much or more" for the limit and for the target, unadjusted, since all rows have to pass
    (intersection-union) [1]_. Otherwise not shown.

    References
    ----------
    .. [1] R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling",
       Technometrics 24 (1982) 295-300.
    """
    alpha = 1 - comparisons.confidence
    held: list[RuleOutcome] = []
    for rule in rules:
        contrasts, missing = match(rule, comparisons.contrasts, pairs, named)
        why = describe_elsewhere(findings)
        rows = tuple(_hold(rule, contrast, why, unlike or {}) for contrast in contrasts)
        dropped = match_dropped(rule, comparisons.dropped, pairs)
        held.append(
            RuleOutcome(
                rule=rule, rows=rows, missing=missing, dropped=dropped,
                barred=_describe_barred(rule, findings), acceptances=acceptances(rule),
            )
        )  # fmt: skip
    every = [row for outcome in held for row in outcome.rows]
    held_rows = [(row.contrast, row.rule.limit, row.evidence) for row in every]
    decisions = decide_limits(held_rows, comparisons.confidence, comparisons.method)
    adjusted = iter(decisions)
    closed = find_closed_rows(every, decisions, alpha)
    decided = tuple(
        replace(
            outcome,
            rows=tuple(
                _settle(outcome, _decide(row, next(adjusted), next(closed), alpha))
                for row in outcome.rows
            ),
        )
        for outcome in held
    )
    return GateOutcome(rules=decided, confidence=comparisons.confidence)


def judge_verdicts(
    verdicts: Verdicts,
    habits: Habits,
    findings: Sequence[Finding] = (),
    unlike: Mapping[Pair, str] | None = None,
    named: Sequence[Pair] = (),
    acceptances: Callable[[Rule], Valid] = lambda _: (),
) -> GateOutcome:
    """Without a limit, judge by the verdicts on the primary and exact rows.

    Parameters
    ----------
    unlike : mapping of pair to text, optional
    named : sequence of (baseline, variant)
    acceptances : callable
        As in `judge_rules`.

    Returns
    -------
    GateOutcome
        One rule: a regression is over the limit. Equivalence, an improvement, and a row that
        excludes a cost of the margin, whatever it may gain, are within the target.
    """
    gated = [v for v in verdicts.rows if v.contrast.primary or is_exact(v.contrast)]
    outcome = _hold_margin(verdicts, gated, habits, findings, unlike or {}, acceptances)
    dropped = tuple(row for row in verdicts.comparisons.dropped if row.primary or is_exact(row))
    missing = find_idle([row.contrast for row in outcome.rows], named)
    rows = tuple(_settle(outcome, row) for row in outcome.rows)
    outcome = replace(outcome, rows=rows, missing=missing, dropped=dropped)
    return GateOutcome(rules=(outcome,), confidence=verdicts.comparisons.confidence)


def judge_exact(
    verdicts: Verdicts,
    habits: Habits,
    rules: Sequence[RuleOutcome],
    findings: Sequence[Finding] = (),
    unlike: Mapping[Pair, str] | None = None,
    acceptances: Callable[[Rule], Valid] = lambda _: (),
) -> tuple[RuleOutcome, ...]:
    """Judge the exact rows that no rule covers: only those that got worse are rows of the gate."""
    held = {id(row.contrast) for outcome in rules for row in outcome.rows}
    free = [v for v in verdicts.rows if is_exact(v.contrast) and id(v.contrast) not in held]
    outcome = _hold_margin(verdicts, free, habits, findings, unlike or {}, acceptances)
    worse = tuple(_settle(outcome, row) for row in outcome.rows if row.word == OVER)
    return (replace(outcome, rows=worse),) if worse else ()


def _hold_margin(
    verdicts: Verdicts, rows: Sequence[Verdict], habits: Habits, findings: Sequence[Finding],
    unlike: Mapping[Pair, str], acceptances: Callable[[Rule], Valid],
) -> RuleOutcome:  # fmt: skip
    """Judge rows by the default rule; none is final yet."""
    margin = Limit("percent", verdicts.margin, "", f"{100 * verdicts.margin:g}%")
    rule = Rule(name=DEFAULT, metric="", acceptable=margin, **habits.of_rules)
    why = describe_elsewhere(findings)
    return RuleOutcome(
        rule=rule, rows=tuple(_convert(rule, habits, row, why, unlike) for row in rows),
        barred=_describe_barred(rule, findings), acceptances=acceptances(rule),
    )  # fmt: skip


def _settle(outcome: RuleOutcome, row: RowOutcome) -> RowOutcome:
    """Apply the policy's acceptance to a row; a barred rule only reports failures."""
    accepted = outcome.find_acceptance(row.contrast) if row.word == OVER else None
    if accepted is not None:
        row = replace(row, accepted=accepted, notes=(f"accepted {accepted.text}", *row.notes))
    if not outcome.barred or (row.word == OVER and outcome.fails(row)):
        return row
    notes = tuple(dict.fromkeys((outcome.barred, *row.notes)))
    return replace(
        row, word=NOT_SHOWN, undecided=outcome.barred, notes=notes, accepted=None, runs_needed=None
    )


def _convert(
    rule: Rule, habits: Habits, verdict: Verdict, elsewhere: str, unlike: Mapping[Pair, str]
) -> RowOutcome:
    c = verdict.contrast
    inner = (c.equivalence_low, c.equivalence_high) if c.ratio else c.difference_inner
    evidence = LimitEvidence(
        p_over=c.pvalue, p_within=None, is_exact=c.method == EXACT,
        is_ratio=c.ratio is not None, value=c.shift if c.ratio is None else c.ratio,
        low=inner[0], high=inner[1],
    )  # fmt: skip
    why = elsewhere or describe_unfit(rule, c, unlike)
    turned = _TURNED if not why and _is_turned(rule.limit, c) else ""
    word, notes, undecided = WITHIN, verdict.notes, why
    is_open = verdict.word == INCONCLUSIVE and not excludes_cost(c, rule.limit.value)
    if why or turned or is_open or verdict.word == CHANGED:
        aimless = _AIMLESS if verdict.word == CHANGED else ""
        reasons = filter(None, (why, turned, aimless))
        word, notes = NOT_SHOWN, tuple(dict.fromkeys((*reasons, *verdict.notes)))
        undecided = why or aimless or ("" if turned else describe_undecidable(verdict))
    elif verdict.word == REGRESSION:
        word = OVER
    if not why and is_worse(c):
        word, undecided = OVER, ""
    return RowOutcome(
        rule=rule, contrast=c, word=word, evidence=evidence, p_over=verdict.p_adjusted,
        runs_needed=verdict.runs_needed, notes=notes, undecided=undecided,
        adjustment=verdict.adjustment,
        action="fail" if c.primary else habits.exact,
    )  # fmt: skip


def _hold(rule: Rule, contrast: Contrast, elsewhere: str, unlike: Mapping[Pair, str]) -> RowOutcome:
    """Collect the evidence; the outcome is not known before all rows of the gate are."""
    evidence = measure_limit(contrast, rule.limit)
    why = elsewhere or describe_unfit(rule, contrast, unlike)
    turned = _TURNED if not why and _is_turned(rule.limit, contrast) else ""
    if not (why or turned or evidence.is_exact) and evidence.p_over is None:
        why = "; ".join((*evidence.notes, *contrast.notes)) or "no test"
    if why or turned:
        evidence = replace(evidence, p_over=None, p_within=None)
    return RowOutcome(
        rule=rule, contrast=contrast, word=NOT_SHOWN, evidence=evidence, p_over=evidence.p_over,
        notes=tuple(filter(None, (why, turned))), undecided=why,
    )  # fmt: skip


def _describe_barred(rule: Rule, findings: Sequence[Finding]) -> str:
    """Name the findings that fail the rule; empty if there are none."""
    codes = dict.fromkeys(f.code for f in findings if f.severity in rule.no_findings)
    if not codes:
        return ""
    return f"the policy forbids findings of severity {' and '.join(rule.no_findings)}: " + (
        ", ".join(codes)
    )


def _is_turned(limit: Limit, contrast: Contrast) -> bool:
    """Return whether a linear trend over the session moves a change across the limit."""
    drift, ratio = contrast.drift, contrast.ratio
    if drift is None or ratio is None or not limit.is_relative:
        return False
    rooms = [_measure_room(limit, contrast, estimate) for estimate in (ratio, 1 + drift.change)]
    return (rooms[0] < 0) != (rooms[1] < 0)


def _decide(row: RowOutcome, how: Adjusted | None, closed: str, alpha: float) -> RowOutcome:
    p_over = how.pvalue if how else row.p_over
    level = alpha * ROUNDING
    evidence, rule = row.evidence, row.rule
    notes = [*row.notes, *row.contrast.notes, *evidence.notes]
    if how and how.method != "holm":
        notes.append(f"the limit is tested by {name_adjustment(how.method)}; {_ALONE}")
    needed, undecided = None, row.undecided
    if p_over is not None and p_over <= level:
        word = OVER
    elif evidence.p_within is not None and evidence.p_within <= level:
        word = _tier(row, level)
        if word == ACCEPTABLE and rule.target is not None:
            notes.append(
                f"these runs do not prove that the cost is within the target {rule.target.text}"
            )
    else:
        word = NOT_SHOWN
        if evidence.p_over is not None and evidence.p_over <= level and p_over is not None:
            alone, among = format_pvalue(evidence.p_over), format_pvalue(p_over)
            notes.append(
                f"over the limit on its own (p {alone}), but not after adjustment for all rows (p "
                f"{among})"
            )
            undecided = undecided or closed
        elif closed:
            undecided = undecided or closed
            notes.append(closed)
        else:
            needed, reasons = _describe_needed(row, alpha)
            notes += reasons
    return replace(
        row, word=word, p_over=p_over, adjustment=how.method if how else "", runs_needed=needed,
        notes=tuple(dict.fromkeys(notes)), undecided=undecided if word == NOT_SHOWN else "",
    )  # fmt: skip


def _tier(row: RowOutcome, level: float) -> str:
    """Return which of the limits holds, given that the limit itself is shown to hold."""
    rule = row.rule
    if rule.target is None:
        return ACCEPTABLE
    if rule.acceptable is None:
        return WITHIN
    p_target = measure_limit(row.contrast, rule.target).p_within
    return WITHIN if p_target is not None and p_target <= level else ACCEPTABLE


def _describe_needed(row: RowOutcome, alpha: float) -> tuple[int | None, list[str]]:
    """Say what is not excluded, and how many runs would show that nothing is lost."""
    c, evidence, limit = row.contrast, row.evidence, row.rule.limit
    if evidence.p_within is None or not evidence.is_ratio:
        return None, []
    if evidence.low is None or evidence.high is None:
        few = "too few runs for an interval"
        return None, [_advise_series(c, limit) if c.stopping else f"{few}: make more runs per side"]
    worst = evidence.high - 1 if c.better != "higher" else evidence.low - 1
    is_vague = evidence.low > 0 and is_wide(evidence.low, evidence.high)
    notes = [TOO_WIDE if is_vague else f"the cost may be up to {format_size(worst)}"]
    if c.stopping:
        return None, [*notes, _advise_series(c, limit)]
    if not limit.is_relative or limit.share <= 0 or c.ratio_low is None or c.ratio_high is None:
        return None, notes
    width = (math.log(c.ratio_high) - math.log(c.ratio_low)) / 2
    needed, why = _count_runs(row, width, alpha)
    return needed, [*notes, why]


def _advise_series(contrast: Contrast, limit: Limit) -> str:
    """Say what helps a row of an early-stopping series, to which runs must not be added."""
    begin = "continue the early-stopping series while it has rounds left, else start"
    if any(note.startswith(DECIDED) for note in contrast.notes):
        begin = "later rounds of this series do not change a decided row; start"
    by = f" with --margin {100 * limit.share:g}%" if limit.is_relative and limit.share > 0 else ""
    return f"{begin} a new one with more rounds (--max-rounds) in an empty folder{by}"


def _count_runs(row: RowOutcome, half_width: float, alpha: float) -> tuple[int | None, str]:
    """Return the runs per side that would usually show that a row's cost is within the limit.

    They assume a cost of zero; if there are already as many, the estimated cost.
    """
    c, limit = row.contrast, row.rule.limit
    room = _measure_room(limit, c, row.evidence.value or 1.0)
    if room <= 0:
        return None, "the estimate is over the limit, but not clearly; add runs"
    n = 2 / (1 / c.n_baseline + 1 / c.n_variant)
    whole = math.expm1(_measure_room(limit, c, 1.0))
    needed = runs_to_show_equivalence(half_width, n, whole, confidence=1 - alpha)
    if needed is None:
        return None, "the spread is too large for any practical number of runs"
    if needed > n:
        return needed, (f"if there is no cost, about {needed} runs per side would show that")
    near = runs_to_show_equivalence(half_width, n, math.expm1(room), confidence=1 - alpha)
    if near is None:
        near_it = f"the estimate is too close to {limit.text}"
        return (
            None,
            f"{needed} runs per side would usually be enough if there were no cost, but {near_it}",
        )
    if near <= n:
        return None, f"{near} runs per side are usually enough, but not this time: measure again"
    seems = f"within {limit.text}, if the estimate is right"
    return near, f"about {near} runs per side would show that it is {seems}"


def _measure_room(limit: Limit, contrast: Contrast, estimate: float) -> float:
    """Return the distance of a ratio from the limit, in logarithms."""
    low, high = find_ratios(limit)
    up = math.log(high) - math.log(estimate)
    down = math.log(estimate) - math.log(low) if low > 0 else math.inf
    return {"lower": up, "higher": down}.get(contrast.better, min(up, down))

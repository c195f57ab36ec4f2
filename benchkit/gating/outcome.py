"""The outcome of each row, and the events, exit code and verdict that follow from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from benchkit.comparison import Contrast, Dropped
from benchkit.comparison.limits import LimitEvidence
from benchkit.config.acceptance import Acceptance
from benchkit.config.rules import Action, Rule
from benchkit.derived.failures import is_far_more
from benchkit.errors import ExitCode
from benchkit.gating.events import (
    ACCEPTED,
    ADDED,
    EVENTS,
    FAIL,
    FAILING,
    INCONCLUSIVE,
    MISSING,
    NO_BASELINE,
    NOT_COMPARED,
    PRECEDENCE,
    REGRESSION,
    UNDECIDABLE,
    UNUSED,
    Event,
    Occurrence,
    choose_exit,
    choose_verdict,
)

WITHIN, ACCEPTABLE = "within target", "acceptable"
OVER, NOT_SHOWN = "over the limit", "not shown"
#: The outcomes of a row, the most urgent first.
WORDS = (OVER, NOT_SHOWN, ACCEPTABLE, WITHIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcome:
    """One row of the comparison under one rule.

    Parameters
    ----------
    word : {'within target', 'acceptable', 'over the limit', 'not shown'}
    evidence : LimitEvidence
        Relative to the rule's limit.
    p_over : float or None
        For the test of "over", adjusted over the gate.
    adjustment : str
        How it was adjusted, as in a verdict; empty without a test.
    runs_needed : int or None
        Runs per side that would usually show that a zero cost is within the limit, or the estimated
        cost if there are already as many; None if the row is decided, or no practical number is
        enough.
    action : {'fail', 'warn', 'pass'}
        What happens if the row is over the limit.
    undecided : str
        Why no measured value could decide the row; empty if one could.
    accepted : Acceptance or None
        The policy's, if the row is over its limit.
    """

    rule: Rule
    contrast: Contrast
    word: str
    evidence: LimitEvidence
    p_over: float | None
    runs_needed: int | None = None
    notes: tuple[str, ...] = ()
    action: Action = "fail"
    undecided: str = ""
    accepted: Acceptance | None = None
    adjustment: str = ""

    @property
    def newly_fails(self) -> bool:
        """Whether more than 1 % of the variant's requests fail, and far fewer of the baseline's.

        Far fewer means at most 1 %, or half of the variant's share; or the variant answers at most
        half as large a share as the baseline.
        """
        c = self.contrast
        return self.word == NOT_SHOWN and is_far_more(c.failed_variant, c.failed_baseline)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """The outcome of one rule.

    Parameters
    ----------
    missing : tuple of str
        Names in the rule that match no compared row: ``benchmark=Ping``.
    barred : str
        Findings with a severity that the rule excludes: only rows over the limit are reported.
        Empty without any.
    dropped : tuple of Dropped
        Rows that only the baseline has: they show nothing.
    acceptances : tuple of (baseline, Acceptance)
        Those of the rule that are still valid.
    """

    rule: Rule
    rows: tuple[RowOutcome, ...]
    missing: tuple[str, ...] = ()
    barred: str = ""
    dropped: tuple[Dropped, ...] = ()
    acceptances: tuple[tuple[str, Acceptance], ...] = ()

    @property
    def has_compared(self) -> bool:
        """Whether all names in the rule matched."""
        return bool(self.rows) and not self.missing

    def find_event(self, row: RowOutcome) -> tuple[Event, Action] | None:
        """Return the event of a row, and the policy's action; None if the limit holds.

        New request failures are not noise: they fail the gate unless the policy says pass.
        """
        rule = self.rule
        if row.word == OVER:
            return (ACCEPTED, "pass") if row.accepted else (REGRESSION, row.action)
        if row.word != NOT_SHOWN:
            return None
        if row.newly_fails:
            is_allowed = rule.on_inconclusive == "pass" and not self.barred
            return FAILING, "pass" if is_allowed else "fail"
        if row.undecided:
            return UNDECIDABLE, "fail" if self.barred else rule.on_undecided
        return INCONCLUSIVE, rule.on_inconclusive

    def fails(self, row: RowOutcome) -> bool:
        """Whether a row fails the gate."""
        event = self.find_event(row)
        return event is not None and event[1] == "fail"

    def find_acceptance(self, row: Contrast | Dropped) -> Acceptance | None:
        """Return the acceptance of a row that is over its limit or gone; None without one."""
        is_gone = isinstance(row, Dropped)
        for baseline, one in self.acceptances:
            named = baseline == row.baseline and one.removed == is_gone
            if named and one.matches(row.benchmark, row.metric, row.stat):
                return one
        return None

    def choose_action(self, row: Dropped) -> Action:
        """Return the policy's action for a row that is gone."""
        return "pass" if self.find_acceptance(row) else self.rule.on_missing

    def count(self, word: str) -> int:
        """Count the rows with this outcome."""
        return sum(row.word == word for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class GateOutcome:
    """The decision of the gate.

    Parameters
    ----------
    confidence : float
        1 - alpha for every one-sided test.
    events : tuple of Occurrence
        Those that concern no row: crashes, damage, new benchmarks, missing comparisons.
    problem : str
        Why nothing could be compared; empty if something was.
    problem_action : {'fail', 'pass'}
        The action for that by itself; "pass" if it only follows from an event.
    problem_code : ExitCode
        USAGE if the policy or an option cannot be used.
    worse : tuple of Contrast
        The exact rows that got worse, whether or not a rule covers them.
    """

    rules: tuple[RuleOutcome, ...]
    confidence: float = 0.95
    events: tuple[Occurrence, ...] = ()
    problem: str = ""
    problem_action: Action = "fail"
    problem_code: ExitCode = ExitCode.DATA
    worse: tuple[Contrast, ...] = ()

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Every event, the one that decides the exit code first."""
        events = [*self.events, *(each for rule in self.rules for each, _ in list_events(rule))]
        if self.problem and self.problem_code is ExitCode.DATA:
            events.append(
                Occurrence(event=NOT_COMPARED, action=self.problem_action, text=self.problem)
            )
        elif not (self.rules or self.problem or events):
            events.append(Occurrence(event=NOT_COMPARED, action="fail"))
        order = {event: place for place, event in enumerate(EVENTS)}
        actions = {"fail": 0, "warn": 1, "pass": 2}
        return tuple(
            sorted(
                events,
                key=lambda each: (
                    actions[each.action], PRECEDENCE.index(each.exit_code),
                    each.event in {ADDED, UNUSED}, order[each.event],
                ),
            )
        )  # fmt: skip

    @property
    def exit_code(self) -> ExitCode:
        """The exit code."""
        if self.problem and self.problem_code is ExitCode.USAGE:
            return ExitCode.USAGE
        return choose_exit(self.occurrences)

    @property
    def verdict(self) -> str:
        """The verdict on the change: pass, fail or undecided, whatever the exit code."""
        return FAIL if self.exit_code is ExitCode.USAGE else choose_verdict(self.occurrences)

    @property
    def has_baseline(self) -> bool:
        """Whether there was a baseline, or its absence fails the gate."""
        return not any(each.event is NO_BASELINE and each.action == "pass" for each in self.events)

    def select(self, *events: Event) -> tuple[Occurrence, ...]:
        """Return the occurrences of some events."""
        return tuple(each for each in self.occurrences if each.event in events)

    @property
    def has_passed(self) -> bool:
        """Whether the change may proceed."""
        return self.exit_code is ExitCode.DONE

    @property
    def rows(self) -> tuple[RowOutcome, ...]:
        """The rows of all rules, in order."""
        return tuple(row for rule in self.rules for row in rule.rows)

    def count(self, word: str) -> int:
        """Count the rows with this outcome."""
        return sum(rule.count(word) for rule in self.rules)

    @property
    def unshown(self) -> int:
        """The number of rows that show nothing, including those that only the baseline has."""
        return self.count(NOT_SHOWN) + sum(len(rule.dropped) for rule in self.rules)

    def with_word(self, word: str) -> Iterator[RowOutcome]:
        """Yield the rows with this outcome."""
        return (row for row in self.rows if row.word == word)


def list_events(
    outcome: RuleOutcome,
) -> Iterator[tuple[Occurrence, tuple[RowOutcome, ...] | tuple[Dropped, ...]]]:
    """Yield the events of a rule with their rows; a missing benchmark is one event."""
    name = outcome.rule.name
    for row in outcome.rows:
        of_row = outcome.find_event(row)
        if of_row is not None:
            pair = (row.contrast.baseline, row.contrast.variant)
            event, action = of_row
            yield Occurrence(event=event, action=action, rule=name, pair=pair), (row,)
    gone: dict[tuple[object, ...], list[Dropped]] = {}
    for lost in outcome.dropped:
        accepted, action = outcome.find_acceptance(lost), outcome.choose_action(lost)
        key = (ACCEPTED if accepted else MISSING, action, lost.baseline, lost.variant)
        gone.setdefault((*key, lost.group, lost.benchmark), []).append(lost)
    for rows in gone.values():
        event = ACCEPTED if outcome.find_acceptance(rows[0]) else MISSING
        action, pair = outcome.choose_action(rows[0]), (rows[0].baseline, rows[0].variant)
        yield Occurrence(event=event, action=action, rule=name, pair=pair), tuple(rows)
    if not outcome.has_compared:
        yield Occurrence(event=NOT_COMPARED, action="fail", rule=name), ()

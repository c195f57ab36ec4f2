"""Whether a change may pass: what each row came to, and the exit code of all of them.

In: rows held against their rules. Out: `GateOutcome`. Why: a gate that compared nothing must never
pass, noise must never fail it, and what is not shown does what the policy says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchkit.comparison import Contrast, Dropped
from benchkit.comparison.limits import LimitEvidence
from benchkit.config.rules import Rule
from benchkit.errors import ExitCode
from benchkit.verdict import MOST_FAILED

WITHIN, ACCEPTABLE = "within target", "acceptable"
OVER, NOT_SHOWN = "over the limit", "not shown"
#: The words of a row, the most pressing first.
WORDS = (OVER, NOT_SHOWN, ACCEPTABLE, WITHIN)


#: Baseline and variant.
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcome:
    """One row of the comparison under one rule.

    Parameters
    ----------
    rule : Rule
    contrast : Contrast
    word : {'within target', 'acceptable', 'over the limit', 'not shown'}
    evidence : LimitEvidence
        Against the rule's limit.
    p_over : float or None
        Of the test for "over", adjusted by Holm over the gate.
    runs_needed : int or None
        Runs per side that would usually show a cost of nothing to be within the limit, or where
        there are as many already the estimated cost; None where the row is decided, or no
        practical number is enough.
    notes : tuple of str
    """

    rule: Rule
    contrast: Contrast
    word: str
    evidence: LimitEvidence
    p_over: float | None
    runs_needed: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def newly_fails(self) -> bool:
        """Whether more than 1 % of the variant's requests fail, and far fewer of the baseline's.

        Far fewer are at most 1 %, or half of the variant's share; or the variant answers at most
        half of the share that the baseline does.
        """
        base, own = self.contrast.failed_baseline, self.contrast.failed_variant
        if self.word != NOT_SHOWN or own <= max(base, MOST_FAILED):
            return False
        return base <= max(MOST_FAILED, own / 2) or 1 - own <= (1 - base) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """What became of one rule.

    Parameters
    ----------
    rule : Rule
    rows : tuple of RowOutcome
    missing : tuple of str
        What the rule names and no compared row has: ``benchmark=Ping``.
    is_barred : bool
        Whether findings of a severity that the rule excludes were found: nothing is shown.
    dropped : tuple of Dropped
        Rows that only the baseline has: nothing is shown of them.
    """

    rule: Rule
    rows: tuple[RowOutcome, ...]
    missing: tuple[str, ...] = ()
    is_barred: bool = False
    dropped: tuple[Dropped, ...] = ()

    @property
    def has_compared(self) -> bool:
        """Whether the rule found everything that it names."""
        return bool(self.rows) and not self.missing

    def fails_unshown(self, row: RowOutcome) -> bool:
        """Whether a row is not shown and fails the gate for that.

        Requests that newly fail are no noise: they fail it unless the policy says pass.
        """
        if row.word != NOT_SHOWN:
            return False
        word = self.rule.on_inconclusive
        return self.is_barred or word == "fail" or (row.newly_fails and word != "pass")

    @property
    def fails_dropped(self) -> bool:
        """Whether it fails the gate that the variant lacks rows."""
        return bool(self.dropped) and self.rule.on_inconclusive == "fail"

    def count(self, word: str) -> int:
        """Count the rows with this word."""
        return sum(row.word == word for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """What the gate decided.

    Parameters
    ----------
    rules : tuple of RuleOutcome
    confidence : float
        1 - alpha of every one-sided test.
    has_baseline : bool
        False where there is no baseline yet and that was allowed: nothing was compared.
    problem : str
        Why nothing could be compared; empty if something was.
    problem_code : ExitCode
        What that is to the shell.
    """

    rules: tuple[RuleOutcome, ...]
    confidence: float = 0.95
    has_baseline: bool = True
    problem: str = ""
    problem_code: ExitCode = ExitCode.DATA

    @property
    def exit_code(self) -> ExitCode:
        """What the shell is told.

        REGRESSION where a row is over its limit, whatever else there is; else DATA where a rule
        compared nothing or less than it names; else INCONCLUSIVE where a row is not shown, or only
        the baseline has it, and its policy says fail, or its requests newly fail; else DONE.
        """
        if not self.has_baseline:
            return ExitCode.DONE
        if self.problem:
            return self.problem_code
        if self.count(OVER):
            return ExitCode.REGRESSION
        if not self.rules or not all(rule.has_compared for rule in self.rules):
            return ExitCode.DATA
        if any(
            rule.fails_dropped or any(map(rule.fails_unshown, rule.rows)) for rule in self.rules
        ):
            return ExitCode.INCONCLUSIVE
        return ExitCode.DONE

    @property
    def has_passed(self) -> bool:
        """Whether the change may go on."""
        return self.exit_code is ExitCode.DONE

    @property
    def rows(self) -> tuple[RowOutcome, ...]:
        """The rows of all rules, in their order."""
        return tuple(row for rule in self.rules for row in rule.rows)

    def count(self, word: str) -> int:
        """Count the rows with this word."""
        return sum(rule.count(word) for rule in self.rules)

    @property
    def unshown(self) -> int:
        """How many rows show nothing, those that only the baseline has among them."""
        return self.count(NOT_SHOWN) + sum(len(rule.dropped) for rule in self.rules)

    def with_word(self, word: str) -> Iterator[RowOutcome]:
        """Yield the rows with this word."""
        return (row for row in self.rows if row.word == word)

"""What a gate hands on: its outcome, and all that the sinks write of it.

Every sink writes the same sentence and numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.errors import Diagnostic, ExitCode, Finding
from benchkit.gating.events import FAIL, PASS
from benchkit.gating.outcome import GateOutcome
from benchkit.gating.refusals import tell_refused
from benchkit.gating.sentence import write_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """What became of planted regressions.

    Parameters
    ----------
    planted : int
        Rows in which one was planted.
    unseen : tuple of str
        Those in which the gate did not see it, and why.
    """

    planted: int
    unseen: tuple[str, ...]

    @property
    def has_passed(self) -> bool:
        """Whether every one was seen."""
        return self.planted > 0 and not self.unseen

    @property
    def sentence(self) -> str:
        """What it shows."""
        if not self.planted:
            return "✗ Self-test: the gate compares nothing, and so cannot fail."
        if self.unseen:
            return (
                f"✗ Self-test: in {len(self.unseen)} of {self.planted} rows the gate did not see a "
                "planted regression, and so cannot fail there."
            )
        rows = "the only row" if self.planted == 1 else f"each of {self.planted} rows"
        return f"✓ Self-test: the gate sees a planted regression in {rows} and fails (exit 1)."


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The outcome of a gate with what belongs to it.

    Parameters
    ----------
    outcome : GateOutcome
    findings : tuple of Finding
    title : str
    policy : str
        Where the rules are from, in words.
    self_test : SelfTest or None
        In place of the outcome, where it was asked for.
    diagnostics : tuple of Diagnostic
        What was met while the results were read.
    """

    outcome: GateOutcome
    findings: tuple[Finding, ...] = ()
    title: str = ""
    policy: str = ""
    self_test: SelfTest | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def refused(self) -> str:
        """Which sources were refused or read with a loss; empty if none was."""
        return tell_refused(self.diagnostics)

    @property
    def sentence(self) -> str:
        """What every output that is read as a text begins with, and JSON and outputs hold."""
        if self.self_test is not None:
            return self.self_test.sentence
        return write_sentence(self.outcome)

    @property
    def exit_code(self) -> ExitCode:
        """What the shell is told; DATA where a self-test saw the gate pass."""
        if self.self_test is not None:
            return ExitCode.DONE if self.self_test.has_passed else ExitCode.DATA
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """What the change is worth, whatever the policy's exit code: pass, fail or undecided."""
        if self.self_test is not None:
            return PASS if self.self_test.has_passed else FAIL
        return self.outcome.verdict

    @property
    def has_passed(self) -> bool:
        """Whether the change may go on."""
        return self.exit_code is ExitCode.DONE

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<GateResult: {self.sentence} exit code {int(self.exit_code)}>"

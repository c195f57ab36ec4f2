"""The result of a gate: its outcome, and everything that the sinks write about it.

Every sink writes the same sentence and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchkit.errors import Diagnostic, ExitCode, Finding
from benchkit.gating.events import DAMAGED, FAIL, PASS
from benchkit.gating.outcome import GateOutcome
from benchkit.gating.sentence import write_sentence
from benchkit.listing import list_names
from benchkit.units import printable

#: Maximum number of named sources; the rest are counted.
_SHOWN = 2
_KINDS = {"error": "refused and not judged", "warning": "left out, or read only in part"}


#: Incidents that a self-test plants in addition to regressions, by the name of the event.
_INCIDENTS = {"crash": "a crash", "damaged": "a damaged file", "missing": "a lost benchmark"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """The outcome of planted regressions.

    Parameters
    ----------
    planted : int
        Number of rows with a planted regression.
    unseen : tuple of str
        Those in which the gate missed it, and why.
    answers : mapping of str to str
        The gate's reaction to a planted crash, damaged file and lost benchmark: fail, or warn or
        pass if the policy says so; empty if it missed it.
    """

    planted: int
    unseen: tuple[str, ...]
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def missed(self) -> tuple[str, ...]:
        """The planted incidents that the gate missed."""
        return tuple(name for name, answer in self.answers.items() if not answer)

    @property
    def has_passed(self) -> bool:
        """Whether all were noticed."""
        return self.planted > 0 and not self.unseen and not self.missed

    @property
    def sentence(self) -> str:
        """Its message."""
        if not self.planted:
            return "✗ Self-test: the gate compares nothing, so it can never fail."
        if self.unseen:
            return (
                f"✗ Self-test: in {len(self.unseen)} of {self.planted} rows, the gate missed a "
                "planted regression, so it can never fail there."
            )
        if self.missed:
            return f"✗ Self-test: the gate missed a planted incident: {_join(self.missed)}."
        rows = "the only row" if self.planted == 1 else f"each of {self.planted} rows"
        failed = [name for name, answer in self.answers.items() if answer == "fail"]
        passed = [name for name, answer in self.answers.items() if answer != "fail"]
        more = f"; it also fails for {_join(failed)}" if failed else ""
        more += f"; the policy allows {_join(passed)}" if passed else ""
        seen = f"the gate catches a planted regression in {rows} and fails (exit 1)"
        return f"✓ Self-test: {seen}{more}."


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The outcome of a gate with its context.

    Parameters
    ----------
    policy : str
        The origin of the rules, in words.
    self_test : SelfTest or None
        Replaces the outcome, if it was requested.
    diagnostics : tuple of Diagnostic
        Problems while reading the results.
    """

    outcome: GateOutcome
    findings: tuple[Finding, ...] = ()
    title: str = ""
    policy: str = ""
    self_test: SelfTest | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def refused(self) -> str:
        """Which sources were refused or damaged; empty if none were."""
        is_heeded = any(each.event is DAMAGED for each in self.outcome.events)
        return describe_refused(self.diagnostics, is_damage_judged=is_heeded)

    @property
    def sentence(self) -> str:
        """The first lines of every text output, which JSON and step outputs contain, too."""
        if self.self_test is not None:
            return self.self_test.sentence
        return write_sentence(self.outcome, self.findings)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code; DATA if a self-test saw the gate pass."""
        if self.self_test is not None:
            return ExitCode.DONE if self.self_test.has_passed else ExitCode.DATA
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """The verdict on the change, whatever the policy's exit code: pass, fail or undecided."""
        if self.self_test is not None:
            return PASS if self.self_test.has_passed else FAIL
        return self.outcome.verdict

    @property
    def has_passed(self) -> bool:
        """Whether the change may proceed."""
        return self.exit_code is ExitCode.DONE

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<GateResult: {self.sentence} exit code {int(self.exit_code)}>"


def _join(events: Sequence[str]) -> str:
    return list_names(_INCIDENTS[event] for event in events)


def describe_refused(diagnostics: Sequence[Diagnostic], *, is_damage_judged: bool = False) -> str:
    """Say which sources were refused or damaged, and why; empty if none were.

    If damage is an event of the gate, the refused source may be the reason for its verdict.

    Examples
    --------
    >>> describe_refused([Diagnostic("new/3.txt", 0, "empty file", "run again")])
    '1 source was refused and not judged: new/3.txt: empty file.'
    """
    kinds = _KINDS | ({"error": "refused"} if is_damage_judged else {})
    sentences = []
    for severity, what in kinds.items():
        first = {p.path: p for p in reversed(diagnostics) if p.severity == severity}
        if first:
            listed = list(first.values())[::-1]
            reasons = "; ".join(f"{p.where}: {p.what}" for p in listed[:_SHOWN])
            more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
            number = "1 source was" if len(listed) == 1 else f"{len(listed)} sources were"
            sentences.append(f"{number} {what}: {reasons}{more}.")
    return printable(" ".join(sentences))

"""The gate's outcomes: every event, its default action, and the policy key that changes it.

Exit code, verdict and documentation all derive from the table `EVENTS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchkit.errors import ExitCode

#: Baseline and variant.
Pair = tuple[str, str]
#: Actions of an event: fail the gate, pass with its verdict, pass as if it were accepted.
Action = Literal["fail", "warn", "pass"]
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
#: The exit codes of a gate, by precedence.
PRECEDENCE = (
    ExitCode.USAGE, ExitCode.REGRESSION, ExitCode.DATA, ExitCode.INCONCLUSIVE, ExitCode.DONE,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of the table.

    Parameters
    ----------
    name : str
        As in JSON.
    default : {'fail', 'warn', 'pass'}
    key : str
        The policy key, in words; empty if nothing changes it.
    exit_code : ExitCode
        The code if it fails the gate.
    verdict, warned : {'pass', 'fail', 'undecided'}
        If it fails the gate, and if the policy only warns.
    """

    name: str
    meaning: str
    default: Action
    key: str = ""
    exit_code: ExitCode
    verdict: str
    warned: str


def _event(
    name: str, meaning: str, default: Action, key: str, exit_code: ExitCode, verdict: str,
    warned: str = "",
) -> Event:  # fmt: skip
    return Event(
        name=name, meaning=meaning, default=default, key=key, exit_code=exit_code,
        verdict=verdict, warned=warned or verdict,
    )  # fmt: skip


_OVER, _DATA, _OPEN = ExitCode.REGRESSION, ExitCode.DATA, ExitCode.INCONCLUSIVE

REGRESSION = _event(
    "regression",
    "a row is over its limit; if no limit is set: a regression beyond the margin; in a row "
    "without a limit: any increase of `allocs_per_op`, or another exact metric that got worse by "
    "more than the margin",
    "fail", "`[[gate]]`, `exact`", _OVER, FAIL,
)  # fmt: skip
CRASH = _event(
    "crash",
    "a run of the variant failed (`panic:`, `--- FAIL`, `FAIL`, a non-zero exit in its sidecar, "
    "a crossed threshold)",
    "fail", "`on_failure`", _OVER, FAIL,
)  # fmt: skip
BASELINE_CRASH = _event(
    "baseline_crash", "a run of the baseline failed", "fail", "`on_failure`", _OPEN, UNDECIDED
)
MISSING = _event(
    "missing", "a benchmark or metric of the baseline is missing, and a rule covers it", "fail",
    '`on_missing`, `[[gate.accept]] removed = "Name"`, a rename', _DATA, FAIL,
)  # fmt: skip
ADDED = _event("added", "a benchmark is new", "pass", "", ExitCode.DONE, PASS)
DAMAGED = _event(
    "damaged", "a file of a known tool is damaged", "fail", "`on_damaged`", _DATA, FAIL
)
MIXED = _event(
    "mixed", "two measurements count as one: the runs of a folder are counted together with "
    "earlier runs of that folder, or with runs of another folder, commit or pipe; or one counts "
    "as both sides (B103)", "fail", "`on_damaged`", _DATA, FAIL,
)  # fmt: skip
UNKNOWN = _event(
    "unknown", "a file has an unknown format", "warn", "`--strict` fails it", _DATA, FAIL, PASS
)
INCONCLUSIVE = _event(
    "inconclusive", "a row is inconclusive, but more runs could decide it", "warn",
    "`on_inconclusive`", _OPEN, UNDECIDED, PASS,
)  # fmt: skip
UNDECIDABLE = _event(
    "undecidable",
    "a gated row cannot be decided: no method is valid, a metric changed, and neither higher "
    "nor lower values of it are better, the sides of an open loop carried different loads (B315), "
    "those of a closed loop had different connections (B216), one side is an open loop and the "
    "other a closed one (B216), the sides have no primary metric in common, the sides got "
    "different responses (B321), a side has fewer than max(3, `min_runs`) runs, comes from another "
    "machine, or comes only from another CI run, or the variant has fewer runs of the benchmark "
    "than of others (B345) or runs without results of some generators (B213), or an ingest for a "
    "later commit found its runs unchanged, or its folder was measured again without the files of "
    "the baseline (B110), or runs of a side were measured at the same time (B217)",
    "fail", "`on_undecided`", _OPEN, UNDECIDED,
)  # fmt: skip
FAILING = _event(
    "failing_requests", "far more requests fail in the variant than in the baseline", "fail",
    "`on_inconclusive` (passes only with `pass`)", _OPEN, UNDECIDED,
)  # fmt: skip
NO_BASELINE = _event(
    "no_baseline", "there is no baseline", "fail", "`--allow-missing-baseline`", _DATA, FAIL
)
NOT_COMPARED = _event(
    "not_compared",
    "a rule matches nothing, a variant has no measured run, its folder was ingested again without "
    "any of its files (B110), or nothing was compared",
    "fail", "", _DATA, FAIL,
)  # fmt: skip
ACCEPTED = _event(
    "accepted", "the policy accepts the regression until a date or commit", "pass",
    "`[[gate.accept]]`", _OVER, FAIL,
)  # fmt: skip

UNUSED = _event(
    "unused_acceptance",
    "an entry of `[[gate.accept]]` has expired, or matches neither a compared row nor a missing "
    "one",
    "pass", "", ExitCode.DONE, PASS,
)  # fmt: skip

EVENTS = (
    REGRESSION, CRASH, BASELINE_CRASH, MISSING, ADDED, DAMAGED, MIXED, UNKNOWN,
    INCONCLUSIVE, UNDECIDABLE, FAILING, NO_BASELINE, NOT_COMPARED, ACCEPTED, UNUSED,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """An event that happened.

    Parameters
    ----------
    action : {'fail', 'warn', 'pass'}
        The policy's action.
    text : str
        What happened, in a clause: ``a run of new failed: new/1.txt:7: panic: boom``.
    rule : str
        The rule concerned; empty for the whole gate.
    pair : (baseline, variant) or None
    """

    event: Event
    action: Action
    text: str = ""
    rule: str = ""
    pair: Pair | None = None

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of this event alone."""
        return self.event.exit_code if self.action == "fail" else ExitCode.DONE

    @property
    def verdict(self) -> str:
        """The verdict of this event alone."""
        return {"fail": self.event.verdict, "warn": self.event.warned}.get(self.action, PASS)


def choose_exit(occurrences: Iterable[Occurrence]) -> ExitCode:
    """Return the exit code of several events together."""
    codes = {ExitCode.DONE, *(each.exit_code for each in occurrences)}
    return next(code for code in PRECEDENCE if code in codes)


def choose_verdict(occurrences: Iterable[Occurrence]) -> str:
    """Return the verdict on several events together.

    Examples
    --------
    >>> choose_verdict([Occurrence(event=UNDECIDABLE, action="warn")])
    'undecided'
    >>> choose_verdict([Occurrence(event=INCONCLUSIVE, action="warn")])
    'pass'
    """
    verdicts = {each.verdict for each in occurrences}
    return next((word for word in (FAIL, UNDECIDED) if word in verdicts), PASS)


def write_events() -> str:
    """Return the table as Markdown."""
    lines = ["| event | default | policy key | exit, verdict |", "| --- | --- | --- | --- |"]
    words = {"fail": "fails", "warn": "warns", "pass": "passes, and is listed in the output"}
    for event in EVENTS:
        failed = f"{int(event.exit_code)} {event.verdict}"
        passed = "0 pass" if event.warned == PASS else ""
        shown = "0 pass" if event.default == "pass" else failed
        if event.default == "warn":
            shown = f"{passed}, or {failed}"
        lines.append(f"| {event.meaning} | {words[event.default]} | {event.key or '–'} | {shown} |")
    return "\n".join(lines)

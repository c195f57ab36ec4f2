"""Whether a change may pass: a pure function of the verdicts.

In: `Verdicts` and a word on what is not shown. Out: `GateOutcome`.
Why: a gate that compared nothing must never pass, and noise must never fail it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchkit.errors import ExitCode
from benchkit.verdict import INCONCLUSIVE, REGRESSION, Verdict, Verdicts

OnInconclusive = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """What the gate decided.

    Parameters
    ----------
    exit_code : ExitCode
        DONE, REGRESSION, INCONCLUSIVE, or DATA where nothing was compared.
    regressions, not_shown : tuple of Verdict
        The primary rows that decided it.
    """

    exit_code: ExitCode
    regressions: tuple[Verdict, ...]
    not_shown: tuple[Verdict, ...]

    @property
    def has_passed(self) -> bool:
        """Whether the change may go on."""
        return self.exit_code is ExitCode.DONE


def check(verdicts: Verdicts, on_inconclusive: OnInconclusive = "warn") -> GateOutcome:
    """Decide on the primary rows.

    Parameters
    ----------
    verdicts : Verdicts
    on_inconclusive : {'pass', 'warn', 'fail'}
        What a row that shows nothing does; ``warn`` passes and says so.

    Returns
    -------
    GateOutcome
        A regression outweighs all else; no primary row at all is exit code DATA.
    """
    rows = verdicts.primary
    regressions = tuple(row for row in rows if row.word == REGRESSION)
    not_shown = tuple(row for row in rows if row.word == INCONCLUSIVE)
    if not rows:
        code = ExitCode.DATA
    elif regressions:
        code = ExitCode.REGRESSION
    elif not_shown and on_inconclusive == "fail":
        code = ExitCode.INCONCLUSIVE
    else:
        code = ExitCode.DONE
    return GateOutcome(exit_code=code, regressions=regressions, not_shown=not_shown)

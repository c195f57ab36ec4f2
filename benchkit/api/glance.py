"""Loaded results at a glance: a few sentences on what was read, and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchkit.errors import Finding, SourceReport
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Runs up to which a look at them audits them, too: its time grows with their number.
QUICK = 2000
UNSEEN = "So many runs are audited when asked for: .findings"


def summarise(
    runs: Runs,
    findings: Sequence[Finding] | None,
    first: str | None,
    reports: Sequence[SourceReport],
    contested: Iterable[str],
) -> str:
    """Say in a few sentences what was loaded; ``findings`` is None where nobody has looked."""
    from benchkit.tables.overview import summarise_runs

    summary = summarise_runs(runs, findings, first)
    if names := ", ".join(map(printable, contested)):
        summary += f". Left out because several origins hold them: {names}; load with origin="
    lost = sum(report.outcome in {"refused", "empty"} for report in reports)
    if not lost:
        return summary
    return f"{summary}. {lost} source{'' if lost == 1 else 's'} could not be read: .diagnostics"

"""Loaded results at a glance: a few sentences on what was read, and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from benchkit.errors import Finding, SourceReport
from benchkit.units import printable

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs
    from benchkit.tables.model import Table

#: Runs up to which a look at them audits them, too: its time grows with their number.
QUICK = 2000
#: Rows of a table in a plain shell.
_MOST = 40
UNSEEN = "With this many runs, findings are computed only on request: see .findings"


def tabulate_findings(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return findings as a frame, one row each."""
    import pandas as pd

    names = [one.name for one in fields(Finding)]
    rows = [[getattr(finding, name) for name in names] for finding in findings]
    return pd.DataFrame(rows, columns=names)


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
        summary += (
            f". Left out: {names}, because several origins have them; choose one with origin="
        )
    lost = sum(report.outcome in {"refused", "empty"} for report in reports)
    if not lost:
        return summary
    return f"{summary}. {lost} source{'' if lost == 1 else 's'} could not be read: see .diagnostics"


def shorten(table: Table) -> Table:
    """Leave out the rows of a table that nobody reads in a shell, and count them."""
    left = len(table.rows) - _MOST
    if left <= 0:
        return table
    more = f"… and {left} more row{'' if left == 1 else 's'}: see .frame"
    return replace(table, rows=table.rows[:_MOST], footer=(*table.footer, more))

"""Rules about p-values that a table of another tool shows."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.audit.facts import Evidence, name_side
from benchkit.derived.record import Run
from benchkit.errors import Finding

#: The entry of a run's environment in which the parser says what cannot be true.
_FAULT = "benchstat.fault"


def find_impossible_pvalues(evidence: Evidence) -> Iterator[Finding]:
    """B307: a benchstat table shows a p-value that its runs cannot give."""
    faults: dict[tuple[str, ...], dict[str, Run]] = {}
    for run in evidence.list_runs(lambda run: _FAULT in run.env):
        faults.setdefault(run.side, {}).setdefault(run.env[_FAULT], run)
    for found in faults.values():
        for fault, run in found.items():
            yield Finding(
                code="B307",
                severity="warning",
                where=name_side(run.side),
                message=fault,
                remedy="compare the raw runs: another test was used, the table was edited, or "
                "benchstat has a bug",
            )

"""Observations derived from observations, and the order of runs derived from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.derived.record import (
    add_rows,
    leave_out_excerpts,
    leave_out_known,
    list_measured,
    measures_load,
)

if TYPE_CHECKING:
    from benchkit.errors import Finding
    from benchkit.schema import Observations, Runs


def derive(
    observations: Observations, runs: Runs, series: Observations
) -> tuple[Observations, tuple[Finding, ...]]:
    """Return the values of each run together with the values that every rule derives from them.

    Parameters
    ----------
    series : Observations
        Samples over time of what ran next to the load.

    Returns
    -------
    tuple of (Observations, findings)
        The new rows come last, with the labels of the runs. A row that already exists, as in an
        exported table, is not added again.
    """
    if series.empty and not measures_load(observations, runs):
        return observations, ()
    from benchkit.derived.histograms import derive_histograms
    from benchkit.derived.requests import derive_dropped
    from benchkit.derived.resources import derive_resources
    from benchkit.derived.spans import derive_spans

    measured = list_measured(runs)
    known, derived, findings = leave_out_excerpts(observations), [], []
    for rule in (derive_resources, derive_histograms, derive_spans, derive_dropped):
        rows, problems = rule(known, measured, series)
        rows = leave_out_known(known, rows)
        known = add_rows(known, rows)
        derived += rows
        findings += problems
    return add_rows(observations, derived), tuple(findings)

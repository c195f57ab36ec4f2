"""Rows that no measured value could decide: too few runs for the correction, or no test at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.comparison import DIRECTIONS, HISTORY, RANK_RUNS, REFUSED, count_runs
from benchkit.comparison.families import find_smallest, refuse_all
from benchkit.gating.outcome import RowOutcome
from benchkit.stats.rank import smallest_pvalue
from benchkit.verdict import Verdict


def describe_undecidable(verdict: Verdict) -> str:
    """Say why an inconclusive row could not have been decided; empty where it could."""
    sensitivity = verdict.sensitivity
    is_closed = sensitivity.least is not None
    if is_closed or verdict.contrast.method in {*DIRECTIONS, REFUSED, HISTORY}:
        return sensitivity.note or "no test"
    if verdict.contrast.ratio is None and verdict.contrast.center_baseline < 0:
        return sensitivity.note
    return ""


def find_closed_rows(rows: Sequence[RowOutcome], alpha: float) -> Iterator[str]:
    """Yield for each row why none of its values could show it over the limit; empty if some can."""
    tested = [row for row in rows if row.p_over is not None and not row.evidence.is_exact]
    family = [row.p_over for row in tested if row.p_over is not None]
    refused = refuse_all(family, [_find_least(row) for row in tested], alpha)
    closed = {id(row) for row, no in zip(tested, refused, strict=True) if no}
    for row in rows:
        c = row.contrast
        runs = f"{c.n_baseline} + {c.n_variant} runs"
        among = f" among {len(tested)} rows" if len(tested) > 1 else ""
        needed = count_runs(c, len(tested), 2 * alpha) if id(row) in closed else 0
        advice = f"cannot reach p ≤ {alpha:.2g}{among}: run at least {needed} per side"
        yield f"{runs} {advice}" if needed else ""


def _find_least(row: RowOutcome) -> float:
    """Return the smallest p-value of "over" that the runs of a row can give."""
    c = row.contrast
    least = find_smallest(c)
    if not least and min(c.n_baseline, c.n_variant) >= RANK_RUNS:
        least = smallest_pvalue(c.n_baseline, c.n_variant)
    return least if c.better not in {"lower", "higher"} else least / 2

"""A rule about sides that vary unequally, which can change how they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from benchkit.audit.session import name_row
from benchkit.comparison import (
    LEAST_WELCH,
    MAX_T,
    RANK,
    RANK_RUNS,
    WELCH,
    Comparisons,
    Contrast,
    decide,
)
from benchkit.comparison.families import Design, find_design, scale
from benchkit.config import DEFAULT_METHOD
from benchkit.errors import Finding
from benchkit.metrics import display_name
from benchkit.stats.sample import FloatArray
from benchkit.stats.spread import pool_ratios, weigh_ratios
from benchkit.units import format_number

if TYPE_CHECKING:
    from benchkit.schema import Runs

_TOGETHER = (
    "rank and permutation tests would give false positives, so these rows use Welch's test with "
    "conservative degrees of freedom"
)
#: What becomes of a single row, by the method that decides it.
_REMARKS = {
    WELCH: "rank tests would give false positives, so this row uses Welch's test",
    RANK: (
        "without the most extreme runs, the spreads are similar, so this row still uses the rank "
        "test"
    ),
    MAX_T: "over all rows together, both sides vary about equally, so a permutation of whole runs "
    "(max-T) still decides all rows, including this one",
}


def find_unequal_spreads(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B342: one side varies much more; ranks and permutation may give way to Welch's t."""
    if comparisons.method != DEFAULT_METHOD:
        return
    primary = [c for c in comparisons.contrasts if c.primary and c.pvalue is not None]
    designs: dict[Design, list[Contrast]] = {}
    for c in primary:
        is_ranked = c.n_baseline == c.n_variant >= RANK_RUNS and not c.arranged
        if is_ranked and c.method in {RANK, WELCH}:
            designs.setdefault(find_design(c), []).append(c)
    alpha = 1 - comparisons.confidence
    deciding = _find_deciding(comparisons) if len(primary) > 1 else {}
    for rows in designs.values():
        if deciding.get(id(rows[0])) == LEAST_WELCH:
            if _is_beyond_chance(rows, alpha):
                yield _tell(rows, _TOGETHER)
            continue
        errors = weigh_ratios(*_arrange(rows))
        beyond = errors > _find_limit(alpha / len(primary))
        for at in np.flatnonzero(beyond).tolist():
            c = rows[at]
            yield _tell([c], _REMARKS[deciding.get(id(c), c.method)])


def _find_deciding(comparisons: Comparisons) -> dict[int, str]:
    """Return by which method each row is decided among the others."""
    decided, _ = decide(comparisons)
    pairs = zip(comparisons.contrasts, decided.contrasts, strict=True)
    return {id(before): after.method for before, after in pairs}


def _is_beyond_chance(rows: Sequence[Contrast], alpha: float) -> bool:
    """Tell whether spreads differ by more than equal ones of so few runs do."""
    x, y, steps = _arrange(rows)
    _, errors = pool_ratios(x, y, steps)
    return errors > _find_limit(alpha)


def _find_limit(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def _arrange(rows: Sequence[Contrast]) -> tuple[FloatArray, FloatArray, FloatArray]:
    x, y, steps = (
        np.array(column, dtype=np.float64) for column in zip(*map(scale, rows), strict=True)
    )
    return x, y, steps


def _tell(rows: Sequence[Contrast], remark: str) -> Finding:
    c = rows[0]
    x, y, _ = _arrange(rows)
    spreads = [_find_spread(side) for side in (x, y)]
    sides = sorted(zip(spreads, (c.baseline, c.variant), strict=True), reverse=True)
    (more, wide), (less, calm) = sides
    unit = "%" if c.ratio is not None else c.unit
    amounts = [f"{format_number(s * (100 if unit == '%' else 1))} {unit}" for s in (more, less)]
    numbers = {"spread": more, "spread_of_other": less, "rows": len(rows)}
    message = f"the runs of '{wide}' vary ({amounts[0]}), but those of '{calm}' do not"
    if less:
        numbers["ratio"] = more / less
        message = (
            f"the runs of '{wide}' vary {format_number(more / less)} times as much as those of "
            f"'{calm}' ({amounts[0]} vs. {amounts[1]})"
        )
    name = display_name(c.metric, c.stat)
    where = f"{len(rows)} rows of {name}" if len(rows) > 1 else name_row(c)
    return Finding(
        code="B342",
        severity="info",
        where=where,
        message=f"{message}; {remark}",
        remedy=f"find out what changes between the runs of '{wide}'; more runs narrow the interval",
        numbers=numbers,
    )


def _find_spread(side: FloatArray) -> float:
    """Return the geometric mean of the standard deviations of the rows that vary; 0 without one."""
    varying = side[np.ptp(side, axis=1) > 0]
    return float(np.exp(np.mean(np.log(varying.std(axis=1, ddof=1))))) if varying.size else 0.0

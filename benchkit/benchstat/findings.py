"""B306: where the p that benchstat prints is wrong, and what it should be.

Compatibility reproduces a mistake, and says so beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from benchkit.benchstat.table import Table, locate
from benchkit.benchstat.utest import Comparison
from benchkit.errors import Finding


def find_wrong_pvalues(tables: Iterable[Table]) -> Iterator[Finding]:
    """Yield a finding for each comparison that the exact p would print otherwise."""
    for table in tables:
        for row in table.rows:
            for column in table.columns:
                cell = table.cells.get((row, column))
                compared = cell.comparison if cell else None
                if compared is not None and is_wrong(compared):
                    yield describe_pvalue(compared, locate(row, column, table.unit))


def is_wrong(compared: Comparison) -> bool:
    """Tell whether the exact p changes what is printed: its three decimals, or the verdict."""
    alpha = compared.alpha
    flips = (compared.p > alpha) != (compared.right_p > alpha)
    return flips or compared.write_p() != replace(compared, p=compared.right_p).write_p()


def describe_pvalue(compared: Comparison, where: str) -> Finding:
    """Say what is printed, what is right, and whether that changes the verdict."""
    alpha = compared.alpha
    flips = (compared.p > alpha) != (compared.right_p > alpha)
    verdict = "not significant" if compared.right_p > alpha else "significant"
    consequence = f", so that the change is {verdict} at {alpha:g}" if flips else ""
    return Finding(
        code="B306",
        severity="warning",
        message=(
            f"benchstat's p = {compared.p:.3g} counts one tail twice, which is wrong with ties "
            f"or with {compared.n1} + {compared.n2} values: the exact p is "
            f"{compared.right_p:.3g}{consequence}"
        ),
        remedy="omit --compat to compare with the exact p",
        where=where,
        numbers={
            "p_benchstat": compared.p,
            "p_exact": compared.right_p,
            "n_baseline": compared.n1,
            "n_variant": compared.n2,
        },
    )

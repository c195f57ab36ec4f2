"""What Go's benchstat prints, computed the way benchstat computes it.

A team that leaves benchstat can check, byte for byte, that nothing else changed; nothing of this
is used unless ``--compat benchstat`` asks for it.

The rules are those of golang.org/x/perf (2026-09) and of go-moremath, its statistics; each
module names the one it follows. Last digits are those of benchstat on x86-64.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchkit.benchstat.files import read_files
from benchkit.benchstat.filters import apply_filter
from benchkit.benchstat.options import Options, make_plan
from benchkit.benchstat.reader import BenchstatError
from benchkit.benchstat.sheet import Sheet
from benchkit.benchstat.table import Table, build_tables, locate
from benchkit.benchstat.text import write_text
from benchkit.benchstat.utest import Comparison
from benchkit.errors import Finding

__all__ = ["Options", "Printed", "print_tables"]


@dataclass(frozen=True, slots=True)
class Printed:
    """What benchstat prints, and what it should have said.

    Parameters
    ----------
    output : str
        Its stdout.
    warnings : tuple of str
        The lines of its stderr, but for the last where that is an error.
    error : str
        Why it prints no table, empty if it does; it exits 0 all the same.
    findings : tuple of Finding
        B306: a comparison whose p-value is wrong in ``output``.
    """

    output: str = ""
    warnings: tuple[str, ...] = ()
    error: str = ""
    findings: tuple[Finding, ...] = ()


def print_tables(
    paths: Sequence[str], options: Options | None = None, *, as_csv: bool = False
) -> Printed:
    """Compare benchmark files as benchstat does.

    Parameters
    ----------
    paths : sequence of str
        ``path``, ``label=path`` or ``-``.
    options : Options, optional
        benchstat's defaults if omitted.
    as_csv : bool
        CSV in place of text; warnings about cells then go beside it, not below it.

    Raises
    ------
    DataError
        If a comparison holds a NaN, on which benchstat never ends.
    """
    try:
        plan = make_plan(options or Options())
    except BenchstatError as error:
        return Printed(error=f"benchstat: {error}")
    read = read_files(paths)
    if read.error:
        return Printed(warnings=read.warnings, error=f"benchstat: {read.error}")
    filtered = (apply_filter(plan.filter, result) for result in read.results)
    results = [result for result in filtered if result]
    tables = build_tables(results, plan.groups, read.units, plan.thresholds)
    findings = tuple(find_wrong_pvalues(tables))
    if not as_csv:
        return Printed(write_text(tables), read.warnings, findings=findings)
    sheet = Sheet()
    sheet.add_tables(tables)
    return Printed(sheet.text, (*read.warnings, *sheet.warnings), findings=findings)


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

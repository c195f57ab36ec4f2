"""What Go's benchstat prints, computed the way benchstat computes it.

A team that leaves benchstat can check, byte for byte, that nothing else changed; nothing of this
is used unless ``--compat benchstat`` asks for it.

The rules are those of golang.org/x/perf (2026-09) and of go-moremath, its statistics; each
module names the one it follows. Last digits are those of benchstat on x86-64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchkit.benchstat.files import read_files
from benchkit.benchstat.filters import apply_filter
from benchkit.benchstat.findings import find_wrong_pvalues
from benchkit.benchstat.options import Options, make_plan
from benchkit.benchstat.reader import BenchstatError
from benchkit.benchstat.sheet import Sheet
from benchkit.benchstat.table import build_tables
from benchkit.benchstat.text import write_text
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

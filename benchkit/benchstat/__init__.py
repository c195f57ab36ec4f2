"""What Go's ``benchstat -format csv`` prints, computed the way benchstat computes it.

In: paths of benchmark files, ``label=path`` among them. Out: the CSV, the warnings, and findings
where benchstat's own p-value is wrong. Why: a team that leaves benchstat can check, cell for cell,
that nothing else changed; nothing of this is used unless ``--compat benchstat`` asks for it.

The rules are those of golang.org/x/perf (2026-09) and of go-moremath, its statistics; each
function names the one it follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchkit.benchstat.files import read_files
from benchkit.benchstat.findings import find_wrong_pvalues
from benchkit.benchstat.sheet import Sheet
from benchkit.benchstat.table import build_tables
from benchkit.errors import DataError, Finding

__all__ = ["Printed", "print_csv"]


@dataclass(frozen=True, slots=True)
class Printed:
    """What benchstat prints, and what it should have said.

    Parameters
    ----------
    csv : str
        Its stdout.
    warnings : tuple of str
        The lines of its stderr.
    findings : tuple of Finding
        B306: a comparison whose p-value is not what benchstat prints.
    """

    csv: str
    warnings: tuple[str, ...]
    findings: tuple[Finding, ...]


def print_csv(paths: Sequence[str], confidence: float = 0.95) -> Printed:
    """Compare benchmark files as ``benchstat -format csv`` does.

    Parameters
    ----------
    paths : sequence of str
        ``path``, ``label=path`` or ``-``; the first that has a benchmark is the baseline.
    confidence : float
        Of the intervals; benchstat's default.

    Raises
    ------
    DataError
        If a file cannot be read, none holds a result, or a comparison holds a NaN, on which
        benchstat never ends.
    """
    read = read_files(paths)
    if not read.results:
        raise DataError(
            "no benchmark result", where=", ".join(paths), hint="give the output of go test -bench"
        )
    tables = build_tables(read, confidence)
    sheet = Sheet()
    sheet.add_tables(tables)
    warnings = (*read.warnings, *sheet.warnings)
    return Printed(sheet.text, warnings, tuple(find_wrong_pvalues(tables)))

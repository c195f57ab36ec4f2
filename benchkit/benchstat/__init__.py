"""The output of Go's benchstat, computed in the same way.

A team that migrates from benchstat can check, byte for byte, that nothing else changed; this code
is used only with ``--compat benchstat``.

The rules are those of golang.org/x/perf (2026-09) and of go-moremath, its statistics; each module
names the one it follows. The last digits match benchstat on x86-64.

benchstat's options, checked in its order and refused with its messages (cmd/benchstat/main.go).

The files of one comparison, in order.

The label identifies the column: two files with one label are one column, and a path named twice is
two (benchfmt/files.go).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchkit.benchstat.filters import Filter, apply_filter, match_all, parse_filter
from benchkit.benchstat.projections import Part, parse_projection
from benchkit.benchstat.reader import BenchstatError, Reader, Result, UnitMetadata
from benchkit.benchstat.table import Table, Thresholds, build_tables, locate
from benchkit.benchstat.text import Sheet, write_text
from benchkit.benchstat.tokens import ExpressionError
from benchkit.benchstat.utest import Comparison
from benchkit.config.files import is_readable
from benchkit.errors import Finding

__all__ = ["Options", "Printed", "print_tables"]
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Printed:
    """What benchstat prints, and corrections to it.

    Parameters
    ----------
    output : str
        Its stdout.
    warnings : tuple of str
        The lines of its stderr, except the last one if that is an error.
    error : str
        The reason why it prints no table, empty if it does; it still exits with 0.
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
    """Compare benchmark files like benchstat.

    Parameters
    ----------
    paths : sequence of str
        ``path``, ``label=path`` or ``-``.
    options : Options, optional
        benchstat's defaults if omitted.
    as_csv : bool
        CSV instead of text; warnings about cells are then separate instead of below.

    Raises
    ------
    DataError
        If a comparison contains a NaN, on which benchstat never terminates.
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
    """Yield a finding for each comparison that an exact p would change."""
    for table in tables:
        for row in table.rows:
            for column in table.columns:
                cell = table.cells.get((row, column))
                compared = cell.comparison if cell else None
                if compared is not None and is_wrong(compared):
                    yield describe_pvalue(compared, locate(row, column, table.unit))


def is_wrong(compared: Comparison) -> bool:
    """Return whether the exact p changes the output: its three decimals, or the verdict."""
    alpha = compared.alpha
    flips = (compared.p > alpha) != (compared.right_p > alpha)
    return flips or compared.write_p() != replace(compared, p=compared.right_p).write_p()


def describe_pvalue(compared: Comparison, where: str) -> Finding:
    """Say what is printed, what is correct, and whether that changes the verdict."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options as typed.

    Parameters
    ----------
    filter : str
        The measurements to use.
    table, row, col, ignore : str
        Projections: the keys of tables, rows and columns, and those that may vary within a cell.
    alpha, confidence : float
        Levels of comparisons and of intervals.
    """

    filter: str = "*"
    table: str = ".config"
    row: str = ".fullname"
    col: str = ".file"
    ignore: str = ""
    alpha: float = 0.05
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Plan:
    """The parsed options: the filter, the projections in order, and the levels."""

    filter: Filter
    groups: tuple[list[Part], ...]
    thresholds: Thresholds


def make_plan(options: Options) -> Plan:
    """Parse the options; BenchstatError names the wrong one and the position."""
    filters = [_parse("-filter", parse_filter, options.filter)]
    names = ("table", "row", "col", "ignore")
    groups = tuple(_parse(f"-{name}", parse_projection, getattr(options, name)) for name in names)
    for name in ("alpha", "confidence"):
        if not 0 <= getattr(options, name) <= 1:
            raise BenchstatError(f"-{name} must be in range [0, 1]")
    filters += [part.filter for group in groups for part in group if part.filter]
    combined = match_all(filters) if len(filters) > 1 else filters[0]
    return Plan(combined, groups, Thresholds(options.alpha, options.confidence))


def _parse(name: str, parse: Callable[[str], Parsed], query: str) -> Parsed:
    try:
        return parse(query)
    except ExpressionError as error:
        raise BenchstatError(f"parsing {name}: {error}") from None


@dataclass(frozen=True, slots=True)
class Read:
    """The contents of all files.

    Parameters
    ----------
    results : tuple of Result
        File by file, line by line.
    units : UnitMetadata
        For all files: the last value of a unit also applies to the first file.
    warnings : tuple of str
        ``file:line: message`` for each line that resembles a result but is not one.
    error : str
        The reason why reading stopped, empty if it did not.
    """

    results: tuple[Result, ...]
    units: UnitMetadata
    warnings: tuple[str, ...]
    error: str = ""


def read_files(arguments: Sequence[str]) -> Read:
    """Read file by file, up to the first one that benchstat cannot read."""
    units = UnitMetadata()
    results: list[Result] = []
    warnings: list[str] = []
    for path, label in label_files(arguments):
        reader = Reader(path, label, units)
        try:
            results.extend(reader.read(_read_bytes(path)))
        except BenchstatError as error:
            return Read((), units, (*warnings, *reader.warnings), str(error))
        warnings += reader.warnings
    return Read(tuple(results), units, tuple(warnings))


def label_files(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Return path and label of each file.

    Examples
    --------
    >>> label_files(["a=old.txt", "new.txt", "new.txt"])
    [('old.txt', 'a'), ('new.txt', 'new.txt#0'), ('new.txt', 'new.txt#1')]
    """
    total = Counter(argument for argument in arguments if "=" not in argument)
    seen: Counter[str] = Counter()
    named = []
    for argument in arguments:
        label, equals, path = argument.partition("=")
        if equals:
            named.append((path, label))
            continue
        named.append(
            (argument, f"{argument}#{seen[argument]}" if total[argument] > 1 else argument)
        )
        seen[argument] += 1
    return named


def _read_bytes(path: str) -> bytes:
    """Read a file; a failure raises BenchstatError with Go's message."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        if Path(path).exists() and not (Path(path).is_dir() or is_readable(Path(path))):
            raise BenchstatError(f"{path}:0: read {path}: not a regular file")
        with open(path, "rb") as file:  # noqa: PTH123 - an empty path is no file, "." is a folder
            return file.read()
    except IsADirectoryError:
        raise BenchstatError(f"{path}:0: read {path}: is a directory") from None
    except OSError as error:
        raise BenchstatError(f"open {path}: {(error.strerror or '').lower()}") from None

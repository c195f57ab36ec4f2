"""The files behind a report, each with its hash, and what could not be read of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.errors import Diagnostic
    from benchkit.schema import Runs


def read_sources(runs: Runs) -> tuple[tuple[str, str], ...]:
    """Collect (path, sha256) of every source, once, in the order of the runs."""
    found: dict[tuple[str, str], None] = {}
    for sources in runs["sources"].tolist():
        for source in sources if isinstance(sources, Iterable) else ():
            found[_read(source)] = None
    return tuple(found)


def sources_table(sources: Sequence[tuple[str, str]]) -> Table:
    """List the sources."""
    return Table(
        title="Sources",
        columns=(Column("path", "path"), Column("sha256", "sha256")),
        rows=tuple((Cell(printable(path)), Cell(printable(sha))) for path, sha in sources),
        caption=f"{len(sources)} files" if len(sources) != 1 else "1 file",
    )


def problems_table(problems: Sequence[Diagnostic]) -> Table:
    """List what was refused or read with a loss: errors first, equal ones together."""
    alike: dict[tuple[str, ...], list[Diagnostic]] = {}
    for problem in sorted(problems, key=lambda each: each.severity != "error"):
        alike.setdefault((problem.severity, problem.what, problem.hint), []).append(problem)
    ordered = [problem for same in alike.values() for problem in same]
    refused = sum(problem.severity == "error" for problem in problems)
    return Table(
        title="Not read, left out, or read only in part",
        columns=tuple(Column(name, name) for name in ("severity", "where", "problem", "remedy")),
        rows=tuple(tuple(map(Cell, (p.severity, p.where, p.what, p.hint))) for p in ordered),
        caption=f"Not read: {refused}; left out, or read only in part: {len(problems) - refused}",
    )


def _read(source: object) -> tuple[str, str]:
    if isinstance(source, Mapping):
        return str(source.get("path", "")), str(source.get("sha256", ""))
    if isinstance(source, str):
        return source, ""
    path, sha, *_ = (*source, "", "") if isinstance(source, Iterable) else ("", "")
    return str(path), str(sha)

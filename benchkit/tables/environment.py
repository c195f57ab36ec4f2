"""The machine and settings of the runs: differences between variants first, then the rest.

Also the files behind a report, each with its hash, and the problems in reading them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.errors import Diagnostic
    from benchkit.schema import Runs

UNKNOWN = "not recorded"
_COLUMNS = ("tool", "tool_version", "load_model", "target_rate", "connections", "command")

#: variant -> fact -> the values that occur, in order, each with the number of runs that record it
_Facts = dict[str, dict[str, dict[str, int]]]


def environment_tables(runs: Runs) -> tuple[Table, ...]:
    """Build the table of differences between variants and the table of shared facts.

    Returns
    -------
    tuple of Table
        A table without rows is omitted.
    """
    facts = _gather(runs)
    names = list(dict.fromkeys(name for recorded in facts.values() for name in recorded))
    recorded = {name: [facts[variant].get(name, {}) for variant in facts] for name in names}
    measured = runs.loc[runs["role"] == "measured", "variant"].tolist()
    counts = [measured.count(variant) for variant in facts]
    rows = {name: list(map(_write_known, known, counts)) for name, known in recorded.items()}
    alike = {name for name, known in recorded.items() if len({_join(one) for one in known}) == 1}
    differing = {name: texts for name, texts in rows.items() if name not in alike}
    common = {
        name: _write_known(_add_up(recorded[name]), sum(counts)) for name in rows if name in alike
    }
    tables = []
    if differing:
        tables.append(_differences(differing, list(facts)))
    if common:
        tables.append(_common(common))
    return tuple(tables)


def _gather(runs: Runs) -> _Facts:
    facts: _Facts = {}
    columns = [runs[name].tolist() for name in ("variant", "role", "env", *_COLUMNS)]
    for variant, role, env, *values in zip(*columns, strict=True):
        if role != "measured":
            continue
        known = facts.setdefault(variant, {})
        for name, value in (*zip(_COLUMNS, values, strict=True), *_entries(env)):
            text = _write(value)
            if text:
                met = known.setdefault(name, {})
                met[text] = met.get(text, 0) + 1
    return facts


def _entries(env: object) -> Iterable[tuple[str, object]]:
    return env.items() if isinstance(env, Mapping) else ()


def _write(value: object) -> str:
    """Write a fact; empty if unknown (None, NaN and NA are not equal to themselves)."""
    if isinstance(value, str):
        return "" if value == "unknown" else printable(value)
    if isinstance(value, bool | int):
        return f"{value}"
    if isinstance(value, float) and not math.isnan(value):
        return f"{value:g}"
    return ""


def _write_known(values: Mapping[str, int], runs: int) -> str:
    """Write the values of a variant, and how many of its runs record them."""
    known = sum(values.values())
    if not 0 < known < runs:
        return _join(values)
    return f"{_join(values)} in {known} of {runs} runs, {UNKNOWN} in the others"


def _add_up(known: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Count the runs of all variants that record a value."""
    return {text: sum(one.get(text, 0) for one in known) for text in known[0]}


def _join(values: Iterable[str]) -> str:
    shown = list(values)
    if len(shown) > 3:
        return f"{'; '.join(shown[:2])}; and {len(shown) - 2} more"
    return "; ".join(shown) or UNKNOWN


def _differences(rows: Mapping[str, list[str]], variants: list[str]) -> Table:
    return Table(
        title="Differs between variants",
        columns=(Column("fact", "fact"), *(Column(v, printable(v)) for v in variants)),
        rows=tuple((Cell(printable(n)), *(Cell(t) for t in texts)) for n, texts in rows.items()),
    )


def _common(rows: Mapping[str, str]) -> Table:
    return Table(
        title="Common to all variants",
        columns=(Column("fact", "fact"), Column("value", "value")),
        rows=tuple((Cell(printable(name)), Cell(text)) for name, text in rows.items()),
    )


def read_sources(runs: Runs) -> tuple[tuple[str, str], ...]:
    """Collect (path, sha256) of every source, once, in the order of the runs."""
    distinct: dict[tuple[str, str], None] = {}
    for sources in runs["sources"].tolist():
        for source in sources if isinstance(sources, Iterable) else ():
            distinct[_read(source)] = None
    return tuple(distinct)


def sources_table(sources: Sequence[tuple[str, str]]) -> Table:
    """List the sources."""
    return Table(
        title="Sources",
        columns=(Column("path", "path"), Column("sha256", "sha256")),
        rows=tuple((Cell(printable(path)), Cell(printable(sha))) for path, sha in sources),
        caption=f"{len(sources)} files" if len(sources) != 1 else "1 file",
    )


def problems_table(problems: Sequence[Diagnostic]) -> Table:
    """List the files that were refused or read with a loss: errors first, equal ones joined."""
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

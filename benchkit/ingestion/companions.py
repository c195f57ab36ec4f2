"""Assignment of container tables on a page to the results below the same heading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from benchkit.ingestion.parts import Part
from benchkit.parsers import registry
from benchkit.schema import LOST_ROLES

__all__ = ["place_companions"]


def place_companions(parts: Sequence[Part]) -> None:
    """Give container tables the labels of their results; applied on reading, never stored.

    A table belongs to the results that share most headings with it. If several tables and results
    share the same ones, tables and results alternate. In a text with a single result, or if the
    order is ambiguous, each table covers all results.
    """
    pages: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    for part in parts:
        if part.line and part.places is None and part.role not in LOST_ROLES:
            pages[part.origin, part.path, part.assigned].append(part)
    for page in pages.values():
        tables = [part for part in page if _is_table(part)]
        results = [part for part in page if not part.is_companion]
        if tables and len(results) > 1:
            _place(tables, results)


def _is_table(part: Part) -> bool:
    return part.is_companion and registry.tool(part.tool).has_snapshots and part.run is None


def _place(tables: Sequence[Part], results: Sequence[Part]) -> None:
    import numpy as np

    listed: dict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(results):
        for name in {*each.headings.values(), each.variant}:
            listed[name].append(at)
    named = {name: np.array(places) for name, places in listed.items()}
    alike: dict[frozenset[str], list[Part]] = defaultdict(list)
    for table in tables:
        alike[frozenset(named.keys() & {*table.headings.values()})].append(table)
    groups: dict[tuple[int, ...], list[Part]] = defaultdict(list)
    for names, same in alike.items():
        shares = np.zeros(len(results), np.int64)
        for name in names:
            shares[named[name]] += 1
        groups[tuple(np.flatnonzero(shares == shares.max()).tolist())] += same
    for places, same in groups.items():
        for members, covered in _alternate(same, [results[at] for at in places]):
            for table in members if len(covered) < len(results) else ():
                _label(table, covered)


def _alternate(
    tables: Sequence[Part], results: Sequence[Part]
) -> Iterator[tuple[list[Part], list[Part]]]:
    """Yield tables with their results: those above, or those below if a table comes first."""
    ordered = sorted((*tables, *results), key=lambda part: part.line)
    stretches = [list(same) for _, same in groupby(ordered, key=_is_table)]
    if sum(not _is_table(stretch[0]) for stretch in stretches) == 1:
        yield list(tables), list(results)
        return
    is_below = _is_table(stretches[0][0])
    if is_below and len(stretches) % 2:
        return
    for one, other in list(pairwise(stretches))[::2]:
        yield (one, other) if is_below else (other, one)


def _label(table: Part, results: Sequence[Part]) -> None:
    """Give a table the labels that its results share."""
    benchmarks = {each.benchmark or each.target for each in results}
    params, variants = {each.params for each in results}, {each.variant for each in results}
    numbers = {each.number for each in results}
    named = " / ".join(table.headings.values())
    table.benchmark = benchmarks.pop() if len(benchmarks) == 1 else named
    table.params = params.pop() if len(params) == 1 else ""
    table.variant = variants.pop() if len(variants) == 1 else table.variant
    table.number = numbers.pop() if len(numbers) == len(results) == 1 else 0

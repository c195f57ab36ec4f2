"""Repeats within files: whether each of them counts, or each file once.

Repeats in one file share an invocation: its process, its minute of the machine. Where files differ
more than the repeats within them, counting repeats finds differences between identical programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchkit.codes import list_values
from benchkit.comparison.cells import Cell
from benchkit.comparison.model import Row
from benchkit.comparison.shards import list_paths
from benchkit.derived.record import keep_measured, list_known, number_sides
from benchkit.schema import Side
from benchkit.stats.spread import compare_groups

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: The file of each run.
Files = Mapping[int, int]
Cells = Mapping[Row, Cell]
#: From this p-value on repeats count: so large that files that differ seldom pass (Bancroft).
_ALIKE = 0.25
#: What the number of runs of such a row means.
ONCE = "each file counts as one run, by the median of its repeats (B218)"


def find_files(runs: Runs) -> dict[Side, Files]:
    """Return the sides with repeats in a file; none where no such side has several files."""
    measured = keep_measured(runs)
    places = zip(list_known(measured["origin"]), list_paths(measured), strict=True)
    known: dict[tuple[str | None, str], int] = {}
    files = np.array([known.setdefault(place, len(known)) for place in places], dtype=np.int64)
    numbers, sides = number_sides(measured)
    pairs, counts = np.unique(numbers * max(len(known), 1) + files, return_counts=True)
    of_pair = pairs // max(len(known), 1)
    files_of = np.bincount(of_pair, minlength=len(sides))
    has_repeats = np.bincount(of_pair, counts, minlength=len(sides)) > files_of
    if not (has_repeats & (files_of > 1)).any():
        return {}
    by_side: dict[Side, dict[int, int]] = {}
    columns = numbers.tolist(), list_values(measured["run"]), files.tolist()
    for number, run, file in zip(*columns, strict=True):
        if has_repeats[number]:
            by_side.setdefault(sides[number], {})[run] = file
    return dict(by_side)


def join_files(
    variants: Mapping[str, Cells], files: Mapping[Side, Files], is_primary: Callable[[Row], bool]
) -> Mapping[str, Cells]:
    """Let each file count once, by the median of its repeats, where files differ beyond these.

    Of a tool, the primary row with the smallest p-value decides for all rows: that of an F test on
    logarithms that the files of each variant are alike, times the number of rows (Bonferroni).
    """
    tests: dict[str, list[float]] = {}
    rows = dict.fromkeys(row for cells in variants.values() for row in cells) if files else ()
    for row in filter(is_primary, rows):
        groups = [
            [[cells[row].by_run[run] for run in runs] for runs in _group(row, name, cells, files)]
            for name, cells in variants.items()
            if row in cells
        ]
        tests.setdefault(row.tool, []).append(compare_groups(groups))
    apart = {tool for tool, values in tests.items() if min(values) * len(values) <= _ALIKE}
    if not apart:
        return variants
    return {
        name: {
            row: _join(cell, _group(row, name, cells, files)) if row.tool in apart else cell
            for row, cell in cells.items()
        }
        for name, cells in variants.items()
    }


def _group(
    row: Row, variant: str, cells: Cells, files: Mapping[Side, Files]
) -> Iterable[Sequence[int]]:
    """Return the runs of each file; a run of an unknown file is by itself."""
    file_of = files.get(row.workload.side(variant), {})
    groups: dict[int, list[int]] = {}
    for run in cells[row].by_run:
        groups.setdefault(file_of.get(run, -1 - run), []).append(run)
    return groups.values()


def _join(cell: Cell, groups: Iterable[Sequence[int]]) -> Cell:
    by_run = {runs[0]: median(cell.by_run[run] for run in runs) for runs in groups}
    count = len(cell.by_run)
    return replace(cell, by_run=by_run, repeats=count) if len(by_run) < count else cell

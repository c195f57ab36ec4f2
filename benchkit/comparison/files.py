"""The definition of a run: repeats within a file, and files of several load generators.

Repeats in one file share an invocation: the same process in the same minute on the machine. If
files differ more than the repeats within them, counting repeats finds differences between identical
programs. Generators of one load share a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from benchkit.codes import list_values, number_maps
from benchkit.comparison.cells import Cell
from benchkit.comparison.model import Row
from benchkit.derived.record import keep, keep_measured, list_known, number_sides
from benchkit.labels.plain_stems import NAME_WORDS
from benchkit.regexes import regex
from benchkit.schema import Side, list_labels
from benchkit.stats.spread import compare_groups

if TYPE_CHECKING:
    from benchkit.schema import Runs

T = TypeVar("T")

#: Minimum overlap of two concurrent runs, as a share of the shorter: clocks and windows are coarse.
_OVERLAP = 0.5
#: Resolution of recorded starts, in seconds: shorter runs may only seem to overlap.
_COARSE = 1.0
#: Lookbehinds that exclude a number after a word for a run: `run_1_of_4` is a run.
_NO_RUN = "".join(f"(?<!{word}[-_ ])" for word in NAME_WORDS)
#: The part of a file name that numbers one of several generators.
_GENERATOR = regex(
    r"(?<![a-z])(?:shard|worker|instance|pod|generator|injector)[-_. ]?\d{1,4}(?!\d)"
    rf"(?:[-_ ]?of[-_ ]?\d{{1,4}})?|(?<![\da-z]){_NO_RUN}\d{{1,4}}[-_ ]of[-_ ]\d{{1,4}}(?!\d)",
    re.IGNORECASE,
)


class _File(NamedTuple):
    """The file of a measured run; its start is None if its time is unknown."""

    side: Side
    run: int | None
    path: str
    load: str
    shard: str
    start: float | None
    length: float


def find_shards(runs: Runs) -> dict[Side, int]:
    """Find the series whose files come from several generators of one run.

    Either the files declare the same run, and shards of it or times that overlap; or their names
    number shards, workers, instances, pods or generators, and their times do not show that they ran
    one after another.

    Returns
    -------
    dict of Side to int
        The largest number of files of one run.
    """
    files = [*_list_files(runs, 0)]
    most_files: dict[Side, int] = {}
    sharded = [file for file in files if file.shard]
    for (side, _), same in _group_files(sharded, lambda file: (file.side, file.run)).items():
        if (count := len({file.shard for file in same})) > 1:
            most_files[side] = count
    declared = [file for file in files if file.start is not None and file.run is not None]
    named = [file for file in files if "#" in file.load]
    for groups in (
        _group_files(declared, lambda file: (file.side, file.run)),
        _group_files(named, lambda file: (file.side, (file.path.rpartition("/")[0], file.load))),
    ):
        for (side, _), same in groups.items():
            is_timed = all(file.start is not None for file in same)
            count = _count_overlapping(same) if is_timed else len({file.path for file in same})
            if count > 1:
                most_files[side] = max(count, most_files.get(side, 0))
    return most_files


def count_concurrent(runs: Runs) -> dict[Side, int]:
    """Count the files of each side that were measured at the same time as another of its files."""
    timed = [file for file in _list_files(runs, _COARSE) if file.start is not None]
    groups = _group_files(timed, lambda file: (file.side, None)).items()
    counts = {side: _count_overlapping(same) for (side, _), same in groups}
    return {side: count for side, count in counts.items() if count}


def _list_files(runs: Runs, shortest: float) -> Iterator[_File]:
    """Yield the files of measured runs with a known start, shard or generator.

    The time of runs that are not longer than ``shortest`` counts as unknown.
    """
    measured = keep_measured(runs)
    paths = list_paths(measured)
    names = {path: path.rpartition("/")[2] for path in dict.fromkeys(paths)}
    loads = {path: _GENERATOR.sub("#", name) for path, name in names.items()}
    numbers, envs = number_maps(measured["env"])
    is_shard = np.array(["shard" in env for env in envs], dtype=bool)[numbers]
    is_generator = np.array(["#" in loads[path] for path in paths], dtype=bool)
    measured = keep(measured, measured["started_at"].notna() | is_shard | is_generator)
    starts, declared = (list_known(measured[name]) for name in ("started_at", "declared_run"))
    rest = (measured[name].tolist() for name in ("duration", "env"))
    for labels, path, start, number, length, env in zip(
        list_labels(measured), list_paths(measured), starts, declared, *rest, strict=True
    ):
        began = start.timestamp() if start is not None and length > shortest else None
        shard = (env or {}).get("shard", "")
        yield _File(labels.side, number, path, loads[path], shard, began, length)


def list_paths(runs: Runs) -> list[str]:
    """Return the path of each run's first source, empty if it has none."""
    return [sources[0]["path"] if sources else "" for sources in runs["sources"].tolist()]


def _group_files(files: Iterable[_File], key_of: Callable[[_File], T]) -> dict[T, list[_File]]:
    groups: dict[T, list[_File]] = {}
    for file in files:
        groups.setdefault(key_of(file), []).append(file)
    return groups


def _count_overlapping(files: Iterable[_File]) -> int:
    """Count the files that overlap with another one; runs of one file follow one another."""
    first = {file.path: file for file in reversed([*files])}
    spans = sorted((file.start or 0.0, file.length) for file in first.values())
    overlapping = {
        end
        for (i, (start, length)), (j, (later, other)) in pairwise(enumerate(spans))
        if start + length - later >= _OVERLAP * min(length, other)
        for end in (i, j)
    }
    return len(overlapping)


#: The file of each run.
Files = Mapping[int, int]
Cells = Mapping[Row, Cell]
#: P-value above which repeats count as runs: so large that files that differ seldom exceed it
#: (Bancroft).
_ALIKE = 0.25
#: Note on the number of runs of a row whose files count once.
ONCE = "each file counts as one run, by the median of its repeats (B218)"


def find_files(runs: Runs) -> dict[Side, Files]:
    """Return the sides with repeats in a file; empty if no such side has several files."""
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
    """Count each file once, by the median of its repeats, if files differ more than their repeats.

    For each tool, the primary row with the smallest p-value decides for all rows. The p-value is
    that of an F test on logarithms of the hypothesis that the files of each variant are equal,
    times the number of rows (Bonferroni).
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
    """Return the runs of each file; a run of an unknown file forms a group by itself."""
    file_of = files.get(row.workload.side(variant), {})
    groups: dict[int, list[int]] = {}
    for run in cells[row].by_run:
        groups.setdefault(file_of.get(run, -1 - run), []).append(run)
    return groups.values()


def _join(cell: Cell, groups: Iterable[Sequence[int]]) -> Cell:
    by_run = {runs[0]: median(cell.by_run[run] for run in runs) for runs in groups}
    count = len(cell.by_run)
    return replace(cell, by_run=by_run, repeats=count) if len(by_run) < count else cell

"""Outputs of `go test` before and after a change that were pasted into one file: finding B111.

Times vary from run to run, so they do not tell; allocations do. In repeats they are equal, or they
wobble by a little here and there. In a file of two measurements they change once, in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchkit.comparison import Comparisons, Contrast
from benchkit.derived.record import keep_measured
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Least change of a count: one allocation more or less may be rounding, unless bytes change, too.
_LEAST = 2
_LEAST_SHARE = 0.1
_LEAST_BYTES = 0.25
_ALLOCATIONS, _BYTES = "allocs_per_op", "bytes_per_op"


def find_pasted(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B111: the allocations of one benchmark change in the middle of one file."""
    counts, sizes = (_list_rows(comparisons, metric) for metric in (_ALLOCATIONS, _BYTES))
    named: set[str] = set()
    for key, row in counts.items():
        for at, name in enumerate((row.baseline, row.variant)):
            halves = _part(_get_values(row)[at])
            if not halves or name in named:
                continue
            size = _part(_get_values(sizes[key])[at]) if key in sizes else None
            if _is_changed(halves, size) and _are_of_one_file(runs, row, name):
                named.add(name)
                yield _describe(row, name, halves)


def _list_rows(comparisons: Comparisons, metric: str) -> dict[tuple[str, ...], Contrast]:
    return {
        (c.group, c.benchmark, c.params, c.baseline, c.variant): c
        for c in comparisons.contrasts
        if c.metric == metric and c.stat == "sample"
    }


def _get_values(row: Contrast) -> tuple[Sequence[float], Sequence[float]]:
    return row.baseline_values, row.variant_values


def _part(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the values of both halves, if each has one that is not the other's."""
    half = len(values) // 2
    first, second = set(values[:half]), set(values[half:])
    if len(values) % 2 or len(first) != 1 or len(second) != 1 or first == second:
        return None
    return first.pop(), second.pop()


def _is_changed(halves: tuple[float, float], size: tuple[float, float] | None) -> bool:
    """Tell whether the counts of two halves differ by more than rounding."""
    low, high = sorted(halves)
    if high - low >= max(_LEAST, _LEAST_SHARE * high):
        return True
    return size is not None and min(size) <= (1 - _LEAST_BYTES) * max(size)


def _are_of_one_file(runs: Runs, row: Contrast, name: str) -> bool:
    measured = keep_measured(runs)
    is_side = measured["variant"] == name
    for column in ("group", "benchmark", "params"):
        is_side &= measured[column] == getattr(row, column)
    sources = measured.loc[is_side, "sources"].tolist()
    return len({str(source["path"]) for own in sources for source in own}) == 1


def _describe(row: Contrast, name: str, halves: tuple[float, float]) -> Finding:
    first, second = (f"{count:g}" for count in halves)
    return Finding(
        code="B111",
        severity="error",
        where=name,
        message=f"in one file, {row.benchmark} makes {first} allocations per operation in "
        f"the first half of its runs and {second} in the second: the file holds two measurements",
        remedy="write each measurement to a file named as its variant: before.txt, after.txt",
        numbers={"first": halves[0], "second": halves[1]},
    )

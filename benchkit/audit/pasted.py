"""Outputs of `go test` before and after a change that were pasted into one file: finding B111.

Times vary from run to run, so they do not tell; allocations do. In repeats they are equal, or they
wobble by a little here and there, and the first run of a process may differ. In a file of two
measurements they change once, and at least two runs stand on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from benchkit.comparison import Comparisons, Contrast
from benchkit.derived.record import keep_measured
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Least change of a count: one allocation more or less may be rounding, unless bytes change, too.
_LEAST = 2
_LEAST_SHARE = 0.1
_LEAST_BYTES = 0.25
#: Runs on either side of the change, unless there are two runs in all.
_FEWEST = 2
_ALLOCATIONS, _BYTES = "allocs_per_op", "bytes_per_op"


class _Change(NamedTuple):
    """The one change of a count: the runs on either side, and what they have."""

    before: int
    after: int
    first: float
    second: float


def find_pasted(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B111: the allocations of one benchmark change once in one file."""
    counts, sizes = (_list_rows(comparisons, metric) for metric in (_ALLOCATIONS, _BYTES))
    named: set[str] = set()
    for key, row in counts.items():
        for at, name in enumerate((row.baseline, row.variant)):
            change = _find_change(_get_values(row)[at])
            if not change or name in named:
                continue
            size = _find_change(_get_values(sizes[key])[at]) if key in sizes else None
            if _is_large(change, size) and _are_of_one_file(runs, row, name):
                named.add(name)
                yield _describe(row, name, change)


def _list_rows(comparisons: Comparisons, metric: str) -> dict[tuple[str, ...], Contrast]:
    return {
        (c.group, c.benchmark, c.params, c.baseline, c.variant): c
        for c in comparisons.contrasts
        if c.metric == metric and c.stat == "sample"
    }


def _get_values(row: Contrast) -> tuple[Sequence[float], Sequence[float]]:
    return row.baseline_values, row.variant_values


def _find_change(values: Sequence[float]) -> _Change | None:
    """Return where values change, if they do once and not at an end."""
    places = [at for at, (one, other) in enumerate(pairwise(values), 1) if one != other]
    if len(places) != 1:
        return None
    (before,), after = places, len(values) - places[0]
    if min(before, after) < _FEWEST and before != after:
        return None
    return _Change(before, after, values[0], values[-1])


def _is_large(change: _Change, size: _Change | None) -> bool:
    """Tell whether the counts on both sides differ by more than rounding."""
    low, high = sorted((change.first, change.second))
    if high - low >= max(_LEAST, _LEAST_SHARE * high):
        return True
    if size is None or size.before != change.before:
        return False
    low, high = sorted((size.first, size.second))
    return low <= (1 - _LEAST_BYTES) * high


def _are_of_one_file(runs: Runs, row: Contrast, name: str) -> bool:
    measured = keep_measured(runs)
    is_side = measured["variant"] == name
    for column in ("group", "benchmark", "params"):
        is_side &= measured[column] == getattr(row, column)
    sources = measured.loc[is_side, "sources"].tolist()
    return len({str(source["path"]) for own in sources for source in own}) == 1


def _describe(row: Contrast, name: str, change: _Change) -> Finding:
    before, after, first, second = change
    if before == after:
        shares = "in the first half of its runs", "in the second"
    else:
        shares = f"in its first {before} runs", f"in the last {after}"
    return Finding(
        code="B111",
        severity="error",
        where=name,
        message=f"in one file, {row.benchmark} makes {first:g} allocations per operation "
        f"{shares[0]} and {second:g} {shares[1]}: the file contains two measurements",
        remedy="write each measurement to a file named after its variant: before.txt, after.txt",
        numbers={"first": first, "second": second},
    )

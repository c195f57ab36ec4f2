"""Rules about one measurement under two names, and two measurements under one name.

Outputs of `go test` before and after a change that were pasted into one file: finding B111.

Times vary from run to run, so they cannot show it, but allocations can. In repeats they are equal
or vary slightly, and the first run of a process may differ. In a file of two measurements they
change once, with at least two runs before and after.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations, pairwise
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from benchkit.audit.facts import Evidence, Sheet, name_side
from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.model import Row
from benchkit.derived.record import Run, began_alike, group_alike, keep_measured, list_starts
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.regexes import regex

if TYPE_CHECKING:
    from benchkit.schema import Runs


#: Counts of a side in one row, and of both sides.
Values = tuple[float, ...]
_Pair = tuple[Values, Values]
#: Minimum number of distinct values that cannot agree by chance.
_ENOUGH = 5
_SHOWN = 3
#: Number of digits of repeats, in order, that cannot agree by chance.
_DIGITS = 4
_REMEDY = "find the raw result of each run, or leave the copies out"
#: Numbers that identify a run; totals and settings are often equal.
_TELLING = frozenset(("latency", "request_rate", "bandwidth_in", "iteration_time", "phase_time"))
_WRITTEN = regex(
    r"(?:^|\s)(?:--?(?:output|out|summary-export)[= ]+(?:\w+=)?|-[ogeg] +|tee +(?:-a +)?|>>? *)"
    r"(?P<path>[\w./~-]*\w\.\w+)"
)

#: Smallest change of a count: one allocation may be rounding, unless bytes change, too.
_LEAST = 2
_LEAST_SHARE = 0.1
_LEAST_BYTES = 0.25
#: Runs before and after the change, unless there are only two runs.
_FEWEST = 2
_ALLOCATIONS, _BYTES = "allocs_per_op", "bytes_per_op"


def find_equal_runs(evidence: Evidence) -> Iterator[Finding]:
    """B105: two runs have equal numbers in everything that varies from run to run."""
    same: dict[frozenset[tuple[object, ...]], list[Run]] = {}
    for sheet in evidence.loads:
        numbers = _sign(sheet)
        if numbers is not None:
            same.setdefault(numbers, []).append(sheet.run)
    for numbers, equal in same.items():
        for runs in group_alike((run, evidence.starts.get(run.key)) for run in equal):
            if len(runs) > 1:
                yield _describe_equal(runs, len(numbers))


def find_equal_sides(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B105: two variants of functions have equal times, one by one, wherever these vary."""
    sampled = [c for c in comparisons.contrasts if c.stat == "sample"]
    for baseline, variant in list_equal_pairs(sampled, runs):
        yield Finding(
            code="B105",
            severity="warning",
            where=f"{baseline}, {variant}",
            message="all their values are equal, run by run, so they are one measurement under "
            "two names",
            remedy=_REMEDY,
            numbers={"rows": sum((c.baseline, c.variant) == (baseline, variant) for c in sampled)},
        )


def find_doubled_sides(comparisons: Comparisons, _: Runs) -> Iterator[Finding]:
    """B105: the second half of a variant's values repeats the first half, function by function."""
    sides: dict[str, dict[Row, Values]] = {}
    for row in comparisons.contrasts:
        if row.stat == "sample":
            sides.setdefault(row.baseline, {})[row.key] = row.baseline_values
            sides.setdefault(row.variant, {})[row.key] = row.variant_values
    for side, rows in sides.items():
        halves = [
            (values[: len(values) // 2], values[len(values) // 2 :]) for values in rows.values()
        ]
        if all(len(values) > 1 for values in rows.values()) and _is_one(halves):
            yield Finding(
                code="B105",
                severity="warning",
                where=side,
                message="the second half of its values repeats the first one, so a log was "
                "probably appended to itself, and each measurement counts twice",
                remedy="leave one copy of each result in the files",
                numbers={"rows": len(rows)},
            )


def list_equal_pairs(contrasts: Iterable[Contrast], runs: Runs) -> list[tuple[str, str]]:
    """Return the pairs whose values are equal wherever they vary, and not by chance.

    A second measurement never gives the same numbers again. A command that wrote nothing, or wrote
    elsewhere, leaves the first ones. Sides with different recorded starts were both measured.
    Variants of one baseline are compared with each other, too; each copy is reported once.
    """
    compared_pairs: dict[tuple[str, str], list[_Pair]] = {}
    sides: dict[str, dict[Row, Values]] = {}
    for row in contrasts:
        values = row.baseline_values, row.variant_values
        compared_pairs.setdefault((row.baseline, row.variant), []).append(values)
        for side, known in zip((row.baseline, row.variant), values, strict=True):
            sides.setdefault(side, {}).setdefault(row.key, known)
    others = (
        (pair, _put_together(*map(sides.__getitem__, pair)))
        for pair in _list_alike(sides, compared_pairs)
    )
    equal = [pair for pair, compared in (*compared_pairs.items(), *others) if _is_one(compared)]
    if not equal:
        return []
    starts: dict[str, set[datetime | None]] = {}
    measured = keep_measured(runs)
    for variant, start in zip(measured["variant"], list_starts(measured), strict=True):
        starts.setdefault(variant, set()).add(start)
    equal = [pair for pair in equal if began_alike(*(starts.get(side, {None}) for side in pair))]
    copies = [copy for _, copy in equal]
    return [
        pair
        for place, pair in enumerate(equal)
        if pair in compared_pairs or pair[1] not in copies[:place]
    ]


def _list_alike(
    sides: Mapping[str, Mapping[Row, Values]], compared: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the other pairs of sides that share a row of equal, varying values."""
    alike: dict[tuple[Row, Values], list[str]] = {}
    for side, rows in sides.items():
        for row, values in rows.items():
            if len(set(values)) > 1:
                alike.setdefault((row, tuple(sorted(values))), []).append(side)
    pairs = (pair for names in alike.values() for pair in combinations(names, 2))
    known = {pair for one, other in compared for pair in ((one, other), (other, one))}
    yield from (pair for pair in dict.fromkeys(pairs) if pair not in known)


def _put_together(ours: Mapping[Row, Values], theirs: Mapping[Row, Values]) -> list[_Pair]:
    return [(values, theirs[row]) for row, values in ours.items() if row in theirs]


def _is_one(compared: Sequence[_Pair]) -> bool:
    """Return whether the values of two sides come from one measurement.

    If n values take d levels, each is equal by chance, at its position, once in d times.
    """
    if any(sorted(ours) != sorted(theirs) for ours, theirs in compared):
        return False
    levels = [len(set(ours)) for ours, _ in compared]
    ordered = sum(
        len(ours) * log10(count)
        for (ours, theirs), count in zip(compared, levels, strict=True)
        if ours == theirs
    )
    return sum(levels) - len(levels) >= _ENOUGH or ordered >= _DIGITS


def find_shared_outputs(evidence: Evidence) -> Iterator[Finding]:
    """B106: the commands of several runs write to the same file."""
    writers: dict[tuple[str, str], list[Run]] = {}
    for run in evidence.list_runs(lambda run: run.role in {"measured", "failed"} and run.command):
        for path in dict.fromkeys(_WRITTEN.findall(run.command or "")):
            writers.setdefault((run.group, path), []).append(run)
    for (_, path), runs in writers.items():
        if len({run.variant for run in runs}) > 1:
            names = list(dict.fromkeys(run.name for run in runs))
            yield Finding(
                code="B106",
                severity="warning",
                where=path,
                message=f"{list_names(names, _SHOWN)} write to the same file; if they ran in the "
                "same folder, only the last result is left",
                remedy="put the variant and the run in the file name: "
                "`-output=VARIANT/vegeta-results-1.bin`",
                numbers={"runs": len(runs)},
            )


def _describe_equal(runs: Sequence[Run], count: int) -> Finding:
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        names = [f"run {run.run} of {name_side(run.side)}" for run in runs]
    return Finding(
        code="B105",
        severity="warning",
        where=list_names(names, _SHOWN),
        message=f"these runs have {count} identical numbers, so they are one measurement under "
        "two names",
        remedy=_REMEDY,
        numbers={"runs": len(runs), "numbers": count},
    )


def _sign(sheet: Sheet) -> frozenset[tuple[object, ...]] | None:
    """Return the identifying numbers of a run, or None if there are too few."""
    distinctive = {
        (*name, number.value)
        for name, number in sheet.numbers.items()
        if name.metric in _TELLING and number.value
    }
    different = {entry[-1] for entry in distinctive}
    return frozenset(distinctive) if len(different) >= _ENOUGH else None


class _Change(NamedTuple):
    """The single change of a count: the runs before and after, and their values."""

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
    """Return where values change, if they change once and not at an end."""
    places = [at for at, (one, other) in enumerate(pairwise(values), 1) if one != other]
    if len(places) != 1:
        return None
    (before,), after = places, len(values) - places[0]
    if min(before, after) < _FEWEST and before != after:
        return None
    return _Change(before, after, values[0], values[-1])


def _is_large(change: _Change, size: _Change | None) -> bool:
    """Return whether the counts before and after differ by more than rounding."""
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
    return len({str(source["path"]) for of_run in sources for source in of_run}) == 1


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

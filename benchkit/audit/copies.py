"""Rules about one measurement under two names, and two measurements under one.

Where every variant writes `results.bin`, the last one is compared with itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import log10
from typing import TYPE_CHECKING

from benchkit.audit.facts import Evidence, Sheet, name_side
from benchkit.comparison import Comparisons, Contrast
from benchkit.derived.record import Run, keep_measured
from benchkit.derived.starts import began_alike, group_alike, list_starts
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Fewest different numbers that cannot be the same by chance.
_ENOUGH = 5
_SHOWN = 3
#: Digits of repeats that are not the same by chance, in their order.
_DIGITS = 4
_REMEDY = "find the raw result of each run, or leave the copies out"
#: What tells a run from others; totals and settings are often equal.
_TELLING = frozenset(("latency", "request_rate", "bandwidth_in", "iteration_time", "phase_time"))
_WRITTEN = re.compile(
    r"(?:^|\s)(?:--?(?:output|out|summary-export)[= ]+(?:\w+=)?|-[ogeg] +|tee +(?:-a +)?|>>? *)"
    r"(?P<path>[\w./~-]*\w\.\w+)"
)


def find_equal_runs(evidence: Evidence) -> Iterator[Finding]:
    """B105: two runs have the same numbers in everything that varies from run to run."""
    same: dict[frozenset[tuple[object, ...]], list[Run]] = {}
    for sheet in evidence.loads:
        told = _sign(sheet)
        if told is not None:
            same.setdefault(told, []).append(sheet.run)
    for told, equal in same.items():
        for runs in group_alike((run, evidence.starts.get(run.key)) for run in equal):
            if len(runs) > 1:
                yield _describe_equal(runs, len(told))


def find_equal_sides(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B105: two variants of functions have the same times, one by one, wherever these vary."""
    sampled = [c for c in comparisons.contrasts if c.stat == "sample"]
    for baseline, variant in list_equal_pairs(sampled, runs):
        yield Finding(
            code="B105",
            severity="warning",
            where=f"{baseline}, {variant}",
            message="all their values are equal, run by run, which separate runs never have: one "
            "measurement under two names",
            remedy=_REMEDY,
            numbers={"rows": sum((c.baseline, c.variant) == (baseline, variant) for c in sampled)},
        )


def list_equal_pairs(contrasts: Iterable[Contrast], runs: Runs) -> list[tuple[str, str]]:
    """Return the pairs whose values are equal wherever they vary, and not by chance.

    A second measurement never gives the same numbers again: one that wrote nothing, or elsewhere,
    leaves the first one's. Sides that record different starts were both measured.
    """
    own: dict[tuple[str, str], list[Contrast]] = {}
    for row in contrasts:
        own.setdefault((row.baseline, row.variant), []).append(row)
    equal = [pair for pair, compared in own.items() if _is_one(compared)]
    if not equal:
        return []
    starts: dict[str, set[datetime | None]] = {}
    measured = keep_measured(runs)
    for variant, start in zip(measured["variant"], list_starts(measured), strict=True):
        starts.setdefault(variant, set()).add(start)
    return [pair for pair in equal if began_alike(*(starts.get(side, {None}) for side in pair))]


def _is_one(compared: Sequence[Contrast]) -> bool:
    """Tell whether the values of two sides are one measurement's.

    In order, each of n values that take d levels is equal by chance once in d times.
    """
    if any(sorted(row.baseline_values) != sorted(row.variant_values) for row in compared):
        return False
    levels = [len(set(row.baseline_values)) for row in compared]
    ordered = sum(
        len(row.baseline_values) * log10(count)
        for row, count in zip(compared, levels, strict=True)
        if row.baseline_values == row.variant_values
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
                message=f"the commands of {_list(names)} all write to it: in one folder, each run "
                "overwrites the previous one, and only the last is left",
                remedy="put the variant and the run in the file name: "
                "`-output=VARIANT/vegeta-results-1.bin`",
                numbers={"runs": len(runs)},
            )


def _describe_equal(runs: Sequence[Run], count: int) -> Finding:
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        names = [f"{name_side(run.side)} {run.run}" for run in runs]
    return Finding(
        code="B105",
        severity="warning",
        where=_list(names),
        message=f"these runs have {count} identical numbers, which separate runs never "
        "have: one measurement under two names",
        remedy=_REMEDY,
        numbers={"runs": len(runs), "numbers": count},
    )


def _sign(sheet: Sheet) -> frozenset[tuple[object, ...]] | None:
    """Return the telling numbers of a run, or None where they are too few."""
    telling = {
        (*name, number.value)
        for name, number in sheet.numbers.items()
        if name.metric in _TELLING and number.value
    }
    different = {entry[-1] for entry in telling}
    return frozenset(telling) if len(different) >= _ENOUGH else None


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

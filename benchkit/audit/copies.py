"""Rules about one measurement under two names, and two measurements under one.

Where every variant writes `results.bin`, the last one is compared with itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.audit.facts import Evidence, Sheet, name_side
from benchkit.derived.record import Run
from benchkit.errors import Finding

#: Fewest different numbers that cannot be the same by chance.
_ENOUGH = 5
_SHOWN = 3
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
    for told, runs in same.items():
        if len(runs) > 1:
            names = [run.name for run in runs]
            if len(set(names)) < len(names):
                names = [f"{name_side(run.side)} {run.run}" for run in runs]
            yield Finding(
                code="B105",
                severity="warning",
                where=_list(names),
                message=f"these runs have {len(told)} identical numbers, which separate runs never "
                "have: one measurement under two names",
                remedy="find the raw result of each run, or leave the copies out",
                numbers={"runs": len(runs), "numbers": len(told)},
            )


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

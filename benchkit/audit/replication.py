"""Rules about the number of runs: what they can and cannot show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchkit.audit.facts import name_side
from benchkit.comparison import (
    DIRECTIONS,
    EXACT,
    RANK_RUNS,
    REFUSED,
    SINGLE,
    WITHIN,
    Comparisons,
    Contrast,
    count_decidable,
    count_runs,
    decide,
    find_closed,
)
from benchkit.comparison.families import RANKED, is_constant
from benchkit.comparison.files import count_concurrent, find_shards
from benchkit.comparison.series import SEVERAL, find_series
from benchkit.errors import Finding
from benchkit.listing import list_first
from benchkit.metrics import display_name
from benchkit.stats.multiplicity import runs_for_family
from benchkit.stats.twolevel import FEWEST_BEYOND
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

_SHOWN = 5
_ANEW = "start a new series in an empty folder with `benchkit capture --until decided`"
_RESTORE = f"restore the missing file, or move other runs to another folder; else {_ANEW}"
_SPLIT = (
    "move copies of runs to another folder; if the command prints a benchmark several times, let "
    f"it print it once (for Go: -count 1), and {_ANEW}"
)


def find_single_runs(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B301: a side has one run, so only a direction can be reported."""
    primary = [c for c in comparisons.contrasts if c.primary]
    single = [c for c in primary if c.method in {SINGLE, WITHIN}]
    if single:
        least = max(runs_for_family(len(primary), 1 - comparisons.confidence), RANK_RUNS)
        yield Finding(
            code="B301",
            severity="warning",
            message=f"a side has only one run in {len(single)} of {len(primary)} primary rows: "
            "direction only",
            remedy=f"run each variant at least {least} times, alternating between variants",
            numbers={"rows": len(single), "runs_needed": least},
        )


def find_few_runs(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B302: too few runs for the number of primary rows: some or all cannot be significant."""
    tested = [
        c
        for c in decide(comparisons)[0].contrasts
        if c.primary and c.method not in {EXACT, *DIRECTIONS}
    ]
    alpha = 1 - comparisons.confidence
    closed = [c for c, no in zip(tested, find_closed(tested, alpha), strict=True) if no]
    if closed:
        most = max(closed, key=lambda c: count_decidable(c, alpha))
        room = count_decidable(most, alpha)
        least = count_runs(most, len(tested), alpha)
        who = "no row" if len(closed) == len(tested) else f"{len(closed)} of {len(tested)} rows"
        decided = f"at most {room} row{'' if room == 1 else 's'}" if room else "no row"
        there = "but there is 1" if len(tested) == 1 else f"but there are {len(tested)}"
        still = " that do not vary" if is_constant(most) and most.method not in RANKED else ""
        verb = "can" if len(closed) == len(tested) else "cannot"
        yield Finding(
            code="B302",
            severity="warning",
            message=f"{who} {verb} reach p ≤ {alpha:.2g}: {most.n_baseline} + {most.n_variant} "
            f"runs{still} can give a verdict for {decided}, {there}",
            remedy=f"run each side at least {least} times, or name fewer primary metrics with "
            "--metric, or metrics= in Python",
            numbers={
                "rows": len(tested),
                "closed": len(closed),
                "decidable": room,
                "runs_needed": least,
            },
        )


def find_joined_files(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B218: files differ more than the repeats within them, so each file counts once."""
    joined: dict[tuple[str, str, str], list[Contrast]] = {}
    for c in comparisons.contrasts:
        if c.primary and any(c.repeats):
            joined.setdefault((c.baseline, c.variant, c.tool), []).append(c)
    for (*pair, tool), rows in joined.items():
        most = max(rows, key=lambda c: sum(c.repeats))
        ends = zip(pair, most.repeats, (most.n_baseline, most.n_variant), strict=True)
        runs = ", ".join(f"'{name}' {count} in {files}" for name, count, files in ends if count)
        yield Finding(
            code="B218",
            severity="warning",
            where=", ".join((*pair, tool)),
            message="files differ more than the repeats within them, so each file counts once, by "
            f"its median (repeats and files: {printable(runs)})",
            remedy="alternate between the variants and measure at least 4 files of each; few "
            "repeats per file are enough",
            numbers={"rows": len(rows), "repeats": sum(most.repeats)},
        )


def find_broken_series(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B344: an early-stopping series lacks runs, or contains foreign ones."""
    series = find_series(runs)
    compared = {(c.workload, (c.baseline, c.variant)) for c in comparisons.contrasts if c.primary}
    problems = {
        (workload.benchmark, pair, series[workload].find_problem(pair)): None
        for workload, pair in sorted(compared)
        if workload in series and series[workload].find_design(pair)
    }
    for benchmark, pair, problem in problems:
        if problem:
            yield Finding(
                code="B344",
                severity="warning",
                where=", ".join(filter(None, (*pair, benchmark))),
                message=f"the early-stopping series is incomplete: {problem}",
                remedy=_SPLIT if problem.endswith(SEVERAL) else _RESTORE,
            )


def find_thin_tails(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B338: percentiles with fewer than 10 events of a run beyond them."""
    thin = [c for c in comparisons.contrasts if c.method == REFUSED]
    if thin:
        names = list(dict.fromkeys(_name(c) for c in thin))
        yield Finding(
            code="B338",
            severity="warning" if any(c.primary for c in thin) else "info",
            message=f"not compared: {list_first(names, _SHOWN)}; fewer than {FEWEST_BEYOND} "
            "events of a run lie beyond it",
            remedy="make the runs longer, or use a lower percentile",
            numbers={"rows": len(thin)},
        )


def _name(c: Contrast) -> str:
    about = [display_name(c.metric, c.stat), c.subject and f"({c.subject})"]
    return " ".join(filter(None, [*about, c.benchmark and f"on {c.benchmark}"]))


def find_left_out(_comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B303: runs that are listed but not compared."""
    for role in ("warmup", "aggregate", "part"):
        count = int((runs["role"] == role).sum())
        if count:
            s = "s" if count > 1 else ""
            word = "warm-up" if role == "warmup" else role
            listed = f"part{s} of runs" if role == "part" else f"{word} run{s}"
            yield Finding(
                code="B303",
                severity="info",
                message=f"{count} {listed} {'are' if count > 1 else 'is'} listed but not compared",
                remedy="see `benchkit runs`",
                numbers={"runs": count},
            )


def find_lost_runs(runs: Runs) -> Iterator[Finding]:
    """B112 and B113: failed runs and damaged files, with the reasons."""
    for variant, remarks, number in _list_lost(runs, "failed"):
        yield Finding(
            code="B112",
            severity="warning",
            message=f"left out {number} failed run{'s' * (number > 1)}{variant}: {remarks}",
            remedy="fix the cause and measure again; `benchkit runs` lists "
            f"{'them' if number > 1 else 'it'}",
            numbers={"runs": number},
        )
    for variant, remarks, number in _list_lost(runs, "damaged"):
        yield Finding(
            code="B113",
            severity="warning",
            message=f"{number} damaged file{'s' * (number > 1)}{variant}, left out in whole or "
            "in part: "
            f"{remarks}",
            remedy=f"copy {'them' if number > 1 else 'it'} again or measure again; `benchkit runs` "
            f"lists {'them' if number > 1 else 'it'}",
            numbers={"files": number},
        )


def _list_lost(runs: Runs, role: str) -> Iterator[tuple[str, str, int]]:
    """Yield ``of VARIANT``, the reasons why runs of a role are lost, and their number."""
    lost = runs[runs["role"] == role]
    for variant, remarks in list_remarks(lost).items():
        more = f" and {len(remarks) - _SHOWN} more" if len(remarks) > _SHOWN else ""
        text = printable("; ".join(remarks[:_SHOWN]))
        yield printable(f" of '{variant}'" if variant else ""), f"{text}{more}", len(remarks)


def list_remarks(runs: Runs) -> dict[str, list[str]]:
    """Return the remarks on runs by variant; for measured runs with the run's number.

    Without a remark, the names of the sources are used.
    """
    remarks: dict[str, dict[str, None]] = {}
    columns = (runs[name].tolist() for name in ("variant", "remark", "sources", "role", "run"))
    for variant, remark, sources, role, number in zip(*columns, strict=True):
        paths = [str(source["path"]) for source in sources]
        text = remark if isinstance(remark, str) and remark else ", ".join(paths) or role
        text += f" (run {number})" if role == "measured" else ""
        remarks.setdefault(variant, {})[text] = None
    return {variant: list(texts) for variant, texts in remarks.items()}


def find_generators(runs: Runs) -> Iterator[Finding]:
    """B207: files of one run come from several generators; B217: runs overlapped in time."""
    shards = find_shards(runs)
    for side, files in shards.items():
        yield Finding(
            code="B207",
            severity="warning",
            where=name_side(side),
            message=f"{files} files come from the generators of one load test, judging by their "
            "names, sidecars or times: they are not repeats, so they get no verdict",
            remedy="if they started together, number them with `shard = 1` in their sidecars or "
            "{shard} in --layout; if they are separate tests, give each one its own run number",
            numbers={"files": files},
        )
    for side, files in count_concurrent(runs).items():
        if side not in shards:
            yield Finding(
                code="B217",
                severity="warning",
                where=name_side(side),
                message=f"{files} files were measured at the same time, so they are parts of one "
                "load or disturbed each other, and their spread is no measure of repeats",
                remedy="if they are generators of one load test, number them with `shard = 1` in "
                "their sidecars or {shard} in --layout; otherwise measure one run after the other",
                numbers={"files": files},
            )

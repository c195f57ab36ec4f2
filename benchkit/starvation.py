"""Runs that were starved of CPU: the verdict with and without them.

A neighbour that takes the machine for one run can hide a cost or cause one. Such a run is reported
only if other evidence than its result shows it, and it is never dropped silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.comparison import DIRECTIONS, EXACT, Contrast, Plan, compare
from benchkit.errors import DataError, Finding
from benchkit.schema import Labels, Workload, list_labels
from benchkit.stats.outliers import find_outliers
from benchkit.tables.wording import describe_word, name_metric, write_change
from benchkit.units import format_percent
from benchkit.verdict import Verdict, Verdicts, judge

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

#: A run with less than this share of its variant's usual CPU was starved.
LEAST_SHARE = 0.7

#: Container -> cores, for each run.
_Usage = Mapping[Labels, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Starved:
    """A run that is an outlier on the bad side and had too little CPU.

    Parameters
    ----------
    share : float
        Relative to the median CPU of the variant's runs.
    """

    run: Labels
    share: float


def find_starved_runs(
    verdicts: Verdicts, observations: Observations, runs: Runs, plan: Plan | None = None
) -> Iterator[Finding]:
    """B340: outliers whose service had less than 70 % of the variant's usual CPU.

    Parameters
    ----------
    observations, runs : Observations, Runs
        The compared data; ``cpu_usage`` (mean) of containers is the CPU of each run.
    plan : Plan, optional
        The plan of the comparison.
    """
    usage = _read_usage(observations)
    service = set(observations[observations["metric"] == "cpu_per_request"]["subject"])
    starved = list(_find_starved(verdicts, usage, service)) if usage else []
    if not starved:
        return
    gone = {one.run for one in starved}
    try:
        left = compare(
            schema.observations(_leave_out(observations, gone)),
            schema.runs(_leave_out(runs, gone)),
            verdicts.comparisons.pairs,
            plan,
        )
    except DataError:  # one side has no other runs
        return
    without = {_key(row.contrast): row for row in judge(left, verdicts.margin).primary}
    by_workload: dict[Workload, list[Starved]] = {}
    for one in starved:
        by_workload.setdefault(one.run.side.workload, []).append(one)
    for workload, runs_of in by_workload.items():
        rows = [row for row in verdicts.primary if row.contrast.workload == workload]
        yield _report(runs_of, rows, without, verdicts)


def _read_usage(observations: Observations) -> dict[Labels, dict[str, float]]:
    """Return the mean CPU of each container of each run."""
    is_usage = (observations["metric"] == "cpu_usage") & (observations["stat"] == "mean")
    rows = observations[is_usage & observations["subject"].notna()]
    by_run: dict[Labels, dict[str, float]] = {}
    values = (rows[name].tolist() for name in ("subject", "value"))
    for labels, subject, value in zip(list_labels(rows), *values, strict=True):
        by_run.setdefault(labels, {})[subject] = value
    return by_run


def _find_starved(verdicts: Verdicts, usage: _Usage, service: set[str]) -> Iterator[Starved]:
    seen: set[Labels] = set()
    for row in verdicts.primary:
        c = row.contrast
        if c.subject or c.ratio is None or c.method in {EXACT, *DIRECTIONS}:
            continue
        sides = ((c.baseline, c.baseline_runs, c.baseline_values),
                 (c.variant, c.variant_runs, c.variant_values))  # fmt: skip
        for variant, numbers, values in sides:
            side = c.workload.side(variant)
            for number in _find_worse(numbers, values, c.better):
                run = side.labels(number)
                share = _share_cpu(run, numbers, usage, service)
                if share < LEAST_SHARE and run not in seen:
                    seen.add(run)
                    yield Starved(run, share)


def _find_worse(numbers: Sequence[int], values: Sequence[float], better: str) -> list[int]:
    """Return the runs that are outliers on the bad side."""
    if not numbers:
        return []
    logs = [math.log(value) for value in values]
    middle, sign = median(logs), -1 if better == "higher" else 1
    far = zip(numbers, logs, find_outliers(logs).tolist(), strict=True)
    return [run for run, log, is_far in far if is_far and sign * (log - middle) > 0]


def _share_cpu(run: Labels, numbers: Sequence[int], usage: _Usage, service: set[str]) -> float:
    """Return a run's share of the variant's usual CPU; 1 if unknown.

    The container is the service under load if its CPU per request identifies it, else the busiest
    one.
    """
    known = {n: _look_up(usage, run._replace(run=n)) for n in numbers}
    used = known.pop(run.run)
    usual = {s: median(k[s] for k in known.values() if s in k) for s in used if _is_known(known, s)}
    if not usual:
        return 1.0
    busiest = max(usual, key=lambda subject: (subject in service, usual[subject]))
    return used[busiest] / usual[busiest] if usual[busiest] > 0 else 1.0


def _is_known(known: Mapping[int, Mapping[str, float]], subject: str) -> bool:
    return any(subject in of for of in known.values())


def _look_up(usage: _Usage, run: Labels) -> Mapping[str, float]:
    """Return the CPU recorded for a run, or for all runs with its number."""
    if run in usage:
        return usage[run]
    shared = [cores for labels, cores in usage.items() if labels.trial == run.trial]
    return shared[0] if len(shared) == 1 else {}


def _leave_out(table: pd.DataFrame, gone: set[Labels]) -> pd.DataFrame:
    return table[[labels not in gone for labels in list_labels(table)]]


def _key(c: Contrast) -> tuple[str, ...]:
    return *c.workload, c.subject, c.metric, c.stat, c.baseline, c.variant


def _report(
    starved: Sequence[Starved],
    rows: Sequence[Verdict],
    without: Mapping[tuple[str, ...], Verdict],
    verdicts: Verdicts,
) -> Finding:
    names = ", ".join(f"run {one.run.run} of '{one.run.variant}'" for one in starved)
    shares = ", ".join(format_percent(one.share).lstrip("+") for one in starved)
    pairs = [(row, without[_key(row.contrast)]) for row in rows if _key(row.contrast) in without]
    changed = [(old, new) for old, new in pairs if old.word != new.word]
    same = [(old, new) for old, new in pairs if old.word == new.word]
    sentences = [
        f"the verdict changes in {len(changed)} of {len(pairs)} rows: "
        + ", ".join(_say_changed(old, new, verdicts) for old, new in changed)
        if changed
        else "no verdict changes",
        ("same verdict: " if changed and same else "")
        + ", ".join(_say_same(old, new, verdicts) for old, new in same),
    ]
    benchmark = starved[0].run.benchmark
    return Finding(
        code="B340",
        severity="warning",
        where=benchmark,
        message=f"starved of CPU: {names} used only {shares} of the CPU of the variant's other "
        f"runs; without {'it' if len(starved) == 1 else 'them'} "
        f"{'; '.join(filter(None, sentences))}",
        remedy="find out what took the CPU, and measure again; tables and verdicts still "
        "include these runs",
        numbers={
            "runs": ", ".join(f"run {one.run.run} of {one.run.variant}" for one in starved),
            "changed": len(changed),
            **{f"share {one.run.variant} {one.run.run}": one.share for one in starved},
            **{
                f"without {new.contrast.metric} {new.contrast.variant}": new.contrast.ratio
                for _, new in pairs
                if new.contrast.ratio is not None
            },
        },
    )


def _say_changed(old: Verdict, new: Verdict, verdicts: Verdicts) -> str:
    margin = verdicts.margin
    sides = [f"{write_change(r.contrast, margin)} ({describe_word(r, margin)})" for r in (old, new)]
    return f"{_name(new.contrast)} from {sides[0]} to {sides[1]}"


def _say_same(old: Verdict, new: Verdict, verdicts: Verdicts) -> str:
    changes = [write_change(row.contrast, verdicts.margin) for row in (old, new)]
    return f"{_name(new.contrast)} from {changes[0]} to {changes[1]}"


def _name(c: Contrast) -> str:
    return f"{name_metric(c)} of {c.variant}"

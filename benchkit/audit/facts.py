"""The numbers of each run and each of its sources, arranged for the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchkit.codes import number_maps, number_rows
from benchkit.derived.accounts import Account, list_accounts
from benchkit.derived.failures import Failures, list_failures
from benchkit.derived.record import Run, list_measured, measures_load
from benchkit.errors import Finding
from benchkit.schema import FACTS, RUN_KEY, Labels, Side, list_labels
from benchkit.units import group_digits

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


class Name(NamedTuple):
    """The subject of a number of a run."""

    metric: str
    stat: str
    subject: str


_COLUMNS = ("source", "metric", "stat", "subject", "value", "resolution")
#: Facts that repeats usually have in common; the others belong to one run.
_OF_EACH = {"started_at", "block", "position", "stopping", "conditions", "units", "remark"}
_KNOWN = (*(fact.name for fact in FACTS if fact.name not in _OF_EACH), "role")


#: Roles of runs whose values are not in the table; a warm-up may have the labels of its run.
_VALUELESS = frozenset(("warmup", "aggregate", "part", "failed"))


@dataclass(frozen=True, slots=True)
class Number:
    """A value in its base unit, and its maximum rounding error.

    Parameters
    ----------
    step : float
        The rounding step of the source; 0 if unknown.
    """

    value: float
    step: float = 0.0

    @property
    def slack(self) -> float:
        """The step as a share of the value."""
        return self.step / abs(self.value) if self.value else 0.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """The numbers of one run that one source reports, or all sources together."""

    run: Run
    source: str
    numbers: Mapping[Name, Number]

    def get(self, metric: str, stat: str, subject: str = "") -> Number | None:
        """Return a number, or None if it is not recorded."""
        return self.numbers.get(Name(metric, stat, subject))

    def of(self, metric: str, stat: str) -> dict[str, float]:
        """Return the values of one statistic by subject."""
        return {s: n.value for (m, t, s), n in self.numbers.items() if (m, t) == (metric, stat)}


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Runs that differ only in their number.

    Parameters
    ----------
    run : Run
        The first of them.
    places, numbers : ndarray of int64
        The position of each run in the table of runs, and its number.
    """

    run: Run
    places: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True)
class Evidence:
    """Everything that rules over runs look at.

    Parameters
    ----------
    repeated : tuple of Repeated
        Runs of every role, in the order of their first runs.
    sheets : tuple of Sheet
        One for each source of each run with values.
    accounts : tuple of Account
        Of the spans of measured runs.
    failures : mapping of Labels to Failures
        For each load run.
    starts : mapping of Labels to datetime
        The recorded starts of runs.
    """

    repeated: tuple[Repeated, ...]
    sheets: tuple[Sheet, ...]
    accounts: tuple[Account, ...] = ()
    failures: Mapping[Labels, Failures] = field(default_factory=dict)
    starts: Mapping[Labels, datetime] = field(default_factory=dict)

    def list_runs(self, is_meant: Callable[[Run], object]) -> list[Run]:
        """Return runs that have the requested property and no other facts than their number."""
        return list_runs([same for same in self.repeated if is_meant(same.run)])

    @cached_property
    def merged(self) -> tuple[Sheet, ...]:
        """One sheet for each run: of several forms, the one with the finest rounding counts."""
        together: dict[Labels, tuple[Run, dict[Name, Number]]] = {}
        for sheet in self.sheets:
            _, numbers = together.setdefault(sheet.run.key, (sheet.run, {}))
            for name, number in sheet.numbers.items():
                if name not in numbers or number.step < numbers[name].step:
                    numbers[name] = number
        return tuple(Sheet(run, "", numbers) for run, numbers in together.values())

    @cached_property
    def by_run(self) -> dict[Run, list[Sheet]]:
        """The sheets of each measured run, one per source."""
        by_run: dict[Run, list[Sheet]] = {}
        for sheet in self.sheets:
            if sheet.run.role == "measured":
                by_run.setdefault(sheet.run, []).append(sheet)
        return by_run

    @cached_property
    def loads(self) -> tuple[Sheet, ...]:
        """The merged sheets of measured load runs, without companions."""
        return tuple(sheet for sheet in self.merged if sheet.run.role == "measured")

    def by_side(self, sheets: Iterable[Sheet]) -> dict[Side, list[Sheet]]:
        """Group the repeats."""
        by_side: dict[Side, list[Sheet]] = {}
        for sheet in sheets:
            by_side.setdefault(sheet.run.side, []).append(sheet)
        return by_side


Rule = Callable[[Evidence], Iterator[Finding]]


def gather(observations: Observations, runs: Runs) -> Evidence:
    """Collect the numbers of each run; raw samples and counters are left out."""
    repeated = tuple(_find_repeated(runs))
    summed = observations[~observations["stat"].isin(["sample", "counter"])]
    sheets: dict[tuple[Labels, str], dict[Name, Number]] = {}
    listed = list_runs(repeated) if len(summed) else []
    by_weight = sorted(listed, key=lambda run: run.role in _VALUELESS, reverse=True)
    known = {run.key: run for run in by_weight}
    columns = [summed[name].tolist() for name in _COLUMNS]
    rows = zip(list_labels(summed), *columns, strict=True)
    for labels, source, metric, stat, subject, value, step in rows:
        at = labels, source.rpartition(":")[0] or source
        about = subject if isinstance(subject, str) else ""
        numbers = sheets.setdefault(at, {})
        numbers.setdefault(Name(metric, stat, about), Number(value, step if step > 0 else 0.0))
    merged = (
        Sheet(known.get(key) or Run(**key._asdict()), source, numbers)
        for (key, source), numbers in sheets.items()
    )
    is_loaded = measures_load(observations, runs)
    accounts = list_accounts(observations, list_measured(runs)) if is_loaded else ()
    failures = list_failures(summed) if is_loaded else {}
    timed = runs[(runs["role"] == "measured") & runs["started_at"].notna()]
    starts = dict(zip(list_labels(timed), timed["started_at"].tolist(), strict=True))
    return Evidence(repeated, tuple(merged), tuple(accounts), failures, starts)


def name_side(side: Side) -> str:
    """Name the repeats of one side: ``otlp on /ping, connections=8``."""
    names = "/".join(filter(None, (side.group, side.variant)))
    workload = ", ".join(filter(None, (side.benchmark, side.params)))
    return " on ".join(filter(None, (names, workload)))


def count_of(sheets: Sequence[object], total: int) -> str:
    """Write how many runs are affected: ``3 of 8 runs``.

    Examples
    --------
    >>> count_of(["a", "b"], 2), count_of(["a"], 8), count_of(["a"], 1)
    ('all 2 runs', '1 of 8 runs', 'one run')
    """
    if total == 1:
        return "one run"
    return f"all {total} runs" if len(sheets) == total else f"{len(sheets)} of {total} runs"


def name_worst(run: Run, sheets: Sequence[object], total: int) -> str:
    """Write which run is meant, and how many are affected: ``run 2; 3 of 8 runs``."""
    return f"run {run.run}; {count_of(sheets, total)} affected" if total > 1 else f"run {run.run}"


def write_count(value: float | None) -> str:
    """Write a count with all its digits: ``1108``."""
    return group_digits(f"{value or 0.0:.0f}")


def list_runs(repeated: Iterable[Repeated]) -> list[Run]:
    """Return each run, in the order of the table."""
    listed = [
        (place, number, same.run)
        for same in repeated
        for place, number in zip(same.places.tolist(), same.numbers.tolist(), strict=True)
    ]
    listed.sort(key=itemgetter(0))
    return [run if run.run == number else replace(run, run=number) for _, number, run in listed]


def _find_repeated(runs: Runs) -> Iterator[Repeated]:
    names = [*RUN_KEY, *(name for name in _KNOWN if runs[name].notna().any())]
    unsure = [name for name in names if runs[name].isna().any()]
    shared = runs.assign(env=number_maps(runs["env"])[0])
    kinds, firsts = number_rows(shared, [name for name in names if name != "run"])
    columns = [runs[name].iloc[firsts].astype(object).tolist() for name in names]
    numbers = runs["run"].to_numpy(np.int64)
    order = kinds.argsort(kind="stable")
    spans = pairwise((0, *np.bincount(kinds).cumsum().tolist()))
    for row, (start, end) in zip(zip(*columns, strict=True), spans, strict=True):
        facts: dict[str, Any] = dict(zip(names, row, strict=True))
        for name in unsure:
            if not _is_known(facts[name]):
                del facts[name]
        places = order[start:end]
        yield Repeated(Run(**facts), places, numbers[places])


def _is_known(value: object) -> bool:
    """Return whether a fact is known: None, NaN and NA do not equal themselves."""
    return value is not None and str(value) not in {"nan", "<NA>", "NaT"}

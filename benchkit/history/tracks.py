"""The runs of each metric, variant and machine, sorted by their commits.

What another machine measured is another series, and a commit that was not measured is a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from benchkit.comparison.cells import Cell, collect, is_primary, read_load_facts
from benchkit.comparison.machines import is_alike
from benchkit.comparison.model import Plan, Row
from benchkit.config.accepted import SHORTEST, Accepted
from benchkit.history.model import Point
from benchkit.labels.values import UnusableError, read_time
from benchkit.metrics import Metric
from benchkit.schema import FINGERPRINT, Labels, list_labels
from benchkit.stats.exact import is_steady

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs


#: Roles of runs that were to measure a commit, whatever became of them.
TRIED = frozenset({"measured", "failed", "damaged", "empty"})


class Label(NamedTuple):
    """The commit of a run, its date, and the machine that measured it."""

    commit: str
    date: datetime | None
    machine: Mapping[str, str]


@dataclass(slots=True)
class Track:
    """The runs of one series, commit by commit, before anything is asked of them."""

    names: dict[str, str]
    machine: Mapping[str, str]
    values: dict[str, list[float]] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    assume: str = "nothing"

    @property
    def measured(self) -> list[Point]:
        """The points without gaps."""
        return [point for point in self.points if point.runs]

    @property
    def per_commit(self) -> list[list[float]]:
        """The values of each measured commit's runs, in order."""
        return [self.values[point.commit] for point in self.measured]

    @property
    def is_positive(self) -> bool:
        """Whether every value has a logarithm."""
        return all(min(values) > 0 for values in self.values.values())

    @property
    def is_exact(self) -> bool:
        """Whether these are counts that hardly vary between the runs of a commit."""
        return self.assume == "exact" and all(map(is_steady, self.values.values()))

    @property
    def session(self) -> tuple[str, ...]:
        """What its runs have in common with others that are measured along with them."""
        return ", ".join(self.machine.values()), self.names["variant"], self.names["tool"]

    @property
    def numbers(self) -> list[float]:
        """What levels are compared by, in order: logarithms, or the values where one has none."""
        values = [point.value for point in self.measured]
        return [math.log(value) for value in values] if self.is_positive else values

    def bounds(self, accepted: Sequence[Accepted]) -> dict[int, Accepted]:
        """Return where accepted changes begin among the measured points, and after the first.

        One at a commit that was not measured here begins at the next that was.
        """
        places: dict[int, Accepted] = {}
        earlier = 0
        for point in self.points:
            named = next((one for one in accepted if one.names(point.commit)), None)
            if named is not None and earlier:
                places[earlier] = named
            earlier += point.runs > 0
        return places


def read_labels(runs: Runs) -> tuple[dict[Labels, Label], dict[Labels, Label]]:
    """Return the labels of the measured runs, and of all runs that were tried."""
    measured, tried = dict[Labels, Label](), dict[Labels, Label]()
    chosen = runs[runs["role"].isin(list(TRIED)).to_numpy()]
    facts = (chosen[name].tolist() for name in ("role", "started_at", "env"))
    for key, role, start, env in zip(list_labels(chosen), *facts, strict=True):
        if not isinstance(env, Mapping) or not env.get("commit"):
            continue
        tried[key] = label = Label(env["commit"], read_moment(env, start), _name_machine(env))
        if role == "measured":
            measured[key] = label
    return measured, tried


def _name_machine(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return the facts that identify a machine; equal facts are one object."""
    return _share_machine(*(str(env.get(name) or "") for name in FINGERPRINT))


@lru_cache(maxsize=4096)
def _share_machine(*facts: str) -> Mapping[str, str]:
    named = zip(FINGERPRINT, facts, strict=True)
    return MappingProxyType({name: fact for name, fact in named if fact})


def read_moment(env: Mapping[str, str], start: pd.Timestamp) -> datetime | None:
    """Return the date of a run's commit, or else when the run began; None if neither is told."""
    if date := _read_date(env.get("date")):
        return date
    return start.to_pydatetime() if start == start else None  # noqa: PLR0124 - not NaT


@lru_cache(maxsize=4096)
def _read_date(text: str | None) -> datetime | None:
    try:
        return read_time(text) if text else None
    except UnusableError:
        return None


def date_commits(labels: Mapping[Labels, Label]) -> tuple[dict[str, datetime], list[str]]:
    """Return the earliest date of each commit, in order, and the commits without one."""
    dates: dict[str, datetime] = {}
    for commit, date, _ in labels.values():
        if date is not None:
            dates[commit] = min(date, dates.get(commit, date))
    undated = dict.fromkeys(label.commit for label in labels.values() if label.commit not in dates)
    return dict(sorted(dates.items(), key=lambda item: (item[1], item[0]))), list(undated)


def collect_tracks(
    observations: Observations,
    runs: Runs,
    plan: Plan,
    labels: Mapping[Labels, Label],
    dates: Mapping[str, datetime],
) -> Iterator[Track]:
    """Yield the tracks of primary metrics, and where none are named of exact ones."""
    known = read_load_facts(runs)
    tracks: dict[tuple[str, ...], list[Track]] = {}
    for variant, cells in collect(observations, plan).items():
        for key, cell in cells.items():
            about = known.metric(key.metric, cell.unit, variant)
            is_exact = about.assume == "exact" and not plan.primaries
            if is_exact or is_primary(key, known, plan):
                _sort_runs(tracks, variant, key, cell, about, labels, dates)
    order = list(dates)
    places = {commit: place for place, commit in enumerate(order)}
    for track in (track for same in tracks.values() for track in same):
        measured = [places[commit] for commit in track.values]
        first, last = min(measured), max(measured)
        for commit in order[first : last + 1]:
            values = track.values.get(commit, [])
            value = median(values) if values else math.nan
            track.points.append(Point(commit, dates[commit], value, len(values)))
        yield track


def _sort_runs(
    tracks: dict[tuple[str, ...], list[Track]],
    variant: str,
    key: Row,
    cell: Cell,
    about: Metric,
    labels: Mapping[Labels, Label],
    dates: Mapping[str, datetime],
) -> None:
    """Put the runs of a cell where their commit and machine belong."""
    of_metric = key.subject, key.metric, key.stat
    for run, value in cell.by_run.items():
        label = labels.get(Labels(key.group, variant, key.benchmark, key.params, run, key.tool))
        if label is None or label.commit not in dates:
            continue
        kept_group = _drop_commit(key.group, label.commit)
        kept_variant = _drop_commit(variant, label.commit)
        place = kept_variant, kept_group, key.benchmark, key.params, key.tool, *of_metric
        same = tracks.setdefault(place, [])
        track = next((one for one in same if _is_alike(one.machine, label.machine)), None)
        if track is None:
            names = replace(key, group=kept_group).labels | {
                "unit": cell.unit, "better": about.better, "variant": kept_variant,
            }  # fmt: skip
            track = Track(names, label.machine, assume=about.assume)
            same.append(track)
        track.values.setdefault(label.commit, []).append(value)


def name_left_out(
    labels: Mapping[Labels, Label],
    dates: Mapping[str, datetime],
    tracks: Sequence[Track],
    plan: Plan,
) -> Iterator[str]:
    """Name the benchmarks of which no metric is followed, with the reason."""
    names = ("group", "variant", "benchmark", "params", "tool")
    followed = {tuple(track.names[name] for name in names) for track in tracks}
    metrics = ", ".join(metric for metric, _ in plan.primaries)
    why = f"reports no {metrics}" if metrics else "has no primary metric; name one with --metric"
    seen = {
        (key.group, key.variant, key.benchmark, key.params, key.tool, label.commit): None
        for key, label in labels.items()
        if label.commit in dates
    }
    left = dict[tuple[str, ...], None]()
    for group, variant, benchmark, params, tool, commit in seen:
        own = _drop_commit(group, commit), _drop_commit(variant, commit), benchmark, params, tool
        if own not in followed:
            left[own] = None
    for group, variant, benchmark, params, tool in left:
        name = " · ".join(filter(None, (tool, variant, group, benchmark, params)))
        yield f"{name} {why}"


@lru_cache(maxsize=4096)
def _drop_commit(label: str, commit: str) -> str:
    """Return a group or variant without the parts that name the commit."""
    parts = (part for part in label.split("/") if not _names(part, commit))
    return "/".join(parts)


def _names(part: str, commit: str) -> bool:
    short, long = sorted((part.lower(), commit.lower()), key=len)
    return len(short) >= SHORTEST and long.startswith(short)


def _is_alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Tell whether all that both tell of their machines agrees, and both or neither tell any."""
    if one is other:
        return True
    if bool(one) != bool(other):
        return False
    return all(is_alike(name, one[name], other[name]) for name in one.keys() & other.keys())

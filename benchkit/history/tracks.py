"""The runs of each metric, variant and machine, sorted by commit.

Another machine is another series, and a commit without a measurement is a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from benchkit.codes import match_rows, number_rows
from benchkit.comparison.cells import (
    Columns,
    describe_metric,
    find_begins,
    mark_primary,
    read_units,
    sort_values,
)
from benchkit.comparison.machines import is_alike
from benchkit.comparison.model import ROW_KEY, Plan
from benchkit.config.acceptance import Accepted
from benchkit.derived.record import keep_measured
from benchkit.history.model import Point
from benchkit.history.trials import Trials
from benchkit.metrics import Metric
from benchkit.schema import RUN_KEY, Side
from benchkit.stats.exact import is_steady

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs


@dataclass(kw_only=True, eq=False)
class Track:
    """The runs of one series by commit, before any analysis.

    Parameters
    ----------
    names : dict of str to str
    machine : mapping of str to str
    values : ndarray of float
        Those of all runs, in the order of their commits.
    """

    names: dict[str, str]
    machine: Mapping[str, str]
    assume: str
    points: list[Point]
    values: np.ndarray

    @cached_property
    def measured(self) -> list[Point]:
        """The points without gaps."""
        return [point for point in self.points if point.runs]

    @cached_property
    def per_commit(self) -> list[list[float]]:
        """The values of each measured commit's runs, in order."""
        ends = np.cumsum([point.runs for point in self.measured])
        return [each.tolist() for each in np.split(self.values, ends[:-1])]

    @cached_property
    def is_positive(self) -> bool:
        """Whether every value has a logarithm."""
        return bool(self.values.min() > 0)

    @cached_property
    def is_exact(self) -> bool:
        """Whether these are counts that hardly vary between the runs of a commit."""
        return self.assume == "exact" and all(map(is_steady, self.per_commit))

    @cached_property
    def session(self) -> tuple[str, ...]:
        """The labels that its runs share with others measured along with them."""
        return ", ".join(self.machine.values()), self.names["variant"], self.names["tool"]

    @cached_property
    def numbers(self) -> list[float]:
        """The values by which levels are compared: logarithms, or plain values if one has none."""
        values = [point.value for point in self.measured]
        return [math.log(value) for value in values] if self.is_positive else values

    def bounds(self, accepted: Sequence[Accepted]) -> dict[int, Accepted]:
        """Return where accepted changes begin among the measured points, after the first.

        A change at a commit without a measurement here begins at the next one that has one.
        """
        places: dict[int, Accepted] = {}
        earlier = 0
        for point in self.points if accepted else ():
            named = next((one for one in accepted if one.names(point.commit)), None)
            if named is not None and earlier:
                places[earlier] = named
            earlier += point.runs > 0
        return places


def collect_tracks(
    observations: Observations, runs: Runs, plan: Plan, trials: Trials
) -> Iterator[Track]:
    """Yield the tracks of primary metrics; without any, those of exact ones.

    Parameters
    ----------
    trials : Trials
        The measured runs.
    """
    cells = sort_values(observations, plan)
    about, metrics = _describe(cells.labels, runs)
    is_followed = mark_primary(cells.labels, runs, plan)
    if not plan.primaries:
        is_followed |= np.array([each.assume == "exact" for each in metrics], dtype=bool)[about]
    rows = _list_values(cells, is_followed, about, trials)
    tracks, firsts, machines = _part(rows, trials.fingerprints)
    names = rows.iloc[firsts][[*ROW_KEY, "unit", "variant", "about"]].to_dict("records")
    places, values = rows["place"].to_numpy(), rows["value"].to_numpy()
    order = np.lexsort((places, tracks))
    by_size = values[np.lexsort((values, places, tracks))]
    tracks, places, values = tracks[order], places[order], values[order]
    begins = find_begins(tracks, places)
    bounds = np.append(begins, len(order))
    sizes = np.diff(bounds)
    middles = _find_medians(by_size, begins, sizes)
    ends = np.searchsorted(tracks[begins], np.arange(len(machines) + 1))
    commits = list(trials.dates.items())
    for number, (machine, labels) in enumerate(zip(machines, names, strict=True)):
        metric, (start, end) = metrics[labels.pop("about")], ends[number : number + 2]
        yield Track(
            names=labels | {"better": metric.better}, machine=machine, assume=metric.assume,
            points=_list_points(
                commits, places[begins[start:end]], middles[start:end], sizes[start:end]
            ),
            values=values[bounds[start] : bounds[end]],
        )  # fmt: skip


def _describe(labels: pd.DataFrame, runs: Runs) -> tuple[np.ndarray, list[Metric]]:
    """Assign a number to the metric of each cell, and return the facts about each metric."""
    units = read_units(keep_measured(runs))
    names = ("variant", "metric", "unit")
    numbers, firsts = number_rows(labels, names if units else names[1:])
    columns = (labels[name].iloc[firsts].tolist() for name in names)
    return numbers, [
        describe_metric(metric, unit, units.get((variant, metric), {}))
        for variant, metric, unit in zip(*columns, strict=True)
    ]


def _list_values(
    cells: Columns, is_followed: np.ndarray, about: np.ndarray, trials: Trials
) -> pd.DataFrame:
    """Return the values at dated commits, variant by variant, with labels that omit the commit."""
    owners = np.repeat(np.arange(len(cells.labels)), cells.sizes)
    variants, _ = number_rows(cells.labels, ("variant",))
    order = np.argsort(variants[owners], kind="stable")
    order = order[is_followed[owners[order]]]
    rows = cells.labels.iloc[owners[order]].assign(
        run=cells.runs[order], value=cells.values[order], about=about[owners[order]]
    )
    trial = match_rows(rows, trials.rows, RUN_KEY)
    place = np.append(trials.places[trials.commits], -1)[trial]
    is_dated = place >= 0
    trial, rows = trial[is_dated], rows[is_dated]
    kept = trials.leave_commits()
    labels = {name: kept[name].array.take(trial) for name in ("group", "variant")}
    table: pd.DataFrame = rows.assign(
        **labels, place=place[is_dated], machine=trials.machines[trial]
    )
    return table


def _part(
    rows: pd.DataFrame, fingerprints: Sequence[Mapping[str, str]]
) -> tuple[np.ndarray, list[int], list[Mapping[str, str]]]:
    """Return the track of each value, and the first row and the machine of each track."""
    series, _ = number_rows(rows, ("variant", *ROW_KEY))
    pairs, firsts = number_rows(rows.assign(series=series), ("series", "machine"))
    same: dict[int, list[tuple[Mapping[str, str], list[int]]]] = {}
    machines = (fingerprints[number] for number in rows["machine"].iloc[firsts].tolist())
    for pair, (one, machine) in enumerate(zip(series[firsts].tolist(), machines, strict=True)):
        known = same.setdefault(one, [])
        members = next((pairs for other, pairs in known if _is_alike(other, machine)), None)
        if members is None:
            known.append((machine, members := []))
        members.append(pair)
    tracks = [track for those in same.values() for track in those]
    numbers = np.empty(len(firsts), dtype=np.int64)
    for number, (_, members) in enumerate(tracks):
        numbers[members] = number
    begins = [int(firsts[members[0]]) for _, members in tracks]
    return numbers[pairs], begins, [machine for machine, _ in tracks]


def _find_medians(values: np.ndarray, begins: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the median of each segment of sorted values."""
    low, high = values[begins + (sizes - 1) // 2], values[begins + sizes // 2]
    middles: np.ndarray = np.where(sizes % 2, low, (low + high) / 2)
    return middles


def _list_points(
    commits: Sequence[tuple[str, datetime]],
    places: np.ndarray,
    middles: np.ndarray,
    sizes: np.ndarray,
) -> list[Point]:
    """Return the points from the first measured commit to the last."""
    first, last = int(places[0]), int(places[-1])
    values = np.full(last - first + 1, math.nan)
    counts = np.zeros(last - first + 1, dtype=np.int64)
    values[places - first], counts[places - first] = middles, sizes
    known = zip(commits[first : last + 1], values.tolist(), counts.tolist(), strict=True)
    return [Point(commit, date, value, count) for (commit, date), value, count in known]


def name_left_out(trials: Trials, tracks: Sequence[Track], plan: Plan) -> Iterator[str]:
    """Name the benchmarks without a followed metric, with the reason."""
    followed = {tuple(track.names[name] for name in Side._fields) for track in tracks}
    metrics = ", ".join(metric for metric, _ in plan.primaries)
    why = f"reports no {metrics}" if metrics else "has no primary metric; name one with --metric"
    rows = trials.leave_commits()[trials.places[trials.commits] >= 0]
    sides = rows.iloc[number_rows(rows, Side._fields)[1]]
    for side in zip(*(sides[name].tolist() for name in Side._fields), strict=True):
        if side not in followed:
            group, variant, benchmark, params, tool = side
            name = " · ".join(filter(None, (tool, variant, group, benchmark, params)))
            yield f"{name} {why}"


def _is_alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Return whether machines agree in all facts that both record, unless only one records any."""
    if one is other:
        return True
    if bool(one) != bool(other):
        return False
    return all(is_alike(name, one[name], other[name]) for name in one.keys() & other.keys())

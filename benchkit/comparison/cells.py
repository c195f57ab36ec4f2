"""The comparable values, by variant, by row and by run.

One run is one value, however many events or formats it comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from benchkit import metrics
from benchkit.codes import match_rows, number_maps, number_rows
from benchkit.comparison.model import ROW_KEY, Plan, Row
from benchkit.derived.record import keep_measured, leave_out_excerpts
from benchkit.derived.stretches import PREFIX
from benchkit.parsers import registry
from benchkit.schema import Workload

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

#: Load models, in the order in which a workload prefers them for its headline.
_MODELS = ("closed", "open", "unknown")

Key = TypeVar("Key")

#: A metric and its stat.
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """The runs of one row on one side.

    If a run has several sources, the most precise one counts: samples before JSON before text.
    Several values of the same precision are replaced by their median.

    Parameters
    ----------
    by_run : mapping of int to float
        The value of each run, in run order.
    resolution : float
        The coarsest rounding step among the runs, 0 if unknown.
    repeats : int
        The number of runs before each file counted once; 0 if every run counts.
    other_unit : str or None
        The unit of runs that were left out because it differs.
    """

    unit: str
    by_run: Mapping[int, float]
    resolution: float
    repeats: int = 0
    other_unit: str | None = None

    @property
    def units(self) -> str:
        """The unit, or all units, as text."""
        units = [self.unit] if self.other_unit is None else [self.unit, self.other_unit]
        return " and ".join(f"'{unit}'" if unit else "no unit" for unit in units)

    def values(self) -> tuple[float, ...]:
        """Return one value per run, in run order."""
        return tuple(self.by_run.values())


@dataclass(frozen=True, slots=True)
class LoadFacts:
    """Facts from the runs: the load model per workload, and user-defined metrics per variant.

    The load model is also known per tool, for workloads without runs of their tool. Files state the
    direction of some metrics.
    """

    load_model: Mapping[Workload | str, str]
    units: Mapping[tuple[str, str], Mapping[str, str]]
    directed: frozenset[str]

    def metric(self, name: str, unit: str, variant: str) -> metrics.Metric:
        """Return what is known about a metric, as `describe_metric` describes it."""
        return describe_metric(name, unit, self.units.get((variant, name), {}))


def describe_metric(name: str, unit: str, stated: Mapping[str, str]) -> metrics.Metric:
    """Return what is known about a metric; files may state a direction that is not known.

    No file can reverse a known direction: a loss would pass for a gain.
    """
    known = metrics.lookup(name, unit)
    if not stated or known.better != "none":
        return known
    better, assume = stated.get("better", known.better), stated.get("assume", known.assume)
    return replace(known, better=better, assume=assume)  # type: ignore[arg-type]


class Columns(NamedTuple):
    """The comparable values as columns: one per run of each cell, cell by cell.

    Parameters
    ----------
    labels : DataFrame
        Variant, key and unit of each cell.
    starts, sizes : ndarray of int
        The position of the first value of each cell, and the number of values.
    resolutions : ndarray of float
        The coarsest rounding step of each cell.
    runs, values : ndarray
        The number and the value of each run, in run order.
    """

    labels: pd.DataFrame
    starts: np.ndarray
    sizes: np.ndarray
    resolutions: np.ndarray
    runs: np.ndarray
    values: np.ndarray


def read_load_facts(runs: Runs) -> LoadFacts:
    """Collect the load models and units that runs state; ignore units on which files disagree.

    If runs report several load models, the first in `_MODELS` applies, so that a run without a load
    model, or with a different one, does not remove its workload's headline: every load tool reports
    the rate.
    """
    models: dict[Workload | str, set[str]] = {}
    measured = keep_measured(runs)
    names = (*Workload._fields, "load_model")
    loads = measured.iloc[number_rows(measured, names)[1]]
    for *labels, model in zip(*(loads[name].tolist() for name in names), strict=True):
        workload = Workload(*labels)
        models.setdefault(workload, set()).add(model)
        models.setdefault(workload.tool, set()).add(model)
    units = read_units(measured)
    agreed = {about: min(of_each, key=_MODELS.index) for about, of_each in models.items()}
    return LoadFacts(agreed, units, _find_directed(units))


def read_units(measured: Runs) -> dict[tuple[str, str], dict[str, str]]:
    """Return what the files of a variant state about each user-defined metric."""
    numbers, tables = number_maps(measured["units"])
    pairs = measured[["variant"]].assign(units=numbers)
    firsts = number_rows(pairs, ("variant", "units"))[1]
    units: dict[tuple[str, str], dict[str, set[str]]] = {}
    variants = measured["variant"].iloc[firsts].tolist()
    for variant, number in zip(variants, numbers[firsts].tolist(), strict=True):
        for metric, text in tables[number].items():
            known = units.setdefault((variant, metric), {})
            for key, value in (part.split("=", 1) for part in text.split()):
                known.setdefault(key, set()).add(value)
    return {about: _agree(stated) for about, stated in units.items()}


def _find_directed(units: Mapping[tuple[str, str], Mapping[str, str]]) -> frozenset[str]:
    return frozenset(metric for (_, metric), stated in units.items() if "better" in stated)


def _agree(words: Mapping[Key, set[str]]) -> dict[Key, str]:
    """Return the entries on which all files agree."""
    return {name: only for name, (only, *others) in words.items() if not others}


def collect(observations: Observations, plan: Plan) -> dict[str, dict[Row, Cell]]:
    """Sort the comparable values into variant -> row -> run."""
    cells = sort_values(observations, plan)
    runs, values = cells.runs.tolist(), cells.values.tolist()
    by_variant: dict[str, dict[Row, Cell]] = {}
    ends = zip(cells.starts.tolist(), (cells.starts + cells.sizes).tolist(), strict=True)
    columns = (cells.labels[name].tolist() for name in cells.labels)
    steps = cells.resolutions.tolist()
    for (start, end), step, variant, *key, unit in zip(ends, steps, *columns, strict=True):
        by_run = dict(zip(runs[start:end], values[start:end], strict=True))
        cells_of, row = by_variant.setdefault(variant, {}), Row(*key)
        known = cells_of.get(row)
        cell = Cell(unit, by_run, step)
        cells_of[row] = replace(known, other_unit=unit) if known else cell
    return by_variant


def sort_values(observations: Observations, plan: Plan) -> Columns:
    """Sort the comparable values by cell and run."""
    rows = _choose(leave_out_excerpts(observations), plan)
    numbers = rows["run"].to_numpy(np.int64)
    values, steps = (rows[name].to_numpy(np.float64) for name in ("value", "resolution"))
    steps = np.where(steps > 0, steps, 0.0)  # NaN (unknown) means not rounded
    cells, firsts = number_rows(rows, ("variant", *ROW_KEY, "unit"))
    order = np.lexsort((numbers, cells))
    begins = find_begins(cells[order], numbers[order])
    medians: dict[int, float] = {}
    if len(begins) < len(order):
        reported = (rows["origin"] != "computed").to_numpy()
        order = np.lexsort((reported, steps, numbers, cells))
        precise = find_begins(cells[order], numbers[order], steps[order], reported[order])
        ends = np.append(precise, len(order))[np.searchsorted(precise, begins) + 1]
        for place in np.flatnonzero(ends - begins > 1).tolist():
            medians[place] = median(values[order[begins[place] : ends[place]]].tolist())
    chosen = order[begins]
    starts = find_begins(cells[chosen])
    typical = values[chosen]
    typical[list(medians)] = [*medians.values()]
    labels = rows[["variant", *ROW_KEY, "unit"]].iloc[firsts]
    labels["subject"] = labels["subject"].astype("str").fillna("")
    return Columns(
        labels=labels,
        starts=starts,
        sizes=np.diff(np.append(starts, len(chosen))),
        resolutions=np.maximum.reduceat(steps[chosen], starts) if len(starts) else steps[:0],
        runs=numbers[chosen],
        values=typical,
    )


def _choose(observations: Observations, plan: Plan) -> Observations:
    """Return the comparable rows."""
    numbers, firsts = number_rows(observations, ("tool", "metric", "stat"))
    requested = {*plan.primaries, *plan.metrics}
    columns = (observations[name].iloc[firsts] for name in ("tool", "metric", "stat", "unit"))
    is_kept = [
        _is_compared(tool, metric, stat, unit, requested)
        for tool, metric, stat, unit in zip(*columns, strict=True)
    ]
    if all(is_kept):
        return observations
    chosen: Observations = observations[np.array(is_kept)[numbers]]
    return chosen


def find_begins(*columns: np.ndarray) -> np.ndarray:
    """Return the positions in sorted columns at which a row differs from the one before."""
    differs = np.zeros(len(columns[0]), dtype=bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


def is_primary(
    row: Row, facts: LoadFacts, plan: Plan, variants: Iterable[Mapping[Row, Cell]]
) -> bool:
    """Return whether a row is a headline: named by the user, or chosen by tool and load model.

    If a metric has several statistics, the first one that all of its variants report is the
    headline.
    """
    by_tool = facts.load_model.get(row.tool, "unknown")
    load_model = facts.load_model.get(row.workload, by_tool)
    return _is_headline(
        row.tool, row.metric, row.stat, row.subject, load_model, plan, facts.directed
    ) and not any(
        all(replace(row, stat=stat) in cells for cells in variants if row in cells)
        for stat in _list_preferred(row.tool, row.metric, row.stat, load_model, plan)
    )


def _list_preferred(tool: str, metric: str, stat: str, load_model: str, plan: Plan) -> list[str]:
    """Return the statistics of the same metric that a tool prefers to this one."""
    pairs = () if plan.primaries else registry.tool(tool).find_primaries(load_model)
    stats = [each for name, each in pairs if name == metric]
    return stats[: stats.index(stat)] if stat in stats else []


def mark_primary(labels: pd.DataFrame, runs: Runs, plan: Plan) -> np.ndarray:
    """Mark the headline cells, as `is_primary` does for a single row."""
    measured = keep_measured(runs)
    models = _find_models(labels, measured, Workload._fields)
    by_tool = _find_models(labels, measured, ("tool",))
    models = np.where(models != "", models, np.where(by_tool != "", by_tool, "unknown"))
    names = ("tool", "metric", "stat", "subject", "model")
    about = labels.assign(model=models)
    directed = _find_directed(read_units(measured))
    numbers, firsts = number_rows(about, names)
    columns = [about[name].iloc[firsts].tolist() for name in names]
    are_primary = [
        _is_headline(tool, metric, stat, subject, model, plan, directed)
        for tool, metric, stat, subject, model in zip(*columns, strict=True)
    ]
    preferred = [
        _list_preferred(tool, metric, stat, model, plan)
        for tool, metric, stat, _, model in zip(*columns, strict=True)
    ]
    marks: np.ndarray = np.array(are_primary, dtype=bool)[numbers]
    places = np.flatnonzero(marks & np.array(list(map(bool, preferred)), dtype=bool)[numbers])
    if len(places):
        keys = list(labels[["variant", *ROW_KEY]].itertuples(index=False, name=None))
        present = set(keys)
        for place in places.tolist():
            rivals = ((*keys[place][:-1], stat) for stat in preferred[numbers[place]])
            marks[place] = present.isdisjoint(rivals)
    return marks


def _find_models(labels: pd.DataFrame, measured: Runs, names: Sequence[str]) -> np.ndarray:
    """Return the load model of the runs with the same labels, empty if there are none."""
    loads, firsts = number_rows(measured, names)
    ranks = np.full(len(firsts), len(_MODELS))
    places = [_MODELS.index(model) for model in measured["load_model"]]
    np.minimum.at(ranks, loads, np.array(places, dtype=ranks.dtype))
    rows = match_rows(labels, measured.iloc[firsts], names)
    models: np.ndarray = np.array([*_MODELS, ""], dtype=object)[
        np.append(ranks, len(_MODELS))[rows]
    ]
    return models


def _is_headline(
    tool_name: str,
    metric: str,
    stat: str,
    subject: str,
    load_model: str,
    plan: Plan,
    directed: Collection[str],
) -> bool:
    tool = registry.tool(tool_name)
    if plan.primaries:
        return any(
            metric == name and stat == (requested or tool.choose_stat(name))
            for name, requested in plan.primaries
        )
    if subject and metric != "cpu_per_request":
        return False
    if tool.tracks_directed and metric in directed and stat == tool.choose_stat(metric):
        return True
    return (metric, stat) in tool.find_primaries(load_model)


#: Statistics that describe the spread of one side, and are not a cost in themselves.
_NOT_COMPARED = frozenset({"stdev", "ci_low", "ci_high", "max_deviation"})


def _is_compared(
    tool: str, metric: str, stat: str, unit: str, requested: Iterable[tuple[str, str]]
) -> bool:
    if stat == "counter" or (stat == "sample" and registry.tool(tool).samples_are_events):
        return False
    if stat.startswith(PREFIX):
        return False
    if any(
        metric == name and stat == (requested_stat or stat) for name, requested_stat in requested
    ):
        return True
    return metrics.lookup(metric, unit).compared and stat not in _NOT_COMPARED

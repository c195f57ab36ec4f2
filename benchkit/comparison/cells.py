"""The values that can be compared: by variant, by what they are about, by run.

One run is one value, whatever number of events or forms it stands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from benchkit import metrics
from benchkit.comparison.model import ROW_KEY, Plan, Row
from benchkit.derived.excerpts import leave_out_excerpts
from benchkit.derived.record import keep_measured
from benchkit.derived.stretches import PREFIX
from benchkit.parsers import registry
from benchkit.schema import Workload

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Cell:
    """The runs of one key on one side.

    Of several sources of one run the most precise counts: samples before JSON before text; of
    several values of one precision their median.

    Parameters
    ----------
    unit : str
    by_run : mapping of int to float
        The value of each run, in run order.
    resolution : float
        The coarsest rounding step among the runs, 0 where none is known.
    """

    unit: str
    by_run: Mapping[int, float]
    resolution: float

    def values(self) -> tuple[float, ...]:
        """Return one value per run, in run order."""
        return tuple(self.by_run.values())


@dataclass(frozen=True, slots=True)
class LoadFacts:
    """What the runs tell of the load, by workload, and of a user's own metrics, by variant.

    The load is also known by tool, for workloads without runs of their own.
    """

    load_model: Mapping[Workload | str, str]
    units: Mapping[tuple[str, str], Mapping[str, str]]

    def metric(self, name: str, unit: str, variant: str) -> metrics.Metric:
        """Return what the vocabulary tells of a metric, else the files of a variant.

        No file turns a direction that is known: its own loss would pass for a gain.
        """
        found = metrics.lookup(name, unit)
        own = self.units.get((variant, name))
        if not own or found.better != "none":
            return found
        better, assume = own.get("better", found.better), own.get("assume", found.assume)
        return replace(found, better=better, assume=assume)  # type: ignore[arg-type]


def read_load_facts(runs: Runs) -> LoadFacts:
    """Gather what the runs tell of loads and units; files that contradict each other tell none."""
    models: dict[Workload | str, set[str]] = {}
    units: dict[tuple[str, str], dict[str, set[str]]] = {}
    measured = keep_measured(runs)
    names = (*Workload._fields, "load_model")
    loads = measured.iloc[number_rows(measured, names)[1]]
    for *labels, model in zip(*(loads[name].tolist() for name in names), strict=True):
        workload = Workload(*labels)
        models.setdefault(workload, set()).add(model)
        models.setdefault(workload.tool, set()).add(model)
    for variant, own in zip(measured["variant"].tolist(), measured["units"].tolist(), strict=True):
        for metric, text in (own or {}).items():
            known = units.setdefault((variant, metric), {})
            for key, value in (part.split("=", 1) for part in text.split()):
                known.setdefault(key, set()).add(value)
    return LoadFacts(_agree(models), {about: _agree(own) for about, own in units.items()})


def _agree(words: Mapping[Key, set[str]]) -> dict[Key, str]:
    """Return the words on which all agree."""
    return {name: only for name, (only, *others) in words.items() if not others}


def collect(observations: Observations, plan: Plan) -> dict[str, dict[Row, Cell]]:
    """Sort the values that can be compared into variant -> key -> run."""
    rows = _choose(leave_out_excerpts(observations), plan)
    numbers = rows["run"].to_numpy(np.int64)
    values, steps = (rows[name].to_numpy(np.float64) for name in ("value", "resolution"))
    steps = np.where(steps > 0, steps, 0.0)  # unknown is NaN: not rounded
    cells, firsts = number_rows(rows, ("variant", *ROW_KEY))
    order = np.lexsort((numbers, cells))
    begins = _find_begins(cells[order], numbers[order])
    medians: dict[int, float] = {}
    if len(begins) < len(order):
        reported = (rows["origin"] != "computed").to_numpy()
        order = np.lexsort((reported, steps, numbers, cells))
        precise = _find_begins(cells[order], numbers[order], steps[order], reported[order])
        ends = np.append(precise, len(order))[np.searchsorted(precise, begins) + 1]
        for place in np.flatnonzero(ends - begins > 1).tolist():
            medians[place] = median(values[order[begins[place] : ends[place]]].tolist())
    chosen = order[begins]
    starts = _find_begins(cells[chosen])
    coarsest = np.maximum.reduceat(steps[chosen], starts).tolist() if len(starts) else []
    runs, typical = numbers[chosen].tolist(), values[chosen].tolist()
    for place, value in medians.items():
        typical[place] = value
    labels = rows[["variant", *ROW_KEY, "unit"]].iloc[firsts]
    labels["subject"] = labels["subject"].astype("str").fillna("")
    found: dict[str, dict[Row, Cell]] = {}
    spans = pairwise((*starts.tolist(), len(chosen)))
    columns = (labels[name].tolist() for name in labels)
    for (start, end), step, variant, *key, unit in zip(spans, coarsest, *columns, strict=True):
        by_run = dict(zip(runs[start:end], typical[start:end], strict=True))
        found.setdefault(variant, {})[Row(*key)] = Cell(unit, by_run, step)
    return found


def number_rows(frame: pd.DataFrame, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Give the different rows of some columns numbers, in the order of their first appearance.

    Returns
    -------
    numbers : ndarray of int64, shape (rows,)
    firsts : ndarray of int64, shape (numbers,)
        The first row of each number.
    """
    import pandas as pd

    numbers, size = np.zeros(len(frame), dtype=np.int64), 1
    for name in names:
        codes, texts = pd.factorize(frame[name])
        if size * (len(texts) + 1) >= 1 << 62:
            numbers, known = pd.factorize(numbers)
            size = len(known)
        numbers = numbers * (len(texts) + 1) + codes + 1
        size *= len(texts) + 1
    numbers, known = pd.factorize(numbers)
    firsts = np.empty(len(known), dtype=np.int64)
    firsts[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers.astype(np.int64), firsts


def _choose(observations: Observations, plan: Plan) -> Observations:
    """Return the rows that can be compared."""
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


def _find_begins(*columns: np.ndarray) -> np.ndarray:
    """Return the rows of sorted columns that differ from the row before."""
    differs = np.zeros(len(columns[0]), dtype=bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


def is_primary(row: Row, facts: LoadFacts, plan: Plan) -> bool:
    """Tell whether a row carries the headline: named by the user, or chosen by tool and load."""
    tool = registry.tool(row.tool)
    if plan.primaries:
        return any(
            row.metric == name and row.stat == (stat or tool.choose_stat(name))
            for name, stat in plan.primaries
        )
    if row.subject and row.metric != "cpu_per_request":
        return False
    by_tool = facts.load_model.get(row.tool, "unknown")
    load_model = facts.load_model.get(row.workload, by_tool)
    return (row.metric, row.stat) in tool.find_primaries(load_model)


#: What describes the spread of one side, and is no cost of its own.
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

"""The values that can be compared: by variant, by what they are about, by run.

In: observations, and what is known of the runs. Out: cells. Why: one run is one value, whatever
number of events or forms it stands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchkit import metrics
from benchkit.comparison.model import Plan
from benchkit.derived.excerpts import leave_out_excerpts
from benchkit.derived.stretches import PREFIX

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: What a contrast is about: group, benchmark, params, tool, subject, metric, stat.
Key = tuple[str, str, str, str, str, str, str]


#: How exactly a source tells a value: its rounding step, and whether it only reports. Lower wins.
Precision = tuple[float, bool]


@dataclass(slots=True)
class Cell:
    """The runs of one key on one side: value by run, and the unit.

    Of several sources of one run the most precise counts: samples before JSON before text.
    """

    unit: str
    by_run: dict[int, tuple[Precision, list[float]]] = field(default_factory=dict)
    _told: dict[int, float] = field(default_factory=dict)

    def add(self, run: int, precision: Precision, value: float) -> None:
        """Take a value of a run, unless one more precise is there."""
        known = self.by_run.get(run)
        if self._told:
            self._told = {}
        if known is None or precision < known[0]:
            self.by_run[run] = (precision, [value])
        elif precision == known[0]:
            known[1].append(value)

    def told(self) -> Mapping[int, float]:
        """Return the value of each run, in run order."""
        if not self._told:
            ordered = ((run, self.by_run[run][1]) for run in sorted(self.by_run))
            self._told = {run: v[0] if len(v) == 1 else median(v) for run, v in ordered}
        return self._told

    def values(self) -> tuple[float, ...]:
        """Return one value per run, in run order."""
        return tuple(self.told().values())

    @property
    def resolution(self) -> float:
        """The coarsest rounding step among the runs, 0 where none is known."""
        return max(precision[0] for precision, _ in self.by_run.values())


#: Stands where a key was not looked at yet.
_UNSEEN = Cell("")


@dataclass(frozen=True, slots=True)
class Told:
    """What the runs tell of each tool's load and of the units of a user's own metrics."""

    load_model: Mapping[str, str]
    units: Mapping[str, Mapping[str, str]]

    def metric(self, name: str, unit: str) -> metrics.Metric:
        """Return what the vocabulary, and the source itself, tell of a metric."""
        found = metrics.lookup(name, unit)
        own = self.units.get(name)
        if not own:
            return found
        return metrics.Metric(
            name=name,
            unit=unit,
            better=own.get("better", found.better),  # type: ignore[arg-type]
            stats=found.stats,
            meaning=found.meaning,
            source=found.source,
            assume=own.get("assume", found.assume),  # type: ignore[arg-type]
        )


def tell_of_runs(runs: Runs) -> Told:
    """Gather what the runs tell of loads and units."""
    models: dict[str, set[str]] = {}
    units: dict[str, dict[str, str]] = {}
    told = (runs[name].tolist() for name in ("tool", "load_model", "units"))
    for tool, model, own in zip(*told, strict=True):
        models.setdefault(tool, set()).add(model)
        for metric, text in (own or {}).items():
            units.setdefault(metric, {}).update(part.split("=", 1) for part in text.split())
    return Told({t: m.pop() if len(m) == 1 else "unknown" for t, m in models.items()}, units)


def collect(observations: Observations, plan: Plan, told: Told) -> dict[str, dict[Key, Cell]]:
    """Sort the values that can be compared into variant -> key -> run."""
    asked = {*plan.primaries, *plan.metrics}
    wanted: dict[tuple[str, str, str], bool] = {}
    found: dict[tuple[str, Key], Cell | None] = {}
    whole = leave_out_excerpts(observations)
    for key, variant, run, value, unit, resolution, origin in _rows(whole):
        cell = found.get((variant, key), _UNSEEN)
        if cell is _UNSEEN:
            what = tool, metric, stat = key[3], key[5], key[6]
            if what not in wanted:
                wanted[what] = _is_compared(told, tool, metric, stat, unit, asked)
            cell = found[variant, key] = Cell(unit) if wanted[what] else None
        if cell is not None:
            step = resolution if resolution > 0 else 0.0  # unknown is NaN: not rounded
            cell.add(run, (step, origin != "computed"), value)
    cells: dict[str, dict[Key, Cell]] = {}
    for (variant, key), cell in found.items():
        if cell is not None:
            cells.setdefault(variant, {})[key] = cell
    return cells


def is_primary(
    metric: str, stat: str, subject: str, tool: str, load_model: str, plan: Plan
) -> bool:
    """Tell whether a row carries the headline: named by the user, or chosen by tool and load."""
    if plan.primaries:
        return any(
            metric == name and stat == (which or metrics.headline_stat(name, tool))
            for name, which in plan.primaries
        )
    if subject and metric != "cpu_per_request":
        return False
    return (metric, stat) in metrics.primaries(tool, load_model)


#: What describes the spread of one side, and is no cost of its own.
_NOT_COMPARED = frozenset({"stdev", "ci_low", "ci_high", "max_deviation"})


def _rows(
    observations: Observations,
) -> Iterator[tuple[Key, str, int, float, str, float, str]]:
    """Yield key, variant, run, value, unit, resolution (NaN if unknown) and origin of each row."""
    subjects = [text if isinstance(text, str) else "" for text in observations["subject"].tolist()]
    names = ("group", "benchmark", "params", "tool")
    key = zip(
        *(observations[name].tolist() for name in names),
        subjects,
        *(observations[name].tolist() for name in ("metric", "stat")),
        strict=True,
    )
    rest = ("variant", "run", "value", "unit", "resolution", "origin")
    return zip(key, *(observations[name].tolist() for name in rest), strict=True)


def _is_compared(
    told: Told, tool: str, metric: str, stat: str, unit: str, asked: Iterable[tuple[str, str]]
) -> bool:
    if stat == "counter" or (stat == "sample" and tool not in metrics.RUN_LEVEL_SAMPLES):
        return False
    if stat.startswith(PREFIX):
        return False
    if any(metric == name and stat == (which or stat) for name, which in asked):
        return True
    return told.metric(metric, unit).compared and stat not in _NOT_COMPARED

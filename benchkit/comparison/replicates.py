"""The runs of one variant, metric by metric: the input of plans and calibrations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from benchkit import selection
from benchkit.comparison.cells import collect, is_primary, read_load_facts
from benchkit.comparison.files import find_files, join_files
from benchkit.comparison.model import Plan, Row
from benchkit.errors import DataError
from benchkit.parsers import registry
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicates(Row):
    """One metric of one variant, one value per run, or per file if `join_files` decides so.

    Parameters
    ----------
    assume : {'nothing', 'exact'}
    better : {'lower', 'higher', 'none'}
        As in the vocabulary of metrics.
    values : tuple of float
        In the order in which the runs were made, if that was recorded; else by run number.
    is_ordered : bool
        Whether the order was recorded.
    """

    unit: str
    variant: str
    assume: str
    better: str
    values: tuple[float, ...]
    is_ordered: bool

    @property
    def n(self) -> int:
        """Number of runs."""
        return len(self.values)

    @property
    def center(self) -> float:
        """Median over runs."""
        return median(self.values)

    @property
    def side(self) -> Side:
        """The labels shared by its runs."""
        return self.workload.side(self.variant)


def collect_replicates(
    observations: Observations, runs: Runs, plan: Plan | None = None
) -> tuple[Replicates, ...]:
    """Return the primary metrics of every variant.

    Parameters
    ----------
    observations, runs : Observations, Runs
        The observations of measured runs, and the table of runs.
    plan : Plan, optional
        If it names primaries, they replace those of the tools.

    Returns
    -------
    tuple of Replicates
        In the order of the data, with the variants of one metric together.

    Raises
    ------
    SelectionError
        If a metric or stat that the plan names does not occur.
    DataError
        If no run has a primary metric.
    """
    plan = plan or Plan()
    _require(observations, plan)
    described = read_load_facts(runs)
    starts = _read_starts(runs)
    by_key: dict[Row, list[Replicates]] = {}
    by_variant = collect(observations, plan)
    leads = partial(is_primary, facts=described, plan=plan, variants=[*by_variant.values()])
    collected = join_files(by_variant, find_files(runs), leads)
    for variant, cells in collected.items():
        for key, cell in cells.items():
            if registry.tool(key.tool).role == "summary":  # its runs are not available
                continue
            if not leads(key):
                continue
            numbers = list(cell.by_run)
            side = key.workload.side(variant)
            order = {n: starts.get(side.labels(n)) for n in numbers}
            is_ordered = len(set(order.values()) - {None}) == len(numbers)
            if is_ordered:
                numbers.sort(key=lambda number: order[number] or 0.0)
            known = described.metric(key.metric, cell.unit, variant)
            row = Replicates(
                **key.labels, unit=cell.unit, variant=variant,
                assume=known.assume, better=known.better,
                values=tuple(cell.by_run[number] for number in numbers), is_ordered=is_ordered,
            )  # fmt: skip
            by_key.setdefault(key, []).append(row)
    if not by_key:
        raise DataError(
            "no run has a primary metric",
            hint="name one with --metric, or metrics= in Python, e.g. latency.p50; summaries "
            "have no individual runs to compare",
        )
    return tuple(row for rows in by_key.values() for row in rows)


def _read_starts(runs: Runs) -> dict[Labels, float]:
    """Return the recorded starts in seconds."""
    known = runs[runs["started_at"].notna()]
    starts = (start.timestamp() for start in known["started_at"].tolist())
    return dict(zip(list_labels(known), starts, strict=True))


def _require(observations: Observations, plan: Plan) -> None:
    known = observations[["metric", "stat"]].drop_duplicates()
    for metric, stat in plan.primaries:
        selection.require(metric, known["metric"].drop_duplicates(), "metric")
        if stat:
            of_metric = known[known["metric"] == metric]["stat"]
            selection.require(stat, of_metric, f"statistic of {metric}")

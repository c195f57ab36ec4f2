"""Amounts that authors of benchmarks publish: one row per variant, one amount per metric.

Each is the median over runs, with half the confidence interval of the mean over runs.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from benchkit.codes import number_maps
from benchkit.derived.containers import role_of
from benchkit.derived.record import rank_form
from benchkit.stats.location import mean_interval, median
from benchkit.stats.sample import LARGEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchkit.schema import Observations, Runs


class Published(NamedTuple):
    """A published metric: its header, its name, and its statistics in order of preference."""

    header: str
    metric: str
    stats: tuple[str, ...]


#: CPU as a share of the machine, if the number of its CPUs is recorded.
MACHINE_SHARE = Published("CPU of machine", "cpu_usage", ("share",))
PUBLISHED = (
    Published("requests", "requests", ("count",)),
    Published("requests/s", "request_rate", ("mean",)),
    Published("mean", "latency", ("mean",)),
    Published("p50", "latency", ("p50", "median")),
    Published("p75", "latency", ("p75",)),
    Published("p90", "latency", ("p90",)),
    Published("p95", "latency", ("p95",)),
    Published("p99", "latency", ("p99",)),
    Published("max", "latency", ("max",)),
    Published("time/op", "time_per_op", ("sample",)),
    Published("B/op", "bytes_per_op", ("sample",)),
    Published("allocs/op", "allocs_per_op", ("sample",)),
    Published("CPU", "cpu_usage", ("mean",)),
    MACHINE_SHARE,
    Published("memory", "memory_working_set", ("mean",)),
    Published("CPU/request", "cpu_per_request", ("mean",)),
)


class Cell(NamedTuple):
    """The labels that all variants of a row share."""

    group: str
    benchmark: str
    params: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One metric of one variant.

    Parameters
    ----------
    center : float
        Median over runs.
    reach : float or None
        Half the interval of the mean over runs; None with one run, or if the runs do not vary.
    """

    metric: str
    stat: str
    subject: str
    unit: str
    runs: int
    center: float
    reach: float | None


Amounts = dict[tuple[Cell, str], dict[Published, Amount]]


#: The value from one form of a run, after its `rank_form`.
_Ranked = tuple[tuple[float, bool], float]


def _choose(ranked: Sequence[_Ranked]) -> float:
    """Return the value of a run as in a comparison: from the most precise of its forms."""
    best, _ = min(ranked)
    return median([value for rank, value in ranked if rank == best])


def list_amounts(observations: Observations, runs: Runs, confidence: float) -> Amounts:
    """Return the published amounts of each cell and variant.

    Parameters
    ----------
    confidence : float
        The confidence of the interval of which ``reach`` is half.
    """
    metrics = {each.metric for each in PUBLISHED}
    rows = observations[observations["metric"].isin(metrics).to_numpy()]
    names = ("group", "benchmark", "params", "tool", "variant", "metric", "stat", "subject", "unit")
    labels = zip(*(rows[name].astype("str").fillna("").tolist() for name in names), strict=True)
    values: dict[tuple[str, ...], dict[int, list[_Ranked]]] = defaultdict(lambda: defaultdict(list))
    ranks = map(rank_form, rows["resolution"].tolist(), rows["origin"].tolist())
    ranked = zip(ranks, rows["value"].tolist(), strict=True)
    for key, run, each in zip(labels, rows["run"].tolist(), ranked, strict=True):
        values[key][run].append(each)
    services, machines = _find_services(values, runs), _count_cpus(runs)
    by_stat = {(each.metric, stat): each for each in PUBLISHED for stat in each.stats}
    amounts: Amounts = defaultdict(dict)
    for key, by_run in values.items():
        *place, variant, metric, stat, subject, unit = key
        published = by_stat.get((metric, stat))
        if published is None or subject != services.get(metric, ""):
            continue
        if not all(abs(value) <= LARGEST for each in by_run.values() for _, value in each):
            continue  # its square would overflow
        per_run = [_choose(each) for each in by_run.values()]
        amount = _sum_up(metric, stat, subject, unit, per_run, confidence)
        row = amounts[Cell(*place), variant]
        row.setdefault(published, amount)
        if metric == "cpu_usage" and (cpus := machines.get(variant)):
            reach = None if amount.reach is None else amount.reach / cpus
            row[MACHINE_SHARE] = replace(amount, unit="1", center=amount.center / cpus, reach=reach)
    return dict(amounts)


def _count_cpus(runs: Runs) -> dict[str, float]:
    """Return the number of CPUs for each variant whose runs all record the same number."""
    recorded: dict[str, set[str]] = defaultdict(set)
    columns = (runs[name].tolist() for name in ("variant", "role", "env"))
    for variant, role, env in zip(*columns, strict=True):
        if role == "measured":
            known = env or {}
            recorded[variant].add(known.get("cpus") or known.get("machine.cores") or "")
    return {
        variant: float(text)
        for variant, (text, *others) in recorded.items()
        if not others and text.isdecimal() and 0 < float(text) < inf
    }


def _sum_up(
    metric: str, stat: str, subject: str, unit: str, values: Sequence[float], confidence: float
) -> Amount:
    estimate = mean_interval(values, confidence) if len(values) > 1 else None
    reach = (estimate.high - estimate.low) / 2 if estimate else 0.0
    return Amount(
        metric=metric, stat=stat, subject=subject, unit=unit, runs=len(values),
        center=median(values), reach=reach if reach > 0 else None,
    )  # fmt: skip


def _find_services(values: Mapping[tuple[str, ...], object], runs: Runs) -> dict[str, str]:
    """Return the subject of each container metric: the service, or the only container."""
    subjects: dict[str, set[str]] = defaultdict(set)
    for *_, metric, _, subject, _ in values:
        subjects[metric].add(subject)
    known: dict[str, str] = {}
    for env in number_maps(runs["env"])[1]:
        known |= env
    services = {}
    for metric, names in subjects.items():
        serving = [name for name in names if role_of(name, known) == "service"]
        chosen = serving or sorted(names)
        services[metric] = chosen[0] if len(chosen) == 1 and "" not in names else ""
    return services

"""Resource use of containers during a run: CPU, memory, traffic, and CPU per request.

Wrk and cAdvisor report on the same seconds, but only start and end of the run show which seconds
these are.

What could not be derived for some runs, and how to fix that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.derived.containers import SERVICE, find_service, limit_of, list_declared, shorten
from benchkit.derived.record import Measured
from benchkit.derived.requests import completion_rates
from benchkit.derived.sources import USAGE, Series, Sources
from benchkit.derived.usage import COVERED, Usage, cut_whole, reduce_counter, reduce_gauge
from benchkit.errors import Finding
from benchkit.listing import list_names

if TYPE_CHECKING:
    from benchkit.schema import Observations

_RATES = ("network_in", "network_out", "disk_read", "disk_write")
Rows = list[dict[str, Any]]

#: Maximum number of runs and containers that a finding names.
_SHOWN = 4


def derive_resources(
    observations: Observations, measured: Sequence[Measured], series: Observations
) -> tuple[Rows, list[Finding]]:
    """Restrict the samples of containers to the runs.

    Parameters
    ----------
    observations : Observations
        Observations of the load tools, for the requests of each run.
    series : Observations
        Samples of containers over time.

    Returns
    -------
    tuple of (rows, findings)
        ``cpu_usage`` (mean, max), ``memory_working_set`` or else ``memory_usage`` (mean, max),
        ``*_rate``, ``cpu_throttled``, ``cpu_limit`` and ``memory_limit`` of each container;
        ``cpu_per_request`` of the service. ``n`` is the number of samples.

    Notes
    -----
    cpu_per_request = cores / requests per second, both over the whole time of the run, including
    the wait for the last responses. Cores are the increase of the counter from the first to the
    last sample in the window over the time between these samples. Benchmarks run by one command
    start at the same time; how they shared the CPU is unknown.
    """
    rows: Rows = []
    sources = Sources(series[series["metric"].isin(USAGE).to_numpy()], measured)
    if not sources:
        return rows, []
    rates = completion_rates(observations, measured)
    gaps, served = Gaps(), set()
    starts = Counter((run.trial, run.window[0]) for run in measured if run.window)
    for run in measured:
        recorded = sources.of(run)
        if not recorded:
            if sources.has_any(run):
                gaps.without_samples.append(run)
            continue
        if run.window is None and any(each.is_dated for each in recorded.values()):
            gaps.without_window.append(run)
            continue
        used = dict(_use(run, recorded))
        if any("cpu_time" in usages or "cpu_usage" in usages for usages in used.values()):
            served.add(run.trial)
        rows += [
            row for subject, usages in used.items() for row in _list_rows(run, subject, usages)
        ]
        if run.window and starts[run.trial, run.window[0]] > 1:
            gaps.shared.append(run)
        else:
            rows += _per_request(run, used, rates.get(run.key), gaps)
    # the samples may belong to one of several benchmarks with one number
    gaps.without_samples = [run for run in gaps.without_samples if run.trial not in served]
    return rows, gaps.findings()


#: By metric: the summary of a series, and the location of its first sample.
_Usages = dict[str, tuple[Usage, str]]


def _use(
    run: Measured, recorded: Mapping[tuple[str, str], Series]
) -> Iterator[tuple[str, _Usages]]:
    for subject in dict.fromkeys(subject for subject, _ in recorded):
        usages: _Usages = {}
        for metric in sorted(USAGE):
            series = recorded.get((subject, metric))
            if series is None:
                continue
            times, values, source = series.inside(run.window)
            if series.times is not None and run.window:
                times, values = cut_whole(series.times, series.values, run.window)
            is_counter = series.stat == "counter"
            usage = (reduce_counter if is_counter else reduce_gauge)(times, values)
            if usage is not None:
                usages[metric] = (usage, source)
        if usages:
            yield subject, usages


def _list_rows(run: Measured, subject: str, usages: _Usages) -> Iterator[dict[str, Any]]:
    def row(
        name: str, stat: str, value: float, usage_and_source: tuple[Usage, str]
    ) -> dict[str, Any]:
        usage, source = usage_and_source
        return run.row(name, stat, value, subject=subject, n=usage.n, source=source)

    cpu = usages.get("cpu_time") or usages.get("cpu_usage")
    memory = "memory_working_set" if "memory_working_set" in usages else "memory_usage"
    for name, usage_and_source in (("cpu_usage", cpu), (memory, usages.get(memory))):
        if usage_and_source is not None:
            yield row(name, "mean", usage_and_source[0].mean, usage_and_source)
            yield row(name, "max", usage_and_source[0].largest, usage_and_source)
    for name in _RATES:
        if name in usages:
            yield row(f"{name}_rate", "mean", usages[name][0].mean, usages[name])
    periods, held = usages.get("cpu_periods"), usages.get("cpu_throttled_periods")
    if periods and held and periods[0].increase > 0:
        yield row("cpu_throttled", "mean", held[0].increase / periods[0].increase, held)
    for what, usage_and_source in (("cpu", cpu), ("memory", usages.get(memory))):
        limit = limit_of(subject, what, run.env)
        if limit is not None and usage_and_source is not None:
            yield row(f"{what}_limit", "value", limit, usage_and_source)


def _per_request(
    run: Measured, used: Mapping[str, _Usages], rate: float | None, gaps: Gaps
) -> Iterator[dict[str, Any]]:
    with_cpu = {s: usages.get("cpu_time") or usages.get("cpu_usage") for s, usages in used.items()}
    cores = {subject: each for subject, each in with_cpu.items() if each is not None}
    if not cores:
        gaps.without_samples.append(run)
        return
    service = find_service({name: usage.mean for name, (usage, _) in cores.items()}, run.env)
    if service is None:
        gaps.add_without_service(run, tuple(cores))
        return
    gaps.with_service += 1
    usage, source = cores[service]
    if run.window and usage.covered < COVERED * (run.window[1] - run.window[0]):
        gaps.covered[run.name] = usage.covered / (run.window[1] - run.window[0])
    if rate:
        value = usage.mean / rate
        yield run.row("cpu_per_request", "mean", value, subject=service, n=usage.n, source=source)


class Gaps:
    """Missing data on the resources of runs."""

    def __init__(self) -> None:
        self.without_window: list[Measured] = []
        self.without_samples: list[Measured] = []
        self.without_service: list[Measured] = []
        self.shared: list[Measured] = []
        self.with_service = 0
        self.covered: dict[str, float] = {}
        self._containers: dict[str, None] = {}
        self._misnamed: dict[str, list[str]] = {}

    def add_without_service(self, run: Measured, containers: Sequence[str]) -> None:
        """Add a run whose service is not evident from its containers."""
        self.without_service.append(run)
        self._containers |= dict.fromkeys(containers)
        if name := run.env.get(f"container.{SERVICE}"):
            self._misnamed[name] = list_declared(containers, run.env)

    def findings(self) -> list[Finding]:
        """Return one finding per kind of problem."""
        kinds = [
            self._window(), self._samples(), self._service(), self._part(), self._share()
        ]  # fmt: skip
        return [finding for finding in kinds if finding is not None]

    def _window(self) -> Finding | None:
        if not self.without_window:
            return None
        return Finding(
            code="B410",
            severity="warning",
            message=f"the start and end of {name_runs(self.without_window)} are unknown, so no "
            "container sample can be assigned to these runs, and there is no CPU per request",
            remedy="write start and end to run.toml or runs.json, or measure with `benchkit "
            "capture`",
            numbers={"runs": len(self.without_window)},
        )

    def _samples(self) -> Finding | None:
        if not self.without_samples:
            return None
        return Finding(
            code="B411",
            severity="warning",
            message="no container has two CPU samples between the start and end of "
            f"{name_runs(self.without_samples)}",
            remedy="sample at least once a second while the load runs, and check that both clocks "
            "agree",
            numbers={"runs": len(self.without_samples)},
        )

    def _service(self) -> Finding | None:
        if not self.without_service:
            return None
        listed = list_names([shorten(name) for name in self._containers], _SHOWN)
        why = f"benchkit cannot tell which container is the service: {listed}"
        for name, matching in self._misnamed.items():
            number = "more than one" if matching else "none"
            why = f"[containers] service = {name!r} matches {number} of the containers: {listed}"
        total = len(self.without_service) + self.with_service
        runs = name_runs(self.without_service)
        share = f" ({len(self.without_service)} of {total} runs)" if self.with_service else ""
        return Finding(
            code="B413",
            severity="warning",
            message=f"{why}; no CPU per request for {runs}{share}",
            remedy='add [containers] service = "NAME" to run.toml or benchkit.toml; if you use '
            "a store, ingest again",
            numbers={"runs": len(self.without_service), "containers": len(self._containers)},
        )

    def _part(self) -> Finding | None:
        if not self.covered:
            return None
        least = min(self.covered, key=lambda name: self.covered[name])
        return Finding(
            code="B414",
            severity="info",
            message="the CPU samples cover only part of some runs, as little as "
            f"{100 * self.covered[least]:.0f} % ({least}): {list_names(self.covered, _SHOWN)}",
            remedy="sample at least once a second from the start to the end of the load",
            numbers={"runs": len(self.covered), "least": self.covered[least]},
        )

    def _share(self) -> Finding | None:
        if not self.shared:
            return None
        return Finding(
            code="B419",
            severity="warning",
            message=f"several benchmarks share start and end in {name_runs(self.shared)}, so the "
            "CPU time cannot be divided among them, and there is no CPU per request",
            remedy="run one benchmark per command",
            numbers={"runs": len(self.shared)},
        )


def name_runs(runs: Sequence[Measured]) -> str:
    """List runs by name; runs of several benchmarks with the same name appear once."""
    names = Counter(run.name for run in runs)
    counted = (f"{name} ({n} benchmarks)" if n > 1 else name for name, n in names.items())
    return list_names(counted, _SHOWN)

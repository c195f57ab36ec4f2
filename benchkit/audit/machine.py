"""Rules about the machine: a local generator, shared cores, containers at a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from benchkit.audit.facts import Evidence, Sheet, name_side, name_worst
from benchkit.comparison import Comparisons
from benchkit.derived.record import Run
from benchkit.errors import Finding
from benchkit.listing import list_first
from benchkit.regexes import regex
from benchkit.schema import Side, Trial
from benchkit.units import format_number

_AT_LIMIT = 0.95
_THROTTLED = 0.05
_LOCAL = frozenset(("localhost", "localhost.localdomain", "ip6-localhost"))
_PINNED = regex(r"\btaskset\s+(?:-c|--cpu-list)\s+([\d,-]+)|--cpuset-cpus[= ]([\d,-]+)")
#: Facts that show where the service or the generator was allowed to run.
_SERVICE = regex(r"^(?=.*cpus(?:et)?$).*?(?<![^._])(?:service|server|app)[._]|^limit\..+\.cpuset$")
_GENERATOR = regex(
    r"^(?=.*cpus(?:et)?$).*?(?<![^._])(?:generator|client|load)[._]|^(?:affinity|pinned)"
)
#: Maximum number of digits of a CPU number.
_CPU_DIGITS = 5
_SIBLINGS = regex(r"siblings")


def find_local_generators(evidence: Evidence) -> Iterator[Finding]:
    """B415: the generator ran on the machine that it loaded."""
    local: dict[str, list[Sheet]] = {}
    for sheet in evidence.loads:
        host = sheet.run.env.get("host", "")
        if is_loopback(host) and not _are_apart(sheet.run):
            local.setdefault(host, []).append(sheet)
    for host, sheets in local.items():
        tools = ", ".join(dict.fromkeys(sheet.run.tool for sheet in sheets))
        runs = "one run" if len(sheets) == 1 else f"{len(sheets)} runs"
        yield Finding(
            code="B415",
            severity="info",
            where=host,
            message=f"{tools} ran on the same machine as the service ({runs})",
            remedy="use a second machine, or pin generator and service to different cores: "
            "`benchkit capture --pin`",
            numbers={"runs": len(sheets)},
        )


def find_shared_cores(evidence: Evidence) -> Iterator[Finding]:
    """B416: service and generator are pinned to hyper-threads of one core, or to one CPU."""
    pinned: dict[tuple[str, str, str], list[Run]] = {}
    for sheet in evidence.loads:
        shared = _find_shared(sheet.run)
        if shared is not None:
            pinned.setdefault(shared, []).append(sheet.run)
    for (service, generator, core), runs in pinned.items():
        yield Finding(
            code="B416",
            severity="warning",
            where=", ".join(dict.fromkeys(run.variant for run in runs)),
            message=f"the service is pinned to CPU {service} and the generator to {generator}, "
            f"which are one core ({core}): they compete for its execution units and caches "
            f"({len(runs)} runs)",
            remedy="pin them to different cores: see "
            "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list",
            numbers={"runs": len(runs)},
        )


def find_limited_containers(evidence: Evidence) -> Iterator[Finding]:
    """B412: a container used all of its CPU limit, or was throttled by it."""
    limits = _list_limits(evidence)
    by_subject: dict[tuple[str, str, str], list[_Use]] = {}
    totals: dict[tuple[str, str, str], int] = {}
    for sheet in evidence.merged:
        run = sheet.run
        for subject in sheet.of("cpu_usage", "mean") | sheet.of("cpu_throttled", "mean"):
            key = (run.group, run.variant, subject)
            totals[key] = totals.get(key, 0) + 1
            reported = sheet.get("cpu_limit", "value", subject)
            limit = reported.value if reported else limits.get((run.key.trial, _last(subject)))
            use = _measure_use(sheet, subject, limit)
            if use is not None:
                by_subject.setdefault(key, []).append(use)
    for key, uses in by_subject.items():
        yield _report_limited(key, uses, totals[key])


def is_loopback(host: str) -> bool:
    """Return whether a host, with or without its port, is the local machine.

    ``0.0.0.0`` and ``[::]`` count: a client that connects to them reaches its own machine.

    Examples
    --------
    >>> is_loopback("127.0.0.1:8080"), is_loopback("[::1]:80"), is_loopback("10.0.0.7:8080")
    (True, True, False)
    """
    name = leave_port(host)
    if name in _LOCAL:
        return True
    import ipaddress

    with suppress(ValueError):
        address = ipaddress.ip_address(name)
        return address.is_loopback or address.is_unspecified
    return False


def leave_port(host: str) -> str:
    """Return the name of a host in lower case, without its port.

    Examples
    --------
    >>> leave_port("Host-A:8080"), leave_port("[fd00::7]:80")
    ('host-a', 'fd00::7')
    """
    name = host.strip().lower()
    return name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]


def parse_cpus(text: str) -> frozenset[int]:
    """Read a list of CPUs as Linux writes it; empty if it is invalid.

    Examples
    --------
    >>> sorted(parse_cpus("0,2-3"))
    [0, 2, 3]
    """
    cpus: set[int] = set()
    for part in text.replace(" ", "").split(","):
        low, dash, high = part.partition("-")
        if not (low.isdigit() and (not dash or high.isdigit())):
            return frozenset()
        if max(len(low), len(high)) > _CPU_DIGITS:
            return frozenset()
        cpus.update(range(int(low), int(high or low) + 1))
    return frozenset(cpus)


def _are_apart(run: Run) -> bool:
    """Return whether service and generator are known to run on different cores."""
    return all(map(parse_cpus, _list_places(run))) and _find_shared(run) is None


def _list_places(run: Run) -> tuple[str, str]:
    """Return the recorded CPUs of service and generator."""
    pinned = _PINNED.search(run.command or "")
    generator = next(filter(None, pinned.groups()), "") if pinned else _first(run, _GENERATOR)
    return _first(run, _SERVICE), generator


def _find_shared(run: Run) -> tuple[str, str, str] | None:
    service, generator = _list_places(run)
    ours, theirs = parse_cpus(generator), parse_cpus(service)
    if not (ours and theirs):
        return None
    cores = [parse_cpus(text) for text in re.split(r"[;\s]+", _first(run, _SIBLINGS)) if text]
    cores += [frozenset((cpu,)) for cpu in ours & theirs]
    for core in cores:
        if core & ours and core & theirs:
            return service, generator, ",".join(map(str, sorted(core)))
    return None


def _first(run: Run, pattern: re.Pattern[str]) -> str:
    return next((value for name, value in run.env.items() if pattern.search(name)), "")


@dataclass(frozen=True, slots=True)
class _Use:
    """The share of its limit that a container used in one run."""

    run: Run
    used: float
    limit: float | None
    throttled: float


def _list_limits(evidence: Evidence) -> dict[tuple[Trial, str], float]:
    """Return the CPU limits in cores that any source of a run records, by container."""
    limits: dict[tuple[Trial, str], float] = {}
    for run in evidence.list_runs(lambda run: any(name.startswith("limit.") for name in run.env)):
        for name, value in run.env.items():
            if name.startswith("limit.") and name.endswith(".cpu"):
                subject = name.removeprefix("limit.").removesuffix(".cpu")
                with suppress(ValueError):
                    limits[run.key.trial, _last(subject)] = float(value)
    return limits


def _last(subject: str) -> str:
    """Return the last part of a container's name: a sidecar has server, cAdvisor /bench/server."""
    return subject.rstrip("/").rpartition("/")[2]


def _measure_use(sheet: Sheet, subject: str, limit: float | None) -> _Use | None:
    used = sheet.get("cpu_usage", "mean", subject)
    throttled = sheet.get("cpu_throttled", "mean", subject)
    share = throttled.value if throttled else 0.0
    cores = used.value if used else 0.0
    is_full = bool(limit) and cores >= _AT_LIMIT * (limit or 0.0)
    if not is_full and share <= _THROTTLED:
        return None
    return _Use(sheet.run, cores, limit, share)


def _report_limited(key: tuple[str, str, str], uses: Sequence[_Use], total: int) -> Finding:
    group, variant, subject = key
    worst = max(uses, key=lambda use: (use.used / use.limit if use.limit else 0.0, use.throttled))
    reasons = []
    if worst.limit:
        reasons.append(
            f"used {format_number(worst.used)} of {format_number(worst.limit)} cores on average"
        )
    if worst.throttled:
        reasons.append(f"was throttled in {100 * worst.throttled:.2g} % of its periods")
    return Finding(
        code="B412",
        severity="warning",
        where=name_side(Side(group, variant, "", "", "")),
        message=f"{subject} is at its CPU limit: it {' and '.join(reasons)} "
        f"({name_worst(worst.run, uses, total)}): you measured the limit",
        remedy="raise the limit, or lower the load until no container is near its limit",
        numbers={
            "used": worst.used,
            "limit": worst.limit or float("nan"),
            "throttled": worst.throttled,
            "runs": len(uses),
        },
    )


_WORD = regex(r"[^\W_]+")
#: Maximum number of hosts of one side that are named.
_SHOWN = 3


def find_other_hosts(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B211: the load went to different hosts, and the variant names do not show it.

    Two builds are usually run on two ports of one host; another host is another machine.
    """
    names = {(c.workload, name) for c in comparisons.contrasts for name in (c.baseline, c.variant)}
    compared = {workload.side(name) for workload, name in names}
    hosts: dict[str, dict[str, None]] = {}
    for sheet in evidence.loads:
        host = sheet.run.env.get("host", "")
        if host and sheet.run.side in compared:
            name = "localhost" if is_loopback(host) else leave_port(host)
            hosts.setdefault(sheet.run.variant, {})[name] = None
    for pair in comparisons.pairs:
        sides = [hosts.get(variant, {}) for variant in pair]
        if not all(sides) or sides[0].keys() == sides[1].keys() or _are_named(pair, sides):
            continue
        one, other = (list_first(sorted(hosts), _SHOWN) for hosts in sides)
        yield Finding(
            code="B211",
            severity="warning",
            where=", ".join(pair),
            message=f"the load for '{pair[0]}' went to {one}, the load for '{pair[1]}' to "
            f"{other}: a difference between the hosts looks like a difference between the variants",
            remedy="measure both sides on one host; if you compare the hosts, name the variants "
            "after them",
            numbers=dict(zip(pair, (one, other), strict=True)),
        )


def _are_named(variants: Iterable[str], hosts: Iterable[Iterable[str]]) -> bool:
    """Return whether a word unique to one variant is also unique to its hosts."""
    one, other = (set(_WORD.findall(variant.lower())) for variant in variants)
    here, there = ({word for host in of for word in _WORD.findall(host)} for of in hosts)
    return bool((one - other) & (here - there) or (other - one) & (there - here))

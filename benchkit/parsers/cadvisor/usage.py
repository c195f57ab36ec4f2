"""What one look of cAdvisor at one container tells.

API 1.x and 2.x name the same fields, and a missing field is not a zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.parsers import counters
from benchkit.parsers.counters import CONTAINERS, Measure, Value, dig, tell

if TYPE_CHECKING:
    import numpy as np

CORES = Measure("cpu_usage", "cores", "sample")
#: Measures, in how many parts of their unit, and where; those of a limit are zero without one.
CPU = (
    (CONTAINERS["container_cpu_usage_seconds_total"], 10**9, ("cpu", "usage", "total")),
    (CORES, 10**9, ("cpu_inst", "usage", "total")),
)
LIMITED = (
    (CONTAINERS["container_cpu_cfs_periods_total"], ("cpu", "cfs", "periods")),
    (CONTAINERS["container_cpu_cfs_throttled_periods_total"], ("cpu", "cfs", "throttled_periods")),
)
MEMORY = {
    "working_set": CONTAINERS["container_memory_working_set_bytes"],
    "usage": CONTAINERS["container_memory_usage_bytes"],
    "rss": CONTAINERS["container_memory_rss"],
    "cache": CONTAINERS["container_memory_cache"],
}
NETWORK = dict(zip(("rx_bytes", "tx_bytes"), counters.NETWORK, strict=True))
DISK = dict(zip(("Read", "Write"), counters.DISK, strict=True))


class Column(NamedTuple):
    """Values of one measure, shape (k,), and which looks tell one."""

    measure: Measure
    origin: str
    values: np.ndarray
    exists: np.ndarray


class Looks(NamedTuple):
    """Looks that follow each other in a line; ``times`` are µs since 1970, shape (k,)."""

    times: np.ndarray
    columns: list[Column]
    line: int


def read_look(look: dict[str, Any], line: int) -> Iterator[Value]:
    """Yield what an element of ``stats`` tells, in a document of that line."""
    if look.get("has_cpu", True):
        for measure, divisor, path in CPU:
            yield from tell(measure, {"": dig(look, *path)}, line, divisor)
        for measure, path in LIMITED if dig(look, "cpu", "cfs", "periods") else ():
            yield from tell(measure, {"": dig(look, *path)}, line)
    for name, measure in MEMORY.items() if look.get("has_memory", True) else ():
        yield from tell(measure, {"": dig(look, "memory", name)}, line)
    network, diskio = look.get("network"), look.get("diskio")
    interfaces = network.get("interfaces") if isinstance(network, dict) else None
    if not isinstance(interfaces, list) or not interfaces:
        interfaces = [network]  # API 1.0: one interface, not named
    parts = [part for part in interfaces if isinstance(part, dict)]
    for name, measure in NETWORK.items():
        yield from tell(measure, {str(part.get("name")): dig(part, name) for part in parts}, line)
    served = diskio.get("io_service_bytes") if isinstance(diskio, dict) else None
    served = served if isinstance(served, list) else []
    devices = [each for each in served if isinstance(each, dict)]
    for name, measure in DISK.items():
        counted = {f"{d.get('major')}:{d.get('minor')}": dig(d, "stats", name) for d in devices}
        yield from tell(measure, counted, line)


def read_summary(summary: dict[str, Any], line: int) -> Iterator[tuple[str, Value]]:
    """Yield (stat, value) of a summary: the latest values, and mean and maximum of a minute."""
    for part, measure, divisor in (("cpu", CORES, 1000), ("memory", MEMORY["working_set"], 1)):
        minute = summary.get("minute_usage")
        usage = minute.get(part) if isinstance(minute, dict) else None
        known = {"sample": dig(summary, "latest_usage", part)}
        if not isinstance(usage, dict) or usage.get("present") is not False:
            known |= {stat: dig(usage, stat) for stat in ("mean", "max")}
        for stat, number in known.items():
            for value in tell(measure, {"": number}, line, divisor):
                yield stat, value

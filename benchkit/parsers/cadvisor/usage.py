"""What one look of cAdvisor at one container tells.

API 1.x and 2.x name the same fields, and a missing field is not a zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.parsers.counters import CONTAINERS, Measure, add_up, dig
from benchkit.parsers.documents import line_of

if TYPE_CHECKING:
    import numpy as np

_CPU = CONTAINERS["container_cpu_usage_seconds_total"]
_CORES = Measure("cpu_usage", "cores", "sample")
_PERIODS = CONTAINERS["container_cpu_cfs_periods_total"]
_THROTTLED = CONTAINERS["container_cpu_cfs_throttled_periods_total"]
_MEMORY = {
    "working_set": CONTAINERS["container_memory_working_set_bytes"],
    "usage": CONTAINERS["container_memory_usage_bytes"],
    "rss": CONTAINERS["container_memory_rss"],
    "cache": CONTAINERS["container_memory_cache"],
}
_NETWORK = {
    "rx_bytes": CONTAINERS["container_network_receive_bytes_total"],
    "tx_bytes": CONTAINERS["container_network_transmit_bytes_total"],
}
_DISK = {
    "Read": CONTAINERS["container_fs_reads_bytes_total"],
    "Write": CONTAINERS["container_fs_writes_bytes_total"],
}


class Value(NamedTuple):
    """One value of one look: the sum of its parts, as they are told, by a divisor.

    Nothing is told where ``given`` is zero.
    """

    measure: Measure
    parts: tuple[float, ...]
    divisor: int = 1
    given: float = 1

    @property
    def value(self) -> float:
        """In the base unit."""
        whole = self.parts[0] if len(self.parts) == 1 else math.fsum(self.parts)
        return whole / self.divisor

    @property
    def origin(self) -> str:
        """Whether it is told, or a sum."""
        return "reported" if len(self.parts) == 1 else "computed"

    def line(self, default: int) -> int:
        """Return its line, in a document of that line."""
        return line_of(self.parts[-1], default)


class Column(NamedTuple):
    """Values of one measure, shape (k,), and which looks tell one."""

    measure: Measure
    origin: str
    values: np.ndarray
    told: np.ndarray


class Looks(NamedTuple):
    """Looks that follow each other in a line; ``times`` are µs since 1970, shape (k,)."""

    times: np.ndarray
    columns: list[Column]
    line: int


def read_look(look: dict[str, Any]) -> Iterator[Value]:
    """Yield what an element of ``stats`` tells."""
    return (value for value in read_all(look) if value.given)


def read_all(look: dict[str, Any]) -> Iterator[Value]:
    """Yield also values that are not given."""
    yield from _cpu(look)
    if look.get("has_memory", True):
        memory = look.get("memory")
        for name, measure in _MEMORY.items():
            value = dig(memory, name)
            if value is not None:
                yield Value(measure, (value,))
    yield from _network(look.get("network"))
    yield from _disk(look.get("diskio"))


def read_summary(summary: dict[str, Any]) -> Iterator[tuple[str, Value]]:
    """Yield (stat, value) of a summary: the latest values, and mean and maximum of a minute."""
    memory = _MEMORY["working_set"]
    for part, measure, scale in (("cpu", _CORES, 1000), ("memory", memory, 1)):
        latest = dig(summary, "latest_usage", part)
        if latest is not None:
            yield "sample", Value(measure, (latest,), scale)
        minute = summary.get("minute_usage")
        if isinstance(minute, dict) and _is_absent(minute.get(part)):
            continue
        for stat in ("mean", "max"):
            value = dig(summary, "minute_usage", part, stat)
            if value is not None:
                yield stat, Value(measure, (value,), scale)


def _cpu(look: dict[str, Any]) -> Iterator[Value]:
    if not look.get("has_cpu", True):
        return
    used = dig(look, "cpu", "usage", "total")
    if used is not None:
        yield Value(_CPU, (used,), 10**9)
    now = dig(look, "cpu_inst", "usage", "total")
    if now is not None:
        yield Value(_CORES, (now,), 10**9)
    periods = dig(look, "cpu", "cfs", "periods")
    throttled = dig(look, "cpu", "cfs", "throttled_periods")
    if periods is not None:  # zero without a limit
        yield Value(_PERIODS, (periods,), given=periods)
        if throttled is not None:
            yield Value(_THROTTLED, (throttled,), given=periods)


def _network(network: object) -> Iterator[Value]:
    if not isinstance(network, dict):
        return
    interfaces = network.get("interfaces")
    if isinstance(interfaces, list) and interfaces:
        parts = [part for part in interfaces if isinstance(part, dict)]
    else:
        parts = [network]  # API 1.0: one interface, not named
    for name, measure in _NETWORK.items():
        counted = {str(part.get("name")): dig(part, name) for part in parts}
        yield from _whole(measure, counted)


def _disk(diskio: object) -> Iterator[Value]:
    served = diskio.get("io_service_bytes") if isinstance(diskio, dict) else None
    served = served if isinstance(served, list) else []
    devices = [each for each in served if isinstance(each, dict)]
    for name, measure in _DISK.items():
        counted = {
            f"{each.get('major')}:{each.get('minor')}": dig(each, "stats", name) for each in devices
        }
        yield from _whole(measure, counted)


def _whole(measure: Measure, counted: dict[str, float | None]) -> Iterator[Value]:
    parts = add_up(measure, {name: part for name, part in counted.items() if part is not None})
    if parts:
        yield Value(measure, tuple(parts))


def _is_absent(usage: object) -> bool:
    return isinstance(usage, dict) and usage.get("present") is False

"""The Docker API's answer to ``/containers/NAME/stats``.

It holds the counters behind the table, with the time at which they were read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchkit.parsers.counters import CONTAINERS, Measure, add_up, dig
from benchkit.parsers.documents import line_of

_MEMORY = CONTAINERS["container_memory_usage_bytes"]
_WORKING_SET = CONTAINERS["container_memory_working_set_bytes"]
_CPU = (
    (CONTAINERS["container_cpu_usage_seconds_total"], 10**9, ("cpu_usage", "total_usage")),
    (CONTAINERS["container_cpu_cfs_periods_total"], 1, ("throttling_data", "periods")),
    (
        CONTAINERS["container_cpu_cfs_throttled_periods_total"],
        1,
        ("throttling_data", "throttled_periods"),
    ),
)
_NETWORK = (
    (CONTAINERS["container_network_receive_bytes_total"], "rx_bytes"),
    (CONTAINERS["container_network_transmit_bytes_total"], "tx_bytes"),
)
_DISK = (
    (CONTAINERS["container_fs_reads_bytes_total"], "read"),
    (CONTAINERS["container_fs_writes_bytes_total"], "write"),
)


class Value(NamedTuple):
    """One value of an answer."""

    measure: Measure
    value: float
    line: int
    origin: str = "reported"


def is_answer(document: object) -> bool:
    """Say whether a document is an answer."""
    return isinstance(document, dict) and isinstance(document.get("cpu_stats"), dict)


def subject_of(answer: dict[str, Any]) -> str:
    """Return the container's name, else its id."""
    name = answer.get("name") or answer.get("id") or ""
    return str(name).removeprefix("/")


def read_answer(answer: dict[str, Any], default: int) -> Iterator[Value]:
    """Yield what an answer tells; ``default`` is the line of its document."""
    limited = dig(answer, "cpu_stats", "throttling_data", "periods")
    for measure, factor, path in _CPU:
        used = dig(answer, "cpu_stats", *path)
        if used is not None and (limited or factor > 1):
            yield Value(measure, used / factor, line_of(used, default))
    memory = dig(answer, "memory_stats", "usage")
    if memory is not None:
        yield Value(_MEMORY, memory, line_of(memory, default))
        for name in ("inactive_file", "total_inactive_file"):
            idle = dig(answer, "memory_stats", "stats", name)
            if idle is not None:
                own = max(memory - idle, 0)
                yield Value(_WORKING_SET, own, line_of(memory, default), "computed")
                break
    yield from _network(answer, default)
    yield from _disk(answer, default)


def _network(answer: dict[str, Any], default: int) -> Iterator[Value]:
    networks = answer.get("networks", {"": answer.get("network")})  # one, before API 1.21
    for measure, name in _NETWORK:
        counted = {}
        for interface, _ in networks.items() if isinstance(networks, dict) else ():
            counted[interface] = dig(networks, interface, name)
        yield from _whole(measure, counted, default)


def _disk(answer: dict[str, Any], default: int) -> Iterator[Value]:
    blkio = answer.get("blkio_stats")
    served = blkio.get("io_service_bytes_recursive") if isinstance(blkio, dict) else None
    served = served if isinstance(served, list) else []
    entries = [each for each in served if isinstance(each, dict)]
    for measure, way in _DISK:
        counted = {
            f"{each.get('major')}:{each.get('minor')}": dig(each, "value")
            for each in entries
            if str(each.get("op")).lower() == way
        }
        yield from _whole(measure, counted, default)


def _whole(measure: Measure, counted: dict[str, float | None], default: int) -> Iterator[Value]:
    parts = add_up(measure, {name: part for name, part in counted.items() if part is not None})
    if len(parts) == 1:
        yield Value(measure, parts[0], line_of(parts[0], default))
    elif parts:
        yield Value(measure, math.fsum(parts), line_of(parts[-1], default), "computed")

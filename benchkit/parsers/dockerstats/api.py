"""The Docker API's answer to ``/containers/NAME/stats``.

It has the counters behind the table, with the time of their reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchkit.parsers.counters import CONTAINERS, DISK, NETWORK, Value, dig, sum_parts
from benchkit.parsers.documents import line_of

_MEMORY = CONTAINERS["container_memory_usage_bytes"]
_WORKING_SET = CONTAINERS["container_memory_working_set_bytes"]
_CPU = CONTAINERS["container_cpu_usage_seconds_total"]
_LIMITED = {
    "periods": CONTAINERS["container_cpu_cfs_periods_total"],
    "throttled_periods": CONTAINERS["container_cpu_cfs_throttled_periods_total"],
}


def is_answer(document: object) -> bool:
    """Return whether a document is an answer."""
    return isinstance(document, dict) and isinstance(document.get("cpu_stats"), dict)


def subject_of(answer: dict[str, Any]) -> str:
    """Return the container's name, or else its id."""
    name = answer.get("name") or answer.get("id") or ""
    return str(name).removeprefix("/")


def read_answer(answer: dict[str, Any], line: int) -> Iterator[Value]:
    """Yield the values in an answer, whose document is on ``line``."""
    cpu, throttling = answer["cpu_stats"], answer["cpu_stats"].get("throttling_data")
    yield from sum_parts(_CPU, {"": dig(cpu, "cpu_usage", "total_usage")}, line, 10**9)
    for name, measure in _LIMITED.items() if dig(throttling, "periods") else ():
        yield from sum_parts(measure, {"": dig(throttling, name)}, line)
    memory = dig(answer, "memory_stats", "usage")
    yield from sum_parts(_MEMORY, {"": memory}, line)
    idle = (
        dig(answer, "memory_stats", "stats", name)
        for name in ("inactive_file", "total_inactive_file")
    )
    cache = next((number for number in idle if number is not None), None)
    if memory is not None and cache is not None:
        used = max(memory - cache, 0)
        yield Value(_WORKING_SET, used, line_of(memory, line), "computed")
    networks = answer.get("networks", {"": answer.get("network")})  # a single one before API 1.21
    networks = networks if isinstance(networks, dict) else {}
    for measure, name in zip(NETWORK, ("rx_bytes", "tx_bytes"), strict=True):
        yield from sum_parts(measure, {each: dig(networks, each, name) for each in networks}, line)
    blkio = answer.get("blkio_stats")
    served = blkio.get("io_service_bytes_recursive") if isinstance(blkio, dict) else None
    entries = served if isinstance(served, list) else []
    for measure, way in zip(DISK, ("read", "write"), strict=True):
        counted = {
            f"{each.get('major')}:{each.get('minor')}": dig(each, "value")
            for each in entries
            if isinstance(each, dict) and str(each.get("op")).lower() == way
        }
        yield from sum_parts(measure, counted, line)

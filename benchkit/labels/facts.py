"""What a sidecar tells of limits, containers, spans and shards, as entries of a run's ``env``.

CAdvisor tells limits as ``limit.<container>.cpu``, in cores, and a sidecar's go the same way;
whatever is derived later finds both in one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchkit.labels.run_toml import Sidecar
from benchkit.labels.shards import SHARD
from benchkit.redaction import redact_label
from benchkit.units import parse_bytes


def list_facts(side: Sidecar) -> dict[str, str]:
    """Return the entries.

    Examples
    --------
    >>> list_facts(Sidecar(limits={"server": {"cpu": 2.0, "memory": "4GiB"}}))
    {'limit.server.cpu': '2.0', 'limit.server.memory': '4294967296'}
    >>> list_facts(Sidecar(containers={"storage": ["es-1", "es-2"]}, spans={"per_request": 3}))
    {'container.storage': 'es-1,es-2', 'spans.per_request': '3'}
    """
    shard = {} if side.shard is None else {SHARD: str(side.shard)}
    if not (side.limits or side.containers or side.spans):
        return shard
    return {
        **shard,
        **dict(_limits(side.limits)),
        **{f"container.{role}": _join(names) for role, names in side.containers.items()},
        **{f"spans.{name}": _join(value) for name, value in side.spans.items()},
    }


def _limits(limits: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for container, amounts in limits.items():
        for name, amount in amounts.items():
            yield f"limit.{redact_label(container)}.{name}", _amount(name, amount)


def _amount(name: str, amount: object) -> str:
    """Write cores as they are told, and memory in B."""
    if name != "memory" or not isinstance(amount, str):
        return _join(amount)
    return f"{parse_bytes(amount, binary='i' in amount.lower()).value:.0f}"


def _join(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)

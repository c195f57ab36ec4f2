"""Joining of files from several generators of one load test, which share the run's number.

A sidecar or a layout numbers the generators. Without these numbers nothing is joined, because
overlapping times are a finding, not a proof.

Limits, containers, spans and shards of a sidecar become entries of a run's ``env``.

cAdvisor records limits as ``limit.<container>.cpu``, in cores. A sidecar's limits take the same
form, so later steps find both in one place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from benchkit.labels.run_toml import Sidecar
from benchkit.redaction import redact_label
from benchkit.regexes import regex
from benchkit.units import parse_bytes

if TYPE_CHECKING:
    from benchkit.labels.forms import Run


#: The entry of a run's environment that identifies the generator of a file.
SHARD = "shard"
#: The entry that counts the generators whose files were joined.
SHARDS = "shards"
#: Words for a generator, whose number in a folder's name is that of a shard.
GENERATORS = frozenset(
    {"shard", "generator", "gen", "injector", "pod", "worker", "agent", "client", "node", "host"}
)
_NAMED = regex(r"([A-Za-z]+)[-_ .]?(\d+)")


def join_shards(runs: Sequence[Run]) -> dict[int, list[Run]]:
    """Find the runs that several generators made together.

    Parameters
    ----------
    runs : sequence of Run
        All runs with the same labels.

    Returns
    -------
    dict of int to list of Run
        The other runs by the position of the first one. They were written by different generators,
        and began before any of them had ended.
    """
    declared: dict[int | None, list[Run]] = defaultdict(list)
    for run in runs:
        if SHARD in run.first.env and run.first.places is None:
            declared[run.first.run].append(run)
    return {same[0].place: same[1:] for same in declared.values() if _are_together(same)}


def _are_together(runs: Sequence[Run]) -> bool:
    names = {run.first.env[SHARD] for run in runs}
    if not len(names) == len(runs) > 1:
        return False
    windows = [
        (piece.started_at, piece.started_at + timedelta(seconds=piece.duration))
        for run in runs
        for piece in run.pieces
        if piece.started_at is not None and piece.duration
    ]
    return not windows or max(start for start, _ in windows) < min(end for _, end in windows)


def leave_shard(group: str, folder: str) -> str:
    """Return a group without the folder of a generator, if any.

    Examples
    --------
    >>> leave_shard("host-1/shard1", "shard1"), leave_shard("host-1", "")
    ('host-1', 'host-1')
    """
    above, _, below = f"/{group}/".rpartition(f"/{folder}/")
    return f"{above}/{below}".strip("/") if folder else group


def is_of_shard(folder: str, shard: int) -> bool:
    """Return whether a folder is named after a generator of this number.

    Examples
    --------
    >>> is_of_shard("shard2", 2), is_of_shard("pod-03", 3), is_of_shard("leg1", 1)
    (True, True, False)
    """
    named = _NAMED.fullmatch(folder)
    return named is not None and named[1].lower() in GENERATORS and int(named[2]) == shard


def list_facts(side: Sidecar) -> dict[str, str]:
    """Return a sidecar's facts as entries of the environment.

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
    """Write cores as recorded, and memory in B."""
    if name != "memory" or not isinstance(amount, str):
        return _join(amount)
    return f"{parse_bytes(amount, binary='i' in amount.lower()).value:.0f}"


def _join(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)

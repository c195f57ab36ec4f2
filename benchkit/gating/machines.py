"""Whether both sides were measured on the same machine, as far as runs record it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchkit.audit.sides import OTHER_MACHINE
from benchkit.comparison.machines import list_entries, names_machine
from benchkit.errors import Finding
from benchkit.gating.events import Pair
from benchkit.ingestion.addresses import is_distant
from benchkit.ingestion.archives import find_ending
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Maximum number of facts listed about a machine that only one side records.
_SHOWN = 3


class Side(NamedTuple):
    """The facts that a variant's runs record about their machine, and whether any run was imported.

    ``origin`` is the CI job or machine that ingested them.
    """

    entries: dict[str, str]
    is_distant: bool
    origin: str = ""


def find_unlike(
    runs: Runs, pairs: Sequence[Pair], findings: Sequence[Finding] = ()
) -> dict[Pair, str]:
    """Say for each pair why its sides may come from different machines; omit the other pairs.

    Parameters
    ----------
    pairs : sequence of (baseline, variant)
    findings : sequence of Finding
        Those of the same comparison: everything in B204 counts.

    Notes
    -----
    If only one side records its machine, or the two have no comparable facts in common, the machine
    is not known to be the same. If neither does, it is assumed to be the same, unless one of them
    was imported (from a commit, a web address, an object store, an archive) or their origins
    differ. Facts that many machines share (the system, its architecture) identify none.
    """
    differing = {f.where: f.message for f in findings if f.code == OTHER_MACHINE}
    sides = _list_sides(runs)
    reasons = {}
    for pair in pairs:
        one, other = (sides.get(name, Side({}, is_distant=False)) for name in pair)
        if difference := differing.get(", ".join(pair)):
            reasons[pair] = printable(f"{OTHER_MACHINE}: {difference}")
        elif one.entries.keys() & other.entries.keys():
            continue
        elif one.entries or other.entries:
            reasons[pair] = printable(_describe_unrecorded(pair, one.entries, other.entries))
        elif one.origin != other.origin:
            origins = f"{one.origin!r} and {other.origin!r}"
            reasons[pair] = printable(
                f"the sides come from the origins {origins}, and neither records its machine"
            )
        elif one.is_distant != other.is_distant:
            reasons[pair] = "measured elsewhere, on an unrecorded machine"
    return reasons


def _list_sides(runs: Runs) -> dict[str, Side]:
    measured = runs[(runs["role"] == "measured").to_numpy()]
    names = ("variant", "env", "sources", "origin")
    sides: dict[str, Side] = {}
    columns = (measured[name].tolist() for name in names)
    for variant, env, sources, origin in zip(*columns, strict=True):
        is_far = any(_is_elsewhere(str(source["path"])) for source in sources or ())
        recorded, was_far, _ = sides.get(variant, Side({}, is_distant=False))
        entries = list_entries(env) if isinstance(env, Mapping) else {}
        machine = {name: value for name, value in entries.items() if names_machine(name)}
        sides[variant] = Side(
            {**recorded, **machine},
            is_distant=is_far or was_far,
            origin=origin if isinstance(origin, str) else "",
        )
    return sides


def _is_elsewhere(path: str) -> bool:
    """Return whether a source was imported: from a remote address, or in an archive."""
    *folders, _ = path.split("/")
    return is_distant(path) or any(map(find_ending, folders))


def _describe_unrecorded(pair: Pair, one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Say which side records its machine, and that it cannot be compared."""
    if one and other:
        sides = " and ".join(", ".join(list(side)[:_SHOWN]) for side in (one, other))
        return f"the recorded machines cannot be compared: {sides}"
    recorder, silent = pair if one else pair[::-1]
    entries = ", ".join(f"{name} {value}" for name, value in list((one or other).items())[:_SHOWN])
    return f"{silent} does not record its machine, but {recorder} does: {entries}"

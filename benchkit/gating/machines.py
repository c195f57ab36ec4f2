"""Whether both sides of a comparison were measured on the same machine, as far as runs tell.

In: the table of runs, pairs. Out: what differs, pair by pair. Why: a baseline of another day is
often of another machine, and what differs between machines is no cost of the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.ingestion.addresses import is_distant
from benchkit.schema import FINGERPRINT
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Two amounts of memory that differ by less are one machine's, before and after a restart.
_ALIKE = 0.02

#: What many machines share.
_SYSTEM = frozenset({"os", "arch", "goos", "goarch"})

Pair = tuple[str, str]


def find_unlike(runs: Runs, pairs: Sequence[Pair]) -> dict[Pair, str]:
    """Say for each pair what tells the machines of its sides apart; pairs that agree are left out.

    Parameters
    ----------
    runs : Runs
    pairs : sequence of (baseline, variant)

    Notes
    -----
    An entry counts where both sides record it; variants that were measured on the same several
    machines agree. A side that was brought from elsewhere (a commit, a web address, an object
    store) is not taken for the same machine where no entry but its system can be compared.
    """
    measured = runs[(runs["role"] == "measured").to_numpy()]
    seen: dict[str, dict[str, set[str]]] = {}
    distant = set()
    names = ("variant", "env", "sources")
    for variant, env, sources in zip(*(measured[name].tolist() for name in names), strict=True):
        if any(is_distant(str(source["path"])) for source in sources or ()):
            distant.add(variant)
        told = env if isinstance(env, Mapping) else {}
        for key in FINGERPRINT:
            if told.get(key):
                seen.setdefault(variant, {}).setdefault(key, set()).add(str(told[key]))
    found = {}
    for baseline, variant in pairs:
        sides = seen.get(baseline, {}), seen.get(variant, {})
        is_told = bool(sides[0].keys() & sides[1].keys() - _SYSTEM)
        if differences := list(_compare(*sides)):
            found[baseline, variant] = f"measured on another machine: {'; '.join(differences)}"
        elif (baseline in distant) != (variant in distant) and not is_told:
            found[baseline, variant] = "measured elsewhere, and not told on which machine"
    return found


def _compare(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> Iterator[str]:
    for key in FINGERPRINT:
        here, there = one.get(key, set()), other.get(key, set())
        if here and there and not _is_alike(here, there):
            yield f"{key} {_list(here)} against {_list(there)}"


def _is_alike(one: set[str], other: set[str]) -> bool:
    if one == other:
        return True
    try:
        numbers = [float(text) for text in one | other]
    except ValueError:
        return False
    return max(numbers) - min(numbers) <= _ALIKE * max(numbers)


def _list(texts: set[str]) -> str:
    return printable(" and ".join(sorted(texts)))

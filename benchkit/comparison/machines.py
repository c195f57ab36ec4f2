"""Facts that runs record about their machine, and whether two sides record the same.

The audit, the gate and the history share this, so they agree on which machines differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from benchkit.regexes import regex

#: Words in the names of entries that describe the machine, not the variant.
_MACHINE = regex(
    r"(?:^|[^a-z])(?:cpus?|affinity|cores|threads|siblings|smt|turbo|governor|gomaxprocs|memory|machine"
    r"|hostname|kernel|os|goos|arch|goarch|limits?)(?:$|[^a-z])"
)
#: Entries shared by many machines, or that may change with every run: alone they identify no
#: machine.
_SHARED = frozenset({"os", "arch", "goos", "goarch", "gomaxprocs"})
#: Largest relative difference in memory within one machine, before and after a restart.
_ALIKE = 0.02


def list_entries(env: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of an environment that describe the machine.

    Examples
    --------
    >>> list_entries({"cpu_model": "Xeon", "commit": "abc1234"})
    {'cpu_model': 'Xeon'}
    """
    return {name: str(value) for name, value in env.items() if value and _is_of_machine(name)}


@cache
def _is_of_machine(name: str) -> bool:
    return bool(_MACHINE.search(name.lower())) and not name.startswith(("name.", "dose."))


def names_machine(name: str) -> bool:
    """Return whether an entry distinguishes one machine from another, beyond its system."""
    return name.lower() not in _SHARED


def is_alike(name: str, one: str, other: str) -> bool:
    """Return whether two values of an entry may come from the same machine.

    Examples
    --------
    >>> is_alike("memory", "8000000000", "8010000000"), is_alike("kernel", "6.80", "6.81")
    (True, False)
    """
    if one == other or "memory" not in name.lower():
        return one == other
    try:
        low, high = sorted((float(one), float(other)))
    except ValueError:
        return False
    return high - low <= _ALIKE * high


def differ(name: str, one: Counter[str], other: Counter[str]) -> bool:
    """Return whether the two sides record an entry's values in different proportions.

    Parameters
    ----------
    one, other : Counter of str
        How many runs record each value.

    Examples
    --------
    >>> xeon, epyc = Counter(["Xeon"]), Counter(["EPYC"])
    >>> differ("cpu", xeon + epyc, epyc + xeon), differ("cpu", xeon, epyc)
    (False, True)
    """
    known: list[str] = []
    sides = []
    for values in (one, other):
        counts: Counter[str] = Counter()
        for value, count in values.items():
            same = next((similar for similar in known if is_alike(name, similar, value)), None)
            if same is None:
                known.append(value)
            counts[same or value] += count
        sides.append(counts)
    return any(sides[0][v] * other.total() != sides[1][v] * one.total() for v in known)

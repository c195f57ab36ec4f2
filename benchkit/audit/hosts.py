"""A rule about two sides that were loaded at different hosts, though nothing says so by intention.

Two ports of one host are the usual way to run two builds; another host is another machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchkit.audit.facts import Evidence
from benchkit.audit.machine import is_loopback, leave_port
from benchkit.comparison import Comparisons
from benchkit.errors import Finding
from benchkit.listing import list_first
from benchkit.regexes import regex

_LOCAL = "localhost"
_WORD = regex(r"[^\W_]+")
#: Hosts of one side that are named.
_SHOWN = 3


def find_other_hosts(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B211: the load went to different hosts, and the variant names do not show it."""
    names = {(c.workload, name) for c in comparisons.contrasts for name in (c.baseline, c.variant)}
    compared = {workload.side(name) for workload, name in names}
    hosts: dict[str, dict[str, None]] = {}
    for sheet in evidence.loads:
        host = sheet.run.env.get("host", "")
        if host and sheet.run.side in compared:
            name = _LOCAL if is_loopback(host) else leave_port(host)
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
    """Tell whether a word that one variant has alone is one that its hosts have alone."""
    one, other = (set(_WORD.findall(variant.lower())) for variant in variants)
    here, there = ({word for host in of for word in _WORD.findall(host)} for of in hosts)
    return bool((one - other) & (here - there) or (other - one) & (there - here))

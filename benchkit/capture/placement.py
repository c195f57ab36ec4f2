"""The placement of service and generator on different cores, so they do not compete.

Threads of one core share its execution units, so all of them belong to one side.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from benchkit.audit.machine import parse_cpus
from benchkit.capture.fingerprint import list_cpus, read_machine


class Placement(NamedTuple):
    """The CPUs of the service and of the generator; empty if they may run on all."""

    service: frozenset[int] = frozenset()
    generator: frozenset[int] = frozenset()

    def __str__(self) -> str:
        service, generator = (write_cpus(cpus) for cpus in self)
        return f"pinned: the service to CPU {service}, the generator to CPU {generator}"


def place(root: Path = Path("/")) -> Placement | str:
    """Divide the cores that this process may use, or return the reason why that is impossible.

    The generator gets the first cores, which also handle most interrupts; the service gets the
    rest.
    """
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned: this system cannot bind programs to CPUs"
    allowed = frozenset(list_cpus())
    topology = (parse_cpus(text) for text in read_machine(root).get("siblings", "").split())
    cores = [core & allowed for core in topology if core & allowed]
    if frozenset().union(*cores) != allowed:
        return "not pinned: the kernel does not report which CPUs share a core"
    if len(cores) < 2:
        count = "1 CPU" if len(allowed) == 1 else f"{len(allowed)} threads of 1 core"
        return f"not pinned: service and generator need a core each, but only {count} can be used"
    cores.sort(key=min)
    half = len(cores) // 2
    return Placement(frozenset().union(*cores[half:]), frozenset().union(*cores[:half]))


@contextmanager
def running_on(cpus: Collection[int]) -> Iterator[None]:
    """Restrict processes started meanwhile to some CPUs; without any, they may use all."""
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)  # of this thread; its children inherit it
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def find_cpus(pids: Collection[int]) -> frozenset[int]:
    """Return the CPUs that some processes may use."""
    cpus = set[int]()
    for pid in pids:
        with suppress(OSError):  # it has ended
            cpus |= os.sched_getaffinity(pid)
    return frozenset(cpus)


def write_cpus(cpus: Collection[int]) -> str:
    """Write CPUs as Linux lists them.

    Examples
    --------
    >>> write_cpus({3, 0})
    '0,3'
    """
    return ",".join(map(str, sorted(cpus)))

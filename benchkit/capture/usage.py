"""CPU and memory of a service during a run, in the format of Docker's API.

CPU time is counted in ticks of 10 ms, including children that have ended; memory is the sum of the
resident sets.

The processes of this machine, as listed by the kernel: their parents and resource use.

If the kernel lists none, the table is empty.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from benchkit.capture.fingerprint import read_text

#: Prefix of the companion file's name, and the name of the service in it.
NAME, _SERVICE = "docker-stats", "server"
#: Seconds between samples, and samples between two searches for new processes.
_PERIOD, _RESCAN = 0.2, 10
_LISTENS = "0A"

#: Fields of ``/proc/PID/stat`` after the name: state, parent, group, CPU times of the process and
#: of the children it waited for, and resident pages.
_STATE, _PARENT, _GROUP, _TIMES, _PAGES = 0, 1, 2, slice(11, 15), 21
_PR_SET_CHILD_SUBREAPER = 36


class Sample(NamedTuple):
    """The resource use of a service so far: CPU in ns, and its current memory in bytes."""

    at: datetime
    cpu: int
    memory: int

    def show(self) -> dict[str, object]:
        """Format it like Docker's API."""
        return {
            "read": self.at.isoformat().replace("+00:00", "Z"),
            "name": _SERVICE,
            "cpu_stats": {"cpu_usage": {"total_usage": self.cpu}},
            "memory_stats": {"usage": self.memory},
        }


@contextmanager
def recording(roots: Collection[int]) -> Iterator[list[Sample]]:
    """Sample some processes and all their descendants before, during and after the run."""
    samples: list[Sample] = []
    if not roots:
        yield samples
        return
    has_begun, is_over = Event(), Event()
    sampler = Thread(target=_sample, args=(roots, samples, has_begun, is_over), daemon=True)
    sampler.start()
    has_begun.wait(_PERIOD)
    try:
        yield samples
    finally:
        is_over.set()
        sampler.join()


def write_samples(samples: Sequence[Sample], start: datetime, end: datetime) -> str:
    """Write one line per sample.

    The last sample before the run and the first one after it mark its start and end: a service
    without load uses next to nothing, and a short run has hardly any others.

    Examples
    --------
    >>> at = [datetime(2026, 11, 20, 10, 0, 1, us, tzinfo=UTC) for us in (900, 1000, 6000, 7000)]
    >>> text = write_samples([Sample(at[0], 10**7, 0), Sample(at[3], 3 * 10**7, 0)], *at[1:3])
    >>> [json.loads(line)["read"] for line in text.splitlines()]
    ['2026-11-20T10:00:01.001001Z', '2026-11-20T10:00:01.005999Z']
    """
    period, inside = timedelta(seconds=_PERIOD), timedelta(microseconds=1)  # times are rounded
    first, last = start + inside, end - inside
    before = [sample for sample in samples if first - period < sample.at <= first][-1:]
    after = [sample for sample in samples if last <= sample.at < last + period][:1]
    kept = [sample for sample in samples if first < sample.at < last]
    kept = [*(sample._replace(at=first) for sample in before), *kept]
    kept += [sample._replace(at=last) for sample in after]
    return "".join(f"{json.dumps(sample.show())}\n" for sample in kept)


def _sample(
    roots: Collection[int], samples: list[Sample], has_begun: Event, is_over: Event
) -> None:
    tick, page = 10**9 // os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    family, used, count = set[int](), 0, 0
    while True:
        is_last = is_over.is_set()
        if count % _RESCAN == 0:
            family = list_family(read_table(), roots)
        processes = [process for pid in family if (process := read_process(pid))]
        now = datetime.now(UTC)
        # A child that ends without being awaited takes its time along; a counter must not fall.
        used = max(used, sum(process.ticks for process in processes) * tick)
        if processes:
            memory = sum(process.pages for process in processes) * page
            samples.append(Sample(now, used, memory))
        has_begun.set()
        if is_last:
            return
        count += 1
        is_over.wait(_PERIOD)


def is_served_by(pids: Collection[int], port: int) -> bool:
    """Return whether one of some processes itself listens on a port."""
    sockets = set[str]()
    for name in ("tcp", "tcp6"):
        for line in read_text(Path("/proc/net") / name).splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{fields[9]}]")
    return any(link in sockets for pid in pids for link in _list_files(Path(f"/proc/{pid}/fd")))


def _list_files(folder: Path) -> Iterator[str]:
    try:
        paths = list(folder.iterdir())
    except OSError:
        return
    for path in paths:
        try:
            yield str(path.readlink())
        except OSError:  # closed meanwhile
            continue


class Process(NamedTuple):
    """A process: its parent, CPU time in ticks, memory in pages, and group."""

    parent: int
    ticks: int
    pages: int
    is_ended: bool
    group: int = 0


def read_process(pid: int) -> Process | None:
    """Return a process, or None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - often, and of many
            fields = file.read().rpartition(b") ")[2].split()
    except OSError:
        return None
    ticks = sum(map(int, fields[_TIMES]))
    parent, group, pages = (int(fields[at]) for at in (_PARENT, _GROUP, _PAGES))
    return Process(parent, ticks, pages, fields[_STATE] in b"ZX", group)


def read_table() -> dict[int, Process]:
    """Return all processes by number."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return {}
    return {pid: process for pid in pids if (process := read_process(pid)) is not None}


def list_family(table: Mapping[int, Process], roots: Collection[int]) -> set[int]:
    """Return the processes of a table that belong to or descend from some others.

    Examples
    --------
    >>> parents = {1: 0, 7: 1, 8: 7, 9: 1}
    >>> table = {pid: Process(parent, 0, 0, False) for pid, parent in parents.items()}
    >>> list_family(table, [7])
    {8, 7}
    """
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    family, waiting = set[int](), [pid for pid in roots if pid in table]
    while waiting:
        pid = waiting.pop()
        family.add(pid)
        waiting += children.get(pid, [])
    return family


def sort_parents_first(pids: Collection[int]) -> list[int]:
    """Sort processes so that each comes after its parent."""
    processes = {pid: read_process(pid) for pid in pids}
    parents = {pid: each.parent for pid, each in processes.items() if each is not None}

    def count_ancestors(pid: int) -> int:
        ancestors = set[int]()
        while (pid := parents.get(pid, 0)) in parents and pid not in ancestors:
            ancestors.add(pid)
        return len(ancestors)

    return sorted(pids, key=count_ancestors)


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Adopt descendants whose parent ends, so that none of them is lost."""
    _set_subreaper(is_on=True)
    try:
        yield
    finally:
        _set_subreaper(is_on=False)


def _set_subreaper(*, is_on: bool) -> None:
    with suppress(AttributeError, OSError, TypeError):  # a call that only Linux has
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(is_on), 0, 0, 0)

"""CPU and memory of a service while a run lasts, in the form in which Docker's API reports them.

CPU is counted in ticks of 10 ms, with that of children that have ended; memory is the sum of the
resident sets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

from benchkit.capture.control_group import read_text
from benchkit.capture.process_table import list_family, read_process, read_table

#: What the companion file's name begins with, and what the service is called in it.
NAME, _SERVICE = "docker-stats", "server"
#: Seconds between samples, and samples between two looks for new processes.
_PERIOD, _RESCAN = 0.2, 10
_LISTENS = "0A"


@contextmanager
def recording(roots: Collection[int]) -> Iterator[list[str]]:
    """Sample some processes and all that descend from them; give the lines, a sample each."""
    lines: list[str] = []
    if not roots:
        yield lines
        return
    is_over = Event()
    sampler = Thread(target=_sample, args=(roots, lines, is_over), daemon=True)
    sampler.start()
    try:
        yield lines
    finally:
        is_over.set()
        sampler.join()


def _sample(roots: Collection[int], lines: list[str], is_over: Event) -> None:
    tick, page = 10**9 // os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    family, used, count = set[int](), 0, 0
    while True:
        is_last = is_over.is_set()
        if count % _RESCAN == 0:
            family = list_family(read_table(), roots)
        processes = [process for pid in family if (process := read_process(pid))]
        now = datetime.now(UTC)
        # A child that ends unwaited takes its time along; a counter must not fall.
        used = max(used, sum(process.ticks for process in processes) * tick)
        sample = {
            "read": now.isoformat().replace("+00:00", "Z"),
            "name": _SERVICE,
            "cpu_stats": {"cpu_usage": {"total_usage": used}},
            "memory_stats": {"usage": sum(process.pages for process in processes) * page},
        }
        if processes:
            lines.append(json.dumps(sample) + "\n")
        if is_last:
            return
        count += 1
        is_over.wait(_PERIOD)


def is_served_by(pids: Collection[int], port: int, root: Path = Path("/")) -> bool:
    """Tell whether one of some processes itself listens on a port."""
    sockets = set[str]()
    for name in ("tcp", "tcp6"):
        for line in read_text(root / "proc/net" / name).splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{fields[9]}]")
    return any(
        link in sockets for pid in pids for link in _list_files(root / "proc" / f"{pid}" / "fd")
    )


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

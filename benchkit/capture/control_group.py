"""The CPU and memory that the control group of a process leaves to it.

A container with half a core measures its limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

#: From here on a number of bytes means that there is no limit.
_UNLIMITED = 1 << 60


def read_limits(root: Path = Path("/")) -> dict[str, str]:
    """Return the limits of this process: the least of its control group and those above it.

    Parameters
    ----------
    root : Path
        Where ``proc`` and ``sys`` are.

    Returns
    -------
    dict of str to str
        ``cpu_limit`` and ``memory_limit``; a limit that is not set or not told is left out.

    Examples
    --------
    >>> read_limits(Path("nowhere"))
    {}
    """
    cores = [*_quotas(root)]
    memory = [
        int(text)
        for name, controller in (("memory.max", ""), ("memory.limit_in_bytes", "memory"))
        for folder in _folders(root, controller)
        if (text := read_text(folder / name)).isdigit() and int(text) < _UNLIMITED
    ]
    limits = {"cpu_limit": f"{min(cores):g}"} if cores else {}
    return limits | ({"memory_limit": f"{min(memory)}"} if memory else {})


def count_throttled(root: Path = Path("/")) -> int | None:
    """Count the periods in which a limit held this process back; None where nothing counts them.

    Examples
    --------
    >>> count_throttled(Path("nowhere")) is None
    True
    """
    counts = [
        int(found[1])
        for controller in ("", "cpu")
        for folder in _folders(root, controller)
        if (
            found := re.search(
                r"^nr_throttled (\d+)$", read_text(folder / "cpu.stat"), re.MULTILINE
            )
        )
    ]
    return sum(counts) if counts else None


def _quotas(root: Path) -> Iterator[float]:
    """Yield every limit in cores: a quota of CPU time per period."""
    for folder in _folders(root, ""):
        quota, _, period = read_text(folder / "cpu.max").partition(" ")
        yield from _cores(quota, period)
    for folder in _folders(root, "cpu"):
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        yield from _cores(*(read_text(folder / name) for name in names))


def _cores(quota: str, period: str) -> Iterator[float]:
    if quota.isdigit() and period.isdigit() and int(period):
        yield int(quota) / int(period)


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folder of this process's control group, and those above it.

    In a container only the top may be there, whatever the kernel calls the group.
    """
    for line in read_text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if controller in controllers.split(","):
            base = root / "sys/fs/cgroup" / controller
            inside = PurePosixPath(group).relative_to("/") if group.startswith("/") else None
            for part in (inside, *inside.parents) if inside is not None else ():
                yield base / part


def read_text(path: Path) -> str:
    """Return what a file of the kernel says; empty where it is not there, or says nothing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

"""The files in which a Linux kernel describes its machine; none of them has to be there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchkit.capture.conditions import CpuTimes
from benchkit.capture.fingerprint import count_throttled, read_machine, read_text
from benchkit.regexes import regex

_SWAPPED = regex(r"^pswp(?:in|out) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(CpuTimes):
    """What the kernel has counted since it started; None where it does not say.

    Parameters
    ----------
    processes : dict of (int, str) to int
        CPU time of each process, by number and name.
    throttled, hot, swapped : int or None
        Periods in which a limit held this process back, thermal events, pages swapped in and out.
    """

    processes: dict[tuple[int, str], int] = field(default_factory=dict)
    throttled: int | None = None
    hot: int | None = None
    swapped: int | None = None


class Machine:
    """A machine by its files.

    Parameters
    ----------
    root : Path
        Where ``proc`` and ``sys`` are.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    @cached_property
    def facts(self) -> dict[str, str]:
        """What the sidecars of `capture` record of a machine."""
        return read_machine(self.root)

    def read(self, name: str) -> str:
        """Return what a file says; empty where it is not there."""
        return read_text(self.root / name)

    def find(self, name: str, pattern: re.Pattern[str]) -> str:
        """Return the first group of a pattern in a file; empty where it is not there."""
        match = pattern.search(self.read(name))
        return match[1] if match else ""

    def has(self, name: str) -> bool:
        """Tell whether a file is there."""
        return (self.root / name).exists()

    def count(self) -> Counts:
        """Read the counters as they are now."""
        cpu = CpuTimes.read(self.root)
        return Counts(
            times=cpu.times,
            cpus=cpu.cpus,
            processes=dict(self._list_processes()),
            throttled=count_throttled(self.root),
            hot=self._add_up("sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"),
            swapped=self._add_swapped(),
        )

    def _list_processes(self) -> Iterator[tuple[tuple[int, str], int]]:
        for folder in (self.root / "proc").glob("[0-9]*"):
            number, _, rest = read_text(folder / "stat").partition(" (")
            name, _, fields = rest.rpartition(") ")
            times = fields.split()[11:13]  # in user and in system mode
            if number.isdigit() and len(times) == 2 and all(map(str.isdigit, times)):
                yield (int(number), name), sum(map(int, times))

    def _add_up(self, pattern: str) -> int | None:
        counts = [
            int(text) for path in self.root.glob(pattern) if (text := read_text(path)).isdigit()
        ]
        return sum(counts) if counts else None

    def _add_swapped(self) -> int | None:
        counts = _SWAPPED.findall(self.read("proc/vmstat"))
        return sum(map(int, counts)) if counts else None

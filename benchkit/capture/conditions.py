"""The state of the machine: whether it is quiet before a run, and disturbances during it.

What the kernel does not record is left out.
"""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from benchkit.capture.fingerprint import read_text
from benchkit.regexes import regex

#: Number of CPUs that other programs may keep busy on a quiet machine.
QUIET = 0.1
#: Number of checks before a run is made on a machine that is not quiet.
_LOOKS = 12
#: Times in the first line of /proc/stat; the following times of guests are included in the first.
_TIMES = 8
_TOTAL = regex(r"^cpu +(\d[\d ]*)$", re.MULTILINE)
_CPU = regex(r"^cpu\d", re.MULTILINE)
_SWITCHES = regex(r"^nonvoluntary_ctxt_switches:\s*(\d+)$", re.MULTILINE)
_CLOCKS = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuTimes:
    """The use of the CPUs since the kernel started.

    Parameters
    ----------
    times : tuple of int
        Of all CPUs together: user, nice, system, idle, waiting for disks, interrupts (two kinds)
        and stolen; empty if they are not recorded.
    cpus : int
        The CPUs that the times cover.
    """

    times: tuple[int, ...] = ()
    cpus: int = 0

    @classmethod
    def read(cls, root: Path = Path("/")) -> Self:
        """Read the current values."""
        text = read_text(root / "proc/stat")
        total = _TOTAL.search(text)
        times = total[1].split()[:_TIMES] if total else ()
        return cls(times=tuple(map(int, times)), cpus=len(_CPU.findall(text)))

    @property
    def total(self) -> int:
        """All time."""
        return sum(self.times)

    @property
    def idle(self) -> int:
        """Time in which no CPU had anything to run."""
        return sum(self.times[3:5])

    @property
    def stolen(self) -> int:
        """Time in which the hypervisor ran others although something wanted to run."""
        return sum(self.times[7:])

    def count_busy(self, before: CpuTimes) -> float:
        """Return the average number of busy CPUs since an earlier reading."""
        unused = self.idle + self.stolen - before.idle - before.stolen
        return max(self.cpus * (1 - unused / (self.total - before.total or 1)), 0.0)

    def share_stolen(self, before: CpuTimes) -> float:
        """Return the stolen share of the time in which something wanted to run."""
        used = self.total - self.idle - before.total + before.idle
        return (self.stolen - before.stolen) / (used or 1)


class Quiet:
    """Waits for a quiet machine before each run, with a time limit.

    Parameters
    ----------
    seconds : float
        How long it has to be quiet.
    root : Path
        The parent folder of ``proc``.
    """

    def __init__(
        self,
        seconds: float,
        root: Path = Path("/"),
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._seconds, self._root, self._sleep = seconds, root, sleep
        self._looks = _LOOKS

    def wait(self) -> str:
        """Wait; return a remark on the wait, or nothing if the machine was quiet at once."""
        before = CpuTimes.read(self._root)
        if not self._seconds or not before.times:
            return ""
        for look in range(1, self._looks + 1):
            self._sleep(self._seconds)
            now = CpuTimes.read(self._root)
            busy, waited = now.count_busy(before), f"{look * self._seconds:g} s"
            before = now
            if busy <= QUIET:
                self._looks = _LOOKS
                return f"waited {waited} until the machine was quiet" if look > 1 else ""
        self._looks = 1  # it is unlikely to become quiet before the next run, too
        return (
            f"not quiet after {waited}: other programs use {busy:.1f} of {now.cpus} CPUs; "
            "measured anyway"
        )


@contextmanager
def recording_conditions(
    service: Collection[int], root: Path = Path("/")
) -> Iterator[dict[str, float]]:
    """Yield a sidecar's record of the machine while a command runs; it is completed at the end.

    ``stolen``: the share of the CPU time that went to other virtual machines; ``frequency``: that
    of the fastest CPU at the end, in Hz; ``switches`` and ``service_switches``: how often the
    command and the service lost a CPU to another program.
    """
    conditions: dict[str, float] = {}
    times, switches = CpuTimes.read(root), _count_switches(service, root)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw
    yield conditions
    conditions["switches"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw - before
    if later := _count_switches(service, root):
        gains = (count - switches.get(thread, 0) for thread, count in later.items())
        conditions["service_switches"] = sum(gains)
    if (now := CpuTimes.read(root)).total > times.total:
        conditions["stolen"] = round(now.share_stolen(times), 5)
    if clocks := [int(text) for path in root.glob(_CLOCKS) if (text := read_text(path)).isdigit()]:
        conditions["frequency"] = 1000 * max(clocks)


def _count_switches(pids: Collection[int], root: Path) -> dict[str, int]:
    """Return how often each thread of some processes lost a CPU to another program."""
    return {
        f"{path}": int(match[1])
        for pid in pids
        for path in (root / "proc" / f"{pid}" / "task").glob("*/status")
        if (match := _SWITCHES.search(read_text(path)))
    }

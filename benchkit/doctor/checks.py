"""One check for each source of noise, with its remedy.

They read files in which a Linux kernel describes its machine; any of them may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from benchkit.audit.machine import parse_cpus
from benchkit.capture.conditions import QUIET, CpuTimes
from benchkit.capture.fingerprint import count_throttled, read_machine, read_text
from benchkit.regexes import regex
from benchkit.units import printable

_SWAPPED = regex(r"^pswp(?:in|out) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(CpuTimes):
    """Counters of the kernel since its start; None if it does not record them.

    Parameters
    ----------
    processes : dict of (int, str) to int
        CPU time of each process, by number and name.
    throttled, hot, swapped : int or None
        Periods in which a limit throttled this process, thermal events, pages swapped in and out.
    """

    processes: dict[tuple[int, str], int] = field(default_factory=dict)
    throttled: int | None = None
    hot: int | None = None
    swapped: int | None = None


class Machine:
    """A machine, described by its files.

    Parameters
    ----------
    root : Path
        The parent folder of ``proc`` and ``sys``.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    @cached_property
    def facts(self) -> dict[str, str]:
        """The facts about a machine that `capture` puts into sidecars."""
        return read_machine(self.root)

    def read(self, name: str) -> str:
        """Return the contents of a file; empty if it is missing."""
        return read_text(self.root / name)

    def find(self, name: str, pattern: re.Pattern[str]) -> str:
        """Return the first group of a pattern in a file; empty if it is missing."""
        match = pattern.search(self.read(name))
        return match[1] if match else ""

    def has(self, name: str) -> bool:
        """Return whether a file exists."""
        return (self.root / name).exists()

    def count(self) -> Counts:
        """Read the current counters."""
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


State = Literal["noisy", "quiet", "not recorded"]

#: Share of a CPU above which a process is named, and the maximum number of names.
_NAMED, _MOST = 0.05, 3
#: Share of the wanted CPU time above which stolen time matters.
_STOLEN = 0.005
#: Number of open files for a load test with a thousand connections, with some to spare.
_FILES = 4096
#: Clock sources that need a system call or slow hardware.
_SLOW_CLOCKS = ("acpi_pm", "hpet", "jiffies", "pit", "refined-jiffies", "xen")
_HYPERVISOR = regex(r"^flags\s*:[^\n]* (hypervisor)\b", re.MULTILINE)
_VIRTUAL = regex(r"(virtual|kvm|qemu|vmware)", re.IGNORECASE)
_OVERLAY = regex(r"^(?:\S+ ){4}/ [^\n]* - (overlay) ", re.MULTILINE)
_SWAP = tuple(regex(rf"^{name}:\s*(\d+) kB", re.MULTILINE) for name in ("SwapTotal", "SwapFree"))
_OPEN_FILES = regex(r"^Max open files\s+(\d+|unlimited)\s", re.MULTILINE)
_CPU = "sys/devices/system/cpu"
_CLOCK = "sys/devices/system/clocksource/clocksource0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of one check.

    Parameters
    ----------
    state : {'noisy', 'quiet', 'not recorded'}
    reading, remedy : str
        The state; the remedy if it causes noise.
    """

    name: str
    state: State
    reading: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """A machine, with its counters before and after the observation, and after the measurement."""

    machine: Machine
    start: Counts
    idle: Counts
    end: Counts

    def gain(self, name: str) -> int:
        """Return the increase of a counter during the check; 0 if it is not recorded."""
        before, after = (getattr(counts, name) for counts in (self.start, self.end))
        return 0 if before is None or after is None else after - before


def _judge(name: str, reading: str, remedy: str, *, is_noisy: bool) -> Check:
    if not reading:
        return Check(name=name, state="not recorded")
    if not is_noisy:
        return Check(name=name, state="quiet", reading=reading)
    return Check(name=name, state="noisy", reading=reading, remedy=remedy)


def check_load(readings: Readings) -> Check:
    """Check for other running programs."""
    start, idle = readings.start, readings.idle
    total = idle.total - start.total
    busy = idle.count_busy(start)
    average = readings.machine.read("proc/loadavg").partition(" ")[0]
    parts = [f"other programs use {busy:.1f} of {start.cpus} CPUs"]
    parts += [f"load average {average}"] if average else []
    parts += _name_processes(start, idle)
    return _judge(
        "other load",
        "; ".join(parts) if total > 0 else "",
        "stop these programs, or wait until they have ended",
        is_noisy=busy > QUIET,
    )


def _name_processes(start: Counts, idle: Counts) -> list[str]:
    """Name the processes that used most CPU."""
    one = (idle.total - start.total) / (start.cpus or 1)
    used = {key: now - start.processes.get(key, now) for key, now in idle.processes.items()}
    busiest = sorted(used, key=lambda key: -used[key])[:_MOST]
    names = [
        f"{printable(name)} ({number}) {used[number, name] / one:.0%}".replace(
            "%", "\N{NO-BREAK SPACE}%"
        )
        for number, name in busiest
        if one > 0 and used[number, name] / one >= _NAMED
    ]
    return [f"most by {', '.join(names)}"] if names else []


def check_governor(readings: Readings) -> Check:
    """Check for CPUs whose clock follows the load."""
    governors = readings.machine.facts.get("governor", "")
    return _judge(
        "frequency governor",
        governors.replace(" ", ", "),
        "set it: sudo cpupower frequency-set --governor performance",
        is_noisy=governors != "performance",
    )


def check_turbo(readings: Readings) -> Check:
    """Check for CPUs that run above their nominal clock while they are cool."""
    switches = {"intel_pstate/no_turbo": ("0", "1"), "cpufreq/boost": ("1", "0")}
    for name, (on, off) in switches.items():
        setting = readings.machine.read(f"{_CPU}/{name}")
        if setting:
            return _judge(
                "turbo",
                "on: clock speed depends on heat and on the other cores"
                if setting == on
                else "off",
                f"switch it off: echo {off} | sudo tee /{_CPU}/{name}",
                is_noisy=setting == on,
            )
    return _judge("turbo", "", "", is_noisy=False)


def check_threads(readings: Readings) -> Check:
    """Check for cores that run several threads."""
    cores = [parse_cpus(text) for text in readings.machine.facts.get("siblings", "").split()]
    shared = sum(len(core) > 1 for core in cores)
    return _judge(
        "hyper-threads",
        f"{shared} of {len(cores)} cores run several threads, which slow each other down" if shared
        else "one thread per core" if cores else "",
        f"use one CPU per core (taskset), or: echo off | sudo tee /{_CPU}/smt/control",
        is_noisy=shared > 0,
    )  # fmt: skip


def check_limit(readings: Readings) -> Check:
    """Check for a CPU limit, and how often it throttled this process."""
    limit = readings.machine.facts.get("cpu_limit", "")
    periods, now = readings.end.throttled, readings.gain("throttled")
    parts = [f"{limit} CPUs"] if limit else []
    parts += [f"throttled in {periods} periods, {now} during the check"] if periods else []
    is_known = periods is not None or readings.machine.has("proc/self/cgroup")
    return _judge(
        "CPU limit",
        "; ".join(parts) or ("none" if is_known else ""),
        "remove the CPU limit of the container or control group (docker run without --cpus), and "
        "assign whole CPUs with --cpuset-cpus",
        is_noisy=bool(parts),
    )


def check_steal(readings: Readings) -> Check:
    """Check for CPU time that a hypervisor gave to others."""
    share = readings.end.share_stolen(readings.start)
    return _judge(
        "steal",
        f"{100 * share:.1f}\N{NO-BREAK SPACE}% of the CPU time went to other virtual machines"
        if readings.gain("total") > 0 else "",
        "use a dedicated host or a larger machine, and alternate between the variants",
        is_noisy=share > _STOLEN,
    )  # fmt: skip


def check_virtual(readings: Readings) -> Check:
    """Check for a hypervisor and for a container."""
    machine = readings.machine
    is_virtual = (
        machine.find("proc/cpuinfo", _HYPERVISOR)
        or machine.read("sys/hypervisor/type")
        or machine.find("sys/class/dmi/id/product_name", _VIRTUAL)
    )
    is_contained = (
        machine.has(".dockerenv")
        or machine.has("run/.containerenv")
        or machine.find("proc/self/mountinfo", _OVERLAY)
    )
    kinds = (("virtual machine", is_virtual), ("container", is_contained))
    layers = " and ".join(name for name, holds in kinds if holds)
    return _judge(
        "virtualisation",
        layers or ("none" if machine.has("proc/cpuinfo") else ""),
        "the load of other guests is invisible from inside: for small changes, use a dedicated "
        "machine, or alternate between the variants",
        is_noisy=bool(layers),
    )


def check_swap(readings: Readings) -> Check:
    """Check for memory that was swapped out."""
    sizes = [readings.machine.find("proc/meminfo", each) for each in _SWAP]
    used = (int(sizes[0]) - int(sizes[1])) // 1024 if all(sizes) else None
    moved = readings.gain("swapped")
    reading = f"{used} MiB in use" if used else "not in use"
    return _judge(
        "swap",
        ""
        if used is None
        else f"{reading}; {moved} pages moved during the check"
        if moved
        else reading,
        "stop programs until the memory is sufficient, then: sudo swapoff -a",
        is_noisy=bool(used or moved),
    )


def check_heat(readings: Readings) -> Check:
    """Check for CPUs that were throttled because they were hot."""
    events, now = readings.end.hot, readings.gain("hot")
    reading = f"{events} events since boot, {now} during the check" if events else "none since boot"
    return _judge(
        "thermal throttling",
        "" if events is None else reading,
        "cool the machine, and pause between runs (pause in the plan)",
        is_noisy=bool(events),
    )


def check_files(readings: Readings) -> Check:
    """Check for a low limit of open files, which include connections."""
    limit = readings.machine.find("proc/self/limits", _OPEN_FILES)
    return _judge(
        "open files",
        f"limit {limit}" if limit else "",
        "raise the limit for load tests with many connections: ulimit -n 65536",
        is_noisy=limit.isdigit() and int(limit) < _FILES,
    )


def check_clock(readings: Readings) -> Check:
    """Check for a clock that is slow to read."""
    source = readings.machine.read(f"{_CLOCK}/current_clocksource")
    known = readings.machine.read(f"{_CLOCK}/available_clocksource").split()
    return _judge(
        "clock source",
        source,
        f"choose a faster one: echo tsc | sudo tee /{_CLOCK}/current_clocksource"
        if "tsc" in known
        else "this clock is slow to read: look for tsc in the kernel log (dmesg)",
        is_noisy=source in _SLOW_CLOCKS,
    )


CHECKS = (
    check_load, check_governor, check_turbo, check_threads, check_limit, check_steal,
    check_virtual, check_swap, check_heat, check_files, check_clock,
)  # fmt: skip

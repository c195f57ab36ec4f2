"""Machines as their files describe them: /proc and /sys, and the changes one second later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchkit.doctor import Examination, Machine, examine

CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
Files = dict[str, str]


def stat(idle: int, user: int = 0, steal: int = 0, cpus: int = 4) -> str:
    """Return /proc/stat after a number of ticks."""
    lines = [f"cpu  {user} 0 0 {idle} 0 0 0 {steal} 0 0"]
    return "\n".join([*lines, *(f"cpu{n} 0 0 0 0 0 0 0 0 0 0" for n in range(cpus)), "ctxt 1"])


def swap(used: int, moved: int) -> Files:
    """Return the files of 8 GiB of swap with a number of kB in use."""
    return {
        "proc/meminfo": f"MemTotal: 1 kB\nSwapTotal: 8388608 kB\nSwapFree: {8388608 - used} kB",
        "proc/vmstat": f"pswpin {moved}\npswpout 5",
    }


def process(number: int, name: str, used: int) -> Files:
    """Return the file of a process that has used a number of ticks."""
    return {f"proc/{number}/stat": f"{number} ({name}) R {'1 ' * 10}{used} 0 0 0"}


QUIET = {
    "proc/stat": stat(1000),
    "proc/loadavg": "0.02 0.01 0.00 1/100 4242",
    "proc/cpuinfo": "model name : Good CPU\nflags\t\t: fpu tsc sse2\n",
    "proc/self/cgroup": "0::/user.slice",
    "proc/self/limits": "Limit   Soft Limit  Hard Limit\nMax open files   65536  524288   files",
    "proc/self/mountinfo": "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
    "sys/fs/cgroup/user.slice/cpu.max": "max 100000",
    "sys/fs/cgroup/user.slice/cpu.stat": "usage_usec 1\nnr_periods 0\nnr_throttled 0",
    f"{CPU}/intel_pstate/no_turbo": "1",
    f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "0",
    f"{CLOCK}/current_clocksource": "tsc",
    f"{CLOCK}/available_clocksource": "tsc hpet acpi_pm",
    **swap(0, 0),
    **{f"{CPU}/cpu{n}/topology/thread_siblings_list": f"{n}" for n in range(4)},
    **{f"{CPU}/cpu{n}/cpufreq/scaling_governor": "performance" for n in range(4)},
}
#: Each machine: its files, those that change within a second, and the checks that report it.
MACHINES: dict[str, tuple[Files, Files, set[str]]] = {
    "quiet bare metal": (QUIET, {"proc/stat": stat(1400)}, set()),
    "laptop": (
        QUIET
        | {
            f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
            f"{CPU}/intel_pstate/no_turbo": "0",
            f"{CPU}/cpu0/topology/thread_siblings_list": "0-1",
            f"{CPU}/cpu1/topology/thread_siblings_list": "0-1",
            f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "7",
            f"{CLOCK}/current_clocksource": "hpet",
            "proc/self/limits": "Max open files   1024  524288   files",
        },
        {
            "proc/stat": stat(1400),
            f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "9",
        },
        {
            "frequency governor", "turbo", "hyper-threads", "thermal throttling", "open files",
            "clock source",
        },
    ),
    "throttled container": (
        QUIET
        | {
            ".dockerenv": "",
            "proc/self/cgroup": "0::/",
            "sys/fs/cgroup/cpu.max": "150000 100000",
            "sys/fs/cgroup/cpu.stat": "nr_periods 900\nnr_throttled 120",
        },
        {"proc/stat": stat(1400), "sys/fs/cgroup/cpu.stat": "nr_periods 950\nnr_throttled 150"},
        {"CPU limit", "virtualisation"},
    ),
    "stolen virtual machine": (
        QUIET | {"proc/cpuinfo": "flags : fpu hypervisor tsc"},
        {"proc/stat": stat(1300, user=88, steal=12)},
        {"steal", "virtualisation", "other load"},
    ),
    "swapping": (
        QUIET | swap(524288, 100),
        {"proc/stat": stat(1400), **swap(524288, 140)},
        {"swap"},
    ),
    "busy": (
        QUIET
        | {"proc/loadavg": "3.10 2.00 1.00 3/100 4242"}
        | process(7, "k6", 10) | process(9, "a) :(", 5) | process(11, "idle", 100),
        {"proc/stat": stat(1250, user=150)}
        | process(7, "k6", 108) | process(9, "a) :(", 55) | process(11, "idle", 101),
        {"other load"},
    ),
    "no file at all": ({}, {}, set()),
}  # fmt: skip


def write(root: Path, files: Files) -> None:
    """Create the files of a machine."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")


def visit(root: Path, name: str, blocks: tuple[float, ...] = ()) -> Examination:
    """Examine one of the machines, whose blocks of work take the given times."""
    files, later, _ = MACHINES[name]
    write(root, files)
    pause: Callable[[float], None] = lambda _: write(root, later)  # noqa: E731
    return examine(Machine(root), float(bool(blocks)), pause=pause, measure=lambda _: blocks)

"""Facts about the machine on which a run is made.

A different CPU, governor, kernel or limit is a different experiment, so they are recorded.
Facts that cannot be determined are left out. Of the environment, only `VARIABLES` are recorded.

The commit of the current checkout, and whether its files differ from it.

The author of a checkout also wrote its settings, and git's settings name programs that watch,
filter and fetch. git only locates the checkout; its files are compared with the user's settings.

The CPU and memory that the control group of a process allows.

A container with half a core measures its limit.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from benchkit.processes import run_command
from benchkit.redaction import redact_text

#: Variables that affect measurements or identify a CI machine; never secrets.
VARIABLES = (
    "GOMAXPROCS",
    "GOGC",
    "GOMEMLIMIT",
    "GODEBUG",
    "GOAMD64",
    "GOFLAGS",
    "OTEL_SDK_DISABLED",
    "OTEL_TRACES_EXPORTER",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "RUNNER_OS",
    "RUNNER_ARCH",
    "ImageOS",
    "ImageVersion",
)
_SECONDS = 5
#: A partial clone would fetch missing objects, using a command from its settings.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
#: Settings of a checkout that affect how files are written and name no program.
_HARMLESS = "^core[.](autocrlf|eol|filemode|ignorecase|symlinks)$"
_PLACES = ("--show-toplevel", "--git-path", "index", "--git-path", "objects")

#: From this number of bytes on, there is no limit.
_UNLIMITED = 1 << 60


def take_fingerprint(
    root: Path = Path("/"),
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> dict[str, str]:
    """Return the facts about this machine.

    Parameters
    ----------
    root : Path
        The parent folder of ``proc`` and ``sys``.
    environ : mapping, optional
        The environment variables; those of this process by default.
    folder : Path, optional
        A folder in a git checkout; the working directory by default.

    Returns
    -------
    dict of str to str
        ``cpu`` (model), ``cpus`` (how many this process may use), ``affinity`` (which, if not all),
        ``siblings`` (the logical CPUs of each core, cores separated by a blank), ``governor``,
        ``memory`` (bytes), ``kernel``, ``os``, ``arch``; ``cpu_limit`` (cores) and ``memory_limit``
        (bytes) of the control group; ``commit`` and ``changed`` of its git checkout; the
        `VARIABLES` that are set.

    Examples
    --------
    >>> facts = take_fingerprint(environ={"GOGC": "off", "GITHUB_TOKEN": "x"})
    >>> facts["GOGC"], "GITHUB_TOKEN" in facts
    ('off', False)
    """
    facts = {**read_machine(root), **read_checkout(folder)}
    variables = os.environ if environ is None else environ
    facts |= {name: redact_text(variables[name]) for name in VARIABLES if name in variables}
    return {name: text for name, text in facts.items() if text}


def read_machine(root: Path = Path("/")) -> dict[str, str]:
    """Return the part of `take_fingerprint` on the hardware, the system and the limits."""
    facts = {
        "cpu": _cpu_model(root),
        "cpus": f"{len(list_cpus())}",
        "affinity": _affinity(),
        "siblings": _siblings(root),
        "governor": " ".join(_each(root, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")),
        "memory": _memory(root),
        "os": platform.system(),
        "kernel": platform.release(),
        "arch": platform.machine(),
        **read_limits(root),
    }
    return {name: text for name, text in facts.items() if text}


def _cpu_model(root: Path) -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", read_text(root / "proc/cpuinfo"), re.MULTILINE)
    return match[1].strip() if match else platform.processor()


def list_cpus() -> list[int]:
    """Return the CPUs that this process may use."""
    try:
        return sorted(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return list(range(os.cpu_count() or 1))


def _affinity() -> str:
    """Return the CPUs to which this process, and so its children, is pinned, if any."""
    cpus = list_cpus()
    return ",".join(map(str, cpus)) if len(cpus) < (os.cpu_count() or 1) else ""


def _each(root: Path, pattern: str) -> Iterator[str]:
    """Yield the distinct contents of files, in order."""
    paths = sorted(root.glob(pattern), key=lambda path: [*map(int, re.findall(r"\d+", str(path)))])
    yield from dict.fromkeys(filter(None, map(read_text, paths)))


def _siblings(root: Path) -> str:
    return " ".join(_each(root, "sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list"))


def _memory(root: Path) -> str:
    match = re.search(r"^MemTotal:\s*(\d+) kB", read_text(root / "proc/meminfo"), re.MULTILINE)
    return f"{int(match[1]) * 1024}" if match else ""


def read_checkout(folder: Path | None = None) -> dict[str, str]:
    """Return the ``commit`` of a folder's checkout, and whether it is ``changed``.

    The folder defaults to the working directory.
    """
    there = ("-C", str(folder)) if folder else ()
    head = _git(*there, "rev-parse", "HEAD").strip()
    places = _git(*there, "rev-parse", "--path-format=absolute", *_PLACES).splitlines()
    if not head or len(places) != 3:
        return {"commit": head} if head else {}
    return {"commit": head, "changed": _find_change(there, head, *places)}


def _find_change(there: Sequence[str], head: str, top: str, index: str, objects: str) -> str:
    """Return whether files differ from the commit, as a text; empty if git does not say."""
    settings = _git(*there, "config", "--local", "-z", "--get-regexp", _HARMLESS).split("\0")
    options = [("-c", setting.replace("\n", "=", 1)) for setting in settings if setting]
    with TemporaryDirectory(prefix="benchkit-") as name:
        folder = Path(name)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text(f"{head}\n", "ascii")
        if len(head) > 40:
            own = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
            (folder / "config").write_text(own, "ascii")
        place = {"GIT_DIR": name, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": index}
        output = _git(
            *chain.from_iterable(options),
            *("status", "--porcelain", "--branch", "--untracked-files=no"),
            "--ignore-submodules=dirty",  # git would run in them, with their settings
            environment={**place, "GIT_OBJECT_DIRECTORY": objects},
        )
    lines = output.splitlines()
    return ("true" if len(lines) > 1 else "false") if lines else ""


def _git(*words: str, environment: Mapping[str, str] | None = None) -> str:
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *words]
    try:
        code, output, _ = run_command(
            command, _SECONDS, environment={**_OFFLINE, **(environment or {})}
        )
        return output.decode() if code == 0 else ""
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""


def read_limits(root: Path = Path("/")) -> dict[str, str]:
    """Return the limits of this process: the lowest of its control group and its ancestors.

    Parameters
    ----------
    root : Path
        The parent folder of ``proc`` and ``sys``.

    Returns
    -------
    dict of str to str
        ``cpu_limit`` and ``memory_limit``; an unset or unknown limit is left out.

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
    """Count the periods in which this process was throttled; None if nothing counts them.

    Examples
    --------
    >>> count_throttled(Path("nowhere")) is None
    True
    """
    counts = [
        int(match[1])
        for controller in ("", "cpu")
        for folder in _folders(root, controller)
        if (
            match := re.search(
                r"^nr_throttled (\d+)$", read_text(folder / "cpu.stat"), re.MULTILINE
            )
        )
    ]
    return sum(counts) if counts else None


def _quotas(root: Path) -> Iterator[float]:
    """Yield every CPU limit in cores: quota per period."""
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
    """Yield the folder of this process's control group, and those of its ancestors.

    In a container, only the top may exist, whatever the kernel calls the group.
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
    """Return the contents of a kernel file; empty if it is missing or empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

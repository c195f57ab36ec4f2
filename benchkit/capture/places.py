"""Where the output of a run is stored, so that `ingest` infers the same labels from the path.

The sidecar holds the exact labels; a path that suggests others would confuse people. Sessions that
write into the same folder each get their own names, from before the run until its files have them.
Hidden files, which `ingest` skips, reserve a name; they become the output and its sidecar at the
end of the run. `otlp/wrk-3.txt`, `otlp/wrk-warmup-3.txt`, `otlp/k6-checkout-1.txt`; `otlp/3.txt`
for an unknown tool.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from itertools import count
from pathlib import Path, PurePath
from types import TracebackType
from typing import BinaryIO, Self

from benchkit.capture.usage import NAME
from benchkit.config.files import read_file
from benchkit.errors import ConfigError
from benchkit.labels.patterns import read_path
from benchkit.labels.run_toml import Sidecar, read_sidecar
from benchkit.labels.stems import ToolNames, read_stem
from benchkit.labels.walk import DEEPEST
from benchkit.parsers import registry

#: The role of tools that are run to measure.
_MEASURING = ("load", "microbenchmark")
_KNOWN = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())
#: The largest number of a run in a session; there must be a next one.
_HIGHEST = 999_999_999
_PRUNED = ("node_modules", "__pycache__")
#: The exit code of a run that the user interrupted, as in a shell.
INTERRUPTED = 130


class Places:
    """The runs of a folder, and the paths of further ones.

    Parameters
    ----------
    root : Path
        Need not exist.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._last: dict[tuple[str, str, bool], int] = {}
        self.last_block = 0
        #: For the runs that already existed.
        self.sidecars: list[Sidecar] = []
        self._failed: list[tuple[Sidecar, Path]] = []
        # Hidden ones belong to runs in progress, also of sessions on other machines.
        for path in sorted(_list_sidecars(root)):
            with suppress(OSError, UnicodeDecodeError):
                self._note(read_sidecar(read_file(path), str(path))[0], path)

    def claim(
        self, words: Sequence[str], variant: str, benchmark: str, *, is_warmup: bool
    ) -> Claim:
        """Claim the next free name for a run, and create its folder if necessary.

        Parameters
        ----------
        words : sequence of str
            The command.
        variant, benchmark : str
            Empty if they are not named.
        """
        tool = find_tool(words)
        folder = self.root / _folder_name(variant) if variant else self.root
        if variant and folder.is_symlink():
            hint = "delete it, or choose another folder with --out"
            raise ConfigError("is a link to another folder", where=str(folder), hint=hint)
        folder.mkdir(parents=True, exist_ok=True)
        key = variant, benchmark, is_warmup
        for run in count(self._last.get(key, 0) + 1):
            stem = folder / self._stem(tool, benchmark, run, is_warmup=is_warmup)
            with suppress(FileExistsError):
                claim = Claim(stem, run)
                self._last[key] = run
                return claim
        raise AssertionError

    def _stem(self, tool: str, benchmark: str, number: int, *, is_warmup: bool) -> str:
        if not tool:  # a name of any other kind would be read as a variant
            return f"{number}"
        words = (tool, _token(benchmark, tool), "warmup" if is_warmup else "", f"{number}")
        return "-".join(filter(None, words))

    def set_aside(self, variant: str, number: int) -> None:
        """Hide the interrupted runs of one round of a series, which was repeated."""
        place = variant, f"{number}", INTERRUPTED
        self.set_aside_failed(
            lambda run: (run.variant, run.stopping.get("round"), run.exit_code) == place
        )

    def set_aside_failed(self, is_meant: Callable[[Sidecar], bool]) -> int:
        """Hide failed runs, and return how many; those that cannot be renamed count as failed."""
        paths = [path for sidecar, path in self._failed if is_meant(sidecar)]
        for path in paths:
            output = path.with_name(path.name.removesuffix(SIDECAR))
            for each in (output, output.with_suffix(".stderr"), path):
                with suppress(OSError):
                    each.rename(each.with_name(f".{each.name}"))
        return len(paths)

    def _note(self, sidecar: Sidecar, path: Path) -> None:
        self.sidecars.append(sidecar)
        if sidecar.role == "failed":
            self._failed.append((sidecar, path))
        key = sidecar.variant or "", sidecar.benchmark or "", sidecar.role == "warmup"
        self._last[key] = max(self._last.get(key, 0), _counted(sidecar.run))
        self.last_block = max(self.last_block, _counted(sidecar.block))


def _counted(number: int | None) -> int:
    """Return a number that a session may have assigned, or else 0."""
    return number if number is not None and 0 < number <= _HIGHEST else 0


def find_tool(words: Sequence[str]) -> str:
    """Return the name for files of the load tool in a command; empty if none is known.

    Examples
    --------
    >>> find_tool(["taskset", "-c", "1", "/usr/bin/wrk", "http://h/"]), find_tool(["make"])
    ('wrk', '')
    >>> find_tool(["sh", "-c", "vegeta attack | vegeta report"])
    'vegeta'
    """
    for word in words:
        for part in word.split():
            called = PurePath(part).name
            for tool in registry.all_tools():
                if called in (tool.executables or (tool.name,)) and tool.role in _MEASURING:
                    return tool.name
    return ""


def _folder_name(variant: str) -> str:
    """Return a folder name that is read as this variant, as closely as names allow."""
    name = re.sub(r"[^\w.+-]+", "_", variant).strip("._-") or "variant"
    is_read = read_path(f"{name}/1.txt", tools=_KNOWN).variant == name
    return name if is_read and name not in _PRUNED else f"variant_{name}"


def _token(benchmark: str, tool: str) -> str:
    """Return the part of a stem that is read as a benchmark and nothing else."""
    name = re.sub(r"[^\w.+-]+", "_", benchmark).strip("._-")
    if not name or read_stem(f"{tool}-{name}-1", _KNOWN).leftover == name:
        return name
    return "benchmark_" + name.replace("-", "_")


def _list_sidecars(root: Path) -> Iterator[Path]:
    """Yield the sidecars below a folder, as deep as results are read."""
    top = len(root.parts) + DEEPEST
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        if len(here.parts) >= top:
            folders.clear()
        yield from (here / n for n in names if n.endswith(SIDECAR) and not n.startswith("."))


SIDECAR = ".run.toml"
_OUT, _ERR, _USAGE = ".out", ".err", ".usage"
_SNIFFED = 1 << 12


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Lock a folder, which is created, against other sessions if its file system supports that.

    Raises
    ------
    ConfigError
        If a session is in progress there, or the folder cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ConfigError(f"cannot be used: {error.strerror}", where=str(folder)) from error
    try:
        with suppress(OSError):
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
            except BlockingIOError as error:
                hint = "wait until it has ended, or choose another folder with --out"
                what = "another session is measuring in this folder"
                raise ConfigError(what, where=str(folder), hint=hint) from error
        yield
    finally:
        os.close(descriptor)


class Claim:
    """A run's name that no other session can use.

    Parameters
    ----------
    stem : Path
        The path of the output without its extension; its folder exists.
    run : int
        The number of the run.

    Raises
    ------
    FileExistsError
        If the name is taken by a file, a symbolic link or another session.
    """

    def __init__(self, stem: Path, run: int) -> None:
        self.stem, self.run = stem, run
        self._held: dict[Path, BinaryIO] = {}
        try:
            self.out, self.err, self._sidecar = map(self._hold, (_OUT, _ERR, SIDECAR))
            # Only now: a session releases its hidden files after the visible ones exist.
            taken = (f"{stem.name}.*", f"{self._companion.name}*")
            if any(any(stem.parent.glob(name)) for name in taken):
                raise FileExistsError(stem)
        except BaseException:
            self.release()
            raise

    @property
    def _companion(self) -> Path:
        """The file for the resource use of the service."""
        return self.stem.with_name(f"{NAME}-{self.stem.name}.json")

    def _hold(self, kind: str) -> BinaryIO:
        path = self._hidden(kind)
        file = path.open("x+b")  # O_EXCL also fails on a symbolic link, wherever it leads
        self._held[path] = file
        return file

    def _hidden(self, kind: str) -> Path:
        return self.stem.with_name(f".{self.stem.name}{kind}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        """Release the name, unless the run's files have it."""
        for path, file in self._held.items():
            with suppress(OSError):  # there is no room for unwritten data
                file.close()
            path.unlink(missing_ok=True)
        self._held.clear()

    def settle(self, sidecar: str, usage: str = "", about_usage: str = "") -> Path:
        """Rename the files of the run to their final names, and return the path of its output.

        The complete sidecar comes first: no output is ever visible without it. The service's
        resource use goes into a companion file with its own sidecar.
        """
        if usage:
            sidecar_name = self._companion.name + SIDECAR
            self._place(about_usage, self.stem.with_name(sidecar_name))
            self._place(usage, self._companion)
        self._sidecar.write(sidecar.encode())
        is_binary = b"\0" in os.pread(self.out.fileno(), _SNIFFED, 0)
        path = self.stem.with_name(self.stem.name + (".bin" if is_binary else ".txt"))
        self._rename(SIDECAR, path.with_name(path.name + SIDECAR))
        if os.fstat(self.err.fileno()).st_size:
            self._rename(_ERR, self.stem.with_name(f"{self.stem.name}.stderr"))
        self._rename(_OUT, path)
        self.release()
        return path

    def _place(self, text: str, target: Path) -> None:
        self._hold(_USAGE).write(text.encode())
        self._rename(_USAGE, target)

    def _rename(self, kind: str, target: Path) -> None:
        path = self._hidden(kind)
        self._held[path].close()
        path.replace(target)
        del self._held[path]

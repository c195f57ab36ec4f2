"""Exclusive use of a run's name, from before the run starts until its files carry it.

Sessions that write into one folder at once each get a name of their own. Hidden files hold it,
which `ingest` passes over; they become the output and its sidecar when the run has ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from benchkit.capture.usage import NAME
from benchkit.errors import ConfigError

SIDECAR = ".run.toml"
_OUT, _ERR, _USAGE = ".out", ".err", ".usage"
_SNIFFED = 1 << 12


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep other sessions from a folder, which is made, where its file system can.

    Raises
    ------
    ConfigError
        If a session is under way there, or the folder cannot be used.
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
    """A run's name that no other session can take.

    Parameters
    ----------
    stem : Path
        The path of the output without its ending; its folder exists.
    run : int
        The number of the run.

    Raises
    ------
    FileExistsError
        If the name is taken, by a file, a symbolic link or another session.
    """

    def __init__(self, stem: Path, run: int) -> None:
        self.stem, self.run = stem, run
        self._held: dict[Path, BinaryIO] = {}
        try:
            self.out, self.err, self._sidecar = map(self._hold, (_OUT, _ERR, SIDECAR))
            # Only now: a session gives its hidden files up after the visible ones are there.
            taken = (f"{stem.name}.*", f"{self._companion.name}*")
            if any(any(stem.parent.glob(name)) for name in taken):
                raise FileExistsError(stem)
        except BaseException:
            self.release()
            raise

    @property
    def _companion(self) -> Path:
        """The file of what the service used meanwhile."""
        return self.stem.with_name(f"{NAME}-{self.stem.name}.json")

    def _hold(self, kind: str) -> BinaryIO:
        path = self._hidden(kind)
        file = path.open("x+b")  # O_EXCL: fails on a symbolic link, too, wherever it leads
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
        """Give the name back, unless the run's files carry it."""
        for path, file in self._held.items():
            with suppress(OSError):  # what was not yet written has no room
                file.close()
            path.unlink(missing_ok=True)
        self._held.clear()

    def settle(self, sidecar: str, usage: str = "", about_usage: str = "") -> Path:
        """Give the files of the run their names, and return the path of its output.

        The sidecar is first, and whole: no output is ever seen without one. What the service used
        goes into a companion file with a sidecar of its own.
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

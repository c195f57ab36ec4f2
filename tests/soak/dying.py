"""A command in a separate process that kills itself at its k-th disk step, or has no room.

Steps are Python's operations on files, by its audit events, and the calls into Delta and Parquet,
before and after each.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import deltalake
import pyarrow.parquet as pq

import benchkit.capture.session
import benchkit.ingestion.commit  # noqa: F401 - read once, by the process that all are forked from
from benchkit.store import delta, files, run_log, tidying
from soak.commands import Answer, call

#: Seconds after which a command counts as hanging.
PATIENCE = 120.0
_EVENTS = {
    *("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink"),
    *("os.truncate", "os.utime", "fcntl.flock", "shutil.rmtree", "shutil.copyfile"),
    *("subprocess.Popen",),
}
_OWNERS = (deltalake.DeltaTable, pq.ParquetWriter, delta.Table, files.FileWriter)
#: Processes are forked from one that has imported all code and run none.
CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["soak.dying"])


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions under which a command runs.

    Parameters
    ----------
    last : int or None
        The step at which it dies.
    many_files : int or None
        So many small files of a table are put together.
    room : int or None
        The bytes of the largest file that it can write.
    """

    last: int | None = None
    many_files: int | None = None
    room: int | None = None


class Steps:
    """Counts steps, and kills this process at one of them."""

    def __init__(self, folder: Path, last: int | None) -> None:
        self.count = 0
        self._folder, self._last = str(folder), last

    def step(self) -> None:
        """Count one more."""
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def count_event(self, event: str, args: tuple[Any, ...]) -> None:
        """Count an audit event that concerns the folder."""
        if event in _EVENTS and any(self._is_inside(arg) for arg in args):
            self.step()

    def _is_inside(self, arg: object) -> bool:
        text = os.fsdecode(arg) if isinstance(arg, (str, bytes, os.PathLike)) else ""
        return text.startswith(self._folder) or (bool(text) and not text.startswith("/"))

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that counts a step before and after its call."""

        @wraps(function)
        def counting(*args: object, **kwargs: object) -> object:
            self.step()
            try:
                return function(*args, **kwargs)
            finally:
                self.step()

        return counting


class Command:
    """A running command in a process forked from one that has imported all code and run none.

    Parameters
    ----------
    folder : Path
    words : tuple of str
    conditions : Conditions
    """

    def __init__(self, folder: Path, words: tuple[str, ...], conditions: Conditions) -> None:
        self._pipe, child = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_run, args=(folder, words, conditions, child))
        self._process.start()
        child.close()

    def kill(self) -> None:
        """Kill it now."""
        self._process.kill()

    def wait(self) -> tuple[Answer | None, int]:
        """Return its answer, None if it was killed, and the number of its steps.

        Raises
        ------
        AssertionError
            If it hangs.
        """
        try:
            if not self._pipe.poll(PATIENCE):
                self._process.kill()
                raise AssertionError("it hangs")
            answer, steps = self._pipe.recv()
        except EOFError:
            answer, steps = None, 0
        self._process.join(PATIENCE)
        self._pipe.close()
        return answer, steps


def limit_files(many: int) -> None:
    """Merge the small files of a table once there are this many, in this process."""
    vars(tidying)["MANY_FILES"] = vars(run_log)["MANY_COMMITS"] = many


def _run(folder: Path, words: tuple[str, ...], conditions: Conditions, pipe: Connection) -> None:
    steps = Steps(folder, conditions.last)
    if conditions.many_files is not None:
        limit_files(conditions.many_files)
    deltalake.write_deltalake = steps.wrap(deltalake.write_deltalake)
    for owner in _OWNERS:
        for name, member in list(vars(owner).items()):
            if callable(member) and (not name.startswith("_") or name == "__init__"):
                setattr(owner, name, steps.wrap(member))
    if conditions.room is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (conditions.room, conditions.room))
    sys.addaudithook(steps.count_event)
    answer = call(folder, *words)
    pipe.send((answer, steps.count))
    os._exit(0)

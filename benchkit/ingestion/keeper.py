"""Workers of a local Dask cluster: one that is killed is replaced.

They are forked from a process that has imported what they need, runs no Python threads and has
opened nothing, so no lock and no client of an object store is copied. It ends, together with them,
as soon as a pipe is closed that only its parent process holds. Ctrl-C reaches none of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING, Self

from benchkit.processes import count_cores
from benchkit.regexes import regex

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

LOCAL = regex(r"local(?::([1-9][0-9]{0,3}))?")
#: Modules that every worker needs.
_NEEDED = ("distributed", "pyarrow.parquet", "benchkit.ingestion.orders")
#: Settings of Dask: profiles of its threads are not used.
UNWATCHED = {"distributed.worker.profile.enabled": False}
#: Reading needs no thread pools, and a process that forks must not have any.
_SINGLE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class Keeper:
    """Starts and stops the workers.

    Parameters
    ----------
    spec : str
        ``local`` or ``local:N``.
    count : int
        Number of workers; they begin to import what they need.

    Attributes
    ----------
    folder : str
        Folder for the files of workers and scheduler; it is deleted when they stop.
    """

    def __init__(self, spec: str, count: int) -> None:
        self.spec, self.count, self.folder = spec, count, mkdtemp(prefix="benchkit-")
        paths = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(  # noqa: S603 - this very Python
            [sys.executable, "-P", "-m", __name__, f"{count}", self.folder],
            stdin=subprocess.PIPE,
            env={**os.environ, **_SINGLE, "PYTHONPATH": paths},
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def join(self, address: str) -> None:
        """Let the workers join a scheduler."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.write(f"{address}\n".encode())
        self._process.stdin.flush()

    def is_alive(self) -> bool:
        """Return whether a dead worker is replaced."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Stop the workers, whatever they are doing."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.close()
        self._process.wait()


def is_installed() -> bool:
    """Return whether Dask can be imported."""
    return find_spec("distributed") is not None


def start_workers(spec: str) -> Keeper | None:
    """Start the workers of ``local`` or ``local:N``; None for other addresses and without Dask."""
    match = LOCAL.fullmatch(spec)
    if match is None or not is_installed():
        return None
    return Keeper(spec, int(match[1] or count_cores()))


def main() -> None:
    """Run the number of workers on the command line, for the scheduler named on standard input."""
    import logging

    import dask

    from benchkit.light import hold_pandas

    for name in _NEEDED:
        import_module(name)
    hold_pandas()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    dask.config.set(UNWATCHED)
    count, folder = sys.argv[1:]
    try:
        if address := sys.stdin.readline().strip():
            _keep(int(count), address, folder)
    finally:
        rmtree(folder, ignore_errors=True)


def _keep(count: int, address: str, folder: str) -> None:
    import multiprocessing
    from multiprocessing.connection import wait

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")

    def start() -> BaseProcess:
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=_work, args=(address, folder), daemon=True
        )
        process.start()
        return process

    workers, pipe = [start() for _ in range(count)], sys.stdin.fileno()
    while pipe not in (ended := wait([pipe, *(worker.sentinel for worker in workers)])):
        workers = [start() if worker.sentinel in ended else worker for worker in workers]
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()


def _work(address: str, folder: str) -> None:
    import asyncio

    Thread(target=_end_with_keeper, daemon=True).start()
    asyncio.run(_serve(address, folder))


async def _serve(address: str, folder: str) -> None:
    from distributed import Worker

    async with Worker(address, nthreads=1, memory_limit=0, local_directory=folder) as worker:
        await worker.finished()


def _end_with_keeper() -> None:
    import multiprocessing

    keeper = multiprocessing.parent_process()
    assert keeper is not None  # noqa: S101 - it started this process
    keeper.join()
    os._exit(1)


if __name__ == "__main__":
    main()
    os._exit(0)  # a normal exit takes 0.2 s longer

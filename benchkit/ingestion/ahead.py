"""Another thread or process that reads blocks of one large source ahead of this one.

A large file is one task, and while what was read of one block is summed up and stored, the next
ones can be read elsewhere. A block is whole lines and what is read of it depends on nothing else,
so that the result is the same to the bit.

The compiled kernel lets other threads work meanwhile, so that a thread is enough and nothing is
sent; without it too little of a block's time is left to others, and a process reads it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from benchkit.parsers import kernel

_T = TypeVar("_T")

#: Blocks of 4 MiB that may be on their way at a time.
_AHEAD = 4
#: Those of them that another process has; a thread may have all.
_BUSY = 2
#: Seconds after which the process looks whether it is still wanted.
_LOOK = 1.0


class Ahead:
    """The other one; a process is forked at once, before the store is opened and a thread runs."""

    def __init__(self) -> None:
        self._pool: Executor
        self._busy = _AHEAD
        if kernel.compiled:
            self._pool = ThreadPoolExecutor(1)
            return
        self._busy = _BUSY
        method = "fork" if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(method)
        self._pool = ProcessPoolExecutor(1, context, _begin, (os.getpid(),))
        with warnings.catch_warnings():
            # As in `workers`: threads of libraries, of which Python warns, are idle.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pool.submit(os.getpid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it, when it has finished what it has."""
        self._pool.shutdown()

    def map(self, function: Callable[[bytes], _T], blocks: Iterable[bytes]) -> Iterator[_T]:
        """Yield ``function(block)`` for each block; errors of either are raised where they occur.

        Parameters
        ----------
        function : callable
            Of a module, so that the other process finds it by its name.
        blocks : iterable of bytes

        Notes
        -----
        If the other process dies, what it was to read is read in this one.
        """
        waiting: deque[_Turn[_T]] = deque()
        problem: Exception | None = None
        given = iter(blocks)
        while True:
            try:
                waiting.append(_Turn(next(given)))
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - raised behind what came before it
                problem = error
                break
            self._hand_over(function, waiting)
            if len(waiting) > _AHEAD:
                yield _take(function, waiting)
        while waiting:
            self._hand_over(function, waiting)
            yield _take(function, waiting)
        if problem is not None:
            raise problem

    def _hand_over(self, function: Callable[[bytes], _T], waiting: Iterable[_Turn[_T]]) -> None:
        """Give the other one a block to read, and one to go on with."""
        busy = sum(turn.future is not None and not turn.future.done() for turn in waiting)
        for turn in waiting:
            if turn.future is None and busy < self._busy:
                try:
                    turn.future = self._pool.submit(function, turn.block)
                except BrokenExecutor:
                    return
                busy += 1


@dataclass(slots=True)
class _Turn(Generic[_T]):
    """A block; the other one has it where there is a future."""

    block: bytes
    future: Future[_T] | None = None


def _take(function: Callable[[bytes], _T], waiting: deque[_Turn[_T]]) -> _T:
    """Take what was read of the oldest block; while it is not ready, read the newest here."""
    oldest, newest = waiting[0], waiting[-1]
    if newest.future is None and oldest.future is not None and not oldest.future.done():
        newest.future = _read(function, newest.block)
    waiting.popleft()
    try:
        return (oldest.future or _read(function, oldest.block)).result()
    except BrokenExecutor:
        return function(oldest.block)


def _read(function: Callable[[bytes], _T], block: bytes) -> Future[_T]:
    """Read a block in this process; an error is raised when it is the block's turn."""
    future: Future[_T] = Future()
    try:
        future.set_result(function(block))
    except Exception as error:  # noqa: BLE001 - kept for then
        future.set_exception(error)
    return future


def _begin(parent: int) -> None:
    """Prepare the process: Ctrl-C is the parent's to answer, and without a parent it ends."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)

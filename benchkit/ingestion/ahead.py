"""Another process that reads blocks of one large source ahead of this one.

In: a function of a block, and the blocks. Out: what the function returns, in their order. Why: a
large file is one task, and while this process sums up and stores what was read of one block, the
next ones can be read elsewhere. A block is whole lines and what is read of it depends on nothing
else, so that the result is the same to the bit.
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
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Self, TypeVar

_T = TypeVar("_T")

#: Bytes of a source below which starting the process costs more than it saves.
AHEAD_BYTES = 16 << 20
#: Blocks of 4 MiB that may be on their way at a time.
_AHEAD = 4
#: Seconds after which the process looks whether it is still wanted.
_LOOK = 1.0


class Ahead:
    """The other process; it is forked at once, before the store is opened and any thread runs."""

    def __init__(self) -> None:
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
        """End the process, when it has finished the block at hand."""
        self._pool.shutdown(cancel_futures=True)

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
        waiting: deque[tuple[bytes, Future[_T]]] = deque()
        problem: Exception | None = None
        given = iter(blocks)
        while True:
            try:
                block = next(given)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - raised behind what came before it
                problem = error
                break
            waiting.append((block, self._submit(function, block)))
            if len(waiting) > _AHEAD:
                yield _take(function, waiting)
        while waiting:
            yield _take(function, waiting)
        if problem is not None:
            raise problem

    def _submit(self, function: Callable[[bytes], _T], block: bytes) -> Future[_T]:
        try:
            return self._pool.submit(function, block)
        except BrokenExecutor:
            return _read_here(function, block)


def _take(function: Callable[[bytes], _T], waiting: deque[tuple[bytes, Future[_T]]]) -> _T:
    """Take what was read of the oldest block; while it is not ready, read the newest here."""
    if not waiting[0][1].done():
        newest, future = waiting[-1]
        if future.cancel():  # the other process has not begun it
            waiting[-1] = newest, _read_here(function, newest)
    block, future = waiting.popleft()
    try:
        return future.result()
    except BrokenExecutor:
        return function(block)


def _read_here(function: Callable[[bytes], _T], block: bytes) -> Future[_T]:
    future: Future[_T] = Future()
    try:
        future.set_result(function(block))
    except Exception as error:  # noqa: BLE001 - raised when it is the block's turn
        future.set_exception(error)
    return future


def _begin(parent: int) -> None:
    """Prepare the process: Ctrl-C is the parent's to answer, and without a parent it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)

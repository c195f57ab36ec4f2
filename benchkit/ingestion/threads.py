"""Other threads: those that read blocks of one large source ahead, and one that writes behind.

A large file is one task, and while what was read of one block is summed up and stored, the next
ones can be unpacked and read, and the ones before it written. Files, their digest, gzip, the
compiled kernel and Parquet let other threads work meanwhile. A block is whole lines and what is
read of it depends on nothing else, so that the result is the same to the bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from benchkit.reading.source import UntilDamage

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: Blocks of at most 4 MiB that may be on their way at a time.
_AHEAD = 4
#: Calls that may wait; what they hold is memory.
_WAITING = 2


def run_ahead(items: Iterator[_T]) -> Iterator[_T]:
    """Yield the items of an iterator, which another thread runs; its errors come in their turn."""
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, items, None) for _ in range(_AHEAD))
        while (item := waiting.popleft().result()) is not None:
            waiting.append(pool.submit(next, items, None))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)


def read_ahead(function: Callable[[bytes], _T], blocks: Iterable[bytes]) -> Iterator[_T]:
    """Yield ``function(block)`` for each block; errors and damage are raised in their turn."""
    waiting: deque[Future[_T]] = deque()
    sound = UntilDamage(blocks)
    with ThreadPoolExecutor(2) as pool:
        for block in sound:
            waiting.append(pool.submit(function, block))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    sound.raise_damage()


class Behind:
    """Another thread that does one thing after the other, while its owner goes on."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._calls: deque[Future[None]] = deque()

    def do(self, function: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Call a function soon; what an earlier one raised is raised here."""
        while len(self._calls) >= _WAITING:
            self._calls.popleft().result()
        self._calls.append(self._pool.submit(function, *args, **kwargs))

    def finish(self) -> None:
        """Wait until all is done; what any of it raised is raised here."""
        try:
            while self._calls:
                self._calls.popleft().result()
        finally:
            self.stop()

    def stop(self) -> None:
        """Leave out what was not begun, and forget what went wrong."""
        self._pool.shutdown(cancel_futures=True)
        self._calls.clear()

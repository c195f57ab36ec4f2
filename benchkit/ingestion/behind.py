"""Another thread that does, in their order, things that need not be waited for.

Writing Parquet takes as long as reading what is written, and lets other threads work meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec

_P = ParamSpec("_P")

#: Calls that may wait; what they hold is memory.
_WAITING = 2


class Behind:
    """Does one thing after the other, while its owner goes on."""

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

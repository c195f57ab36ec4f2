"""What the user's Ctrl-C, a closed terminal and a polite kill do to a session: they end it.

Nothing is inherited by the commands that are started meanwhile: a handler is none to them.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Make a polite kill and a closed terminal what Ctrl-C is: `KeyboardInterrupt`."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _list_heeded(_ENDING)}
    try:
        yield
    finally:
        _restore(before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off an interruption until what has begun is done."""
    noted: list[int] = []
    numbers = _list_heeded((signal.SIGINT, *_ENDING))
    before = {n: signal.signal(n, lambda number, _: noted.append(number)) for n in numbers}
    try:
        yield
    finally:
        _restore(before)
        if noted:
            signal.raise_signal(noted[0])


def _list_heeded(numbers: Iterable[signal.Signals]) -> list[signal.Signals]:
    """Return the signals that are not ignored on purpose, as nohup ignores one."""
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def _restore(before: dict[signal.Signals, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)

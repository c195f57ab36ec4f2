"""Work that waits for others, within a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result], name: str = "download") -> Result:
    """Return what ``work`` returns, unless it takes longer.

    A timeout of a socket begins anew with every byte, so that a slow server could go on for ever.
    The thread ``name`` of work that takes longer is abandoned; it does not keep the process from
    ending.

    Raises
    ------
    TimeoutError
        After so many seconds.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors.pop()  # a cycle of list and traceback would keep its socket
    if not results:
        raise TimeoutError(f"takes longer than {seconds:.3g} s")
    return results.pop()

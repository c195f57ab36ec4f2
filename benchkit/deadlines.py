"""A time limit for work that waits for others."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result], name: str = "download") -> Result:
    """Return the result of ``work``, unless it takes longer.

    A socket timeout starts again with every byte, so a slow server could take forever. If the work
    takes longer, its thread ``name`` is abandoned; it does not keep the process alive.

    Raises
    ------
    TimeoutError
        After this time.
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
        raise errors.pop()  # a cycle of list and traceback would keep its socket open
    if not results:
        raise TimeoutError(f"takes longer than {seconds:.3g} s")
    return results.pop()

"""Commands that are stopped with all their children: by an interrupt, then SIGTERM, then SIGKILL.

Ctrl-C, a closed terminal and a termination signal all end a session.

Commands started meanwhile inherit nothing: they do not get our handlers.

If benchkit itself is killed and cannot stop them, a guard process does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from types import FrameType
from typing import Any

from benchkit.capture.usage import list_family, read_table, sort_parents_first

#: Signals, and the seconds that processes get after each one to flush their output and exit.
POLITE = ((signal.SIGINT, 10.0), (signal.SIGTERM, 2.0))
FIRM = ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
_STEP = 0.02
#: Seconds between two checks of a command.
_LOOK = 1.0
_ENDING = (signal.SIGTERM, signal.SIGHUP)


def end_processes(
    list_alive: Callable[[], set[int]], signals: Sequence[tuple[signal.Signals, float]]
) -> set[int]:
    """Send one signal after another until no process is left; return the remaining ones.

    A negative number is a group. A parent gets its signal before its children, because a shell
    could otherwise print how its child ended before it ends itself.
    """
    alive = set[int]()
    for number, patience in signals:
        ends, signalled = time.monotonic() + patience, set[int]()
        while (alive := list_alive()) and time.monotonic() < ends:
            for pid in sort_parents_first(alive - signalled):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            signalled |= alive
            time.sleep(_STEP)
        if not alive:
            break
    return alive


def end_command(process: subprocess.Popen[bytes]) -> None:
    """Stop a command with its descendants and its group; a second Ctrl-C kills them at once."""
    family = {process.pid}

    def list_alive() -> set[int]:
        table = read_table()
        if not table:  # a system that does not list processes
            return _name_leader(process.pid) if process.poll() is None else set()
        family.update(list_family(table, family), _list_group(process.pid))
        return {pid for pid in family if pid in table and not table[pid].is_ended}

    try:
        left = end_processes(list_alive, POLITE)
    except KeyboardInterrupt:
        left = {process.pid}
    if left:
        end_processes(list_alive, FIRM[1:])
    with suppress(subprocess.TimeoutExpired):
        process.wait(_LOOK)


def end_rest(leader: int) -> int:
    """Stop the rest of an ended command's group; return how many processes it had."""
    left = _list_group(leader)
    if left:
        end_processes(lambda: _list_group(leader), FIRM)
    return len(left)


def _name_leader(pid: int) -> set[int]:
    """Return the group that a process leads, or the process itself."""
    with suppress(ProcessLookupError):
        return {-pid if os.getpgid(pid) == pid else pid}
    return set()


def _list_group(leader: int) -> set[int]:
    table = read_table()
    return {pid for pid, each in table.items() if each.group == leader and not each.is_ended}


@contextmanager
def limited(
    process: subprocess.Popen[bytes], seconds: float, watch: Callable[[], str] = lambda: ""
) -> Iterator[list[str]]:
    """Stop a command after a time limit in seconds (0 for none); return the reason.

    ``watch`` returns another reason to stop it, or nothing. The command is awaited meanwhile, so
    its end is noticed at once.
    """
    reasons: list[str] = []
    has_ended = Event()
    deadline = time.monotonic() + seconds if seconds else float("inf")

    def look() -> None:
        while not has_ended.wait(min(_LOOK, max(deadline - time.monotonic(), 0))):
            is_late = time.monotonic() >= deadline
            if reason := watch() or (f"still running after {seconds:g} s" if is_late else ""):
                reasons.append(reason)
                end_command(process)
                return

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield reasons
    finally:
        has_ended.set()
        watcher.join()


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn a termination signal and a closed terminal into `KeyboardInterrupt`, like Ctrl-C."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _list_heeded(_ENDING)}
    try:
        yield
    finally:
        _restore(before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay an interruption until the current step is complete."""
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
    """Return the signals that are not ignored on purpose, as by nohup."""
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def _restore(before: dict[signal.Signals, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)


#: Reads groups of processes (the last line counts); its input ends with benchkit.
_SCRIPT = """
while read -r line; do groups=$line; done
for signal in TERM KILL; do
    for group in $groups; do kill -s $signal -- -$group; done
    sleep 2
done 2> /dev/null
"""


@contextmanager
def guarding() -> Iterator[Callable[[Collection[int]], None]]:
    """Yield a function that sets the groups to stop if this process is killed."""
    with subprocess.Popen(  # noqa: S603 - a script of its own
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # so that no signal to this group stops it, too
    ) as guard:

        def name(groups: Collection[int]) -> None:
            if guard.stdin:
                with suppress(OSError):
                    print(*groups, file=guard.stdin, flush=True)

        try:
            yield name
        finally:
            guard.kill()

"""Commands that benchkit runs: one that exceeds its limits is stopped with its children."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread

_BLOCK = 1 << 16
#: Seconds allowed for reading the rest of an output.
_GRACE = 60.0


def count_cores() -> int:
    """Return how many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every platform
    return len(allowed(0)) if allowed else os.cpu_count() or 1


class OutputError(Exception):
    """A command prints more than allowed."""


def run_command(
    command: Sequence[str],
    seconds: float,
    content: bytes = b"",
    environment: Mapping[str, str] | None = None,
    most: int | None = None,
) -> tuple[int, bytes, bytes]:
    """Run a command, and return its exit code, output and error output.

    Parameters
    ----------
    seconds : float
        Time limit.
    content : bytes
        Its standard input.
    environment : mapping, optional
        Variables in addition to the environment of this process.
    most : int, optional
        Maximum number of bytes of output.

    Raises
    ------
    subprocess.TimeoutExpired
        If it takes longer; its whole group has been stopped.
    OutputError
        If it prints more; its group has been stopped, too.
    OSError
        If it cannot be started.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - no shell; the callers' words are their own
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
        env={**os.environ, **(environment or {})},
    ) as process:
        try:
            if most is None:
                output, errors = process.communicate(content, seconds)
            else:
                output, errors = _communicate(process, content, seconds, most)
        except BaseException:
            _end(process)
            raise
        return process.returncode, output, errors


def _communicate(
    process: subprocess.Popen[bytes], content: bytes, seconds: float, most: int
) -> tuple[bytes, bytes]:
    """Do the same as `subprocess.Popen.communicate`, up to a maximum number of bytes."""
    stream, process.stdout = process.stdout, None  # `communicate` leaves it running
    assert stream is not None  # noqa: S101 - a pipe was asked for
    output = bytearray()

    def read() -> None:
        while len(output) <= most and (block := os.read(stream.fileno(), _BLOCK)):
            output.extend(block)
        if len(output) > most:
            _end(process)

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        _, errors = process.communicate(content, seconds)
    except BaseException:
        _end(process)
        raise
    finally:
        reader.join(_GRACE)  # it may have left a child that keeps its output open
        stream.close()
    if len(output) > most:
        raise OutputError
    return bytes(output), errors


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)

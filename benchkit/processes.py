"""Commands that benchkit runs for itself: one that takes too long ends with all it started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress


def run_command(
    command: Sequence[str],
    seconds: float,
    content: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> tuple[int, bytes, bytes]:
    """Run a command, and return its exit code, its output and what it said of errors.

    Raises
    ------
    subprocess.TimeoutExpired
        If it takes longer; its whole group is gone then.
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
            output, errors = process.communicate(content, seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, output, errors

"""Run one command, keep its output as it arrives, and stop it when the user does.

The command writes directly to the files, so nothing is between a load tool and its measurement;
benchkit copies the output only if it is also shown. Standard input is empty, because a second run
would find it consumed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import IO, BinaryIO

from benchkit.capture.ending import end_command, end_rest, guarding, limited
from benchkit.capture.placement import running_on
from benchkit.errors import ConfigError
from benchkit.redaction import redact_text
from benchkit.regexes import regex
from benchkit.units import printable

#: Text that a terminal may receive unchanged, without colours.
_COLOURS, _BREAKS = regex(r"\x1b\[[\d;]*m"), regex(r"([\n\r\t]+)")
_CHUNK = 1 << 16
#: Maximum number of lines and bytes quoted from a command's output.
_LINES, _TAIL = 5, 2000
#: The exit code of a command that benchkit stopped.
_STOPPED = 124
#: The remedy for a command that takes too long.
LONGER = "check what it waits for, or allow more time with --timeout"


class FailedError(Exception):
    """A command failed, so the rest of its run is skipped."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a command.

    Parameters
    ----------
    start, end : datetime
        UTC; the end is the start plus the elapsed time, even if the clock was changed.
    exit : int
        As in a shell: 128 + n if signal n ended the command; like ``timeout`` if benchkit stopped
        it.
    is_interrupted : bool
        Whether the user stopped it.
    reason : str
        Why benchkit stopped it; empty if it ended by itself.
    left : int
        The number of its processes that were still running at its end, and were stopped.
    """

    start: datetime
    end: datetime
    exit: int
    is_interrupted: bool = False
    reason: str = ""
    left: int = 0


def execute(
    words: list[str],
    out: BinaryIO,
    err: BinaryIO,
    *,
    show: bool = False,
    folder: Path | None = None,
    cpus: Collection[int] = (),
    seconds: float = 0.0,
    watch: Callable[[], str] = lambda: "",
) -> Outcome:
    """Run a command and wait for it; Ctrl-C stops the command, and this function returns.

    The processes in its group end with it, and the command ends with benchkit.

    Parameters
    ----------
    out, err : file
        Its output goes here as it arrives.
    show : bool
        Whether it is also shown on standard error.
    folder : Path, optional
        Its working directory; that of this process by default.
    cpus : collection of int
        The CPUs it may use; all by default.
    seconds : float
        Time limit; 0 for none.
    watch : callable
        Returns why it must be stopped early, or nothing.

    Raises
    ------
    ConfigError
        If the command cannot be started.
    """
    is_interrupted = False
    copies: list[Thread] = []
    with guarding() as guard:
        start, clock = datetime.now(UTC), time.monotonic()
        try:
            with running_on(cpus):
                process = subprocess.Popen(  # noqa: S603 - the user's command is the purpose
                    words,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE if show else out,
                    stderr=subprocess.PIPE if show else err,
                    process_group=0,  # so that all its children are interrupted once
                )
        except OSError as error:
            raise ConfigError(
                f"cannot be started: {error.strerror}", where=words[0], hint="check the command"
            ) from error
        guard([process.pid])
        with limited(process, seconds, watch) as reasons:
            try:
                copies += _show(process, out, err) if show else []
                process.wait()
            except KeyboardInterrupt:
                is_interrupted = True
                end_command(process)
            end = start + timedelta(seconds=time.monotonic() - clock)
        left = end_rest(process.pid)
    for copy in copies:
        copy.join(timeout=5)  # a surviving child may keep the pipe open
    out.flush()
    err.flush()
    reason = reasons[0] if reasons else ""
    code = _STOPPED if reason else _shell_code(process.returncode)
    return Outcome(start, end, code, is_interrupted, reason, left)


def _shell_code(code: int | None) -> int:
    """Return an exit code like a shell; a command that survives SIGKILL counts as killed by it."""
    return 137 if code is None else code if code >= 0 else 128 - code


def quote_end(log: BinaryIO) -> str:
    """Return the last lines that a command printed, on one line and without secrets."""
    size = os.fstat(log.fileno()).st_size
    text = os.pread(log.fileno(), _TAIL, max(size - _TAIL, 0))  # a service may still write to it
    lines = text.decode("utf-8", "replace").strip().splitlines()[-_LINES:]
    return " / ".join(printable(redact_text(line.strip())) for line in lines)


def prepare(words: Sequence[str], seconds: float = 0.0) -> str:
    """Run a command before or after a run; return what went wrong, or nothing.

    Its output goes to standard error, it may ask for a password on the terminal, and processes that
    it leaves behind continue.
    """
    process = subprocess.Popen(  # noqa: S603 - running the user's command is the purpose
        words, stdin=subprocess.DEVNULL, stdout=sys.stderr
    )
    with limited(process, seconds) as reasons:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            end_command(process)
            raise
    if reasons:
        return f"the command was {reasons[0]}, and was stopped; {LONGER}"
    return f"the command exited with code {code}" if code else ""


def _show(process: subprocess.Popen[bytes], *files: IO[bytes]) -> list[Thread]:
    """Copy the output of a command to the files and to standard error."""
    pipes = (process.stdout, process.stderr)
    copies = [
        Thread(target=_copy, args=pair, daemon=True) for pair in zip(pipes, files, strict=True)
    ]
    for copy in copies:
        copy.start()
    return copies


def _copy(pipe: IO[bytes], file: IO[bytes]) -> None:
    """Copy output to a file unchanged, and to a terminal with control characters escaped."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    with pipe:
        while chunk := pipe.read1(_CHUNK):  # type: ignore[attr-defined]
            file.write(chunk)
            with suppress(OSError, ValueError):
                if sys.stderr.isatty():
                    sys.stderr.write(_spell(decode(chunk)))
                else:
                    sys.stderr.buffer.write(chunk)
                sys.stderr.flush()


def _spell(text: str) -> str:
    """Write output without colours and with other terminal control sequences escaped."""
    parts = _BREAKS.split(_COLOURS.sub("", text))
    return "".join(part if at % 2 else printable(part) for at, part in enumerate(parts))

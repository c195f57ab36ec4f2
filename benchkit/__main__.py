"""``python -m benchkit`` and the command ``benchkit``.

A `BenchkitError` becomes one line on stderr and the exit code that CONTRACT defines; a user error
never ends in a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from io import StringIO

#: A command creates many objects and few cycles: collecting less often saves a tenth.
_MANY = 1_000_000
#: `benchkit.errors.ExitCode.INTERRUPTED`, before anything is imported.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit, even after an interruption."""
    try:
        code = _run()
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        sys.stderr.write("benchkit: error: interrupted; no partial results were kept\n")
        code = _INTERRUPTED
    leave(code)


def leave(code: int) -> None:
    """End the process at once.

    Python's normal exit takes longer, and a pyarrow thread that releases a file of an object store
    during it aborts the process with exit code 134 after all the work is done.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the pipe is closed, and `run` has noticed
            continue
    os._exit(code)


def _run() -> int:
    import signal
    import warnings

    gc.set_threshold(_MANY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: >&-
            setattr(sys, name, StringIO())
    signal.signal(signal.SIGTERM, _interrupt)  # so that no copy remains
    warnings.showwarning = _show_warning
    from benchkit.cli import run

    return run(sys.argv[1:])


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a Python warning in benchkit's style, without its place in the code."""
    from benchkit.cli.printing import print_line

    print_line(f"warning: {message}", err=True)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _is_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C was pressed; while a class is created, it raises RuntimeError."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


if __name__ == "__main__":
    main()

"""``python -m benchkit`` and the command ``benchkit``.

A `BenchkitError` becomes one line on stderr and the code that CONTRACT gives it; nothing a user
did wrong ends in a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from io import StringIO

#: One command makes many objects and few cycles: looking for these less often saves a tenth.
_MANY = 1_000_000
#: `benchkit.errors.ExitCode.INTERRUPTED`, before anything is imported.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit, interrupted or not."""
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

    Python's own end takes longer, and a thread of pyarrow that lets go of a file of an object store
    during it aborts the process: exit code 134 after all was done.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # a pipe that is closed; `run` has noticed
            continue
    os._exit(code)


def _run() -> int:
    import signal
    import warnings

    gc.set_threshold(_MANY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: >&-
            setattr(sys, name, StringIO())
    signal.signal(signal.SIGTERM, _interrupt)  # so that no copy stays behind
    warnings.showwarning = _show_warning
    from benchkit.cli import run

    return run(sys.argv[1:])


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning of Python as one of benchkit, without a place in its code."""
    from benchkit.cli.printing import print_line

    print_line(f"warning: {message}", err=True)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _is_interrupt(error: BaseException) -> bool:
    """Tell whether Ctrl-C came, also while a class was made: Python then raises RuntimeError."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


if __name__ == "__main__":
    main()

"""Isolation of code from other packages: its output and working folder affect nothing here."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


@contextmanager
def isolated() -> Iterator[None]:
    """Redirect printed output to standard error, and restore the working folder afterwards.

    Another program may read a table from standard output, and paths may be relative.
    """
    folder = _find_folder()
    try:
        with redirect_stdout(_Printed()):
            yield
    finally:
        if folder and _find_folder() != folder:
            os.chdir(folder)


class _Printed(io.TextIOBase):
    """A separate standard output: closing it closes nothing else."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _find_folder() -> Path | None:
    """Return the working folder; None if it no longer exists."""
    try:
        return Path.cwd()
    except OSError:
        return None

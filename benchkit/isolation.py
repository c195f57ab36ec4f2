"""Code of other packages, run so that what it prints and where it goes changes nothing here."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


@contextmanager
def isolated() -> Iterator[None]:
    """Send what is printed to standard error, and return to the working folder afterwards.

    Standard output may be a table that another program reads, and paths may be relative.
    """
    folder = _find_folder()
    try:
        with redirect_stdout(_Printed()):
            yield
    finally:
        if folder and _find_folder() != folder:
            os.chdir(folder)


class _Printed(io.TextIOBase):
    """A standard output of its own: closing it closes nothing else."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _find_folder() -> Path | None:
    """Return the working folder; None if it is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None

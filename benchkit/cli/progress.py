"""A line on a terminal that says how far a long command is.

Who waits for gigabytes wants to know how long; a script, a pipe and a short wait see nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchkit.ingestion.progress import Progress, Watch

#: Seconds after which the line appears.
PATIENCE = 1.0


@contextmanager
def watching(*, quiet: bool = False, patience: float = PATIENCE) -> Iterator[Watch | None]:
    """Give what shows progress on stderr, or None where nobody would see it.

    Parameters
    ----------
    quiet : bool
        Whether the user asked for silence.
    patience : float
        Seconds after which the line appears.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        line = _Line(stack, patience)
        yield line.show


class _Line:
    """The line, which appears when it is worth it; rich is imported then, not before."""

    def __init__(self, stack: ExitStack, patience: float) -> None:
        self._stack = stack
        self._due = time.monotonic() + patience
        self._update: Watch | None = None

    def show(self, progress: Progress) -> None:
        """Show how far the command is."""
        if time.monotonic() < self._due:
            return
        if self._update is None:
            self._update = self._begin()
        self._update(progress)

    def _begin(self) -> Watch:
        from rich import progress as bars
        from rich.console import Console

        bar = bars.Progress(
            bars.TextColumn("reading"),
            bars.BarColumn(bar_width=24),
            bars.DownloadColumn(binary_units=True),
            bars.TextColumn("{task.fields[values]:,} values"),
            bars.TransferSpeedColumn(),
            bars.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._stack.enter_context(bar)
        task = bar.add_task("", total=None, values=0)

        def update(progress: Progress) -> None:
            bar.update(task, completed=progress.bytes, total=progress.total, values=progress.values)

        return update

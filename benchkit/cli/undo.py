"""``benchkit undo``: take the last ingest back."""

from __future__ import annotations

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.store import open_store


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit undo")(undo)


def undo(
    store: o.StoreOption = None, format: o.DoneFormat = "text", quiet: o.Quiet = False
) -> None:
    """Undo the last ingest that changed the store, once."""
    o.choose(format, o.DONE_FORMATS)
    from benchkit.ingestion.changes import count_runs
    from benchkit.ingestion.reverted import describe_reverted

    target = open_store(store)
    with target.locked():
        if quiet and format == "text":
            target.undo()
            return
        before = target.pieces()
        rows, left = target.undo(), target.pieces()
    line = f"{target.url}: {describe_reverted(rows, before, left)}"
    facts = {"store": target.url, "runs": 0 if left is None else count_runs([left])}
    printing.print_done(line, facts, format, quiet=quiet)

"""``benchkit undo``: take the last ingest back.

A wrong folder or label is one command away from never having happened.
"""

from __future__ import annotations

import typer

from benchkit.cli import options as o
from benchkit.cli import printing


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit undo")(undo)


def undo(store: o.StoreOption = None, quiet: o.Quiet = False) -> None:
    """Undo the last ingest, once."""
    from benchkit.ingestion.reverted import describe_reverted
    from benchkit.store import DEFAULT, Store

    target = Store(store or DEFAULT)
    with target.locked():
        before = None if quiet else target.pieces()
        rows = target.undo()
        line = "" if quiet else describe_reverted(rows, before, target.pieces())
    if line:
        printing.print_line(f"{target.url}: {line}", err=True)

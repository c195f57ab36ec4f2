"""``benchkit undo``: revert the last ingest."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.store import open_store


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit undo")(undo)


def undo(
    store: o.StoreOption = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--origin",
            metavar="O",
            help="Also undo an ingest by this CI job or machine. [default: only one by this CI "
            "job or machine]",
        ),
    ] = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Undo the last ingest that changed the store, once."""
    o.choose(format, o.DONE_FORMATS)
    from benchkit.ingestion.changes import count_runs
    from benchkit.ingestion.origins import name_origin
    from benchkit.ingestion.retention import describe_reverted, require_origin

    target = open_store(store)
    require = partial(require_origin, mine=name_origin(target.url), named=origin)
    with target.locked():
        if quiet and format == "text":
            target.undo(require)
            return
        before = target.pieces()
        rows, left = target.undo(require), target.pieces()
    line = f"{target.url}: {describe_reverted(rows, before, left)}"
    facts = {"store": target.url, "runs": 0 if left is None else count_runs([left])}
    printing.print_done(line, facts, format, quiet=quiet)

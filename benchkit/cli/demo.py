"""``benchkit demo``: a report from sample results.

What the answer looks like can be seen before the first measurement.
"""

from __future__ import annotations

import webbrowser
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.report import SUFFIXES
from benchkit.outputs import save


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit demo --open")(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder to write into.")] = Path(
        "benchkit-demo"
    ),
    format: Annotated[str, typer.Option("--format", help="html, md or json.")] = "html",
    open_it: Annotated[
        bool, typer.Option("--open", help="Open the report in the browser.")
    ] = False,
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Write sample wrk results and a report on them."""
    chosen = o.choose(format, tuple(SUFFIXES))
    from benchkit import api
    from benchkit.ingestion.sample import write_sample

    results = out / "results"
    write_sample(results)
    comparison = api.load(str(results)).compare(baseline="none")
    text = comparison.render(chosen, title="What does tracing cost?", command="benchkit demo")
    target = output or out / f"report{SUFFIXES[chosen]}"
    save(target, lambda path: path.write_text(text, encoding="utf-8"))
    printing.print_line(comparison.verdict)
    if not quiet:
        printing.print_line(
            f"→ {target} · next: benchkit compare {quote(str(results))} --baseline none", err=True
        )
    if open_it:
        webbrowser.open(target.resolve().as_uri())

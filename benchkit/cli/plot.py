"""``benchkit plot``: one figure of the report as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import history, history_files, printing
from benchkit.cli import options as o
from benchkit.cli.attach import takes
from benchkit.cli.compare import evaluate
from benchkit.outputs import save


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit plot forest results/ --baseline none -o forest.svg")(plot)


@takes("baseline variant pair metric by confidence margin blocks method knee")
def plot(
    *,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="forest, percentiles, shift, runs, sweep, ecdf, timeline or history.",
        ),
    ],
    requested: o.Requested,
    format: Annotated[
        str | None, typer.Option("--format", help="svg or png. [default: from -o, else svg]")
    ] = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Draw one figure: forest, percentiles, shift, runs, sweep, ecdf, timeline or history."""
    from benchkit.plots import kinds, theme

    theme.load_matplotlib()
    o.choose(kind, (*kinds.KINDS, history.KIND), "KIND")
    endings = {f".{form}": form for form in kinds.FORMS}
    form = o.choose(format or o.guess_format(output, endings, "svg", strict=True), kinds.FORMS)
    target = output or Path(f"{kind}.{form}")
    if kind == history.KIND:
        series = history_files.follow(
            request, requested.variant, requested.metric, (requested.margin, requested.confidence)
        )
        history.save_figure(series, target, form, quiet=request.quiet)
        return
    with request.results(samples=kind in kinds.OF_SAMPLES) as runset:
        figure = kinds.draw(kind, evaluate(runset, requested).material)
        save(target, lambda path: kinds.save(figure, path, form))
    if not request.quiet:
        printing.print_line(f"→ {target}", err=True)

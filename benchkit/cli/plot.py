"""``benchkit plot``: one figure of the report as a file.

A slide or a ticket takes one picture, not a page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import history, history_files, printing
from benchkit.cli import options as o
from benchkit.cli.compare import evaluate
from benchkit.outputs import save


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit plot forest results/ --baseline none -o forest.svg")(plot)


def plot(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="forest, percentiles, shift, runs, sweep, ecdf, timeline or history.",
        ),
    ],
    paths: o.Paths = None,
    baseline: o.Baseline = None,
    variant: o.Variant = None,
    pair: o.Pair = None,
    metric: o.Metric = None,
    by: o.By = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    blocks: o.Blocks = None,
    method: o.Method = None,
    knee: o.Knee = None,
    format: Annotated[
        str | None, typer.Option("--format", help="svg or png. [default: from -o, else svg]")
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    origin: o.Origin = None,
    layout: o.Layout = None,
    benchmark: o.Benchmark = None,
    rename: o.Rename = None,
    split: o.Split = None,
    as_format: o.As = None,
    exclude: o.Exclude = None,
    max_unpacked: o.MaxUnpacked = None,
    quiet: o.Quiet = False,
) -> None:
    """Draw one figure: forest, percentiles, shift, runs, sweep, ecdf, timeline or history."""
    from benchkit.plots import kinds, theme

    theme.spare_descriptions()
    o.choose(kind, (*kinds.KINDS, history.KIND), "KIND")
    ending = output.suffix.removeprefix(".").lower() if output else "svg"
    form = o.choose(format or ending, kinds.FORMS)
    request = o.Request(
        paths=paths, store=store, origin=origin, layout=layout, rename=rename, split=split,
        as_format=as_format, exclude=exclude, max_unpacked=max_unpacked, by=by,
        benchmark=benchmark, quiet=quiet,
    )  # fmt: skip
    target = output or Path(f"{kind}.{form}")
    if kind == history.KIND:
        found = history_files.follow(request, variant, metric, (margin, confidence))
        history.save_figure(found, target, form, quiet=quiet)
        return
    asked = o.Asked(
        baseline=baseline, variant=variant, pair=pair, metric=metric, confidence=confidence,
        margin=margin, blocks=blocks, method=method, knee=knee,
    )  # fmt: skip
    result = evaluate(request, asked, samples=kind in kinds.OF_SAMPLES)
    figure = kinds.draw(kind, result.material)
    save(target, lambda path: kinds.save(figure, path, form))
    if not quiet:
        printing.print_line(f"→ {target}", err=True)

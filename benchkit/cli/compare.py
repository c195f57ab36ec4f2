"""``benchkit compare``: the overhead table.

In: raw files, folders or the store. Out: a verdict sentence and a table, Markdown, CSV or JSON.
Why: the one-minute answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import config
from benchkit.cli import options as o
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from benchkit.api import Comparison

FORMATS = ("table", "md", "csv", "json")
ENDINGS = {".md": "md", ".csv": "csv", ".json": "json"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit compare results/ --baseline none --variant otlp")(compare)


def compare(
    paths: o.Paths = None,
    baseline: o.Baseline = None,
    variant: o.Variant = None,
    pair: o.Pair = None,
    metric: o.Metric = None,
    by: o.By = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    blocks: o.Blocks = None,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, csv or json. [default: told by -o, else table]"),
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    layout: o.Layout = None,
    rename: o.Rename = None,
    as_format: o.As = None,
    exclude: o.Exclude = None,
    quiet: o.Quiet = False,
) -> None:
    """Compare variants with a baseline: change, interval, p, verdict."""
    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS)
    request = o.Request(
        paths=paths, store=store, layout=layout, rename=rename, as_format=as_format,
        exclude=exclude, by=by, quiet=quiet,
    )  # fmt: skip
    result = evaluate(request, baseline, variant, pair, metric, confidence, margin, blocks)
    text = render(result, chosen, by=request.split_by, to_file=output is not None)
    o.write(text, output)


def evaluate(
    request: o.Request,
    baseline: str | None,
    variant: list[str] | None,
    pair: list[str] | None,
    metric: list[str] | None,
    confidence: str | None,
    margin: str | None,
    blocks: str | None,
) -> Comparison:
    """Load and compare as the command line and the settings say."""
    base = o.settings()
    if pair and (baseline or variant):
        raise ConfigError(
            "--pair names both sides", where="--pair", hint="leave out --baseline and --variant"
        )
    runset = request.load()
    return runset.compare(
        baseline=baseline or base.baseline,
        variant=variant,
        pairs=o.parse_pairs(pair),
        confidence=o.fraction(confidence, base.confidence, "--confidence"),
        margin=o.fraction(margin, base.margin, "--margin"),
        metrics=metric or base.metrics,
        blocks=o.choose(blocks or base.blocks, config.BLOCKS, "--blocks"),
    )


def render(result: Comparison, format: str, *, by: str = "", to_file: bool = False) -> str:
    """Write a comparison in one of the command's formats."""
    if format == "json":
        from benchkit.report.to_json import to_json

        return to_json(result.verdicts, result.findings)
    if format == "csv":
        from benchkit.report.to_json import to_csv

        return to_csv(result.verdicts)
    if format == "md":
        return result.to_markdown()
    from benchkit.cli.console import render_comparison

    return render_comparison(result.verdicts, result.findings, by=by, to_file=to_file)

"""``benchkit compare``: the overhead table.

In: raw files, folders or the store. Out: a verdict sentence and a table, Markdown, CSV or JSON.
Why: the one-minute answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import config
from benchkit.cli import options as o
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from benchkit.api import Comparison

FORMATS = ("table", "md", "csv", "json")
ENDINGS = {".md": "md", ".csv": "csv", ".json": "json"}
#: Tools whose output can be had instead, and the parameters that go with it.
COMPATIBLE = ("benchstat",)
TAKEN = {"paths", "compat", "format", "output", "confidence", "quiet"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit compare results/ --baseline none --variant otlp")(compare)


def compare(
    context: typer.Context,
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
    every: Annotated[
        bool, typer.Option("--all", help="Show every exploratory row of the table.")
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, csv or json. [default: told by -o, else table]"),
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    origin: o.Origin = None,
    layout: o.Layout = None,
    rename: o.Rename = None,
    split: o.Split = None,
    as_format: o.As = None,
    exclude: o.Exclude = None,
    compat: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL", help="benchstat: print what `benchstat -format csv` prints, exactly."
        ),
    ] = None,
    quiet: o.Quiet = False,
) -> None:
    """Compare variants with a baseline: change, interval, p, verdict."""
    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS)
    if compat is not None:
        print_like(compat, context, paths or [], chosen, confidence, output, quiet=quiet)
        return
    request = o.Request(
        paths=paths, store=store, origin=origin, layout=layout, rename=rename, split=split,
        as_format=as_format, exclude=exclude, by=by, quiet=quiet,
    )  # fmt: skip
    asked = o.Asked(
        baseline=baseline, variant=variant, pair=pair, metric=metric, confidence=confidence,
        margin=margin, blocks=blocks, method=method, knee=knee,
    )  # fmt: skip
    result = evaluate(request, asked)
    to_file = output is not None
    text = render(result, chosen, by=request.split_by, to_file=to_file, every=every)
    o.write(text, output)
    if result.reason is not None:
        raise result.reason


def evaluate(request: o.Request, asked: o.Asked, *, samples: bool = False) -> Comparison:
    """Load and compare as the command line and the settings say."""
    from benchkit.derived.knee import DEFAULT

    base = o.settings()
    o.refuse_both(asked.pair, asked.baseline, asked.variant)
    runset = request.load(samples=samples)
    return runset.compare(
        baseline=asked.baseline or base.baseline,
        variant=asked.variant,
        pairs=o.parse_pairs(asked.pair),
        confidence=o.fraction(asked.confidence, base.confidence, "--confidence"),
        margin=o.fraction(asked.margin, base.margin, "--margin"),
        metrics=asked.metric or base.metrics,
        blocks=o.choose(asked.blocks or base.blocks, config.BLOCKS, "--blocks"),
        method=o.choose(asked.method or base.method, config.METHODS, "--method"),
        knee=DEFAULT if asked.knee is None else asked.knee,
    )


def render(
    result: Comparison, format: str, *, by: str = "", to_file: bool = False, every: bool = False
) -> str:
    """Write a comparison in one of the command's formats."""
    if format == "json":
        from benchkit.reporting.to_json import to_json

        return to_json(result.verdicts, result.findings, result.parts)
    if format == "csv":
        from benchkit.reporting.to_json import to_csv

        return to_csv(result.verdicts)
    if format == "md":
        return result.to_markdown()
    from benchkit.cli.console import render_comparison

    return render_comparison(
        result.verdicts,
        result.findings,
        by=by,
        to_file=to_file,
        parts=result.parts,
        every=every,
    )


def print_like(
    tool: str,
    context: typer.Context,
    paths: Sequence[str],
    format: str,
    confidence: str | None,
    output: Path | None,
    *,
    quiet: bool,
) -> None:
    """Print what the tool prints: its table, its warnings, and findings about it."""
    from benchkit.benchstat import print_csv
    from benchkit.cli.console import plain

    o.choose(tool, COMPATIBLE, "--compat")
    refuse_others(context)
    if format != "csv":
        raise ConfigError(
            f"--compat benchstat prints no {format}", where="--format", hint="use --format csv"
        )
    if not paths:
        raise ConfigError("no file is named", where="--compat", hint="name old.txt and new.txt")
    printed = print_csv(paths, o.fraction(confidence, 0.95, "--confidence"))
    if not quiet:
        findings = (f"{finding.severity}: {finding}" for finding in printed.findings)
        for line in (*printed.warnings, *findings):
            sys.stderr.write(plain(line, sys.stderr) + "\n")
    o.write(printed.csv, output)


def refuse_others(context: typer.Context) -> None:
    """Refuse the options of `compare` that the other tool does not know."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE" or parameter.name in TAKEN:
            continue
        raise ConfigError(
            "does not go with --compat", where=parameter.opts[0], hint="leave one of them out"
        )

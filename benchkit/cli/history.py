"""``benchkit history``: results of one commit into the store, and one metric over all of them.

What no single commit shows, many do.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.menu import Menu
from benchkit.errors import ConfigError, DataError, ExitCode, StoreError
from benchkit.outputs import save

if TYPE_CHECKING:
    from benchkit.history.model import History
    from benchkit.history.outcome import Outcome
    from benchkit.ingestion.commit import IngestSummary

KIND = "history"
FIGURES = ("svg", "png")
FORMATS = ("table", "md", "json", *FIGURES)
#: Endings of formats that other commands write are refused and not filled with text.
ENDINGS = {f".{form}": form for form in (*FORMATS, "html", "csv")}

_Commit = Annotated[
    str,
    typer.Option(
        "--commit",
        metavar="SHA",
        envvar=["GITHUB_SHA", "CI_COMMIT_SHA"],
        help="Commit that the results are of, 7 characters or more.",
    ),
]
_Date = Annotated[
    str | None,
    typer.Option(
        "--date", metavar="T", help="When it was made, RFC 3339. [default: the start of its runs]"
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command and its two verbs."""
    verbs = typer.Typer(
        name="history",
        cls=Menu,
        help="Follow one metric over many commits.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example: benchkit history show",
    )
    dated = "--commit c861e65 --date 2026-11-20T10:00:00Z"
    verbs.command(epilog=f"Example: benchkit history add results/ {dated}")(add)
    verbs.command(epilog="Example: benchkit history show --metric latency.p50 -o history.svg")(show)
    verbs.command(epilog="Example: benchkit history gate --since c861e65")(gate)
    verbs.command(epilog="Example: benchkit history export --openmetrics history.om")(export)
    verbs.command(epilog="Example: benchkit history prune --keep 100")(prune)
    app.add_typer(verbs)


def add(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Raw files, folders of them, git:REF:PATH, a URL, label=path, or -.",
        ),
    ],
    commit: _Commit,
    date: _Date = None,
    store: o.StoreOption = None,
    origin: o.IngestOrigin = None,
    layout: o.Layout = None,
    rename: o.Rename = None,
    split: o.Split = None,
    as_format: o.As = None,
    exclude: o.Exclude = None,
    max_unpacked: o.MaxUnpacked = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Store nothing if any source is refused.")
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Read the results of one commit into the store."""
    from benchkit.config.accepted import SHORTEST
    from benchkit.history.naming import resolve
    from benchkit.ingestion.commit import ingest, list_commits
    from benchkit.store import DEFAULT, Store

    if len(commit) < SHORTEST or not commit.isalnum():
        hint = f"write {SHORTEST} letters and digits of it or more"
        raise ConfigError(f"{commit!r} names no commit", where="--commit", hint=hint)
    target = store or DEFAULT
    given, commit = commit, resolve(commit, list_commits(Store(target)))
    meta = _read_date(date)
    if given != commit and not quiet:
        printing.print_line(f"{given} is {commit}", err=True)
    request = o.Request(
        layout=layout, rename=rename, split=split, as_format=as_format, exclude=exclude,
        max_unpacked=max_unpacked, quiet=quiet,
    )  # fmt: skip
    options = request.options(o.settings())
    options = replace(options, commit=commit, meta=meta, samples=False, origin=origin)
    summary = ingest(paths, Store(target), options, strict=strict)
    _require_new(summary)
    told = list_commits(Store(target)).get(commit, ()) if date else ()
    if note := _tell_date(commit[:SHORTEST], dict(meta).get("date", ""), told):
        printing.print_line(note, err=True)
    if not quiet:
        printing.show_problems([*summary.diagnostics, *summary.findings])
        read = summary.count("read")
        printing.print_line(
            f"{target}: {commit[:SHORTEST]}, {read} sources · next: benchkit history show", err=True
        )
    if not summary.has_result:
        raise typer.Exit(int(ExitCode.DATA))


def _require_new(summary: IngestSummary) -> None:
    """Refuse a commit of which all results are those of another, as quiet CI jobs must notice."""
    from benchkit.ingestion.harvest import LEFT_OVER

    copies = [finding for finding in summary.findings if finding.code == LEFT_OVER]
    if copies and not summary.count("read", "unchanged"):
        first, more = copies[0], f" (and {len(copies) - 1} more)" if len(copies) > 1 else ""
        raise DataError(f"{first.message}{more}", where=first.where, hint=first.remedy)


def _read_date(text: str | None) -> tuple[tuple[str, str], ...]:
    if text is None:
        return ()
    from benchkit.labels.values import UnusableError, read_time

    try:
        return (("date", read_time(text).isoformat()),)
    except UnusableError as error:
        raise ConfigError(f"{text!r} is not used: {error}", where="--date") from error


def _tell_date(commit: str, given: str, told: Collection[str]) -> str:
    """Say which date of a commit counts, where that is another than the one given; else nothing."""
    from benchkit.labels.values import read_time

    first = min(told, key=read_time, default=given)
    if not given or read_time(first) == read_time(given):
        return ""
    return f"note: --date {given} is not used: {commit} has {first}, and the earliest date counts"


def show(
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    by: o.Only = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, json, svg or png. [default: told by -o, else table]"),
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Show where levels changed, with the commits, and whether the newest lies outside."""
    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS)
    request = o.Request(store=store, by=o.require_values(by), quiet=quiet)
    found = follow(request, variant, metric, (margin, confidence))
    if chosen in FIGURES:
        target = output or Path(f"{KIND}.{chosen}")
        save_figure(found, target, chosen, quiet=quiet)
    else:
        printing.write(render(found, chosen, to_file=bool(output)), output)


def gate(
    since: Annotated[
        str,
        typer.Option(
            metavar="SHA", help="Changes of level after this commit count, not the newest alone."
        ),
    ] = "",
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    by: o.Only = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    format: Annotated[
        str | None, typer.Option(help="table, md or json. [default: told by -o, else table]")
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Judge the newest commit; the exit codes are those of gate."""
    from benchkit.history.outcome import decide

    chosen = o.choose(format or o.told_by(output, ENDINGS, "table"), FORMATS[:3])
    request = o.Request(store=store, by=o.require_values(by), quiet=quiet)
    outcome = decide(follow(request, variant, metric, (margin, confidence)), since)
    printing.write(_render_outcome(outcome, chosen, to_file=bool(output)), output)
    raise typer.Exit(outcome.exit_code)


def export(
    openmetrics: Annotated[
        Path | None, typer.Option(help="Write OpenMetrics text with the commits' times.")
    ] = None,
    influx: Annotated[Path | None, typer.Option(help="Write Influx's line protocol.")] = None,
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    by: o.Only = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Write every commit's medians for another tool's database, such as Grafana's."""
    from benchkit.reporting.to_series import to_influx, to_openmetrics

    files = {openmetrics: to_openmetrics, influx: to_influx}
    if not any(files):
        hint = "name a file: --openmetrics history.om or --influx history.lp"
        raise ConfigError("nothing to write", where="history export", hint=hint)
    request = o.Request(store=store, by=o.require_values(by), quiet=quiet)
    found = follow(request, variant, metric, (None, None))
    for path, write in files.items():
        if path is not None:
            printing.write(write(found), path)
            if not quiet:
                printing.print_line(f"→ {path}", err=True)


def prune(
    keep: Annotated[int, typer.Option(min=1, help="How many of the newest commits stay.")],
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Drop the runs of all but the newest commits; undo takes it back."""
    from benchkit.ingestion.commit import prune_commits
    from benchkit.store import DEFAULT, Store

    target = Store(store or DEFAULT)
    if not target.is_store():
        raise StoreError("is no store", where=target.url, hint="run `benchkit history add` first")
    dropped = prune_commits(target, keep)
    count = "1 commit" if len(dropped) == 1 else f"{len(dropped)} commits"
    next_step = "; `benchkit store vacuum` frees the room" if dropped else ""
    if not quiet:
        printing.print_line(f"{target.url}: dropped {count}{next_step}", err=True)


def follow(
    request: o.Request,
    variant: list[str] | None,
    metric: list[str] | None,
    rule: tuple[str | None, str | None],
) -> History:
    """Load and trace as the command line and the settings say."""
    from benchkit.api import RunSet
    from benchkit.api.sides import require_metrics, split_metric
    from benchkit.comparison.model import Plan
    from benchkit.history import trace
    from benchkit.ingestion import loading

    base = o.settings()
    plan = Plan(
        confidence=o.fraction(rule[1], base.confidence, "--confidence"),
        primaries=tuple(map(split_metric, metric or base.metrics)),
    )
    found = loading.load_history(request.store)
    runset = request.narrow(
        RunSet(
            observations=found.observations,
            runs=found.runs,
            problems=found.findings,
            diagnostics=found.diagnostics,
        )
    )
    if variant:
        runset = runset.where(variant=variant)
    require_metrics(runset.observations, plan.primaries)
    return trace(
        runset.observations, runset.runs, plan,
        o.fraction(rule[0], base.margin, "--margin"), base.accept, base.seed,
    )  # fmt: skip


def render(found: History, format: str, *, to_file: bool) -> str:
    """Write sentences and tables in one of the command's formats."""
    from benchkit.tables.history import history_lines, history_tables

    lines = history_lines(found)
    if format == "json":
        from benchkit.reporting.to_evidence import to_json

        return to_json("history", found, lines)
    from benchkit.cli.console import render_tables

    return render_tables(lines, history_tables(found), markdown=format == "md", to_file=to_file)


def _render_outcome(outcome: Outcome, format: str, *, to_file: bool) -> str:
    """Write what was decided, then the history it stands on."""
    from benchkit.history.naming import name_series
    from benchkit.tables.history import (
        describe_alarm,
        gate_line,
        history_lines,
        history_tables,
    )

    found = outcome.history
    lines = (gate_line(outcome), *history_lines(found))
    if format == "json":
        from benchkit.reporting.to_evidence import to_json

        regressions = [describe_alarm(alarm) for alarm in outcome.alarms]
        gone = [name_series(series) for series in outcome.gone]
        return to_json(
            "history", found, lines, verdict=outcome.verdict, exit_code=outcome.exit_code,
            since=outcome.since, regressions=regressions, gone=gone,
        )  # fmt: skip
    from benchkit.cli.console import render_tables

    return render_tables(lines, history_tables(found), markdown=format == "md", to_file=to_file)


def save_figure(found: History, target: Path, form: str, *, quiet: bool) -> None:
    """Draw the series and write them to a file; those that are left out are counted."""
    from benchkit.plots import history, kinds

    chart = history.data(found)
    figure = history.draw(chart)
    save(target, lambda path: kinds.save(figure, path, form))
    if not quiet:
        more = f"; {chart.left_out} more series not drawn: name --metric or --variant"
        printing.print_line(f"→ {target}{more if chart.left_out else ''}", err=True)

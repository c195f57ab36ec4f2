"""``benchkit history``: add a commit's results to the store, and follow a metric over commits."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import history_files as files
from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.history_files import follow
from benchkit.cli.menu import Menu
from benchkit.cli.selected import require_values
from benchkit.errors import ConfigError, DataError, ExitCode, Finding
from benchkit.outputs import save
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.history.model import History
    from benchkit.history.outcome import Outcome
    from benchkit.ingestion.commit import IngestSummary
    from benchkit.store import Store

KIND = "history"
FIGURES = ("svg", "png")
FORMATS = (*o.TABLE_FORMATS, *FIGURES)

_Commit = Annotated[
    str,
    typer.Option(
        "--commit",
        metavar="SHA",
        envvar=["GITHUB_SHA", "CI_COMMIT_SHA"],
        help="Commit of the results, at least 7 characters.",
    ),
]
_Date = Annotated[
    str | None,
    typer.Option(
        "--date",
        metavar="T",
        help="When the commit was made, RFC 3339. [default: the start of its runs]",
    ),
]
_AddedBranch = Annotated[
    str | None,
    typer.Option("--branch", metavar="B", help="Branch of the commit. [default: from this CI job]"),
]


def register(app: typer.Typer) -> None:
    """Add the command with two of its verbs."""
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
    files.add_verbs(verbs)
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
    branch: _AddedBranch = None,
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
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Read the results of one commit into the store."""
    from benchkit.cli.ingest import write_summary
    from benchkit.config.acceptance import SHORTEST
    from benchkit.ingestion.commit import ingest, list_commits
    from benchkit.ingestion.job_branches import name_branch
    from benchkit.store import Store, choose_place

    chosen = o.choose(format, o.DONE_FORMATS)
    if len(commit) < SHORTEST or not commit.isalnum():
        hint = f"give at least {SHORTEST} letters and digits of a commit"
        raise ConfigError(f"{commit!r} is not a commit", where="--commit", hint=hint)
    target = Store(choose_place(store))
    branch = name_branch() if branch is None else branch
    meta = (*_read_date(date), *((("branch", branch),) if branch else ()))
    request = o.Request(
        layout=layout, rename=rename, split=split, as_format=as_format, exclude=exclude,
        max_unpacked=max_unpacked, quiet=quiet,
    )  # fmt: skip
    options = request.options(o.settings())
    options = replace(options, commit=commit, meta=meta, samples=False, origin=origin)
    summary = ingest(paths, target, options, strict=strict)
    _require_new(summary)
    requested, commit = commit, summary.commit
    summary = _add_mixed_jobs(summary, target)
    if requested != commit and not quiet:
        printing.print_line(f"{requested} is recorded as {commit}", err=True)
    dates = list_commits(target).get(commit, ()) if date else ()
    for note in _list_date_notes(commit[:SHORTEST], dict(meta).get("date", ""), dates):
        printing.print_line(note, err=True)
    if chosen == "json":
        printing.write(write_summary(summary, store=target.url, commit=commit), None)
    elif not quiet:
        _show_added(summary, f"{target.url}: {commit[:SHORTEST]}", branch)
    if not summary.has_result:
        raise typer.Exit(int(ExitCode.DATA))


def _add_mixed_jobs(summary: IngestSummary, store: Store) -> IngestSummary:
    """Add the finding on runs of the commit from jobs with different names, if any."""
    from benchkit.history.trials import find_mixed_jobs, read_trials
    from benchkit.ingestion.loading import list_runs_of

    runs = list_runs_of(summary.commit, store) if summary.has_result else None
    if runs is None:
        return summary
    measured = read_trials(runs).of_role("measured")
    return replace(summary, findings=(*summary.findings, *find_mixed_jobs(measured)))


def _show_added(summary: IngestSummary, about: str, branch: str) -> None:
    from benchkit.cli.ingest import describe_superseded

    printing.show_problems([*summary.diagnostics, *_list_findings(summary)])
    printing.print_line(
        f"{about}{_describe_branch(branch)}, {_count_read(summary)}{describe_superseded(summary)} "
        f"· next: benchkit history show{_describe_branch(branch, ' --branch ')}",
        err=True,
    )


def _list_findings(summary: IngestSummary) -> list[Finding]:
    from benchkit.ingestion.pooled import advise_history

    return [*map(advise_history, summary.findings)]


def _count_read(summary: IngestSummary) -> str:
    read = summary.count("read")
    return "1 source" if read == 1 else f"{read} sources"


def _describe_branch(branch: str, words: str = " of branch ") -> str:
    """Name a branch that `show` follows only on request; nothing for the main branch."""
    from benchkit.history.naming import MAIN, read_branch

    name = quote(branch) if "--" in words else branch
    return "" if read_branch({"branch": branch}) == MAIN else f"{words}{printable(name)}"


def _require_new(summary: IngestSummary) -> None:
    """Refuse a commit whose results all belong to another one, so that CI jobs notice it."""
    from benchkit.ingestion.harvest import LEFT_OVER

    copies = [finding for finding in summary.findings if finding.code == LEFT_OVER]
    if copies and not summary.count("read", "unchanged"):
        first, more = copies[0], f" (and {len(copies) - 1} more)" if len(copies) > 1 else ""
        raise DataError(f"{first.message}{more}", where=first.where, hint=first.remedy)


def _read_date(text: str | None) -> tuple[tuple[str, str], ...]:
    if text is None:
        return ()
    from benchkit.labels.declared import UnusableError, read_time

    try:
        return (("date", read_time(text).isoformat()),)
    except UnusableError as error:
        raise ConfigError(f"{text!r}: {error}", where="--date") from error


def _list_date_notes(commit: str, requested: str, dates: Collection[str]) -> Iterator[str]:
    future = files.warn_of_future({commit: dates}, "add it again with its real --date")
    yield from filter(None, (_describe_date(commit, requested, dates), future))


def _describe_date(commit: str, requested: str, dates: Collection[str]) -> str:
    """Say which date of a commit counts, if it is not the requested one; else nothing."""
    from benchkit.labels.declared import read_time

    first = min(dates, key=read_time, default=requested)
    if not requested or read_time(first) == read_time(requested):
        return ""
    return (
        f"note: --date {requested} is ignored, because {commit} already has the earlier date "
        f"{first}"
    )


def show(
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    branch: files.Branch = None,
    by: o.Only = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    format: Annotated[
        str | None,
        typer.Option(help="table, md, json, svg or png. [default: from -o, else table]"),
    ] = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Show at which commits a metric changed, and whether the newest is in the expected range."""
    chosen = o.choose_format(format, output, FORMATS)
    request = o.Request(store=store, by=require_values(by), quiet=quiet)
    series = follow(request, variant, metric, (margin, confidence), branch)
    if chosen in FIGURES:
        target = output or Path(f"{KIND}.{chosen}")
        save_figure(series, target, chosen, quiet=quiet)
        return
    from benchkit.tables.history import history_lines, history_tables

    printing.write_record(
        "history", series, history_lines(series), lambda: history_tables(series), chosen, output
    )


def gate(
    since: Annotated[
        str,
        typer.Option(
            metavar="SHA",
            help="Also judge the step changes after this commit, not only the newest commit.",
        ),
    ] = "",
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    branch: files.Branch = None,
    by: o.Only = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    format: o.TableFormat = None,
    output: o.Output = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Judge the newest commit; the exit codes are those of gate."""
    from benchkit.gating.commits import find_losses, find_unlike
    from benchkit.history.naming import find_recorded, read_branch
    from benchkit.history.outcome import decide
    from benchkit.ingestion.job_branches import name_commit

    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    request = o.Request(store=store, by=require_values(by), quiet=quiet)
    runset = files.load_runs(request, variant)
    series = files.follow_runs(runset, metric, (margin, confidence), branch)
    job = find_recorded(runset.runs, name_commit())
    if job and branch and read_branch({"branch": branch}) not in job.branches:
        job = None  # the user named another branch
    unlike = find_unlike(series, runset.observations, runset.runs)
    outcome = decide(series, since, job, unlike, find_losses(series, runset.runs))
    _write_outcome(outcome, chosen, output)
    raise typer.Exit(outcome.exit_code)


def _write_outcome(outcome: Outcome, format: str, output: Path | None) -> None:
    """Write the decisions, then the history behind them."""
    from benchkit.history.naming import name_series
    from benchkit.tables.history import (
        describe_alarm,
        gate_line,
        history_lines,
        history_tables,
    )

    shown = outcome.history
    printing.write_record(
        "history", shown, (gate_line(outcome), *history_lines(shown)),
        lambda: history_tables(shown), format, output,
        verdict=outcome.verdict, exit_code=outcome.exit_code, since=outcome.since,
        regressions=[describe_alarm(alarm) for alarm in outcome.alarms],
        gone=[name_series(series) for series in outcome.gone],
    )  # fmt: skip


def save_figure(series: History, target: Path, form: str, *, quiet: bool) -> None:
    """Draw the series and write them to a file; count those that are left out."""
    from benchkit.plots import history, kinds

    chart = history.data(series)
    figure = history.draw(chart)
    save(target, lambda path: kinds.save(figure, path, form))
    if not quiet:
        more = f"; {chart.left_out} more series not drawn: select some with --metric or --variant"
        printing.print_line(f"→ {target}{more if chart.left_out else ''}", err=True)

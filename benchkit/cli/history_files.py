"""The verbs of ``benchkit history`` that write or delete data, and the loading of a history."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.selected import require_values
from benchkit.config.acceptance import SHORTEST
from benchkit.errors import ConfigError, DataError, StoreError

if TYPE_CHECKING:
    from benchkit.api import RunSet
    from benchkit.history.model import History

Branch = Annotated[
    str | None,
    typer.Option(
        "--branch", metavar="B", help="Only commits of this branch. [default: main or master]"
    ),
]


def add_verbs(verbs: typer.Typer) -> None:
    """Add the verbs."""
    verbs.command("import", epilog="Example: benchkit history import data.js")(import_results)
    verbs.command(epilog="Example: benchkit history export --openmetrics history.om")(export)
    verbs.command(epilog="Example: benchkit history site site/")(site)
    verbs.command(epilog="Example: benchkit history prune --keep 100")(prune)


def import_results(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Files or folders whose results record their commits: data.js, asv's results/, "
            ".benchmarks/.",
        ),
    ],
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            metavar="B",
            help="Branch for commits without a recorded branch. [default: main]",
        ),
    ] = None,
    store: o.StoreOption = None,
    exclude: o.Exclude = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Read another tool's history; each result keeps its recorded commit."""
    from benchkit.cli.ingest import describe_superseded, write_summary
    from benchkit.ingestion.commit import ingest, list_commits, list_places
    from benchkit.ingestion.recorded import Importing
    from benchkit.store import Store, choose_place

    chosen = o.choose(format, o.DONE_FORMATS)
    target = Store(choose_place(store))
    places = list_places(target)
    options = o.Request(exclude=exclude, quiet=quiet).options(o.settings())
    importing = Importing(places, branch or "")
    options = replace(options, importing=importing, origin="", layout=None, samples=False)
    summary = ingest(paths, target, options)
    printing.show_problems(summary.errors if quiet else summary.diagnostics)
    known = {place.commit for place in places}
    new = {commit: dates for commit, dates in list_commits(target).items() if commit not in known}
    if not summary.has_result:
        hint = "for other results, run `benchkit history add PATH --commit SHA --date T`"
        raise DataError("no result records a commit and its date", where=paths[0], hint=hint)
    if note := warn_of_future(new, "correct the file and import it again"):
        printing.print_line(note, err=True)
    if chosen == "json":
        printing.write(write_summary(summary, store=target.url, new_commits=len(new)), None)
    elif not quiet:
        runs = sum(report.runs for report in summary.reports)
        commits = "1 new commit" if len(new) == 1 else f"{len(new):,} new commits"
        read = f"{runs:,} {'run' if runs == 1 else 'runs'} read{describe_superseded(summary)}"
        line = f"{target.url}: {read}, {commits} · next: benchkit history show"
        printing.print_line(line, err=True)


def warn_of_future(commits: Mapping[str, Collection[str]], remedy: str) -> str:
    """Say which commits count as the newest because their dates are in the future; empty if none.

    Parameters
    ----------
    commits : mapping of str to collection of str
        Their dates.
    remedy : str
        The remedy for one.
    """
    from benchkit.history.outcome import is_future
    from benchkit.labels.declared import read_time

    firsts = {commit: min(map(read_time, dates)) for commit, dates in commits.items() if dates}
    future = {commit: first for commit, first in firsts.items() if is_future(first)}
    if not future:
        return ""
    newest = max(future, key=lambda commit: future[commit])
    name, date = newest[:SHORTEST], future[newest].isoformat()
    what = (
        f"the date of {name}, {date}, is in the future, so it"
        if len(future) == 1
        else f"the dates of {len(future)} commits are in the future, so {name} ({date})"
    )
    return f"warning: {what} counts as the newest commit; {remedy}"


def export(
    openmetrics: Annotated[
        Path | None, typer.Option(help="Write OpenMetrics text with the commits' times.")
    ] = None,
    influx: Annotated[Path | None, typer.Option(help="Write Influx's line protocol.")] = None,
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    branch: Branch = None,
    by: o.Only = None,
    store: o.StoreOption = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Write every commit's medians for another tool's database, such as Grafana's."""
    from benchkit.reporting.to_series import to_influx, to_openmetrics

    chosen = o.choose(format, o.DONE_FORMATS)
    files = {openmetrics: to_openmetrics, influx: to_influx}
    if not any(files):
        hint = "give a file: --openmetrics history.om or --influx history.lp"
        raise ConfigError("nothing to write", where="history export", hint=hint)
    request = o.Request(store=store, by=require_values(by), quiet=quiet)
    series = follow(request, variant, metric, branch=branch)
    written = [path for path in files if path is not None]
    for path in written:
        printing.write(files[path](series), path)
    named = [str(path) for path in written]
    printing.print_done(f"→ {', '.join(named)}", {"files": named}, chosen, quiet=quiet)


def site(
    place: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the pages.")],
    repo_url: Annotated[
        str,
        typer.Option(
            "--repo-url",
            metavar="URL",
            help="URL of the project: https://github.com/owner/name, or a URL with {commit}. "
            "[default: from this CI job]",
        ),
    ] = "",
    metric: o.Metric = None,
    variant: o.OnlyVariant = None,
    branch: Annotated[
        list[str] | None,
        typer.Option("--branch", metavar="B", help="Only this branch; repeatable. [default: all]"),
    ] = None,
    by: o.Only = None,
    confidence: o.Confidence = None,
    margin: o.Margin = None,
    store: o.StoreOption = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Write pages for any static host: an overview, and one page per benchmark."""
    from benchkit import __version__
    from benchkit.history.naming import list_branches
    from benchkit.outputs import make_folder, refuse_link, require_own_folder, save
    from benchkit.reporting.site import PAGES, SHARED, find_pages, write_site

    if not place.strip():  # typically a script's variable that is not set
        raise ConfigError("its value is empty", where="DIR", hint="give a folder for the pages")
    folder, request = Path(place), o.Request(store=store, by=require_values(by), quiet=quiet)
    chosen = o.choose(format, o.DONE_FORMATS)
    runset = load_runs(request, variant)
    rule = (margin, confidence)
    histories = {
        name: follow_runs(runset, metric, rule, name)
        for name in branch or list_branches(runset.runs, o.settings().branch)
    }
    title = o.settings().title or "Benchmark history"
    refuse_link(folder / PAGES)
    for path in (*(folder / name for name in SHARED), *(folder / PAGES).glob("*.html")):
        require_own_folder(path)  # before anything is written
    sizes = dict[Path, int]()
    for name, text in write_site(
        histories, title, repo_url or name_repository(), f"benchkit {__version__}"
    ):
        make_folder(folder, folder)
        make_folder((folder / name).parent, folder)
        save(folder / name, partial(Path.write_text, data=text, encoding="utf-8"))
        sizes[folder / name] = len(text)
    for path in find_pages(folder):
        if path not in sizes:  # its links to commits would name other ones
            path.unlink()
    index, size = folder / "index.html", sum(sizes.values())
    pages = sum(path.suffix == ".html" for path in sizes)
    line = f"→ {index}: {pages} pages, {size / 1e6:.1f} MB"
    facts = {"index": str(index), "pages": pages, "bytes": size}
    printing.print_done(line, facts, chosen, quiet=quiet)


def prune(
    keep: Annotated[int, typer.Option(min=1, help="Number of newest commits to keep per branch.")],
    branch: Annotated[
        str | None,
        typer.Option("--branch", metavar="B", help="Only this branch. [default: each]"),
    ] = None,
    store: o.StoreOption = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Drop the runs of all but the newest commits; `benchkit undo` reverts it."""
    from benchkit.ingestion.retention import prune_commits
    from benchkit.store import Store, choose_place

    chosen = o.choose(format, o.DONE_FORMATS)
    target = Store(choose_place(store))
    if not target.is_store():
        raise StoreError("not a store", where=target.url, hint="run `benchkit history add` first")
    dropped = prune_commits(target, keep, branch)
    count = "1 commit" if len(dropped) == 1 else f"{len(dropped)} commits"
    next_step = "; run `benchkit store vacuum` to free the space" if dropped else ""
    facts = {"store": target.url, "dropped": dropped}
    printing.print_done(f"{target.url}: dropped {count}{next_step}", facts, chosen, quiet=quiet)


def follow(
    request: o.Request,
    variant: list[str] | None,
    metric: list[str] | None,
    rule: tuple[str | None, str | None] = (None, None),
    branch: str | None = None,
) -> History:
    """Load and trace as the command line and the settings require."""
    return follow_runs(load_runs(request, variant), metric, rule, branch)


def load_runs(request: o.Request, variant: list[str] | None) -> RunSet:
    """Load everything that a store holds, filtered by the command line."""
    from benchkit.api import RunSet
    from benchkit.ingestion import loading

    o.settings()  # wrong settings are reported first, whatever the store holds
    loaded = loading.load_history(request.store)
    runset = request.narrow(
        RunSet(
            observations=loaded.observations,
            runs=loaded.runs,
            problems=loaded.findings,
            diagnostics=loaded.diagnostics,
        )
    )
    return runset.where(variant=variant) if variant else runset


def follow_runs(
    runset: RunSet,
    metric: list[str] | None,
    rule: tuple[str | None, str | None],
    branch: str | None,
) -> History:
    """Trace the runs of a branch as the command line and the settings require."""
    from benchkit.api.sides import require_metrics
    from benchkit.comparison.model import Plan
    from benchkit.history import trace
    from benchkit.metrics import split_metric

    base = o.settings()
    named = tuple(map(split_metric, metric or base.metrics))
    plan = Plan(
        confidence=o.fraction(rule[1], base.confidence, "--confidence"),
        primaries=require_metrics(runset.observations, named),
    )
    return trace(
        runset.observations, runset.runs, plan,
        o.fraction(rule[0], base.margin, "--margin"), base.accept, base.seed,
        branch or base.branch, runset.problems,
    )  # fmt: skip


def name_repository(environ: Mapping[str, str] = os.environ) -> str:
    """Return the web address of the project of a CI job; empty outside CI."""
    if project := environ.get("CI_PROJECT_URL"):
        return f"{project}/-/commit/{{commit}}"
    server, name = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
    return f"{server}/{name}" if server and name else ""

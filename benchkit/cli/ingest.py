"""``benchkit ingest``: read results into the store.

Nothing is read wrongly or skipped without a message.

A progress line for long commands on a terminal.

Users who wait for gigabytes want to know how long; scripts, pipes and short waits show nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError, ExitCode
from benchkit.ingestion.keeper import start_workers

if TYPE_CHECKING:
    from benchkit.ingestion.commit import IngestSummary
    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.progress import Progress, Watch
    from benchkit.ingestion.sources import Found

_Variant = Annotated[str | None, typer.Option(help="Variant name for all results.")]
_Benchmark = Annotated[
    str | None, typer.Option("--benchmark", help="Benchmark name for all results.")
]
_Meta = Annotated[
    list[str] | None,
    typer.Option("--meta", metavar="K=V", help="A fact about the machine; repeatable."),
]
_Strict = Annotated[bool, typer.Option("--strict", help="Store nothing if any source is refused.")]
_Samples = Annotated[
    bool,
    typer.Option("--samples/--no-samples", help="Store raw samples, or only their summaries."),
]
_Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        help="Number of processes. [default: one per core; 1 for small inputs]",
    ),
]
_Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="SPEC", help="Read on Dask: tcp://scheduler:8786, local, or local:4."
    ),
]
_Server = Annotated[
    str | None,
    typer.Option("--prometheus", metavar="URL", help="Prometheus server, e.g. http://h:9090."),
]
_Query = Annotated[
    list[str] | None,
    typer.Option("--query", help="PromQL query over the range; repeatable."),
]
_Start = Annotated[
    str | None,
    typer.Option(
        "--start", metavar="T", help="Start of the range: RFC 3339, or seconds since 1970."
    ),
]
_End = Annotated[
    str | None, typer.Option("--end", metavar="T", help="End of the range, same formats.")
]
_Step = Annotated[str, typer.Option("--step", help="Step between points of the range.")]


#: Replaces the hint on the next step if nothing was read.
_NOTHING = "nothing was read; fix the problems listed above and try again"

#: Seconds after which the line appears.
PATIENCE = 1.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit ingest results/")(ingest)


def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...",
            help="Raw files, folders of them, git:REF:PATH, a URL, label=path, or -.",
        ),
    ] = None,
    store: o.StoreOption = None,
    origin: o.IngestOrigin = None,
    layout: o.Layout = None,
    variant: _Variant = None,
    benchmark: _Benchmark = None,
    meta: _Meta = None,
    as_format: o.As = None,
    rename: o.Rename = None,
    split: o.Split = None,
    map: o.Map = None,
    prometheus: _Server = None,
    query: _Query = None,
    start: _Start = None,
    end: _End = None,
    step: _Step = "1s",
    strict: _Strict = False,
    samples: _Samples = True,
    jobs: _Jobs = None,
    cluster: _Cluster = None,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
    output: o.Output = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="List every source.")] = False,
    exclude: o.Exclude = None,
    max_unpacked: o.MaxUnpacked = None,
    quiet: o.Quiet = False,
) -> None:
    """Read results into the store; running the same command again changes nothing."""
    o.choose(format, ("table", "json"))
    address = _choose_cluster(cluster, jobs)
    request = o.Request(
        layout=layout, as_format=as_format, rename=rename, split=split, map=map,
        exclude=exclude, max_unpacked=max_unpacked, quiet=quiet,
    )  # fmt: skip
    with start_workers(address) or nullcontext(address) as workers:
        from benchkit.ingestion.commit import ingest as read
        from benchkit.light import hold_pandas
        from benchkit.store import Store, choose_place

        hold_pandas()
        options = _options(request, variant, benchmark, meta)
        options = replace(options, samples=samples, origin=origin)
        live = _live(prometheus, query or [], start, end, step)
        with watching(quiet=quiet) as watch:
            summary = read(_require(paths, live), Store(choose_place(store)), options, live=live,
                           strict=strict, jobs=jobs, cluster=workers, watch=watch)  # fmt: skip
    if format == "json":
        printing.write(write_summary(summary), output)
    elif quiet:
        printing.show_problems(summary.errors)
    else:
        _show(summary, choose_place(store), output, verbose=verbose)
    if not summary.has_result:
        raise typer.Exit(int(ExitCode.DATA))


def _choose_cluster(cluster: str | None, jobs: int | None) -> str:
    """Return the cluster that reads.

    Settings can only choose the number of local workers: a scheduler receives the clients' code,
    and the file of settings may come from a stranger.
    """
    if cluster is not None and jobs is not None:
        hint = "omit --jobs; --cluster local:4 starts four workers on this machine"
        raise ConfigError("cannot be combined with --jobs", where="--cluster", hint=hint)
    if cluster or jobs is not None:
        return cluster or ""
    settings = o.settings()
    if settings.cluster.partition(":")[0] in {"", "local"}:
        return settings.cluster
    remark = f"ignoring [ingest] cluster of {settings.source}"
    reason = "a scheduler can run code on this machine; if you trust it, pass it as --cluster"
    printing.print_line(f"warning: {remark}: {reason}", err=True)
    return ""


def _live(
    url: str | None, queries: list[str], start: str | None, end: str | None, step: str
) -> list[Found]:
    """Return the queries to send, one per source."""
    if url is None:
        if queries or start or end:
            raise ConfigError("needs a server", where="--query", hint="add --prometheus URL")
        return []
    if not queries:
        hint = "add --query container_cpu_usage_seconds_total; see `benchkit formats`"
        raise ConfigError("needs a query", where="--prometheus", hint=hint)
    from benchkit.ingestion.discovery import live_source
    from benchkit.ingestion.prometheus_api import ask, parse_query

    parsed = [parse_query(url, text, start, end, step) for text in dict.fromkeys(queries)]
    return [live_source(one.address, partial(ask, one)) for one in parsed]


def _require(paths: list[str] | None, live: Sequence[Found]) -> list[str]:
    if not paths and not live:
        raise ConfigError("nothing to read", hint="give raw files, or --prometheus URL")
    return paths or []


def _options(
    request: o.Request, variant: str | None, benchmark: str | None, meta: list[str] | None
) -> Options:
    known = []
    for text in meta or ():
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise ConfigError(
                f"expected KEY=VALUE, got {text!r}", where="--meta", hint="use KEY=VALUE"
            )
        known.append((key, value))
    options = request.options(o.settings())
    return replace(options, variant=variant, benchmark=benchmark, meta=tuple(known))


def write_summary(summary: IngestSummary, **more: object) -> str:
    """Write the outcome as JSON, with some keys first."""
    from benchkit.reporting.json_text import format_json

    document = {
        "format_version": 1,
        **more,
        "runs": summary.runs,
        "superseded": summary.superseded,
        "sources": [asdict(report) for report in summary.reports],
        "skipped": [{"path": path, "reason": reason} for path, reason in summary.skipped],
        "diagnostics": [asdict(problem) for problem in summary.diagnostics],
        "findings": [asdict(finding) for finding in summary.findings],
    }
    return format_json(document, 1)


def _show(summary: IngestSummary, store: str, output: Path | None, *, verbose: bool) -> None:
    from benchkit.cli.console import render_table
    from benchkit.tables.sources import describe_skipped, list_sources, total_sources

    tables = [list_sources(summary.reports, summary.skipped)] if verbose else []
    tables.append(total_sources(summary.reports))
    to_file = output is not None
    printing.write("\n\n".join(render_table(table, to_file=to_file) for table in tables), output)
    problems = [p for p in summary.diagnostics if verbose or p.severity != "note"]
    printing.show_problems([*problems, *summary.findings], limit=len(problems) if verbose else 20)
    if summary.skipped and not verbose:
        printing.print_line(describe_skipped(summary.skipped), err=True)
    after = "next: benchkit compare, benchkit report" if summary.has_result else _NOTHING
    runs = "1 run" if summary.runs == 1 else f"{summary.runs} runs"
    printing.print_line(f"{store}: {runs}{describe_superseded(summary)} · {after}", err=True)


def describe_superseded(summary: IngestSummary) -> str:
    """Say how many runs were replaced; nothing if none were."""
    return f", {summary.superseded} superseded" if summary.superseded else ""


@contextmanager
def watching(*, quiet: bool = False, patience: float = PATIENCE) -> Iterator[Watch | None]:
    """Yield a function that shows progress on stderr, or None if nobody would see it.

    Parameters
    ----------
    quiet : bool
        Whether the user wants no messages.
    patience : float
        Seconds after which the line appears.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        line = _Line(stack, patience)
        yield line.show


class _Line:
    """The line, created when it appears; rich is imported only then."""

    def __init__(self, stack: ExitStack, patience: float) -> None:
        self._stack = stack
        self._due = time.monotonic() + patience
        self._update: Watch | None = None

    def show(self, progress: Progress) -> None:
        """Show the progress of the command."""
        if time.monotonic() < self._due:
            return
        if self._update is None:
            self._update = self._begin()
        self._update(progress)

    def _begin(self) -> Watch:
        from rich import progress as bars
        from rich.console import Console

        bar = bars.Progress(
            bars.TextColumn("reading"),
            bars.BarColumn(bar_width=24),
            bars.DownloadColumn(binary_units=True),
            bars.TextColumn("{task.fields[values]:,} values"),
            bars.TransferSpeedColumn(),
            bars.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._stack.enter_context(bar)
        task = bar.add_task("", total=None, values=0)

        def update(progress: Progress) -> None:
            bar.update(task, completed=progress.bytes, total=progress.total, values=progress.values)

        return update

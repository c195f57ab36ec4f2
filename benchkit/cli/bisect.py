"""``benchkit bisect``: find the commit that changed a metric.

Single runs of each commit show the noise of the machine; many runs of a few commits show the
change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import StoppedError

if TYPE_CHECKING:
    from benchkit.bisect.repository import Commit
    from benchkit.bisect.search import Limits
    from benchkit.stats import CommitSearch

#: A forecast above this number of runs is not useful.
_MANY = 1000
Build = Annotated[
    str,
    typer.Option(
        "--build", metavar="SCRIPT", help="Command that builds a commit; it runs once per commit."
    ),
]
Timeout = Annotated[
    str,
    typer.Option(
        "--timeout", metavar="TIME", help="Stop a build or a run that takes longer; 0 for never."
    ),
]
Repo = Annotated[Path, typer.Option("--repo", help="Folder of the git repository.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = 'benchkit bisect v1.2.0..HEAD --bench "go test -run NONE -bench Get ./..."'
    app.command(epilog=f"Example: {example}")(bisect)


def bisect(
    commits: Annotated[
        str,
        typer.Argument(metavar="GOOD..BAD", help="A commit before the change and one after it."),
    ],
    bench: Annotated[
        str,
        typer.Option("--bench", metavar="SCRIPT", help="Command that prints one run's results."),
    ],
    build: Build = "",
    metric: o.Metric = None,
    benchmark: o.Benchmark = None,
    rounds: Annotated[int, typer.Option("--rounds", min=2, help="Rounds per step.")] = 5,
    max_builds: Annotated[
        int,
        typer.Option(
            "--max-builds", min=3, help="Maximum number of commits to measure, including both ends."
        ),
    ] = 30,
    probability: Annotated[
        str, typer.Option("--probability", help="Stop when one commit reaches this probability.")
    ] = "99%",
    timeout: Timeout = "1h",
    repo: Repo = Path(),
    out: Annotated[
        Path, typer.Option("--out", help="Folder for results; a search resumes from it.")
    ] = Path("bisect-results"),
    format: o.TableFormat = None,
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Find the commit that changed a metric, from interleaved runs of a few commits.

    Both ends and one commit between them are measured alternately, each in its own work
    tree, until one commit is by far the most probable.
    """
    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    from benchkit.bisect.repository import opening
    from benchkit.bisect.search import Limits, search
    from benchkit.bisect.summary import describe_ends, summarise, tabulate, write_sentence
    from benchkit.bisect.trials import Recipe, Trials
    from benchkit.capture.places import holding
    from benchkit.capture.plan import read_seconds
    from benchkit.metrics import split_metric

    for name in metric or ():
        split_metric(name)
    limits = Limits(o.fraction(probability, 0.99, "--probability"), rounds, max_builds)
    seconds = read_seconds(timeout, "--timeout")
    recipe = Recipe(bench, build, tuple(metric or ()), tuple(benchmark or ()), seconds)
    announce: Callable[[str], object] = (lambda _: None) if quiet else _print_line
    with _keeping_runs(), opening(repo) as repository:
        history = repository.list_commits(commits)
        with holding(out):
            trials = Trials(repository, history, recipe, out, announce)
            answer = search(
                trials, len(history) - 1, limits,
                lambda _, state: announce(_describe(state, history, limits)), trials.unusable,
                lambda ends: announce(describe_ends(ends, history)),
            )  # fmt: skip
    summary, sentence = summarise(answer, history), write_sentence(answer, history)
    printing.write_record(
        "bisect", summary, [sentence],
        lambda: [tabulate(summary, history)] if summary.commits else [], chosen, output,
    )  # fmt: skip


def _print_line(line: str) -> None:
    printing.print_line(line, err=True)


@contextmanager
def _keeping_runs() -> Iterator[None]:
    """Say how to continue an interrupted search."""
    try:
        yield
    except KeyboardInterrupt as error:
        what = "interrupted: the runs are kept; run the same command again to continue"
        raise StoppedError(what) from error


def _describe(state: CommitSearch, history: list[Commit], limits: Limits) -> str:
    from benchkit.stats.bisection import forecast_commits

    first, last = state.range_of(limits.probability)
    left = f"{last - first + 1} of {len(history) - 1} commits left"
    best = history[state.commits[state.best + 1]].short
    runs = 3 * limits.rounds * forecast_commits(state, limits.rounds)
    more = f"about {runs} more runs" if runs <= _MANY else "these runs vary too much for a forecast"
    done = f"{len(state.commits)} measured, {sum(state.runs)} runs"
    return f"{done}: {left}; most probable: {best}; {more}"

"""``benchkit ab``: the cost of a code change, from two commits that are measured alternately."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.bisect import Build, Repo, Timeout
from benchkit.cli.capture import MaxRounds, MinRounds, Show, leave, list_runs, suggest_report
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from benchkit.bisect.repository import Commit


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit ab main HEAD -- go test -run NONE -bench Get ./...")(ab)


def ab(
    base: Annotated[str, typer.Argument(metavar="BASE", help="Commit to compare with.")],
    head: Annotated[str, typer.Argument(metavar="HEAD", help="Commit with the change.")],
    command: Annotated[
        list[str],
        typer.Argument(metavar="-- CMD...", help="Command that prints one run's results."),
    ],
    build: Build = "",
    min_rounds: MinRounds = None,
    max_rounds: MaxRounds = None,
    metric: o.Metric = None,
    margin: o.Margin = None,
    confidence: o.Confidence = None,
    timeout: Timeout = "1h",
    repo: Repo = Path(),
    out: Annotated[
        Path, typer.Option("--out", help="Folder for results; a series resumes from it.")
    ] = Path("ab-results"),
    show: Show = False,
    format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Compare two commits: build both and alternate between them until there is a verdict.

    Each commit has its own work tree. The variants are called base and head.
    """
    o.choose(format, ("table", "json"))
    from benchkit.bisect.repository import opening
    from benchkit.bisect.trials import plan_sides
    from benchkit.capture.plan import read_seconds
    from benchkit.cli.until import follow, read_rule, render_decision

    seconds = read_seconds(timeout, "--timeout")
    rule = {
        "--min-rounds": min_rounds, "--max-rounds": max_rounds, "--baseline": "base",
        "--metric": metric, "--margin": margin, "--confidence": confidence,
    }  # fmt: skip
    stopping = read_rule(rule)
    announce = (lambda _: None) if quiet else (lambda line: printing.print_line(line, err=True))
    with opening(repo) as repository:
        sides = {"base": repository.find_commit(base), "head": repository.find_commit(head)}
        _check(sides, repo)
        plan = plan_sides(repository, sides, tuple(command), build, announce, seconds)
        decision = follow(
            replace(plan, stopping=stopping), out, rule, show=show, announce=announce, quiet=quiet
        )
    runs = list_runs(decision.session)
    text = render_decision(decision, format, runs, to_file=output is not None)
    printing.write(text, output)
    report = suggest_report(decision.baseline, rule, out)
    leave(decision.session, out, report=report, quiet=quiet)


def _check(sides: dict[str, Commit], repo: Path) -> None:
    """Refuse to compare a commit with itself; warn about uncommitted changes."""
    from benchkit.capture.fingerprint import read_checkout

    if sides["base"] == sides["head"]:
        commit = sides["base"].short
        hint = "name two, for example: benchkit ab main HEAD -- CMD"
        raise ConfigError(f"BASE and HEAD are the same commit, {commit}", hint=hint)
    checkout = read_checkout(repo)
    shas = {commit.sha for commit in sides.values()}
    if checkout.get("changed") == "true" and checkout["commit"] in shas:
        printing.print_line(
            f"warning: {repo}: changes that are not committed are not measured; commit them first",
            err=True,
        )

"""``benchkit init``: a commented ``benchkit.toml`` based on the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import config
from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.errors import BenchkitError, ConfigError

if TYPE_CHECKING:
    from benchkit.api import RunSet


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit init results/")(init)


@takes(without="origin benchmark")
def init(
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The file, or - for stdout. [default: benchkit.toml, plan.toml with --plan]",
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="TOOL",
            help="Write a plan for capture instead: wrk, k6, vegeta, ab, redis-benchmark, go or "
            "hyperfine.",
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="With --plan: where the service answers."),
    ] = None,
    serve: Annotated[
        str | None,
        typer.Option(
            "--serve",
            metavar="CMD",
            help="With --plan: command that runs the service; {variant} is the variant's name.",
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", help="With --plan: name of a variant; repeatable."),
    ] = None,
    baseline: o.Baseline = None,
    format: o.DoneFormat = "text",
    request: o.Request,
) -> None:
    """Write a commented benchkit.toml: baseline, names, and a gate for each primary metric."""
    chosen = o.choose(format, o.DONE_FORMATS)
    target = output or Path("plan.toml" if plan else config.FILE)
    if str(target) != "-" and target.exists() and not force:
        raise ConfigError("already exists", where=str(target), hint="replace it with --force")
    if plan:
        text = _write_plan(plan, url or "", serve or "", variant or ())
        printing.write(text, target)
        command = f"benchkit capture --plan {quote(str(target))} --until decided"
        todo = "" if variant else "fill in your commands · "
        _say(target, todo, command, chosen, quiet=request.quiet)
        return
    if url or serve or variant:
        where = "--url" if url else "--serve" if serve else "--variant"
        raise ConfigError("needs --plan TOOL", where=where)
    runset = request.load(base=config.Settings())
    printing.write(describe(runset, baseline), target)
    named = [f"--policy {quote(str(target))}"] if str(target) != config.FILE else []
    stored = [f"--store {quote(str(request.store))}"] if request.store else []
    words = ["benchkit gate", *map(quote, request.paths or ()), *stored, *named]
    _say(target, "", " ".join(words), chosen, quiet=request.quiet)


def _say(target: Path, before: str, command: str, format: str, *, quiet: bool) -> None:
    """Name the written file and the next command; on stdout, only the file."""
    if str(target) != "-":
        facts = {"path": str(target), "next": command}
        printing.print_done(f"→ {target} · {before}next: {command}", facts, format, quiet=quiet)


def _write_plan(tool: str, url: str, serve: str, variants: Sequence[str]) -> str:
    from benchkit.capture.starter import Subject, list_plans, write_plan

    plans = list_plans()
    return write_plan(plans[o.choose(tool, [*plans], "--plan")], Subject(url, serve, variants))


def describe(runset: RunSet, baseline: str | None) -> str:
    """Write a policy for the loaded results, including comments on what cannot be compared yet."""
    from benchkit.gating.starter import write_policy
    from benchkit.labels.matching import suggest_rename

    try:
        pairs = runset.choose_pairs(baseline, None)
    except BenchkitError as error:
        return write_policy(baseline, runset.variants, None, why=error.what)
    base = pairs[0][0]
    try:
        comparisons = runset.compare(pairs=pairs).comparisons
    except BenchkitError as error:
        names = {
            variant: list(dict.fromkeys(rows["benchmark"]))
            for variant, rows in runset.runs.groupby("variant")
        }
        rule = suggest_rename(names[base], names[pairs[0][1]])
        return write_policy(base, runset.variants, None, rename=rule, why=error.what)
    one, other = (comparisons.only_in.get(name, ()) for name in pairs[0])
    rule = suggest_rename(one, other)
    return write_policy(base, runset.variants, comparisons, rename=rule)

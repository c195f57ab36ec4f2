"""``benchkit gate``: limits and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.selected import parse_pairs
from benchkit.errors import BenchkitError, ConfigError, ExitCode
from benchkit.outputs import append

if TYPE_CHECKING:
    from benchkit.gating.result import GateResult


MaxOverhead = Annotated[
    list[str] | None,
    typer.Option(
        "--max-overhead",
        metavar="M[.STAT]=LIMIT",
        help="A limit, e.g. latency.p50=5%; replaces the policy's rules; repeatable.",
    ),
]


PolicyFile = Annotated[
    Path | None, typer.Option("--policy", help="Policy file. [default: benchkit.toml]")
]
OnInconclusive = Annotated[
    str | None,
    typer.Option(
        metavar="pass|warn|fail",
        help="What to do with an inconclusive row: pass, warn or fail (overrides the policy).",
    ),
]
JUnit = Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")]
GitHub = Annotated[
    bool, typer.Option("--github", help="Write the job summary, annotations and step outputs.")
]
GitLab = Annotated[Path | None, typer.Option(help="Write GitLab's metrics report.")]
OpenMetrics = Annotated[Path | None, typer.Option(help="Write OpenMetrics text.")]
Comment = Annotated[Path | None, typer.Option(help="Write the text of a pull request comment.")]
Test = Annotated[
    bool,
    typer.Option(
        "--self-test",
        help="Check that the gate would catch a planted regression.",
    ),
]
AllowMissing = Annotated[
    bool,
    typer.Option("--allow-missing-baseline", help="Pass if there is no baseline yet."),
]

Strict = Annotated[bool, typer.Option("--strict", help="Fail on files of unknown format.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = "Example: benchkit gate results/ --max-overhead latency.p50=5% --junit junit.xml"
    app.command(epilog=example)(gate)


@takes("baseline variant pair")
def gate(
    *,
    policy: PolicyFile = None,
    max_overhead: MaxOverhead = None,
    on_inconclusive: OnInconclusive = None,
    requested: o.Requested,
    junit: JUnit = None,
    github: GitHub = False,
    gitlab: GitLab = None,
    openmetrics: OpenMetrics = None,
    comment: Comment = None,
    self_test: Test = False,
    allow_missing_baseline: AllowMissing = False,
    strict: Strict = False,
    format: o.TableFormat = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Check the results against limits; the exit code says whether they pass."""
    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    from benchkit.gating.policy import Policy
    from benchkit.gating.run import run_gate

    files = {"junit": junit, "openmetrics": openmetrics, "gitlab": gitlab, "comment": comment}
    try:
        base = o.settings(policy)
        o.refuse_both(requested.pair, requested.baseline, requested.variant)
        held = Policy.of(base).override(max_overhead or (), on_inconclusive)
        result = run_gate(
            lambda named: replace(request, paths=list(named)).load(base=base, light=True), held,
            paths=request.paths or [], baseline=requested.baseline, variants=requested.variant,
            pairs=parse_pairs(requested.pair), self_test=self_test, strict=strict,
            allow_missing=allow_missing_baseline,
        )  # fmt: skip
    except BenchkitError as error:
        write_problem(error, files, github=github)
        raise
    printing.write(render(result, chosen, to_file=output is not None), output)
    write_files(result, files, quiet=request.quiet)
    if github:
        write_github(result)
    raise typer.Exit(int(result.exit_code))


def write_problem(error: BenchkitError, files: Mapping[str, Path | None], *, github: bool) -> None:
    """Report in all outputs for CI why the gate could not judge."""
    if error.exit_code is not ExitCode.USAGE:
        return
    from benchkit.gating.outcome import GateOutcome
    from benchkit.gating.result import GateResult

    outcome = GateOutcome(rules=(), problem=str(error), problem_code=error.exit_code)
    result = GateResult(outcome=outcome)
    write_files(result, files, quiet=True)
    if github:
        write_github(result)


def render(result: GateResult, format: str, *, to_file: bool) -> str:
    """Write the outcome in one of the command's formats."""
    from benchkit.gating.sinks import SINKS, render_sink

    if format in SINKS:
        return render_sink(format, result)
    from benchkit.cli.console import render_gate

    return render_gate(result, to_file=to_file)


def write_files(result: GateResult, files: Mapping[str, Path | None], *, quiet: bool) -> None:
    """Write the requested outputs."""
    from benchkit.gating.sinks import render_sink

    for name, path in files.items():
        if path is None:
            continue
        printing.write(render_sink(name, result), path)
        if not quiet:
            printing.print_line(f"→ {path}", err=True)


def write_github(result: GateResult) -> None:
    """Append to the files that GitHub provides for a step, and print annotations on stderr.

    The runner reads workflow commands from both streams; stdout is for the result.
    """
    from benchkit.gating.sinks import render_sink

    for variable, sink in (("GITHUB_STEP_SUMMARY", "md"), ("GITHUB_OUTPUT", "outputs")):
        named = os.environ.get(variable)
        if not named:
            printing.print_line(f"{variable} is not set, so nothing was written", err=True)
            continue
        try:
            append(Path(named), render_sink(sink, result))
        except OSError as error:
            raise ConfigError(
                f"cannot write: {error.strerror}", where=variable, hint="give a file name"
            ) from error
    with printing.survive(sys.stderr):
        sys.stderr.write(render_sink("annotations", result))

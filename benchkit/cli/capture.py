"""``benchkit capture``: run benchmarks and keep their output with how they were run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError, DataError, StoppedError
from benchkit.outputs import refuse_link

if TYPE_CHECKING:
    from benchkit.capture.plan import Plan
    from benchkit.capture.session import Session


Command = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- CMD...]", help="The command and its arguments, after --."),
]
PlanFile = Annotated[
    Path | None,
    typer.Option("--plan", help="TOML with variants, commands, rounds and order; replaces CMD."),
]
Show = Annotated[bool, typer.Option("--show", help="Also show the commands' output on stderr.")]
Pin = Annotated[bool, typer.Option("--pin", help="Run service and generator on different cores.")]
QuietBefore = Annotated[
    str | None,
    typer.Option(
        "--quiet-before",
        metavar="TIME",
        help="Before each run, wait until the machine has been quiet for this time, e.g. 5s.",
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="TIME",
        help="Stop a command that takes longer, e.g. 10m; 0 for never. "
        "[default: 1h with --plan, else 0]",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="decided",
        help="Run rounds until each primary row is decided, or up to --max-rounds.",
    ),
]
MinRounds = Annotated[
    int | None,
    typer.Option("--min-rounds", help="First round after which rows are judged. [default: 4]"),
]
MaxRounds = Annotated[
    int | None,
    typer.Option(
        "--max-rounds", help="Stop after this many rounds, even without a verdict. [default: 40]"
    ),
]


_DEFAULT = Path("results")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        context_settings={"allow_interspersed_args": False},
        epilog="Example: benchkit capture --variant otlp --repeat 8 -- wrk -c8 -t2 -d15 URL",
    )(capture)


def capture(
    command: Command = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="Variant name of the runs.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Benchmark name of the runs.")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of runs.")] = 1,
    plan: PlanFile = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = _DEFAULT,
    show: Show = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", "-k", help="Continue after a command has failed.")
    ] = False,
    pin: Pin = False,
    quiet_before: QuietBefore = None,
    timeout: Timeout = None,
    until: Until = None,
    min_rounds: MinRounds = None,
    max_rounds: MaxRounds = None,
    baseline: o.Baseline = None,
    metric: o.Metric = None,
    margin: o.Margin = None,
    confidence: o.Confidence = None,
    format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Run a command; keep its raw output with start, end, exit code and machine."""
    o.choose(format, ("table", "json"))
    if out == _DEFAULT:
        refuse_link(out)
    chosen = _plan(command or [], plan, variant, benchmark, repeat)
    chosen = _still(_limit(chosen, timeout), quiet_before, pin=pin)
    rule = {
        "--min-rounds": min_rounds, "--max-rounds": max_rounds, "--baseline": baseline,
        "--metric": metric, "--margin": margin, "--confidence": confidence,
    }  # fmt: skip
    is_whole = plan is not None and not keep_going
    is_series = _refuse_unfit(until, rule, is_whole=is_whole)
    announce = (lambda _: None) if quiet else (lambda line: printing.print_line(line, err=True))
    _explain_doses(chosen, announce)
    if is_series:
        from benchkit.cli.until import follow, read_rule, render_decision

        chosen = replace(chosen, stopping=read_rule(rule))
        decision = follow(chosen, out, rule, show=show, announce=announce, quiet=quiet)
        session, runs = decision.session, list_runs(decision.session)
        text = render_decision(decision, format, runs, to_file=output is not None)
    else:
        from benchkit.capture.session import carry_out

        session = carry_out(chosen, out, show=show, keep_going=keep_going, announce=announce)
        text = _render(session, format, to_file=output is not None)
    printing.write(text, output)
    report = suggest_report(decision.baseline, rule, out) if is_series else ""
    leave(session, out, report=report, quiet=quiet)


def _explain_doses(plan: Plan, announce: Callable[[str], object]) -> None:
    """Say for which numbers of the variants `compare` will not fit a line."""
    numbers = {name: commands.numbers for name, commands in plan.variants.items()}
    if any(numbers.values()):
        from benchkit.comparison.dose import explain_no_line

        for line in explain_no_line(numbers):
            announce(line)


def _refuse_unfit(until: str | None, rule: Mapping[str, object], *, is_whole: bool) -> bool:
    """Return whether an early-stopping series is requested; refuse incompatible options."""
    if until is None:
        if unused := [name for name, value in rule.items() if value is not None]:
            raise ConfigError("needs --until decided", where=unused[0])
        return False
    o.choose(until, ("decided",), "--until")
    if not is_whole:
        hint = "use it with --plan and without --keep-going"
        what = "works only with a plan that runs in whole rounds"
        raise ConfigError(what, where="--until", hint=hint)
    return True


def _plan(
    command: list[str],
    file: Path | None,
    variant: str | None,
    benchmark: str | None,
    repeat: int,
) -> Plan:
    from benchkit.capture.plan import Commands, Plan, read_plan

    if file is None:
        if not command:
            raise ConfigError("nothing to run", hint="write -- CMD, or --plan FILE")
        if command[0].endswith(".toml"):
            hint = f"write benchkit capture --plan {shlex.quote(command[0])}"
            raise ConfigError("not a command, but a plan", where=command[0], hint=hint)
        commands = {variant or "": Commands(command=tuple(command))}
        return Plan(
            variants=commands,
            rounds=repeat,
            benchmark=benchmark or "",
            is_interleaved=False,
            timeout=0.0,
        )
    if command or variant or benchmark or repeat != 1:
        raise ConfigError(
            "the plan already defines commands, variants and repeats",
            where="--plan",
            hint="omit CMD, --variant, --benchmark and --repeat",
        )
    return read_plan(file)


def _still(plan: Plan, quiet_before: str | None, *, pin: bool) -> Plan:
    """Return a plan with the options against noise that the command line sets."""
    from benchkit.capture.plan import read_seconds

    quiet = plan.quiet if quiet_before is None else read_seconds(quiet_before, "--quiet-before")
    return replace(plan, is_pinned=pin or plan.is_pinned, quiet=quiet)


def _limit(plan: Plan, timeout: str | None) -> Plan:
    """Return a plan with the time limit of the command line."""
    from benchkit.capture.plan import read_seconds

    return plan if timeout is None else replace(plan, timeout=read_seconds(timeout, "--timeout"))


def _render(session: Session, format: str, *, to_file: bool) -> str:
    if format == "json":
        from benchkit.reporting.json_text import format_json

        return format_json({"format_version": 1, "runs": list_runs(session)}, 1)
    from benchkit.cli.console import render_table
    from benchkit.tables.model import Cell, Column, Table

    columns = (
        Column("variant", "variant"),
        Column("role", "role"),
        Column("run", "run", align="right"),
        Column("duration", "s", align="right"),
        Column("exit", "exit", align="right"),
        Column("file", "file"),
    )
    rows = []
    for run in session.runs:
        variant, role, number, duration, code = run.labels
        texts = (variant, role, f"{number}", f"{duration:.1f}", f"{code}", str(run.path))
        rows.append(tuple(map(Cell, texts)))
    return render_table(Table("Captured", columns, tuple(rows)), to_file=to_file)


def list_runs(session: Session) -> list[dict[str, object]]:
    """Return the runs of a session for JSON."""
    names = ("variant", "role", "run", "duration", "exit", "file")
    rows = [(*run.labels, str(run.path)) for run in session.runs]
    return [dict(zip(names, row, strict=True)) for row in rows]


def suggest_report(baseline: str, rule: Mapping[str, Any], out: Path) -> str:
    """Return the command that judges a series by the same rule."""
    words = ["benchkit", "report", str(out), "--baseline", baseline]
    for name in ("--metric", "--margin", "--confidence"):
        values = rule[name] or ()
        for value in [values] if isinstance(values, str) else values:
            words += [name, value]
    return shlex.join(words)


def leave(session: Session, out: Path, *, report: str, quiet: bool) -> None:
    """Report how the session ended, and exit with its code; a series has a report."""
    failed = session.failed
    whole = session.earlier + len(session.runs) - failed
    made = f"made {whole} of {session.planned} runs"
    if failed:
        are = "is" if failed == 1 else "are"
        made += f"; {failed} more failed and {are} kept, but not compared"
    if session.is_interrupted:
        again = "; run the same command again to continue" if report else ""
        raise StoppedError(f"interrupted: {made}{again}")
    if session.problem:
        raise DataError(session.problem, hint=made)
    if not quiet:
        ingest = f"{made} · next: benchkit ingest {shlex.quote(str(out))}"
        line = f"next: {report}" if report else ingest
        printing.print_line(line, err=True)

"""``benchkit capture --until decided``: its options, its progress, and its result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.console import print_table, render_tables
from benchkit.deciding import Decision, measure_until_decided
from benchkit.errors import ConfigError
from benchkit.stats.spending import LEAST, LONGEST, MOST, SequentialDesign
from benchkit.tables.findings import summarise_findings
from benchkit.tables.looks import Progress, describe_end, list_looks, looks_table

if TYPE_CHECKING:
    from benchkit.capture.plan import Plan, Stopping

#: The options of the rule, by name.
Rule = Mapping[str, Any]


def read_rule(rule: Rule) -> Stopping:
    """Return when a series stops, according to the command line and the settings.

    Raises
    ------
    ConfigError
        If numbers of rounds are out of range.
    """
    from benchkit.capture.plan import Stopping

    base = o.settings()
    least, most = (rule[name] for name in ("--min-rounds", "--max-rounds"))
    most = MOST if most is None else most
    least = min(LEAST, max(most, 2)) if least is None else least
    if not 2 <= least <= most <= LONGEST:
        raise ConfigError(
            f"expected 2 <= --min-rounds <= --max-rounds <= {LONGEST}, got {least} and {most}",
            where="--max-rounds",
        )
    return Stopping(
        design=SequentialDesign(least=least, most=most),
        margin=o.fraction(rule["--margin"], base.margin, "--margin"),
        confidence=o.fraction(rule["--confidence"], base.confidence, "--confidence"),
    )


def follow(
    plan: Plan,
    out: Path,
    rule: Rule,
    *,
    show: bool,
    announce: Callable[[str], object],
    quiet: bool,
) -> Decision:
    """Run the rounds, and show each look."""
    base = o.settings()
    if plan.stopping and plan.rounds > 1:
        announce(
            f"the plan's rounds = {plan.rounds} is not used: --until decided makes up to "
            f"{plan.stopping.design.most} rounds (--max-rounds)"
        )
    with _watching(quiet=quiet) as watch:
        return measure_until_decided(
            plan,
            out,
            baseline=rule["--baseline"] or base.baseline,
            metrics=rule["--metric"] or base.metrics,
            show=show,
            announce=announce,
            watch=watch,
        )


@contextmanager
def _watching(*, quiet: bool) -> Iterator[Callable[[Progress], object]]:
    """Yield a function that shows a look: a live table on a terminal, lines elsewhere."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield _print_lines
    else:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        console = Console(stderr=True)
        with Live(console=console, auto_refresh=False, transient=True) as live:

            def update(progress: Progress) -> None:
                text = StringIO()
                print_table(looks_table(progress), text, console.width)
                live.update(Text(text.getvalue()), refresh=True)

            yield update


def _print_lines(progress: Progress) -> None:
    for line in list_looks(progress):
        printing.print_line(line, err=True)


def render_decision(
    decision: Decision, format: str, runs: Sequence[Mapping[str, object]], *, to_file: bool
) -> str:
    """Write decisions, runs spent and runs saved; JSON lists the runs, too."""
    progress, comparison = decision.progress, decision.comparison
    if format == "json":
        from benchkit.reporting.json_text import format_json
        from benchkit.reporting.to_json import row_values

        rows = [row_values(row) for row in progress.verdicts.primary] if progress else []
        answer = {
            "format_version": 1,
            "decided": bool(rows) and all(row["verdict"] != "inconclusive" for row in rows),
            "rounds": progress.rounds if progress else 0,
            "max_rounds": progress.most if progress else None,
            "verdict": comparison.verdict if comparison else None,
            "rows": rows,
            "runs": runs,
        }
        return format_json(answer, 1)
    if progress is None or comparison is None:
        return "no round has been judged yet\n"
    warnings = [each for each in comparison.findings if each.severity != "info"]
    notes = summarise_findings(warnings, rest="the report lists all")
    lines = [comparison.verdict, f"  {describe_end(progress)}", *notes]
    return render_tables(lines, [looks_table(progress)], to_file=to_file)

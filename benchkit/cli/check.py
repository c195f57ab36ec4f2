"""``benchkit check``: the findings of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.errors import SEVERITIES, ConfigError, ExitCode, Finding, at_least

if TYPE_CHECKING:
    from benchkit.api import RunSet

#: Outcomes of a source that `--strict` does not allow.
_REFUSED = frozenset(("refused", "empty"))

Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select", metavar="CODE", help="Only codes with this prefix, e.g. B3; repeatable."
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODE", help="Ignore codes with this prefix; repeatable."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit check results/ --ignore B415")(check)


@takes("baseline only")
def check(
    *,
    select: Select = None,
    ignore: Ignore = None,
    requested: o.Requested,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 3 on a warning, an error or a refused source."),
    ] = False,
    free_of: Annotated[
        str | None,
        typer.Option(
            "--free-of",
            metavar="SEVERITY",
            help="Exit 3 on findings of at least this severity: info, warning or error.",
        ),
    ] = None,
    format: o.RowFormat = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """List the findings about the runs; advisory: exits 0 unless you pass --strict."""
    chosen = o.choose_format(format, output, o.ROW_FORMATS)
    grave = free_of and o.choose(free_of, SEVERITIES, "--free-of")
    codes = read_codes(select, "--select"), read_codes(ignore, "--ignore")
    runset = request.load(light=True)
    findings = pick(runset.check(baseline=requested.baseline or o.settings().baseline), *codes)
    printing.write(render(findings, runset, chosen, to_file=output is not None), output)
    is_refused = any(report.outcome in _REFUSED for report in runset.reports)
    if strict and (is_refused or at_least(findings, "warning")):
        raise typer.Exit(int(ExitCode.DATA))
    if grave and at_least(findings, grave):
        raise typer.Exit(int(ExitCode.DATA))


def read_codes(texts: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Split codes and code prefixes at commas.

    Raises
    ------
    ConfigError
        If no code has this prefix.
    """
    from difflib import get_close_matches

    from benchkit.audit import may_be_plugged
    from benchkit.audit.catalogue import CATALOGUE

    codes = [part.strip().upper() for text in texts or () for part in text.split(",")]
    for code in codes:
        is_ours = any(known.startswith(code) for known in CATALOGUE)
        if not code or not (is_ours or may_be_plugged(code)):
            near = get_close_matches(code, CATALOGUE, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigError(
                f"no code starts with {code!r}",
                where=option,
                hint=f"{hint}list them with `benchkit explain`",
            )
    return tuple(codes)


def pick(
    findings: Sequence[Finding], select: tuple[str, ...], ignore: tuple[str, ...]
) -> tuple[Finding, ...]:
    """Keep the findings that are selected and not ignored."""
    return tuple(
        finding
        for finding in findings
        if (not select or finding.code.upper().startswith(select))
        and not (ignore and finding.code.upper().startswith(ignore))
    )


def render(
    findings: Sequence[Finding], runset: RunSet, format: str, *, to_file: bool = False
) -> str:
    """Write findings in one of the command's formats."""
    if format in {"csv", "json"}:
        from benchkit.reporting.to_findings import to_csv, to_json

        return to_json(findings) if format == "json" else to_csv(findings)
    from benchkit.cli.console import render_table, render_texts
    from benchkit.tables.findings import count_findings, findings_table, list_findings

    runs = int((runset.runs["role"] != "companion").sum())
    head = f"{count_findings(findings)} in {runs} run{'' if runs == 1 else 's'}"
    if format == "md":
        return f"{head}\n\n{render_table(findings_table(findings), markdown=True)}"
    return render_texts((head, *list_findings(findings)), to_file=to_file)

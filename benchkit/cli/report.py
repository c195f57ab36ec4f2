"""``benchkit report``: the report."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.compare import evaluate
from benchkit.outputs import save
from benchkit.plots.theme import load_matplotlib

SUFFIXES = {"html": ".html", "md": ".md", "json": ".json"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit report --baseline none --variant otlp")(report)


@takes("baseline variant pair metric only confidence margin blocks method knee")
def report(
    *,
    requested: o.Requested,
    format: Annotated[
        str | None,
        typer.Option("--format", help="html, md or json. [default: from -o, else html]"),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of the report.")] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", metavar="DIR", help="Folder of templates that replace the built-in ones."
        ),
    ] = None,
    open_it: Annotated[
        bool, typer.Option("--open", help="Open the report in the browser.")
    ] = False,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Write the report: verdict, forest plot, comparison, runs, findings, method."""
    from benchkit.reporting.head import describe_setting

    endings = {suffix: name for name, suffix in SUFFIXES.items()}
    chosen = o.choose(
        format or o.guess_format(output, endings, "html", strict=True), tuple(SUFFIXES)
    )
    target = output or Path(f"report{SUFFIXES[chosen]}")
    with request.results() as runset:
        result = evaluate(runset, requested)
        load_matplotlib()
        text = result.render(
            chosen, title=title or o.settings().title, command=_command(), templates=template
        )
        save(target, lambda path: path.write_text(text, "utf-8", "backslashreplace"))
        printing.print_line(result.verdict)
        setting = describe_setting(result.verdicts, result.runs, result.parts)
        printing.print_line(f"  {setting}")
        if not request.quiet:
            printing.print_line(f"→ {target}", err=True)
    if open_it:
        webbrowser.open(target.resolve().as_uri())


def _command() -> str:
    import shlex

    from benchkit.ingestion.addresses import show_address
    from benchkit.redaction import redact

    return shlex.join(redact(["benchkit", *map(show_address, sys.argv[1:])]))

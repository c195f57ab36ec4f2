"""``benchkit demo``: a report from sample results."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.report import SUFFIXES
from benchkit.errors import ConfigError
from benchkit.outputs import refuse_link, save

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_DEFAULT, _SAMPLE = Path("benchkit-demo"), "sample_results"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit demo --open")(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder to write into.")] = _DEFAULT,
    format: Annotated[str, typer.Option("--format", help="html, md or json.")] = "html",
    open_it: Annotated[
        bool, typer.Option("--open", help="Open the report in the browser.")
    ] = False,
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Write sample wrk results and a report on them."""
    chosen = o.choose(format, tuple(SUFFIXES))
    from benchkit import api

    if out == _DEFAULT:
        refuse_link(out)
    results = out / "results"
    write_sample(results)
    comparison = api.load(str(results)).compare(baseline="none")
    text = comparison.render(chosen, title="What does tracing cost?", command="benchkit demo")
    target = output or out / f"report{SUFFIXES[chosen]}"
    save(target, lambda path: path.write_text(text, encoding="utf-8"))
    printing.print_line(comparison.verdict)
    if not quiet:
        printing.print_line(
            f"→ {target} · next: benchkit compare {quote(str(results))} --baseline none", err=True
        )
    if open_it:
        webbrowser.open(target.resolve().as_uri())


def write_sample(folder: Path) -> None:
    """Write the sample results into a folder; other files in it are not touched.

    Parameters
    ----------
    folder : Path
        Created if necessary.

    Raises
    ------
    ConfigError
        If it is not writable.
    """
    from importlib import resources

    try:
        _copy(resources.files("benchkit.ingestion") / _SAMPLE, folder)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            f"cannot write: {reason}", where=str(folder), hint="use another folder"
        ) from error


def _copy(source: Traversable, target: Path) -> None:
    if source.is_dir():
        refuse_link(target)
        target.mkdir(parents=True, exist_ok=True)
        for entry in source.iterdir():
            _copy(entry, target / entry.name)
    else:
        save(target, lambda path: path.write_bytes(source.read_bytes()))

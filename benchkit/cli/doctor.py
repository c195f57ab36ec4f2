"""``benchkit doctor``: what makes this machine noisy, and how noisy it is."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError

FORMATS = ("table", "json")
#: A block of a shorter measurement is no run.
_SHORTEST, _LONGEST = 1, 3600


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit doctor --seconds 5")(doctor)


def doctor(
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", help="Seconds to spend on timing a fixed piece of work; 0 skips it."
        ),
    ] = 20,
    format: Annotated[
        str | None, typer.Option(help="table or json. [default: from -o, else table]")
    ] = None,
    output: o.Output = None,
    quiet: o.Quiet = False,
) -> None:
    """Report what makes this machine noisy, with remedies, and grade it; exits 0."""
    chosen = o.choose(format or o.guess_format(output, {".json": "json"}, "table"), FORMATS)
    if not (seconds == 0 or _SHORTEST <= seconds <= _LONGEST):
        raise ConfigError(
            f"expected 0, or {_SHORTEST} to {_LONGEST} seconds, got {seconds:g}", where="--seconds"
        )
    from benchkit.doctor import Machine, examine
    from benchkit.doctor.wording import write_examination

    if seconds and not quiet:
        printing.print_line(f"measuring for {seconds:g} s; leave the machine alone", err=True)
    found = examine(Machine(), seconds)
    lines = write_examination(found)
    if chosen == "json":
        from benchkit.reporting.to_evidence import to_json

        printing.write(to_json("doctor", found, lines), output)
        return
    from benchkit.cli.console import render_texts

    printing.write(render_texts(lines, to_file=output is not None), output)

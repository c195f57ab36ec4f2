"""``benchkit doctor``: what makes this machine noisy, and how noisy it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError
from benchkit.units import format_number, format_percent, format_quantity

if TYPE_CHECKING:
    from benchkit.doctor import Examination, Noise

#: A block of a shorter measurement does not resemble a run.
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
    chosen = o.choose_format(format, output, ("table", "json"))
    if not (seconds == 0 or _SHORTEST <= seconds <= _LONGEST):
        raise ConfigError(
            f"expected 0, or {_SHORTEST} to {_LONGEST} seconds, got {seconds:g}", where="--seconds"
        )
    from benchkit.doctor import Machine, examine

    if seconds and not quiet:
        printing.print_line(f"measuring for {seconds:g} s; leave the machine alone", err=True)
    examination = examine(Machine(), seconds)
    lines = write_examination(examination)
    if chosen == "json":
        from benchkit.reporting.to_evidence import to_json

        printing.write(to_json("doctor", examination, lines), output)
        return
    from benchkit.cli.console import render_texts

    printing.write(render_texts(lines, to_file=output is not None), output)


#: A detectable change above this factor is useless to a reader.
_HOPELESS = 9


def write_examination(examination: Examination) -> tuple[str, ...]:
    """Return the grade, sources of noise with remedies, what is quiet, and what is not recorded."""
    states = {
        state: [check for check in examination.checks if check.state == state]
        for state in ("noisy", "quiet", "not recorded")
    }
    noisy = [f"  {each.name}: {each.reading}\n    → {each.remedy}" for each in states["noisy"]]
    quiet = ", ".join(f"{each.name} ({each.reading})" for each in states["quiet"])
    unknown = ", ".join(each.name for each in states["not recorded"])
    texts = [
        "\n".join(_write_noise(examination.noise)),
        "\n".join(["Sources of noise:", *noisy]) if noisy else "",
        f"Quiet: {quiet}" if quiet else "",
        f"Not recorded here: {unknown}" if unknown else "",
    ]
    return tuple(filter(None, texts))


def _write_noise(noise: Noise | None) -> Iterator[str]:
    if noise is None:
        yield "No timing: pass --seconds 20 to time a fixed piece of work repeatedly."
        return
    from statistics import median

    length = format_quantity(median(noise.durations), "s", 2)
    spread = format_percent(noise.spread).lstrip("+±")
    yield (
        f"Grade {noise.grade}: spread {spread} between runs of {length}; "
        f"{_write_detectable(noise.detectable)}"
    )
    if noise.outliers:
        yield f"left out as outliers: {noise.outliers} of {len(noise.durations)} runs"


def _write_detectable(change: float) -> str:
    if change > _HOPELESS:
        return "too noisy to compare 8 runs per side"
    if change > 1:
        return f"8 runs per side detect only changes of {format_number(1 + change, 2)}x or more"
    return f"at best, 8 runs per side detect a change of about {format_percent(change).lstrip('+')}"

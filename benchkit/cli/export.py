"""``benchkit export``: all values as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.attach import takes
from benchkit.cli.completion import complete_metric
from benchkit.errors import ConfigError, DataError, SelectionError
from benchkit.outputs import save
from benchkit.schema import ROLES

if TYPE_CHECKING:
    from benchkit.schema import Observations

FORMATS = ("csv", "json", "parquet")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit export results/ --metric request_rate -o rates.csv")(
        export
    )


@takes()
def export(
    *,
    tool: Annotated[
        list[str] | None, typer.Option("--tool", help="Only this tool; repeatable.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", help="Only this metric; repeatable.", autocompletion=complete_metric
        ),
    ] = None,
    variant: o.OnlyVariant = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            help="Only runs of this role: measured, warmup, aggregate, part, failed, companion or "
            "damaged; repeatable. [default: measured and companion]",
        ),
    ] = None,
    by: o.By = None,
    format: Annotated[
        str | None,
        typer.Option("--format", help="csv, json or parquet. [default: from -o, else csv]"),
    ] = None,
    output: o.Output = None,
    request: o.Request,
) -> None:
    """Write every measured value as one table, in base units."""
    ending = output.suffix.removeprefix(".") if output else ""
    chosen = o.choose(format or (ending if ending in FORMATS else "csv"), FORMATS)
    if chosen == "parquet" and output is None:
        raise ConfigError(
            "parquet is a binary format", where="--format", hint="write it to a file with -o"
        )
    from benchkit.reporting import to_rows

    request = replace(request, by=by)
    roles = [o.choose(name, ROLES, "--role") for name in role or ()]
    frames = select_some(
        lambda metrics: request.stream(metrics, variant, roles),
        tool=tool, metric=metric, variant=variant,
    )  # fmt: skip
    frames = chain([next(frames)], frames)  # an error must come before the header
    if chosen == "parquet" and output is not None:
        save(output, lambda path: to_rows.to_parquet(frames, path))
    else:
        write = to_rows.write_json if chosen == "json" else to_rows.write_csv
        printing.write_stream(lambda out: write(frames, out), output)


def select_some(
    read: Callable[[Sequence[str]], Iterator[Observations]], **labels: list[str] | None
) -> Iterator[Observations]:
    """Yield the rows with these labels; ``read`` takes the metrics needed, unless all are.

    Raises
    ------
    SelectionError
        If no row has them; the message lists the existing values.
    """
    from benchkit.selection import keep, require

    is_found = False
    for frame in read(labels["metric"] or ()):
        kept = keep(frame, **labels)
        if len(kept):
            is_found = True
            yield kept
    if is_found:
        return
    if not any(labels.values()):
        raise DataError("no values were read", hint="list the runs with `benchkit runs`")
    seen: dict[str, set[str]] = {name: set() for name in labels}
    for frame in read(()):
        for name, values in seen.items():
            values.update(frame[name].unique().tolist())
    for name, requested in labels.items():
        for value in requested or ():
            if seen[name]:
                require(value, sorted(seen[name]), name)
    raise SelectionError("no value matches all of these filters", hint="use fewer filters")

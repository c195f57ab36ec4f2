"""``benchkit explain``: the meaning of a code, a metric or a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchkit.tables.explanation import Explanation

#: Maximum length of a line: more than a table row, but limited even for plug-ins.
_LONGEST = 4000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: benchkit explain B310")(explain)


def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE|METRIC|FORMAT]...",
            help="For example B310, latency.p99 or vegeta. Without it, all codes are listed.",
        ),
    ] = None,
    format: o.TableFormat = None,
    output: o.Output = None,
) -> None:
    """Explain a finding's code, a metric or a format."""
    chosen = o.choose_format(format, output, o.TABLE_FORMATS)
    printing.write(render(look_up(words or ()), chosen, to_file=output is not None), output)


def look_up(words: Sequence[str]) -> tuple[Explanation, ...]:
    """Return explanations of the words, or of all codes.

    Raises
    ------
    ConfigError
        If there is nothing with this name.
    """
    from benchkit.audit.catalogue import CATALOGUE
    from benchkit.parsers import mapped, registry
    from benchkit.tables.explanation import explain_code, find_explanations, suggest

    if not words:
        return tuple(map(explain_code, CATALOGUE.values()))
    known = (*registry.formats(), mapped.FORMAT)
    explanations: list[Explanation] = []
    for word in words:
        meant = find_explanations(word, known)
        if not meant:
            near = suggest(word, known)
            hint = f"did you mean {near!r}? " if near else ""
            raise ConfigError(
                f"unknown code, metric or format: {word!r}",
                where="explain",
                hint=f"{hint}list codes with `benchkit explain`, formats with `benchkit formats`",
            )
        explanations += meant
    return tuple(explanations)


def render(explanations: Sequence[Explanation], format: str, *, to_file: bool = False) -> str:
    """Write explanations in one of the command's formats; many codes as a table."""
    if format == "json":
        from dataclasses import asdict

        from benchkit.reporting.json_text import format_json

        rows = [{**asdict(one), "parts": dict(one.parts)} for one in explanations]
        document = {"format_version": 1, "explanations": rows}
        return format_json(document)
    from benchkit.audit.catalogue import CATALOGUE
    from benchkit.cli.console import render_table, render_texts
    from benchkit.tables.explanation import codes_table, write_explanation

    if len(explanations) == len(CATALOGUE):
        table = codes_table(CATALOGUE.values())
        return render_table(table, markdown=format == "md", to_file=to_file)
    if format == "md":
        return "\n\n".join(map(write_markdown, explanations)) + "\n"
    return render_texts([write_explanation(one) for one in explanations], to_file=to_file)


def write_markdown(explanation: Explanation) -> str:
    """Write an explanation as Markdown."""
    from benchkit.reporting.markdown_text import escape

    head = escape(f"{explanation.name}: {explanation.summary}")
    parts = [
        f"- *{heading}*: {'<br>'.join(escape(line, _LONGEST) for line in text.splitlines())}"
        for heading, text in explanation.parts
    ]
    return "\n".join([f"### {head}", "", *parts])

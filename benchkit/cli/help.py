"""``benchkit help``: the manual in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing

if TYPE_CHECKING:
    from benchkit.manual import Page

#: less exits at once if the page fits the screen; with -R it also shows colours.
_LESS = "-FX"
_FOOT = (
    "Show a page with `benchkit help TOPIC`, and a command's options with `benchkit help COMMAND`."
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("help", epilog="Example: benchkit help tutorial")(read_manual)


def read_manual(
    topic: Annotated[
        str | None, typer.Argument(metavar="[TOPIC]", help="A page. Without it, list the topics.")
    ] = None,
    format: Annotated[str, typer.Option("--format", help="table, md or json.")] = "table",
    output: o.Output = None,
) -> None:
    """Show a page of the manual, or list its topics."""
    from benchkit.cli import run
    from benchkit.cli.console import plain
    from benchkit.cli.menu import COMMANDS
    from benchkit.manual import find_page, list_pages

    chosen = o.choose(format, ("table", "md", "json"))
    if topic in COMMANDS and topic not in {page.topic for page in list_pages()}:
        raise typer.Exit(run([topic, "--help"]))
    if chosen != "table":
        pages = list_pages() if topic is None else [find_page(topic)]
        printing.write(write_pages(pages, chosen), output)
        return
    text = list_topics() if topic is None else find_page(topic).for_terminal()
    if topic is not None and output is None and sys.stdout.isatty():
        show(text)
        return
    lines = [plain(line, sys.stdout) for line in text.splitlines()]
    printing.write("\n".join(lines), output)


def write_pages(pages: Sequence[Page], format: str) -> str:
    """Write pages as Markdown, or as JSON."""
    if format == "md":
        return "\n\n".join(page.text.strip() for page in pages)
    from benchkit.reporting.json_text import format_json

    rows = [
        {"topic": page.topic, "purpose": page.purpose, "title": page.title, "text": page.text}
        for page in pages
    ]
    return format_json({"format_version": 1, "pages": rows})


def list_topics() -> str:
    """Return the topics with their titles, by purpose."""
    from benchkit.manual import PURPOSES, list_pages

    pages = list_pages()
    width = max(len(page.topic) for page in pages)

    def describe(purpose: str, heading: str) -> str:
        chosen = [page for page in pages if page.purpose == purpose]
        return "\n".join([heading, *(_describe(page, width) for page in chosen)])

    blocks = [describe(purpose, heading) for purpose, heading in PURPOSES.items()]
    return "\n\n".join([*blocks, _FOOT]) + "\n"


def _describe(page: Page, width: int) -> str:
    return f"  {page.topic:<{width}}  {page.title}"


def show(text: str) -> None:
    """Show Markdown on a screen, page by page."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    os.environ["LESS"] = f"{os.environ.get('LESS', _LESS)} -R"
    console = Console(theme=Theme({"markdown.code": "bold cyan"}))  # without a background colour
    with console.pager(styles=True):
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))

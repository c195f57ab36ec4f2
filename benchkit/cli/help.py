"""``benchkit help``: the manual in the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import printing

if TYPE_CHECKING:
    from benchkit.manual import Page

#: less leaves at once if the page fits the screen; with -R it also shows colours.
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
) -> None:
    """Show a page of the manual, or list its topics."""
    from benchkit.cli import run
    from benchkit.cli.console import plain
    from benchkit.cli.menu import COMMANDS
    from benchkit.manual import find_page, list_pages

    if topic in COMMANDS and topic not in {page.topic for page in list_pages()}:
        raise typer.Exit(run([topic, "--help"]))
    text = list_topics() if topic is None else find_page(topic).for_terminal()
    if topic is not None and sys.stdout.isatty():
        show(text)
        return
    lines = [plain(line, sys.stdout) for line in text.splitlines()]
    printing.write("\n".join(lines), None)


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
    console = Console(theme=Theme({"markdown.code": "bold cyan"}))  # no background of its own
    with console.pager(styles=True):
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))

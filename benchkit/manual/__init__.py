"""The manual: Markdown pages by purpose, as `benchkit help` shows them.

The folder of a page is its purpose, and the name of its file is its topic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from benchkit.errors import ConfigError
from benchkit.regexes import regex

FOLDER = Path(__file__).parent
#: The folders and their headings, in the order in which `benchkit help` lists them.
PURPOSES = {
    "tutorial": "Tutorial",
    "howto": "How to",
    "reference": "Reference",
    "explanation": "Explanation",
}
_COMMENT = regex(r"<!--(?:(?!<!--|-->).)*+-->\n?", re.DOTALL)
_FOLDED = regex(r"</?details>|<summary>([^<\n]*+)</summary>")
_LINK = regex(r"\[([^\[\]]++)\]\((?:[\w/.-]*/)?([\w-]+)\.md(?:#[\w-]+)?\)")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the manual."""

    topic: str
    purpose: str
    text: str

    @property
    def title(self) -> str:
        """The first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    def for_terminal(self) -> str:
        """Return the Markdown without HTML; links to other pages name the command instead."""
        text = _FOLDED.sub(r"\1", _COMMENT.sub("", self.text))
        return _LINK.sub(r"\1 (`benchkit help \2`)", text)


def list_pages() -> Sequence[Page]:
    """Return all pages, by purpose and topic."""
    return [
        Page(path.stem, purpose, path.read_text(encoding="utf-8"))
        for purpose in PURPOSES
        for path in sorted((FOLDER / purpose).glob("*.md"))
    ]


def find_page(topic: str) -> Page:
    """Return the page on a topic.

    Raises
    ------
    ConfigError
        If there is none; the message names the nearest topic.
    """
    pages = {page.topic: page for page in list_pages()}
    if page := pages.get(topic.strip().lower().removesuffix(".md")):
        return page
    nearest = get_close_matches(topic.lower(), pages, 1)
    suggestion = f"did you mean {nearest[0]!r}? " if nearest else ""
    raise ConfigError(
        f"unknown topic {topic!r}",
        where="help",
        hint=f"{suggestion}list the topics with `benchkit help`",
    )

"""The page's templates: the packaged ones, and those of a folder that override them.

A template of the same name replaces the packaged one; ``{% extends "benchkit/page.html" %}`` keeps
all of it except the redefined blocks: ``head``, ``style``, ``verdict``, ``navigation``,
``sections``, ``footer``. Templates see ``report`` (`benchkit.reporting.page.Page`) and
``context_version``, which is raised when anything they see changes its name or meaning. Those of a
folder run in Jinja's sandbox, in a separate process (`benchkit.reporting.rendering`).

A table on the page: cells in their columns, styles, and sort keys.

A template places what it receives and decides nothing.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError, Finding
from benchkit.plots import theme
from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    from benchkit.reporting.model import Report
    from benchkit.reporting.page import Card, Page


#: The version of what templates see, raised when it changes.
CONTEXT_VERSION = 2
_PACKAGED = Path(__file__).parent / "templates"
_PREFIX = "benchkit"
GROUP = "benchkit.templates"
#: The contents of a folder of templates.
_ENDINGS = (".html", ".css", ".js")

#: Maximum number of rows of a folded table that is printed.
_PRINTED = 40
#: Maximum length of an interval without a line break.
_WIDEST_INTERVAL = 20
_LOOKS = {"▲": "worse", "▼": "better", "=": "same", "≠": "changed", "~": "unknown"}


def render(name: str, report: Page | Report | Card) -> str:
    """Render a report with the packaged template ``name``."""
    return make_environment().get_template(name).render(report=report)


@cache
def make_environment(folder: Path | None = None) -> Environment:
    """Return a renderer for the packaged templates, or for those of a folder that override them."""
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment
    from markupsafe import Markup

    packaged = FileSystemLoader(_PACKAGED)
    first = [_load_from(folder)] if folder else []
    environment = (SandboxedEnvironment if folder else Environment)(
        loader=ChoiceLoader([*first, packaged, PrefixLoader({_PREFIX: packaged})]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (_PACKAGED / "page.js").read_text(encoding="utf-8")
    environment.filters |= {
        "visible": printable,
        "coded": mark_code,
        "gather": gather,
        "is_long": is_long,
        "lay_out": lay_out,
        "look": look_of,
        "sort_key": sort_key,
        "summarise": _summarise,
        "draw": lambda plot: Markup(plot.svg),  # noqa: S704 - its texts are escaped by `to_svg`
    }
    environment.globals |= {
        "context_version": CONTEXT_VERSION,
        "light": Markup(theme.declare(0)),  # noqa: S704 - constants
        "dark": Markup(theme.declare(1)),  # noqa: S704
        "script": Markup(script),  # noqa: S704 - our own
        "script_hash": hash_script(script),
    }
    return environment


def _load_from(folder: Path) -> FileSystemLoader:
    """Return a loader for the templates of a folder, which refuses links to other places."""
    from jinja2 import FileSystemLoader

    class Loader(FileSystemLoader):
        def get_source(
            self, environment: Environment, template: str
        ) -> tuple[str, str, Callable[[], bool]]:
            source = super().get_source(environment, template)
            if not Path(source[1]).resolve().is_relative_to(folder.resolve()):
                what, hint = "the template is a link to outside its folder", "copy the file there"
                raise ConfigError(what, where=source[1], hint=hint)
            return source

    return Loader(folder)


def _summarise(findings: Sequence[Finding]) -> Sequence[str]:
    """Summarise findings for a notebook."""
    from benchkit.tables.findings import IN_PYTHON, summarise_findings

    return summarise_findings(findings, rest=IN_PYTHON)


def require_templates(folder: Path) -> Path:
    """Return the folder that a path or the name of a plug-in refers to.

    Raises
    ------
    ConfigError
        If the folder does not exist, or contains no template of the page.
    """
    folder = find_folder(folder)
    known = ", ".join(sorted(path.name for path in _PACKAGED.glob("*.html")))
    hint = f"use a folder with your own templates: {known}"
    if not folder.is_dir():
        raise ConfigError("no such folder", where=str(folder), hint=hint)
    if not any((folder / path.name).is_file() for path in _PACKAGED.iterdir()):
        raise ConfigError(
            "it contains none of the report's templates", where=str(folder), hint=hint
        )
    return folder


def find_folder(folder: Path) -> Path:
    """Return the requested folder of templates.

    Parameters
    ----------
    folder : Path
        A folder with a template in it; else the name of an entry point that holds the path of one:
        the checkout of a package is often a folder of the same name.

    Raises
    ------
    ConfigError
        If the package cannot be loaded, or does not hold a path.
    """
    held_here = folder.is_dir() and any(path.suffix in _ENDINGS for path in folder.iterdir())
    named = [] if held_here else list(entry_points(group=GROUP, name=str(folder)))
    if not named:
        return folder
    where = f"template plug-in {named[0].name} ({named[0].value})"
    try:
        held = named[0].load()
    except (Exception, SystemExit) as error:
        raise ConfigError(f"cannot be loaded: {error}", where=where) from error
    if not isinstance(held, (str, os.PathLike)):
        raise ConfigError("does not contain the path of a folder", where=where)
    return Path(held)


@dataclass(frozen=True, slots=True)
class Place:
    """A cell in its column, and whether it repeats the row above."""

    cell: Cell
    column: Column
    is_again: bool

    @property
    def text(self) -> str:
        """Its text; a mark stays with the text after it, and an interval on one line."""
        label = self.cell.label
        if label.startswith(("[", "> ")) and len(label) <= _WIDEST_INTERVAL:
            return label.replace(" ", "\N{NO-BREAK SPACE}")
        return label.replace(" ", "\N{NO-BREAK SPACE}", 1) if self.cell.mark else label

    @property
    def look(self) -> str:
        """The classes of the cell."""
        names = (self.column.align, _LOOKS.get(self.cell.mark, ""), "again" * self.is_again)
        return " ".join(name for name in names if name)


def lay_out(table: Table) -> list[list[Place]]:
    """Put cells into their columns and mark labels that only repeat the row above."""
    labels = next(
        (i for i, column in enumerate(table.columns) if column.align == "right"), len(table.columns)
    )
    placed, above = [], None
    for row in table.rows:
        same = 0
        while above and same < labels and row[same].label == above[same].label:
            same += 1
        placed.append(
            [
                Place(cell, column, index < same < len(row))
                for index, (cell, column) in enumerate(zip(row, table.columns, strict=True))
            ]
        )
        above = row
    return placed


def look_of(sentence: str) -> str:
    """Return the class of a sentence by its mark.

    Examples
    --------
    >>> look_of("▲ otlp is slower"), look_of("? too few runs"), look_of("Sweep of nginx")
    ('worse', '', 'unmarked')
    """
    return _LOOKS.get(sentence[:1], "unmarked" if sentence[:1].isalnum() else "")


def sort_key(place: Place) -> Markup:
    """Write the number behind a cell as an attribute, by which the page sorts its column."""
    from markupsafe import Markup

    value = place.cell.value
    return Markup("" if value is None else f' data-value="{value:.6g}"')  # noqa: S704 - a number


def is_long(table: Table) -> bool:
    """Return whether a folded table stays folded on paper."""
    return len(table.rows) > _PRINTED


def gather(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group findings with the same code and remedy."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.severity, each.code, each.remedy), []).append(each)
    return list(groups.values())


def mark_code(text: str) -> Markup:
    """Write a text with backticks as code.

    Examples
    --------
    >>> str(mark_code("see `benchkit runs` & <b>"))
    'see <code>benchkit runs</code> &amp; &lt;b&gt;'
    """
    from markupsafe import Markup, escape

    parts = [escape(part) for part in printable(text).split("`")]
    if len(parts) % 2 == 0:  # a single one is a literal backtick
        return escape(printable(text))
    coded = (part if i % 2 == 0 else f"<code>{part}</code>" for i, part in enumerate(parts))
    return Markup("".join(coded))  # noqa: S704 - each part is escaped


def hash_script(script: str) -> str:
    """Return the CSP source that allows this script and no other.

    Examples
    --------
    >>> hash_script("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = sha256(script.encode()).digest()
    return f"sha256-{b64encode(digest).decode()}"

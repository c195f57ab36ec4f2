"""The page's templates: the packaged ones, and those of a folder that stand before them.

A template of the same name replaces the packaged one; ``{% extends "benchkit/page.html" %}`` keeps
all of it but the blocks that are written anew: ``head``, ``style``, ``verdict``, ``navigation``,
``sections``, ``footer``. Templates see ``report`` (`benchkit.reporting.page.Page`) and
``context_version``, which is raised when anything they see changes its name or meaning. Those of a
folder run in Jinja's sandbox, in a process of their own (`benchkit.reporting.rendering`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError, Finding
from benchkit.plots import theme
from benchkit.reporting.layout import (
    gather,
    hash_script,
    is_long,
    lay_out,
    look_of,
    mark_code,
    sort_key,
)
from benchkit.units import printable

if TYPE_CHECKING:
    from jinja2 import Environment, FileSystemLoader

    from benchkit.reporting.card import Card
    from benchkit.reporting.model import Report
    from benchkit.reporting.page import Page

import os
from importlib.metadata import entry_points

#: What templates see; raised when it changes.
CONTEXT_VERSION = 2
_PACKAGED = Path(__file__).parent / "templates"
_PREFIX = "benchkit"
GROUP = "benchkit.templates"
#: What a folder of templates holds.
_ENDINGS = (".html", ".css", ".js")


def render(name: str, report: Page | Report | Card) -> str:
    """Render a report with the packaged template ``name``."""
    return make_environment().get_template(name).render(report=report)


@cache
def make_environment(folder: Path | None = None) -> Environment:
    """Return what renders the packaged templates, or those of a folder before them."""
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
    """Return what loads the templates of a folder, and refuses what a link names elsewhere."""
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
    """Sum up findings for a notebook."""
    from benchkit.tables.findings import IN_PYTHON, summarise_findings

    return summarise_findings(findings, rest=IN_PYTHON)


def require_templates(folder: Path) -> Path:
    """Return the folder that a path or the name of a plug-in means.

    Raises
    ------
    ConfigError
        If there is no such folder, or no template of the page in it.
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
    """Return the folder of templates that is meant.

    Parameters
    ----------
    folder : Path
        A folder with a template in it; else the name of an entry point, which holds the path of
        one: the checkout of a package often is a folder of its name.

    Raises
    ------
    ConfigError
        If the package cannot be loaded, or holds no path.
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

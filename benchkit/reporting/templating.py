"""The page's templates: the packaged ones, and those of a folder that stand before them.

In: a folder of Jinja templates, or none. Out: an environment that renders a `Report`.
Why: a team's logo, note or order of sections is a few lines in a template and no fork.

A template of the same name replaces the packaged one; ``{% extends "benchkit/page.html" %}`` keeps
all of it but the blocks that are written anew: ``head``, ``style``, ``verdict``, ``navigation``,
``sections``, ``footer``. Templates see ``report`` (`benchkit.reporting.model.Report`) and
``context_version``, which is raised when anything they see changes its name or meaning. They run in
Jinja's sandbox: what begins with an underscore, and so Python itself, is out of their reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError
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
from benchkit.reporting.named_templates import find_folder
from benchkit.reporting.template_blocks import require_blocks
from benchkit.tables.findings import IN_PYTHON, summarise_findings
from benchkit.units import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

    from benchkit.reporting.card import Card
    from benchkit.reporting.model import Report

#: What templates see; raised when it changes.
CONTEXT_VERSION = 1
_PACKAGED = Path(__file__).parent / "templates"
_PREFIX = "benchkit"
#: Characters that a folder's template may write.
_LARGEST = 256 << 20
_TOO_LARGE = f"the template writes more than {_LARGEST >> 20} MiB"
#: The largest number in a power.
_EXPONENT = 10_000


def render(name: str, report: Report | Card, folder: Path | None = None) -> str:
    """Render a report with the template ``name``.

    Parameters
    ----------
    name : str
        ``page.html``, say.
    report : Report or Card
    folder : Path, optional
        Its templates stand before the packaged ones.

    Raises
    ------
    ConfigError
        If the folder is none, or one of its templates is wrong: with its path and line.
    """
    if folder is not None:
        folder = find_folder(folder)
        _require_templates(folder)
    with _told(folder):
        environment = _environment(folder)
        for path in sorted(folder.glob("*.html")) if folder else ():
            require_blocks(environment, path)
        parts, size = [], 0
        for part in environment.get_template(name).generate(report=report):
            parts.append(part)
            size += len(part)
            if folder is not None and size > _LARGEST:
                raise ValueError(_TOO_LARGE)
        return "".join(parts)


@cache
def _environment(folder: Path | None) -> Environment:
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
    from markupsafe import Markup

    packaged = FileSystemLoader(_PACKAGED)
    first = [FileSystemLoader(folder)] if folder else []
    environment = (_bounded_sandbox() if folder else Environment)(
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
        "summarise": partial(summarise_findings, rest=IN_PYTHON),  # for notebooks alone
        "draw": lambda plot: Markup(plot.svg()),  # noqa: S704 - its texts are escaped by `to_svg`
    }
    environment.globals |= {
        "context_version": CONTEXT_VERSION,
        "light": Markup(theme.declare(0)),  # noqa: S704 - constants
        "dark": Markup(theme.declare(1)),  # noqa: S704
        "script": Markup(script),  # noqa: S704 - our own
        "script_hash": hash_script(script),
    }
    return environment


@cache
def _bounded_sandbox() -> type[Environment]:
    """Return Jinja's sandbox without operators that make gigabytes of a few characters."""
    from jinja2.sandbox import SandboxedEnvironment

    class BoundedSandbox(SandboxedEnvironment):
        intercepted_binops = frozenset({"*", "**"})

        def call_binop(
            self, context: Context, operator: str, left: object, right: object
        ) -> object:
            sizes = [len(one) if isinstance(one, Sized) else one for one in (left, right)]
            numbers = [abs(size) for size in sizes if isinstance(size, int)]
            is_repeat = operator == "*" and any(isinstance(one, Sized) for one in (left, right))
            if is_repeat and math.prod(numbers) > _LARGEST:
                raise ValueError(_TOO_LARGE)
            if operator == "**" and max(numbers, default=0) > _EXPONENT:
                raise ValueError(_TOO_LARGE)
            return super().call_binop(context, operator, left, right)

    return BoundedSandbox


def _require_templates(folder: Path) -> None:
    known = ", ".join(sorted(path.name for path in _PACKAGED.glob("*.html")))
    hint = f"name a folder with templates of your own: {known}"
    if not folder.is_dir():
        raise ConfigError("no such folder", where=str(folder), hint=hint)
    if not any((folder / path.name).is_file() for path in _PACKAGED.iterdir()):
        raise ConfigError("none of the report's templates is in it", where=str(folder), hint=hint)


@contextmanager
def _told(folder: Path | None) -> Iterator[None]:
    """Say where a template of the folder is wrong; what is wrong in ours is ours."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        yield
    except TemplateSyntaxError as error:
        if folder is None:
            raise
        where = f"{error.filename or folder}:{error.lineno}"
        raise ConfigError(error.message or "syntax error", where=where, hint=_HINT) from error
    except (
        *(TemplateError, TypeError, ValueError, ArithmeticError),
        *(RecursionError, MemoryError),
    ) as error:
        if folder is None:
            raise
        raise ConfigError(str(error), where=_place(error, folder), hint=_HINT) from error


_HINT = "correct the template; what it sees is in the README under Templates"


def _place(error: Exception, folder: Path) -> str:
    """Return path and line of the last template of the folder that the error came through."""
    frames = [
        frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".html")
    ]
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    last = (ours or frames)[-1:]
    return f"{last[0].filename}:{last[0].lineno}" if last else str(folder)

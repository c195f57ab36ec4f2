"""The formats of a report, by name.

A new format is a module and a line here, imported only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchkit.errors import ConfigError
from benchkit.reporting.model import Report

#: name -> ``module:function``
FORMATS = {
    "html": "benchkit.reporting.to_html:to_html",
    "md": "benchkit.reporting.to_markdown:to_markdown",
    "json": "benchkit.reporting.formats:write_json",
    "csv": "benchkit.reporting.formats:write_csv",
}


def render(report: Report, format: str, templates: Path | None = None) -> str:  # noqa: A002
    """Write a report in one of `FORMATS`.

    Parameters
    ----------
    templates : Path, optional
        A folder whose templates override those of the page.

    Raises
    ------
    ConfigError
        If the format does not exist, or has no templates.
    """
    if format not in FORMATS:
        msg = f"{format!r} is not a report format"
        raise ConfigError(msg, hint=f"use {', '.join(FORMATS)}")
    if templates is not None:
        if format != "html":
            raise ConfigError(
                f"{format} does not support templates", where="templates", hint="use html"
            )
        from benchkit.reporting.to_html import to_html

        return to_html(report, templates)
    module, _, name = FORMATS[format].partition(":")
    write: Callable[[Report], str] = getattr(import_module(module), name)
    return write(report)


def write_json(report: Report) -> str:
    """Write the verdicts and findings of a report as JSON."""
    from benchkit.reporting.to_json import to_json

    return to_json(report.verdicts, report.findings, report.parts)


def write_csv(report: Report) -> str:
    """Write the rows of a report as CSV."""
    from benchkit.reporting.to_json import to_csv

    return to_csv(report.verdicts)

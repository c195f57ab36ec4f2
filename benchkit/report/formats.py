"""The formats of a report, by name.

In: a `Report` and a format's name. Out: the text of the file. Why: a new format is a module and a
line here, imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from benchkit.errors import ConfigError
from benchkit.report.model import Report

#: name -> ``module:function``
FORMATS = {
    "html": "benchkit.report.to_html:to_html",
    "md": "benchkit.report.to_markdown:to_markdown",
    "json": "benchkit.report.formats:write_json",
    "csv": "benchkit.report.formats:write_csv",
}


def render(report: Report, format: str) -> str:  # noqa: A002
    """Write a report in one of `FORMATS`.

    Parameters
    ----------
    report : Report
    format : str

    Raises
    ------
    ConfigError
        If there is no such format.
    """
    if format not in FORMATS:
        msg = f"{format!r} is not a format of the report"
        raise ConfigError(msg, hint=f"use {', '.join(FORMATS)}")
    module, _, name = FORMATS[format].partition(":")
    write: Callable[[Report], str] = getattr(import_module(module), name)
    return write(report)


def write_json(report: Report) -> str:
    """Write the verdicts and findings of a report as JSON."""
    from benchkit.report.to_json import to_json

    return to_json(report.verdicts, report.findings, report.parts)


def write_csv(report: Report) -> str:
    """Write the rows of a report as CSV."""
    from benchkit.report.to_json import to_csv

    return to_csv(report.verdicts)

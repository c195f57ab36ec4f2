"""The report as one self-contained page: no network, light, dark and print, optional script."""

from __future__ import annotations

from pathlib import Path

from benchkit.reporting.model import Report
from benchkit.reporting.page import Card, draw_page
from benchkit.reporting.templating import render, require_templates


def to_html(report: Report, templates: Path | None = None) -> str:
    """Write a report as a page.

    Parameters
    ----------
    templates : Path, optional
        A folder whose templates override the packaged ones.

    Returns
    -------
    str
        One file: styles, figures and one script inline, nothing loaded from elsewhere; it can be
        read without the script, and no other can run.

    Raises
    ------
    ConfigError
        If a template is invalid.
    """
    if templates is None:
        return render("page.html", draw_page(report))
    from benchkit.reporting.rendering import render_apart

    folder = require_templates(templates)
    return render_apart("page.html", draw_page(report), folder)


def to_fragment(report: Report) -> str:
    """Write verdict and tables as an element for a notebook."""
    return render("fragment.html", report)


def to_card(card: Card) -> str:
    """Write what was loaded as an element for a notebook."""
    return render("card.html", card)

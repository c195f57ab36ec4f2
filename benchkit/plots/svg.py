"""A figure as inline SVG: selectable text, no network access, byte-for-byte reproducible.

It can be placed in a page with others, follows the page's colours, and is accessible to screen
readers.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.plots.tips import Tip, write_tips
from benchkit.regexes import regex
from benchkit.units import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Parts written by matplotlib that a page does not need: their beginnings and ends.
_SURPLUS = (
    ("<metadata>", "</metadata>"),
    ('<style type="text/css">', "</style>"),
    ("<!--", "-->"),
)
_OPEN = regex(r"<svg\b[^<>]*>")
_VIEW = regex(r'viewBox="[^"]*"')
_PATH = regex(r'\bd="[^"]*"')
_DIGITS = regex(r"(\.\d\d)\d+")  # a hundredth of a point is below the resolution of screens
_ID = regex(r'(\bid="|xlink:href="#|\bhref="#|url\(#)([^")]+)')


def to_svg(
    figure: Figure, title: str, desc: str, *, prefix: str = "figure", tips: Sequence[Tip] = ()
) -> str:
    """Write a figure as an inline SVG element.

    Parameters
    ----------
    figure : Figure
    title, desc : str
        For screen readers: the name, and a description.
    prefix : str
        Put before every id, so that figures of one page do not clash.
    tips : sequence of Tip
        The tooltips of its marks.

    Returns
    -------
    str
        Always the same bytes for a figure and a version of matplotlib.
    """
    with theme.applied():
        sink = io.StringIO()
        with warnings.catch_warnings():
            # text remains text: the page's fonts have glyphs that the drawing's lack
            warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
            figure.savefig(sink, format="svg", metadata={"Date": None}, transparent=True)
    text = _body(sink.getvalue())
    text = shorten_paths(text)
    for sentinel, variable in theme.variables():
        text = text.replace(sentinel, variable)
    text = _ID.sub(rf"\g<1>{prefix}-\g<2>", text)
    text = _OPEN.sub(lambda match: _open(match[0], title, desc, prefix), text, count=1).strip()
    marks = write_tips(tips, figure.get_figheight() * 72)
    return f"{text.removesuffix('</svg>')}{marks}</svg>"


def shorten_paths(text: str) -> str:
    """Round the positions of lines to a hundredth of a point.

    Examples
    --------
    >>> shorten_paths('<path d="M 7.123456 20 L 1.5 0.999"/>')
    '<path d="M 7.12 20 L 1.5 0.99"/>'
    """
    return _PATH.sub(lambda match: _DIGITS.sub(r"\1", match[0]), text)


def _body(text: str) -> str:
    """Remove prolog, metadata, comments and the style sheet that would affect the whole page."""
    text = text[text.index("<svg") :]
    for start, end in _SURPLUS:
        text, *parts = text.split(start)
        text += "".join(part.partition(end)[2].lstrip() for part in parts)
    return text


def _open(tag: str, title: str, desc: str, prefix: str) -> str:
    view = _VIEW.search(tag)
    width = float(view[0].split('"')[1].split()[2]) if view else 0.0
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{view[0] if view else ""} role="img" aria-labelledby="{prefix}-title {prefix}-desc" '
        f'style="width: 100%; max-width: {width:g}pt; height: auto" '
        'stroke-linejoin="round" stroke-linecap="butt">'
        f'<title id="{prefix}-title">{escape(printable(title))}</title>'
        f'<desc id="{prefix}-desc">{escape(printable(desc))}</desc>'
    )

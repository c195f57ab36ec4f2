"""The forest plot: what each variant costs, with its interval, its runs and the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.plots.canvas import draw_forest, draw_forest_on, list_forest_tips
from benchkit.plots.rows import MOST_ROWS, Forest, Row, data, describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchkit.plots.tips import Tip
    from benchkit.verdict import Verdicts

__all__ = ["MOST_ROWS", "Forest", "Row", "data", "describe", "draw", "draw_on", "list_tips"]


def draw(verdicts: Verdicts) -> Figure:
    """Draw the forest plot.

    Returns
    -------
    Figure
        In the theme's colours, for `benchkit.plots.svg.to_svg`.
    """
    return draw_forest(data(verdicts))


def draw_on(verdicts: Verdicts, axes: Axes) -> Axes:
    """Draw the forest plot on axes of one's own, names and estimates as labels of ticks."""
    return draw_forest_on(data(verdicts), axes)


def list_tips(verdicts: Verdicts, figure: Figure) -> list[Tip]:
    """Return what a page says of the marks of a drawn forest plot on request."""
    forest = data(verdicts)
    return list_forest_tips(forest, figure.axes[0]) if forest.rows else []

"""Every kind of figure by its name, drawn for a file of its own.

In: a kind and a comparison. Out: a `Figure`, a file. Why: the command ``plot`` and the notebook
draw what the page shows; a new kind is one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from benchkit.errors import DataError
from benchkit.plots import forest, percentiles, runs, shift, theme
from benchkit.plots.chart import Chart
from benchkit.plots.grid import draw_chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchkit.schema import Runs
    from benchkit.verdict import Verdicts

FOREST = "forest"
#: kind -> what collects its chart, and what it needs; the forest is laid out by itself
CHARTS: dict[str, tuple[Callable[[Verdicts, Runs], Chart], str]] = {
    "percentiles": (
        lambda verdicts, _: percentiles.data(verdicts),
        "no metric has two percentiles on both sides",
    ),
    "shift": (
        lambda verdicts, _: shift.data(verdicts),
        "no metric has two percentiles with a ratio",
    ),
    "runs": (runs.data, "no variant has two runs of a primary metric"),
}
KINDS = (FOREST, *CHARTS)
FORMS = ("svg", "png")
#: Dots per inch of a picture that is looked at on a fine screen.
_FINE = 200


def draw(kind: str, verdicts: Verdicts, measured: Runs) -> Figure:
    """Draw one kind of figure in plain colours.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    verdicts : Verdicts
    measured : Runs

    Raises
    ------
    DataError
        If the data do not carry it.
    """
    with theme.plain():
        if kind != FOREST:
            return draw_chart(collect(kind, verdicts, measured))
        if not forest.data(verdicts).rows:
            raise DataError("no forest plot: no primary metric has a ratio to its baseline")
        return forest.draw(verdicts)


def collect(kind: str, verdicts: Verdicts, measured: Runs) -> Chart:
    """Collect what one of `CHARTS` shows.

    Raises
    ------
    DataError
        If the data do not carry it.
    """
    data, need = CHARTS[kind]
    chart = data(verdicts, measured)
    if not chart.panels:
        raise DataError(f"no {kind} plot: {need}")
    return chart


def save(figure: Figure, to: Path | IO[bytes], form: str) -> None:
    """Write a figure as one of `FORMS`, the same bytes every time."""
    with theme.applied():
        figure.savefig(
            to,
            format=form,
            dpi=_FINE,
            metadata={"Date": None} if form == "svg" else {"Software": None},
            facecolor=theme.PALETTE["paper"][0],
            bbox_inches="tight",
            pad_inches=0.12,
        )

"""Every kind of figure by its name, drawn for a file of its own.

In: a kind and a comparison. Out: a file. Why: the command ``plot`` and the notebook draw what the
page shows; a new kind is one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import DataError
from benchkit.plots import forest, percentiles, runs, shift, theme
from benchkit.plots.chart import Chart
from benchkit.plots.grid import draw_chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchkit.schema import Runs
    from benchkit.verdict import Verdicts

#: Dots per inch of a picture that is looked at on a fine screen.
_FINE = 200


def _draw_forest(verdicts: Verdicts, _: Runs) -> Figure | None:
    return forest.draw(verdicts) if forest.data(verdicts).rows else None


def _charted(
    collect: Callable[[Verdicts, Runs], Chart],
) -> Callable[[Verdicts, Runs], Figure | None]:
    def draw(verdicts: Verdicts, measured: Runs) -> Figure | None:
        chart = collect(verdicts, measured)
        return draw_chart(chart) if chart.panels else None

    return draw


#: kind -> what draws it; None where the data do not carry it
KINDS: dict[str, Callable[[Verdicts, Runs], Figure | None]] = {
    "forest": _draw_forest,
    "percentiles": _charted(lambda verdicts, _: percentiles.data(verdicts)),
    "shift": _charted(lambda verdicts, _: shift.data(verdicts)),
    "runs": _charted(runs.data),
}
_NEEDS = {
    "forest": "no primary metric has a ratio to its baseline",
    "percentiles": "no metric has two percentiles on both sides",
    "shift": "no metric has two percentiles with a ratio",
    "runs": "no variant has two runs of a primary metric",
}


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
        figure = KINDS[kind](verdicts, measured)
    if figure is None:
        raise DataError(f"no {kind} plot: {_NEEDS[kind]}")
    return figure


def save(figure: Figure, path: Path, form: str) -> None:
    """Write a figure as SVG or PNG, the same bytes every time."""
    with theme.applied():
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(
            path,
            format=form,
            dpi=_FINE,
            metadata=metadata,
            facecolor=theme.PALETTE["paper"][0],
            bbox_inches="tight",
            pad_inches=0.12,
        )

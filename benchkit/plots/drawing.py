"""A figure that shows itself in a notebook, and the ways to draw one.

In: a comparison. Out: `Drawing`s, or the axes that were passed in. Why: exploring takes one line,
composing takes one's own axes, and neither touches pyplot, its settings or its windows.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError
from benchkit.plots import kinds, theme
from benchkit.plots.grid import draw_panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: A notebook's cell may be narrower than the figure.
_FITTING = '<svg style="max-width: 100%; height: auto" '


class Drawing:
    """A finished figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Free to be changed further; it belongs to no window.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import gettempdir
    >>> from matplotlib.figure import Figure
    >>> drawing = Drawing(Figure())
    >>> drawing.axes
    []
    >>> drawing.save(Path(gettempdir()) / "drawing.svg").name
    'drawing.svg'
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    @property
    def axes(self) -> list[Axes]:
        """The axes of its panels."""
        return self.figure.axes

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in ``.svg`` or ``.png`` and return the path.

        Raises
        ------
        ConfigError
            If the file ends in anything else.
        """
        target = Path(path)
        form = target.suffix.removeprefix(".")
        if form not in kinds.FORMS:
            known = " or ".join(f".{known}" for known in kinds.FORMS)
            raise ConfigError(f"{target.suffix!r} is no picture here", hint=f"use {known}")
        kinds.save(self.figure, target, form)
        return target

    def __repr__(self) -> str:
        count = len(self.axes)
        panels = f"{count} panel{'' if count == 1 else 's'}"
        return f"<Drawing of {panels}: .save('plot.svg'), .axes, .figure>"

    def _repr_svg_(self) -> str:
        sink = io.BytesIO()
        kinds.save(self.figure, sink, "svg")
        return sink.getvalue().decode().replace("<svg ", _FITTING, 1)


class Plots:
    """The figures of one comparison: ``comparison.plot.forest()``.

    Each method returns a `Drawing`; those that take ``ax`` draw on it and return it instead.

    Parameters
    ----------
    material : Material

    Examples
    --------
    >>> import benchkit as bk
    >>> from matplotlib.figure import Figure
    >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
    >>> [len(drawing.axes) for drawing in (plot.forest(), plot.shift(), plot.runs())]
    [1, 1, 1]
    >>> ax = Figure().subplots()
    >>> plot.percentiles(ax=ax) is ax
    True
    >>> len(bk.load("fixtures/nginx-ab/nginx").compare().plot.sweep().axes)
    4
    >>> len(bk.load("fixtures/vegeta-single", samples=True).compare().plot.ecdf().axes)
    1
    >>> len(bk.load("fixtures/vegeta-single").compare().plot.timeline().axes)
    1
    """

    def __init__(self, material: kinds.Material) -> None:
        self._material = material

    def forest(self) -> Drawing:
        """Draw what each variant costs: estimate, interval, runs and margin.

        Raises
        ------
        DataError
            If no primary metric has a ratio to its baseline.
        """
        return Drawing(kinds.draw("forest", self._material))

    def percentiles(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the percentiles that were measured, medians over runs, on logarithmic axes.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Raises
        ------
        DataError
            If no metric has two percentiles on both sides.
        ConfigError
            If ``ax`` is given and there are several panels.
        """
        return self._draw("percentiles", ax)

    def shift(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the change of each percentile with its interval, as `percentiles` does."""
        return self._draw("shift", ax)

    def runs(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw every run of the primary metrics in the order made, as `percentiles` does."""
        return self._draw("runs", ax)

    def sweep(self) -> Drawing:
        """Draw a sweep: the rate by level beside the latency by rate.

        Raises
        ------
        DataError
            If no benchmark has three levels of load or more.
        """
        return Drawing(kinds.draw("sweep", self._material))

    def ecdf(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the distribution of raw samples, as `percentiles` does.

        Raises
        ------
        DataError
            If there are no raw samples: the tool kept none, or they were not loaded.
        """
        return self._draw("ecdf", ax)

    def timeline(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw latency, CPU and memory over the time of a run, as `percentiles` does.

        Raises
        ------
        DataError
            If no request has a time, and no container was looked at within a run.
        """
        return self._draw("timeline", ax)

    def _draw(self, kind: str, ax: Axes | None) -> Drawing | Axes:
        if ax is None:
            return Drawing(kinds.draw(kind, self._material))
        panels = kinds.collect(kind, self._material).panels
        if len(panels) > 1:
            raise ConfigError(
                f"{len(panels)} panels do not fit on one axes",
                hint="keep one benchmark with RunSet.where(...), or leave out ax",
            )
        with theme.plain():
            return draw_panel(panels[0], ax)

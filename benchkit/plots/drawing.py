"""A figure that shows itself in a notebook, and the ways to draw one.

Exploring takes one line, composing takes one's own axes, and neither touches pyplot, its settings
or its windows.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, overload

from benchkit import outputs
from benchkit.errors import ConfigError
from benchkit.plots import kinds

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
    >>> from matplotlib.figure import Figure
    >>> Drawing(Figure())
    <Drawing of 0 panels: .save('plot.svg'), .axes, .figure>
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    @property
    def axes(self) -> list[Axes]:
        """The axes of its panels.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> Drawing(Figure()).axes
        []
        """
        return self.figure.axes

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in ``.svg`` or ``.png`` and return the path.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        ConfigError
            If the file ends in anything else, or cannot be written.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import gettempdir
        >>> from matplotlib.figure import Figure
        >>> Drawing(Figure()).save(Path(gettempdir()) / "drawing.svg").name
        'drawing.svg'
        """
        target = Path(path)
        form = target.suffix.removeprefix(".").lower()
        if form not in kinds.FORMS:
            known = " or ".join(f".{known}" for known in kinds.FORMS)
            told = f"{target.suffix!r} is not a supported picture format"
            raise ConfigError(told, where=str(target), hint=f"use {known}")
        outputs.save(target, lambda path: kinds.save(self.figure, path, form))
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

    Each method returns a `Drawing`; with ``ax`` it draws on these axes and returns them instead.
    The names of lines stand right of the axes: where others are beside them, make room with
    ``layout="constrained"``. A dark background gets light texts.

    Parameters
    ----------
    material : Material

    Examples
    --------
    >>> import benchkit as bk
    >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
    >>> [len(drawing.axes) for drawing in (plot.forest(), plot.shift(), plot.runs())]
    [1, 1, 1]
    """

    def __init__(self, material: kinds.Material) -> None:
        self._material = material

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(f'.{kind}()' for kind in kinds.KINDS)}>"

    @overload
    def forest(self, ax: None = None) -> Drawing: ...
    @overload
    def forest(self, ax: Axes) -> Axes: ...
    def forest(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw what each variant costs: estimate, interval, runs and margin.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Change against the baseline, in percent; on ``ax`` labels of ticks tell the estimates.

        Raises
        ------
        DataError
            If no primary metric has a ratio to its baseline.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
        >>> plot.forest()
        <Drawing of 1 panel: .save('plot.svg'), .axes, .figure>
        """
        return self._draw("forest", ax)

    @overload
    def percentiles(self, ax: None = None) -> Drawing: ...
    @overload
    def percentiles(self, ax: Axes) -> Axes: ...
    def percentiles(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the percentiles that were measured, medians over runs, on logarithmic axes.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Values in the unit that the axis names, over the level of the percentile.

        Raises
        ------
        DataError
            If no metric has two percentiles on both sides.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> from matplotlib.figure import Figure
        >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
        >>> ax = Figure(layout="constrained").subplots()
        >>> plot.percentiles(ax=ax) is ax
        True
        """
        return self._draw("percentiles", ax)

    @overload
    def shift(self, ax: None = None) -> Drawing: ...
    @overload
    def shift(self, ax: Axes) -> Axes: ...
    def shift(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the change of each percentile with its interval, as `percentiles` does.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Change against the baseline, in percent, over the level of the percentile.

        Raises
        ------
        DataError
            If no metric has two percentiles with a ratio.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> from matplotlib.figure import Figure
        >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
        >>> ax = Figure(layout="constrained").subplots()
        >>> plot.shift(ax=ax) is ax
        True
        """
        return self._draw("shift", ax)

    @overload
    def runs(self, ax: None = None) -> Drawing: ...
    @overload
    def runs(self, ax: Axes) -> Axes: ...
    def runs(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw every run of the primary metrics in the order made, as `percentiles` does.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            One mark per run, in the unit that the axis names; bars are medians.

        Raises
        ------
        DataError
            If no variant has two runs of a primary metric.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> from matplotlib.figure import Figure
        >>> plot = bk.load("fixtures/tracing-wrk").compare(baseline="none").plot
        >>> ax = Figure(layout="constrained").subplots()
        >>> plot.runs(ax=ax) is ax
        True
        """
        return self._draw("runs", ax)

    @overload
    def sweep(self, ax: None = None) -> Drawing: ...
    @overload
    def sweep(self, ax: Axes) -> Axes: ...
    def sweep(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw a sweep: the rate by level beside the latency by rate.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Requests per second over connections or offered rate; latency over requests per second.

        Raises
        ------
        DataError
            If no benchmark has three levels of load or more.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> plot = bk.load("fixtures/nginx-ab/nginx").compare().plot
        >>> len(plot.sweep().axes)
        4
        """
        return self._draw("sweep", ax)

    @overload
    def ecdf(self, ax: None = None) -> Drawing: ...
    @overload
    def ecdf(self, ax: Axes) -> Axes: ...
    def ecdf(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw the distribution of raw samples, as `percentiles` does.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Share of requests over their time; needs ``load(..., samples=True)``.

        Raises
        ------
        DataError
            If there are no raw samples: the tool kept none, or they were not loaded.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/vegeta-single", samples=True)
        >>> len(results.compare().plot.ecdf().axes)
        1
        """
        return self._draw("ecdf", ax)

    @overload
    def timeline(self, ax: None = None) -> Drawing: ...
    @overload
    def timeline(self, ax: Axes) -> Axes: ...
    def timeline(self, ax: Axes | None = None) -> Drawing | Axes:
        """Draw latency, CPU and memory over the time of a run, as `percentiles` does.

        Parameters
        ----------
        ax : Axes, optional
            To draw on; then there may be one panel only.

        Returns
        -------
        Drawing or Axes
            Medians over runs, in the units that the axes name, over seconds since the run began.

        Raises
        ------
        DataError
            If no request has a time, and no container was looked at within a run.
        ConfigError
            If ``ax`` is given and there are several panels, or it is no Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/vegeta-single")
        >>> len(results.compare().plot.timeline().axes)
        1
        """
        return self._draw("timeline", ax)

    def _draw(self, kind: str, ax: Axes | None) -> Drawing | Axes:
        if ax is None:
            return Drawing(kinds.draw(kind, self._material))
        return kinds.draw_on(kind, self._material, ax)

"""A figure that notebooks display, and the ways to draw one.

A single line draws a figure, user-defined axes allow compositions, and neither touches pyplot, its
settings or its windows.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast, overload

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
        It can be changed further, and belongs to no window.

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
        """Write it to a file with the extension ``.svg`` or ``.png`` and return the path.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        ConfigError
            If the extension is different, or the file cannot be written.

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
            problem = f"{target.suffix!r} is not a supported picture format"
            raise ConfigError(problem, where=str(target), hint=f"use {known}")
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


class Draw(Protocol):
    """A way to draw: as a new `Drawing`, or on axes, which it then returns."""

    @overload
    def __call__(self, ax: None = None) -> Drawing: ...
    @overload
    def __call__(self, ax: Axes) -> Axes: ...


_DOC = """Draw {what}.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; only one panel fits on them.

        Returns
        -------
        Drawing or Axes
            {shows}

        Raises
        ------
        DataError
            {lacks}
        ConfigError
            If ``ax`` is given and there are several panels, or it is not an Axes.

        Examples
        --------
        >>> import benchkit as bk
        >>> plot = bk.load("{folder}"{more}).compare().plot
        >>> len(plot.{kind}().axes)
        {panels}
        """


def _method(
    kind: str, what: str, shows: str, lacks: str, folder: str, panels: int, more: str = ""
) -> Draw:
    """Declare the method that draws a kind."""

    def draw(self: Plots, ax: Axes | None = None) -> Drawing | Axes:
        return self._draw(kind, ax)

    draw.__name__, draw.__qualname__ = kind, f"Plots.{kind}"
    draw.__doc__ = _DOC.format(
        kind=kind, what=what, shows=shows, lacks=lacks, folder=folder, panels=panels, more=more
    )
    return cast("Draw", draw)


_WRK = "fixtures/tracing-wrk"


class Plots:
    """The figures of one comparison: ``comparison.plot.forest()``.

    Each method returns a `Drawing`; with ``ax`` it draws on these axes and returns them instead.
    The names of lines are to the right of the axes: if other axes follow there, use
    ``layout="constrained"``. On a dark background, text is light.

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

    forest = _method(
        "forest",
        "the cost of each variant: estimate, interval, runs and margin",
        "Change against the baseline, in percent; on ``ax``, the tick labels show the estimates.",
        "If no primary metric has a ratio to its baseline.",
        _WRK,
        1,
    )
    percentiles = _method(
        "percentiles",
        "the percentiles that were measured, medians over runs, on logarithmic axes",
        "Values in the unit that the axis names, against the level of the percentile.",
        "If no metric has two percentiles on both sides.",
        _WRK,
        1,
    )
    shift = _method(
        "shift",
        "the change of each percentile with its interval",
        "Change from the baseline, in percent, against the level of the percentile.",
        "If no metric has two percentiles with a ratio.",
        _WRK,
        1,
    )
    runs = _method(
        "runs",
        "every run of the primary metrics, in measured order",
        "One mark per run, in the unit that the axis names; bars are medians.",
        "If no variant has two runs of a primary metric.",
        _WRK,
        1,
    )
    sweep = _method(
        "sweep",
        "a sweep: the rate by level next to the latency by rate",
        "Requests per second against connections or offered rate; latency against requests per "
        "second.",
        "If no benchmark has three levels of load or more.",
        "fixtures/nginx-ab/nginx",
        4,
    )
    ecdf = _method(
        "ecdf",
        "the distribution of raw samples",
        "Share of requests against their time; needs ``load(..., samples=True)``.",
        "If there are no raw samples: the tool kept none, or they were not loaded.",
        "fixtures/vegeta-single",
        1,
        ", samples=True",
    )
    timeline = _method(
        "timeline",
        "latency, CPU and memory over the course of a run",
        "Medians over runs, in the units that the axes name, against seconds since the run began.",
        "If no request has a time, and no container was sampled within a run.",
        "fixtures/vegeta-single",
        1,
    )

    def _draw(self, kind: str, ax: Axes | None) -> Drawing | Axes:
        if ax is None:
            return Drawing(kinds.draw(kind, self._material))
        return kinds.draw_on(kind, self._material, ax)

"""Lines over time in words and as a table: how each began and ended, and between what it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchkit.plots.chart import Chart, Line, Panel
from benchkit.tables.model import Cell, Column, Table

#: Where a line is told, as shares of the run.
_PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)


def tabulate_courses(chart: Chart, title: str) -> Table:
    """Return the median of each variant at quarters of the run, and its ends between them."""
    places = (*("start", "1/4", "1/2", "3/4", "end"), "lowest", "highest")
    columns = (
        Column("panel", "figure"),
        Column("line", "variant"),
        *(Column(name, name, align="right") for name in places),
    )
    rows = tuple(
        (
            Cell(name_panel(panel)),
            Cell(line.name),
            *(Cell(panel.y.write(value), value=value) for value in _tell(panel, line)),
        )
        for panel, line in _lines(chart)
    )
    return Table(title, columns, rows, caption="medians over runs, within the run")


def describe_courses(chart: Chart) -> str:
    """Say in words how each line began and ended, and between what it was."""
    by_panel: dict[str, list[str]] = {}
    for panel, line in _lines(chart):
        start, *_, end, low, high = (panel.y.write(value) for value in _tell(panel, line))
        text = f"{line.name}: {start} at the start, {end} at the end, {low} to {high} between"
        by_panel.setdefault(name_panel(panel), []).append(text)
    return " ".join(
        f"{name} over the course of a run: {'; '.join(s)}." for name, s in by_panel.items()
    )


def name_panel(panel: Panel) -> str:
    """Name what a panel shows, with its unit, and the metric but once.

    Examples
    --------
    >>> from benchkit.plots.chart import Axis
    >>> name_panel(Panel(heading="latency · /a", lines=(), x=Axis(label="s"),
    ...                  y=Axis(label="latency, ms")))
    'latency · /a, ms'
    """
    metric, _, unit = panel.y.label.partition(", ")
    if not panel.heading.startswith(metric):
        return f"{panel.heading}, {panel.y.label}"
    return f"{panel.heading}, {unit}" if unit else panel.heading


def _lines(chart: Chart) -> Iterator[tuple[Panel, Line]]:
    return ((panel, line) for panel in chart.panels for line in panel.lines if line.name)


def _tell(panel: Panel, line: Line) -> list[float]:
    """Return where a line is at quarters of the run, its lowest and its highest within it.

    Between two points the line is where it is drawn.
    """
    begin, end = panel.window
    places = begin + (end - begin) * np.array(_PLACES)
    values = np.interp(places, line.x, line.y)
    inside = [y for x, y in zip(line.x, line.y, strict=True) if begin <= x <= end]
    drawn = [*values.tolist(), *inside]
    return [*values.tolist(), min(drawn), max(drawn)]

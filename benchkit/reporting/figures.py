"""A chart in the report: its picture, a description in words, and its table.

Lines over time, in words and as a table: their start, their end, and their range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchkit.plots.chart import Chart, Line, Panel
from benchkit.plots.grid import draw_chart
from benchkit.reporting.section import Plot
from benchkit.tables.model import Cell, Column, Table

#: Maximum number of points of a line that are listed, in words and in the table.
_MOST_LISTED = 60

#: Positions at which a line is described, as shares of the run.
_PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)


def show(chart: Chart, name: str, legend: str) -> Plot:
    """Make a chart a part of the report.

    Parameters
    ----------
    chart : Chart
        With at least one panel.
    name : str
        Prefix of its ids.
    legend : str
        How to read it.
    """
    if chart.left_out:
        legend += f" {chart.left_out} more panel{'s' * (chart.left_out > 1)} not drawn."
    words = describe(chart)
    return Plot(
        name=name,
        title=chart.title,
        description=words,
        legend=legend,
        svg=lambda: _draw(chart, name, words),
        table=tabulate(chart),
    )


def _draw(chart: Chart, name: str, words: str) -> str:
    from benchkit.plots.svg import to_svg
    from benchkit.plots.tips import list_tips

    figure = draw_chart(chart)
    tips = list_tips(chart, figure.axes)
    return to_svg(figure, chart.title, words, prefix=name, tips=tips)


def describe(chart: Chart) -> str:
    """Describe the chart in words: from where to where each line goes."""
    if _is_over_time(chart):
        return describe_courses(chart)
    return " ".join(_describe_panel(panel) for panel in chart.panels)


def _describe_panel(panel: Panel) -> str:
    ends = "; ".join(_describe_line(panel, line) for line in panel.lines if line.name and line.x)
    return f"{name_panel(panel)} by {panel.x.label}: {ends}."


def _describe_line(panel: Panel, line: Line) -> str:
    ends = [f"{panel.y.write(line.y[i])} at {_write_x(panel, line, i)}" for i in (0, -1)]
    return f"{line.name}: {', '.join(dict.fromkeys(ends))}"


def _write_x(panel: Panel, line: Line, index: int) -> str:
    """Write the position of a point, with its label if it has one."""
    place = panel.x.write(line.x[index])
    return f"{place} ({line.labels[index]})" if line.labels else place


def tabulate(chart: Chart) -> Table:
    """Return the drawn data as a table: one row per line if lines share ticks, else per point."""
    title = f"{chart.title}: the numbers in the figure"
    if _is_over_time(chart):
        return tabulate_courses(chart, title)
    lines = [(panel, line) for panel in chart.panels for line in panel.lines if _is_listed(line)]
    ticks = {place: text for panel, _ in lines for place, text in panel.x.ticks}
    if lines and all(set(line.x) <= set(ticks) for _, line in lines):
        return _spread(title, lines, dict(sorted(ticks.items())))
    columns = (*_NAMES, Column("x", "at"), Column("y", "value", align="right"))
    rows = tuple(
        (*_name(panel, line), Cell(_write_x(panel, line, i)), Cell(panel.y.write(y), value=y))
        for panel, line in lines
        for i, y in enumerate(line.y)
    )
    return Table(title, columns, rows)


def _is_over_time(chart: Chart) -> bool:
    return any(panel.window for panel in chart.panels)


_NAMES = (Column("panel", "figure"), Column("line", "variant"))


def _spread(title: str, lines: Sequence[tuple[Panel, Line]], ticks: Mapping[float, str]) -> Table:
    columns = (*_NAMES, *(Column(text, text, align="right") for text in ticks.values()))
    rows = []
    for panel, line in lines:
        values = dict(zip(line.x, line.y, strict=True))
        cells = [
            Cell(panel.y.write(values[place]), value=values[place])
            if place in values
            else Cell("–")
            for place in ticks
        ]
        rows.append((*_name(panel, line), *cells))
    return Table(title, columns, tuple(rows))


def _is_listed(line: Line) -> bool:
    if line.kind in {"level", "bound", "ring"} or line.is_faint:
        return False
    return 0 < len(line.x) <= _MOST_LISTED


def _name(panel: Panel, line: Line) -> tuple[Cell, Cell]:
    """Name panel and line; dots have no name."""
    same = (other.name for other in panel.lines if other.name and other.series == line.series)
    return Cell(name_panel(panel)), Cell(line.name or next(same, ""))


def tabulate_courses(chart: Chart, title: str) -> Table:
    """Return the median of each variant at quarters of the run, and its range between them."""
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
            *(Cell(panel.y.write(value), value=value) for value in _summarise_line(panel, line)),
        )
        for panel, line in _lines(chart)
    )
    return Table(title, columns, rows, caption="medians over runs, within the run")


def describe_courses(chart: Chart) -> str:
    """Describe in words how each line began and ended, and its range."""
    by_panel: dict[str, list[str]] = {}
    for panel, line in _lines(chart):
        start, *_, end, low, high = (panel.y.write(value) for value in _summarise_line(panel, line))
        text = f"{line.name}: {start} at the start, {end} at the end, {low} to {high} between"
        by_panel.setdefault(name_panel(panel), []).append(text)
    return " ".join(
        f"{name} over the course of a run: {'; '.join(s)}." for name, s in by_panel.items()
    )


def name_panel(panel: Panel) -> str:
    """Name the content of a panel with its unit, mentioning the metric only once.

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


def _summarise_line(panel: Panel, line: Line) -> list[float]:
    """Return the values of a line at quarters of the run, its minimum and its maximum.

    Between two points, the line is interpolated as drawn.
    """
    begin, end = panel.window
    places = begin + (end - begin) * np.array(_PLACES)
    values = np.interp(places, line.x, line.y)
    inside = [y for x, y in zip(line.x, line.y, strict=True) if begin <= x <= end]
    drawn = [*values.tolist(), *inside]
    return [*values.tolist(), min(drawn), max(drawn)]

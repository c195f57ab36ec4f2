"""A chart as a part of the report: its picture, the same in words, and the table behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchkit.plots.chart import Chart, Line, Panel
from benchkit.plots.grid import draw_chart
from benchkit.reporting.courses import describe_courses, name_panel, tabulate_courses
from benchkit.reporting.section import Plot
from benchkit.tables.model import Cell, Column, Table

#: Points of a line that are told one by one, in words and in the table.
_MOST_LISTED = 60


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
    """Say in words what is to be seen: from where to where each line goes."""
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
    """Write where a point stands, with its label where it bears one."""
    place = panel.x.write(line.x[index])
    return f"{place} ({line.labels[index]})" if line.labels else place


def tabulate(chart: Chart) -> Table:
    """Return what is drawn as a table: a row per line where lines share ticks, else per point."""
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
    """Name panel and line; dots bear no name of their own."""
    same = (other.name for other in panel.lines if other.name and other.series == line.series)
    return Cell(name_panel(panel)), Cell(line.name or next(same, ""))

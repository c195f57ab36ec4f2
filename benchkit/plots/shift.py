"""The shift plot: how far each percentile moves, with the interval from runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.comparison import Contrast, log_bounds
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, ratio_ticks
from benchkit.plots.percentiles import tail
from benchkit.plots.places import group_by_place, level_of, of_percentiles, sides
from benchkit.verdict import Verdicts

_PLACE = ("group", "benchmark", "params", "tool", "subject", "metric")
_FEWEST = 2


def data(verdicts: Verdicts) -> Chart:
    """Collect the changes of the percentiles for every place that has at least two.

    Returns
    -------
    Chart
        ``y`` is the logarithm of variant / baseline; a percentile without a ratio is left out.
    """
    percentiles = [contrast for contrast in of_percentiles(verdicts) if contrast.ratio]
    panels = [
        _panel(heading, baseline, variants, contrasts, verdicts.margin)
        for heading, contrasts in group_by_place(percentiles, _PLACE)
        if len({contrast.stat for contrast in contrasts}) >= _FEWEST
        for baseline, variants in sides(contrasts)
    ]
    return arrange("Change at each percentile", panels)


def _panel(
    heading: str,
    baseline: str,
    variants: Sequence[tuple[str, int]],
    contrasts: Sequence[Contrast],
    margin: float,
) -> Panel:
    lines = []
    for name, series in variants:
        chosen = [c for c in contrasts if c.baseline == baseline and c.variant == name]
        lines.append(_line(name, series, sorted(chosen, key=level_of)))
    levels = sorted({level_of(c) for c in contrasts})
    band = log_bounds(margin)
    places = [y for line in lines for y in (*line.y, *line.low, *line.high)]
    low, high = min(band[0], *places), max(band[1], *places)
    return Panel(
        heading=f"{heading} vs. {baseline}",
        lines=tuple(lines),
        x=Axis(label="percentile", ticks=tuple((tail(q), f"p{100 * q:g}") for q in levels)),
        y=Axis(label="change", ticks=ratio_ticks(low, high), is_change=True),
        zero=0.0,
        band=band,
    )


def _line(name: str, series: int, contrasts: Sequence[Contrast]) -> Line:
    ends = [(c.ratio_low, c.ratio_high) for c in contrasts]
    has_ends = bool(ends) and all(low and high for low, high in ends)
    return Line(
        name=name,
        series=series,
        x=tuple(tail(level_of(c)) for c in contrasts),
        y=tuple(math.log(c.ratio) for c in contrasts if c.ratio),
        low=tuple(math.log(low) for low, _ in ends if low) if has_ends else (),
        high=tuple(math.log(high) for _, high in ends if high) if has_ends else (),
    )

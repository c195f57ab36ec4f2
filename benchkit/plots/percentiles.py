"""The percentile curve: how latency grows towards its tail, variant next to baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from benchkit.comparison import Contrast
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, log_ticks
from benchkit.plots.places import group_by_place, level_of, name_values, of_percentiles, sides
from benchkit.units import Scale, common_scale
from benchkit.verdict import Verdicts

_PLACE = ("group", "benchmark", "params", "tool", "subject", "metric")
_FEWEST = 2  # minimum number of percentiles of a curve


def data(verdicts: Verdicts) -> Chart:
    """Collect the percentiles of whole requests, for every place that has at least two.

    Returns
    -------
    Chart
        Values in the unit of the axis, medians over runs; a faint line is a single run. The axis
        shows only measured percentiles.
    """
    contrasts = of_percentiles(verdicts)
    panels = [
        _panel(heading, baseline, variants, contrasts_there)
        for heading, contrasts_there in group_by_place(contrasts, _PLACE)
        if len({contrast.stat for contrast in contrasts_there}) >= _FEWEST
        for baseline, variants in sides(contrasts_there)
    ]
    return arrange("Percentiles", [panel for panel in panels if _is_curved(panel)])


def _is_curved(panel: Panel) -> bool:
    """Return whether a line has two points: values that are not positive cannot be drawn here."""
    return any(len(line.x) >= _FEWEST for line in panel.lines)


def _panel(
    heading: str, baseline: str, variants: Sequence[tuple[str, int]], contrasts: Sequence[Contrast]
) -> Panel:
    curves = _curves(baseline, [name for name, _ in variants], contrasts)
    values = [v for levels in curves.values() for runs in levels.values() for v in runs if v > 0]
    scale = common_scale(values, contrasts[0].unit)
    series = [(baseline, 0), *variants]
    lines = [line for name, place in series for line in _lines(name, place, curves[name], scale)]
    levels = sorted({level for levels in curves.values() for level in levels})
    shown = [value / scale.factor for value in values]
    return Panel(
        heading=heading,
        lines=tuple(lines),
        x=Axis(label="percentile", ticks=tuple((tail(q), f"p{100 * q:g}") for q in levels)),
        y=Axis(
            label=name_values(contrasts[0].metric, scale),
            ticks=log_ticks(shown),
            is_logarithmic=True,
        ),
    )


def tail(level: float) -> float:
    """Map a level to an axis on which p90, p99 and p99.9 are equidistant.

    Examples
    --------
    >>> [round(tail(level), 3) for level in (0.5, 0.9, 0.99)]
    [0.301, 1.0, 2.0]
    """
    return -math.log10(1 - level)


def _curves(
    baseline: str, variants: Sequence[str], contrasts: Sequence[Contrast]
) -> dict[str, dict[float, tuple[float, ...]]]:
    """Return variant -> level -> values of the runs."""
    curves: dict[str, dict[float, tuple[float, ...]]] = {baseline: {}}
    for c in contrasts:
        if c.baseline == baseline and c.variant in variants:
            level = level_of(c)
            curves[baseline].setdefault(level, c.baseline_values)
            curves.setdefault(c.variant, {})[level] = c.variant_values
    return curves


def _lines(
    name: str, series: int, curve: dict[float, tuple[float, ...]], scale: Scale
) -> list[Line]:
    levels = sorted(level for level, values in curve.items() if min(values) > 0)
    x = tuple(tail(level) for level in levels)
    middle = tuple(median(curve[level]) / scale.factor for level in levels)
    lines = [Line(name=name, series=series, x=x, y=middle)]
    runs = list(zip(*(curve[level] for level in levels), strict=False))
    if len(runs) > 1:
        lines += [
            Line(name="", series=series, x=x, is_faint=True, y=tuple(v / scale.factor for v in run))
            for run in runs
        ]
    return lines

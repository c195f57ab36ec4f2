"""The empirical distribution: the share of requests that took at most a given time.

A second hump, a cliff at a timeout or a clock with a resolution of milliseconds is visible in the
samples, but not in a table of percentiles. Times below the clock's resolution are recorded as 0,
and are drawn at the left edge of the logarithmic axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchkit.derived.distribution import Curve, Distribution
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, log_ticks, part, write_tick
from benchkit.plots.places import name_values
from benchkit.units import Scale, common_scale, printable

_SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
_EDGE = 0.5  # of the smallest positive time: the position of those recorded as 0


def data(pooled: Sequence[Distribution], baseline: str = "") -> Chart:
    """Collect the distributions of each benchmark and metric.

    Parameters
    ----------
    pooled : sequence of Distribution
    baseline : str
        The variant in the baseline's colour, if there is one.

    Returns
    -------
    Chart
        All runs of a variant together; a faint line is a single run.
    """
    places: dict[tuple[str, ...], list[Distribution]] = {}
    for each in pooled:
        places.setdefault(_place(each), []).append(each)
    varying = [len(set(names)) > 1 for names in zip(*places, strict=True)]
    panels: list[Panel] = []
    for (metric, *rest), distributions in places.items():
        labels = zip(rest, varying[1:], strict=True)
        heading = [metric, *(name for name, varies in labels if varies and name)]
        base = [(0, each) for each in distributions if each.variant == baseline]
        others = [each for each in distributions if each.variant != baseline]
        for some in part(others) if others else [others]:
            placed = [*base, *enumerate(some, 1)]
            panels.append(_panel(printable(" · ".join(heading)), placed))
    return arrange("Distribution", panels)


def _place(each: Distribution) -> tuple[str, ...]:
    return each.metric, each.group, each.benchmark, each.params, each.tool


def _panel(heading: str, placed: Sequence[tuple[int, Distribution]]) -> Panel:
    curves = [each.pooled for _, each in placed]
    scale = common_scale([_least(curve) for curve in curves], placed[0][1].unit)
    least = min(map(_least, curves)) / scale.factor
    most = max(curve.values[-1] for curve in curves) / scale.factor
    edge = least * _EDGE
    label, ticks = name_values(placed[0][1].metric, scale), log_ticks([least, most])
    if any(curve.values[0] == 0 for curve in curves):
        below = f"< {write_tick(least)}"
        label = f"{label} ({below}: shown as 0)"
        ticks = ((edge, below), *ticks)
    return Panel(
        heading=heading,
        lines=tuple(line for series, each in placed for line in _lines(series, each, scale, edge)),
        x=Axis(label=label, ticks=ticks, is_logarithmic=True),
        y=Axis(
            label="share of requests",
            ticks=tuple((share, f"{100 * share:g} %") for share in _SHARES),
            is_from_zero=True,
        ),
    )


def _least(curve: Curve) -> float:
    return next(value for value in curve.values if value > 0)


def _lines(series: int, each: Distribution, scale: Scale, edge: float) -> Iterator[Line]:
    yield _line(each.variant, series, each.pooled, scale, edge)
    for curve in each.runs.values():
        yield replace(_line("", series, curve, scale, edge), is_faint=True)


def _line(name: str, series: int, curve: Curve, scale: Scale, edge: float) -> Line:
    return Line(
        name=name,
        series=series,
        x=tuple(value / scale.factor or edge for value in curve.values),
        y=curve.shares,
        kind="steps",
    )

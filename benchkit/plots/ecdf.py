"""The empirical distribution: the share of requests that took so long or less.

In: `Distribution`s. Out: a `Chart`. Why: a second hump, a cliff at a timeout or a clock that ticks
in milliseconds is in the samples, and in no table of percentiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.derived.distribution import Curve, Distribution
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, part
from benchkit.plots.places import name_values
from benchkit.plots.ticks import log_ticks
from benchkit.units import Scale, common_scale, printable

_SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


def data(found: Sequence[Distribution], baseline: str = "") -> Chart:
    """Collect the distributions of each benchmark and metric.

    Parameters
    ----------
    found : sequence of Distribution
    baseline : str
        The variant in the baseline's colour, where there is one.

    Returns
    -------
    Chart
        All runs of a variant together; a faint line is a single run.
    """
    places: dict[tuple[str, ...], list[Distribution]] = {}
    for each in found:
        places.setdefault(_place(each), []).append(each)
    varying = [len(set(names)) > 1 for names in zip(*places, strict=True)]
    panels: list[Panel] = []
    for (metric, *rest), told in places.items():
        labels = zip(rest, varying[1:], strict=True)
        heading = [metric, *(name for name, varies in labels if varies and name)]
        base = [(0, each) for each in told if each.variant == baseline]
        others = [each for each in told if each.variant != baseline]
        for some in part(others) if others else [others]:
            placed = [*base, *enumerate(some, 1)]
            panels.append(_panel(printable(" · ".join(heading)), placed))
    return arrange("Distribution", panels)


def _place(each: Distribution) -> tuple[str, ...]:
    return each.metric, each.group, each.benchmark, each.params, each.tool


def _panel(heading: str, placed: Sequence[tuple[int, Distribution]]) -> Panel:
    values = [value for _, each in placed for value in each.pooled.values]
    scale = common_scale([each.pooled.values[0] for _, each in placed], placed[0][1].unit)
    lines = [line for series, each in placed for line in _lines(series, each, scale)]
    ends = [end / scale.factor for end in (min(values), max(values))]
    return Panel(
        heading=heading,
        lines=tuple(lines),
        x=Axis(
            label=name_values(placed[0][1].metric, scale),
            ticks=log_ticks(ends),
            is_logarithmic=True,
        ),
        y=Axis(
            label="share of requests",
            ticks=tuple((share, f"{100 * share:g} %") for share in _SHARES),
        ),
    )


def _lines(series: int, each: Distribution, scale: Scale) -> Iterator[Line]:
    yield _line(each.variant, series, each.pooled, scale, is_faint=False)
    for curve in each.runs.values():
        yield _line("", series, curve, scale, is_faint=True)


def _line(name: str, series: int, curve: Curve, scale: Scale, *, is_faint: bool) -> Line:
    return Line(
        name=name,
        series=series,
        x=tuple(value / scale.factor for value in curve.values),
        y=curve.shares,
        kind="steps",
        is_faint=is_faint,
    )

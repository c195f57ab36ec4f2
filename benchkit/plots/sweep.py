"""The pair of charts of a sweep: what more load yields, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.derived.saturation import Saturation
from benchkit.derived.sweep import CONNECTIONS, Level
from benchkit.metrics import display_name
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, log_ticks, part
from benchkit.plots.places import name_values
from benchkit.units import Scale, common_scale, format_number, printable

#: The first one that every level has is drawn: the tail, if it was measured.
_STATS = ("p99", "p95", "p90", "p50", "median", "mean")
_Placed = Sequence[tuple[int, Saturation]]


def data(saturations: Sequence[Saturation], baseline: str = "") -> Chart:
    """Collect a pair of panels for each benchmark that was swept.

    Parameters
    ----------
    saturations : sequence of Saturation
    baseline : str
        The variant in the baseline's colour, if there is one.

    Returns
    -------
    Chart
        Left the rate by level, right the latency by rate, with the level next to each point.
        Without latencies, a benchmark has only the left one.
    """
    places: dict[tuple[str, ...], list[Saturation]] = {}
    for each in saturations:
        places.setdefault(_place(each), []).append(each)
    varying = [len(set(names)) > 1 for names in zip(*places, strict=True)]
    panels: list[Panel] = []
    for place, swept in places.items():
        differing = [name for name, varies in zip(place, varying, strict=True) if varies and name]
        for placed in _series(swept, baseline):
            panels.append(_rates(placed, differing))
            panels += _latencies(placed, differing)
    return arrange("Sweep", panels)


def _place(each: Saturation) -> tuple[str, ...]:
    sweep = each.sweep
    return sweep.group, sweep.benchmark, sweep.params, sweep.tool, sweep.by


def _series(swept: Sequence[Saturation], baseline: str) -> Iterator[_Placed]:
    """Yield as many variants as fit on one axis, each with its colour."""
    base = [(0, each) for each in swept if each.sweep.variant == baseline]
    others = [each for each in swept if each.sweep.variant != baseline]
    for some in part(others) if others else [others]:
        yield [*base, *enumerate(some, 1)]


def _rates(placed: _Placed, differing: Sequence[str]) -> Panel:
    lines = [line for series, each in placed for line in _rate_lines(series, each)]
    sizes = sorted({size for _, each in placed for size in each.sweep.sizes})
    is_closed = placed[0][1].sweep.by == CONNECTIONS
    ticks = tuple((size, _write(size)) for size in _apart(sizes))
    gaps = dict.fromkeys(each.gap for _, each in placed)
    return Panel(
        heading=_head("rate", differing),
        lines=tuple(lines),
        x=Axis(
            label="connections" if is_closed else "offered, /s", ticks=ticks, is_logarithmic=True
        ),
        y=Axis(label="requests, /s", is_from_zero=True),
        shade=tuple(gap for gap in gaps if gap),
    )


def _rate_lines(series: int, each: Saturation) -> Iterator[Line]:
    sweep = each.sweep
    sizes, rates = tuple(sweep.sizes), tuple(sweep.rates)
    yield Line(name=sweep.variant, series=series, x=sizes, y=rates)
    levels, possible = each.bounds
    if levels:
        yield Line(name="", series=series, x=levels, y=possible, kind="bound")
    if each.level is not None:
        at = each.level
        yield Line(name="", series=series, x=(at.size,), y=(at.rate,), kind="ring")


def _latencies(placed: _Placed, differing: Sequence[str]) -> list[Panel]:
    levels = [level for _, each in placed for level in each.sweep.levels]
    stat = next(
        (stat for stat in _STATS if all(_is_measured(level, stat) for level in levels)), None
    )
    if stat is None:
        return []
    scale = common_scale([level.latency[stat] for level in levels], "s")
    lines = [_latency_line(series, each, stat, scale) for series, each in placed]
    values = [value for line in lines for value in line.y]
    return [
        Panel(
            heading=_head(display_name("latency", stat), differing),
            lines=tuple(lines),
            x=Axis(label="requests, /s"),
            y=Axis(
                label=name_values("latency", scale), ticks=log_ticks(values), is_logarithmic=True
            ),
        )
    ]


def _is_measured(level: Level, stat: str) -> bool:
    return level.latency.get(stat, 0.0) > 0


def _latency_line(series: int, each: Saturation, stat: str, scale: Scale) -> Line:
    levels = each.sweep.levels
    return Line(
        name=each.sweep.variant,
        series=series,
        x=tuple(level.rate for level in levels),
        y=tuple(level.latency[stat] / scale.factor for level in levels),
        labels=tuple(_write(level.size) for level in levels),
    )


def _head(quantity: str, differing: Sequence[str]) -> str:
    return printable(" · ".join((quantity, *differing)))


def _write(size: float) -> str:
    return format_number(size, 1 if size.is_integer() else 3)


def _apart(sizes: Sequence[float]) -> list[float]:
    """Omit levels whose ticks would overlap on a logarithmic axis."""
    least = (sizes[-1] / sizes[0]) ** 0.07
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if kept[-1] / size >= least:
            kept.append(size)
    return sorted(kept)

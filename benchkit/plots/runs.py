"""Every run, in chronological order."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from benchkit.audit.order import Session, find_sessions
from benchkit.comparison import Contrast
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange
from benchkit.plots.places import group_by_place, name_values, sides
from benchkit.units import Scale, common_scale
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from benchkit.schema import Runs

_PLACE = ("group", "benchmark", "params", "tool", "subject", "metric", "stat")
_FEWEST = 2  # minimum number of runs of a variant that show an order


def data(verdicts: Verdicts, runs: Runs | None = None) -> Chart:
    """Collect the runs of the primary metrics.

    Parameters
    ----------
    verdicts : Verdicts
    runs : Runs, optional
        The source of the order; if it is not recorded, runs are in the order of their numbers.

    Returns
    -------
    Chart
        Values in the unit of the axis; a bar is the median of its variant.
    """
    sessions = find_sessions(runs) if runs is not None else {}
    primary = [row.contrast for row in verdicts.primary]
    panels = [
        _panel(heading, baseline, variants, contrasts, sessions.get(contrasts[0].workload))
        for heading, contrasts in group_by_place(primary, _PLACE)
        if max(c.n_variant for c in contrasts) >= _FEWEST
        for baseline, variants in sides(contrasts)
    ]
    return arrange("Runs in order", panels)


def _panel(
    heading: str,
    baseline: str,
    variants: Sequence[tuple[str, int]],
    contrasts: Sequence[Contrast],
    session: Session | None,
) -> Panel:
    values = _values(baseline, [name for name, _ in variants], contrasts)
    scale = common_scale([v for runs in values.values() for v in runs.values()], contrasts[0].unit)
    places = _places(values, session)
    lines = []
    for name, series in [(baseline, 0), *variants]:
        lines += _lines(name, series, places[name], list(values[name].values()), scale)
    label = "run, in measured order" if session else "run number (the order was not recorded)"
    return Panel(
        heading=heading,
        lines=tuple(lines),
        x=Axis(label=label, is_whole=True),
        y=Axis(label=name_values(contrasts[0].metric, scale, contrasts[0].stat)),
    )


def _values(
    baseline: str, variants: Sequence[str], contrasts: Sequence[Contrast]
) -> dict[str, dict[int, float]]:
    values: dict[str, dict[int, float]] = {}
    for c in contrasts:
        if c.baseline != baseline or c.variant not in variants:
            continue
        ours = c.baseline_runs or tuple(range(1, c.n_baseline + 1))
        theirs = c.variant_runs or tuple(range(1, c.n_variant + 1))
        values.setdefault(baseline, dict(zip(ours, c.baseline_values, strict=True)))
        values[c.variant] = dict(zip(theirs, c.variant_values, strict=True))
    return values


def _places(
    values: dict[str, dict[int, float]], session: Session | None
) -> dict[str, tuple[float, ...]]:
    """Return the position of each run: its rank in the session, or its number."""
    if session is None:
        return {name: tuple(map(float, runs)) for name, runs in values.items()}
    places = session.places
    order = sorted(places[name][run] for name, runs in values.items() for run in runs)
    rank = {place: float(number) for number, place in enumerate(order, 1)}
    return {name: tuple(rank[places[name][run]] for run in runs) for name, runs in values.items()}


def _lines(
    name: str, series: int, places: tuple[float, ...], values: Sequence[float], scale: Scale
) -> list[Line]:
    dots = tuple(value / scale.factor for value in values)
    middle = median(dots)
    ends = (min(places), max(places))
    return [
        Line(name="", series=series, x=places, y=dots, kind="dots"),
        Line(name=name, series=series, x=ends, y=(middle, middle), kind="level"),
    ]

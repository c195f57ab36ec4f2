"""All kinds of figures by name, drawn as separate files.

The command ``plot`` and notebooks draw the figures of the page; a new kind is one line here.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from benchkit.derived.distribution import find_distributions
from benchkit.derived.record import keep_measured, list_measured
from benchkit.derived.saturation import DEFAULT, find_saturations, parse_rule
from benchkit.derived.sweep import FEWEST
from benchkit.derived.timeline import find_tracks
from benchkit.errors import ConfigError, DataError
from benchkit.plots import ecdf, forest, percentiles, runs, shift, sweep, theme, timeline
from benchkit.plots.chart import Chart
from benchkit.plots.grid import draw_chart, draw_panel
from benchkit.plots.svg import shorten_paths
from benchkit.units import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchkit.schema import Observations, Runs
    from benchkit.verdict import Verdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The source of a figure.

    Parameters
    ----------
    verdicts : Verdicts
    runs : Runs
    observations : Observations or None
        The compared observations; without them there are no sweep, no distribution and nothing over
        time.
    series : Observations or None
        Samples of containers over time.
    knee : str
        The rule for the knee of a sweep.
    """

    verdicts: Verdicts
    runs: Runs
    observations: Observations | None = None
    series: Observations | None = None
    knee: str = DEFAULT


def _sweep(material: Material) -> Chart:
    if material.observations is None:
        return sweep.data(())
    pairs = material.verdicts.comparisons.pairs
    names = frozenset(name for pair in pairs for name in pair)
    rule = parse_rule(material.knee)
    saturations = find_saturations(material.observations, material.runs, rule, names)
    return sweep.data(saturations, pairs[0][0] if pairs else "")


def _ecdf(material: Material) -> Chart:
    if material.observations is None:
        return ecdf.data(())
    pairs = material.verdicts.comparisons.pairs
    names = {name for pair in pairs for name in pair}
    distributions = find_distributions(material.observations)
    chosen = [each for each in distributions if each.variant in names or not names]
    return ecdf.data(chosen, pairs[0][0] if pairs else "")


def _timeline(material: Material) -> Chart:
    if material.observations is None:
        return timeline.data(())
    measured = list_measured(material.runs)
    tracks = find_tracks(material.observations, measured, material.series)
    return timeline.data(tracks, material.verdicts.comparisons.pairs)


FOREST = "forest"
_NO_SAMPLES = (
    "there are no raw samples, only the tool's summaries; use an output with a time for each "
    "request, and in Python load it with samples=True"
)
_NO_CLOCK = (
    "no request has a time, and no container sample lies within a run; use an output with the "
    "time of each request, or write the start and end of runs to runs.json"
)
#: kind -> what collects its chart, and what it needs; the forest plot has its own layout
CHARTS: dict[str, tuple[Callable[[Material], Chart], str]] = {
    "percentiles": (
        lambda material: percentiles.data(material.verdicts),
        "no metric has two percentiles on both sides",
    ),
    "shift": (
        lambda material: shift.data(material.verdicts),
        "no metric has two percentiles with a ratio",
    ),
    "runs": (
        lambda material: runs.data(material.verdicts, material.runs),
        "no variant has two runs of a primary metric",
    ),
    "sweep": (_sweep, f"no benchmark has {FEWEST} levels of load or more"),
    "ecdf": (_ecdf, _NO_SAMPLES),
    "timeline": (_timeline, _NO_CLOCK),
}
KINDS = (FOREST, *CHARTS)
#: Kinds that need raw samples.
OF_SAMPLES = frozenset({"ecdf"})
#: Kinds that show a variant together with its baseline.
_OF_SIDES = frozenset({"percentiles", "shift", "runs"})
FORMS = ("svg", "png")
#: Dots per inch of a picture for high-resolution screens.
_FINE = 200


def draw(kind: str, material: Material) -> Figure:
    """Draw one kind of figure in plain colours.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    material : Material

    Raises
    ------
    DataError
        If the data lack what it needs.
    """
    with theme.plain():
        if kind != FOREST:
            return draw_chart(collect(kind, material))
        _require_rows(material)
        return forest.draw(material.verdicts)


def draw_on(kind: str, material: Material, axes: Axes) -> Axes:
    """Draw one kind of figure on given axes, in colours that suit its background.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    material : Material
    axes : Axes

    Raises
    ------
    DataError
        If the data lack what it needs.
    ConfigError
        If it has several panels, or ``axes`` are not axes of matplotlib.
    """
    from matplotlib.colors import to_rgba

    _require_axes(axes)
    figure = axes.figure.get_figure(root=True)
    with theme.plain(theme.scheme_on(to_rgba(figure.get_facecolor()))):
        if kind == FOREST:
            _require_rows(material)
            return forest.draw_on(material.verdicts, axes)
        panels = collect(kind, material).panels
        if len(panels) == 1:
            return draw_panel(panels[0], axes)
    raise ConfigError(
        f"{len(panels)} panels do not fit on one Axes",
        hint="keep one benchmark with RunSet.where(...), or omit ax and use .axes of the result",
    )


def _require_axes(candidate: object) -> None:
    from matplotlib.axes import Axes

    if not isinstance(candidate, Axes):
        name = type(candidate).__name__
        hint = "pass one of them: ax=axes[0]"
        raise ConfigError(f"expected one Axes, got {name}", where="ax", hint=hint)


def _require_rows(material: Material) -> None:
    if not forest.data(material.verdicts).rows:
        _require_sides(FOREST, material)
        raise DataError("no forest plot: no primary metric has a ratio to its baseline")


def collect(kind: str, material: Material) -> Chart:
    """Collect the data of one of `CHARTS`.

    Raises
    ------
    DataError
        If the data lack what it needs.
    """
    data, need = CHARTS[kind]
    chart = data(material)
    if not chart.panels:
        if kind in _OF_SIDES:
            _require_sides(kind, material)
        raise DataError(f"no {kind} plot: {need}")
    return chart


def _require_sides(kind: str, material: Material) -> None:
    """Say why nothing is compared, if that is why there is nothing to draw."""
    if material.verdicts.comparisons.pairs:
        return
    measured = keep_measured(material.runs)
    names = [printable(name) for name in dict.fromkeys(measured["variant"].tolist())]
    why = "no variants are compared"
    if len(names) == 1:
        why, hint = f"there is only one variant, {names[0]}", "measure a second variant too"
    else:
        hint = f"choose the baseline among {', '.join(names)}: --baseline NAME, or baseline="
    raise DataError(
        f"no {kind} plot: it needs a variant and its baseline, but {why}",
        hint=f"{hint}; for load levels, use `benchkit plot sweep`",
    )


def save(figure: Figure, to: Path | IO[bytes], form: str) -> None:
    """Write a figure as one of `FORMS`, byte-for-byte reproducible."""
    if form == "svg":
        text = io.StringIO()
        _save(figure, text, form)
        data = shorten_paths(text.getvalue()).encode()
        if isinstance(to, Path):
            to.write_bytes(data)
        else:
            to.write(data)
    else:
        _save(figure, to, form)


def _save(figure: Figure, to: Path | IO[bytes] | IO[str], form: str) -> None:
    with theme.applied():
        figure.savefig(
            to,
            format=form,
            dpi=_FINE,
            metadata={"Date": None} if form == "svg" else {"Software": None},
            facecolor=theme.PALETTE["paper"][0],
            bbox_inches="tight",
            pad_inches=0.12,
        )

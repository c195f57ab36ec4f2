"""Latency, CPU and memory over the course of a run, with the variants' starts aligned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from benchkit.derived.containers import entitle, name_id, shorten
from benchkit.derived.timeline import CPU, LATENCY, MOST, STATS, Track, center, thin
from benchkit.metrics import display_name, lookup
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange, log_ticks, part
from benchkit.plots.places import name_values
from benchkit.units import Scale, common_scale, printable

#: From this ratio of largest to smallest value on, a line would be flat on a linear axis.
_WIDE = 20
#: Runs longer than this are shown in minutes.
_LONG, _MINUTE = 600.0, 60.0
_FEWEST = 40  # number of points of a single run behind the median, however many runs there are


def data(tracks: Sequence[Track], pairs: Sequence[tuple[str, str]] = ()) -> Chart:
    """Collect a panel for each quantity of each benchmark.

    Parameters
    ----------
    tracks : sequence of Track
    pairs : sequence of (baseline, variant)
        The compared pairs: others are left out, and the first baseline has the baseline's colour.
        Without a comparison, all are drawn.

    Returns
    -------
    Chart
        The median over runs, and a faint line for each of several runs. The median and tail of the
        latency come first, then the service's CPU and memory, then the CPU of the other containers.
        Quantities that only one variant has are shown if there is nothing else, and constant ones
        are left out.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    known = [track for track in tracks if not names or track.run.variant in names]
    variants = names or list(dict.fromkeys(track.run.variant for track in known))
    places: dict[tuple[str, ...], list[Track]] = {}
    for track in known:
        places.setdefault(_place(track), []).append(track)
    panels: list[Panel] = []
    parts = list(part(variants[1:]) if pairs else part(variants))
    for place, tracks_there in places.items():
        labels = [name for name in place if name] if len(places) > 1 else []
        for number, some in enumerate(parts, 1):
            series = [variants[0], *some] if pairs else some
            count = [f"{number} of {len(parts)}"] if len(parts) > 1 else []
            numbers = dict(zip(series, range(int(not pairs), 9), strict=False))
            required = some if number > 1 else series  # the baseline is drawn in the first part
            panels += _panels([*labels, *count], tracks_there, numbers, required)
    panels = [panel for panel in panels if _is_moving(panel)]
    shared = [panel for panel in panels if sum(bool(line.name) for line in panel.lines) > 1]
    return arrange("Over time", shared or panels)


def _is_moving(panel: Panel) -> bool:
    """Return whether anything is visible: a clock of whole milliseconds may record one value."""
    return len({value for line in panel.lines for value in line.y}) > 1


def _place(track: Track) -> tuple[str, ...]:
    return track.run.group, track.run.benchmark, track.run.params, track.run.tool


def _panels(
    labels: Sequence[str], tracks: Sequence[Track], series: dict[str, int], required: Sequence[str]
) -> Iterator[Panel]:
    """Yield one panel for each quantity that one of the required variants has."""
    names = _name_subjects(tracks)
    for chosen in _choose([track for track in tracks if track.run.variant in series]):
        if not any(track.run.variant in required for track in chosen):
            continue
        first = chosen[0]
        name = display_name(first.metric, first.stat) if first.stat else first.metric
        heading = " · ".join(filter(None, [name, names[first.subject], *labels]))
        yield _panel(printable(heading), chosen, series)


def _name_subjects(tracks: Sequence[Track]) -> dict[str, str]:
    """Name containers as in the tables, adding ids to those that share a name."""
    envs = {track.subject: track.run.env for track in tracks}
    names = {s: name_id(s, env) or shorten(s) for s, env in envs.items()}
    count = Counter(names.values())
    return {s: name if count[name] == 1 else entitle(s, envs[s]) for s, name in names.items()}


def _choose(tracks: Sequence[Track]) -> Iterator[list[Track]]:
    """Yield the tracks that share a panel, in the order of the panels."""
    latencies = [track for track in tracks if track.metric == LATENCY]
    runs = {track.run.key for track in latencies}
    whole = [
        stat for stat in STATS if runs == {t.run.key for t in latencies if t.stat == stat}
    ]  # that of every run
    for stat in dict.fromkeys(whole[:1] + whole[-1:]) if runs else ():
        yield [track for track in latencies if track.stat == stat]
    subjects = sorted(dict.fromkeys((not t.is_service, t.subject) for t in tracks if t.subject))
    for is_other, subject in subjects:
        of_subject = [track for track in tracks if track.subject == subject]
        kinds = dict.fromkeys(track.metric for track in of_subject)
        for metric in sorted(kinds, key=lambda name: name != CPU):
            if metric == CPU or not is_other:
                yield [track for track in of_subject if track.metric == metric]


def _panel(heading: str, tracks: Sequence[Track], series: dict[str, int]) -> Panel:
    first = tracks[0]
    unit = lookup(first.metric).unit
    scale = common_scale([median(float(value) for t in tracks for value in t.values)], unit)
    ends = [end for track in tracks if (end := _length(track)) is not None]
    longest = max(ends, default=max(float(track.times[-1]) for track in tracks))
    minute = _MINUTE if longest > _LONG else 1.0
    lines = [
        line
        for name, place in series.items()
        for line in _lines(name, place, [t for t in tracks if t.run.variant == name], scale, minute)
    ]
    values = [value for line in lines for value in line.y]
    is_wide = first.metric == LATENCY and max(values) >= _WIDE * min(values) > 0
    return Panel(
        heading=heading,
        lines=tuple(lines),
        x=Axis(label=f"{'min' if minute > 1 else 's'} since the run began"),
        y=Axis(
            label=name_values(first.metric, scale),
            ticks=log_ticks(values) if is_wide else (),
            is_logarithmic=is_wide,
            is_from_zero=first.metric != LATENCY,
        ),
        window=(0.0, longest / minute),
    )


def _length(track: Track) -> float | None:
    window = track.run.window
    return window[1] - window[0] if window else None


def _lines(
    name: str, series: int, tracks: Sequence[Track], scale: Scale, minute: float
) -> Iterator[Line]:
    if not tracks:
        return
    most = max(MOST // len(tracks), _FEWEST)
    single = [thin(track.times, track.values, most) for track in tracks] if len(tracks) > 1 else []
    for place, (times, values) in enumerate([center(tracks), *single]):
        if not len(times):  # runs that never overlap have no median
            continue
        yield Line(
            name="" if place else name,
            series=series,
            x=tuple((times / minute).tolist()),
            y=tuple((values / scale.factor).tolist()),
            is_faint=place > 0,
        )

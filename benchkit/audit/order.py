"""Rules about the order of runs: one side after the other, a fixed first, a drifting machine.

With a drift of 5 % over a session, measuring first one side and then the other shows a false change
three times out of four, whatever the test.

The recorded order of a session: when each run of a series was made.

Several rules use the same order; only a recorded order counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from benchkit.codes import number_rows
from benchkit.comparison import DIRECTIONS, EXACT, Comparisons, Contrast, Drift
from benchkit.comparison.blocks import find_designs
from benchkit.derived.record import keep_measured, list_known
from benchkit.errors import Finding
from benchkit.metrics import display_name
from benchkit.regexes import regex
from benchkit.schema import Labels, Side, Workload, list_labels
from benchkit.stats.order import Trend, adjust_for_trend, find_trend, is_interleaved
from benchkit.units import format_change, format_percent

if TYPE_CHECKING:
    from datetime import datetime

    from benchkit.schema import Runs


#: Minimum number of blocks in which a variant that is always first cannot be chance.
_FEWEST_BLOCKS = 3
#: The positions of the runs of both sides.
_Sides = tuple[list[float], list[float]]
#: Names of standard input and of a shell's pipes.
_PIPE = regex(r"-|/(?:dev|proc/[^/]+)/fd/.*")
_IN_TURN = "alternate between the variants, and start each round with a different one"

#: On a log scale: a shift of an estimate that matters, half of the usual margin.
MATTERS = 0.015


def find_one_sided_order(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B330: the runs of two variants did not alternate, or nothing shows that they did."""
    sessions = find_sessions(runs)
    used = dict.fromkeys(c.workload for c in comparisons.contrasts)
    single = _find_single_files(runs)
    for baseline, variant in comparisons.pairs:
        apart: list[_Sides] = []
        for key in used:
            places = sessions[key].places if key in sessions else {}
            x, y = (list(places.get(name, {}).values()) for name in (baseline, variant))
            if x and y and not is_interleaved(x, y, 1 - comparisons.confidence):
                apart.append((x, y))
        if apart:
            yield _report_order(baseline, variant, apart)
            continue
        whole = {
            name: single[key.side(name)]
            for name in (baseline, variant)
            for key in used
            if key not in sessions and key.side(name) in single
        }
        if whole:
            yield _report_single_files(baseline, variant, whole)


def _find_single_files(runs: Runs) -> dict[Side, str]:
    """Return the sides whose runs, at least two, all come from one file, and its path."""
    measured = keep_measured(runs)
    if "sources" not in measured.columns:
        return {}
    files = [
        sources[0]["path"] if len(sources) == 1 else "\0".join(each["path"] for each in sources)
        for sources in measured["sources"].tolist()
    ]
    sides, firsts = number_rows(measured, Side._fields)
    _, of_each = number_rows(measured.assign(side=sides, file=files), ("side", "file"))
    is_single = (np.bincount(sides) > 1) & (np.bincount(sides[of_each]) == 1)
    alone = measured.iloc[firsts[is_single]]
    labelled = zip(list_labels(alone), alone["sources"], strict=True)
    return {labels.side: sources[0]["path"] for labels, sources in labelled if len(sources) == 1}


def find_fixed_first(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B331: one variant is the first of every block."""
    sessions = find_sessions(runs)
    first: dict[str, list[int]] = {}
    for key in dict.fromkeys(c.workload for c in comparisons.contrasts) if sessions else ():
        session = sessions.get(key)
        if session is not None and session.blocks:
            leaders = _find_leaders(session)
            if len(leaders) >= _FEWEST_BLOCKS and len(set(leaders)) == 1:
                first.setdefault(leaders[0], []).append(len(leaders))
    for variant, blocks in first.items():
        on = f" on {len(blocks)} benchmarks" if len(blocks) > 1 else ""
        yield Finding(
            code="B331",
            severity="info",
            where=variant,
            message=f"first in all {max(blocks)} rounds{on}: the effect of going first looks like "
            "an effect of this variant",
            remedy="start each round with a different variant",
            numbers={"blocks": max(blocks), "benchmarks": len(blocks)},
        )


def find_drift(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B332: values drift over time, by more than half of the usual margin."""
    for row, trend, drift, adjusted in _find_drifting(comparisons, runs):
        yield _report_drift(row[0], trend, drift, adjusted)


def take_out_drift(comparisons: Comparisons, runs: Runs) -> Comparisons:
    """Add, to each change affected by drift, the change without it.

    Parameters
    ----------
    runs : Runs
        With their recorded order.

    Returns
    -------
    Comparisons
        The same, with the `drift` of those contrasts and a note; no estimate is changed.
    """
    moved = {
        id(contrast): one
        for row, _, _, adjusted in _find_drifting(comparisons, runs)
        for contrast, one in zip(row, adjusted, strict=True)
        if one.is_moved
    }
    noted = (_note_drift(c, moved[id(c)]) if id(c) in moved else c for c in comparisons.contrasts)
    return replace(comparisons, contrasts=tuple(noted)) if moved else comparisons


def _note_drift(c: Contrast, one: _Adjusted) -> Contrast:
    note = (
        f"the runs drift (B332): the difference of the means is {format_change(1 + one.plain)}; "
        f"after removing a linear trend, it is {format_change(1 + one.change)}"
    )
    return replace(c, drift=Drift(one.change, one.plain), notes=(*c.notes, note))


def _find_drifting(
    comparisons: Comparisons, runs: Runs
) -> Iterator[tuple[list[Contrast], Trend, float, list[_Adjusted]]]:
    """Yield the rows that drift: contrasts, trend, drift over the session, changes without it."""
    sessions = find_sessions(runs)
    for row in by_row(comparisons) if sessions else ():
        session = sessions.get(row[0].workload)
        logs = logs_of(row)
        if session is None or not all(_is_placed(session, v, of) for v, of in logs.items()):
            continue
        trend = _find_trend(session, logs)
        drift = trend.slope * session.length
        if trend.pvalue <= 1 - comparisons.confidence and abs(drift) > MATTERS:
            yield row, trend, drift, [_adjust(c, session, logs) for c in row]


@dataclass(frozen=True, slots=True)
class _Adjusted:
    """A change of means, with and without the trend."""

    variant: str
    change: float
    plain: float

    @property
    def is_moved(self) -> bool:
        """Whether removing the trend makes a relevant difference."""
        return abs(math.log1p(self.change) - math.log1p(self.plain)) > MATTERS


def _report_order(baseline: str, variant: str, apart: Sequence[_Sides]) -> Finding:
    (before, after), *_ = apart
    words = [baseline, variant] if fmean(before) < fmean(after) else [variant, baseline]
    whole = max(before) < min(after) or max(after) < min(before)
    share = "all runs" if whole else "most runs"
    on = f" on {len(apart)} benchmarks" if len(apart) > 1 else ""
    return Finding(
        code="B330",
        severity="warning",
        where=f"{baseline}, {variant}",
        message=f"{share} of '{words[0]}' were made before those of '{words[1]}'{on}: machine "
        "drift looks like a difference between them",
        remedy=_IN_TURN,
        numbers={"benchmarks": len(apart), "runs": len(before) + len(after)},
    )


def _report_single_files(baseline: str, variant: str, whole: Mapping[str, str]) -> Finding:
    each = "" if len(whole) == 1 else " each"
    is_piped = all(map(_PIPE.fullmatch, whole.values()))
    place = "come through one pipe" if is_piped else "are in one file"
    return Finding(
        code="B330",
        severity="info",
        where=f"{baseline}, {variant}",
        message=f"all runs of {' and '.join(map(repr, whole))} {place}{each}, so their "
        "order is unknown: machine drift may look like a difference between them",
        remedy=f"{_IN_TURN}; write each run to its own file",
        numbers={"files": len(whole)},
    )


def _find_leaders(session: Session) -> list[str]:
    """Return the variant that was first in each block."""
    blocks: dict[int, list[tuple[float, str]]] = {}
    for variant, runs in session.blocks.items():
        for run, block in runs.items():
            blocks.setdefault(block, []).append((session.places[variant][run], variant))
    return [min(members)[1] for members in blocks.values() if len(members) > 1]


def _is_placed(session: Session, variant: str, logs: dict[int, float]) -> bool:
    return bool(logs) and logs.keys() <= session.places.get(variant, {}).keys()


def _find_trend(session: Session, logs: dict[str, dict[int, float]]) -> Trend:
    """Look for a trend within variants; for complete blocks, over the levels of the blocks.

    A slow round affects all its variants: counted once for each, it would look like five
    independent observations.
    """
    levels = {variant: median(of.values()) for variant, of in logs.items()}
    strata: dict[str | int, list[tuple[float, float]]] = {}
    for variant, of in logs.items():
        for run, log in of.items():
            block = session.blocks.get(variant, {}).get(run)
            point = session.places[variant][run], log - levels[variant]
            strata.setdefault(variant if block is None else block, []).append(point)
    if session.blocks:
        middle = [tuple(map(median, zip(*points, strict=True))) for points in strata.values()]
        return find_trend([[at for at, _ in middle]], [[level for _, level in middle]])
    times = [[at for at, _ in points] for points in strata.values()]
    return find_trend(times, [[log for _, log in points] for points in strata.values()])


def _adjust(c: Contrast, session: Session, logs: dict[str, dict[int, float]]) -> _Adjusted:
    sides = [
        ([session.places[variant][run] for run in logs[variant]], list(logs[variant].values()))
        for variant in (c.baseline, c.variant)
    ]
    change = adjust_for_trend([at for at, _ in sides], [values for _, values in sides])
    plain = fmean(sides[1][1]) - fmean(sides[0][1])
    return _Adjusted(c.variant, math.expm1(change), math.expm1(plain))


def _report_drift(c: Contrast, trend: Trend, drift: float, adjusted: list[_Adjusted]) -> Finding:
    is_moved = any(one.is_moved for one in adjusted)
    changes = "; ".join(
        f"{one.variant} {format_change(1 + one.plain)} with the drift, "
        f"{format_change(1 + one.change)} without it"
        for one in adjusted
    )
    return Finding(
        code="B332",
        severity="warning" if is_moved else "info",
        where=name_row(c),
        message=f"the values drift by {format_change(math.exp(drift))} over the session (p = "
        f"{trend.pvalue:.2g}); difference of the means: {changes}",
        remedy=f"{_IN_TURN}; let the machine settle first"
        if is_moved
        else "the sides drift by similar amounts: removing the drift changes no estimate by more "
        f"than {format_percent(MATTERS).lstrip('+')}, the limit for a warning",
        numbers={
            "drift": math.exp(drift) - 1,
            "tau": trend.tau,
            "p": trend.pvalue,
            **{f"adjusted_change {one.variant}": one.change for one in adjusted},
        },
    )


@dataclass(frozen=True, slots=True)
class Session:
    """The measured runs of one series in chronological order.

    Parameters
    ----------
    places : mapping of variant to mapping of run to float
        Seconds since the first run, or positions in the order if no times are recorded.
    blocks : mapping of variant to mapping of run to int
        If the blocks are complete; else empty.
    """

    places: Mapping[str, Mapping[int, float]]
    blocks: Mapping[str, Mapping[int, int]]

    @property
    def length(self) -> float:
        """From the first run to the last."""
        times = [place for runs in self.places.values() for place in runs.values()]
        return max(times) - min(times)


def find_sessions(runs: Runs) -> dict[Workload, Session]:
    """Return the series with a recorded order: by start, or by block and position."""
    measured = keep_measured(runs)
    if measured["started_at"].isna().all() and measured["block"].isna().all():
        return {}
    designs = find_designs(runs)
    sessions: dict[Workload, Session] = {}
    series: dict[Workload, list[tuple[Labels, datetime | None, int | None, int | None]]] = {}
    columns = (list_known(measured[name]) for name in ("started_at", "block", "position"))
    for labels, *order in zip(list_labels(measured), *columns, strict=True):
        series.setdefault(labels.side.workload, []).append((labels, *order))
    for key, rows in series.items():
        places = _find_places(rows)
        if places is not None:
            sessions[key] = Session(places, designs.get(key, {}))
    return sessions


def by_row(comparisons: Comparisons) -> Iterator[list[Contrast]]:
    """Yield the primary contrasts that have a spread, grouped if only the variant differs."""
    rows: dict[tuple[str, ...], list[Contrast]] = {}
    for c in comparisons.contrasts:
        if c.primary and c.ratio is not None and c.method not in {EXACT, *DIRECTIONS}:
            rows.setdefault((*c.workload, c.subject, c.metric, c.stat), []).append(c)
    yield from rows.values()


def logs_of(row: list[Contrast]) -> dict[str, dict[int, float]]:
    """Return the logarithms of one row: variant -> run -> value."""
    by_variant: dict[str, dict[int, float]] = {}
    for c in row:
        sides = (
            (c.baseline, c.baseline_runs, c.baseline_values),
            (c.variant, c.variant_runs, c.variant_values),
        )
        for variant, runs, values in sides:
            logs = map(math.log, values)
            by_variant[variant] = dict(zip(runs, logs, strict=True)) if runs else {}
    return by_variant


def name_row(contrast: Contrast) -> str:
    """Name the subject of a finding: ``requests/s on /ping, connections=8``."""
    name = display_name(contrast.metric, contrast.stat)
    place = ", ".join(part for part in (contrast.benchmark, contrast.params) if part)
    return f"{name} on {place}" if place else name


def _find_places(
    rows: Sequence[tuple[Labels, datetime | None, int | None, int | None]],
) -> dict[str, dict[int, float]] | None:
    """Return the position of each run, or None if that of any run is unknown."""
    starts = [start for _, start, _, _ in rows if start is not None]
    pairs = [(block, at) for _, _, block, at in rows if block is not None and at is not None]
    if len(starts) == len(rows):
        first = min(starts)
        order = [(start - first).total_seconds() for start in starts]
    elif len(pairs) == len(rows):
        ranks = {pair: float(rank) for rank, pair in reversed([*enumerate(sorted(pairs))])}
        order = [ranks[pair] for pair in pairs]
    else:
        return None
    if len(set(order)) < len(order):
        return None
    places: dict[str, dict[int, float]] = {}
    for (labels, *_), place in zip(rows, order, strict=True):
        places.setdefault(labels.variant, {})[labels.run] = place
    return places

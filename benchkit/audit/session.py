"""A session as it was recorded: when each run of a series was made.

Several rules look at the same order, and only recorded order counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.comparison import DIRECTIONS, EXACT, Comparisons, Contrast
from benchkit.comparison.blocks import find_designs
from benchkit.derived.record import keep_measured
from benchkit.metrics import display_name
from benchkit.schema import Workload

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs

#: On logarithms: a shift of an estimate that matters, half of the usual margin.
MATTERS = 0.015


@dataclass(frozen=True, slots=True)
class Session:
    """The measured runs of one series in the order in which they were made.

    Parameters
    ----------
    places : mapping of variant to mapping of run to float
        Seconds since the first run, or places in the order where no times are recorded.
    blocks : mapping of variant to mapping of run to int
        Where the blocks are complete; else empty.
    """

    places: Mapping[str, Mapping[int, float]]
    blocks: Mapping[str, Mapping[int, int]]

    @property
    def length(self) -> float:
        """From the first run to the last."""
        times = [place for runs in self.places.values() for place in runs.values()]
        return max(times) - min(times)


def find_sessions(runs: Runs) -> dict[Workload, Session]:
    """Return the series whose order was recorded: by start, or by block and position."""
    measured = keep_measured(runs)
    if measured["started_at"].isna().all() and measured["block"].isna().all():
        return {}
    designs = find_designs(runs)
    found: dict[Workload, Session] = {}
    for labels, rows in measured.groupby(list(Workload._fields), sort=False):
        places = _find_places(rows)
        if places is not None:
            key = Workload(*map(str, labels))
            found[key] = Session(places, designs.get(key, {}))
    return found


def by_row(comparisons: Comparisons) -> Iterator[list[Contrast]]:
    """Yield the primary contrasts that have a spread, together where only the variant differs."""
    rows: dict[tuple[str, ...], list[Contrast]] = {}
    for c in comparisons.contrasts:
        if c.primary and c.ratio is not None and c.method not in {EXACT, *DIRECTIONS}:
            rows.setdefault((*c.workload, c.subject, c.metric, c.stat), []).append(c)
    yield from rows.values()


def logs_of(row: list[Contrast]) -> dict[str, dict[int, float]]:
    """Return the logarithms of one row: variant -> run -> value."""
    found: dict[str, dict[int, float]] = {}
    for c in row:
        sides = (
            (c.baseline, c.baseline_runs, c.baseline_values),
            (c.variant, c.variant_runs, c.variant_values),
        )
        for variant, runs, values in sides:
            logs = [math.log(value) for value in values]
            found[variant] = dict(zip(runs, logs, strict=True)) if runs else {}
    return found


def name_row(contrast: Contrast) -> str:
    """Name what a finding is about: ``requests/s on /ping, connections=8``."""
    name = display_name(contrast.metric, contrast.stat)
    place = ", ".join(part for part in (contrast.benchmark, contrast.params) if part)
    return f"{name} on {place}" if place else name


def _find_places(rows: pd.DataFrame) -> dict[str, dict[int, float]] | None:
    """Return the place of each run, or None where the order of any is unknown."""
    if not rows["started_at"].isna().any():
        seconds = (rows["started_at"] - rows["started_at"].min()).dt.total_seconds()
        order = seconds.tolist()
    elif not (rows["block"].isna().any() or rows["position"].isna().any()):
        pairs = list(zip(rows["block"].tolist(), rows["position"].tolist(), strict=True))
        order = [float(sorted(pairs).index(pair)) for pair in pairs]
    else:
        return None
    if len(set(order)) < len(order):
        return None
    places: dict[str, dict[int, float]] = {}
    for variant, run, place in zip(rows["variant"], rows["run"], order, strict=True):
        places.setdefault(variant, {})[int(run)] = place
    return places

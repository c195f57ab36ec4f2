"""The content of the forest plot as data: its rows, their order, and a description in words.

Tests and screen readers use the drawn data instead of pixels, and drawing computes none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchkit.comparison import DIRECTIONS, Contrast
from benchkit.intervals import format_interval
from benchkit.metrics import display_name
from benchkit.units import format_change, printable
from benchkit.verdict import Verdict, Verdicts

#: Maximum number of rows at one glance: the largest changes are drawn, the rest counted.
MOST_ROWS = 24
_FACTOR = 2
_UNNAMED = "(unnamed)"  # next to benchmarks that have a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the plot; all positions are ratios to the baseline's centre.

    Parameters
    ----------
    heading, label : str
        What rows have in common, and what distinguishes this one from the others.
    better : str
        The direction that is better.
    word : str
        The verdict.
    ratio : float
    low, high : float or None
        The interval.
    runs, baseline_runs : tuple of float
        Each run / centre of the baseline, in run order.
    margin : float
        No number is rounded across it.
    """

    heading: str
    label: str
    better: str
    word: str
    ratio: float
    low: float | None
    high: float | None
    runs: tuple[float, ...]
    baseline_runs: tuple[float, ...]
    margin: float

    @property
    def texts(self) -> tuple[str, str]:
        """Estimate and interval as written on the right."""
        limits = (0.0, self.margin, -self.margin)
        change = format_change(self.ratio, limits)
        if self.low is None or self.high is None or self.low == self.high:
            return change, ""
        return change, format_interval(self.low, self.high, limits, ratio=self.ratio)

    @property
    def positions(self) -> tuple[float, ...]:
        """Everything that has to fit on the axis."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return (self.ratio, *ends, *self.runs, *self.baseline_runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The drawn data.

    Parameters
    ----------
    rows : tuple of Row
    margin, confidence : float
    metric, baseline : str
        Their names; empty if there are several.
    is_logarithmic : bool
        Whether the axis is logarithmic: if a change goes beyond 2x in either direction.
    left_out : int
        Number of rows that were not drawn.
    smaller : int
        The number of these that have a ratio.
    """

    rows: tuple[Row, ...]
    margin: float
    confidence: float
    metric: str
    baseline: str
    is_logarithmic: bool
    left_out: int
    smaller: int = 0

    @property
    def cut(self) -> str:
        """Say how many rows are drawn, if not all are."""
        if not self.smaller:
            return ""
        return f"{len(self.rows)} of {len(self.rows) + self.smaller} rows, the largest changes"


def data(verdicts: Verdicts) -> Forest:
    """Collect the content of the plot: the primary rows that have a ratio."""
    usable = [row for row in verdicts.primary if row.contrast.ratio]
    chosen = sorted(usable, key=_size, reverse=True)[:MOST_ROWS]
    kept = {id(row) for row in chosen}
    rows = _group([row for row in usable if id(row) in kept], verdicts.margin)
    positions = [p for row in rows for p in (row.ratio, row.low, row.high) if p]
    baselines = {baseline for baseline, _ in verdicts.comparisons.pairs}
    metrics = {name_metric(row.contrast) for row in chosen}
    return Forest(
        rows=rows,
        margin=verdicts.margin,
        confidence=verdicts.comparisons.confidence,
        metric=metrics.pop() if len(metrics) == 1 else "",
        baseline=printable(baselines.pop()) if len(baselines) == 1 else "",
        is_logarithmic=any(p > _FACTOR or p < 1 / _FACTOR for p in positions),
        left_out=len(verdicts.primary) - len(rows),
        smaller=len(usable) - len(rows),
    )


def describe(forest: Forest) -> str:
    """Describe the plot in words, row by row."""
    rows = "; ".join(" ".join((row.heading, row.label, *row.texts)).strip() for row in forest.rows)
    return f"{name_axis(forest)}, estimate and interval of each row: {rows}."


def name_axis(forest: Forest) -> str:
    """Name the quantity on the axis and its reference: ``Change of request_rate against none``."""
    of = f" of {forest.metric}" if forest.metric else ""
    against = f" vs. {forest.baseline}" if forest.baseline else ""
    return f"Change{of}{against}{f' ({forest.cut})' if forest.cut else ''}"


def _size(row: Verdict) -> float:
    return abs(math.log(row.contrast.ratio or 1))


def _group(rows: Sequence[Verdict], margin: float) -> tuple[Row, ...]:
    """Group rows by heading, the worst first."""
    contrasts = [row.contrast for row in rows]
    by_variant = _varies(contrasts, "variant") or _varies(contrasts, "baseline")
    groups: dict[str, list[Verdict]] = {}
    for row in rows:
        groups.setdefault(_heading(row.contrast, contrasts, by_variant=by_variant), []).append(row)
    return tuple(
        _row(row, heading, _label(row.contrast, contrasts, by_variant=by_variant), margin)
        for heading, group in groups.items()
        for row in sorted(group, key=_badness, reverse=True)
    )


def _badness(row: Verdict) -> float:
    log = math.log(row.contrast.ratio or 1)
    return -log if row.contrast.better == "higher" else log


def _varies(contrasts: Iterable[Contrast], name: str) -> bool:
    return len({getattr(contrast, name) for contrast in contrasts}) > 1


def _level(contrast: Contrast, contrasts: Sequence[Contrast]) -> str:
    names = ("group", "benchmark", "params", "tool", "container")
    values = {name: str(getattr(contrast, name) or "") for name in names}
    values["benchmark"] = values["benchmark"] or _UNNAMED
    parts = [values[name] for name in names if _varies(contrasts, name)]
    return printable(" ".join(part for part in parts if part))


def _heading(contrast: Contrast, contrasts: Sequence[Contrast], *, by_variant: bool) -> str:
    """Name the metric, its level, or both, as far as they distinguish groups of rows."""
    metric = name_metric(contrast)
    level = _level(contrast, contrasts) if by_variant else ""
    if not level:
        return metric
    return f"{metric} {level}" if len({name_metric(c) for c in contrasts}) > 1 else level


def name_metric(contrast: Contrast) -> str:
    """Name the measured quantity."""
    return printable(display_name(contrast.metric, contrast.stat))


def _label(contrast: Contrast, contrasts: Sequence[Contrast], *, by_variant: bool) -> str:
    if not by_variant:
        return _level(contrast, contrasts) or printable(contrast.variant)
    if _varies(contrasts, "baseline"):
        return printable(f"{contrast.variant} vs. {contrast.baseline}")
    return printable(contrast.variant)


def _row(verdict: Verdict, heading: str, name: str, margin: float) -> Row:
    c = verdict.contrast
    center = c.center_baseline
    return Row(
        heading=heading,
        label=name,
        better=c.better,
        word=verdict.word,
        ratio=c.ratio or 1.0,
        low=None if c.method in DIRECTIONS else c.ratio_low,
        high=None if c.method in DIRECTIONS else c.ratio_high,
        runs=tuple(value / center for value in c.variant_values),
        baseline_runs=tuple(value / center for value in c.baseline_values),
        margin=margin,
    )

"""The geometric mean of one variant's changes, as a line under the table.

In: verdicts of one metric. Out: texts. Why: readers average the rows anyway; the line says with
which interval, and how many of the rows show nothing by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.comparison import DIRECTIONS, Contrast
from benchkit.stats.geomean import errors_of_intervals, mean_log_ratio
from benchkit.stats.results import Estimate
from benchkit.tables.wording import FACTOR, format_bare, name_metric
from benchkit.units import format_change, format_interval, format_percent, printable
from benchkit.verdict import INCONCLUSIVE, Verdict

#: Fewer rows are read one by one.
FEWEST_ROWS = 3


def describe_averages(rows: Sequence[Verdict]) -> tuple[str, ...]:
    """Average the changes of each primary metric and variant over three benchmarks or more.

    Parameters
    ----------
    rows : sequence of Verdict
        Of one table.

    Returns
    -------
    tuple of str
        One line per pair, metric and subject; rows without an interval, of one run or of counts,
        are left out and make no line.
    """
    groups: dict[tuple[str, ...], list[Verdict]] = {}
    for row in rows:
        c = row.contrast
        if c.primary and _has_interval(c):
            groups.setdefault((c.baseline, c.variant, c.metric, c.stat, c.subject), []).append(row)
    return tuple(_describe(found) for found in groups.values() if _count(found) >= FEWEST_ROWS)


def _count(rows: Sequence[Verdict]) -> int:
    return len({row.contrast.benchmark for row in rows})


def _has_interval(contrast: Contrast) -> bool:
    low, high = contrast.ratio_low, contrast.ratio_high
    return (
        contrast.method not in DIRECTIONS
        and low is not None
        and high is not None
        and 0 < low < high
    )


def _describe(rows: Sequence[Verdict]) -> str:
    first = rows[0].contrast
    mean = _average([row.contrast for row in rows])
    open_rows = sum(row.word == INCONCLUSIVE for row in rows)
    told = f"{open_rows} of them not shown" if open_rows else "each of them decided"
    ratio = math.exp(mean.value)
    change = format_change(ratio) if ratio >= FACTOR else format_percent(ratio - 1)
    interval = format_interval(math.exp(mean.low), math.exp(mean.high), ratio=ratio)
    return (
        f"geometric mean of {name_metric(first)}, {printable(first.variant)}, over {len(rows)} "
        f"rows: {change} {interval} at {format_bare(first.confidence)}, if rows vary "
        f"independently; {told}; exploratory"
    )


def _average(contrasts: Sequence[Contrast]) -> Estimate:
    """Take errors back from the intervals, and put them together."""
    logs, widths, freedom = [], [], []
    for c in contrasts:
        if c.ratio and c.ratio_low and c.ratio_high:
            logs.append(math.log(c.ratio))
            widths.append(math.log(c.ratio_high / c.ratio_low) / 2)
            freedom.append(c.n_baseline + c.n_variant - 2)
    confidence = contrasts[0].confidence
    errors = errors_of_intervals(widths, freedom, confidence)
    return mean_log_ratio(logs, errors, freedom, confidence)

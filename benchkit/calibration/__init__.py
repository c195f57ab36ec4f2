"""The default rule on runs that do not differ, and how far estimates vary by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchkit import selection
from benchkit.calibration.model import (
    Calibration,
    NoiseMetric,
    NoiseRow,
    Rule,
    Sizes,
    suggest_margin,
)
from benchkit.comparison import SINGLE
from benchkit.comparison.measure import Measurement, measure
from benchkit.comparison.model import Plan
from benchkit.comparison.replicates import Replicates, collect_replicates
from benchkit.errors import DataError
from benchkit.stats.equivalence import is_equivalent, reaches
from benchkit.stats.proportion import count_splits, estimate_rate, split_runs
from benchkit.stats.sample import ROUNDING, Estimate

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

__all__ = [
    "Calibration",
    "Estimate",
    "NoiseMetric",
    "NoiseRow",
    "Rule",
    "calibrate",
    "suggest_margin",
]

#: Maximum number of splits per row; if there are more, they are sampled.
MOST_SPLITS = 500


def calibrate(
    observations: Observations,
    runs: Runs,
    rule: Rule | None = None,
    pairs: Sequence[tuple[str, str]] = (),
    plan: Plan | None = None,
) -> Calibration:
    """Apply the default rule to runs that do not differ.

    Parameters
    ----------
    rule : Rule, optional
    pairs : sequence of (str, str), optional
        Variants of the same program, measured twice; by default each variant is split.
    plan : Plan, optional
        Its primaries, if it names any, replace those of the tools.

    Raises
    ------
    SelectionError
        Like `collect_replicates`.
    DataError
        If nothing has two runs, or too few for the requested number of runs per side.

    Notes
    -----
    A change is reported if p <= 1 - confidence for a single row, and the estimate reaches the
    margin. Over all splits of one set of runs, a rank test rejects as often as its level says,
    whatever the runs: that part checks the rule. The effect of the machine shows in the runs as
    they were measured, first against last or one variant against the other.
    """
    rule = rule or Rule()
    series = collect_replicates(observations, runs, plan)
    sides = _join(series, pairs) if pairs else [(row, None) for row in series]
    tried = [(row, cut) for row, cut in sides if _choose(row, rule) >= 1]
    if not tried:
        most = max((row.n for row, _ in sides), default=0)
        needed = f"{2 * rule.runs}" if rule.runs else "at least 2"
        raise DataError(
            f"too few runs to split: no variant has more than {most}, but {needed} are needed",
            hint="run one variant at least 8 times, or name two variants of the same program "
            "with --pair A:B",
        )
    rows = tuple(_try(row, cut, rule) for row, cut in tried)
    skipped = tuple(row for row, _ in sides if _choose(row, rule) < 1)
    return Calibration(
        rows=rows,
        metrics=_sum_up(rows),
        rule=rule,
        pairs=tuple(pairs),
        skipped=skipped,
    )


def _join(
    series: Sequence[Replicates], pairs: Sequence[tuple[str, str]]
) -> list[tuple[Replicates, int | None]]:
    """Pool two variants, and return where the second one begins."""
    known = list(dict.fromkeys(row.variant for row in series))
    for name in (name for pair in pairs for name in pair):
        selection.require(name, known, "variant")
    by_key: dict[object, dict[str, Replicates]] = {}
    for row in series:
        by_key.setdefault(row.key, {})[row.variant] = row
    return [
        (
            replace(
                sides[one],
                variant=f"{one} and {other}",
                values=sides[one].values + sides[other].values,
            ),
            sides[one].n,
        )
        for sides in by_key.values()
        for one, other in pairs
        if one in sides and other in sides
    ]


def _choose(row: Replicates, rule: Rule) -> int:
    """Return the runs per side; 0 if there are too few."""
    k = rule.runs or row.n // 2
    return k if 2 * k <= row.n else 0


def _try(row: Replicates, cut: int | None, rule: Rule) -> NoiseRow:
    k = _choose(row, rule)
    measurements = [
        _compare(row, *split, rule) for split in split_runs(row.n, k, MOST_SPLITS, rule.seed)
    ]
    every = range(row.n)
    first, last = (every[:k], every[-k:]) if cut is None else (every[:cut], every[cut:])
    measured = _compare(row, first, last, rule)
    judged = measured.pvalue is not None and measured.method != SINGLE
    sizes = tuple(_size(one) for one in measurements)
    return NoiseRow(
        replicates=row,
        k=k,
        splits=len(measurements),
        ways=count_splits(row.n, k),
        comparisons=row.n // (2 * k),
        sizes=sizes,
        alarms=_share([_is_alarm(one, rule) for one in measurements]) if k > 1 else None,
        rejections=_share([_is_rejected(one, rule) for one in measurements]) if k > 1 else None,
        equivalent=_share([_is_equivalent(one, rule) for one in measurements]) if k > 1 else None,
        measured=measured,
        is_alarm=_is_alarm(measured, rule) if judged else None,
        is_pair=cut is not None,
    )


def _compare(row: Replicates, left: Sequence[int], right: Sequence[int], rule: Rule) -> Measurement:
    x, y = ([row.values[index] for index in side] for side in (left, right))
    return measure(x, y, row.assume, rule.confidence)


def _size(measurement: Measurement) -> float:
    ratio = measurement.ratio[0]
    return abs(math.log(ratio)) if ratio else math.nan


def _is_rejected(measurement: Measurement, rule: Rule) -> bool:
    return measurement.pvalue is not None and measurement.pvalue <= (1 - rule.confidence) * ROUNDING


def _is_alarm(measurement: Measurement, rule: Rule) -> bool:
    ratio = measurement.ratio[0]
    return bool(ratio and _is_rejected(measurement, rule) and reaches(math.log(ratio), rule.margin))


def _is_equivalent(measurement: Measurement, rule: Rule) -> bool:
    low, high = measurement.equivalence
    if not low or not high:
        return False
    return is_equivalent(math.log(low), math.log(high), rule.margin)


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _read_sizes(row: NoiseRow) -> Sizes:
    """Compare the result of splits with the measured difference of two equal sessions."""
    measured = _size(row.measured) if row.is_pair else math.nan
    return Sizes(row.sizes, row.replicates.n, 0.0 if math.isnan(measured) else measured)


def _sum_up(rows: Sequence[NoiseRow]) -> tuple[NoiseMetric, ...]:
    groups: dict[tuple[str, str, int], list[NoiseRow]] = {}
    for row in rows:
        groups.setdefault((row.replicates.metric, row.replicates.stat, row.k), []).append(row)
    return tuple(_sum(key, of_metric) for key, of_metric in groups.items())


def _sum(key: tuple[str, str, int], rows: Sequence[NoiseRow]) -> NoiseMetric:
    metric, stat, k = key
    comparisons = sum(row.comparisons for row in rows)
    alarms = sum((row.alarms or 0.0) * row.comparisons for row in rows)
    judged = [row.is_alarm for row in rows if row.is_alarm is not None]
    margin = suggest_margin([_read_sizes(row) for row in rows])
    return NoiseMetric(
        metric=metric,
        stat=stat,
        k=k,
        rows=len(rows),
        splits=sum(row.splits for row in rows),
        comparisons=comparisons,
        rate=estimate_rate(min(alarms, comparisons), comparisons) if k > 1 else None,
        measured=estimate_rate(sum(judged), len(judged)) if judged else None,
        margin=margin.value,
        margin_low=margin.low,
        margin_high=margin.high,
    )

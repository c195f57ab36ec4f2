"""The result of the default rule for runs that do not differ: a sentence and two tables."""

from __future__ import annotations

import math

from benchkit.calibration import Calibration, Estimate, NoiseMetric, NoiseRow
from benchkit.intervals import is_wide
from benchkit.metrics import display_name
from benchkit.sensitivity import format_reach
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.stub import (
    NONE,
    fold_stub,
    stub_cells,
    stub_columns,
    write_share,
)
from benchkit.tables.wording import NOTHING, format_bare
from benchkit.units import format_change, format_number, format_pvalue

#: Minimum runs per side for the rank test; with fewer, another rule applies.
_RANK_RUNS = 4


def noise_lines(calibration: Calibration) -> tuple[str, ...]:
    """State the result, and how little such a small number of runs can show.

    Returns
    -------
    tuple of str
        One line for each metric, then the limits.
    """
    return (*(_say(metric) for metric in calibration.metrics), *_limits(calibration))


def _say(metric: NoiseMetric) -> str:
    name = display_name(metric.metric, metric.stat)
    held = f"a margin of {_margin(metric)} contains 95 % of A/A estimates"
    if math.isnan(metric.margin):
        held = "some values are 0 or negative, so there is no ratio and no margin"
    sides = f"{metric.k} + {metric.k} runs" if metric.k > 1 else "individual runs"
    if metric.rate is None:
        return f"{name}: {held} with {sides}; the rate of false alarms needs 2 runs per side."
    summary = f"{name}: {held} with {sides}; false alarms over splits {_rate(metric.rate)}"
    if metric.measured is None:
        return f"{summary}."
    return f"{summary}; in measured order {_rate(metric.measured)}."


def _limits(calibration: Calibration) -> list[str]:
    lines = []
    most = max(metric.comparisons for metric in calibration.metrics)
    if any(metric.k > 1 for metric in calibration.metrics):
        lines.append(
            f"The splits reuse the same runs, so together they count only as {most} independent "
            f"comparison{'s' if most > 1 else ''}. Over all splits, a rank test with 4 or more "
            "runs per side never gives more false alarms than its nominal rate, so this rate says "
            "nothing about the machine. Judge the machine by the rate in measured order."
        )
    fewest = min(metric.k for metric in calibration.metrics)
    if fewest < _RANK_RUNS:
        lines.append(
            f"Too few runs: a rank test cannot give a verdict with {fewest} per side; make at "
            "least 8 runs of one variant."
        )
    if most == 1 and calibration.pairs:
        lines.append(
            "There is only one pair, so it shows the difference between two sessions only once. "
            "The margin is at least that difference. Name more pairs with --pair."
        )
    elif most == 1:
        lines.append(
            "The margins come from one independent comparison; their intervals "
            "show how uncertain they are."
        )
    if most < _TRIALS:
        lines.append(
            f"{most} independent comparison{'s' if most > 1 else ''} cannot show whether the rate "
            f"is 5 %. Even {_TRIALS} without a false alarm would only show that it is below 10 %."
        )
    if calibration.skipped:
        count = len(calibration.skipped)
        lines.append(f"{count} row{'s' if count > 1 else ''} with too few runs left out.")
    return lines


#: Number of comparisons without an alarm whose interval ends at 10 %: 1 - 0.025^(1/36).
_TRIALS = 36


def noise_tables(calibration: Calibration) -> tuple[Table, ...]:
    """List the metrics, then each variant's rows."""
    return (_metrics_table(calibration), _rows_table(calibration))


def _metrics_table(calibration: Calibration) -> Table:
    rule = calibration.rule
    return Table(
        title="Noise by metric",
        columns=(
            Column("metric", "metric"),
            Column("k", "runs per side", align="right"),
            Column("rows", "rows", align="right"),
            Column("splits", "splits", align="right"),
            Column("comparisons", "independent", align="right"),
            Column("alarms", "false alarms"),
            Column("measured", "in measured order"),
            Column("margin", "suggested margin", align="right"),
        ),
        rows=tuple(_metric_cells(metric) for metric in calibration.metrics),
        caption=f"a false alarm: p ≤ {1 - rule.confidence:.2g} and an estimate beyond "
        f"{format_bare(rule.margin)}; intervals at 95 %",
    )


def _metric_cells(metric: NoiseMetric) -> tuple[Cell, ...]:
    counts = (metric.k, metric.rows, metric.splits, metric.comparisons)
    return (
        Cell(display_name(metric.metric, metric.stat)),
        *(Cell(f"{count}", count) for count in counts),
        Cell(_rate(metric.rate), metric.rate.value) if metric.rate else NONE,
        Cell(_rate(metric.measured), metric.measured.value) if metric.measured else NONE,
        Cell(_margin(metric), metric.margin),
    )


def _rows_table(calibration: Calibration) -> Table:
    pairs = bool(calibration.pairs)
    ordered = all(row.replicates.is_ordered for row in calibration.rows)
    order = "in the order of their starts" if ordered else "by run number: no starts recorded"
    table = Table(
        title="Noise by variant",
        columns=(
            *stub_columns(),
            Column("runs", "runs", align="right"),
            Column("splits", "splits", align="right"),
            Column("alarms", "false alarms", align="right"),
            Column("equivalent", "equivalence shown", align="right"),
            Column(
                "change",
                "first to second variant" if pairs else "first to second half",
                align="right",
            ),
            Column("p", "p", align="right"),
        ),
        rows=tuple(_row_cells(row) for row in calibration.rows),
        caption="" if pairs else f"runs {order}",
    )
    return fold_stub(table)


def _row_cells(row: NoiseRow) -> tuple[Cell, ...]:
    splits = f"{row.splits}" if row.splits == row.ways else f"{row.splits} of {row.ways}"
    ratio, p = row.measured.ratio[0], row.measured.pvalue
    return (
        *stub_cells(row.replicates),
        Cell(f"{row.replicates.n}", row.replicates.n),
        Cell(splits, row.splits),
        *(NONE if s is None else Cell(write_share(s), s) for s in (row.alarms, row.equivalent)),
        NONE if ratio is None else Cell(format_change(ratio), ratio),
        NONE if p is None else Cell(format_pvalue(p), p, mark="≠" if row.is_alarm else ""),
    )


def _margin(metric: NoiseMetric) -> str:
    """Write ``±3.5 % [2.1, 6.0 %]``, and large margins as factors: ``1.26× [1.14, 1.45×]``."""
    if math.isnan(metric.margin):
        return NOTHING
    sizes = (metric.margin, metric.margin_low, metric.margin_high)
    if is_wide(*sizes[1:]):
        return f"{_reach(metric.margin)} (too few runs for an interval)"
    if all(format_reach(size).startswith("±") for size in sizes):
        low, high = (write_share(end) for end in sizes[1:])
        return f"±{format_bare(metric.margin)} [{low.removesuffix(_PERCENT)}, {high}]"
    margin, low, high = (format_number(1 + size) for size in sizes)
    return f"{margin}× [{low}, {high}×]"


def _reach(size: float) -> str:
    """Write one margin: ``±3.5 %``, or a factor if it is large."""
    if format_reach(size).startswith("±"):
        return f"±{format_bare(size)}"
    return f"{format_number(1 + size)}\N{MULTIPLICATION SIGN}"


_PERCENT = "\N{NO-BREAK SPACE}%"


def _rate(rate: Estimate) -> str:
    """Write ``8.3 % [3.0, 19 %]``, or the upper end alone if the ends lie far apart."""
    low, high = (f"{100 * end:.{0 if end >= 0.1 else 1}f}" for end in (rate.low, rate.high))
    if is_wide(rate.low, rate.high):
        return f"{write_share(rate.value)} (at most {high}\N{NO-BREAK SPACE}%)"
    return f"{write_share(rate.value)} [{low}, {high}\N{NO-BREAK SPACE}%]"

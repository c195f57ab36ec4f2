"""One number for all benchmarks of a metric: a line under the table, and one in the verdict.

Where single rows are undecided all of them together may not be, and readers average the rows
anyway; the interval is that of the runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.comparison import PAIRED_T, WELCH, Together, join_rows
from benchkit.tables.phrases import join_metric
from benchkit.tables.wording import (
    NOTHING,
    format_bare,
    name_metric,
    name_variant,
    write_change,
    write_interval,
    write_loss_interval,
    write_size,
)
from benchkit.units import printable
from benchkit.verdict import INCONCLUSIVE, Verdict, Verdicts

#: What the runs' means are compared by, whatever the method of the rows.
_TESTS = {WELCH: "by Welch's test", PAIRED_T: "by the t-test of the rounds' pairs"}
#: With fewer benchmarks each row is asked for more runs instead.
_FEWEST_UNDECIDED = 5


def describe_averages(rows: Sequence[Verdict], margin: float) -> tuple[str, ...]:
    """Average the changes of each primary metric and variant over three benchmarks or more.

    Parameters
    ----------
    rows : sequence of Verdict
        Of one table.
    margin : float

    Returns
    -------
    tuple of str
        One line per pair, metric and subject; rows without an interval, of one run or of counts,
        are left out and make no line.
    """
    joined = join_rows(row.contrast for row in rows)
    return tuple(_describe(together, rows, margin) for together in joined)


def _describe(together: Together, rows: Sequence[Verdict], margin: float) -> str:
    c = together.contrast
    undecided = count_undecided(together, rows)
    state = f"{undecided} of them not shown" if undecided else "each of them decided"
    rest = f" ({together.left_out} more have other runs)" if together.left_out else ""
    interval = write_interval(c, margin)
    sure = f" {interval} at {format_bare(c.confidence)}, {_TESTS[c.method]}"
    if interval == NOTHING:
        sure = ""
    return (
        f"geometric mean of {name_metric(c)}, {printable(c.variant)}, over {len(together.rows)} "
        f"rows{rest}: {write_change(c, margin)}{sure}; {state}; exploratory"
    )


def count_undecided(together: Together, rows: Sequence[Verdict]) -> int:
    """Count the rows that show nothing by themselves."""
    averaged = set(map(id, together.rows))
    return sum(row.word == INCONCLUSIVE and id(row.contrast) in averaged for row in rows)


def describe_undecided(verdicts: Verdicts) -> str:
    """Say what the benchmarks of each metric show together, where single ones are undecided.

    Returns
    -------
    str
        ``over the 60 benchmarks together v2 costs 12.0 % more time_per_op [9.0, 15.0 % at 95 %]``;
        empty where fewer than five benchmarks have common runs, or every row is decided.
    """
    rows = verdicts.primary
    if not any(row.word == INCONCLUSIVE for row in rows):
        return ""
    joined = (
        each
        for each in join_rows(row.contrast for row in rows)
        if len(each.rows) >= _FEWEST_UNDECIDED and count_undecided(each, rows)
    )
    return "; ".join(_say_together(each, verdicts) for each in joined)


def _say_together(together: Together, verdicts: Verdicts) -> str:
    c, margin = together.contrast, verdicts.margin
    who = name_variant(c, verdicts)
    is_each = len({row.benchmark for row in together.rows}) == len(together.rows)
    kind = "benchmarks" if is_each else "rows"
    place = f" of {printable(c.group)}" if c.group else ""
    where = f"over the {len(together.rows)} {kind}{place} together"
    low, high = c.ratio_low, c.ratio_high
    if c.ratio is None or low is None or high is None:
        return f"{where} {name_metric(c)} of {who}: {write_change(c, margin)}"
    if low <= 1 <= high:
        interval = write_interval(c, margin)
        change = f"{write_change(c, margin)} {interval}"
        return f"{where} no change in {name_metric(c)} of {who} is shown: {change}"
    is_worse = (c.ratio > 1) == (c.better == "lower")
    verb = "changes" if c.better == "none" else "costs" if is_worse else "gains"
    row = Verdict(contrast=c, p_adjusted=None, word=INCONCLUSIVE, notes=())
    size = f"{write_size(c, margin)} {join_metric([row], name_metric(c))}"
    return f"{where} {who} {verb} {size} {write_loss_interval(c)}".rstrip()

"""One number for all benchmarks of a metric: a line under the table, and one in the verdict.

All rows together may be decided even if single rows are not, and readers average the rows anyway.
The interval reflects the variation between runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.comparison import PAIRED_T, WELCH, Together, join_rows
from benchkit.tables.phrases import describe_change
from benchkit.tables.wording import (
    NOTHING,
    format_bare,
    name_metric,
    name_variant,
    write_change,
    write_interval,
    write_sureness,
)
from benchkit.units import printable
from benchkit.verdict import INCONCLUSIVE, Verdict, Verdicts

#: Tests that compare the means of the runs, whatever the method of the rows.
_TESTS = {WELCH: "by Welch's test", PAIRED_T: "by the t-test of the paired rounds"}
#: Minimum number of benchmarks; with fewer, each row is asked for more runs instead.
_FEWEST_UNDECIDED = 5


def describe_averages(rows: Sequence[Verdict], margin: float) -> tuple[str, ...]:
    """Average the changes of each primary metric and variant over at least three benchmarks.

    Parameters
    ----------
    rows : sequence of Verdict
        The rows of one table.

    Returns
    -------
    tuple of str
        One line per pair, metric and subject. Rows without an interval, rows of one run and counts
        are left out.
    """
    joined = join_rows(row.contrast for row in rows)
    return tuple(_describe(together, rows, margin) for together in joined)


def _describe(together: Together, rows: Sequence[Verdict], margin: float) -> str:
    c = together.contrast
    undecided = count_undecided(together, rows)
    state = f"; {undecided} of them inconclusive" if undecided else ""
    rest = f" ({_count_left_out(together.left_out)})" if together.left_out else ""
    interval = write_interval(c, margin)
    sure = f" {interval} at {format_bare(c.confidence)}, {_TESTS[c.method]}"
    if interval == NOTHING:
        sure = ""
    return (
        f"geometric mean of {name_metric(c)}, {printable(c.variant)}, over {len(together.rows)} "
        f"rows{rest}: {write_change(c, margin)}{sure}{state}; secondary"
    )


def _count_left_out(count: int) -> str:
    are = "rows are" if count > 1 else "row is"
    return f"{count} more {are} left out: from different runs, by another method or without a ratio"


def count_undecided(together: Together, rows: Sequence[Verdict]) -> int:
    """Count the rows that are undecided by themselves."""
    averaged = set(map(id, together.rows))
    return sum(row.word == INCONCLUSIVE and id(row.contrast) in averaged for row in rows)


def describe_undecided(verdicts: Verdicts) -> str:
    """Describe what the benchmarks of each metric show together, if single ones are undecided.

    Returns
    -------
    str
        ``over all 60 benchmarks, v2 takes 12.0 % more time per operation than v1 (95 % CI …)``;
        empty if fewer than five benchmarks have common runs, or every row is decided.
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
    where = f"over all {len(together.rows)} {kind}{place}"
    low, high = c.ratio_low, c.ratio_high
    if c.ratio is None or low is None or high is None:
        return f"{where}, {who}: {write_change(c, margin)} {name_metric(c)}"
    if low <= 1 <= high:
        change = f"{write_change(c, margin)} {write_sureness(c)}"
        return f"{where}, {who} is inconclusive in {name_metric(c)}: {change}"
    row = Verdict(contrast=c, p_adjusted=None, word=INCONCLUSIVE, notes=())
    change = describe_change(printable(c.variant), [row], verdicts)
    return f"{where}, {change} {write_sureness(c)}".rstrip()

"""One series of a history as text: its step changes, and its newest commit."""

from __future__ import annotations

import math

from benchkit.comparison import HISTORY_RUNS
from benchkit.history.model import (
    BY_CHANCE,
    HIDDEN,
    INSIDE,
    NO_BASELINE,
    NOT_MEASURED,
    OUTSIDE,
    Change,
    Newest,
    Series,
)
from benchkit.history.naming import is_cost, name_commit, write_day
from benchkit.intervals import TOO_WIDE, format_interval
from benchkit.tables.wording import count_of, write_value
from benchkit.units import common_scale, format_change, format_pvalue, printable


def write_change(series: Series, change: Change) -> str:
    """Write ``since abc1234 (11 Nov 2026): +3.2 % [2.1, 4.3 %], 14 commits``."""
    return f"{name_change(series, change)}: {describe_change(series, change)}"


def name_change(series: Series, change: Change) -> str:
    """Name the commit of a change, with its date."""
    return f"since {name_commit(series, change.commit)} ({write_day(change.time)})"


def describe_change(series: Series, change: Change) -> str:
    """Write ``▲ worse +3.2 % [2.1, 4.3 %], 14 commits``."""
    times = count_commits(change.commits)
    size = f"{_mark(series, change)} {_write_size(series, change)}"
    why = f"; accepted: {printable(change.reason)}" if change.reason else ""
    return f"{size}, {times}{why}"


def _write_size(series: Series, change: Change) -> str:
    """Write ``+3.2 % [2.1, 4.3 %]``; for exact counts ``+8.3 % (12 → 13)``."""
    if series.is_difference:
        return f"{_write_difference(series, change)} ({_write_levels(series, change)})"
    if not change.is_exact:
        return f"{format_change(change.ratio)} {_interval(change)}"
    levels = _write_levels(series, change)
    return levels if math.isnan(change.ratio) else f"{format_change(change.ratio)} ({levels})"


def _write_levels(series: Series, change: Change) -> str:
    ends = (change.before, change.after)
    scale, step = common_scale(ends, series.unit), float(all(map(float.is_integer, ends)))
    return " → ".join(write_value(end, scale, step if end else 0.0) for end in ends)


def _write_difference(series: Series, change: Change | Newest) -> str:
    """Write ``+3.00 [+2.00, +4.00]``, in the unit."""
    ends = [end for end in (change.low, change.high) if math.isfinite(end)]
    scale = common_scale([change.difference, *ends], series.unit)
    value, *texts = (
        f"{'+' if number > 0 else ''}{write_value(number, scale)}"
        for number in (change.difference, *ends)
    )
    return f"{value} [{', '.join(texts)}]" if len(texts) == 2 else value


def write_newest(series: Series) -> str:
    """State whether the newest commit lies within the prediction from the commits before it."""
    return f"{name_newest(series)}: {write_place(series)}"


def write_place(series: Series) -> str:
    """Write the place of the newest commit: ``inside, +1.2 % vs. [−2.0, +2.0 %]``."""
    newest = series.newest
    if series.is_exact and newest.verdict in {INSIDE, OUTSIDE}:
        others = (
            f"the {count_commits(newest.commits)} before it"
            if newest.commits > 1
            else "the commit before it"
        )
        if newest.verdict == INSIDE:
            return f"{INSIDE}, like {others}"
        return f"{OUTSIDE}, {_write_size(series, series.changes[-1])} vs. {others}"
    if newest.verdict in {NOT_MEASURED, NO_BASELINE}:
        return _write_unplaced(series)
    if series.is_difference:
        size = _write_difference(series, newest).replace(" [", " vs. [")
    else:
        where = format_interval(newest.low, newest.high, ratio=newest.ratio)
        place = f": {where}" if where == TOO_WIDE else f" vs. {where}"
        size = f"{format_change(newest.ratio)}{place}"
    if newest.verdict == BY_CHANCE:
        return (
            f"{size}; with so many series, chance alone produces one like it (q {_write_q(newest)})"
        )
    if newest.verdict == HIDDEN:
        names = ", ".join(name_commit(series, commit) for commit in newest.outliers)
        return f"{size}, inside the range only because of the outlier {names}"
    q = f" (q {_write_q(newest)})" if newest.verdict == OUTSIDE else ""
    return f"{newest.verdict}, {size}{q}"


def _write_unplaced(series: Series) -> str:
    newest, commits = series.newest, count_commits(series.newest.commits)
    if newest.verdict == NOT_MEASURED:
        return "not measured here since"
    if newest.commits < HISTORY_RUNS:
        few = f"{commits} before it{' since the last step change' if series.changes else ''}"
        return f"{NO_BASELINE}, {few}; at least {HISTORY_RUNS} are needed"
    is_ratio = not series.is_difference
    size = format_change(newest.ratio) if is_ratio else _write_difference(series, newest)
    return f"{NO_BASELINE}, {size} vs. the {commits} before it, which are all equal"


def _write_q(newest: Newest) -> str:
    text = format_pvalue(newest.qvalue)
    return text if text.startswith("<") else f"= {text}"


def count_commits(number: int) -> str:
    """Write ``1 commit``, ``2 commits``."""
    return count_of(number, "commit")


def _mark(series: Series, change: Change) -> str:
    if change.reason and change.low <= 1 <= change.high:
        return "~"
    return {True: "▲ worse", False: "▼ better", None: "≠"}[is_cost(series, change)]


def _interval(change: Change) -> str:
    if not (math.isfinite(change.low) and change.low > 0 and change.high < 1e6):
        return "[no interval: too few commits]"
    return format_interval(change.low, change.high, ratio=change.ratio)


def name_newest(series: Series) -> str:
    """Name the newest commit, with its date."""
    last = series.measured[-1]
    return f"newest {name_commit(series, last.commit)} ({write_day(last.time)})"

"""The effect of more load: a line per level, and a sentence on where the gain ends."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.derived.saturation import Saturation
from benchkit.derived.sweep import CONNECTIONS, FEWEST, Level, Sweep
from benchkit.intervals import TOO_WIDE, is_wide
from benchkit.metrics import display_name
from benchkit.tables.model import Cell, Column, Table, amount, column, drop_empty, percent, scale_of
from benchkit.tables.wording import NOTHING, format_bare
from benchkit.units import (
    Scale,
    format_number,
    format_percent,
    format_quantity,
    format_stepped,
    printable,
)

#: Shares of the best rate that people look for; numbers are not rounded across them.
_SHARES = (0.8, 0.85, 0.9, 0.95, 1.0)
_TIMES = "\N{MULTIPLICATION SIGN}"
_STATS = ("mean", "p50", "p99", "stdev", "max")
#: Largest step, as a share of a latency, that costs no digit that people read.
_COARSE = 0.005


def name_sweep(sweep: Sweep) -> str:
    """Name the swept series: ``nginx, /index.html, ab``."""
    parts = (sweep.group, sweep.variant, sweep.benchmark, sweep.params, sweep.tool)
    return printable(", ".join(part for part in parts if part))


def sweep_table(saturation: Saturation) -> Table:
    """Build the table of a sweep, with its knee marked."""
    sweep, knee = saturation.sweep, saturation.knee
    times = _time_scale(sweep)
    rows = tuple(
        (
            Cell(_size(level.size), level.size, "→" if level.size == knee else ""),
            amount(level.rate, Scale(1.0, "/s")),
            _quiet(amount(sweep.wait(level), times)),
            *(_write_latency(level, stat, times) for stat in _STATS),
            Cell(f"{sweep.speed_up(level):.2f}", sweep.speed_up(level)),
            percent(sweep.efficiency(level)),
            percent(sweep.share(level), _SHARES),
            _quiet(percent(sweep.gain(index), signed=True)),
            Cell(f"{level.runs}", level.runs),
        )
        for index, level in enumerate(sweep.levels)
    )
    unit = "" if sweep.by == CONNECTIONS else "/s"
    columns = (
        Column("level", "connections" if sweep.by == CONNECTIONS else "offered", unit, "right"),
        column("rate", "requests", Scale(1.0, "/s")),
        column("wait", "connections ÷ rate", times),
        *(column(stat, display_name("latency", stat), times) for stat in _STATS),
        column("speed_up", "speed-up"),
        column("efficiency", "efficiency"),
        column("share", "of best"),
        column("gain", "gain per step"),
        column("runs", "runs"),
    )
    table = drop_empty(Table(f"Sweep: {name_sweep(sweep)}", columns, rows), ("wait", *_STATS))
    statement = (
        f"medians over runs; → knee by {saturation.rule.text}"
        if saturation.level
        else "medians over runs"
    )
    footer = (*_describe_steps(sweep), *_describe_law(saturation))
    return Table(table.title, table.columns, table.rows, caption=statement, footer=footer)


def _time_scale(sweep: Sweep) -> Scale:
    """Choose one scale for all times, so that rows can be compared across columns."""
    waits = [wait for level in sweep.levels if (wait := sweep.wait(level))]
    latencies = [[level.latency.get(stat, 0.0) for level in sweep.levels] for stat in _STATS]
    return scale_of([max(values, default=None) for values in (waits, *latencies)], "s")


def _write_latency(level: Level, stat: str, scale: Scale) -> Cell:
    value = level.latency.get(stat)
    if value is None:
        return Cell("")
    step = level.steps.get(stat, 0.0) / (1 if level.runs % 2 else 2)  # a median of two lies between
    return Cell(format_stepped(value / scale.factor, step / scale.factor), value)


def _describe_steps(sweep: Sweep) -> tuple[str, ...]:
    """State the steps in which a tool reports its latencies, if they cost a digit."""
    steps: dict[float, list[str]] = {}
    for stat in _STATS:
        resolutions = [level.steps.get(stat, 0.0) for level in sweep.levels]
        seen = min((v for level in sweep.levels if (v := level.latency.get(stat))), default=0.0)
        if max(resolutions) > _COARSE * seen > 0:
            steps.setdefault(max(resolutions), []).append(stat)
    if not steps:
        return ()
    statement = "; ".join(
        f"{', '.join(stats)} in steps of {format_quantity(step, 's', 1)}"
        for step, stats in steps.items()
    )
    finer = "; connections ÷ rate is the more precise mean" if sweep.by == CONNECTIONS else ""
    return (f"latencies are rounded by the tool: {statement}{finer}",)


def _quiet(cell: Cell) -> Cell:
    return Cell("") if cell.text == NOTHING else cell


def lead_sweeps(saturations: Sequence[Saturation]) -> str:
    """Summarise a sweep in a line: its best level, the speed-up there, and its knee."""
    sweep = saturations[0].sweep
    best, lowest = sweep.best, sweep.levels[0]
    unit = " connections" if sweep.by == CONNECTIONS else " requests/s offered"
    times = f", {sweep.speed_up(best):.2f}{_TIMES} the rate at {_size(lowest.size)}"
    rest = len(saturations) - 1
    more = f"; and {rest} more sweep{'s' if rest > 1 else ''}" if rest else ""
    return (
        f"Sweep of {name_sweep(sweep)}: best at {_size(best.size)}{unit} with "
        f"{format_number(best.rate)} requests/s{times if best is not lowest else ''}; "
        f"{_say_knee(saturations[0])}{more}."
    )


def describe_sweep(saturation: Saturation) -> str:
    """State where a sweep saturates, by which rule, at what cost, and what was not measured."""
    sweep = saturation.sweep
    parts = [_say_knee(saturation)]
    last, at = sweep.levels[-1], saturation.level
    if at is not None and at is not last:
        parts.append(_say_beyond(sweep, at, last))
    if sweep.best is last:
        parts.append("the best rate is at the highest level, so the maximum may be beyond it")
    if (bound := saturation.bound) is not None:
        parts.append(_say_bounds(bound, saturation.gap))
    return f"{name_sweep(sweep)}: {'; '.join(parts)}."


def _say_knee(saturation: Saturation) -> str:
    sweep, rule, knee = saturation.sweep, saturation.rule, saturation.knee
    if knee is None:
        return f"no level is the knee by {printable(rule.text)}{_say_why(saturation)}"
    where = f"{_size(knee)} {'connections' if sweep.by == CONNECTIONS else 'requests/s'}"
    if rule.kind == "share":
        share = f"at least {format_bare(rule.amount)} of the best rate"
        if knee == sweep.sizes[0]:
            return f"even the lowest tested level, {where}, reaches {share}"
        return f"{where} is the lowest tested level with {share}"
    if rule.kind == "sla":
        limit = printable(rule.text.partition(":")[2])
        return f"{where} is the largest tested level that meets {limit}"
    how = "the highest ratio of rate to latency" if rule.kind == "power" else "the fitted peak"
    return f"{where} is the knee by {rule.text} ({how})"


def _say_why(saturation: Saturation) -> str:
    sweep, rule, law = saturation.sweep, saturation.rule, saturation.law
    if rule.kind == "usl" and law is not None:
        return f": {', '.join(law.poor)}" if law.poor else ": the fit has no peak"
    if rule.kind != "sla":
        return ""
    lowest = sweep.levels[0]
    if lowest.get_latency(rule.stat) is None:
        return f": latency {rule.stat} was not recorded at {_size(lowest.size)}"
    return ": the lowest level does not meet it"


def _size(level: float) -> str:
    """Write a level, without decimals if it is a whole number."""
    return format_number(level, 1 if float(level).is_integer() else 3)


def _say_beyond(sweep: Sweep, at: Level, last: Level) -> str:
    change = format_percent(last.rate / at.rate - 1)
    statement = f"from there to {_size(last.size)} the rate changes by {change}"
    before, after = (sweep.wait(level) or level.latency.get("mean") for level in (at, last))
    if before and after:
        statement += f" while a request takes {format_number(after / before)}{_TIMES} as long"
    return statement


def _say_bounds(bound: float, gap: tuple[float, float] | None) -> str:
    statement = f"asymptotic bounds put the knee near {bound:.1f} connections"
    if gap is None:
        return statement
    low, high = (_size(size) for size in gap)
    return (
        f"{statement}, and no level between {low} and {high} was measured: the optimum lies "
        "somewhere in between"
    )


def _describe_law(saturation: Saturation) -> tuple[str, ...]:
    law = saturation.law
    if law is None:
        return (f"no USL fit: it needs at least {FEWEST} levels in a closed loop",)
    peak = f", peak at {law.peak:.0f}" if math.isfinite(law.peak) else ""
    limit = f"limit {format_number(law.limit)}/s{peak}" if math.isfinite(law.limit) else "no limit"
    parameters = (
        f"USL fit: λ {_triple(law.rate, '/s')}",
        f"σ {_triple(law.contention)}",
        f"κ {_triple(law.coherency)}",
        limit,
        f"largest error {format_percent(law.miss).lstrip('+±')}",
    )
    verdict = f"; poor fit: {', '.join(law.poor)}" if law.poor else ""
    return (f"{', '.join(parameters)}{verdict}",)


def _triple(numbers: tuple[float, float, float], unit: str = "") -> str:
    value, low, high = numbers
    text = f"{format_number(value) if value >= 1e-9 else '0'}{unit}"
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{text} [no interval]"
    if is_wide(low, high):
        return f"{text} ({TOO_WIDE})"
    return f"{text} [{format_number(low)}, {format_number(high)}]"

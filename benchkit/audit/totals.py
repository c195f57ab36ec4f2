"""Rules about the arithmetic of a report: totals against rate and duration, order of ranks.

Rules about p-values in a table of another tool.

Rules about several outputs of one run: text, JSON and samples should agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from benchkit.audit.facts import Evidence, Number, Sheet, name_side
from benchkit.derived.record import Run
from benchkit.derived.stretches import is_stretch
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.metrics import display_name
from benchkit.parsers import registry
from benchkit.regexes import regex
from benchkit.units import format_percent, format_quantity

if TYPE_CHECKING:
    from benchkit.schema import Observations


#: A total, and the rate that follows from it and the run length.
_PAIRS = (
    (("requests", "count"), ("request_rate", "mean")),
    (("iterations", "count"), ("iteration_rate", "mean")),
    (("bytes_in", "total"), ("bandwidth_in", "mean")),
    (("bytes_out", "total"), ("bandwidth_out", "mean")),
)
#: A disagreement beyond rounding that is too small to report.
_ALLOWED = 0.005
_QUANTILE = regex(r"p(\d+(?:\.\d+)?)")
#: Approximation error of quantiles from a histogram or a digest, as a share.
_APPROXIMATE = 0.01
_LAST = 101.0

#: The entry of a run's environment for impossible values that the parser noticed.
_FAULT = "benchstat.fault"
_OF_VALUE = ("value", "resolution", "source")
_ABOUT = ["group", "variant", "benchmark", "params", "run", "tool", "subject", "metric", "stat"]
#: Tolerated difference between two forms beyond their rounding, as a share.
_APART = 1e-9


@dataclass(frozen=True, slots=True)
class _Seconds:
    """The run length according to one source."""

    name: str
    length: Number


def find_wrong_totals(evidence: Evidence) -> Iterator[Finding]:
    """B312: requests, rate and duration of one report contradict each other."""
    for sheet in evidence.sheets:
        witnesses = list(_list_lengths(sheet))
        if len(witnesses) > 1:
            worst = max(witnesses[1:], key=lambda w: _measure_gap(witnesses[0], w))
            gap = _measure_gap(witnesses[0], worst)
            if gap > _ALLOWED:
                yield _report_totals(sheet, witnesses[0], worst, gap)


def find_wrong_order(evidence: Evidence) -> Iterator[Finding]:
    """B313: a lower percentile above a higher one, or a mean outside its range."""
    for sheet in evidence.sheets:
        ranks: dict[tuple[str, str], dict[str, Number]] = {}
        for (metric, stat, subject), number in sheet.numbers.items():
            ranks.setdefault((metric, subject), {})[stat] = number
        for (metric, subject), numbers in ranks.items():
            wrong = _find_wrong(numbers)
            if wrong:
                yield _report_wrong(sheet, metric, subject, numbers, wrong)


def _list_lengths(sheet: Sheet) -> Iterator[_Seconds]:
    """Yield the lengths that the report implies; its own duration first, if rates depend on it."""
    if not registry.tool(sheet.run.tool).iterates:
        duration = sheet.get("duration", "total", "attack") or sheet.get("duration", "total")
        if duration is not None and duration.value > 0:
            yield _Seconds("the duration", duration)
    for (total, stat), (rate, rate_stat) in _PAIRS:
        whole, speed = sheet.get(total, stat), sheet.get(rate, rate_stat)
        if whole and speed and whole.value > 0 and speed.value > 0:
            length = whole.value / speed.value
            step = length * (whole.slack + speed.slack)
            yield _Seconds(f"{total} ÷ {rate}", Number(length, step))


def _measure_gap(one: _Seconds, other: _Seconds) -> float:
    """Return the share by which two lengths differ, beyond rounding."""
    apart = abs(one.length.value - other.length.value) - one.length.step - other.length.step
    return max(apart, 0.0) / one.length.value


def _report_totals(sheet: Sheet, one: _Seconds, other: _Seconds, gap: float) -> Finding:
    return Finding(
        code="B312",
        severity="warning",
        where=sheet.source,
        message=f"{one.name} is {format_quantity(one.length.value, 's', 4)}, but {other.name} is "
        f"{format_quantity(other.length.value, 's', 4)} ({sheet.run.name}): "
        f"{format_percent(other.length.value / one.length.value - 1)}, more than rounding explains",
        remedy="check which number was mistyped or belongs to another run; if you cannot tell, run "
        "again",
        numbers={
            one.name: one.length.value,
            other.name: other.length.value,
            "gap": gap,
        },
    )


def _find_wrong(numbers: Mapping[str, Number]) -> tuple[str, str] | None:
    """Return two neighbours in the wrong order, or a mean and the limit that it exceeds."""
    ranked = sorted((rank, stat) for stat in numbers if (rank := _rank(stat)) is not None)
    for (_, low), (_, high) in pairwise(ranked):
        if _is_above(numbers[low], numbers[high]):
            return low, high
    if "mean" in numbers:
        if "min" in numbers and _is_above(numbers["min"], numbers["mean"]):
            return "min", "mean"
        if "max" in numbers and _is_above(numbers["mean"], numbers["max"]):
            return "mean", "max"
    return None


def _rank(stat: str) -> float | None:
    if stat == "min":
        return -1.0
    if stat == "max":
        return _LAST
    match = _QUANTILE.fullmatch(stat)
    return float(match[1]) if match else None


def _is_above(low: Number, high: Number) -> bool:
    allowed = low.step + high.step + _APPROXIMATE * abs(high.value)
    return low.value - high.value > allowed


def _report_wrong(
    sheet: Sheet, metric: str, subject: str, reported: Mapping[str, Number], wrong: tuple[str, str]
) -> Finding:
    low, high = wrong
    unit = "s" if "time" in metric or "latency" in metric else "1"
    values = [format_quantity(reported[stat].value, unit) for stat in wrong]
    about = f" of {subject}" if subject else ""
    return Finding(
        code="B313",
        severity="warning",
        where=sheet.source,
        message=f"{metric}{about}: {low} ({values[0]}) is above {high} ({values[1]}) in "
        f"{sheet.run.name}, which is impossible",
        remedy="check whether a line was mistyped or belongs to another run",
        numbers={low: reported[low].value, high: reported[high].value},
    )


def find_impossible_pvalues(evidence: Evidence) -> Iterator[Finding]:
    """B307: a benchstat table contains a p-value that is impossible for its runs."""
    faults: dict[tuple[str, ...], dict[str, Run]] = {}
    for run in evidence.list_runs(lambda run: _FAULT in run.env):
        faults.setdefault(run.side, {}).setdefault(run.env[_FAULT], run)
    for runs_by_fault in faults.values():
        for fault, run in runs_by_fault.items():
            yield Finding(
                code="B307",
                severity="warning",
                where=name_side(run.side),
                message=fault,
                remedy="compare the raw runs: another test was used, the table was edited, or "
                "benchstat has a bug",
            )


def find_disagreements(observations: Observations) -> Iterator[Finding]:
    """B104: two sources of one run disagree on statistics, beyond their rounding.

    One finding for each pair of sources, with the statistic that differs most.
    """
    is_value = ~observations["stat"].isin(["sample", "counter"])
    is_value &= ~is_stretch(observations["stat"])
    statistics = observations[is_value & ~observations["tool"].isin(registry.companions())]
    twice = statistics[statistics.duplicated(_ABOUT, keep=False)]
    alike: dict[tuple[object, ...], list[_Statistic]] = {}
    columns = [twice[name].tolist() for name in _ABOUT]
    values = [twice[name].tolist() for name in ("tool", "metric", "stat", *_OF_VALUE)]
    for about, row in zip(zip(*columns, strict=True), zip(*values, strict=True), strict=True):
        known = tuple(label if label == label else "" for label in about)  # noqa: PLR0124 - NaN
        alike.setdefault(known, []).append(_Statistic(*row))
    pairs: dict[tuple[str, ...], list[_Gap]] = {}
    for same in alike.values():
        gap = _find_gap(same)
        if gap is not None:
            pairs.setdefault(gap.files, []).append(gap)
    for gaps in pairs.values():
        yield _report(gaps)


_REMEDY = (
    "benchkit uses the most precise of the complete outputs; "
    "if they belong to different runs, rename them"
)


@dataclass(frozen=True, slots=True)
class _Statistic:
    """A statistic as reported by one source."""

    tool: str
    metric: str
    stat: str
    value: float
    resolution: float
    source: str


@dataclass(frozen=True, slots=True)
class _Gap:
    """One statistic on which sources of one run disagree."""

    files: tuple[str, ...]
    tool: str
    name: str
    is_quantile: bool
    share: float
    values: tuple[float, ...]


def _find_gap(same: Sequence[_Statistic]) -> _Gap | None:
    first = same[0]
    files = tuple(each.source.rpartition(":")[0] for each in same)
    is_quantile = first.stat.startswith("p")
    share = _measure_distance(
        same, registry.tool(first.tool).quantile_error if is_quantile else 0.0
    )
    if not share or len(set(files)) == 1:
        return None
    name = display_name(first.metric, first.stat)
    return _Gap(files, first.tool, name, is_quantile, share, tuple(each.value for each in same))


def _measure_distance(same: Sequence[_Statistic], approximate: float) -> float:
    """Return the share by which the values differ, 0 if their rounding explains it."""
    values = [each.value for each in same]
    gap = max(values) - min(values)
    size = max(map(abs, values))
    steps = sum(sorted(each.resolution for each in same if each.resolution > 0)[-2:])
    if size == 0 or gap <= steps + size * max(approximate, _APART):
        return 0.0
    return gap / size


def _report(gaps: Sequence[_Gap]) -> Finding:
    worst = max(gaps, key=lambda gap: gap.share)
    count = "one statistic differs" if len(gaps) == 1 else f"{len(gaps)} statistics differ"
    largest = "" if len(gaps) == 1 else "; largest"
    values = " vs. ".join(f"{value:g}" for value in worst.values)
    reason = registry.tool(worst.tool).quantile_note if worst.is_quantile else ""
    return Finding(
        code="B104",
        severity="warning",
        where=list_names(dict.fromkeys(worst.files)),
        message=f"{count} between outputs of one run{largest}: "
        f"{worst.name}, by {format_percent(worst.share).lstrip('+')} ({values})",
        remedy="; ".join(filter(None, (reason, _REMEDY))),
        numbers={"share": worst.share, "statistics": len(gaps)},
    )

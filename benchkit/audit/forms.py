"""Rules about several outputs of one run: text, JSON and samples should tell the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.derived.stretches import is_stretch
from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.metrics import display_name
from benchkit.parsers import registry
from benchkit.units import format_percent

if TYPE_CHECKING:
    from benchkit.schema import Observations

_OF_VALUE = ("value", "resolution", "source")
_ABOUT = ["group", "variant", "benchmark", "params", "run", "tool", "subject", "metric", "stat"]
#: How far two forms may lie apart beyond their rounding, as a share.
_ALLOWED = 1e-9


def find_disagreements(observations: Observations) -> Iterator[Finding]:
    """B104: two sources of one run tell statistics differently, beyond their rounding.

    One finding for each pair of sources, with the statistic that lies apart most.
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
        yield _tell(gaps)


_REMEDY = (
    "benchkit uses the most precise of the complete outputs; "
    "if they belong to different runs, rename them"
)


@dataclass(frozen=True, slots=True)
class _Statistic:
    """A statistic as one source tells it."""

    tool: str
    metric: str
    stat: str
    value: float
    resolution: float
    source: str


@dataclass(frozen=True, slots=True)
class _Gap:
    """One statistic that sources of one run tell differently."""

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
    share = _measure_gap(same, registry.tool(first.tool).quantile_error if is_quantile else 0.0)
    if not share or len(set(files)) == 1:
        return None
    name = display_name(first.metric, first.stat)
    return _Gap(files, first.tool, name, is_quantile, share, tuple(each.value for each in same))


def _measure_gap(same: Sequence[_Statistic], approximate: float) -> float:
    """Return by what share the values lie apart, 0 if their rounding explains it."""
    values = [each.value for each in same]
    gap = max(values) - min(values)
    size = max(map(abs, values))
    steps = sum(sorted(each.resolution for each in same if each.resolution > 0)[-2:])
    if size == 0 or gap <= steps + size * max(approximate, _ALLOWED):
        return 0.0
    return gap / size


def _tell(gaps: Sequence[_Gap]) -> Finding:
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

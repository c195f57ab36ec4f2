"""Contrasts that belong in one panel, and its name.

Every chart of a comparison has one panel per place and the same colour for the same variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchkit.comparison import Contrast
from benchkit.metrics import display_name, lookup, percentile_level
from benchkit.plots.chart import part
from benchkit.units import Scale, printable
from benchkit.verdict import Verdicts

_LEVELS = ("group", "benchmark", "params", "tool", "subject")


def group_by_place(
    contrasts: Iterable[Contrast], names: Sequence[str]
) -> list[tuple[str, list[Contrast]]]:
    """Group contrasts with equal ``names``; a heading says what distinguishes the groups.

    Parameters
    ----------
    contrasts : iterable of Contrast
    names : sequence of str
        Fields of a contrast.
    """
    groups: dict[tuple[str, ...], list[Contrast]] = {}
    for contrast in contrasts:
        key = tuple(str(getattr(contrast, name)) for name in names)
        groups.setdefault(key, []).append(contrast)
    varying = [name for place, name in enumerate(names) if len({key[place] for key in groups}) > 1]
    return [(_head(group[0], varying), group) for group in groups.values()]


def _head(contrast: Contrast, varying: Sequence[str]) -> str:
    metric = display_name(contrast.metric, contrast.stat if "stat" in varying else "sample")
    levels = [name for name in varying if name in _LEVELS]
    parts = [metric, *(_name(contrast, name) for name in levels)]
    return printable(" · ".join(part for part in parts if part))


def _name(contrast: Contrast, level: str) -> str:
    return str(getattr(contrast, "container" if level == "subject" else level))


def sides(contrasts: Sequence[Contrast]) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield each baseline with its variants and their series, few enough for one panel."""
    pairs: dict[str, list[str]] = {}
    for contrast in contrasts:
        variants = pairs.setdefault(contrast.baseline, [])
        if contrast.variant not in variants:
            variants.append(contrast.variant)
    for baseline, variants in pairs.items():
        for some in part(variants):
            yield baseline, [(name, place) for place, name in enumerate(some, 1)]


def usable(verdicts: Verdicts) -> list[Contrast]:
    """Return the contrasts in the order of the table, primary ones first."""
    rows = [row.contrast for row in verdicts.rows]
    return sorted(rows, key=lambda contrast: not contrast.primary)


def of_percentiles(verdicts: Verdicts) -> list[Contrast]:
    """Return the contrasts of percentiles: of a primary metric, of whole requests, or all."""
    percentiles = [c for c in usable(verdicts) if percentile_level(c.stat) is not None]
    whole = [contrast for contrast in percentiles if not contrast.subject]
    metrics = {row.contrast.metric for row in verdicts.primary}
    return [contrast for contrast in whole if contrast.metric in metrics] or whole or percentiles


def level_of(contrast: Contrast) -> float:
    """Return the level of a contrast of percentiles."""
    return percentile_level(contrast.stat) or 0.0


def name_values(metric: str, scale: Scale, stat: str = "") -> str:
    """Name an axis of values: ``median latency, µs``, or ``requests/s``, which is its unit."""
    shown = display_name(metric, stat) if stat else lookup(metric).display or metric
    has_unit = shown.endswith("/s") and scale.factor == 1
    return f"{shown}, {scale.label}" if scale.label and not has_unit else shown

"""Number of events of a run behind a quantile.

Also whether the requests behind a row succeeded, and were answered the same on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from benchkit.comparison.model import Contrast, Row
from benchkit.derived.failures import Answers, Share, describe_other_answers
from benchkit.metrics import percentile_level
from benchkit.schema import Side, list_labels
from benchkit.stats.twolevel import FEWEST_BEYOND

if TYPE_CHECKING:
    from benchkit.schema import Observations


#: Metrics with one event per request, so that the number of requests is the number of events.
_PER_REQUEST = frozenset({"latency", "uncorrected_latency", "phase_time"})

#: Metrics that describe the responses themselves.
OF_ANSWERS = frozenset(
    ("failures", "error_rate", "checks", "responses", "bytes_in", "bandwidth_in")
)


class Events:
    """Number of events in the shortest run behind each quantile, by variant."""

    def __init__(self, observations: Observations) -> None:
        is_count = (observations["metric"] == "requests") & (observations["stat"] == "count")
        stats = observations["stat"]
        levels = [stat for stat in stats.unique() if percentile_level(stat) is not None]
        is_counted = observations["n"].notna() & stats.isin(levels)
        counts, counted = observations[is_count], observations[is_counted]
        self._requests: dict[Side, float] = {}
        self._events: dict[tuple[str, Row], float] = {}
        for labels, count in zip(list_labels(counts), counts["value"].tolist(), strict=True):
            self._requests[labels.side] = min(self._requests.get(labels.side, inf), count)
        subjects = [text if isinstance(text, str) else "" for text in counted["subject"].tolist()]
        rest = (counted[name].tolist() for name in ("metric", "stat", "n"))
        for labels, *about, n in zip(list_labels(counted), subjects, *rest, strict=True):
            key = labels.variant, Row(*labels.side.workload, *about)
            self._events[key] = min(self._events.get(key, inf), float(n))

    def beyond(self, key: Row, *variants: str) -> float:
        """Return how many events of a run lie beyond a quantile; inf for other stats or unknown.

        If several sources of a run report a number of events, the smallest counts.
        """
        level = percentile_level(key.stat)
        if level is None:
            return inf
        return min((1 - level) * self._count(key, variant) for variant in variants)

    def _count(self, key: Row, variant: str) -> float:
        known = self._events.get((variant, key))
        if known is not None:
            return known
        if key.metric not in _PER_REQUEST:
            return inf
        return self._requests.get(key.workload.side(variant), inf)


def has_tail(beyond: float) -> bool:
    """Return whether enough events lie beyond a quantile: at least 10, or an unknown number."""
    return beyond >= FEWEST_BEYOND * (1 - 1e-9)


def note_failures(contrast: Contrast, failed: Mapping[Side, Share]) -> Contrast:
    """Return a row with the share of failed requests on each side."""
    c = contrast
    shares = [failed.get(c.workload.side(variant)) for variant in (c.baseline, c.variant)]
    values = [share.value if share is not None else 0.0 for share in shares]
    if not any(values) or c.metric in {"failures", "error_rate"}:
        return c
    parts = [
        f"{share.bound}{share.value:.2%} of the {role}'s"
        for role, share in zip(("baseline", "variant"), shares, strict=True)
        if share is not None
    ]
    note = f"{' and '.join(parts)} requests failed"
    notes = (*c.notes, note)
    return replace(
        c,
        failed_baseline=values[0],
        failed_variant=values[1],
        is_failed_bound=any(share.is_bound for share in shares if share is not None),
        notes=notes,
    )


def note_answers(contrast: Contrast, answers: Mapping[Side, Answers]) -> Contrast:
    """Return a row with how the sides' responses differ, unless the row itself shows it."""
    c = contrast
    if c.metric in OF_ANSWERS:
        return c
    difference = describe_other_answers(answers, c.workload, c.baseline, c.variant)
    return replace(c, other_answers=difference) if difference else c

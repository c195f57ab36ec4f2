"""Whether the requests behind a row were answered, and on both sides alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchkit.comparison.model import Contrast
from benchkit.derived.failures import Answers, Share, describe_other_answers
from benchkit.schema import Side

#: Metrics whose values are what the requests were answered with.
OF_ANSWERS = frozenset(
    ("failures", "error_rate", "checks", "responses", "bytes_in", "bandwidth_in")
)


def note_failures(contrast: Contrast, failed: Mapping[Side, Share]) -> Contrast:
    """Return a row with the share of the requests that failed on each side."""
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
    """Return a row with how the responses of the sides differ, unless it shows that itself."""
    c = contrast
    if c.metric in OF_ANSWERS:
        return c
    difference = describe_other_answers(answers, c.workload, c.baseline, c.variant)
    return replace(c, other_answers=difference) if difference else c

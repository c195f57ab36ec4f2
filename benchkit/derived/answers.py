"""What answered the requests of a side, and whether two sides were answered alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.failures import Numbers, collect_numbers, is_far_more
from benchkit.schema import Side, Workload
from benchkit.units import format_quantity

if TYPE_CHECKING:
    from benchkit.schema import Observations

_TOTALS = {"checks": "mean", "responses": "count", "requests": "count", "bytes_in": "total"}
_MEANS = {"bytes_in": "mean"}
#: ab counts the body apart; elsewhere its bytes are counted with the head or without it.
_BODY = "body"
#: Sizes that differ by this factor, and by as many bytes, are of different responses.
_FACTOR, _BYTES = 2.0, 100.0


class Answers(NamedTuple):
    """What answered requests; None where it is not recorded.

    Parameters
    ----------
    unchecked : float or None
        The share of the checks that failed.
    redirected : float or None
        The share of the responses that are redirects.
    size : float or None
        Bytes of a response.
    """

    unchecked: float | None
    redirected: float | None
    size: float | None


_UNKNOWN = Answers(None, None, None)


def collect_answers(observations: Observations) -> dict[Side, Answers]:
    """Return what answered the requests of each side, over all of its runs."""
    means = collect_numbers(observations, _MEANS)
    sides: dict[Side, list[Answers]] = {}
    runs = collect_numbers(observations, _TOTALS)
    for labels in runs | means:
        answers = _measure(runs.get(labels, {}), means.get(labels, {}))
        sides.setdefault(labels.side, []).append(answers)
    return {side: _pool(each) for side, each in sides.items()}


def describe_other_answers(
    answers: Mapping[Side, Answers], workload: Workload, baseline: str, variant: str
) -> str:
    """Say how the responses of two sides differ; empty where they are alike, or not recorded."""
    one, other = (answers.get(workload.side(name), _UNKNOWN) for name in (baseline, variant))
    for before, share, what in (
        (one.unchecked, other.unchecked, "checks failed"),
        (one.redirected, other.redirected, "responses are redirects"),
    ):
        if before is None or share is None:
            continue
        if is_far_more(max(before, share), min(before, share)):
            shares = (f"{100 * each:.3g} %" for each in (share, before))
            return "{} of the {what} for '{variant}', {} for '{baseline}'".format(
                *shares, what=what, variant=variant, baseline=baseline
            )
    if one.size is None or other.size is None:
        return ""
    small, large = sorted((one.size, other.size))
    is_empty = small < 1 <= large
    if not is_empty and (large <= _FACTOR * small or large - small < _BYTES):
        return ""
    sizes = (format_quantity(each, "B") for each in (other.size, one.size))
    return "a response has {} for '{variant}', {} for '{baseline}'".format(
        *sizes, variant=variant, baseline=baseline
    )


def _measure(numbers: Numbers, means: Numbers) -> Answers:
    checked = numbers.get(("checks", ""))
    responses = {code: n for (metric, code), n in numbers.items() if metric == "responses"}
    answered, requests = sum(responses.values()), numbers.get(("requests", ""))
    redirected = sum(count for code, count in responses.items() if code.startswith("3"))
    size = means.get(("bytes_in", ""))
    total = numbers.get(("bytes_in", _BODY), numbers.get(("bytes_in", "")))
    if size is None and total is not None and (count := requests or answered):
        size = total / count
    return Answers(
        None if checked is None else 1 - checked,
        redirected / answered if answered else None,
        size,
    )


def _pool(runs: Sequence[Answers]) -> Answers:
    """Return the shares over all runs, and the size of most."""
    unchecked, redirected, sizes = (
        [value for value in values if value is not None] for values in zip(*runs, strict=True)
    )
    return Answers(
        fmean(unchecked) if unchecked else None,
        fmean(redirected) if redirected else None,
        median(sizes) if sizes else None,
    )

"""What answered the requests of a side, and whether two sides were answered alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.failures import Numbers, collect_numbers, is_far_more
from benchkit.schema import Side, Workload
from benchkit.units import format_quantity

if TYPE_CHECKING:
    from benchkit.schema import Observations

_TOTALS = {"checks": "mean", "responses": "count", "requests": "count", "bytes_in": "total"}
_MEANS = {"bytes_in": "mean"}
#: Statuses of responses without content: redirects, "not modified" and "no content".
_BARE = ("3", "204")
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
    bare : float or None
        The share of the responses whose status says that they have no content.
    sizes : tuple of (smallest, largest), optional
        Bytes of a response, of the runs.
    mix : mapping of str to float, optional
        The share of each kind of requests that the tool counts apart.
    """

    unchecked: float | None = None
    bare: float | None = None
    sizes: tuple[float, float] | None = None
    mix: Mapping[str, float] = MappingProxyType({})


_UNKNOWN = Answers()


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
        (one.unchecked, other.unchecked, "of the checks failed"),
        (one.bare, other.bare, "of the responses have status 3xx or 204"),
        *_pair_mixes(one.mix, other.mix),
    ):
        if before is None or share is None:
            continue
        if is_far_more(max(before, share), min(before, share)):
            return (
                f"{100 * share:.3g} % {what} for '{variant}', {100 * before:.3g} % for '{baseline}'"
            )
    for small, large in zip(one.sizes or (), other.sizes or (), strict=False):
        if _is_other_size(*sorted((small, large))):
            sizes = (format_quantity(size, "B") for size in (large, small))
            return "a response has {} for '{variant}', {} for '{baseline}'".format(
                *sizes, variant=variant, baseline=baseline
            )
    return ""


def _pair_mixes(
    one: Mapping[str, float], other: Mapping[str, float]
) -> Iterator[tuple[float, float, str]]:
    """Yield the shares of each kind of requests on both sides, if both tell kinds apart."""
    for kind in dict.fromkeys((*one, *other)) if one and other else ():
        yield one.get(kind, 0.0), other.get(kind, 0.0), f"of the requests are {kind}"


def _is_other_size(small: float, large: float) -> bool:
    """Tell whether sizes are of different responses: one is empty, or both factor and bytes are."""
    is_empty = small < 1 <= large
    return is_empty or (large > _FACTOR * small and large - small >= _BYTES)


def _measure(numbers: Numbers, means: Numbers) -> Answers:
    checked = numbers.get(("checks", ""))
    responses = {code: n for (metric, code), n in numbers.items() if metric == "responses"}
    kinds = {kind: n for (metric, kind), n in numbers.items() if metric == "requests" and kind}
    answered, requests = sum(responses.values()), numbers.get(("requests", ""))
    bare = sum(count for code, count in responses.items() if code.startswith(_BARE))
    size = means.get(("bytes_in", ""))
    total = numbers.get(("bytes_in", _BODY), numbers.get(("bytes_in", "")))
    if size is None and total is not None and (count := requests or answered):
        size = total / count
    return Answers(
        None if checked is None else 1 - checked,
        bare / answered if answered else None,
        None if size is None else (size, size),
        {kind: count / requests for kind, count in kinds.items()} if requests else {},
    )


def _pool(runs: Sequence[Answers]) -> Answers:
    """Return the shares over all runs, and the smallest and the largest size."""
    unchecked = [run.unchecked for run in runs if run.unchecked is not None]
    bare = [run.bare for run in runs if run.bare is not None]
    sizes = [run.sizes[0] for run in runs if run.sizes is not None]
    mixes = [run.mix for run in runs if run.mix]
    kinds = dict.fromkeys(kind for mix in mixes for kind in mix)
    return Answers(
        fmean(unchecked) if unchecked else None,
        fmean(bare) if bare else None,
        (min(sizes), max(sizes)) if sizes else None,
        {kind: fmean(mix.get(kind, 0.0) for mix in mixes) for kind in kinds},
    )

"""The failed requests of a run, and their share of a side's requests.

Also what answered the requests of a side, and whether two sides were answered the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from benchkit.parsers import registry
from benchkit.schema import Labels, Side, Workload, list_labels
from benchkit.units import format_quantity

if TYPE_CHECKING:
    from benchkit.schema import Observations


#: Reason of bodies whose length differs from the first: usually a dynamic page, not a failure.
LENGTH = "length"
#: Maximum share of failed requests; above it, rates and latencies are those of errors.
MOST_FAILED = 0.01
_COUNTED = {
    "failures": "count",
    "responses": "count",
    "requests": "count",
    "error_rate": "mean",
    "request_rate": "mean",
    "duration": "total",
}
_LEAST_ERROR = 400
#: Reason of failures that a tool counts by status itself.
_BY_STATUS = "non2xx"

#: (metric, subject) -> value
Numbers = Mapping[tuple[str, str], float]
_TOTALS = {"checks": "mean", "responses": "count", "requests": "count", "bytes_in": "total"}
_MEANS = {"bytes_in": "mean"}
#: Statuses of responses without content: redirects, "not modified" and "no content".
_BARE = ("3", "204")
#: ab counts the body separately; other tools count bytes with the header, or without it.
_BODY = "body"
#: Minimum factor, and difference in bytes, between the sizes of different responses.
_FACTOR, _BYTES = 2.0, 100.0


class Share(NamedTuple):
    """The share of requests that failed; an upper bound if some of them may have been answered."""

    value: float
    is_bound: bool = False

    @property
    def bound(self) -> str:
        """Prefix of the share in a sentence."""
        return "up to " if self.is_bound and self.value else ""


NONE_FAILED = Share(0.0)


@dataclass(frozen=True, slots=True)
class Failures:
    """The failed requests of a run.

    Parameters
    ----------
    share : float
        The share of its requests that failed, at most 1.
    requests : float
        The number of requests made; 0 if not counted.
    reasons : mapping of str to float
        Failed requests by reason, as the tool counts them, or by status if it counts no failures.
    is_reported : bool
        Whether the tool reports failures or their share; some tools omit the line if none failed.
    is_bound : bool
        Whether the share is an upper bound because the tool counts answered requests as failed.
    """

    share: float
    requests: float
    reasons: Mapping[str, float]
    is_reported: bool
    is_bound: bool = False


def share_failures(observations: Observations) -> dict[Side, Share]:
    """Return the share of failed requests of each side.

    Sides whose runs report neither failures nor their share are omitted.
    """
    sides: dict[Side, list[Failures]] = {}
    for labels, failures in list_failures(observations).items():
        sides.setdefault(labels.side, []).append(failures)
    return {
        side: pool_failures(runs)
        for side, runs in sides.items()
        if any(run.is_reported for run in runs)
    }


def pool_failures(runs: Iterable[Failures]) -> Share:
    """Return the share of failed requests; runs weigh equally if some do not count requests."""
    runs = list(runs)
    is_counted = all(run.requests for run in runs)
    weights = [run.requests if is_counted else 1.0 for run in runs]
    failed = sum(run.share * weight for run, weight in zip(runs, weights, strict=True))
    is_bound = any(run.is_bound for run in runs)
    return Share(failed / sum(weights), is_bound) if runs else NONE_FAILED


def list_failures(observations: Observations) -> dict[Labels, Failures]:
    """Return the failures of each run that counts requests or failures, by `Measured.key`.

    If a run has several forms, each number comes from the most precise.
    """
    by_run = (
        (labels, _measure(labels.tool, numbers))
        for labels, numbers in collect_numbers(observations, _COUNTED).items()
    )
    return {labels: failures for labels, failures in by_run if failures is not None}


def collect_numbers(
    observations: Observations, counted: Mapping[str, str]
) -> dict[Labels, Numbers]:
    """Return one stat of several metrics for each run, from the most precise of its forms."""
    if not observations["metric"].isin(counted).any():
        return {}
    stats = observations["metric"].map(counted)
    rows = observations[stats.notna() & observations["stat"].eq(stats.astype(object))]
    names = ("metric", "subject", "value", "resolution")
    rest = (rows[name].tolist() for name in names)
    runs: dict[Labels, dict[tuple[str, str], tuple[float, float]]] = {}
    for labels, metric, subject, value, resolution in zip(list_labels(rows), *rest, strict=True):
        numbers = runs.setdefault(labels, {})
        name = metric, subject if isinstance(subject, str) else ""
        step = resolution if resolution > 0 else 0.0
        if name not in numbers or step < numbers[name][0]:
            numbers[name] = step, value
    return {
        labels: {name: value for name, (_, value) in numbers.items()}
        for labels, numbers in runs.items()
    }


def is_far_more(share: float, than: float) -> bool:
    """Return whether a share of requests is above `MOST_FAILED` and far above another share.

    Far above means at least twice as many, or at most half as many remaining requests; "all but
    nothing" is far from "nothing".
    """
    if share <= max(than, MOST_FAILED):
        return False
    return than <= max(MOST_FAILED, share / 2) or 1 - share <= (1 - than) / 2


def _measure(tool: str, numbers: Numbers) -> Failures | None:
    """Return the failures of a run; None if it counts neither failures nor requests.

    A tool's ``error_rate`` takes precedence if it has one, replaced by the tool's total if that is
    known too, since the rate may be rounded; otherwise the failures by reason count. For a run that
    reports only a rate, the number of requests is that rate times its duration; without a duration,
    the share is unknown. If a tool counts only answered requests, requests without an answer are
    added.
    """
    share, rate = numbers.get(("error_rate", "")), numbers.get(("request_rate", ""), 0.0)
    answers = sum(count for (metric, _), count in numbers.items() if metric == "responses")
    requests = numbers.get(("requests", "")) or rate * numbers.get(("duration", ""), 0.0)
    requests = requests or (0.0 if rate else answers)
    reasons = _count_reasons(tool, numbers)
    counting = registry.tool(tool)
    is_bound = requests > 0 and any(reasons.get(why) for why in counting.doubtful)
    if requests and counting.answered:
        requests += sum(n for why, n in reasons.items() if not _is_answered(why, counting.answered))
    has_rows = any(metric == "failures" for metric, _ in numbers)
    is_reported = share is not None or has_rows or bool(reasons)
    if not (is_reported or requests):
        return None
    total = numbers.get(("failures", ""))
    is_by_reason = any(metric == "failures" and reason for metric, reason in numbers)
    adds_up = share is None and (total is None or is_by_reason)
    count = sum(reasons.values()) if adds_up else total
    if count and rate and not requests and share is None:
        return None
    if count is not None and (share is None or requests):
        share = min(count / requests, 1.0) if requests else float(count > 0)
    return Failures(share or 0.0, requests, reasons, is_reported, is_bound)


def _count_reasons(tool: str, numbers: Numbers) -> dict[str, float]:
    """Return failed requests by reason, without lengths, and by status unless a reason counts them.

    wrk2 counts a waiting connection as a timeout repeatedly although none of its requests failed.
    """
    reasons = {why: count for (metric, why), count in numbers.items() if metric == "failures"}
    apart = {"", LENGTH, "timeout" if registry.tool(tool).repeats_timeouts else ""}
    failed = {why: count for why, count in reasons.items() if count and why not in apart}
    if _BY_STATUS not in reasons:
        answers = {
            code: count for (metric, code), count in numbers.items() if metric == "responses"
        }
        failed |= {code: count for code, count in answers.items() if count and _is_bad(code)}
    return failed


def _is_answered(reason: str, answered: Collection[str]) -> bool:
    """Whether a request that failed for a reason was answered: a status, or per its tool."""
    return reason in answered or reason.isdigit()


def _is_bad(status: str) -> bool:
    """Whether a status means no answer, or a client or server error."""
    return status.isdigit() and (int(status) == 0 or int(status) >= _LEAST_ERROR)


class Answers(NamedTuple):
    """The answers to requests; None if not recorded.

    Parameters
    ----------
    unchecked : float or None
        The share of failed checks.
    bare : float or None
        The share of responses with a status that implies no content.
    sizes : tuple of (smallest, largest), optional
        Bytes per response, over the runs.
    mix : mapping of str to float, optional
        The share of each kind of request that the tool counts separately.
    """

    unchecked: float | None = None
    bare: float | None = None
    sizes: tuple[float, float] | None = None
    mix: Mapping[str, float] = MappingProxyType({})


_UNKNOWN = Answers()


def collect_answers(observations: Observations) -> dict[Side, Answers]:
    """Return the answers to the requests of each side, over all of its runs."""
    means = collect_numbers(observations, _MEANS)
    sides: dict[Side, list[Answers]] = {}
    runs = collect_numbers(observations, _TOTALS)
    for labels in runs | means:
        answers = _measure_answers(runs.get(labels, {}), means.get(labels, {}))
        sides.setdefault(labels.side, []).append(answers)
    return {side: _pool(each) for side, each in sides.items()}


def describe_other_answers(
    answers: Mapping[Side, Answers], workload: Workload, baseline: str, variant: str
) -> str:
    """Describe how the responses of two sides differ; empty if equal or not recorded."""
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
    """Yield the shares of each kind of request on both sides, if both count kinds separately."""
    for kind in dict.fromkeys((*one, *other)) if one and other else ():
        yield one.get(kind, 0.0), other.get(kind, 0.0), f"of the requests are {kind}"


def _is_other_size(small: float, large: float) -> bool:
    """Return whether sizes differ between responses: one is empty, or both limits are exceeded."""
    is_empty = small < 1 <= large
    return is_empty or (large > _FACTOR * small and large - small >= _BYTES)


def _measure_answers(numbers: Numbers, means: Numbers) -> Answers:
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

"""Which requests of a run failed, and what share of a side's that is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from benchkit.parsers import registry
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: Bodies of another length than the first one's: usually a dynamic page, not a failure.
LENGTH = "length"
#: Beyond this share of failed requests a side's rates and latencies are those of its errors.
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
#: The reason of those that a tool counts by their status itself.
_BY_STATUS = "non2xx"

#: (metric, subject) -> value
Numbers = Mapping[tuple[str, str], float]


class Share(NamedTuple):
    """What share of some requests failed; at most, where some of the failed may be answered."""

    value: float
    is_bound: bool = False

    @property
    def bound(self) -> str:
        """What stands before the share in a sentence."""
        return "up to " if self.is_bound and self.value else ""


NONE_FAILED = Share(0.0)


@dataclass(frozen=True, slots=True)
class Failures:
    """The failed requests of a run.

    Parameters
    ----------
    share : float
        Of its requests, at most 1.
    requests : float
        Those that were made; 0 where they are not counted.
    reasons : mapping of str to float
        Requests by reason, as the tool counts them, or by status where it counts no failures.
    is_reported : bool
        Whether the tool reports failures or their share; some print no line where none failed.
    is_bound : bool
        Whether fewer may have failed, as the tool counts answered requests among the failed.
    """

    share: float
    requests: float
    reasons: Mapping[str, float]
    is_reported: bool
    is_bound: bool = False


def share_failures(observations: Observations) -> dict[Side, Share]:
    """Return the share of each side's requests that failed.

    Sides whose runs report neither failures nor their share are left out.
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
    """Return the share of all requests that failed; of equal runs where some are not counted."""
    runs = list(runs)
    is_counted = all(run.requests for run in runs)
    weights = [run.requests if is_counted else 1.0 for run in runs]
    failed = sum(run.share * weight for run, weight in zip(runs, weights, strict=True))
    is_bound = any(run.is_bound for run in runs)
    return Share(failed / sum(weights), is_bound) if runs else NONE_FAILED


def list_failures(observations: Observations) -> dict[Labels, Failures]:
    """Return the failures of each run that counts requests or failures, by `Measured.key`.

    Of several forms of a run, each number is taken from the most precise.
    """
    found = (
        (labels, _measure(labels.tool, numbers))
        for labels, numbers in collect_numbers(observations, _COUNTED).items()
    )
    return {labels: failures for labels, failures in found if failures is not None}


def collect_numbers(
    observations: Observations, counted: Mapping[str, str]
) -> dict[Labels, Numbers]:
    """Return one stat of each of some metrics for each run, the most precise of several forms."""
    stats = observations["metric"].map(counted)
    rows = observations[stats.notna() & observations["stat"].eq(stats.astype(object))]
    if rows.empty:
        return {}
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
    """Tell whether a share of requests is beyond `MOST_FAILED`, and far beyond another share.

    Far beyond are twice as many, or at most half as many of the rest; all but nothing is far from
    nothing.
    """
    if share <= max(than, MOST_FAILED):
        return False
    return than <= max(MOST_FAILED, share / 2) or 1 - share <= (1 - than) / 2


def _measure(tool: str, numbers: Numbers) -> Failures | None:
    """Return the failures of a run; None where it counts neither them nor requests.

    A tool's ``error_rate`` counts where it has one, by the tool's total where it has that, too, as
    the rate may be rounded; elsewhere the failures by reason. A run that tells only a rate made as
    many requests as that rate gives in its time; without a time, their share is unknown. Where a
    tool counts only the requests that were answered, those without an answer come on top.
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
    """Return failed requests by reason, lengths apart, and by status unless a reason counts them.

    wrk2 counts a waiting connection as a timeout again and again: none of its requests failed.
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
    """Whether a request that failed for a reason was answered: by a status, or as its tool says."""
    return reason in answered or reason.isdigit()


def _is_bad(status: str) -> bool:
    """Whether a status is no answer, or an error of client or server."""
    return status.isdigit() and (int(status) == 0 or int(status) >= _LEAST_ERROR)

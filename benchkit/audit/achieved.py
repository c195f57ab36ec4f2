"""Rules about the load: whether it was as requested, and whether the service answered it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchkit.audit.facts import (
    Evidence,
    Sheet,
    count_of,
    name_side,
    name_worst,
    write_count,
)
from benchkit.derived.failures import Failures, Share, pool_failures
from benchkit.errors import Finding
from benchkit.parsers import registry
from benchkit.schema import Side
from benchkit.units import format_number

#: A load that is lower than requested by this share counts as a different load.
_SHORT = 0.01
#: Share of a run after the last request from which on the service has fallen behind.
_BEHIND = 0.05
_SHOWN = 3
_CHECK = (
    "errors can be faster or slower than real answers: check the service's responses, and measure "
    "again without errors"
)
_ANNOUNCE = (
    "; let a server that closes connections announce it (`Connection: close`), or keep them open"
)


@dataclass(frozen=True, slots=True)
class _Short:
    """A run that sent less than requested."""

    sheet: Sheet
    share: float
    dropped: float


def find_missed_rates(evidence: Evidence) -> Iterator[Finding]:
    """B314: an open loop that missed its rate or dropped iterations."""
    open_loops = [sheet for sheet in evidence.loads if sheet.run.load_model == "open"]
    for side, sheets in evidence.by_side(open_loops).items():
        short = [shortfall for sheet in sheets if (shortfall := _measure_short(sheet))]
        if short:
            yield _report_short(side, short, len(sheets))


def find_backlogs(evidence: Evidence) -> Iterator[Finding]:
    """B322: an open loop whose requests came faster than the service answered them."""
    for side, sheets in evidence.by_side(evidence.loads).items():
        behind = [(share, sheet) for sheet in sheets if (share := _measure_backlog(sheet))]
        if behind:
            yield _report_behind(side, behind, len(sheets))


def _measure_backlog(sheet: Sheet) -> float:
    """Return the share of a run after its last request; 0 if the service kept up.

    A single straggler, or a service that always takes that long, does not count as falling behind.
    """
    attack, wait, mean, lowest = (
        number.value if (number := sheet.get(*name)) else 0.0
        for name in (
            ("duration", "total", "attack"), ("duration", "total", "wait"),
            ("latency", "mean"), ("latency", "min"),
        )
    )  # fmt: skip
    share = wait / (attack + wait) if attack > 0 else 0.0
    is_growing = lowest < wait / 2 and wait / 8 < mean < 0.75 * wait
    return share if share > _BEHIND and is_growing else 0.0


def _report_behind(side: Side, behind: Sequence[tuple[float, Sheet]], total: int) -> Finding:
    share, worst = max(behind, key=lambda pair: pair[0])
    rate = worst.get("request_rate", "mean")
    rates = ""
    if rate is not None:
        answered, sent = (format_number(value) for value in (rate.value * (1 - share), rate.value))
        rates = f": {answered} responses/s to {sent} requests/s"
    runs = name_worst(worst.run, behind, total)
    return Finding(
        code="B322",
        severity="warning",
        where=name_side(side),
        message=f"the service fell behind the load{rates} ({runs}); requests waited longer and "
        "longer, so the latencies depend on the length of the run",
        remedy="lower the rate until the service keeps up, or compare the highest rate that each "
        "side can hold",
        numbers={"share": share, "runs": len(behind)},
    )


def find_failures(evidence: Evidence) -> Iterator[Finding]:
    """B316: requests that failed; B317: requests that timed out and lack a latency."""
    for side, sheets in evidence.by_side(evidence.loads).items():
        runs = [
            _Failed(sheet, evidence.failures[sheet.run.key])
            for sheet in sheets
            if sheet.run.key in evidence.failures
        ]
        failed = [run for run in runs if run.failures.share]
        tool = registry.tool(side.tool)
        late = [failure for failure in failed if failure.timeouts and tool.drops_timeouts]
        if failed:
            share = pool_failures(run.failures for run in runs)
            yield _report_failed(side, share, failed, len(sheets))
        if late:
            yield _report_late(side, late, len(sheets))
        open_ = [failure for failure in failed if failure.unanswered > _SHORT]
        if open_:
            yield _report_unanswered(side, open_, len(sheets))


def _measure_short(sheet: Sheet) -> _Short | None:
    dropped = sheet.get("dropped_iterations", "count")
    lost = dropped.value if dropped else 0.0
    share = _share_missed(sheet)
    done = sheet.get("iterations", "count")
    if lost and done:
        share = lost / (lost + done.value)
    return _Short(sheet, share, lost) if share > _SHORT or lost else None


def _share_missed(sheet: Sheet) -> float:
    """Return by which share the rate is below its target, after allowing for rounding."""
    target = sheet.run.target_rate
    rate = sheet.get("iteration_rate", "mean") or sheet.get("request_rate", "mean")
    if not target or rate is None:
        return 0.0
    return max(1 - (rate.value + rate.step) / target, 0.0)


def _report_short(side: Side, short: Sequence[_Short], total: int) -> Finding:
    ranked = sorted(short, key=lambda one: -one.share)
    worst = ranked[0]
    runs = ", ".join(f"run {one.sheet.run.run} by {_percent(one.share)}" for one in ranked[:_SHOWN])
    more = ", …" if len(ranked) > _SHOWN else ""
    target = worst.sheet.run.target_rate
    target_text = f"{target:g}/s" if target else "load"
    lost = sum(one.dropped for one in short)
    iterations = f"; {write_count(lost)} iterations dropped" if lost else ""
    return Finding(
        code="B314",
        severity="warning" if worst.share > _SHORT else "info",
        where=name_side(side),
        message=f"{count_of(short, total)} missed the requested {target_text}: "
        f"{runs}{more}{iterations}",
        remedy="give the generator more workers or CPU, or request a lower rate; the latencies of "
        "these runs are for a different load"
        if worst.share > _SHORT
        else "a shortfall below 1 % hardly affects latency; to avoid it, use more workers (maxVUs)",
        numbers={"share": worst.share, "dropped": lost, "runs": len(short)},
    )


@dataclass(frozen=True, slots=True)
class _Failed:
    """A run with failed requests."""

    sheet: Sheet
    failures: Failures

    @property
    def timeouts(self) -> float:
        """The failures that the tool counts as timeouts."""
        reasons = self.failures.reasons.items()
        return sum(count for reason, count in reasons if "timeout" in reason)

    @property
    def unanswered(self) -> float:
        """Share of unanswered requests that are included in the latencies."""
        name = registry.tool(self.sheet.run.tool).unanswered
        count, requests = self.failures.reasons.get(name, 0.0), self.failures.requests
        return count / requests if requests else 0.0


def _report_failed(side: Side, share: Share, failed: Sequence[_Failed], total: int) -> Finding:
    worst = max(failed, key=lambda run: run.failures.share)
    reasons: dict[str, float] = {}
    for run in failed:
        for reason, count in run.failures.reasons.items():
            name = "no answer" if reason == "0" else reason
            reasons[name] = reasons.get(name, 0.0) + count
    most = sorted(reasons.items(), key=lambda item: -item[1])
    counts = ", ".join(f"{reason} {write_count(count)}" for reason, count in most[:_SHOWN])
    highest = worst.failures.share
    runs = name_worst(worst.sheet.run, failed, total)
    if highest > share.value:
        runs = f"{share.bound}{_percent(highest)} in {runs}"
    elif len(failed) > 1:
        runs = count_of(failed, total)
    return Finding(
        code="B316",
        severity="warning",
        where=name_side(side),
        message=f"{share.bound}{_percent(share.value)} of the requests failed ({runs})"
        + (f": {counts}" if counts else "")
        + (f"; {_name_doubtful(side.tool)}" if share.is_bound else ""),
        remedy=_CHECK + _ANNOUNCE * share.is_bound,
        numbers={"share": share.value, "highest": highest, "runs": len(failed), **reasons},
    )


def _name_doubtful(tool: str) -> str:
    """Name failures of a tool that may not be failures."""
    reasons = " and ".join(registry.tool(tool).doubtful)
    return (
        f"{tool} also counts a {reasons} error where the server closes a connection after a whole "
        "response"
    )


def _report_late(side: Side, late: Sequence[_Failed], total: int) -> Finding:
    count = sum(one.timeouts for one in late)
    return Finding(
        code="B317",
        severity="warning",
        where=name_side(side),
        message=f"{write_count(count)} requests timed out in {count_of(late, total)}: they are "
        "missing from the latencies, so the mean, the percentiles and the maximum look better "
        "than they really were",
        remedy="raise the timeout above the slowest response, or compare rates and failures",
        numbers={"timeouts": count, "runs": len(late)},
    )


def _report_unanswered(side: Side, failed: Sequence[_Failed], total: int) -> Finding:
    worst = max(failed, key=lambda one: one.unanswered)
    return Finding(
        code="B317",
        severity="warning",
        where=name_side(side),
        message=f"{_percent(worst.unanswered)} of the requests got no answer "
        f"({name_worst(worst.sheet.run, failed, total)}): their latencies are the time until the "
        "tool gave up, so the percentiles show timeouts and refusals, not the service",
        remedy="lower the rate until every request is answered; then raise the timeout if some are "
        "slow",
        numbers={"share": worst.unanswered, "runs": len(failed)},
    )


def _percent(share: float) -> str:
    """Write a share; 100 % only if it is exactly all."""
    texts = (format_number(100 * share, digits) for digits in (2, 3, 4, 5))
    return next((text for text in texts if text != "100" or share == 1), "99.99") + " %"

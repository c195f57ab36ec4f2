"""Rules about spans: whether created, saved and lost ones add up and match the requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchkit.audit.facts import Evidence, count_of, name_side, name_worst, write_count
from benchkit.derived.accounts import DERIVED, SIDECAR, Account
from benchkit.errors import Finding
from benchkit.schema import Trial
from benchkit.units import format_number

#: Requests in flight at the end, and health checks, may add this share of spans.
_EXTRA = 0.005
_LOST = 0.01


def find_span_errors(evidence: Evidence) -> Iterator[Finding]:
    """B421 to B425: the spans of a variant do not add up, are incomplete, or were lost."""
    listed = evidence.list_runs(lambda run: run.role == "warmup")
    warmups = {run.key.trial: run.duration for run in listed}
    by_place: dict[tuple[str, ...], list[Account]] = {}
    for account in evidence.accounts:
        if account.made:
            key = (*account.run.side, account.backend)
            by_place.setdefault(key, []).append(account)
    for accounts in by_place.values():
        lost = [a for a in accounts if (a.share or 0.0) > _LOST]
        if lost:
            yield _report_lost(lost, len(accounts))
        open_ = [a for a in accounts if a.has_gap]
        if open_:
            yield _report_gap(open_, len(accounts))
        cut = [a for a in accounts if a.has_incomplete_traces]
        if cut:
            yield _report_incomplete(cut, len(accounts))
        over = [a for a in accounts if (_excess(a) or 1.0) > 1 + _EXTRA]
        if over:
            yield _report_warmup(over, len(accounts), warmups)
        under = [a for a in accounts if (_excess(a) or 1.0) < 1 - _EXTRA]
        if under:
            yield _report_untraced(under, len(accounts))


def _seen(account: Account) -> float:
    """Return the number of spans: as counted, else as it must have been."""
    if account.created is None:
        return account.accounted or max(account.expected or 0.0, account.saved or 0.0)
    return account.created


def _excess(account: Account) -> float | None:
    """Return the excess of spans over requests, if a sidecar records the spans per request."""
    if account.per_request_from != SIDECAR or not account.expected:
        return None
    return _seen(account) / account.expected


def _ratio(account: Account) -> float:
    return _seen(account) / (account.requests or 1.0)


def _where(account: Account) -> str:
    return name_side(account.run.side)


def _report_lost(lost: Sequence[Account], total: int) -> Finding:
    shares = [account.share or 0.0 for account in lost]
    span = " to ".join(dict.fromkeys(f"{100 * s:.3g}" for s in (min(shares), max(shares))))
    is_expected = any(a.created is None and a.made == a.expected for a in lost)
    base = "expected (requests × spans per request)" if is_expected else "created"
    what = "were not saved" if all(a.dropped_how == DERIVED for a in lost) else "were dropped"
    return Finding(
        code="B423",
        severity="warning",
        where=_where(lost[0]),
        message=f"{span} % of the spans {base} {what} ({count_of(lost, total)}): these runs do "
        "not show the cost of complete tracing",
        remedy="lower the load, or give exporter and backend more resources, until no span is "
        "dropped; otherwise report how many were lost",
        numbers={"least": min(shares), "most": max(shares), "runs": len(lost)},
    )


def _report_gap(accounts: Sequence[Account], total: int) -> Finding:
    worst = max(accounts, key=lambda a: abs(a.unaccounted or 0.0))
    gap = worst.unaccounted or 0.0
    sums = f"{write_count(worst.saved)} saved"
    if worst.dropped_how != DERIVED:
        sums += f" and {write_count(worst.dropped)} dropped"
    if gap > 0:
        message = (
            f"{write_count(worst.created)} spans were created, but only {sums}, so "
            f"{write_count(gap)} are unaccounted for ({name_worst(worst.run, accounts, total)})"
        )
        remedy = "read the counters after the queues are empty (force a flush, or wait)"
    else:
        message = (
            f"{sums} spans are {write_count(-gap)} more than the {write_count(worst.created)} "
            f"created ({name_worst(worst.run, accounts, total)}): some are from before the run"
        )
        remedy = "after the warm-up, empty the queues and reset the counters"
    return Finding(
        code="B425",
        severity="warning",
        where=_where(worst),
        message=message,
        remedy=remedy,
        numbers={"gap": gap, "created": worst.created or 0.0, "runs": len(accounts)},
    )


def _report_incomplete(cut: Sequence[Account], total: int) -> Finding:
    worst = cut[0]
    per_request = int(worst.per_request or 1)
    return Finding(
        code="B421",
        severity="info",
        where=_where(worst),
        message=f"{write_count(worst.saved)} saved spans are not a multiple of {per_request}, the "
        f"spans per request ({name_worst(worst.run, cut, total)}): some traces are incomplete",
        remedy="count complete traces in the backend, not only spans",
        numbers={"saved": worst.saved or 0.0, "per_request": per_request, "runs": len(cut)},
    )


def _report_untraced(under: Sequence[Account], total: int) -> Finding:
    worst = min(under, key=_ratio)
    per_request = int(worst.per_request or 0)
    return Finding(
        code="B422",
        severity="warning",
        where=_where(worst),
        message=f"{write_count(_seen(worst))} spans for {write_count(worst.requests)} requests: "
        f"{format_number(_ratio(worst))} per request instead of {per_request} "
        f"({name_worst(worst.run, under, total)}): some requests were traced only in part or not "
        "at all",
        remedy="check that sampling is off and that the counters cover the whole run",
        numbers={"ratio": _ratio(worst), "declared": per_request, "runs": len(under)},
    )


def _report_warmup(
    over: Sequence[Account], total: int, warmups: Mapping[Trial, float | None]
) -> Finding:
    worst = max(over, key=_ratio)
    extra = _seen(worst) - (worst.expected or 0.0)
    warmup = warmups.get(worst.run.key.trial)
    known = f"; the records show a warm-up of {warmup:g} s" if warmup else ""
    return Finding(
        code="B424",
        severity="warning",
        where=_where(worst),
        message=f"{write_count(extra)} spans too many for {write_count(worst.requests)} requests "
        f"with {int(worst.per_request or 0)} spans each ({name_worst(worst.run, over, total)}): "
        f"the counters include a warm-up, or a request creates more spans{known}",
        remedy="after the warm-up, reset the counters and empty the storage, or correct [spans] "
        "per_request",
        numbers={"extra": extra, "ratio": _ratio(worst), "runs": len(over)},
    )

"""Rules about spans: what was made, saved and lost adds up, and fits the requests.

In: evidence of runs. Out: findings B421 to B425. Why: a backend that loses most of its spans costs
little, and counts that a warm-up has been added to hide how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchkit.audit.facts import (
    Evidence,
    Number,
    Run,
    Sheet,
    count_of,
    name_place,
    name_worst,
    write_count,
)
from benchkit.errors import Finding
from benchkit.units import format_number

#: Spans that are neither saved nor dropped, or saved twice, from this share on.
_GAP = 0.001
#: Requests in flight at the end, and probes, may add this share to the spans.
_EXTRA = 0.005
_LOST = 0.01
_METRICS = ("spans_created", "spans_saved", "spans_dropped")
#: The fact of a run that tells how many spans a request makes.
_PER_REQUEST = "spans.per_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """The spans of one run at one backend."""

    run: Run
    subject: str
    created: float | None
    saved: float | None
    dropped: float | None
    requests: float | None
    declared: int | None
    warmup: float | None

    @property
    def ratio(self) -> float | None:
        """Spans made for each request."""
        if self.created is None or not self.requests:
            return None
        return self.created / self.requests

    @property
    def per_request(self) -> int | None:
        """Spans of one request: declared, else the whole number that the counts show."""
        if self.declared:
            return self.declared
        ratio = self.ratio
        if ratio is None or ratio < 1 - _EXTRA:
            return None
        whole = round(ratio)
        return whole if abs(ratio / whole - 1) <= _EXTRA else None

    @property
    def gap(self) -> float:
        """Spans that were made and are neither saved nor dropped."""
        if self.created is None or self.saved is None or self.dropped is None:
            return 0.0
        return self.created - self.saved - self.dropped


def find_span_errors(evidence: Evidence) -> Iterator[Finding]:
    """B421 to B425: the spans of a variant do not add up, are incomplete, or were lost."""
    by_place: dict[tuple[str, str, str], list[_Account]] = {}
    for account in _list_accounts(evidence):
        key = account.run.group, account.run.variant, account.subject
        by_place.setdefault(key, []).append(account)
    for accounts in by_place.values():
        lost = [a for a in accounts if a.created and (a.dropped or 0.0) > _LOST * a.created]
        if lost:
            yield _tell_lost(lost, len(accounts))
        open_ = [a for a in accounts if a.created and abs(a.gap) > _GAP * a.created]
        if open_:
            yield _tell_gap(open_, len(accounts))
        cut = [a for a in accounts if _is_incomplete(a)]
        if cut:
            yield _tell_incomplete(cut, len(accounts))
        yield from _check_expected(accounts)


def _check_expected(accounts: Sequence[_Account]) -> Iterator[Finding]:
    """Hold the spans against the requests."""
    over = [a for a in accounts if a.ratio and a.declared and a.ratio > a.declared * (1 + _EXTRA)]
    under = [a for a in accounts if a.ratio and a.declared and a.ratio < a.declared * (1 - _EXTRA)]
    if over:
        yield _tell_warmup(over, len(accounts))
    if under:
        yield _tell_untraced(under, len(accounts))


def _is_incomplete(account: _Account) -> bool:
    per_request = account.per_request
    if not (per_request and per_request > 1 and account.saved and account.dropped):
        return False
    if abs(account.gap) > _GAP * (account.created or 0.0):  # spans of other requests are among them
        return False
    return account.saved % per_request != 0


def _list_accounts(evidence: Evidence) -> Iterator[_Account]:
    """Yield the spans by run and backend: those on the run itself, else its companions'."""
    loads: dict[tuple[str, str, int], list[Sheet]] = {}
    for sheet in evidence.loads:
        loads.setdefault(_at(sheet.run), []).append(sheet)
    warmups = {_at(run): run.duration for run in evidence.runs if run.role == "warmup"}
    for at, told in _collect(evidence).items():
        same = loads.get(at, [])
        requests = same[0].get("requests", "count") if len(same) == 1 else None
        for subject in dict.fromkeys(subject for _, subject in told):
            values = [told.get((metric, subject)) for metric in _METRICS]
            run = next(value[0] for value in values if value)
            created, saved, dropped = (v[1].value if v else None for v in values)
            if created is None and saved is not None and dropped is not None:
                created = saved + dropped
            if created:
                yield _Account(
                    run=run,
                    subject=subject,
                    created=created,
                    saved=saved,
                    dropped=dropped,
                    requests=requests.value if requests else None,
                    declared=_declared(same),
                    warmup=warmups.get(at),
                )


def _collect(
    evidence: Evidence,
) -> dict[tuple[str, str, int], dict[tuple[str, str], tuple[Run, Number]]]:
    """Return the counts of spans by run; what two sources tell differently is left out."""
    found: dict[tuple[str, str, int], dict[tuple[str, str], tuple[Run, Number]]] = {}
    torn: set[tuple[tuple[str, str, int], tuple[str, str]]] = set()
    for sheet in sorted(evidence.sheets, key=lambda sheet: sheet.run.role == "companion"):
        told = found.setdefault(_at(sheet.run), {})
        for (metric, stat, subject), number in sheet.numbers.items():
            if metric in _METRICS and stat == "count":
                known = told.setdefault((metric, subject), (sheet.run, number))
                is_same_role = known[0].role == sheet.run.role
                if is_same_role and known[1].value != number.value:
                    torn.add((_at(sheet.run), (metric, subject)))
    for at, name in torn:
        found[at].pop(name, None)
    return found


def _at(run: Run) -> tuple[str, str, int]:
    return run.group, run.variant, run.run


def _declared(sheets: Sequence[Sheet]) -> int | None:
    told = {sheet.run.env.get(_PER_REQUEST, "") for sheet in sheets}
    texts = [text for text in told if text.isdigit() and int(text)]
    return int(texts[0]) if len(texts) == 1 else None


def _where(account: _Account) -> str:
    return name_place((account.run.group, account.run.variant, "", "", ""))


def _share(account: _Account) -> float:
    return (account.dropped or 0.0) / (account.created or 1.0)


def _tell_lost(lost: Sequence[_Account], total: int) -> Finding:
    shares = [_share(account) for account in lost]
    span = " to ".join(dict.fromkeys(f"{100 * s:.3g}" for s in (min(shares), max(shares))))
    return Finding(
        code="B423",
        severity="warning",
        where=_where(lost[0]),
        message=f"{span} % of the spans made were dropped ({count_of(lost, total)}): these runs do "
        "not show the cost of complete tracing",
        remedy="lower the load, or give exporter and backend more room, until none is dropped; or "
        "say how many were",
        numbers={"least": min(shares), "most": max(shares), "runs": len(lost)},
    )


def _tell_gap(accounts: Sequence[_Account], total: int) -> Finding:
    worst = max(accounts, key=lambda a: abs(a.gap))
    sums = f"{write_count(worst.saved)} saved and {write_count(worst.dropped)} dropped"
    if worst.gap > 0:
        message = (
            f"of {write_count(worst.created)} spans made {sums} leave {write_count(worst.gap)} "
            f"unaccounted for ({name_worst(worst.run, accounts, total)})"
        )
        remedy = "read the counters after the queues are empty (a forced flush, or a wait)"
    else:
        message = (
            f"{sums} are {write_count(-worst.gap)} more than the {write_count(worst.created)} made "
            f"({name_worst(worst.run, accounts, total)}): some are from before the run"
        )
        remedy = "empty the queues and reset the counters between warm-up and run"
    return Finding(
        code="B425",
        severity="warning",
        where=_where(worst),
        message=message,
        remedy=remedy,
        numbers={"gap": worst.gap, "created": worst.created or 0.0, "runs": len(accounts)},
    )


def _tell_incomplete(cut: Sequence[_Account], total: int) -> Finding:
    worst = cut[0]
    per_request = worst.per_request or 1
    return Finding(
        code="B421",
        severity="info",
        where=_where(worst),
        message=f"{write_count(worst.saved)} spans saved are no multiple of {per_request}, the "
        f"spans of a request ({name_worst(worst.run, cut, total)}): some traces "
        "are incomplete",
        remedy="count complete traces in the backend, not only spans",
        numbers={"saved": worst.saved or 0.0, "per_request": per_request, "runs": len(cut)},
    )


def _tell_untraced(under: Sequence[_Account], total: int) -> Finding:
    worst = min(under, key=lambda a: a.ratio or 0.0)
    return Finding(
        code="B422",
        severity="warning",
        where=_where(worst),
        message=f"{write_count(worst.created)} spans for {write_count(worst.requests)} requests "
        f"are {format_number(worst.ratio or 0.0)} each, not {worst.declared} "
        f"({name_worst(worst.run, under, total)}): some requests were not traced, or not whole",
        remedy="see that sampling is off and that the counters cover the whole run",
        numbers={"ratio": worst.ratio or 0.0, "declared": worst.declared or 0, "runs": len(under)},
    )


def _tell_warmup(over: Sequence[_Account], total: int) -> Finding:
    worst = max(over, key=lambda a: a.ratio or 0.0)
    extra = (worst.created or 0.0) - (worst.requests or 0.0) * (worst.declared or 0)
    known = f"; a warm-up of {worst.warmup:g} s is recorded" if worst.warmup else ""
    return Finding(
        code="B424",
        severity="warning",
        where=_where(worst),
        message=f"{write_count(extra)} spans more than {write_count(worst.requests)} requests × "
        f"{worst.declared} ({name_worst(worst.run, over, total)}): those of a warm-up are "
        f"counted, or a request makes more{known}",
        remedy="reset the counters, and empty the storage, between warm-up and run; or correct "
        "[spans] per_request",
        numbers={"extra": extra, "ratio": worst.ratio or 0.0, "runs": len(over)},
    )

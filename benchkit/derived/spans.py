"""Values derived from the accounts of spans: shares, uncounted drops, CPU per span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.derived.accounts import DERIVED, Account, list_accounts
from benchkit.derived.containers import BACKEND, find_service, role_of
from benchkit.derived.record import Measured
from benchkit.derived.requests import read_usage
from benchkit.errors import Finding
from benchkit.listing import list_first

if TYPE_CHECKING:
    from benchkit.schema import Observations


def derive_spans(
    observations: Observations, measured: Sequence[Measured], _: Observations
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return ``spans_expected``, counts of sidecars, uncounted drops, shares and CPU per span.

    Parameters
    ----------
    observations : Observations
        With the CPU of containers from `derive_resources`.

    Returns
    -------
    tuple of (rows, findings)
        A finding names the runs with unknown spans per request.

    Notes
    -----
    cpu_per_span of the service is its CPU per request over the spans of a request; for a container
    that collects or stores spans, it is the CPU time over the saved spans.
    """
    rows, unknown = [], []
    used = read_usage(observations)
    for account in list_accounts(observations, measured):
        rows += _per_span(account, used.get(account.run.key, {}))
        counts: Mapping[tuple[str, str], float | None] = {
            ("spans_expected", "count"): account.expected,
            ("spans_dropped", "count"): (
                account.dropped if account.dropped_how == DERIVED else None
            ),
            ("spans_dropped_share", "mean"): account.share,
        }
        rows += [
            account.run.row(metric, stat, value, subject=account.backend, source=account.source)
            for (metric, stat), value in counts.items()
            if value is not None
        ]
        rows += [
            account.run.row(
                *(metric, "count", value),
                subject=account.backend,
                source=account.source,
                origin="reported",
            )
            for metric, value in account.declared.items()
        ]
        if account.per_request is None and account.requests:
            unknown.append(account.run.name)
    return rows, [_unknown(unknown)] if unknown else []


def _per_span(account: Account, used: Mapping[str, float]) -> list[dict[str, Any]]:
    run, rows = account.run, []
    service = find_service(used, run.env)
    for container, cores in used.items():
        spans = account.made if container == service else None
        if role_of(container, run.env) in BACKEND and container != service:
            spans = account.saved
        if spans and run.duration:
            value = cores * run.duration / spans
            rows.append(run.row("cpu_per_span", "mean", value, subject=container))
    return rows


def _unknown(names: Sequence[str]) -> Finding:
    return Finding(
        code="B420",
        severity="info",
        message=f"the number of spans per request is unknown for {list_first(names, 4)}: "
        "the counts are not a multiple of the requests",
        remedy="add it to run.toml: [spans] per_request = 4",
        numbers={"runs": len(names)},
    )

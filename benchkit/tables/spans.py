"""The fate of the spans: a line per variant, a line per run, and a sentence on what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from benchkit.derived.accounts import COUNTERS, DERIVED, Account
from benchkit.schema import Labels, Side
from benchkit.tables.model import (
    Cell,
    Column,
    Table,
    amount,
    column,
    count,
    drop_empty,
    fold_constant,
    percent,
)
from benchkit.tables.resources import MEDIANS, PLACE, place_cells
from benchkit.units import Scale, format_percent, printable

_HALF = 0.5
#: Sources that count requests in a server's log.
_LOGGED = frozenset({"agent", "obi", "beyla"})


def spans_tables(
    accounts: Sequence[Account], cores: Mapping[Labels, float]
) -> tuple[Table, Table] | tuple[()]:
    """Build a table with a row per variant and a table with a row per run.

    Parameters
    ----------
    cores : mapping of `Measured.key` to float
        CPU of all processes that collect and store spans, if recorded.
    """
    if not accounts:
        return ()
    groups: dict[tuple[Side, str], list[Account]] = {}
    for account in accounts:
        groups.setdefault((account.run.side, account.backend), []).append(account)
    return _variants(groups, cores), _runs(accounts)


def describe_losses(accounts: Sequence[Account]) -> str:
    """State how many spans were lost, since costs then do not reflect complete tracing."""
    lost = _by_variant(accounts, lambda account: account.share)
    if lost and min(lost.values()) > 0:
        low, high = (_share(end(lost.values())) for end in (min, max))
        span = low if low == high else f"{low} to {high}"
        most = (
            "More than half of all spans were lost"
            if min(lost.values()) > _HALF
            else "Spans were lost"
        )
        return (
            f"{most} in every traced variant ({span}), so none of them shows the cost of complete "
            "tracing."
        )
    if lost and max(lost.values()) > 0:
        shares = ", ".join(f"{printable(v)} {_share(s)}" for v, s in lost.items() if s)
        return (
            f"Spans were lost: {shares}. These variants do not show the cost of complete tracing."
        )
    return ""


def describe_spans(accounts: Sequence[Account]) -> tuple[str, ...]:
    """State how many spans were lost, whether traces are complete, and what was not counted."""
    lost = _by_variant(accounts, lambda account: account.share)
    lines = []
    if lost:
        losses = describe_losses(accounts) or _explain_none(accounts, lost)
        lines += [losses] if losses else []
    over = dict.fromkeys(a.run.variant for a in accounts if a.has_surplus and a.dropped is None)
    if over:
        lines.append(
            f"More spans were saved than created in {', '.join(map(printable, over))}, "
            "so the number of lost spans is unknown."
        )
    broken = list(dict.fromkeys(a.run.variant for a in accounts if a.has_incomplete_traces))
    if broken and lost:
        lines.append(
            f"Incomplete traces were saved in {', '.join(map(printable, broken))}: the number of "
            "saved spans is not a multiple of the spans per request."
        )
    if any(a.per_request_from == COUNTERS for a in accounts):
        lines.append(
            "The number of spans per request comes from the counters, so an error in the "
            "counters, or a span lost from every request, would not show. To check, set "
            "per_request under [spans] in a sidecar."
        )
    handled = describe_handled(accounts)
    return (*lines, handled) if handled else tuple(lines)


def describe_handled(accounts: Sequence[Account]) -> str:
    """State how many requests a server's log counts for each request of the load."""
    ratios: dict[str, list[str]] = {}
    for account in accounts:
        if account.backend in _LOGGED and account.created and account.requests:
            shares = ratios.setdefault(printable(account.run.variant), [])
            shares.append(f"{account.created / account.requests:.3f}")
    texts = []
    for variant, shares in ratios.items():
        low, high = min(shares, key=float), max(shares, key=float)
        alike = len(shares) > 1 and low == high
        span = low if low == high else f"{low} to {high}"
        texts.append(f"{span} requests per client request in {'all ' * alike}runs of {variant}")
    return f"The server handled {'; '.join(texts)}." if texts else ""


def _explain_none(accounts: Sequence[Account], variants: Iterable[str]) -> str:
    """Name the variants in which no run lost a span or may hide a loss behind a surplus."""
    lossy = {a.run.variant for a in accounts if a.share != 0 or a.has_surplus}
    clean = [printable(variant) for variant in variants if variant not in lossy]
    return f"No spans were lost in {', '.join(clean)}." if clean else ""


def _by_variant(
    accounts: Iterable[Account], read: Callable[[Account], float | None]
) -> dict[str, float]:
    by_variant: dict[str, list[float]] = {}
    for account in accounts:
        value = read(account)
        if value is not None:
            by_variant.setdefault(account.run.variant, []).append(value)
    return {variant: median(values) for variant, values in by_variant.items()}


def _share(fraction: float) -> str:
    return format_percent(fraction, (_HALF,)).lstrip("+±")


def _variants(
    groups: Mapping[tuple[Side, str], Sequence[Account]], cores: Mapping[Labels, float]
) -> Table:
    rows = [
        (
            *place_cells(side),
            Cell(printable(side.variant)),
            Cell(printable(backend)),
            *_center(group, cores),
        )
        for (side, backend), group in groups.items()
    ]
    columns = (
        *(Column(key, key) for key in (*PLACE, "variant", "backend")),
        column("requests", "requests"),
        column("each", "spans per request"),
        column("expected", "expected"),
        column("created", "created"),
        column("saved", "saved"),
        column("dropped", "dropped"),
        column("share", "share dropped"),
        Column("how", "dropped is"),
        column("rest", "unaccounted for"),
        column("rate", "saved", Scale(1.0, "/s")),
        column("efficiency", "saved per backend CPU-second"),
        Column("traces", "traces"),
        column("runs", "runs"),
    )
    table = Table("Spans", columns, tuple(rows))
    table = drop_empty(table, (*PLACE, "efficiency"))
    folded, shared = fold_constant(table, PLACE)
    return replace(folded, caption="; ".join((*shared, MEDIANS)))


def _center(accounts: Sequence[Account], cores: Mapping[Labels, float]) -> tuple[Cell, ...]:
    def center(read: Callable[[Account], float | None]) -> float | None:
        known = [value for account in accounts if (value := read(account)) is not None]
        return median(known) if known else None

    def per_second(account: Account) -> float | None:
        duration = account.run.duration
        return account.saved / duration if account.saved is not None and duration else None

    def per_cpu(account: Account) -> float | None:
        used, rate = cores.get(account.run.key), per_second(account)
        return rate / used if used and rate is not None else None

    efficiency = center(per_cpu)
    return (
        count(center(lambda account: account.requests)),
        count(center(lambda account: account.per_request)),
        count(center(lambda account: account.expected)),
        count(center(lambda account: account.created)),
        count(center(lambda account: account.saved)),
        count(center(lambda account: account.dropped)),
        percent(center(lambda account: account.share), (_HALF,)),
        Cell(", ".join(dict.fromkeys(a.dropped_how for a in accounts if a.dropped_how)) or "–"),
        count(center(lambda account: account.unaccounted)),
        amount(center(per_second), Scale(1.0, "/s")),
        Cell("") if efficiency is None else amount(efficiency, Scale(1.0, "")),
        Cell(_traces(accounts)),
        Cell(f"{len(accounts)}", len(accounts)),
    )


def _traces(accounts: Sequence[Account]) -> str:
    known = [
        is_broken
        for account in accounts
        if (is_broken := account.has_incomplete_traces) is not None
    ]
    if not known:
        return "unknown"
    if not any(account.saved for account in accounts):
        return "none"
    broken = sum(known)
    if not broken:
        return "may be complete" if len(known) == len(accounts) else "unknown"
    return (
        f"incomplete in {broken} of {len(accounts)} runs"
        if len(accounts) > 1
        else "some incomplete"
    )


def _runs(accounts: Sequence[Account]) -> Table:
    rows = tuple(
        (
            *place_cells(a.run.side),
            Cell(printable(a.run.variant)),
            Cell(printable(a.backend)),
            Cell(f"{a.run.run}", a.run.run),
            count(a.expected),
            count(a.created),
            count(a.saved),
            count(a.dropped),
            Cell(
                "–" if a.share is None else f"{a.share:.2%}".replace("%", "\N{NO-BREAK SPACE}%"),
                a.share,
            ),
            count(a.unaccounted),
            count(a.complete_at_most),
        )
        for a in accounts
    )
    columns = (
        *(Column(key, key) for key in (*PLACE, "variant", "backend")),
        column("run", "run"),
        column("expected", "expected"),
        column("created", "created"),
        column("saved", "saved"),
        column("dropped", "dropped"),
        column("share", "share dropped"),
        column("rest", "unaccounted for"),
        column("complete", "complete traces, at most"),
    )
    folded, shared = fold_constant(
        drop_empty(Table("Spans of each run", columns, rows), PLACE), PLACE
    )
    how = (
        "; dropped is computed: created minus saved"
        if all(a.dropped_how == DERIVED for a in accounts)
        else ""
    )
    return replace(folded, caption="; ".join(shared) + how)

"""Rules about two sides that were measured differently, and about changes of shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from benchkit.audit.facts import Evidence, Sheet, name_side
from benchkit.codes import number_rows
from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.machines import differ, list_entries
from benchkit.derived.failures import LENGTH
from benchkit.derived.record import keep_measured
from benchkit.errors import Finding
from benchkit.metrics import display_name
from benchkit.schema import Side
from benchkit.units import format_change, format_number, format_quantity

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Codes that the gate names: results measured elsewhere, or with different responses, show nothing.
OTHER_MACHINE = "B204"
OTHER_ANSWERS = "B321"
_LENGTHS = 0.1
_LOADS = 0.01
_BODIES = 0.01
#: Change of the rate from which on latencies of a closed loop belong to a different load.
_RATES = 0.03
_SHARES = frozenset(
    ("error_rate", "spans_dropped_share", "cpu_throttled", "checks", "latency_within_stdev")
)
_FEWEST_POINTS = 0.001
_SHOWN = 3


def find_other_versions(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B203: the sides were measured with different versions of the tool."""
    for pair in comparisons.pairs:
        sides = [_list_versions(evidence, variant) for variant in pair]
        for tool in sides[0].keys() & sides[1].keys():
            versions = [_join(side[tool]) for side in sides]
            if len({*sides[0][tool], *sides[1][tool]}) > 1:
                yield Finding(
                    code="B203",
                    severity="warning",
                    where=", ".join(pair),
                    message=f"'{pair[0]}' was measured with {tool} {versions[0]}, '{pair[1]}' "
                    f"with {tool} {versions[1]}: tool versions can measure differently",
                    remedy="measure both sides with one version",
                    numbers=dict(zip(pair, versions, strict=True)),
                )


def find_other_machines(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B204: a fact about the machine differs between the runs of a pair."""
    for pair in comparisons.pairs:
        one, other = (_count_machines(evidence, variant) for variant in pair)
        differing: dict[str, list[str]] = {}
        for (group, name), values in one.items():
            counterpart = other.get((group, name))
            if counterpart and name not in differing and differ(name, values, counterpart):
                differing[name] = [_join(side) for side in (values, counterpart)]
        if differing:
            shown = "; ".join(
                f"{name} {left} vs. {right}"
                for name, (left, right) in list(differing.items())[:_SHOWN]
            )
            more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
            yield Finding(
                code=OTHER_MACHINE,
                severity="warning",
                where=", ".join(pair),
                message=f"the machine differs: {shown}{more}",
                remedy="measure both sides alternately on one unchanged machine",
                numbers={name: " / ".join(texts) for name, texts in differing.items()},
            )


def find_other_origins(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B209: the sides were measured in different CI jobs, or on different machines."""
    measured = keep_measured(runs)
    origins: dict[tuple[str, str], dict[str, None]] = {}
    names = ("group", "variant", "origin")
    few = measured.iloc[number_rows(measured, names)[1]]
    for group, variant, origin in zip(*(few[name].tolist() for name in names), strict=True):
        shown = f"origin {origin}" if origin and isinstance(origin, str) else "this machine"
        origins.setdefault((group, variant), {})[shown] = None
    groups = dict.fromkeys(group for group, _ in origins)
    for pair in comparisons.pairs:
        for sides in ([origins.get((group, name), {}) for name in pair] for group in groups):
            if all(sides) and sides[0].keys() != sides[1].keys():
                baseline, variant = map(_join, sides)
                yield Finding(
                    code="B209",
                    severity="warning",
                    where=", ".join(pair),
                    message=f"'{pair[1]}' comes from {variant}, '{pair[0]}' from {baseline}",
                    remedy="measure both in one job; if one job has both, select it with --origin "
                    "(origin= in Python)",
                    numbers=dict(zip(pair, (baseline, variant), strict=True)),
                )
                break


def find_other_lengths(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B206: the runs of one side are longer, although their number of requests is not fixed."""
    for places in _pair_places(comparisons, evidence):
        sides = [[s.run.duration for s in sheets if s.run.duration] for _, sheets in places]
        if not all(sides) or _is_fixed_count([sheets for _, sheets in places]):
            continue
        short, long = sorted(median(lengths) for lengths in sides)
        if short and long / short - 1 > _LENGTHS:
            shown = ", runs of ".join(
                f"'{side.variant}' took {format_quantity(median(lengths), 's')}"
                for (side, _), lengths in zip(places, sides, strict=True)
            )
            yield Finding(
                code="B206",
                severity="info",
                where=name_side(places[1][0]),
                message=f"runs of {shown}: totals are not comparable, and a warm-up weighs more "
                "in shorter runs",
                remedy="run both sides for the same time",
                numbers={"shorter": short, "longer": long},
            )


def find_other_queries(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B208: the sides requested the same path with different query strings."""
    for places in _pair_places(comparisons, evidence):
        queries = [_list_queries(sheets) for _, sheets in places]
        if all(queries) and queries[0].keys() != queries[1].keys():
            texts = _join_by_variant(places, queries)
            (baseline, one), (variant, other) = texts.items()
            yield Finding(
                code="B208",
                severity="warning",
                where=name_side(places[1][0]),
                message=f"the query strings differ: {one} for '{baseline}', {other} for "
                f"'{variant}'; a different request has a different cost",
                remedy="send the load of both sides to the same URL",
                numbers=texts,
            )


def find_other_connections(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B216: closed loops with different connections, or a closed and an open loop."""
    runs = (sheet.run for sheet in evidence.loads)
    known = list_connections((run.side, run.connections, run.load_model) for run in runs)
    pairs = dict.fromkeys((c.workload, c.baseline, c.variant) for c in comparisons.contrasts)
    for workload, baseline, variant in pairs:
        sides = [workload.side(name) for name in (baseline, variant)]
        if have_other_connections(known, *sides):
            one, other = (_join(map(_name_load, sorted(known[side]))) for side in sides)
            yield Finding(
                code="B216",
                severity="warning",
                where=name_side(sides[1]),
                message=f"'{baseline}' was measured with {one}, '{variant}' with {other}: rates "
                "and latencies of a closed loop depend on them",
                remedy="measure both sides with the same number, or at the same fixed rate",
                numbers={baseline: one, variant: other},
            )


def _name_load(connections: float) -> str:
    number = f"{connections:.0f} connections or virtual users"
    return "an open loop" if connections == inf else number


def list_connections(
    runs: Iterable[tuple[Side, float | None, str | None]],
) -> dict[Side, set[float]]:
    """Return the numbers of connections of each side whose runs all record them.

    For an open loop it is infinite: it sends its next request even if all others are waiting.
    """
    known: dict[Side, set[float]] = {}
    for side, connections, model in runs:
        is_known = model == "closed" and connections is not None and connections > 0
        number = inf if model == "open" else (connections or 0) if is_known else 0
        known.setdefault(side, set()).add(number)
    return {side: numbers for side, numbers in known.items() if 0 not in numbers}


def have_other_connections(known: Mapping[Side, set[float]], one: Side, other: Side) -> bool:
    """Return whether no number of connections occurs on both sides, though both record them."""
    return one in known and other in known and known[one].isdisjoint(known[other])


def find_other_bodies(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B210: response lengths vary on one side only, which is not a failure."""
    for places in _pair_places(comparisons, evidence):
        sheets = [sheet for _, of_side in places for sheet in of_side]
        if any(sheet.run.env.get("document_length") == "Variable" for sheet in sheets):
            continue
        shares = [(_share_lengths(of_side), side.variant) for side, of_side in places]
        (none, same), (share, varying) = sorted(shares)
        if share > _BODIES and not none:
            yield Finding(
                code="B210",
                severity="warning",
                where=name_side(places[1][0]),
                message=f"{format_number(100 * share, 3)} % of the responses of '{varying}' "
                f"differ in length from its first response, but none of '{same}': the page may "
                "have changed",
                remedy="compare both responses, for example with curl",
                numbers={varying: share, same: none},
            )


def find_other_loads(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    """B315, B319: the sides were measured at different rates."""
    models = {sheet.run.side: sheet.run.load_model for sheet in evidence.loads}
    rates = [c for c in comparisons.contrasts if is_rate(c)]
    other = list_other_loads(comparisons, models)
    if other:
        yield _report_open(other)
    latencies = {_row(c) for c in comparisons.contrasts if c.metric == "latency"}
    bound = [
        c
        for c in rates
        if models.get(c.side) == "closed" and _apart(c) > _RATES and _row(c) in latencies
    ]
    for variant in dict.fromkeys(c.variant for c in bound):
        yield _report_closed([c for c in bound if c.variant == variant])


def list_other_loads(comparisons: Comparisons, models: Mapping[Side, str | None]) -> list[Contrast]:
    """Return the rates of open loops that differ, so their latencies are not comparable."""
    rates = (c for c in comparisons.contrasts if is_rate(c))
    return [c for c in rates if models.get(c.side) == "open" and _apart(c) > _LOADS]


def find_other_answers(comparisons: Comparisons, _evidence: Evidence) -> Iterator[Finding]:
    """B321: requests or responses differ between the sides, so different things were measured."""
    rows = (c for c in comparisons.contrasts if c.other_answers)
    for side, difference in dict.fromkeys((c.side, c.other_answers) for c in rows):
        yield Finding(
            code=OTHER_ANSWERS,
            severity="warning",
            where=name_side(side),
            message=f"{difference}: other requests and responses have other costs",
            remedy="compare the requests and responses of both sides, for example with curl",
            numbers={},
        )


def find_changed_shares(comparisons: Comparisons, _evidence: Evidence) -> Iterator[Finding]:
    """B320: a share changed; percentage points and per cent are two different numbers."""
    shares = [
        c
        for c in comparisons.contrasts
        if c.metric in _SHARES and c.stat == "mean" and c.ratio and abs(c.delta) >= _FEWEST_POINTS
    ]
    by_metric: dict[str, list[Contrast]] = {}
    for c in shares:
        by_metric.setdefault(c.metric, []).append(c)
    for metric, changed in by_metric.items():
        worst = max(changed, key=lambda c: abs(c.delta))
        sign = "+" if worst.delta > 0 else ""
        points = f"{sign}{format_number(100 * worst.delta, 2)}"
        relative = format_change(worst.ratio or 1.0)
        yield Finding(
            code="B320",
            severity="info",
            where=", ".join(filter(None, (name_side(worst.side), worst.container))),
            message=f"{display_name(metric, 'mean')}: {100 * worst.center_baseline:.3g} % → "
            f"{100 * worst.center_variant:.3g} %, {points} percentage points or {relative}",
            remedy="when you quote this change, say which of the two you mean; the table shows "
            "percent",
            numbers={"points": worst.delta, "share": worst.delta / worst.center_baseline},
        )


def _list_versions(evidence: Evidence, variant: str) -> dict[str, dict[str, None]]:
    versions: dict[str, dict[str, None]] = {}
    for sheet in evidence.loads:
        run = sheet.run
        if run.variant == variant and run.tool_version:
            versions.setdefault(run.tool, {})[run.tool_version] = None
    return versions


def _list_queries(sheets: list[Sheet]) -> dict[str, None]:
    """Return the query strings of the runs whose URL is known."""
    known = (sheet.run.env for sheet in sheets if "host" in sheet.run.env)
    return dict.fromkeys(f"?{env['query']}" if "query" in env else "no query" for env in known)


def _share_lengths(sheets: list[Sheet]) -> float:
    """Return the share of a side's responses whose length differs from the first one."""
    counts = [
        sum(number.value for sheet in sheets if (number := sheet.get(metric, "count", subject)))
        for metric, subject in (("failures", LENGTH), ("requests", ""))
    ]
    return counts[0] / counts[1] if counts[1] else 0.0


def _count_machines(evidence: Evidence, variant: str) -> dict[tuple[str, str], Counter[str]]:
    """Return how many runs of a variant record each fact about the machine, by group and entry."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for same in evidence.repeated:
        run = same.run
        if run.variant == variant and run.role != "warmup":
            for name, value in list_entries(run.env).items():
                counts.setdefault((run.group, name), Counter())[value] += len(same.numbers)
    return counts


def _join(values: Iterable[str]) -> str:
    return " and ".join(values)


def _join_by_variant(
    places: Sequence[tuple[Side, list[Sheet]]], values: Sequence[Iterable[str]]
) -> dict[str, str]:
    """Return the values of two sides, by variant."""
    variants = (side.variant for side, _ in places)
    return dict(zip(variants, map(_join, values), strict=True))


def _pair_places(
    comparisons: Comparisons, evidence: Evidence
) -> Iterator[list[tuple[Side, list[Sheet]]]]:
    """Yield the runs of both sides of each compared series."""
    known = evidence.by_side(evidence.loads)
    contrasts = comparisons.contrasts if known else ()
    pairs = dict.fromkeys((c.workload, c.baseline, c.variant) for c in contrasts)
    for workload, *variants in pairs:
        sides = [workload.side(variant) for variant in variants]
        if all(side in known for side in sides):
            yield [(side, known[side]) for side in sides]


def _is_fixed_count(sides: Iterable[list[Sheet]]) -> bool:
    """Whether every run made about the same number of requests."""
    numbers = [sheet.get("requests", "count") for sheets in sides for sheet in sheets]
    counts = [number.value for number in numbers if number]
    return not counts or max(counts) <= min(counts) * (1 + _LOADS)


def is_rate(c: Contrast) -> bool:
    """Whether a row compares the request rate."""
    return (c.metric, c.stat, c.subject) == ("request_rate", "mean", "")


def _row(c: Contrast) -> tuple[str, ...]:
    return (*c.side, c.baseline)


def _apart(c: Contrast) -> float:
    if not c.center_baseline:
        return 0.0
    return abs(c.center_variant / c.center_baseline - 1)


def _report_open(other: list[Contrast]) -> Finding:
    worst = max(other, key=_apart)
    return Finding(
        code="B315",
        severity="warning",
        where=name_side(worst.side),
        message=f"'{worst.variant}' ran at {_rate(worst.center_variant)}, '{worst.baseline}' at "
        f"{_rate(worst.center_baseline)}: latencies at different loads are not comparable",
        remedy="use a rate that every side can reach, and check that the generator is not the "
        "bottleneck",
        numbers=_number_rates(worst, other),
    )


def _report_closed(bound: list[Contrast]) -> Finding:
    worst = max(bound, key=_apart)
    return Finding(
        code="B319",
        severity="info",
        where=name_side(worst.side),
        message=f"'{worst.variant}' ran at {_rate(worst.center_variant)}, '{worst.baseline}' at "
        f"{_rate(worst.center_baseline)}: in a closed loop, a lower rate and a higher latency are "
        "one cost, not two",
        remedy="to compare latency at equal load, use the same fixed request rate on both sides",
        numbers=_number_rates(worst, bound),
    )


def _rate(value: float) -> str:
    return f"{format_number(value, 4)} requests/s"


def _number_rates(worst: Contrast, rows: list[Contrast]) -> dict[str, float]:
    return {
        "baseline": worst.center_baseline,
        "variant": worst.center_variant,
        "rows": len(rows),
    }

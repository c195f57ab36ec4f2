"""Worked examples that tests of views and reports start from: real numbers, real verdicts.

Views are tried with realistic data: rows that are shown, equivalent, and inconclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchkit import schema
from benchkit.comparison import Plan, compare
from benchkit.errors import Finding
from benchkit.verdict import Verdicts, judge

#: metric, stat, unit -> variant -> one value per run
Measured = Mapping[tuple[str, str, str], Mapping[str, Sequence[float]]]

RATE = ("request_rate", "mean", "1/s")
RATES = {
    "none": (10406.41, 10713.21, 10594.48, 10850.03, 10668.84, 10467.87, 10443.02, 10198.55),
    "otlp": (9307.29, 9269.90, 9372.46, 9306.73, 9075.83, 9022.65, 8926.63, 9026.30),
    "zipkin": (8900.86, 8959.72, 8980.89, 8957.65, 8986.85, 8425.14, 8744.00, 8554.82),
    "apm": (10471.56, 11000.19, 10651.26, 10621.35, 10338.29, 10326.50, 10862.99, 10328.91),
    "skywalking": (9329.70, 9367.36, 9447.22, 9345.69, 9601.40, 9291.46, 9209.51, 9145.48),
}
P50 = {
    "none": (701e-6, 683e-6, 690e-6, 681e-6, 690e-6, 701e-6, 702e-6, 721e-6),
    "otlp": (709e-6, 709e-6, 711e-6, 713e-6, 724e-6, 735e-6, 739e-6, 731e-6),
    "zipkin": (712e-6, 718e-6, 715e-6, 721e-6, 719e-6, 751e-6, 734e-6, 746e-6),
    "apm": (680e-6, 654e-6, 671e-6, 678e-6, 691e-6, 692e-6, 664e-6, 696e-6),
    "skywalking": (724e-6, 716e-6, 715e-6, 724e-6, 710e-6, 730e-6, 732e-6, 739e-6),
}
P99 = {
    "none": (4.63e-3, 5.67e-3, 6.77e-3, 4.96e-3, 4.90e-3, 5.15e-3, 4.69e-3, 4.62e-3),
    "otlp": (4.97e-3, 6.16e-3, 4.50e-3, 4.53e-3, 7.95e-3, 4.70e-3, 4.11e-3, 4.35e-3),
    "zipkin": (8.05e-3, 7.60e-3, 7.35e-3, 7.51e-3, 6.70e-3, 12.95e-3, 7.05e-3, 7.39e-3),
    "apm": (4.55e-3, 5.05e-3, 4.43e-3, 3.94e-3, 4.98e-3, 4.70e-3, 3.92e-3, 5.35e-3),
    "skywalking": (8.61e-3, 7.68e-3, 7.72e-3, 7.96e-3, 8.47e-3, 7.61e-3, 9.02e-3, 8.66e-3),
}
TRACING: Measured = {
    RATE: RATES,
    ("latency", "p50", "s"): P50,
    ("latency", "p99", "s"): P99,
}

#: Individual runs of the published workflow, 30 s each.
PUBLISHED: Measured = {
    RATE: {
        "none": (29018.83,),
        "apm": (19917.0,),
        "otlp": (17576.0,),
        "skywalking": (16334.0,),
        "zipkin": (12807.0,),
    }
}

FINDINGS = (
    Finding(
        code="B310",
        severity="warning",
        message="wrk's mean latency is too high: it implies 9.9 requests in flight on 8 "
        "connections",
        remedy="compare percentiles or the rate",
        where="zipkin",
        numbers={"in_flight": 9.9, "connections": 8},
    ),
    Finding(code="B330", severity="info", message="the order of the variants was rotated"),
)


def tracing(*, margin: float = 0.03, runs: int = 8) -> Verdicts:
    """Return four tracing backends against none on a quiet machine, at most eight runs each."""
    return verdicts(TRACING, "wrk", "/ping/GRM", margin=margin, runs=runs)


def published() -> Verdicts:
    """Return the same backends with one run each."""
    return verdicts(PUBLISHED, "wrk", "/ping/GRM")


def gobench(benchmarks: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> Verdicts:
    """Return ``enabled`` against ``baseline``: benchmark -> seconds per operation on both sides."""
    rows = [
        (variant, name, run, "time_per_op", "sample", value, "s")
        for name, sides in benchmarks.items()
        for variant, values in zip(("baseline", "enabled"), sides, strict=True)
        for run, value in enumerate(values, 1)
    ]
    return _verdicts(rows, "gobench", 0.03)


def verdicts(
    measured: Measured, tool: str, benchmark: str, *, margin: float = 0.03, runs: int = 100
) -> Verdicts:
    """Compare every variant with the first one and judge."""
    rows = [
        (variant, benchmark, run, metric, stat, value, unit)
        for (metric, stat, unit), sides in measured.items()
        for variant, values in sides.items()
        for run, value in enumerate(values[:runs], 1)
    ]
    return _verdicts(rows, tool, margin)


Row = tuple[str, str, int, str, str, float, str]


def _verdicts(rows: Sequence[Row], tool: str, margin: float) -> Verdicts:
    variants = list(dict.fromkeys(row[0] for row in rows))
    pairs = [(variants[0], variant) for variant in variants[1:]]
    return judge(compare(observations(rows, tool), runs_of(rows, tool), pairs, Plan()), margin)


def observations(rows: Sequence[Row], tool: str) -> schema.Observations:
    """Return rows as the table of observations."""
    named = ("variant", "benchmark", "run", "metric", "stat", "value", "unit")
    data: dict[str, object] = {name: [row[i] for row in rows] for i, name in enumerate(named)}
    data |= {name: [""] * len(rows) for name in ("group", "params", "source")}
    data |= {"origin": ["reported"] * len(rows), "tool": [tool] * len(rows)}
    data |= {name: [None] * len(rows) for name in ("subject", "n", "time", "resolution")}
    return schema.observations(data)


def runs_of(rows: Iterable[Row], tool: str) -> schema.Runs:
    """Return the runs that the rows belong to; wrk's follow a warm-up each."""
    keys = list(dict.fromkeys((variant, benchmark, run) for variant, benchmark, run, *_ in rows))
    empty = [None] * len(keys)
    data: dict[str, object] = {column.name: list(empty) for column in schema.RUN_COLUMNS}
    data |= {
        "group": [""] * len(keys),
        "variant": [key[0] for key in keys],
        "benchmark": [key[1] for key in keys],
        "params": ["connections=8,threads=2" if tool == "wrk" else ""] * len(keys),
        "run": [key[2] for key in keys],
        "role": ["measured"] * len(keys),
        "tool": [tool] * len(keys),
        "duration": [15.0 if tool == "wrk" else None] * len(keys),
        "load_model": ["closed" if tool == "wrk" else "unknown"] * len(keys),
        "sources": [[{"path": f"{v}/{tool}-{n}.txt", "sha256": "0" * 64}] for v, _, n in keys],
        "units": [{} for _ in keys],
        "env": [{"cpu": "Xeon", "kernel": "6.18"} for _ in keys],
    }
    return schema.runs(data)


def tracing_runs() -> schema.Runs:
    """Return the runs of `tracing`."""
    rows = [
        (v, "/ping/GRM", n, "", "", 0.0, "") for v, r in RATES.items() for n in range(1, len(r) + 1)
    ]
    return runs_of(rows, "wrk")

"""Sessions with a recorded order, generated run by run or typed in from real ones.

Blocks, drift and interleaving depend on the order, which raw wrk files do not record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import examples

from benchkit import schema
from benchkit.comparison import Comparisons, Plan, compare
from benchkit.derived.blocks import find_blocks

BENCHMARK = "/ping/GRM"
START = datetime(2026, 11, 21, 1, 0, tzinfo=UTC)

#: wrk's requests per second; repeats in the order of the variants, four runs starved of CPU: none
#: 6, and otlp, apm and skywalking 5 (benchkit's own runs, 2026-11-21).
STARVED = {
    "none": (8835.89, 9236.33, 9042.81, 9339.13, 10009.34, 4072.19),
    "otlp": (7254.69, 8003.41, 7461.22, 7974.53, 3060.33, 8766.87),
    "zipkin": (7505.96, 7368.73, 7220.82, 8119.32, 8062.82, 8216.14),
    "apm": (9465.95, 9387.13, 9502.62, 9997.47, 3279.03, 10277.43),
    "skywalking": (8485.87, 8205.92, 7224.49, 8643.83, 3184.30, 9299.48),
}


def rotated(variants: Sequence[str], blocks: int) -> list[str]:
    """Return the variants in turn, with another one first in each block."""
    size = len(variants)
    return [variants[(b + i) % size] for b in range(blocks) for i in range(size)]


def session(
    values: Mapping[str, Sequence[float]], order: Sequence[str] | None, resolution: float = 0.01
) -> tuple[schema.Observations, schema.Runs]:
    """Return request rates, one run every 20 s in the given order; None records no order."""
    rows = [
        (variant, BENCHMARK, run, *examples.RATE[:2], value, examples.RATE[2])
        for variant, side in values.items()
        for run, value in enumerate(side, 1)
    ]
    observations = examples.observations(rows, "wrk").assign(
        params="connections=8,threads=2", resolution=resolution
    )
    facts = examples.runs_of(rows, "wrk").to_dict("records")
    records = [{str(key): value for key, value in row.items()} for row in facts]
    for row in records:
        row |= {"started_at": None, "block": None, "position": None}
    if order is not None:
        places = {variant: [i for i, v in enumerate(order) if v == variant] for variant in values}
        for row in records:
            place = places[row["variant"]][row["run"] - 1]
            row["started_at"] = START + timedelta(seconds=20 * place)
    find_blocks(records)
    names = schema.column_names(schema.RUN_COLUMNS)
    runs = schema.runs({name: [row[name] for row in records] for name in names})
    return schema.observations(observations), runs


def compared(
    values: Mapping[str, Sequence[float]],
    order: Sequence[str] | None,
    blocks: str = "auto",
    resolution: float = 0.01,
) -> tuple[Comparisons, schema.Runs]:
    """Compare every variant of a session with the first one."""
    observations, runs = session(values, order, resolution)
    first, *others = values
    pairs = [(first, other) for other in others]
    return compare(observations, runs, pairs, Plan(blocks=blocks)), runs

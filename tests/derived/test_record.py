"""Runs known only from samples get no environment."""

from __future__ import annotations

from typing import Any

import pytest

from benchkit import schema
from benchkit.derived.record import list_measured, measures_load

SAMPLE: dict[str, Any] = dict.fromkeys(schema.column_names()) | {
    "group": "", "variant": "none", "benchmark": "Get", "params": "", "run": 1,
    "metric": "time_per_op", "stat": "sample", "value": 1.0, "unit": "s",
    "origin": "reported", "tool": "gobench", "source": "a.txt:1",
}  # fmt: skip
COUNT = SAMPLE | {"metric": "requests", "stat": "count", "tool": "wrk"}
COMPANION = {"role": "companion", "run": 0, "env": {"cpu": "beside"}}


def frames(
    row: dict[str, Any], *changes: dict[str, Any]
) -> tuple[schema.Observations, schema.Runs]:
    observations = schema.observations({name: [value] for name, value in row.items()})
    first: dict[str, Any] = dict.fromkeys(schema.column_names(schema.RUN_COLUMNS))
    first |= {name: row[name] for name in schema.RUN_KEY}
    first |= {"role": "measured", "load_model": "unknown", "sources": [], "units": {}, "env": {}}
    rows = [first | change for change in changes or ({},)]
    return observations, schema.runs({name: [run[name] for run in rows] for name in first})


@pytest.mark.parametrize(
    ("row", "change", "is_told"),
    [
        (SAMPLE, {}, False),
        (SAMPLE, {"env": {"cpu": "EPYC"}}, False),
        (SAMPLE, {"env": {"spans.created": "12"}}, True),
        (SAMPLE, {"load_model": "open"}, True),
        (COUNT, {}, True),
    ],
)
def test_samples_alone_record_no_load(
    row: dict[str, Any], change: dict[str, Any], is_told: bool
) -> None:
    assert measures_load(*frames(row, change)) is is_told


def test_run_gets_the_environment_of_its_companions() -> None:
    _, runs = frames(SAMPLE, {"env": {"os": "linux"}}, COMPANION, COMPANION | {"run": 1})
    (run,) = list_measured(runs)
    assert run.env == {"cpu": "beside", "os": "linux"}
    assert run.window is None

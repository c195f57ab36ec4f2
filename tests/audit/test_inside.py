"""Rules on the inside of runs, tried on runs whose stretches are known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from examples import runs_of

from benchkit import schema
from benchkit.audit import audit
from benchkit.comparison import compare
from benchkit.derived.stretches import PREFIX
from benchkit.errors import Finding
from benchkit.stats.sample import FloatArray

SIZE = 20
START = datetime(2026, 11, 21, tzinfo=UTC)
#: The stretches of a run, as logarithms around its level, from a random generator.
Shape = Callable[[np.random.Generator], FloatArray]


def calm(rng: np.random.Generator) -> FloatArray:
    return rng.normal(0, 0.01, SIZE)


def cold(rng: np.random.Generator) -> FloatArray:
    start: FloatArray = np.r_[np.full(4, 0.3), np.zeros(SIZE - 4)]
    return calm(rng) + start


def leaking(rng: np.random.Generator) -> FloatArray:
    return calm(rng) + np.linspace(0, 0.2, SIZE)


def oscillating(rng: np.random.Generator) -> FloatArray:
    wave: FloatArray = 0.1 * np.sin(np.arange(SIZE) / 2.2)
    return calm(rng) + wave


def measured(
    shapes: dict[str, Shape], runs: int = 5, spread: float = 0.03, seed: int = 1
) -> tuple[schema.Observations, schema.Runs]:
    rng = np.random.default_rng(seed)
    columns: dict[str, list[object]] = {column.name: [] for column in schema.COLUMNS}
    for variant, shape in shapes.items():
        for run in range(1, runs + 1):
            values = 0.002 * np.exp(rng.normal(0, spread) + shape(rng))
            statistics: list[tuple[str, float, object]] = [("p50", float(np.median(values)), None)]
            for stat in ("mean", "p50"):
                statistics += [
                    (PREFIX + stat, value, START + timedelta(seconds=i))
                    for i, value in enumerate(values.tolist())
                ]
            for stat, value, time in statistics:
                row = {
                    "group": "", "variant": variant, "benchmark": "/ping", "params": "", "run": run,
                    "subject": None, "metric": "latency", "stat": stat, "value": value, "unit": "s",
                    "n": 100, "time": time, "resolution": None, "origin": "computed",
                    "tool": "vegeta", "source": f"{variant}-{run}:1",
                }  # fmt: skip
                for name, cell in row.items():
                    columns[name].append(cell)
    keys = [(v, "/ping", n, "", "", 0.0, "") for v in shapes for n in range(1, runs + 1)]
    table = runs_of(keys, "vegeta").assign(load_model="open")
    return schema.observations(columns), schema.runs(table)


def list_findings(code: str, *shapes: Shape, runs: int = 5, seed: int = 1) -> list[Finding]:
    frames = measured(dict(zip(("none", "otlp"), shapes, strict=True)), runs, seed=seed)
    comparisons = compare(*frames, [("none", "otlp")])
    return [f for f in audit(comparisons, frames[1], frames[0]) if f.code == code]


def test_waves_inside_runs_are_reported() -> None:
    (finding,) = list_findings("B336", oscillating, oscillating)
    assert finding.severity == "info"
    assert "in 10 of 10 runs" in finding.message
    assert float(finding.numbers["lag1"]) > 0.7


def test_warm_up_is_reported_with_its_runs() -> None:
    (finding,) = list_findings("B337", calm, cold)
    assert "the first fifth of a run differs from the rest by +3" in finding.message
    assert finding.message.endswith("(otlp 1, 2, 3, 4, 5)")
    assert finding.numbers["start"] == pytest.approx(np.expm1(0.3), abs=0.03)


def test_trend_to_the_end_is_reported() -> None:
    findings = list_findings("B337", leaking, calm)
    (trend,) = [finding for finding in findings if "trend" in finding.numbers]
    assert trend.numbers["trend"] == pytest.approx(np.expm1(0.2 * 15 / 19), abs=0.03)
    assert "saturation or a leak" in trend.remedy


@pytest.mark.parametrize("seed", range(4))
def test_calm_runs_have_no_finding(seed: int) -> None:
    assert list_findings("B336", calm, calm, seed=seed) == []
    assert list_findings("B337", calm, calm, seed=seed) == []


def test_source_of_spread_is_reported_for_inconclusive_rows() -> None:
    (finding,) = list_findings("B339", calm, calm)
    assert finding.message.startswith("the spread is ")
    assert "(10 runs)" in finding.message
    assert finding.remedy == "more runs help, more requests do not"
    assert finding.numbers["within"] == pytest.approx(0.01 / np.sqrt(SIZE), rel=0.3)


def test_single_runs_have_no_components() -> None:
    assert list_findings("B339", calm, calm, runs=1) == []

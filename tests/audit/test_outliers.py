"""Outlying runs are named and kept; rounding as large as the change is reported."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import sessions
from examples import RATES

from benchkit.audit import audit
from benchkit.errors import Finding


def list_findings(
    code: str, values: Mapping[str, Sequence[float]], step: float = 0.01
) -> list[Finding]:
    comparisons, runs = sessions.compared(values, None, resolution=step)
    return [finding for finding in audit(comparisons, runs) if finding.code == code]


def test_starved_runs_are_named_with_the_change_without_them() -> None:
    (finding,) = list_findings("B333", sessions.STARVED)
    assert finding.severity == "warning"
    assert (
        finding.numbers["runs"] == "run 6 of none, run 5 of otlp, run 5 of apm, run 5 of skywalking"
    )
    assert (
        "zipkin −14.4\u202f% with them, −16.6\u202f% without".replace("\u202f", "\xa0")
        in finding.message
    )
    assert finding.numbers["with otlp"] == pytest.approx(0.849, abs=0.001)
    assert finding.numbers["without otlp"] == pytest.approx(0.854, abs=0.001)


def test_outliers_count_in_the_estimate() -> None:
    comparisons, _ = sessions.compared(sessions.STARVED, None)
    assert {c.n_variant for c in comparisons.contrasts} == {6}


@pytest.mark.parametrize(
    "values",
    [
        {"none": RATES["none"], "otlp": RATES["otlp"]},
        {"none": [100.0] * 6, "otlp": [100.0, 100.0, 100.0, 100.0, 100.0, 250.0]},
        {"none": [100.0, 101.0, 500.0], "otlp": [99.0, 100.0, 400.0]},
    ],
    ids=["no run is far", "the median deviation is 0", "too few runs"],
)
def test_no_outlier_is_named_where_none_can_be_identified(values: dict[str, list[float]]) -> None:
    assert list_findings("B333", values) == []


def test_rounding_step_as_large_as_the_change_is_reported() -> None:
    values = {"none": [3.0, 4.0, 3.0, 4.0, 4.0], "otlp": [4.0, 4.0, 5.0, 4.0, 5.0]}
    (finding,) = list_findings("B334", values, step=1.0)
    assert finding.severity == "warning"
    assert finding.message.startswith("values are rounded to steps of 1 1/s, more than a third")


def test_values_shared_by_both_sides_are_reported() -> None:
    values = {"none": [3.0, 4.0, 3.0, 4.0, 4.0], "otlp": [4.0, 4.0, 5.0, 4.0, 5.0]}
    (finding,) = list_findings("B334", values, step=math.nan)
    assert finding.message.startswith("36 % of all pairs of a baseline run and a variant run")
    assert finding.numbers["share"] == pytest.approx(0.36)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (RATES, 0.01),
        ({"none": [5.0] * 5, "otlp": [5.0] * 5}, 1.0),
        ({"none": [100.0, 100.1, 99.9, 100.2], "otlp": [100.0, 100.15, 99.8, 100.3]}, 0.1),
        ({"none": [3.0, 3.0, 4.0, 4.0], "otlp": [9.0, 9.0, 8.0, 8.0]}, 1.0),
    ],
    ids=["fine steps", "nothing varies", "no change, steps of 0.1 %", "a change of five steps"],
)
def test_harmless_rounding_is_not_reported(values: dict[str, list[float]], step: float) -> None:
    assert list_findings("B334", values, step) == []


def two_states(rng: np.random.Generator, high: float) -> list[float]:
    return [100 * (1 + high * (i % 2)) + float(rng.normal(0, 0.4)) for i in range(12)]


@pytest.mark.parametrize("fewer", [3, 4, 5])
def test_third_of_the_runs_is_a_state_at_any_distance(fewer: int) -> None:
    rng = np.random.default_rng(3)
    values = {
        name: [1e4 * float(np.exp(rng.normal(0, 0.005) + 0.2 * (n < fewer))) for n in range(10)]
        for name in ("none", "otlp")
    }
    assert list_findings("B335", values)


def test_runs_in_two_states_are_named() -> None:
    rng = np.random.default_rng(3)
    values = {"none": two_states(rng, 0.0), "otlp": two_states(rng, 0.1)}
    (finding,) = list_findings("B335", values)
    assert finding.numbers["runs_above"] == "2, 4, 6, 8, 10, 12"
    assert finding.message.startswith("the runs of 'otlp' fall into two groups, +9.8")


def test_few_outliers_are_not_a_state() -> None:
    rng = np.random.default_rng(3)
    values = {"none": two_states(rng, 0.0), "otlp": two_states(rng, 0.0)}
    for run in (0, 1, 2):
        values["otlp"][run] *= 1.4
    assert list_findings("B335", values) == []
    (far,) = list_findings("B333", values)
    assert str(far.numbers["runs"]).endswith("run 1 of otlp, run 2 of otlp, run 3 of otlp")

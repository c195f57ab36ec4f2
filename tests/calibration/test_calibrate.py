"""Calibrations on real and simulated runs that do not differ."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from examples import RATES, observations, runs_of

from benchkit import schema
from benchkit.calibration import Calibration, Rule, calibrate, suggest_margin
from benchkit.calibration.model import Sizes
from benchkit.errors import DataError, SelectionError
from benchkit.tables.noise import noise_lines, noise_tables


def noise(
    values: dict[str, tuple[float, ...]],
    rule: Rule | None = None,
    pairs: tuple[tuple[str, str], ...] = (),
    *,
    backwards: bool = False,
) -> Calibration:
    data = [
        (variant, "/ping", run, "request_rate", "mean", value, "1/s")
        for variant, side in values.items()
        for run, value in enumerate(side, 1)
    ]
    runs = runs_of(data, "wrk")
    if backwards:
        runs["params"] = ""
        start = datetime(2026, 11, 21, tzinfo=UTC)
        runs["started_at"] = [start - timedelta(minutes=i) for i in range(len(runs))]
    return calibrate(observations(data, "wrk"), schema.runs(runs), rule, pairs)


def test_calibration_of_the_quiet_set() -> None:
    calibration = noise(dict(RATES))
    assert [(row.k, row.splits, row.comparisons) for row in calibration.rows] == [(4, 35, 1)] * 5
    (metric,) = calibration.metrics
    assert (metric.k, metric.rows, metric.splits, metric.comparisons) == (4, 5, 175, 5)
    assert metric.rate is not None
    assert metric.rate.value == pytest.approx(2 / 175)
    assert metric.rate.high > 0.5
    assert metric.margin == 0.035


def test_splits_of_one_set_keep_the_level_for_any_runs() -> None:
    """C(8, 4) = 70 deals, 2 of which are complete separations: 1 of 35 splits rejects."""
    (row,) = noise({"wild": (1.0, 900.0, 3.0, 20.0, 5.0, 0.2, 7.0, 11.0)}).rows
    assert row.rejections == pytest.approx(1 / 35)


def test_drift_shows_in_the_measured_order() -> None:
    (row,) = noise({"drifting": tuple(100.0 * 1.02**i for i in range(8))}).rows
    assert row.is_alarm
    assert row.measured.ratio[0] == pytest.approx(1.02**4)
    assert row.measured.pvalue == pytest.approx(2 / 70)
    assert row.alarms == pytest.approx(1 / 35)


def test_order_follows_the_start_times() -> None:
    calibration = noise({"drifting": tuple(100.0 * 1.02**i for i in range(8))}, backwards=True)
    assert calibration.rows[0].measured.ratio[0] == pytest.approx(1.02**-4)
    assert "in the order of their starts" in noise_tables(calibration)[1].caption
    assert "no starts recorded" in noise_tables(noise(dict(RATES)))[1].caption


def test_identical_variants_are_pooled_and_compared() -> None:
    calibration = noise({"a": RATES["none"], "b": RATES["apm"]}, pairs=(("a", "b"),))
    (row,) = calibration.rows
    assert (row.replicates.variant, row.replicates.n, row.k) == ("a and b", 16, 8)
    assert (row.splits, row.ways) == (500, 6435)
    assert row.measured.ratio[0] == pytest.approx(1.001, abs=5e-4)
    assert row.is_alarm is False
    assert row.alarms is not None
    assert row.alarms <= 0.05
    assert "500 of 6435" in [cell.text for cell in noise_tables(calibration)[1].rows[0]]


def test_runs_per_side_can_be_requested() -> None:
    calibration = noise({"none": RATES["none"]}, Rule(runs=2))
    assert (calibration.rows[0].k, calibration.rows[0].comparisons, calibration.rows[0].splits) == (
        2,
        2,
        210,
    )
    with pytest.raises(DataError, match="18 are needed"):
        noise({"none": RATES["none"]}, Rule(runs=9))


def test_single_runs_have_a_margin_but_no_rate() -> None:
    calibration = noise({"none": (100.0, 104.0, 102.0), "once": (5.0,)})
    (metric,) = calibration.metrics
    assert (metric.k, metric.rate, metric.measured) == (1, None, None)
    assert metric.margin == 0.13  # Student's t with 2 degrees of freedom
    text = " ".join(noise_lines(calibration))
    assert "needs 2 runs per side" in text
    assert "Too few runs" in text
    assert "1 row with too few runs left out" in text


def test_too_few_runs_are_refused_with_a_remedy() -> None:
    with pytest.raises(DataError, match="no variant has more than 1, but at least 2") as error:
        noise({"none": (1.0,), "otlp": (2.0,)})
    assert "--pair" in error.value.hint


def test_unknown_pair_is_refused() -> None:
    with pytest.raises(SelectionError, match="unknown variant 'c'"):
        noise(dict(RATES), pairs=(("none", "c"),))


def test_margins_are_rounded_up_and_cover_the_observed_differences() -> None:
    many = 10**6

    def margin(*sizes: float, measured: float = 0.0) -> float:
        return suggest_margin([Sizes(sizes, many, measured)]).value

    assert margin(math.log(1.0201), *[0.0] * 9) == 0.025
    assert margin(math.log(1.02), *[0.0] * 9) == 0.02
    assert margin(math.log(1.101), *[0.0] * 9) == 0.11
    assert margin(0.0) == 0.005
    assert margin(math.nan, 0.01, *[0.0] * 9) == 0.015
    assert margin(*[0.001] * 9, measured=0.05) == 0.055
    assert math.isnan(margin(math.nan))


def test_single_difference_suggests_a_wide_uncertain_margin() -> None:
    one, many = suggest_margin([Sizes((0.01,), 2)]), suggest_margin([Sizes((0.01,) * 40, 80)])
    assert one.value == pytest.approx(math.expm1(12.706 * 0.01), abs=0.01)
    assert many.value == 0.025
    assert (one.high - one.low) > 20 * (many.high - many.low)
    for tiny in (
        suggest_margin([Sizes((1e-5,) * 9, 9)]),
        suggest_margin([Sizes((0.001,) * 9, 9, 0.2)]),
    ):
        assert tiny.low <= tiny.value <= tiny.high  # rounded up, or observed between two sessions
    assert math.isinf(suggest_margin([Sizes((60.0,), 2)]).value)


@pytest.mark.parametrize("runs", [4, 8])
def test_suggested_margin_covers_estimates_of_new_runs(runs: int) -> None:
    """For machines known from one set of runs each: at least 95 % of new A/A estimates."""
    rng = np.random.default_rng(11)
    within, covered, half = [], [], runs // 2
    truth = 1.96 * 0.03 * math.sqrt(2 / half)
    for _ in range(50):
        (metric,) = noise({"v": tuple(np.exp(rng.normal(0, 0.03, runs)))}).metrics
        fresh = rng.normal(0, 0.03, (200, 2, half)).mean(axis=2)
        within.append(np.mean(np.abs(fresh[:, 0] - fresh[:, 1]) <= math.log1p(metric.margin)))
        covered.append(metric.margin_low <= math.expm1(truth) <= metric.margin_high)
    assert np.mean(within) >= 0.95
    assert np.mean(within) <= 0.99
    assert np.mean(covered) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 50)


def test_single_pair_is_reported_and_lies_within_the_margin() -> None:
    apart = {"a": RATES["none"], "b": tuple(1.06 * value for value in RATES["none"])}
    calibration = noise(apart, pairs=(("a", "b"),))
    assert calibration.metrics[0].margin >= 0.06
    assert any(line.startswith("There is only one pair") for line in noise_lines(calibration))
    assert "[" in noise_tables(calibration)[0].rows[0][-1].text


def test_values_without_a_ratio_raise_no_false_alarm() -> None:
    (row,) = noise({"zero": (0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0)}).rows
    assert row.alarms == 0.0
    assert row.is_alarm is False
    calibration = noise({"zero": (0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0)})
    assert math.isnan(calibration.metrics[0].margin)
    assert "no ratio and no margin" in noise_lines(calibration)[0]
    assert noise_tables(calibration)[0].rows[0][-1].text == "–"


def test_unequal_rows_widen_the_interval_around_the_margin() -> None:
    quiet, loud = Sizes((0.01,) * 20, 10), Sizes((0.1,) * 20, 10)
    equal, mixed = suggest_margin([quiet, quiet]), suggest_margin([quiet] * 9 + [loud])
    assert mixed.high / mixed.low > equal.high / equal.low
    for suggested in (equal, mixed):
        assert suggested.low < suggested.value < suggested.high

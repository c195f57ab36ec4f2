"""Plans from real runs, checked by hand with the underlying formulas."""

from __future__ import annotations

import numpy as np
import pytest
from examples import RATES, observations, runs_of

from benchkit import schema
from benchkit.comparison import Plan
from benchkit.derived.stretches import Batches, Summary
from benchkit.errors import DataError, SelectionError
from benchkit.parsers.base import Reading, Samples
from benchkit.planning import Family, Goal, Planning, plan_runs
from benchkit.schema import Side
from benchkit.tables.plan import chances_table, plan_lines, plan_table

NBSP = "\N{NO-BREAK SPACE}"
Row = tuple[str, str, int, str, str, float, str]


def rows(values: dict[str, tuple[float, ...]], metric: str = "request_rate") -> list[Row]:
    return [
        (variant, "/ping", run, metric, "mean", value, "1/s")
        for variant, selected in values.items()
        for run, value in enumerate(selected, 1)
    ]


def plan(values: dict[str, tuple[float, ...]], goal: Goal | None = None) -> Planning:
    data = rows(values)
    return plan_runs(observations(data, "wrk"), runs_of(data, "wrk"), goal)


def samples(spread: float, within: float, runs: int = 20, size: int = 400) -> schema.Observations:
    """Return latencies whose runs and stretches vary as given, summarised as ingest does."""
    rng = np.random.default_rng(5)
    start = np.datetime64("2026-11-21", "us")
    columns: dict[str, list[object]] = {column.name: [] for column in schema.COLUMNS}
    names = ("subject", "metric", "stat", "value", "unit", "n", "time", "resolution", "origin")
    for run in range(1, runs + 1):
        level = 0.002 * np.exp(rng.normal(0, spread))
        drift = np.repeat(np.exp(rng.normal(0, within, 10)), size // 10)
        values = level * drift * np.exp(rng.normal(0, 0.001, size))
        summary = Summary("linear")
        summary.add(
            Samples(
                reading=Reading(tool="vegeta", form="gob", line=1), metric="latency", unit="s",
                values=values, lines=np.arange(size),
                times=start + np.arange(size) * np.timedelta64(1, "s"),
            )
        )  # fmt: skip
        for fields in summary.rows():
            labels = {
                "group": "", "variant": "none", "benchmark": "", "params": "", "run": run,
                "tool": "vegeta", "source": f"{run}:1",
            }  # fmt: skip
            for name, cell in {**labels, **dict(zip(names, fields, strict=False))}.items():
                columns[name].append(cell)
    return schema.observations(columns)


def vegeta_runs(runs: int = 20) -> schema.Runs:
    return runs_of([("none", "", run, "", "", 0.0, "") for run in range(1, runs + 1)], "vegeta")


def test_quiet_set_matches_hand_computed_values() -> None:
    """Sd of the logs of none: 1.95 %; χ² limit 1.353 times that."""
    (row,) = plan({"none": RATES["none"]}, Goal(effect=0.05)).rows
    assert row.spread is not None
    assert row.spread.cv == pytest.approx(np.std(np.log(RATES["none"]), ddof=1))
    assert row.spread.cv == pytest.approx(0.0195, abs=5e-5)
    assert row.spread.high == pytest.approx(1.353 * row.spread.cv, rel=1e-3)
    assert row.effect is not None
    assert (row.effect.runs, row.effect.high) == (5, 7)
    assert row.equivalence is not None
    assert (row.equivalence.runs, row.equivalence.high) == (9, 15)
    assert row.shows == pytest.approx(0.039, abs=0.0005)


def test_single_variant_is_enough_and_several_form_a_family() -> None:
    assert plan({"none": RATES["none"]}).family == Family(rows=1, variants=1)
    planned = plan(dict(RATES))
    assert planned.family == Family(rows=4, variants=4)
    assert [row.replicates.variant for row in planned.rows] == list(RATES)


def test_several_rows_need_more_runs_and_state_their_power() -> None:
    """Five variants, spreads up to 2.5 %: 4 runs suffice for one row but show nothing here."""
    alone = plan({"zipkin": RATES["zipkin"]}, Goal(effect=0.06))
    planned = plan(dict(RATES), Goal(effect=0.06))
    assert alone.promise is not None
    assert planned.promise is not None
    assert alone.promise.runs < planned.promise.runs
    assert planned.promise.basis == "row"
    assert 0.8 <= planned.promise.one < 0.91
    first, spread, together, *_ = plan_lines(planned)
    assert first.replace(NBSP, " ").startswith(
        f"Run each side {planned.promise.runs} times to detect a change of 6 % in any one row with"
    )
    assert "The plan assumes the measured spread (standard deviation) of" in spread
    assert together.startswith("4 primary rows are decided together, each by its own test")


def test_power_grows_with_the_runs_and_the_change() -> None:
    planning = plan(dict(RATES), Goal(effect=0.06))
    table = chances_table(planning)
    assert table is not None
    assert [column.header.replace(NBSP, " ") for column in table.columns[1:]] == [
        "5 %", "6 %", "10 %", "20 %",
    ]  # fmt: skip
    chances = np.array([[cell.value for cell in row[1:]] for row in table.rows], dtype=float)
    assert (np.diff(chances, axis=1) >= 0).all()
    assert (np.diff(chances[:, 1]) >= -0.01).all()
    (planned,) = [row for row in table.rows if row[0].value == planning.promise.runs]  # type: ignore[union-attr]
    assert planned[2].value == planning.promise.one  # type: ignore[union-attr]


def test_effect_within_the_margin_yields_no_verdict() -> None:
    planned = plan({"none": RATES["none"]}, Goal(effect=0.03))
    (row,) = planned.rows
    assert row.effect is not None
    assert row.effect.runs == 8  # a loss of 3 %, the ratio 0.97; 9 for +3 %
    assert any("lower --margin" in line for line in plan_lines(planned))


def test_single_run_and_zero_values_have_no_plan() -> None:
    planned = plan({"none": (10.0,), "zero": (0.0, 1.0, 2.0)})
    assert [row.spread for row in planned.rows] == [None, None]
    assert "make at least 4" in planned.rows[0].notes[0]
    assert "0, negative or beyond" in planned.rows[1].notes[0]
    assert plan_lines(planned)[0].startswith("~ No plan")
    assert [cell.text for cell in plan_table(planned).rows[0]][-4:] == ["–"] * 4


def test_few_or_constant_runs_are_noted() -> None:
    planned = plan({"few": (10.0, 10.5), "flat": (10.0,) * 5})
    assert "order of magnitude" in planned.rows[0].notes[0]
    assert "do not vary" in planned.rows[1].notes[0]
    assert planned.rows[1].effect is not None
    assert planned.rows[1].effect.runs == 4
    assert "with 2 runs" not in plan_lines(planned)[0]


def test_outlying_run_is_kept_and_the_plan_without_it_stated() -> None:
    calm = RATES["none"]
    (row,) = plan({"none": (*calm[:7], 1.3 * calm[7])}).rows
    assert row.calm is not None
    assert row.calm.outliers == 1
    assert row.effect is not None
    assert row.effect.runs is not None
    assert row.calm.effect.runs is not None
    assert row.calm.effect.runs < row.effect.runs / 4
    (note,) = plan_table(plan({"none": (*calm[:7], 1.3 * calm[7])})).notes
    assert note.startswith("without 1 outlying run: spread")


def test_hopeless_spreads_need_more_than_a_thousand_runs() -> None:
    planned = plan({"wild": (1.0, 30.0, 2.0, 900.0, 0.01)})
    assert planned.promise is None
    assert plan_lines(planned)[0].startswith("~ No plan: the runs vary too much")


def test_missing_metric_is_refused() -> None:
    data = rows({"none": RATES["none"]})
    frames = observations(data, "wrk"), runs_of(data, "wrk")
    with pytest.raises(SelectionError, match="unknown metric 'latncy'"):
        plan_runs(*frames, plan=Plan(primaries=(("latncy", ""),)))
    with pytest.raises(SelectionError, match="unknown statistic of request_rate 'p50'"):
        plan_runs(*frames, plan=Plan(primaries=(("request_rate", "p50"),)))


def test_results_without_a_primary_metric_are_refused() -> None:
    data = rows({"none": (1.0, 2.0)}, metric="bandwidth_in")
    with pytest.raises(DataError, match="no run has a primary metric"):
        plan_runs(observations(data, "wrk"), runs_of(data, "wrk"))


@pytest.mark.parametrize(
    ("spread", "within", "advice"),
    [
        (0.05, 0.01, "more requests do not"),
        (0.001, 0.05, "longer runs help as much"),
        (0.05, 0.08, "more runs help most"),
    ],
)
def test_samples_show_whether_longer_runs_help(spread: float, within: float, advice: str) -> None:
    planned = plan_runs(samples(spread, within), vegeta_runs())
    (row,) = planned.rows
    assert row.components is not None
    assert row.components.within == pytest.approx(within / np.sqrt(10), rel=0.3)
    (line,) = plan_table(planned).footer
    assert advice in line
    assert "within a run" in [column.header for column in plan_table(planned).columns]


def test_without_samples_nothing_is_stated_about_the_inside() -> None:
    table = plan_table(plan(dict(RATES)))
    assert table.footer == ()
    assert "within" not in [column.key for column in table.columns]


def test_batches_need_enough_samples() -> None:
    side = Side("", "none", "", "", "vegeta")
    batches = Batches(samples(0.02, 0.02, runs=2, size=500))
    assert list(batches.take(side, "latency", "p50")) == [1, 2]
    assert batches.take(side, "latency", "p99") == {}
    assert batches.take(side, "latency", "max") == {}
    assert batches.take(side._replace(group="elsewhere"), "latency", "p50") == {}
    counts = batches.take(side, "request_rate", "mean")[1]
    assert counts.sum() == 500
    assert set(counts) <= {41.0, 42.0}


def test_few_samples_form_no_stretches() -> None:
    batches = Batches(samples(0.02, 0.02, runs=2, size=190))
    assert batches.take(Side("", "none", "", "", "vegeta"), "latency", "p50") == {}

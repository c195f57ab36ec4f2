"""Rows against limits: what is over, within, or inconclusive, and by which evidence."""

from __future__ import annotations

from dataclasses import replace

import examples
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit import verdict
from benchkit.comparison import Contrast, Drift, Plan, compare
from benchkit.comparison.limits import measure_limit
from benchkit.config.acceptance import Acceptance
from benchkit.config.limits import parse_limit
from benchkit.config.rules import Habits, Rule
from benchkit.errors import ConfigError, ExitCode, Finding
from benchkit.gating.judgement import judge_rules, judge_verdicts
from benchkit.gating.outcome import ACCEPTABLE, NOT_SHOWN, OVER, WITHIN, GateOutcome
from benchkit.gating.sentence import write_sentence
from benchkit.verdict import REGRESSION

BASE = (100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.7)


def contrast(
    x: tuple[float, ...], y: tuple[float, ...], metric: str = "time_per_op", unit: str = "s"
) -> Contrast:
    rows = [
        (variant, "Ping", run, metric, "sample", value, unit)
        for variant, values in (("base", x), ("new", y))
        for run, value in enumerate(values, 1)
    ]
    data, runs = examples.observations(rows, "gobench"), examples.runs_of(rows, "gobench")
    plan = Plan(primaries=((metric, "sample"),))
    (row,) = compare(data, runs, [("base", "new")], plan).contrasts
    return row


def rule(metric: str = "time_per_op", **more: object) -> Rule:
    limits = {
        key: parse_limit(more.pop(key), "test") for key in ("target", "acceptable") if key in more
    }
    return Rule(name="test", metric=metric, **limits, **more)  # type: ignore[arg-type]


def judge(row: Contrast, *rules: Rule, findings: tuple[Finding, ...] = ()) -> GateOutcome:
    comparisons = replace(examples.tracing().comparisons, contrasts=(row,))
    return judge_rules(comparisons, rules, findings)


def scaled(factor: float) -> tuple[float, ...]:
    return tuple(value * factor for value in BASE)


@pytest.mark.parametrize(("adjusted", "word"), [(0.08, NOT_SHOWN), (0.01, ACCEPTABLE)])
def test_drift_that_decides_the_side_of_the_limit_is_inconclusive(
    adjusted: float, word: str
) -> None:
    row = replace(contrast(BASE, scaled(1.001)), drift=Drift(adjusted, 0.001))
    ((judged,),) = (outcome.rows for outcome in judge(row, rule(acceptable="5%")).rules)
    assert judged.word == word
    assert any("alternate between the variants" in note for note in judged.notes) == (
        word == NOT_SHOWN
    )


@pytest.mark.parametrize(
    ("factor", "target", "acceptable", "word"),
    [
        (1.00, "5%", "10%", WITHIN),
        (0.80, "5%", "10%", WITHIN),
        (1.07, "5%", "10%", ACCEPTABLE),
        (1.30, "5%", "10%", OVER),
        (1.10, "5%", "10%", NOT_SHOWN),
        (1.00, "0%", "5%", ACCEPTABLE),
        (0.90, "0%", "5%", WITHIN),
        (1.07, "1.05x", "1.1x", ACCEPTABLE),
        (1.07, "5 s", "10 s", ACCEPTABLE),
        (1.30, "5 s", "10 s", OVER),
    ],
)
def test_target_and_acceptable_tiers(
    factor: float, target: str, acceptable: str, word: str
) -> None:
    outcome = judge(contrast(BASE, scaled(factor)), rule(target=target, acceptable=acceptable))
    assert [row.word for row in outcome.rows] == [word]


def test_single_limit_may_be_target_or_acceptable() -> None:
    same = contrast(BASE, BASE)
    assert judge(same, rule(target="5%")).rows[0].word == WITHIN
    assert judge(same, rule(acceptable="5%")).rows[0].word == ACCEPTABLE
    slow = contrast(BASE, scaled(1.3))
    assert judge(slow, rule(target="5%")).rows[0].word == OVER


@pytest.mark.parametrize(
    ("factor", "limit", "word"),
    [
        (0.90, "5%", OVER),
        (0.99, "5%", ACCEPTABLE),
        (1.50, "5%", ACCEPTABLE),
        (0.60, "2x", ACCEPTABLE),
        (0.40, "2x", OVER),
        (0.90, "5 /s", OVER),
    ],
)
def test_loss_is_a_cost_if_higher_is_better(factor: float, limit: str, word: str) -> None:
    row = contrast(BASE, scaled(factor), "request_rate", "1/s")
    assert row.better == "higher"
    outcome = judge(row, rule("request_rate", stat="sample", acceptable=limit))
    assert outcome.rows[0].word == word


def test_limit_without_a_direction_applies_to_both_sides() -> None:
    for factor, word in ((1.0, ACCEPTABLE), (1.3, OVER), (0.7, OVER)):
        row = contrast(BASE, scaled(factor), "widgets", "1")
        assert row.better == "none"
        assert judge(row, rule("widgets", acceptable="10%")).rows[0].word == word


def test_possible_cost_is_not_a_number_for_meaningless_intervals() -> None:
    values = (4.0, 900.0, 60.0, 20_000.0)
    noisy = judge(contrast(values, tuple(3 * v for v in values)), rule(acceptable="5%")).rows[0]
    assert noisy.word == NOT_SHOWN
    assert "too noisy to tell" in noisy.notes
    assert not any("the cost may be up to" in note for note in noisy.notes)


def test_shares_are_limited_in_percentage_points() -> None:
    row = contrast((0.0, 0.0, 0.01, 0.0), (0.06, 0.05, 0.07, 0.06), "error_rate", "1")
    limited = rule("error_rate", stat="sample", acceptable="2pp")
    assert judge(row, limited).rows[0].word == OVER
    wide = rule("error_rate", stat="sample", acceptable="10pp")
    assert judge(row, wide).rows[0].word == ACCEPTABLE


def test_zero_on_both_sides_costs_nothing() -> None:
    row = contrast((0.0,) * 4, (0.0,) * 4, "failures", "1")
    assert judge(row, rule("failures", stat="sample", target="0%")).rows[0].word == WITHIN


@pytest.mark.parametrize(
    ("limit", "word"),
    [("0%", OVER), ("+10 B", OVER), ("+1 KiB", ACCEPTABLE), ("+800 B", NOT_SHOWN), ("9x", WITHIN)],
)
def test_exact_metrics_are_judged_by_their_ranges(limit: str, word: str) -> None:
    before, after = (172.0, 172.0, 174.0), (972.0, 973.0, 974.0)
    row = contrast(before, after, "bytes_per_op", "B")
    key = "target" if word == WITHIN else "acceptable"
    outcome = judge(row, rule("bytes_per_op", **{key: limit}))
    assert outcome.rows[0].word == word
    assert outcome.rows[0].evidence.is_exact


def test_three_runs_are_judged_by_welch_and_two_by_nothing() -> None:
    three = contrast(BASE[:3], scaled(1.3)[:3])
    assert judge(three, rule(acceptable="10%")).rows[0].word == OVER
    two = judge(contrast(BASE[:2], scaled(1.3)[:2]), rule(acceptable="10%"))
    assert (two.rows[0].word, two.exit_code) == (NOT_SHOWN, ExitCode.INCONCLUSIVE)
    assert "2 runs on a side, but the policy requires 3" in two.rows[0].notes
    one = replace(contrast(BASE[:1], scaled(1.3)[:1]), method="known within the run")
    for limit in ("10%", "10 s"):
        assert judge(one, rule(acceptable=limit)).rows[0].word == NOT_SHOWN


def test_limit_below_the_rounding_step_assumes_the_worst_rounding() -> None:
    coarse = replace(contrast((3.0,) * 8, (3.0,) * 8), resolution=1.0)
    outcome = judge(coarse, rule(acceptable="5%"))
    assert outcome.rows[0].word == NOT_SHOWN
    assert any("rounding step" in note for note in outcome.rows[0].notes)
    assert judge(replace(coarse, resolution=0.01), rule(acceptable="5%")).rows[0].word == ACCEPTABLE


def test_failing_requests_are_inconclusive() -> None:
    row = replace(contrast(BASE, scaled(0.5)), failed_variant=0.2)
    assert judge(row, rule(acceptable="5%")).rows[0].word == NOT_SHOWN


def test_only_over_is_adjusted_for_the_number_of_rows() -> None:
    over, same = contrast(BASE[:4], scaled(1.3)[:4]), contrast(BASE[:4], BASE[:4])
    alone = judge(over, rule(acceptable="5%"))
    assert alone.rows[0].p_over == pytest.approx(1 / 70)
    comparisons = replace(examples.tracing().comparisons, contrasts=(over, *[same] * 4))
    among = judge_rules(comparisons, [rule(acceptable="5%")])
    assert among.rows[0].word == OVER  # permuted together: 1 of 70 assignments
    assert among.rows[0].p_over == pytest.approx(1 / 70)
    ranked = judge_rules(replace(comparisons, method="rank"), [rule(acceptable="5%")])
    assert ranked.rows[0].word == NOT_SHOWN
    assert ranked.rows[0].p_over == pytest.approx(5 / 70)
    assert {row.word for row in among.rows[1:]} == {ACCEPTABLE}


def test_findings_excluded_by_the_policy_fail_the_gate() -> None:
    finding = Finding(code="B330", severity="warning", message="not in turn")
    limited = rule(acceptable="5%", no_findings=("warning", "error"), on_inconclusive="pass")
    assert judge(contrast(BASE, BASE), limited).exit_code is ExitCode.DONE
    barred = judge(contrast(BASE, BASE), limited, findings=(finding,))
    assert barred.exit_code is ExitCode.INCONCLUSIVE
    assert "B330" in barred.rows[0].notes[0]
    exact = contrast((172.0,) * 8, (172.0,) * 8, "bytes_per_op", "B")
    both = rule("bytes_per_op", acceptable="5%", no_findings=("warning",))
    (row,) = judge(exact, both, findings=(finding,)).rows
    assert row.word == NOT_SHOWN
    assert "B330" in row.notes[0]


def test_regression_exits_1_despite_excluded_findings() -> None:
    finding = Finding(code="B330", severity="warning", message="not in turn")
    slower, limited = contrast(BASE, scaled(1.2)), rule(acceptable="5%", no_findings=("warning",))
    assert judge(slower, limited, findings=(finding,)).exit_code is ExitCode.REGRESSION
    comparisons = replace(examples.tracing().comparisons, contrasts=(slower,))
    valid = ((slower.baseline, Acceptance(benchmark="*")),)
    allowed = judge_rules(comparisons, [limited], (finding,), acceptances=lambda _: valid)
    assert allowed.exit_code is ExitCode.INCONCLUSIVE  # an accepted regression excuses nothing else


@pytest.mark.parametrize(
    ("factor", "acceptable", "needed", "message"),
    [
        (1.00, "0.3%", True, "if there is no cost, about"),
        (1.044, "5%", True, "would show that it is within 5%, if the estimate is right"),
        (
            1.0499,
            "5%",
            False,
            "4 runs per side would usually be enough if there were no cost, but the estimate is",
        ),
        (1.0505, "5%", False, "the estimate is over the limit"),
    ],
)
def test_inconclusive_row_states_the_runs_needed(
    factor: float, acceptable: str, needed: bool, message: str
) -> None:
    (row,) = judge(contrast(BASE, scaled(factor)), rule(acceptable=acceptable)).rows
    assert row.word == NOT_SHOWN
    assert message in f" {'; '.join(row.notes)}"
    assert (row.runs_needed is not None) == needed
    if row.runs_needed:
        assert row.runs_needed > 8
        assert f"about {row.runs_needed} runs per side" in row.notes[-1]


def test_unit_of_another_metric_is_refused() -> None:
    with pytest.raises(ConfigError, match="the unit of time_per_op is s"):
        judge(contrast(BASE, BASE), rule(acceptable="+8 KiB"))
    rate = contrast(BASE, BASE, "request_rate", "1/s")
    with pytest.raises(ConfigError, match="cannot fall by more than 100%"):
        judge(rate, rule("request_rate", stat="sample", acceptable="100%"))


def test_where_accepts_columns_params_and_patterns() -> None:
    row = replace(contrast(BASE, BASE), params="connections=8,threads=2")
    for where in ((("benchmark", ("P*",)),), (("connections", ("8",)), ("variant", ("new",)))):
        assert judge(row, rule(acceptable="5%", where=where)).exit_code is ExitCode.DONE
    gone = judge(row, rule(acceptable="5%", where=(("benchmark", ("Ping", "Set*")),)))
    assert gone.exit_code is ExitCode.DATA
    assert "found no benchmark=Set*" in write_sentence(gone)
    with pytest.raises(ConfigError, match="did you mean 'connections'"):
        judge(row, rule(acceptable="5%", where=(("connection", ("8",)),)))


def test_row_that_can_only_gain_is_within() -> None:
    """The size of the gain is inconclusive; a cost of the margin is excluded."""
    noisy = (90.0, 101.0, 93.0, 99.0, 89.0, 100.0, 94.0, 101.5)
    for metric, unit, word in (("time_per_op", "s", WITHIN), ("request_rate", "1/s", NOT_SHOWN)):
        row = contrast(BASE, noisy, metric, unit)
        verdicts = verdict.judge(replace(examples.tracing().comparisons, contrasts=(row,)))
        assert [each.word for each in verdicts.rows] == [verdict.INCONCLUSIVE]
        (judged,) = judge_verdicts(verdicts, Habits()).rows
        assert judged.word == word


def test_default_gate_follows_the_verdict_on_the_primaries() -> None:
    verdicts = examples.tracing()
    outcome = judge_verdicts(verdicts, Habits())
    assert outcome.exit_code is ExitCode.REGRESSION
    over = {row.contrast.variant for row in outcome.with_word(OVER)}
    assert over == {row.contrast.variant for row in verdicts.primary if row.word == REGRESSION}
    single = judge_verdicts(examples.published(), Habits(on_inconclusive="fail"))
    assert single.exit_code is ExitCode.INCONCLUSIVE
    nothing = judge_verdicts(replace(verdicts, rows=()), Habits())
    assert nothing.exit_code is ExitCode.DATA


@given(
    x=st.lists(st.floats(1, 1000), min_size=3, max_size=8),
    y=st.lists(st.floats(1, 1000), min_size=3, max_size=8),
    limit=st.floats(0, 0.9),
)
def test_row_is_never_both_over_and_within(x: list[float], y: list[float], limit: float) -> None:
    row = contrast(tuple(x), tuple(y))
    limited = measure_limit(row, parse_limit(f"{100 * limit:.6f}%", "test"))
    assert limited.p_over is not None
    assert limited.p_within is not None
    assert max(limited.p_over, limited.p_within) >= 0.05


@given(st.floats(0.01, 3), st.floats(0.01, 0.5))
def test_wider_limit_is_never_harder_to_pass(cost: float, limit: float) -> None:
    generator = np.random.default_rng(7)
    y = tuple(100 * (1 + cost) * np.exp(generator.normal(0, 0.05, 6)))
    row = contrast(BASE[:6], y)
    narrow, wide = (
        measure_limit(row, parse_limit(f"{100 * size:.6f}%", "test")) for size in (limit, 2 * limit)
    )
    assert (narrow.p_over or 0) <= (wide.p_over or 0)
    assert (narrow.p_within or 0) >= (wide.p_within or 0)


@pytest.mark.parametrize("variants", [2, 4])
def test_complete_blocks_are_judged_by_the_test_of_their_design(variants: int) -> None:
    """Rounds differ by 20 %, runs within a round by 1 %: only a test by blocks detects 10 %."""
    generator = np.random.default_rng(5)
    rounds = np.exp(generator.normal(0, 0.2, 10))
    names = ["base", "new", "other", "more"][:variants]
    rows = [
        (name, "Ping", run, "time_per_op", "sample", float(level * cost * noise), "s")
        for name, cost in zip(names, (1.0, 1.1, 1.0, 1.0), strict=False)
        for run, (level, noise) in enumerate(
            zip(rounds, np.exp(generator.normal(0, 0.01, 10)), strict=True), 1
        )
    ]
    runs = examples.runs_of(rows, "gobench")
    runs = runs.assign(block=runs["run"])
    data = examples.observations(rows, "gobench")
    plan = Plan(primaries=(("time_per_op", "sample"),), blocks="auto")
    (row,) = compare(data, runs, [("base", "new")], plan).contrasts
    assert row.method == ("signed-rank" if variants == 2 else "aligned")
    for limit, word in (("5%", OVER), ("20%", ACCEPTABLE)):
        assert judge(row, rule(acceptable=limit)).rows[0].word == word
        unpaired = replace(row, arranged=())
        assert judge(unpaired, rule(acceptable=limit)).rows[0].word == NOT_SHOWN


def test_family_in_rounds_is_judged_jointly_by_pairs() -> None:
    generator = np.random.default_rng(6)
    level = np.exp(generator.normal(0, 0.2, 5))
    rows = [
        (name, f"B{row}", run, "time_per_op", "sample", float(value), "s")
        for row in range(10)
        for name, cost in (("base", 1.0), ("new", 1.1), ("other", 1.045))
        for run, value in enumerate(cost * level * np.exp(generator.normal(0, 0.01, 5)), 1)
    ]
    runs = examples.runs_of(rows, "gobench")
    plan = Plan(primaries=(("time_per_op", "sample"),), blocks="auto")
    pairs = [("base", "new"), ("base", "other")]
    data = examples.observations(rows, "gobench")
    compared = compare(data, runs.assign(block=runs["run"]), pairs, plan)
    judged = judge_rules(compared, [rule(acceptable="5%")]).rules[0].rows
    words = {(row.contrast.variant, row.word) for row in judged}
    assert {word for variant, word in words if variant == "new"} == {OVER}
    assert ("other", NOT_SHOWN) in words
    assert not any("cannot reach" in note for row in judged for note in row.notes)


@pytest.mark.parametrize("limit", ["5%", "3ns", "2x"])
def test_values_beyond_the_range_of_the_test_meet_no_limit(limit: str) -> None:
    row = contrast(tuple(v * 1e300 for v in BASE[:6]), tuple(v * 1.1e300 for v in BASE[:6]))
    limited = measure_limit(replace(row, unit="s"), parse_limit(limit, "test"))
    assert (limited.p_over, limited.p_within) == (None, None)
    assert "cannot be checked against a limit" in limited.notes[0]


@pytest.mark.parametrize("method", ["auto", "rank", "welch"])
def test_zero_baseline_has_the_same_estimate_with_and_without_a_limit(method: str) -> None:
    sides = ("base", (0.0,) * 6), ("new", (5.1, 5.9, 4.2, 6.6, 5.0, 5.4))
    rows = [
        (variant, "Ping", run, "queue", "sample", value, "1")
        for variant, values in sides
        for run, value in enumerate(values, 1)
    ]
    data, runs = examples.observations(rows, "gobench"), examples.runs_of(rows, "gobench")
    plan = Plan(primaries=(("queue", "sample"),), method=method)
    comparisons = compare(data, runs, [("base", "new")], plan)
    (row,) = comparisons.contrasts
    default = judge_verdicts(verdict.judge(comparisons), Habits()).rows[0]
    limited = judge_rules(comparisons, [rule("queue", acceptable="+3")]).rows[0]
    for judged in (default, limited):
        estimate = judged.evidence.value, judged.evidence.low, judged.evidence.high
        assert estimate == (row.difference, *row.difference_inner)
    if method != "rank":  # Welch's estimate is the difference of means, not of medians
        assert row.difference != row.delta
    assert default.notes[0].startswith(
        "the value changed, but benchkit does not know whether higher or lower is better"
    )
    assert default.word == NOT_SHOWN
    assert default.undecided == default.notes[0]  # more runs would not reveal the better direction

"""Block effects are removed by design: only complete blocks in a recorded order, and enough."""

from __future__ import annotations

import math

import examples
import numpy as np
import pytest
import sessions
from examples import RATES

from benchkit import schema
from benchkit.comparison import (
    ALIGNED,
    MAX_T,
    PAIRED_T,
    RANK,
    SIGNED,
    WELCH,
    Comparisons,
    Plan,
    compare,
    count_decidable,
)
from benchkit.comparison.blocks import find_designs
from benchkit.config import DEFAULT_BLOCKS
from benchkit.errors import ConfigError
from benchkit.stats import compare_aligned, wilcoxon
from benchkit.verdict import judge

VARIANTS = ("none", "otlp", "zipkin", "apm", "skywalking")


def values(variants: int, runs: int) -> dict[str, tuple[float, ...]]:
    return {name: RATES[name][:runs] for name in VARIANTS[:variants]}


@pytest.mark.parametrize(
    ("variants", "runs", "method"),
    [
        (5, 8, ALIGNED),
        (3, 5, ALIGNED),
        (3, 4, RANK),
        (3, 3, WELCH),
        (2, 8, SIGNED),
        (2, 7, RANK),
        (2, 5, RANK),
        (2, 4, RANK),
    ],
)
def test_design_selects_the_method(variants: int, runs: int, method: str) -> None:
    names = VARIANTS[:variants]
    comparisons, _ = sessions.compared(values(variants, runs), sessions.rotated(names, runs))
    unequal = {WELCH} if method == RANK and runs == 4 else set()  # so few may differ in spread
    assert {c.method for c in comparisons.contrasts} - unequal == {method}


@pytest.mark.parametrize("order", [None, [v for v in VARIANTS for _ in range(8)]])
def test_without_complete_blocks_auto_equals_never(order: list[str] | None) -> None:
    auto, _ = sessions.compared(RATES, order, "auto")
    never, _ = sessions.compared(RATES, order, "never")
    assert auto == never
    assert {c.method for c in auto.contrasts} == {RANK}


def test_blocks_never_disables_pairing() -> None:
    comparisons, _ = sessions.compared(RATES, sessions.rotated(VARIANTS, 8), "never")
    assert {c.method for c in comparisons.contrasts} == {RANK}


def test_one_missing_run_leaves_all_rows_unpaired() -> None:
    order = sessions.rotated(VARIANTS, 8)
    short = {**RATES, "zipkin": RATES["zipkin"][:7]}
    del order[-1 - order[::-1].index("zipkin")]
    comparisons, _ = sessions.compared(short, order)
    assert {c.variant: c.method for c in comparisons.contrasts}["zipkin"] == WELCH
    assert {c.method for c in comparisons.contrasts if c.variant != "zipkin"} == {RANK}


def test_missing_value_leaves_only_its_row_unpaired() -> None:
    observations, runs = sessions.session(RATES, sessions.rotated(VARIANTS, 8))
    lost = (observations["variant"] == "apm") & (observations["run"] == 3)
    kept = schema.observations(observations[~lost])
    comparisons = compare(kept, runs, [("none", "otlp")], Plan(blocks="auto"))
    assert {c.method for c in comparisons.contrasts} == {RANK}


def test_variant_without_values_is_left_out_of_the_row() -> None:
    observations, runs = sessions.session(RATES, sessions.rotated(VARIANTS, 8))
    kept = schema.observations(observations[observations["variant"] != "apm"])
    comparisons = compare(kept, runs, [("none", "otlp")], Plan(blocks="auto"))
    assert {c.method for c in comparisons.contrasts} == {ALIGNED}


def test_aligned_ranks_use_all_variants_of_each_block() -> None:
    comparisons, _ = sessions.compared(RATES, sessions.rotated(VARIANTS, 8))
    table = np.log(list(zip(*RATES.values(), strict=True)))
    names = list(RATES)
    for c in comparisons.contrasts:
        estimate, test = compare_aligned(table, 0, names.index(c.variant))
        assert c.ratio == pytest.approx(math.exp(estimate.value))
        assert c.pvalue == test.pvalue
        assert c.notes[0].startswith("aligned by blocks: approximate")


def test_selection_of_variants_does_not_change_their_numbers() -> None:
    observations, runs = sessions.session(RATES, sessions.rotated(VARIANTS, 8))
    alone = compare(observations, runs, [("none", "otlp")], Plan(blocks="auto"))
    comparisons, _ = sessions.compared(RATES, sessions.rotated(VARIANTS, 8))
    assert alone.contrasts[0] in comparisons.contrasts


def test_runs_are_paired_by_block_not_by_run_number() -> None:
    pair = {"none": RATES["none"], "otlp": RATES["otlp"]}
    order = ["none", "otlp", "otlp", "none"] * 4
    comparisons, _ = sessions.compared(pair, order)
    assert (
        comparisons.contrasts[0].pvalue == wilcoxon(pair["none"], pair["otlp"]).pvalue == 2 / 2**8
    )


def test_five_pairs_note_the_paired_t_next_to_the_unpaired_test() -> None:
    names = VARIANTS[:2]
    comparisons, _ = sessions.compared(values(2, 5), sessions.rotated(names, 5))
    never, _ = sessions.compared(values(2, 5), sessions.rotated(names, 5), "never")
    (row,), (plain,) = comparisons.contrasts, never.contrasts
    assert (row.ratio, row.pvalue) == (plain.ratio, plain.pvalue)
    assert row.notes[0].startswith("a t-test of the 5 pairs")
    assert plain.notes == ()


def test_verdicts_of_the_quiet_set_do_not_depend_on_blocks() -> None:
    words = [
        [row.word for row in judge(sessions.compared(RATES, order, blocks)[0]).rows]
        for blocks in ("auto", "never")
        for order in (sessions.rotated(VARIANTS, 8),)
    ]
    assert words[0] == words[1] == ["regression", "regression", "equivalent", "regression"]


def test_pairs_can_decide_fewer_rows_than_unpaired_sides() -> None:
    noisy = {"none": (90, 98, 95, 110, 92, 115, 101, 99), "on": (94, 91, 99, 112, 90, 118, 107, 96)}
    comparisons, _ = sessions.compared(noisy, sessions.rotated(tuple(noisy), 8))
    copies = Comparisons(pairs=(), contrasts=comparisons.contrasts * 7, confidence=0.95)
    assert copies.contrasts[0].method == SIGNED
    assert count_decidable(copies.contrasts[0], 0.05) == 6
    assert {row.contrast.method for row in judge(copies).rows} == {MAX_T}


def test_blocks_need_a_recorded_order() -> None:
    _, runs = sessions.session(RATES, sessions.rotated(VARIANTS, 8))
    (design,) = find_designs(runs).values()
    assert {tuple(side.values()) for side in design.values()} == {tuple(range(1, 9))}
    _, other = sessions.session(RATES, None)
    assert find_designs(other) == {}


def test_unknown_block_option_is_refused() -> None:
    assert Plan().blocks == DEFAULT_BLOCKS
    with pytest.raises(ConfigError, match="use auto, never"):
        Plan(blocks="always")


def many_in_rounds(rows: int, rounds: int, cost: float) -> Comparisons:
    """Compare benchmarks of three variants, whose rounds differ by 20 % and runs by 1 %."""
    generator = np.random.default_rng(6)
    level = np.exp(generator.normal(0, 0.2, rounds))
    records = [
        (name, f"B{row}", run, "time_per_op", "sample", float(value), "s")
        for row in range(rows)
        for name, factor in (("base", 1.0), ("new", cost), ("other", 1.0))
        for run, value in enumerate(factor * level * np.exp(generator.normal(0, 0.01, rounds)), 1)
    ]
    runs = examples.runs_of(records, "gobench")
    runs = runs.assign(block=runs["run"])
    data = examples.observations(records, "gobench")
    pairs = [("base", "new"), ("base", "other")]
    return compare(data, runs, pairs, Plan(blocks="auto"))


@pytest.mark.parametrize(
    ("rows", "rounds", "method", "adjustment"),
    [
        (2, 6, ALIGNED, "holm"),
        (10, 5, PAIRED_T, "holm-paired"),
        (20, 8, ALIGNED, "holm"),
        (200, 8, MAX_T, "max-t"),
    ],
)
def test_many_benchmarks_in_rounds_can_be_decided(
    rows: int, rounds: int, method: str, adjustment: str
) -> None:
    verdicts = judge(many_in_rounds(rows, rounds, 1.2))
    for row in verdicts.primary:
        assert (row.contrast.method, row.adjustment) == (method, adjustment)
        if row.contrast.variant == "new":
            assert row.word == "regression"

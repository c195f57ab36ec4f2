"""The basis of a family follows the design and the spreads, and its error keeps the level."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchkit.stats import align, holm, mann_whitney, welch
from benchkit.stats.families import Block, Rounds, decide_family
from benchkit.stats.rank import smallest_pvalue
from benchkit.stats.rankrows import compare_rows
from benchkit.stats.signed_rank import smallest_paired_pvalue


def block(x: np.ndarray, y: np.ndarray, rounds: Rounds = "") -> Block:
    n, m = x.shape[1], y.shape[1]
    smallest = smallest_pvalue(n, m) if n == m >= 4 else 0.0
    if rounds == "pairs":
        smallest = smallest_paired_pvalue(n)
    return Block(
        x=x,
        y=y,
        pvalue=compare_rows(x, y, 0.95).pvalue,
        smallest=np.full(len(x), smallest),
        resolution=np.zeros(len(x)),
        rounds=rounds,
    )


def noise(rows: int, n: int, m: int, ratio: float = 1.0, seed: int = 0) -> Block:
    generator = np.random.default_rng(seed)
    x, y = generator.standard_normal((rows, n)), ratio * generator.standard_normal((rows, m))
    return block(x, y)


@pytest.mark.parametrize(
    ("rows", "n", "m", "ratio", "basis"),
    [
        (1, 4, 4, 1.0, "row"),
        (1, 8, 4, 1.0, "row"),
        (20, 6, 6, 1.0, "row"),
        (60, 6, 6, 1.0, "max-t"),
        (60, 4, 4, 1.0, "max-t"),
        (60, 8, 8, 1.0, "row"),
        (20, 6, 6, 6.0, "least-welch"),
        (60, 6, 6, 2.0, "least-welch"),
        (60, 8, 8, 3.0, "least-welch"),
        (60, 10, 10, 1.7, "row"),
        (600, 10, 10, 1.3, "row"),
        (600, 10, 10, 2.0, "least-welch"),
        (2, 8, 4, 1.0, "least-welch"),
        (2, 3, 3, 1.0, "least-welch"),
    ],
)
def test_basis_follows_runs_rows_and_spreads(
    rows: int, n: int, m: int, ratio: float, basis: str
) -> None:
    (decision,) = decide_family([noise(rows, n, m, ratio)])
    assert decision.basis == basis
    assert (decision.p_adjusted >= decision.pvalue).all()


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (3, 8), (4, 8)])
def test_rounded_row_with_a_constant_side_keeps_the_level(n: int, m: int) -> None:
    generator = np.random.default_rng(7)
    rejected = 0
    for _ in range(1500):
        x, y = (np.round(generator.normal(0.5, 0.3, (1, runs))) for runs in (n, m))
        p = np.array([welch(x[0], y[0])[1].pvalue])
        rounded = Block(x=x, y=y, pvalue=p, smallest=np.zeros(1), resolution=np.ones(1))
        rejected += float(decide_family([rounded])[0].p_adjusted[0]) <= 0.05
    assert rejected <= 0.065 * 1500


def test_sixty_rows_that_all_change_are_shown_with_six_runs() -> None:
    x = np.random.default_rng(1).normal(0, 0.02, (60, 6))
    y = np.random.default_rng(2).normal(np.log(1.2), 0.02, (60, 6))
    (decision,) = decide_family([block(x, y)])
    assert (decision.p_adjusted <= 0.05).all()
    assert_allclose(decision.value, y.mean(axis=1) - x.mean(axis=1))


def test_rows_with_separate_tests_are_one_holm_family() -> None:
    blocks = [noise(3, 8, 8, seed=1), noise(4, 9, 9, seed=2)]
    decisions = decide_family(blocks)
    adjusted = np.concatenate([decision.p_adjusted for decision in decisions])
    assert_allclose(adjusted, holm(np.concatenate([each.pvalue for each in blocks])))


def test_blocks_without_common_runs_share_alpha_and_pass_it_on() -> None:
    x = np.random.default_rng(1).normal(0, 0.02, (30, 6))
    changed, quiet = block(x, x[:, ::-1] + 1), noise(30, 6, 6, seed=3)
    first, second = decide_family([changed, quiet])
    alone = decide_family([quiet])[0]
    assert (first.basis, second.basis) == ("max-t", "max-t")
    assert_allclose(first.p_adjusted, 2 * 2 / 924)
    # All rows of the first are rejected at 2·2/924, so the second has all of alpha.
    assert_allclose(second.p_adjusted, np.maximum(alone.p_adjusted, 2 * 2 / 924))


def test_block_with_an_undecided_row_passes_no_alpha_on() -> None:
    x = np.random.default_rng(1).normal(0, 0.02, (30, 6))
    y = x[:, ::-1] + 1
    y[0] = x[0]
    _, second = decide_family([block(x, y), noise(30, 6, 6, seed=3)])
    alone = decide_family([noise(30, 6, 6, seed=3)])[0]
    assert_allclose(second.p_adjusted, np.minimum(2 * alone.p_adjusted, 1.0))


def test_two_variants_of_four_runs_have_too_few_permutations_to_share() -> None:
    blocks = [noise(30, 4, 4, seed=1), noise(30, 4, 4, seed=2)]
    assert {decision.basis for decision in decide_family(blocks)} == {"least-welch"}


def test_pairs_are_permuted_if_signed_ranks_cannot_reject() -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal((20, 8))
    pairs = block(x, x + generator.normal(2, 0.1, (20, 8)), rounds="pairs")
    (decision,) = decide_family([pairs])
    assert decision.basis == "max-t"
    assert_allclose(decision.p_adjusted, 2 / 256)


@pytest.mark.parametrize(
    ("rows", "rounds", "others", "basis"),
    [(4, 6, 1.0, "row"), (20, 6, 0.2, "max-t"), (60, 6, 1.0, "max-t"), (20, 5, 1.0, "paired-t")],
)
def test_aligned_rounds_become_pairs_if_ranks_are_liberal_or_cannot_reject(
    rows: int, rounds: int, others: float, basis: str
) -> None:
    generator = np.random.default_rng(2)
    runs = generator.standard_normal((rows, rounds, 3)) * (1, 1, others)
    table = runs + generator.normal(0, 3, (1, rounds, 1))
    sides = zip(*(align(row, 0, 1) for row in table), strict=True)
    x, y = (np.array(side) for side in sides)
    (decision,) = decide_family([block(x, y, "aligned")])
    assert decision.basis == basis
    if basis != "row":
        assert_allclose(decision.value, (runs[:, :, 1] - runs[:, :, 0]).mean(axis=1))


def test_one_sided_families_test_one_side() -> None:
    x = np.random.default_rng(1).normal(0, 0.02, (60, 6))
    up, down = block(x, x[:, ::-1] + 1), block(x + 1, x[:, ::-1])
    assert (decide_family([up], tail="greater")[0].p_adjusted <= 0.05).all()
    assert (decide_family([down], tail="greater")[0].p_adjusted == 1).all()


@pytest.mark.parametrize(("rows", "n", "m"), [(20, 4, 4), (60, 6, 6), (20, 8, 4), (20, 3, 3)])
@pytest.mark.parametrize("ratio", [1.0, 2.0, 6.0])
def test_family_error_keeps_the_level(rows: int, n: int, m: int, ratio: float) -> None:
    sessions = 100
    false = sum(
        bool((decide_family([noise(rows, n, m, ratio, seed)])[0].p_adjusted <= 0.05).any())
        for seed in range(sessions)
    )
    assert false / sessions <= 0.065 + 3 * (0.05 * 0.95 / sessions) ** 0.5


def test_constant_rows_are_no_evidence() -> None:
    still = np.ones((3, 3))
    block_ = Block(
        x=still, y=still, pvalue=np.ones(3), smallest=np.zeros(3), resolution=np.zeros(3)
    )
    assert decide_family([block_])[0].p_adjusted.tolist() == [1.0] * 3


def test_family_of_one_is_the_plain_test() -> None:
    x, y = np.arange(4.0)[None], np.arange(4.0)[None] + 10
    (decision,) = decide_family([block(x, y)])
    assert decision.p_adjusted.tolist() == [mann_whitney(x[0], y[0]).pvalue]

"""The promised power is that of `decide_family` itself, simulated."""

from __future__ import annotations

from math import copysign, log1p

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from benchkit.stats.families import Block, decide_family
from benchkit.stats.familypower import choose_basis, family_power, find_power
from benchkit.stats.rank import smallest_pvalue
from benchkit.stats.rankrows import compare_rows
from benchkit.stats.samplesize import runs_for_effect, smallest_effect

#: Points by which the printed power may be off, and three Monte Carlo errors of the sessions.
SESSIONS = 500
NEAR = 0.03 + 3 * 0.5 * 0.8 / SESSIONS**0.5


def are_shown(x: np.ndarray, variants: list[np.ndarray], reach: float) -> np.ndarray:
    """Decide a session as a comparison does: adjusted p and an estimate beyond the margin."""
    ranks = [compare_rows(x, y) for y in variants]
    smallest = np.full(len(x), smallest_pvalue(x.shape[1], x.shape[1]))
    blocks = [
        Block(x=x, y=y, pvalue=ranking.pvalue, smallest=smallest, resolution=np.zeros(len(x)))
        for y, ranking in zip(variants, ranks, strict=True)
    ]
    shown = [
        (decision.p_adjusted <= 0.05)
        & ((ranking.value if decision.basis == "row" else decision.value) >= max(reach, 1e-300))
        for decision, ranking in zip(decide_family(blocks), ranks, strict=True)
    ]
    return np.concatenate(shown)


def simulate(
    cv: float, n: int, effect: float, rows: int, margin: float, variants: int = 1
) -> tuple[float, float]:
    """Return how often the first row is shown if only it changes, and all rows if all change."""
    rng = np.random.default_rng(rows)
    size, reach = abs(log1p(effect)), abs(log1p(copysign(margin, effect)))
    one = every = 0
    for _ in range(SESSIONS):
        x, *sides = cv * rng.standard_normal((1 + variants, rows // variants, n))
        changed = [side.copy() for side in sides]
        changed[0][0] += size
        one += int(are_shown(x, changed, reach)[0])
        every += int(are_shown(x, [side + size for side in sides], reach).all())
    return one / SESSIONS, every / SESSIONS


@pytest.mark.parametrize(
    ("rows", "cv", "effect", "margin"),
    [
        (1, 0.02, 0.03, 0.0),
        (1, 0.05, 0.10, 0.03),
        (4, 0.01, 0.05, 0.03),
        (4, 0.02, 0.03, 0.0),
        (4, 0.02, -0.06, 0.03),
        (1, 0.05, -0.20, 0.10),
        (10, 0.01, 0.03, 0.0),
        (10, 0.02, 0.05, 0.03),
        (20, 0.05, 0.10, 0.03),
        (20, 0.02, 0.05, 0.03),
    ],
)
def test_printed_power_matches_the_simulation(
    rows: int, cv: float, effect: float, margin: float
) -> None:
    runs = runs_for_effect(cv, effect, margin=margin, rows=rows)
    assert runs is not None
    one, every = family_power([cv] * rows, runs, effect, margin=margin)
    assert (float(one[0]), every) == pytest.approx(
        simulate(cv, runs, effect, rows, margin), abs=NEAR
    )
    assert one[0] >= 0.8
    if runs > 4:
        assert find_power(cv, runs - 1, effect, rows=rows, margin=margin) < 0.8


@pytest.mark.parametrize(
    ("rows", "n", "cv"),
    [
        (1, 11, 0.08),
        (1, 14, 0.05),
        (1, 20, 0.08),
        (4, 8, 0.05),
        (4, 11, 0.08),
        (4, 15, 0.05),
        (4, 19, 0.05),
        (10, 10, 0.05),
        (10, 12, 0.05),
        (10, 20, 0.06),
        (20, 12, 0.05),
        (20, 21, 0.06),
        (20, 30, 0.06),
    ],
)
def test_power_of_ranks_matches_the_scipy_test(rows: int, n: int, cv: float) -> None:
    """4,000 sessions: three Monte Carlo errors are 2.4 points, and the promise is 3."""
    x, y = cv * np.random.default_rng(n).standard_normal((2, 4000, n))
    y += log1p(0.06)
    pvalue = mannwhitneyu(x, y, axis=1, method="exact").pvalue
    estimate = np.median(y[:, :, None] - x[:, None, :], axis=(1, 2))
    shown = np.mean((pvalue <= 0.05 / rows) & (estimate >= log1p(0.03)))
    assert find_power(cv, n, 0.06, rows=rows, margin=0.03) == pytest.approx(shown, abs=0.024)


@pytest.mark.parametrize(
    ("rows", "variants", "n", "cv"), [(8, 8, 6, 0.025), (8, 8, 12, 0.04), (12, 3, 12, 0.03)]
)
def test_power_accounts_for_the_shared_baseline(
    rows: int, variants: int, n: int, cv: float
) -> None:
    one, every = family_power([cv] * rows, n, 0.06, margin=0.03, variants=variants)
    kept = simulate(cv, n, 0.06, rows, 0.03, variants)
    assert (float(one[0]), every) == pytest.approx(kept, abs=NEAR)


@pytest.mark.parametrize(("rows", "n"), [(2, 4), (10, 4), (20, 4), (10, 5), (30, 6)])
def test_power_by_permutation_is_that_of_max_t(rows: int, n: int) -> None:
    assert choose_basis(n, rows) == "max-t"
    effect = smallest_effect(0.02, n, power=0.7, rows=rows)
    one, every = family_power([0.02] * rows, n, effect)
    assert one[0] == pytest.approx(0.7, abs=0.01)
    assert (float(one[0]), every) == pytest.approx(simulate(0.02, n, effect, rows, 0.0), abs=NEAR)


def test_four_runs_have_less_power_among_several_rows() -> None:
    """Ranks of 4 + 4 runs never pass Holm's adjustment: 10 rows are decided by permutation."""
    powers = [find_power(0.02, 4, 0.06, margin=0.03, rows=rows) for rows in (1, 2, 10, 20)]
    assert powers[0] > 0.8 > powers[1] > powers[2] > powers[3]


def test_variants_share_the_level_of_permutations() -> None:
    assert choose_basis(4, 4, variants=1) == "max-t"
    assert choose_basis(4, 4, variants=2) == "least-welch"
    assert find_power(0.01, 4, 0.05, rows=4) > find_power(0.01, 4, 0.05, rows=4, variants=2)


def test_variant_with_all_rows_shown_passes_its_level_on() -> None:
    """Four variants of two rows, 5 + 5 runs: simulated by `decide_family` 98 % (1,500 sessions)."""
    effect = float(np.expm1(0.01 * 4))
    assert family_power([0.01] * 8, 5, effect, variants=4)[1] == pytest.approx(0.983, abs=0.03)


def test_noisier_rows_have_less_power() -> None:
    one, every = family_power([0.01, 0.02, 0.04], 8, 0.06, margin=0.03)
    assert one[0] > one[1] > one[2]
    assert family_power([0.01, 0.02, 0.02], 8, 0.06, margin=0.03)[1] > every


def test_zero_spread_has_full_power() -> None:
    one, every = family_power([0.0, 0.0], 5, 0.05, margin=0.03)
    assert (one.tolist(), every) == ([1.0, 1.0], 1.0)


def test_plan_is_reproducible() -> None:
    assert family_power([0.03] * 5, 4, 0.1)[1] == family_power([0.03] * 5, 4, 0.1)[1]


@pytest.mark.parametrize(
    ("cv", "n", "effect", "variants"),
    [
        ([0.1], 1, 0.1, 1),
        ([0.1], 4, 0.0, 1),
        ([0.1], 4, -1.0, 1),
        ([0.1], 4, 0.1, 2),
        ([-0.1], 4, 0.1, 1),
        ([], 4, 0.1, 1),
    ],
)
def test_design_out_of_range_is_refused(
    cv: list[float], n: int, effect: float, variants: int
) -> None:
    with pytest.raises(ValueError, match="expected"):
        family_power(cv, n, effect, variants=variants)


def test_rows_may_have_losses_or_increases_of_different_power() -> None:
    one, _ = family_power([0.02] * 2, 5, [0.06, -0.06], margin=0.03)
    assert one[0] == find_power(0.02, 5, 0.06, margin=0.03, rows=2)
    assert one[1] == find_power(0.02, 5, -0.06, margin=0.03, rows=2)
    assert one[0] < one[1]

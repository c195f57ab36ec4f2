"""Each row has one verdict; an inconclusive row says so and states what it would take."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import examples
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.comparison import Comparisons, Contrast
from benchkit.comparison.measure import measure
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
    Verdict,
    find_excluded,
    judge,
)

BASE = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2]


def contrast(x: list[float], y: list[float], better: str = "lower", assume: str = "") -> Contrast:
    measured = measure(x, y, assume, 0.95)
    template = examples.tracing().comparisons.contrasts[0]
    return replace(
        template,
        better=better,
        baseline_values=tuple(x),
        variant_values=tuple(y),
        center_baseline=sorted(x)[len(x) // 2],
        center_variant=sorted(y)[len(y) // 2],
        ratio=measured.ratio[0],
        ratio_low=measured.ratio[1],
        ratio_high=measured.ratio[2],
        equivalence_low=measured.equivalence[0],
        equivalence_high=measured.equivalence[1],
        method=measured.method,
        pvalue=measured.pvalue,
        primary=True,
    )


def verdict(*contrasts: Contrast, margin: float = 0.03) -> Verdict:
    comparisons = Comparisons(pairs=(("none", "otlp"),), contrasts=contrasts, confidence=0.95)
    return judge(comparisons, margin).rows[0]


@pytest.mark.parametrize(
    ("factor", "better", "word"),
    [
        (1.10, "lower", REGRESSION),
        (1.10, "higher", IMPROVEMENT),
        (1.10, "none", CHANGED),
        (0.90, "lower", IMPROVEMENT),
        (0.90, "higher", REGRESSION),
        (1.001, "lower", EQUIVALENT),
        (1.001, "none", UNCHANGED),
    ],
)
def test_clear_case_has_its_verdict(factor: float, better: str, word: str) -> None:
    assert verdict(contrast(BASE, [v * factor for v in BASE], better)).word == word


@pytest.mark.parametrize(("less", "is_shown"), [(0.9699, True), (0.9705, False)])
def test_margin_of_a_rate_is_literal(less: float, *, is_shown: bool) -> None:
    """1/1.03 is 0.9709: that rate is 2.9 % lower, less than the margin of 3 %."""
    fewer = [v * less for v in BASE]
    assert (verdict(contrast(BASE, fewer, "higher")).word == REGRESSION) is is_shown
    assert (verdict(contrast(BASE, fewer, "lower")).word == IMPROVEMENT) is is_shown
    assert (verdict(contrast(BASE, fewer, "none")).word == CHANGED) is is_shown


def test_equivalence_is_literal_too() -> None:
    row = replace(contrast(BASE, BASE, "higher"), equivalence_low=0.9705, equivalence_high=1.01)
    assert verdict(row).word == EQUIVALENT
    assert verdict(replace(row, equivalence_low=0.9699)).word == INCONCLUSIVE
    assert verdict(replace(row, equivalence_high=1.0301)).word == INCONCLUSIVE


@pytest.mark.parametrize("base", [100.0, 1000.0, 2000.0, 3e5, 7e-4])
def test_change_of_exactly_the_margin_reaches_it_in_every_unit(base: float) -> None:
    steady = [base] * 5 + [base * 1.001]
    assert verdict(contrast(steady, [v * 1.03 for v in steady])).word == REGRESSION


def test_p_equal_to_the_level_is_significant() -> None:
    row = replace(contrast([1.0, 2.0, 3.0], [11.0, 12.0, 13.0]), pvalue=2 / 20, method="welch")
    comparisons = Comparisons(pairs=(("none", "otlp"),), contrasts=(row,), confidence=0.9)
    assert judge(comparisons, 0.03).rows[0].word == REGRESSION


def test_noise_is_inconclusive_and_states_exclusion_and_needed_runs() -> None:
    noisy = [70.0, 90.0, 100.0, 110.0, 130.0, 150.0]
    row = verdict(contrast(BASE, noisy))
    assert row.word == INCONCLUSIVE
    assert any("too noisy" in note or "per side" in note for note in row.notes)
    assert row.runs_needed is None or row.runs_needed > len(noisy)


def test_single_run_has_no_verdict_but_states_the_runs_needed() -> None:
    row = verdict(contrast([1.0], [2.0]))
    assert (row.word, row.runs_needed) == (INCONCLUSIVE, 4)
    assert any("make at least 4 runs per side" in note for note in row.notes)


def test_primaries_are_adjusted_together() -> None:
    row = contrast(BASE, [v * 1.1 for v in BASE])
    alone, among = verdict(row), verdict(row, row, row)
    assert alone.p_adjusted == row.pvalue
    assert among.p_adjusted == pytest.approx(3 * (row.pvalue or 0))


def test_exact_changes_need_no_p() -> None:
    row = verdict(contrast([6.0] * 3, [22.0] * 3, assume="exact"))
    assert (row.word, row.p_adjusted) == (REGRESSION, None)
    assert verdict(contrast([6.0] * 3, [6.0] * 3, assume="exact")).word == EQUIVALENT


def test_rounding_coarser_than_the_margin_prevents_equivalence() -> None:
    coarse = replace(contrast([2e-9] * 8, [2e-9] * 8), resolution=1e-9, unit="s")
    row = verdict(coarse)
    assert row.word == INCONCLUSIVE
    assert any("rounded to steps of 1.00" in note for note in row.notes)
    assert verdict(replace(coarse, resolution=1e-11)).word == EQUIVALENT
    assert verdict(replace(coarse, resolution=1e-11), margin=0.001).word == INCONCLUSIVE


def test_rounding_widens_the_excluded_range() -> None:
    fine = contrast(BASE, BASE[::-1])
    narrow, wide = find_excluded(fine), find_excluded(replace(fine, resolution=10.0))
    assert narrow is not None
    assert wide is not None
    assert wide.low == pytest.approx(narrow.low / 1.1, abs=0.01)
    assert wide.high == pytest.approx(narrow.high * 1.1, abs=0.01)


def test_single_run_outside_a_history_has_no_verdict() -> None:
    history = [100.0 + n / 10 for n in range(40)]
    row = verdict(contrast(history, [130.0]))
    assert (row.contrast.method, row.word) == ("prediction", INCONCLUSIVE)
    assert any("repeat it" in note for note in row.notes)


def test_zero_errors_on_both_sides_are_equivalent() -> None:
    assert verdict(contrast([0.0] * 5, [0.0] * 5)).word == EQUIVALENT
    assert verdict(contrast([0.0] * 5, [3.0, 4.0, 5.0, 6.0, 7.0])).word == REGRESSION


@given(
    x=st.lists(st.floats(1, 1000), min_size=1, max_size=8),
    y=st.lists(st.floats(1, 1000), min_size=1, max_size=8),
    margin=st.floats(0.001, 0.5),
)
def test_reversed_direction_mirrors_the_verdict(
    x: list[float], y: list[float], margin: float
) -> None:
    mirror = {REGRESSION: IMPROVEMENT, IMPROVEMENT: REGRESSION}
    there = verdict(contrast(x, y, "lower"), margin=margin).word
    back = verdict(contrast(x, y, "higher"), margin=margin).word
    assert back == mirror.get(there, there)


def test_single_run_against_many_is_never_equivalent() -> None:
    single = contrast([90.0], [90.0] * 7 + [91.0])
    assert (single.method, single.equivalence_low) == ("prediction", None)
    assert verdict(single, margin=0.125).word == INCONCLUSIVE


@given(
    x=st.lists(st.floats(90, 110), min_size=1, max_size=8),
    y=st.lists(st.floats(90, 120), min_size=1, max_size=8),
    better=st.sampled_from(["lower", "higher", "none"]),
    margin=st.floats(0.001, 0.2),
)
def test_every_row_has_exactly_one_verdict_with_its_evidence(
    x: list[float], y: list[float], better: str, margin: float
) -> None:
    row = contrast(x, y, better)
    shown = row.pvalue is not None and row.pvalue <= 0.05
    ratio = row.ratio or 1.0
    up, down = shown and ratio >= 1 + margin, shown and ratio <= 1 - margin
    inner = row.equivalence_low, row.equivalence_high
    within = None not in inner and all(1 - margin < (end or 0) < 1 + margin for end in inner)
    worse, gain = (up, down) if better == "lower" else (down, up)
    expected = {
        REGRESSION: worse and better != "none",
        IMPROVEMENT: gain and better != "none",
        CHANGED: (up or down) and better == "none",
        EQUIVALENT: within and not (up or down) and better != "none",
        UNCHANGED: within and not (up or down) and better == "none",
        INCONCLUSIVE: not (up or down or within),
    }
    (word,) = (word for word, is_so in expected.items() if is_so)
    assert verdict(row, margin=margin).word == word


def amounts(x: list[float], y: list[float]) -> Contrast:
    measured = measure(x, y, "", 0.95)
    return replace(
        contrast(x, y),
        center_baseline=median(x),
        center_variant=median(y),
        difference=measured.difference[0],
        difference_low=measured.difference[1],
        difference_high=measured.difference[2],
        difference_inner=measured.difference_inner,
    )


def test_negative_values_need_a_ratio_not_more_digits() -> None:
    """Steps of 1 are coarse for values around -5; more digits would not give them a ratio."""
    row = amounts([-7.0, -6.0, -5.0, -6.5, -5.5], [-3.0, -2.0, -1.0, -2.5, -1.5])
    judged = verdict(replace(row, resolution=1.0, unit="B"))
    assert judged.word == INCONCLUSIVE
    assert not any("more digits" in note for note in judged.notes)
    assert any("no verdict: the baseline is below 0" in note for note in judged.notes)


def test_interval_wider_than_a_factor_of_ten_is_not_shown_in_numbers() -> None:
    row = replace(contrast(BASE, BASE), ratio_low=0.3, ratio_high=3.1)
    wide, narrow = find_excluded(row), find_excluded(replace(row, ratio_high=2.9))
    assert wide is not None
    assert wide.is_wide
    assert narrow is not None
    assert not narrow.is_wide


def test_difference_is_compared_with_the_margin_of_a_positive_median() -> None:
    steady = [0.0, 100.0, 101.0, 99.0, 100.5, 99.5, 100.2]
    shifted = [0.0, *(v + 50 for v in steady[1:])]
    assert verdict(amounts(steady, shifted)).word == REGRESSION
    small = [v + 0.5 for v in steady]
    assert verdict(amounts(steady, small), margin=0.001).word == INCONCLUSIVE
    assert verdict(amounts(steady, small), margin=0.03).word == EQUIVALENT


def test_percent_margin_is_meaningless_for_negative_values() -> None:
    row = verdict(amounts([-7.0, -6.0, -5.0, -6.5, -5.5], [-3.0, -2.0, -1.0, -2.5, -1.5]))
    assert row.word == INCONCLUSIVE
    assert row.contrast.pvalue == pytest.approx(2 / 252)
    assert any("so a margin in percent is meaningless" in note for note in row.notes)
    assert row.sensitivity.detectable_difference == pytest.approx(1.5 * 1.43, abs=0.01)

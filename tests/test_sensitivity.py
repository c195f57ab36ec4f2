"""An inconclusive row states what its runs would have detected, with the true reason first."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_verdict import contrast

import benchkit.api as bk
from benchkit.audit.replication import find_few_runs
from benchkit.comparison import Comparisons, Contrast
from benchkit.sensitivity import Sensitivity, sum_up
from benchkit.stats.power import detectable_effect, runs_to_show_effect
from benchkit.stats.rank import hodges_lehmann, mann_whitney
from benchkit.verdict import INCONCLUSIVE, REGRESSION, Verdict, judge

FOUR = [100.0, 101.0, 99.0, 100.5]
APART = [value * 1.2 for value in FOUR]


def judged(*contrasts: Contrast, method: str = "auto") -> tuple[Verdict, ...]:
    return judge(whole(*contrasts, method=method)).rows


def whole(*contrasts: Contrast, method: str = "auto") -> Comparisons:
    pairs = (("none", "otlp"),)
    return Comparisons(pairs=pairs, contrasts=contrasts, confidence=0.95, method=method)


def b302(*contrasts: Contrast, method: str = "auto") -> list[str]:
    findings = find_few_runs(whole(*contrasts, method=method), None)  # type: ignore[arg-type]
    return [finding.message for finding in findings]


@pytest.mark.parametrize("half_width", [0.004, 0.03, 0.2])
def test_detectable_effect_agrees_with_the_planned_runs(half_width: float) -> None:
    seen = detectable_effect(half_width, 0.03)
    assert seen is not None
    assert seen > 0.03
    assert runs_to_show_effect(half_width, 8, seen * 1.001, 0.03) in {4, 8}
    assert runs_to_show_effect(half_width, 8, seen * 0.97, 0.03) not in {4, 8} or half_width < 0.01


def test_detectable_effect_is_found_four_times_out_of_five() -> None:
    rng = np.random.default_rng(5)
    widths, shown = [], 0
    for _ in range(60):
        x, y = (rng.normal(0, 0.03, 10) for _ in range(2))
        estimate = hodges_lehmann(x, y)
        widths.append((estimate.high - estimate.low) / 2)
    seen = detectable_effect(float(np.mean(widths)), 0.03)
    assert seen is not None
    for _ in range(200):
        x, y = (rng.normal(0, 0.03, 10) for _ in range(2))
        y += math.log1p(seen)
        shown += mann_whitney(x, y).pvalue <= 0.05 and hodges_lehmann(x, y).value >= math.log(1.03)
    assert shown / 200 == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / 200))


def test_meaningless_interval_detects_nothing() -> None:
    assert detectable_effect(math.inf, 0.03) is None
    with pytest.raises(ValueError, match="must be >= 0"):
        detectable_effect(-1.0, 0.03)


def test_inconclusive_row_states_the_change_it_would_have_shown() -> None:
    (row,) = judged(contrast(FOUR * 2, [90.0, 97.0, 99.0, 104.0, 108.0, 111.0, 93.0, 101.0]))
    assert row.word == INCONCLUSIVE
    assert row.detectable is not None
    assert 0.03 < row.detectable < 0.3
    assert any(f"make about {row.runs_needed} runs per side" in note for note in row.notes)


def test_decided_row_has_no_sensitivity_note() -> None:
    (row,) = judged(contrast(FOUR, APART))
    assert (row.detectable, row.runs_needed, row.sensitivity.note) == (None, None, "")


def test_too_few_runs_are_the_first_reason_despite_a_wide_spread() -> None:
    wide = contrast([1.0, 3.0, 9.0, 27.0], [2.0, 30.0, 5.0, 80.0])
    rows = judged(wide, wide, wide, method="rank")
    note = rows[0].sensitivity.note
    assert note.startswith("4 + 4 runs cannot reach p ≤ 0.05 when 3 rows are tested together; ")
    assert "too noisy" in note
    assert (rows[0].sensitivity.least, rows[0].sensitivity.is_wide) == (5, True)
    assert rows[0].detectable is None
    assert sum_up([row.sensitivity for row in rows]) == (
        "too few runs (at least 5 per side are needed); "
        "3 are too noisy for any practical number of runs"
    )


def test_jointly_decided_rows_are_not_called_impossible() -> None:
    wide = contrast([1.0, 3.0, 9.0, 27.0], [2.0, 30.0, 5.0, 80.0])
    rows = judged(wide, wide, wide)
    assert {row.contrast.method for row in rows} == {"max-t"}
    assert "cannot reach" not in rows[0].sensitivity.note
    assert b302(wide, wide, wide) == []


def test_row_shown_among_others_is_not_called_impossible() -> None:
    welch, ranks = contrast(FOUR, APART[:3]), contrast(FOUR, [98.0, 101.0, 104.0, 99.9])
    assert (welch.method, ranks.method) == ("welch", "hodges-lehmann")
    shown, other = judged(welch, ranks)
    assert (shown.word, other.word) == (REGRESSION, INCONCLUSIVE)
    assert "cannot reach" not in other.sensitivity.note
    assert b302(welch, ranks) == []


def test_rows_crowded_out_by_others_are_counted() -> None:
    unclear = contrast(FOUR, [98.0, 101.0, 104.0])
    ranks = contrast(FOUR, APART)
    _, closed = judged(unclear, ranks, method="rank")
    assert closed.sensitivity.note.startswith("4 + 4 runs cannot reach p ≤ 0.05 when 2 rows ")
    room = "4 + 4 runs can give a verdict for at most 1 row, but there are 2"
    assert b302(unclear, ranks, method="rank") == [f"1 of 2 rows cannot reach p ≤ 0.05: {room}"]
    assert b302(ranks, ranks, method="rank") == [f"no row can reach p ≤ 0.05: {room}"]
    assert b302(ranks) == b302(ranks, ranks) == []


def test_effect_of_the_adjustment_is_not_attributed_to_the_margin() -> None:
    near = replace(contrast(FOUR * 2, [v * 1.05 for v in FOUR * 2]), pvalue=0.03)
    rows = judged(near, near)
    assert rows[0].word == INCONCLUSIVE
    note = rows[0].sensitivity.note
    assert note.startswith("p = 0.03 alone, but not significant when adjusted for 2 rows")


def test_summary_states_each_reason() -> None:
    rows = [
        Sensitivity(least=5, runs_needed=5),
        Sensitivity(is_wide=True, detectable=2.0),
        Sensitivity(runs_needed=40, detectable=0.1),
    ]
    assert sum_up(rows) == (
        "too few runs for 1 of them (at least 5 per side are needed); "
        "1 is too noisy for any practical number of runs"
    )
    assert sum_up([Sensitivity()]) == ""


def test_change_within_reach_of_practical_runs_is_not_called_too_noisy() -> None:
    slower = [100.0, 60.0, 210.0, 350.0, 90.0, 400.0, 180.0, 260.0]
    (row,) = judged(contrast([100.0, 55.0, 190.0, 80.0, 140.0, 45.0, 160.0, 70.0], slower))
    assert row.word == INCONCLUSIVE
    assert (row.contrast.ratio or 0) > 1.5
    assert row.runs_needed is not None
    assert 8 < row.runs_needed < 200
    assert not row.sensitivity.is_wide
    assert row.sensitivity.note == (
        f"about {row.runs_needed} runs per side would show a change of the estimated size"
    )


def test_noise_without_a_change_is_called_too_noisy() -> None:
    noise = [100.0, 55.0, 190.0, 80.0, 140.0, 45.0, 160.0, 70.0]
    (row,) = judged(contrast(noise, [value * 1.01 for value in noise[::-1]]))
    assert row.sensitivity.is_wide
    assert row.runs_needed is None
    assert "too noisy for any practical number of runs" in row.sensitivity.note


def test_zero_width_interval_is_not_called_a_detectable_difference(
    tmp_path: Path,
) -> None:
    counts = {"main": [0] * 8, "pr": [0, 0, 0, 1, 0, 0, 0, 0]}
    for variant, values in counts.items():
        lines = [f"BenchmarkA-2 \t 1000 \t 50.0 ns/op \t {value} B/op" for value in values]
        (tmp_path / f"{variant}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = bk.load(str(tmp_path)).compare(baseline="main", metrics=["bytes_per_op"])
    (row,) = (row for row in result.verdicts.rows if row.contrast.metric == "bytes_per_op")
    assert row.sensitivity.detectable_difference is None
    assert "the smallest detectable difference is unknown" in row.sensitivity.note

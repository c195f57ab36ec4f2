"""The gate's error rates, of false failures and of missed costs, do not exceed its level."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from documents import read_documents
from gate_simulation import (
    FAMILIES,
    Session,
    apply_limit,
    draw_comparisons,
    simulate,
    write_cell,
)

from benchkit.gating.outcome import OVER
from benchkit.verdict import REGRESSION, judge

TIMES = 300
#: 5 % plus three standard errors for this number of sessions.
ALLOWED = 0.05 + 3 * sqrt(0.05 * 0.95 / TIMES)


@pytest.mark.parametrize("runs", [3, 4, 8])
def test_both_error_rates_at_the_limit_keep_the_level(runs: int) -> None:
    rates = simulate(Session(runs, 0.03, 0.05), TIMES)
    assert rates.over <= ALLOWED
    assert rates.within <= ALLOWED


def test_many_rows_at_the_limit_fail_no_more_often_than_one() -> None:
    assert simulate(Session(8, 0.03, 0.05, rows=6), TIMES).over <= ALLOWED


def test_sixty_rows_at_the_limit_keep_the_level_and_detect_a_common_cost() -> None:
    assert simulate(Session(6, 0.02, 0.05, rows=60), 60).over <= 0.15
    assert simulate(Session(6, 0.02, 0.25, rows=60), 20).over == 1


@pytest.mark.parametrize(("runs", "rows"), [(4, 2), (5, 10), (6, 30)])
def test_regressions_of_compare_are_over_a_zero_limit(runs: int, rows: int) -> None:
    costs = np.where(np.arange(rows) % 3, 0.05, -0.05)
    generator = np.random.default_rng([20261123, runs, rows])
    shown = 0
    for _ in range(20):
        comparisons = draw_comparisons(
            [Session(runs, 0.02, cost) for cost in costs.tolist()], generator
        )
        words = [row.word for row in judge(comparisons).rows]
        limited = [row.word for row in apply_limit(comparisons, "0%").rows]
        shown += words.count(REGRESSION)
        assert all(b == OVER for a, b in zip(words, limited, strict=True) if a == REGRESSION)
    assert shown > 5


def test_slow_runs_do_not_fail_the_gate() -> None:
    assert simulate(Session(8, 0.02, 0.05, slow=1.2), TIMES).over <= ALLOWED


def test_no_cost_never_fails_and_passes_with_enough_runs() -> None:
    quiet = simulate(Session(10, 0.02, 0.0), TIMES)
    assert (quiet.over, quiet.within > 0.95) == (0, True)
    noisy = simulate(Session(4, 0.1, 0.0), TIMES)
    assert noisy.over <= 0.03
    assert noisy.not_shown > 0.7


def test_twice_the_limit_is_detected_with_enough_runs() -> None:
    rates = simulate(Session(10, 0.02, 0.10), TIMES)
    assert rates.over > 0.95
    assert rates.within == 0


def test_default_rule_rarely_fails_without_cost_and_passes_no_large_cost() -> None:
    for runs, spread in ((3, 0.01), (6, 0.05), (10, 0.02)):
        assert simulate(Session(runs, spread, 0.0, limit=""), TIMES).over <= ALLOWED
        assert simulate(Session(runs, spread, 0.06, limit=""), TIMES).within <= 0.01


def test_limit_errs_less_than_the_default_rule_just_below_the_margin() -> None:
    default = simulate(Session(10, 0.02, 0.029, limit=""), TIMES)
    limited = simulate(Session(10, 0.02, 0.029, limit="3%"), TIMES)
    assert default.over > 0.3
    assert limited.over <= ALLOWED


@pytest.mark.parametrize(
    ("table", "column", "session"),
    [(0, 3, Session(4, 0.01, 0.05)), (1, 4, Session(4, 0.01, 0.029, limit=""))],
)
def test_tables_of_the_manual_match_the_simulation(
    table: int, column: int, session: Session
) -> None:
    rows = [line for line in read_documents().splitlines() if line.startswith("| 4 | 1 % | ")]
    assert len(rows) == 2
    assert write_cell(session, 2000) == rows[table].strip("| ").split(" | ")[column]


@pytest.mark.parametrize(
    ("rows", "runs", "times"),
    [(1, 4, 100), (1, 6, 100), (10, 6, 30), (60, 4, 5), (60, 6, 5), (60, 8, 5), (600, 4, 1)],
)
def test_few_and_many_rows_without_a_limit(rows: int, runs: int, times: int) -> None:
    session = Session(runs, 0.02, 0.0, limit="", rows=rows)
    allowed = 0.05 + 3 * sqrt(0.05 * 0.95 / times)
    assert simulate(session, times).over <= allowed
    slower = simulate(replace(session, cost=0.2), min(times, 5))
    assert slower.over == 1


def test_families_table_of_the_manual_lists_the_simulated_sessions() -> None:
    text = read_documents()
    for rows, runs, share in FAMILIES:
        assert f"\n| {rows} | {runs} + {runs} | {round(2000 * share)} | " in text
    for runs in (4, 6):
        alone = text.partition(f"\n| 1 | {runs} + {runs} | 2000 | ")[2].partition(" |")[0]
        assert f"\n| {runs} | 2 % | {alone} |" in text

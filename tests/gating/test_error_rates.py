"""The gate fails by chance, and passes what costs too much, no more often than its level says."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from documents import read_documents
from gate_simulation import (
    FAMILIES,
    Session,
    draw_comparisons,
    hold,
    simulate,
    write_cell,
)

from benchkit.gating.outcome import OVER
from benchkit.verdict import REGRESSION, judge

TIMES = 300
#: 5 % and three standard errors of so many sessions.
ALLOWED = 0.05 + 3 * sqrt(0.05 * 0.95 / TIMES)


@pytest.mark.parametrize("runs", [3, 4, 8])
def test_at_the_limit_either_error_is_as_rare_as_the_level(runs: int) -> None:
    rates = simulate(Session(runs, 0.03, 0.05), TIMES)
    assert rates.over <= ALLOWED
    assert rates.within <= ALLOWED


def test_at_the_limit_many_rows_fail_no_more_often_than_one() -> None:
    assert simulate(Session(8, 0.03, 0.05, rows=6), TIMES).over <= ALLOWED


def test_sixty_rows_at_the_limit_fail_no_more_often_than_one_and_a_cost_in_all_is_found() -> None:
    assert simulate(Session(6, 0.02, 0.05, rows=60), 60).over <= 0.15
    assert simulate(Session(6, 0.02, 0.25, rows=60), 20).over == 1


@pytest.mark.parametrize(("runs", "rows"), [(4, 2), (5, 10), (6, 30)])
def test_whatever_compare_shows_to_cost_is_over_a_limit_of_nothing(runs: int, rows: int) -> None:
    costs = np.where(np.arange(rows) % 3, 0.05, -0.05)
    generator = np.random.default_rng([20261123, runs, rows])
    shown = 0
    for _ in range(20):
        comparisons = draw_comparisons(
            [Session(runs, 0.02, cost) for cost in costs.tolist()], generator
        )
        words = [row.word for row in judge(comparisons).rows]
        held = [row.word for row in hold(comparisons, "0%").rows]
        shown += words.count(REGRESSION)
        assert all(b == OVER for a, b in zip(words, held, strict=True) if a == REGRESSION)
    assert shown > 5


def test_slow_runs_do_not_fail_the_gate() -> None:
    assert simulate(Session(8, 0.02, 0.05, slow=1.2), TIMES).over <= ALLOWED


def test_what_costs_nothing_never_fails_and_passes_where_runs_suffice() -> None:
    quiet = simulate(Session(10, 0.02, 0.0), TIMES)
    assert (quiet.over, quiet.within > 0.95) == (0, True)
    noisy = simulate(Session(4, 0.1, 0.0), TIMES)
    assert noisy.over <= 0.03
    assert noisy.not_shown > 0.7


def test_what_costs_twice_the_limit_is_found_where_runs_suffice() -> None:
    rates = simulate(Session(10, 0.02, 0.10), TIMES)
    assert rates.over > 0.95
    assert rates.within == 0


def test_without_a_limit_nothing_hardly_ever_fails_and_much_never_passes() -> None:
    for runs, spread in ((3, 0.01), (6, 0.05), (10, 0.02)):
        assert simulate(Session(runs, spread, 0.0, limit=""), TIMES).over <= ALLOWED
        assert simulate(Session(runs, spread, 0.06, limit=""), TIMES).within <= 0.01


def test_a_limit_errs_less_than_the_default_rule_where_a_cost_is_just_allowed() -> None:
    default = simulate(Session(10, 0.02, 0.029, limit=""), TIMES)
    limited = simulate(Session(10, 0.02, 0.029, limit="3%"), TIMES)
    assert default.over > 0.3
    assert limited.over <= ALLOWED


@pytest.mark.parametrize(
    ("table", "column", "session"),
    [(0, 3, Session(4, 0.01, 0.05)), (1, 4, Session(4, 0.01, 0.029, limit=""))],
)
def test_the_manuals_tables_are_what_the_simulation_says(
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


def test_the_manuals_table_of_families_is_of_the_sessions_that_the_simulation_has() -> None:
    text = read_documents()
    for rows, runs, share in FAMILIES:
        assert f"\n| {rows} | {runs} + {runs} | {round(2000 * share)} | " in text
    for runs in (4, 6):
        alone = text.partition(f"\n| 1 | {runs} + {runs} | 2000 | ")[2].partition(" |")[0]
        assert f"\n| {runs} | 2 % | {alone} |" in text

"""The gate fails by chance, and passes what costs too much, no more often than its level says."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest
from gate_simulation import Session, simulate, write_cell

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


def test_the_readmes_table_is_what_the_simulation_says() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    (row,) = [line for line in readme.splitlines() if line.startswith("| 4 | 1 % | ")]
    at_the_limit = row.split(" | ")[3]
    assert write_cell(Session(4, 0.01, 0.05), 2000) == at_the_limit

"""A quick part of the suite keeps or breaks promises as expected, and matches the record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchkit.comparison import LEAST_WELCH, decide
from benchkit.comparison.measure import measure
from benchkit.stats import SequentialDesign
from benchkit.stats.sample import ROUNDING
from simulation.grid import PROMISED, draw, judge, list_grid, read_setting, try_grid
from simulation.grid import Setting as _Cell
from simulation.joint import (
    IN_ROUNDS,
    TOGETHER,
    least_at_once,
    limit_of,
    try_rounds,
    try_together,
)
from simulation.record import METHODS, read_record, write_table
from simulation.stopping import STOPPINGS, Stopping, try_stopping
from simulation.stopping import find_broken as broken_promises
from simulation.suite import (
    ALPHA,
    FAMILIES,
    HISTORIC,
    Setting,
    error,
    explain,
    find_broken,
    key,
    list_settings,
    try_setting,
)
from simulation.trials import CONFIDENCE, compare_sides, try_cell, try_family
from simulation.worlds import COARSE, DRIFT_APART, HEAVY, NORMAL, SLOW, arrange, describe, follow

OFTEN, SELDOM = 200, 2


@pytest.mark.parametrize(
    ("setting", "method"),
    [
        (Setting(NORMAL, 6, 6), "hodges-lehmann"),
        (Setting(SLOW, 5, 10), "welch"),
        (Setting(COARSE, 10, 10), "hodges-lehmann"),
        (Setting(HEAVY, 3, 3), "welch"),
        (Setting(SLOW, 10, 10, 2), "signed-rank"),
        (Setting(NORMAL, 6, 6, 3), "aligned"),
        (Setting(SLOW, 10, 10, 5), "aligned"),
    ],
)
def test_promises_are_kept(setting: Setting, method: str) -> None:
    row = try_setting(setting, OFTEN, SELDOM)
    assert row["method"] == method
    assert find_broken(row) == []


def test_drift_looks_like_a_change_without_alternating_sides() -> None:
    row = try_setting(Setting(DRIFT_APART, 10, 10), OFTEN, SELDOM)
    assert {"false alarms", "covers"} <= set(find_broken(row))
    assert explain(row)


def test_family_has_one_error_rate_not_one_per_row() -> None:
    holm, *_ = FAMILIES
    assert try_family(holm, 100) <= ALPHA + error(ALPHA, 100)


def test_record_covers_this_suite() -> None:
    record = read_record()
    assert [key(row) for row in record["rows"]] == [setting.key for setting in list_settings()]
    assert [row["family"] for row in record["families"]] == [family.name for family in FAMILIES]


def test_recorded_cell_is_reproducible() -> None:
    row = next(row for row in read_record()["rows"] if key(row) == (NORMAL.name, 4, 4, 0))
    recorded = row["effects"]["0.05"]
    again = try_cell(Setting(NORMAL, 4, 4).cell(0.05), recorded["sessions"])
    assert (again.rejected, again.covered) == (recorded["rejected"], recorded["covered"])


def test_every_broken_promise_is_explained() -> None:
    record = read_record()
    rows = [row for row in record["rows"] if row["method"] in METHODS]
    assert {row["method"] for row in rows} >= set(METHODS) - {HISTORIC}
    for row in rows:
        assert not find_broken(row) or explain(row), key(row)
    for family in record["families"]:
        assert family["false"] <= ALPHA + error(ALPHA, family["sessions"]), family["family"]


def test_family_errors_keep_the_promises() -> None:
    grid = read_record()["grid"]
    assert [read_setting(cell) for cell in grid] == list(list_grid())
    for cell in grid:
        if not cell["effect"]:
            assert cell["any"] <= PROMISED + error(ALPHA, cell["sessions"]), cell
    powers = {(c["n"], c["m"]): c["rows_shown"] for c in grid if c["effect"] and not c["is_slow"]}
    assert powers[6, 6] >= 0.95


@pytest.mark.parametrize(
    "cell",
    [
        _Cell(60, 6, 6),
        _Cell(60, 6, 6, 3.0),
        _Cell(20, 8, 4, 2.0),
        _Cell(1, 8, 4, 3.0),
        _Cell(1, 4, 2, 3.0),
        _Cell(4, 2, 2),
    ],
    ids=str,
)
def test_quick_part_of_the_grid_keeps_the_promises(cell: _Cell) -> None:
    shares = try_grid(cell, OFTEN)
    assert float(str(shares["any"])) <= PROMISED + error(ALPHA, OFTEN)


def test_rows_in_rounds_and_averages_keep_the_promises() -> None:
    record = read_record()
    assert list(dict.fromkeys(c["name"] for c in record["rounds"])) == [s.name for s in IN_ROUNDS]
    assert list(dict.fromkeys(c["name"] for c in record["together"])) == [s.name for s in TOGETHER]
    for cell in record["rounds"]:
        assert cell["any"] <= limit_of(cell), cell
    for cell in record["together"]:
        assert max(cell["false"], 1 - cell["covered"]) <= limit_of(cell), cell
        assert cell["at_once"] >= least_at_once(cell), cell


def test_quick_part_of_rounds_and_averages_keeps_the_promises() -> None:
    for cell in (*try_rounds(IN_ROUNDS[-1], 20), *try_together(TOGETHER[-1], 100)):
        assert cell["any" if "any" in cell else "false"] <= limit_of(cell), cell


@pytest.mark.parametrize(
    "cell",
    [
        _Cell(1, 4, 4, 6.0),
        _Cell(1, 8, 4),
        _Cell(1, 4, 2),
        _Cell(20, 2, 2, effect=0.1),
        _Cell(20, 6, 6, effect=0.1),
        _Cell(60, 6, 6, effect=0.1),
        _Cell(20, 10, 10, 6.0, effect=0.1),
        _Cell(20, 12, 4, effect=0.1),
    ],
    ids=str,
)
def test_grid_decides_like_a_comparison(cell: _Cell) -> None:
    generator = np.random.default_rng(1)
    for _ in range(10):
        x, y = draw(cell, generator)
        sides = [(tuple(np.exp(a)), tuple(np.exp(b))) for a, b in zip(x, y, strict=True)]
        rows = [(*pair, measure(*pair, "", CONFIDENCE)) for pair in sides]
        decided, adjusted = decide(compare_sides(rows))
        rejected = sum(how is not None and how.pvalue <= ALPHA * ROUNDING for how in adjusted)
        methods = {how.method for how in adjusted if how is not None}
        single = decided.contrasts[0].method
        is_single_test = cell.rows == 1 and single != LEAST_WELCH
        assert judge(x, y) == (rejected, single if is_single_test else methods.pop())


def test_table_shows_why_the_order_finding_exists() -> None:
    lines = [line for line in write_table().splitlines() if describe(DRIFT_APART.name) in line]
    line = next(line for line in lines if line.startswith("| ranks |"))
    assert "**breaks**" in line
    assert "B330" in line


def test_arrangement_alternates_the_sides() -> None:
    assert arrange(4, 4, in_turn=True).astype(int).tolist() == [0, 1, 1, 0, 0, 1, 1, 0]
    assert arrange(2, 3, in_turn=False).astype(int).tolist() == [0, 0, 1, 1, 1]
    assert arrange(5, 10, in_turn=True).sum() == 10


def test_series_have_the_requested_correlation() -> None:
    series = follow(np.random.default_rng(1).normal(size=(400, 100)), 0.5)
    assert np.mean(series[:, 1:] * series[:, :-1]) == pytest.approx(0.5, abs=0.03)
    assert series.std() == pytest.approx(1, abs=0.03)


def test_stopped_series_keep_the_promises() -> None:
    record = read_record()
    stated = [(r["variants"], r["effect"], r["spread"], r["world"]) for r in record["stoppings"]]
    assert stated == [(s.variants, s.effect, s.spread, s.world) for s in STOPPINGS]
    assert [row for row in record["stoppings"] if broken_promises(row)] == []
    totals: dict[str, float] = {}
    for row in record["spendings"]:
        totals[row["spending"]] = totals.get(row["spending"], 0.0) + row["rounds"]
    assert min(totals, key=totals.__getitem__) == SequentialDesign().spending


def test_recorded_stopped_series_is_reproducible() -> None:
    row = try_stopping(STOPPINGS[4], 300)
    again = try_stopping(STOPPINGS[4], 300)
    assert row == again
    assert broken_promises(row) == []
    assert row["rounds"] == pytest.approx(record_of(STOPPINGS[4])["rounds"], abs=0.3)


def record_of(setting: Stopping) -> dict[str, Any]:
    return next(
        row
        for row in read_record()["stoppings"]
        if (row["variants"], row["effect"], row["spread"], row["world"])
        == (setting.variants, setting.effect, setting.spread, setting.world)
    )

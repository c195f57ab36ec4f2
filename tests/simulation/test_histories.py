"""Histories of many series: the record keeps the promises, and so does a quick part of it."""

from __future__ import annotations

from dataclasses import fields

import pytest

from simulation.histories import Newest, list_newest, list_steady, try_newest, try_steady
from simulation.record import read_record
from simulation.suite import ALPHA, error

RECORD = [row for row in read_record()["histories"] if "moved" in row]


def read_setting(row: dict[str, float]) -> Newest:
    return Newest(**{field.name: row[field.name] for field in fields(Newest)})  # type: ignore[arg-type]


def test_record_covers_these_settings() -> None:
    assert tuple(map(read_setting, RECORD)) == list_newest()
    assert len(read_record()["histories"]) == len(list_newest()) + len(list_steady())


@pytest.mark.parametrize("row", RECORD, ids=lambda row: str(read_setting(row)))
def test_recorded_rates_keep_the_promises(row: dict[str, float]) -> None:
    slack = error(ALPHA, int(row["sessions"]))
    if not row["moved"]:
        assert row["named"] <= ALPHA + slack
        assert row["is_slow"] or row["any"] <= ALPHA + slack
    if 0 < row["moved"] < 1:
        assert row["is_slow"] or row["false"] <= ALPHA + slack
    if row["moved"] == 1 and row["series"] > 1:
        assert row["named"] >= (0.99 if row["shift"] >= 0.1 else 0.75)


def test_false_changes_among_steady_commits_are_rare() -> None:
    steady = [row for row in read_record()["histories"] if "correlation" in row]
    assert all(row["per_100"] <= (0.2 if row["correlation"] else 0.05) for row in steady)


@pytest.mark.parametrize("series", [4, 20])
def test_quick_part_keeps_the_promises(series: int) -> None:
    still = try_newest(Newest(series), 80)
    assert float(str(still["any"])) <= ALPHA + error(ALPHA, int(str(still["sessions"])))
    moved = try_newest(Newest(series, moved=1.0), 80)
    assert moved["named"] == 1.0


def test_steady_commits_have_no_change() -> None:
    assert float(str(try_steady(list_steady()[0], 80)["per_100"])) <= 0.1

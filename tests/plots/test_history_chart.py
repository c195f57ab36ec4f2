"""The figure of a history: points, levels, their causes, and the prediction for the newest."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchkit.history.model import Change, History, Newest, Point, Series
from benchkit.plots import history, kinds

if TYPE_CHECKING:
    from conftest import Golden

START = datetime(2026, 10, 1, tzinfo=UTC)


def commit(number: int) -> str:
    return f"{number:07d}abc"


def series(newest: Newest, *, better: str = "lower", gap: int | None = None) -> Series:
    """Return 8 commits at 1 ms, 8 at 1.1 ms, 8 accepted at 1.2 ms and one more at 1.3 ms."""
    wobble = cycle((0.998, 1.002))
    levels = [1e-3] * 8 + [1.1e-3] * 8 + [1.2e-3] * 8 + [1.3e-3]
    points = [
        Point(commit(n), START + timedelta(days=n), level * next(wobble), 0 if n == gap else 3)
        for n, level in enumerate(levels)
    ]
    changes = (
        Change(commit(8), points[8].time, 1.1, 1.08, 1.12, 0.001, 8),
        Change(commit(16), points[16].time, 1.09, 1.07, 1.11, float("nan"), 9, "TLS"),
    )
    return Series(
        group="", benchmark="Ping", params="", tool="gobench", subject="", metric="time_per_op",
        stat="sample", unit="s", better=better, variant="base", machine="", points=tuple(points),
        changes=changes, newest=newest, confidence=0.95,
    )  # fmt: skip


OUTSIDE = Newest("outside", ratio=1.08, low=0.99, high=1.01, commits=8)
INSIDE = Newest("inside", ratio=1.08, low=0.9, high=1.1, commits=8)
UNKNOWN = Newest("no baseline", ratio=1.08, commits=3)


def test_drawn_data(golden: Golden) -> None:
    chart = history.data(History((series(OUTSIDE, gap=4),), ()))
    golden.check(
        "plots/history.json", json.dumps(asdict(chart), indent=1, ensure_ascii=False) + "\n"
    )


def test_changes_are_ringed_and_accepted_ones_marked() -> None:
    (panel,) = history.data(History((series(INSIDE),), ())).panels
    rings = [line for line in panel.lines if line.kind == "ring"]
    assert [(ring.x, ring.series, ring.labels[0].endswith("accepted")) for ring in rings] == [
        ((8.0,), 2, False),
        ((16.0,), 0, True),
    ]
    assert [text for _, text in panel.x.ticks] == ["0000000", "0000008", "0000016", "0000024"]
    (gains,) = history.data(History((series(INSIDE, better="higher"),), ())).panels
    assert next(line.series for line in gains.lines if line.kind == "ring") == 1


@pytest.mark.parametrize(("newest", "name"), [(OUTSIDE, "outside"), (INSIDE, "inside")])
def test_newest_commit_is_drawn_with_the_prediction_of_its_level(newest: Newest, name: str) -> None:
    (panel,) = history.data(History((series(newest),), ())).panels
    bar = panel.lines[-1]
    dots = next(line for line in panel.lines if line.kind == "dots")
    assert (bar.kind, bar.name, bar.x) == ("bar", f"newest {name}", dots.x[-1:])
    assert (bar.low[0] <= dots.y[-1] <= bar.high[0]) == (name == "inside")


def test_no_prediction_without_a_baseline() -> None:
    (panel,) = history.data(History((series(UNKNOWN),), ())).panels
    assert all(line.kind != "bar" for line in panel.lines)


def test_unmeasured_commit_is_a_gap() -> None:
    (panel,) = history.data(History((series(INSIDE, gap=4),), ())).panels
    dots = next(line for line in panel.lines if line.kind == "dots")
    assert 4.0 not in dots.x
    assert len(dots.x) == 24


@pytest.mark.parametrize("form", kinds.FORMS)
def test_file_is_reproducible(form: str, tmp_path: Path) -> None:
    several = History((series(OUTSIDE), series(UNKNOWN)), ())
    files = [tmp_path / f"{name}.{form}" for name in "ab"]
    for file in files:
        kinds.save(history.draw(history.data(several)), file, form)
    assert files[0].read_bytes() == files[1].read_bytes()

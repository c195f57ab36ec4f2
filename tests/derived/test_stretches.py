"""Division of a run into stretches of time, for any length, clock and order of samples."""

from __future__ import annotations

import numpy as np
import pytest

from benchkit.derived.stretches import Stretches
from benchkit.parsers.base import Row

START = np.datetime64("2026-11-21T01:00:00", "us")


def seconds(values: np.ndarray) -> np.ndarray:
    return START + (values * 1e6).astype("timedelta64[us]")


def rows(stretches: Stretches) -> dict[str, list[Row]]:
    by_stat: dict[str, list[Row]] = {}
    for row in stretches.rows("latency", "s", 1e-9, 7):
        by_stat.setdefault(row[2], []).append(row)
    return by_stat


def test_run_is_divided_into_twenty_stretches_of_equal_time() -> None:
    stretches = Stretches()
    at = np.linspace(0, 30, 3000, endpoint=False)
    stretches.add(seconds(at), 1.0 + (at >= 15))
    by_stat = rows(stretches)
    assert list(by_stat) == ["stretch_mean", "stretch_p50", "stretch_p90"]
    assert [row[3] for row in by_stat["stretch_p50"]] == [1.0] * 10 + [2.0] * 10
    assert {row[5] for row in by_stat["stretch_mean"]} == {150}
    starts = [row[6] for row in by_stat["stretch_mean"]]
    assert starts[0] is not None
    assert starts[10] is not None
    assert (starts[10] - starts[0]).total_seconds() == pytest.approx(15, abs=0.01)
    assert by_stat["stretch_mean"][0][7:] == (1e-9, "computed", 7)


def test_order_and_blocks_of_samples_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    at, values = np.sort(rng.uniform(0, 30, 2000)), rng.lognormal(-6, 0.3, 2000)
    whole, parts = Stretches(), Stretches()
    whole.add(seconds(at), values)
    mixed = rng.permutation(2000)
    for some in np.array_split(mixed, 7):
        parts.add(seconds(at[some]), values[some])
    assert [row[3] for row in rows(whole)["stretch_p50"]] == pytest.approx(
        [row[3] for row in rows(parts)["stretch_p50"]]
    )


def test_long_runs_are_thinned_but_fully_counted() -> None:
    stretches = Stretches(most=2000)
    at = np.linspace(0, 60, 9000, endpoint=False)
    for some in np.array_split(np.arange(9000), 5):
        stretches.add(seconds(at[some]), 0.001 + at[some])
    by_stat = rows(stretches)
    assert sum(row[5] or 0 for row in by_stat["stretch_mean"]) == pytest.approx(9000, abs=32)
    assert by_stat["stretch_p50"][-1][3] == pytest.approx(58.5, abs=0.1)


@pytest.mark.parametrize("most", [300, 1000, 10000])
def test_joined_stretches_equal_those_of_all_samples(most: int) -> None:
    whole, *parts = (Stretches(most=most) for _ in range(4))
    at = np.linspace(0, 60, 9000, endpoint=False)
    for number, some in enumerate(np.array_split(np.arange(9000), 30)):
        whole.add(seconds(at[some]), at[some])
        parts[number // 10].add(seconds(at[some]), at[some])
    for part in parts:
        part.condense(1 / 3)
    for part in parts[1:]:
        parts[0].join(part)
    assert parts[0].is_sound
    assert rows(parts[0]) == rows(whole)
    whole.condense(1e-9)  # as if many more samples had been added
    assert not whole.is_sound


def test_clock_of_seconds_is_cut_at_whole_seconds_without_the_ends() -> None:
    stretches = Stretches()
    at = np.repeat(np.arange(9), [30, *[100] * 7, 12])
    stretches.add(seconds(at.astype(float)), np.ones(len(at)))
    means = rows(stretches)["stretch_mean"]
    assert [row[5] for row in means] == [100] * 7
    assert [row[6].second for row in means if row[6]] == list(range(1, 8))


@pytest.mark.parametrize(("size", "length"), [(199, 30.0), (5000, 0.0), (500, 4e-6)])
def test_short_runs_and_stopped_clocks_have_no_stretches(size: int, length: float) -> None:
    stretches = Stretches()
    stretches.add(seconds(np.linspace(0, length, size)), np.ones(size))
    assert rows(stretches) == {}

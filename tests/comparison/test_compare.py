"""Rows pair the same name, level and tool, and report entries without a partner."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import benchkit.api as bk
from benchkit.comparison import Comparisons, Plan, compare
from benchkit.comparison.model import SINGLE
from benchkit.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


def go(name: str, *times: float, suffix: str = "") -> str:
    return "".join(f"Benchmark{name}{suffix} 100 {time} ns/op 8 B/op\n" for time in times)


def compared(folder: Path, base: str, other: str, plan: Plan | None = None) -> Comparisons:
    for variant, text in (("base", base), ("other", other)):
        (folder / f"{variant}.txt").write_text(text)
    loaded = bk.load(folder / "base.txt", folder / "other.txt")
    return compare(loaded.observations, loaded.runs, [("base", "other")], plan)


def test_lines_with_the_same_name_are_runs(tmp_path: Path) -> None:
    comparisons = compared(tmp_path, go("Ping", 1, 2, 3, 4), go("Ping", 5, 6, 7, 8))
    time, size = comparisons.contrasts
    assert time.baseline_values == (1e-9, 2e-9, 3 * 1e-9, 4e-9)  # as benchstat multiplies
    assert (time.center_variant, time.delta) == pytest.approx((6.5e-9, 4e-9))
    assert (time.primary, size.primary) == (True, False)


def test_different_params_are_different_rows(tmp_path: Path) -> None:
    both = go("Ping", 1, 2, suffix="-2") + go("Ping", 3, 4, suffix="-4")
    comparisons = compared(tmp_path, both, both)
    assert {c.params for c in comparisons.contrasts} == {"gomaxprocs=2", "gomaxprocs=4"}


def test_one_sided_levels_and_names_are_reported(tmp_path: Path) -> None:
    base = go("Ping", 1, 2, suffix="-2") + go("Ping", 1, 2, suffix="-4") + go("Old", 1, suffix="-2")
    comparisons = compared(
        tmp_path, base, go("Ping", 1, 2, suffix="-2") + go("New", 1, suffix="-2")
    )
    assert comparisons.only_in == {"base": ("Old",), "other": ("New",)}
    assert comparisons.params_only_in == {"base": (("Ping", "gomaxprocs=4"),)}


def test_nothing_in_common_is_an_error_that_suggests_a_rename(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--rename"):
        compared(tmp_path, go("Base/Ping", 1), go("With/Ping", 1))


def test_differing_params_are_named_without_a_benchmark(tmp_path: Path) -> None:
    tail = (
        "Percentage of the requests served within a certain time (ms)\n"
        "  50%   2\n 100%   9 (longest request)\n"
    )
    with pytest.raises(DataError) as error:
        compared(tmp_path, tail, f"Concurrency Level: 4\n{tail}")
    assert "base has no params; other has connections=4" in str(error.value)


def test_unit_line_sets_the_direction_of_a_custom_metric(tmp_path: Path) -> None:
    unit = "Unit hits/op better=higher\n"
    text = "BenchmarkPing 1 {} hits/op\n"
    comparisons = compared(tmp_path, unit + text.format(5), unit + text.format(6))
    assert [(c.metric, c.better) for c in comparisons.contrasts] == [("hits/op", "higher")]


@pytest.mark.parametrize(
    ("base", "other", "direction"),
    [
        ("better=lower", "better=higher", "lower"),
        ("", "better=higher", "none"),
        ("better=lower", "", "lower"),
        ("better=lower", "assume=exact", "lower"),
    ],
)
def test_unit_line_of_the_baseline_sets_the_direction(
    base: str, other: str, direction: str, tmp_path: Path
) -> None:
    text = "Unit hits/op x=y {}\nBenchmarkPing 1 {} hits/op\n"
    (only,) = compared(tmp_path, text.format(base, 5), text.format(other, 6)).contrasts
    assert (only.better, only.method) == (direction, SINGLE)


def test_contradicting_unit_lines_of_one_side_set_no_direction(tmp_path: Path) -> None:
    words = {"base/1": "lower", "base/2": "higher", "other/1": "lower"}
    for value, (name, direction) in enumerate(words.items(), start=5):
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Unit hits/op better={direction}\nBenchmarkPing 1 {value} hits/op\n")
    loaded = bk.load(tmp_path)
    comparisons = compare(loaded.observations, loaded.runs, [("base", "other")])
    assert [c.better for c in comparisons.contrasts] == ["none"]


@pytest.mark.parametrize("unit", ["ns/op", "B/op", "allocs/op", "MB/s"])
def test_unit_line_cannot_reverse_a_known_metric(tmp_path: Path, unit: str) -> None:
    direction = "lower" if unit == "MB/s" else "higher"
    line, values = f"Unit {unit} better={direction} assume={{}}\n", range(5, 9)
    text = "".join(f"BenchmarkPing 1 {value} {unit}\n" for value in values)
    (plain,) = compared(tmp_path, text, text).contrasts
    for assumed in ("exact", "nothing"):
        stated = line.format(assumed) + text
        (turned,) = compared(tmp_path, stated, stated).contrasts
        assert turned == plain
    assert plain.better != direction


def test_named_primaries_replace_those_of_the_tool(tmp_path: Path) -> None:
    plan = Plan(primaries=(("bytes_per_op", ""),))
    comparisons = compared(tmp_path, go("Ping", 1, 2), go("Ping", 3, 4), plan)
    assert [c.metric for c in comparisons.contrasts if c.primary] == ["bytes_per_op"]


@pytest.mark.parametrize("seed", range(3))
def test_order_of_the_files_does_not_matter(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - test inputs
    files = []
    for variant, factor in (("base", 1.0), ("other", 1.05)):
        for run in range(1, 7):
            files.append(tmp_path / variant / f"{run}.txt")
            files[-1].parent.mkdir(exist_ok=True)
            times = [factor * chance.uniform(90, 110) for _ in range(2)]
            files[-1].write_text(go("Ping", times[0]) + go("Pong", times[1]))
    comparisons = []
    for _ in range(3):
        loaded = bk.load(*files)
        comparison = compare(loaded.observations, loaded.runs, [("base", "other")])
        comparisons.append({(c.benchmark, c.metric): c for c in comparison.contrasts})
        chance.shuffle(files)
    assert len(comparisons[0]) == 4
    assert comparisons[0] == comparisons[1] == comparisons[2]


CONTRADICTED = (
    "the medians differ in the opposite direction to the change; the change is not their ratio"
)


def test_medians_that_differ_the_other_way_are_reported(tmp_path: Path) -> None:
    few = compared(tmp_path, go("Ping", 10, 11, 30), go("Ping", 12, 12.5, 13))
    assert few.contrasts[0].delta > 0
    assert (few.contrasts[0].ratio or 2) < 1
    assert CONTRADICTED in few.contrasts[0].notes
    many = compared(tmp_path, go("Ping", 1, 5, 6, 7, 9), go("Ping", 2, 3, 7, 8, 8.5))
    assert ((many.contrasts[0].ratio or 0) > 1) is (many.contrasts[0].delta > 0)
    assert CONTRADICTED not in many.contrasts[0].notes

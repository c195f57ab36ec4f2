"""benchstat's p is reproduced, and B306 states the exact one: counted here split by split."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.benchstat import print_tables
from benchkit.benchstat.utest import compare_ranks

SMALL = st.lists(st.integers(0, 4), min_size=1, max_size=5)


def double_u(x: list[int], y: list[int]) -> int:
    return sum((a > b) + (a >= b) for a in x for b in y)


def count_by_hand(x: list[int], y: list[int]) -> float:
    pooled, seen = x + y, double_u(x, y)
    statistics = []
    for chosen in combinations(range(len(pooled)), len(x)):
        rest = [pooled[at] for at in range(len(pooled)) if at not in chosen]
        statistics.append(double_u([pooled[at] for at in chosen], rest))
    tails = sum(u <= seen for u in statistics), sum(u >= seen for u in statistics)
    return min(1.0, 2 * min(tails) / len(statistics))


@given(x=SMALL, y=SMALL)
def test_exact_p_counts_all_splits(x: list[int], y: list[int]) -> None:
    assert compare_ranks(x, y).right_p == pytest.approx(count_by_hand(x, y), rel=1e-9)


@given(values=st.lists(st.integers(0, 4), min_size=2, max_size=10))
def test_p_is_exact_for_equal_sizes(values: list[int]) -> None:
    half = len(values) // 2
    test = compare_ranks(values[:half], values[half : 2 * half])
    assert test.p == test.right_p


@pytest.mark.parametrize(
    ("x", "y", "printed", "p", "right"),
    [
        ([103, 103, 103], [101, 102], "n=3+2", 0, 0.2),
        ([101, 102], [103, 103, 103], "p=0.200 n=2+3", 0.2, 0.2),
        ([1, 1, 1, 4], [1, 1, 4], "p=1.429 n=4+3", 10 / 7, 1),
        ([1, 2, 3, 4], [5, 6, 7, 8], "p=0.029 n=4", 2 / 70, 2 / 70),
        ([1] * 30, [1] * 30, "p=1.000 n=30", 1, 1),
    ],
)
def test_known_pvalues(
    x: list[float], y: list[float], printed: str, p: float, right: float
) -> None:
    test = compare_ranks(x, y)
    assert test.write_p() == printed
    assert [test.p, test.right_p] == pytest.approx([p, right], rel=1e-12)


def test_findings_name_the_cell_and_both_pvalues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, values in {"old.txt": (103, 103, 103), "new.txt": (101, 102)}.items():
        text = "".join(f"BenchmarkPing 10 {value} ns/op 7 B/op\n" for value in values)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (finding,) = print_tables(["old.txt", "new.txt"]).findings
    assert (finding.code, finding.where) == ("B306", "new.txt Ping (sec/op)")
    assert finding.numbers == {
        "p_benchstat": 0,
        "p_exact": 0.2,
        "n_baseline": 3,
        "n_variant": 2,
    }
    assert "the change is not significant at 0.05" in finding.message
    assert print_tables(["new.txt", "old.txt"]).findings == ()

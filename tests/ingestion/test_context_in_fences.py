"""Text above results inside their fence distinguishes them, whatever the tool."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

TABLE = "Benchmark  Mode  Cnt  Score   Error  Units\nB.testA    avgt    5  {0}1.5 ± 0.1  us/op\n"


@pytest.mark.parametrize(
    ("block", "names"),
    [
        (
            (
                "$ redis-server --io-threads {0} &\n$ redis-benchmark -q -t set\n"
                "SET: {0}3641.21 requests per second\n"
            ),
            [
                "redis-server --io-threads 1 & / SET",
                "redis-server --io-threads 4 & / SET",
            ],
        ),
        (
            "# release {0}\nSET: {0}3641.21 requests per second\n",
            ["release 1 / SET", "release 4 / SET"],
        ),
        (f"# JDK {{0}}\n{TABLE}", ["JDK 1 / B.testA", "JDK 4 / B.testA"]),
    ],
)
def test_results_below_different_lines_of_their_fences_are_not_repeats(
    tmp_path: Path, block: str, names: list[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("\n".join(f"```\n{block.format(n)}```\n" for n in (1, 4)), encoding="utf-8")
    assert bk.load(page).runs["benchmark"].tolist() == names


def test_results_below_equal_lines_of_their_fences_are_repeats(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    blocks = (f"```\n# one server\nSET: {n}3641.21 requests per second\n```\n" for n in (1, 4))
    page.write_text("\n".join(blocks), encoding="utf-8")
    runs = bk.load(page).runs
    assert runs["benchmark"].tolist() == ["SET", "SET"]
    assert runs["run"].tolist() == [1, 2]

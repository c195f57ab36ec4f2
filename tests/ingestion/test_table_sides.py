"""Both sides of a benchstat table get the text above it."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

BARRED = """\
             │    a.txt    │               {0}.txt                │
             │   sec/op    │    sec/op     vs base                │
Ping-2         66.98µ ± 21%   36.14µ ± 31%  -46.04% (p=0.000 n=10)
"""
NAMED = """\
name     a time/op    {0} time/op    delta
Ping-2   65.9µs ±26%  35.4µs ±34%  -46.29%  (p=0.000 n=10+9)
"""


def load(folder: Path, text: str) -> bk.RunSet:
    (folder / "bench.md").write_text(text, encoding="utf-8")
    return bk.load(folder / "bench.md")


@pytest.mark.parametrize("table", [BARRED, NAMED])
def test_both_sides_of_a_table_have_the_caption_above_it(tmp_path: Path, table: str) -> None:
    text = f"the pool:\n\n{table.format('b')}\nthe heap:\n\n{table.format('c')}"
    runs = load(tmp_path, text).runs
    assert sorted(zip(runs["variant"], runs["benchmark"], strict=True)) == [
        ("a", "the heap / Ping"),
        ("a", "the pool / Ping"),
        ("b", "the pool / Ping"),
        ("c", "the heap / Ping"),
    ]


@pytest.mark.parametrize("table", [BARRED, NAMED])
def test_both_sides_of_a_table_have_the_command_above_it(tmp_path: Path, table: str) -> None:
    text = "".join(f"$ benchstat a.txt {name}.txt\n{table.format(name)}\n" for name in "bc")
    runs = load(tmp_path, text).runs
    assert sorted(zip(runs["variant"], runs["params"], strict=True)) == [
        ("a", "command=b.txt,gomaxprocs=2"),
        ("a", "command=c.txt,gomaxprocs=2"),
        ("b", "command=b.txt,gomaxprocs=2"),
        ("c", "command=c.txt,gomaxprocs=2"),
    ]


def test_header_of_a_table_is_not_a_caption(tmp_path: Path) -> None:
    loaded = load(tmp_path, f"{NAMED.format('b')}\n{NAMED.format('c')}")
    assert set(loaded.runs["benchmark"]) == {"Ping"}


@pytest.mark.parametrize("table", [BARRED, NAMED])
@pytest.mark.parametrize("between", ["", "\n", "```\n\n```\n"])
def test_repeated_column_with_different_neighbours_is_not_a_repeat(
    tmp_path: Path, table: str, between: str
) -> None:
    first = table.format("b")
    second = table.format("c").replace("66.98", "90.98").replace("65.9", "90.9")
    loaded = load(tmp_path, f"# Results\n\n```\n{first}{between}{second}```\n")
    runs = loaded.runs
    rows = sorted(zip(runs["variant"], runs["params"], runs["run"], strict=True))
    assert rows == [
        ("a", "gomaxprocs=2,table=1", 1),
        ("a", "gomaxprocs=2,table=2", 1),
        ("b", "gomaxprocs=2,table=1", 1),
        ("c", "gomaxprocs=2,table=2", 1),
    ]
    finding = loaded.findings.set_index("code").loc["B109"]
    assert "because they differ in their table" in finding["message"]


@pytest.mark.parametrize("table", [BARRED, NAMED])
@pytest.mark.parametrize("above", ["", "## Run\n\n```\n$ benchstat a b\n```\n\n## Table\n\n"])
def test_both_columns_of_a_table_get_its_number(tmp_path: Path, table: str, above: str) -> None:
    loaded = load(tmp_path, f"{above}{table.format('b')}\n{table.format('c')}")
    rows = sorted(zip(loaded.runs["variant"], loaded.runs["params"], strict=True))
    assert rows == [
        ("a", "gomaxprocs=2,table=1"),
        ("a", "gomaxprocs=2,table=2"),
        ("b", "gomaxprocs=2,table=1"),
        ("c", "gomaxprocs=2,table=2"),
    ]


def test_tables_below_captions_are_not_numbered(tmp_path: Path) -> None:
    text = f"the pool:\n\n{BARRED.format('b')}\nthe heap:\n\n{BARRED.format('b')}"
    assert set(load(tmp_path, text).runs["params"]) == {"gomaxprocs=2"}


@pytest.mark.parametrize(
    "table",
    [
        "benchmark  old ns/op  new ns/op  delta\nBenchmarkPut-8  1000  500  -50.00%\n",
        "name  old time/op  new time/op  delta\nPut-8  10.0µs ± 1%  5.0µs ± 1%  -50.00%\n",
    ],
)
def test_table_next_to_raw_results_of_another_benchmark_is_compared(
    tmp_path: Path, table: str
) -> None:
    page = f"# Raw\n```\nBenchmarkGet-8  100  1000 ns/op\n```\n# Compared\n```\n{table}```\n"
    (shown,) = load(tmp_path, page).compare().frame.query("primary").itertuples()
    assert (shown.baseline, shown.variant, shown.ratio) == ("old", "new", 0.5)

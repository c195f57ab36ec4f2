"""JSON in a page is read like a file of it; unsupported reports are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import SupportsIndex

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import benchkit as bk
from benchkit.errors import BenchkitError
from benchkit.parsers import embedded

FIXTURES = Path(__file__).parents[2] / "fixtures"
GHZ = """\
Summary:
  Count:        100000
  Total:        6.26 s
  Slowest:      100.07 ms
  Fastest:      0.16 ms
  Average:      0.96 ms
  Requests/sec: 15984.89
"""
SIEGE = """\
Transactions:                    550 hits
Availability:                  55.00 %
Elapsed time:                  31.32 secs
Transaction rate:              17.56 trans/sec
"""
MEMTIER = """\
AGGREGATED AVERAGE RESULTS (3 runs)
Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency       KB/sec
Sets       578860.13          ---          ---         0.56202         0.54300     99284.03
"""


def list_warnings(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    loaded = bk.load(path)
    assert set(loaded.runs["role"]) == {"measured"}
    return [str(each) for each in loaded.diagnostics]


@pytest.mark.parametrize(
    ("report", "tool", "line"),
    [(GHZ, "ghz", 5), (SIEGE, "siege", 5), (MEMTIER, "memtier_benchmark", 5)],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_unsupported_report_is_named_next_to_a_supported_one(
    report: str, tool: str, line: int, is_first: bool, tmp_path: Path
) -> None:
    read = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    blocks = [f"## A\n\n```\n{block}```\n\n" for block in (report, read)]
    line = line if is_first else line + blocks[1].count("\n")
    (warning,) = list_warnings(tmp_path / "a.md", "".join(blocks if is_first else blocks[::-1]))
    assert f"a.md:{line}: {tool}'s report, which benchkit does not read" in warning


def test_scattered_words_of_a_report_are_not_reported(tmp_path: Path) -> None:
    read = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    more = "More of it.\n" * 20
    prose = "\n".join(f"{line} is a word.\n{more}" for line in SIEGE.split("\n"))
    assert list_warnings(tmp_path / "a.md", f"{prose}\n```\n{read}```\n") == []


def read(path: Path, text: str) -> pd.DataFrame:
    path.write_text(text, encoding="utf-8")
    return bk.load(path).observations[["benchmark", "metric", "subject", "stat", "value"]]


FENCED = "# Cold start\n\nText.\n\n```json\n"


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("autocannon/none-2.json", FENCED),
        ("bencher/synthetic-none-1.json", FENCED),
        ("google-benchmark/none.json", FENCED),
        ("hyperfine/none.json", FENCED),
        ("jmh/none.json", FENCED),
        ("oha/none-1.json", "running for 2 s\n"),
        ("k6-edge/tiny/k6-export-1.json", FENCED),
        ("k6-edge/tiny/k6-export-1.json", "Get:1 deb packages\n" * 5_000),
    ],
)
def test_json_in_a_page_is_read_like_a_file(name: str, above: str, tmp_path: Path) -> None:
    document = (FIXTURES / name).read_text(encoding="utf-8").strip()
    page = read(tmp_path / "page.md", f"{above}{document}\n```\n")
    assert_frame_equal(page, read(tmp_path / "a.json", document))


def test_json_in_a_page_of_more_than_a_mebibyte_is_read(tmp_path: Path) -> None:
    report = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    document = (FIXTURES / "oha/none-1.json").read_text(encoding="utf-8").strip()
    text = f"{'A long line. ' * 900}\n" * 100
    (tmp_path / "a.md").write_text(f"{report}\n{text}\n{FENCED}{document}\n```\n", encoding="utf-8")
    assert set(bk.load(tmp_path / "a.md").runs["tool"]) == {"oha", "wrk"}


def test_json_of_two_variants_below_headings_is_compared(tmp_path: Path) -> None:
    blocks = [
        f"## {name}\n\n```json\n{(FIXTURES / 'hyperfine' / f'{name}.json').read_text()}```\n"
        for name in ("none", "otlp")
    ]
    (tmp_path / "a.md").write_text("# Times\n\n" + "\n".join(blocks), encoding="utf-8")
    (verdict,) = bk.load(tmp_path / "a.md").compare().verdicts.primary
    assert (verdict.contrast.variant, verdict.word) == ("otlp", "regression")


def test_truncated_json_is_not_read(tmp_path: Path) -> None:
    document = (FIXTURES / "jmh/none.json").read_text(encoding="utf-8")
    truncated = document[: len(document) // 2]
    (tmp_path / "a.md").write_text(f"# A\n\n```json\n{truncated}\n```\n", encoding="utf-8")
    with pytest.raises(BenchkitError, match="looks like jmh, except for lines 1 to 3"):
        bk.load(tmp_path / "a.md")


_TABLE = """\
| Library | Time       | Memory   |
| :------ | :--------: | -------: |
| zerolog | 767 ns     | 552 B/op |
| zap     | 848 ns     | 704 B/op |
"""
_SIZES = "| a | b |\n|--|--|\n| c | 3 |\n| d | 4 s |\n"


@pytest.mark.parametrize(
    ("tables", "warning"),
    [
        (_TABLE, ["a.md:6: a table of times in lines 6 to 9, which benchkit does not read"]),
        (f"{_TABLE}\nAnd:\n\n{_TABLE}", ["tables of times in lines 6 to 9, 13 to 16, which"]),
        (_TABLE.replace("ns  ", "ns/op"), ["a.md:8: this table is not read"]),
        (_SIZES, []),
    ],
)
def test_tables_of_times_next_to_results_are_reported(
    tables: str, warning: list[str], tmp_path: Path
) -> None:
    read = "BenchmarkA-8  100  19.1 ns/op\nBenchmarkB-8  100  19.1 ns/op\n"
    for text in (f"{read}\nText\n\n{tables}", f"{read}\nText\n\n{tables}\n{_SIZES}"):
        warnings = list_warnings(tmp_path / "a.md", text)
        assert len(warnings) == len(warning)
        assert all(part in each for part, each in zip(warning, warnings, strict=True))


class Counted(list[str]):
    """Lines that count how often they are read."""

    reads = 0

    def __iter__(self) -> Iterator[str]:
        for line in super().__iter__():
            self.reads += 1
            yield line

    def __getitem__(self, at: SupportsIndex) -> str:  # type: ignore[override]
        self.reads += 1
        return super().__getitem__(at)


def test_page_of_table_rules_is_read_once() -> None:
    lines = Counted(["|a|b|", *["|-|-|"] * 500, "|1 ms|2|", "|3 ms|4|"])
    assert embedded._list_tables(lines) == [(500, 503)]
    assert lines.reads < 5 * len(lines)

"""A page tells of the reports on it that are not read, where others of it are."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

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
def test_a_report_that_is_not_read_is_named_beside_one_that_is(
    report: str, tool: str, line: int, is_first: bool, tmp_path: Path
) -> None:
    read = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    blocks = [f"## A\n\n```\n{block}```\n\n" for block in (report, read)]
    line = line if is_first else line + blocks[1].count("\n")
    (warning,) = list_warnings(tmp_path / "a.md", "".join(blocks if is_first else blocks[::-1]))
    assert f"a.md:{line}: {tool}'s report, which benchkit does not read" in warning


def test_words_of_a_report_that_are_scattered_over_a_page_name_none(tmp_path: Path) -> None:
    read = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    more = "More of it.\n" * 20
    prose = "\n".join(f"{line} is a word.\n{more}" for line in SIEGE.split("\n"))
    assert list_warnings(tmp_path / "a.md", f"{prose}\n```\n{read}```\n") == []

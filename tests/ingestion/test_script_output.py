"""Output of a load tool's script below each result is not a name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import benchkit as bk

COMMAND = "wrk -t4 -c64 -d10s -s report.lua http://localhost:8080/"
WRK = """\
Running 10s test @ http://localhost:8080/
  4 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.20ms    0.40ms  12.31ms   91.20%
    Req/Sec     2.25k   310.20     9.10k    70.10%
  90000 requests in 10.00s, 11.76MB read
Requests/sec:  {}.00
Transfer/sec:      1.20MB
"""
RULE = "-" * 30
PRINTED = (
    f"{RULE}\nerrors: {{}}\n",
    f"{RULE}\nerrors: {{0}}\nthread 1 made 9{{0}} requests and got 9{{0}} responses\n",
    "thread 1 made 2{0} requests\nthread 2 made 1{0} requests\n",
)


def count_runs(folder: Path, text: str) -> dict[str, int]:
    (folder / "bench.md").write_text(text, encoding="utf-8")
    names = Counter(bk.load(folder / "bench.md").runs["benchmark"])
    return {name.removesuffix(" / /"): count for name, count in names.items()}


def write(printed: str, above: str = "", fence: str = "```\n") -> str:
    blocks = (f"{above}{WRK.format(9000 + at)}{printed.format(at)}" for at in (0, 3, 1))
    return f"# Results\n\n{fence}{''.join(blocks)}{fence}"


@pytest.mark.parametrize("printed", PRINTED)
@pytest.mark.parametrize("above", ["", f"$ {COMMAND}\n"])
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_lines_below_every_result_are_not_names(
    tmp_path: Path, printed: str, above: str, fence: str
) -> None:
    assert count_runs(tmp_path, write(printed, above, fence)) == {"/": 3}


def test_single_line_below_each_command_is_not_a_name(tmp_path: Path) -> None:
    text = write("thread 1 made 2{} requests\n", f"$ {COMMAND}\n")
    assert count_runs(tmp_path, text) == {"/": 3}


def test_single_line_below_each_result_may_be_a_caption(tmp_path: Path) -> None:
    assert len(count_runs(tmp_path, write("payload: {} kB\n"))) == 3


def test_lines_above_every_result_still_name_them(tmp_path: Path) -> None:
    text = "".join(
        f"{RULE}\nserver {at}\nerrors off\n{WRK.format(9000 + at)}" for at in (10, 20, 30)
    )
    assert len(count_runs(tmp_path, f"```\n{text}```\n")) == 3


def test_different_words_below_each_result_name_them(tmp_path: Path) -> None:
    blocks = (f"{WRK.format(9000)}{RULE}\nserver: {name}\n" for name in ("gin", "echo", "fiber"))
    assert len(count_runs(tmp_path, f"```\n{''.join(blocks)}```\n")) == 3

"""The two sides of a diff of a page of results are read as old and new."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

TITLE = "Benchmark 1: tool one\n"
TIMES = """  Time (mean ± σ):     {}39.7 ms ±  43.7 ms    [User: 607.0 ms, System: 822.3 ms]
  Range (min … max):   {}13.0 ms … 527.5 ms    10 runs
"""


def mark(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "lines",
    [
        mark(" ", TITLE) + mark("-", TIMES.format(2, 2)) + mark("+", TIMES.format(1, 1)),
        mark("-", TITLE + TIMES.format(2, 2)) + mark("+", TITLE + TIMES.format(1, 1)),
    ],
    ids=["title kept", "title again"],
)
def test_both_sides_of_a_diff_are_read(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "change.diff"
    path.write_text(f"--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n{lines}", encoding="utf-8")
    frame = bk.load(str(path)).observations
    means = frame[(frame["metric"] == "time_per_op") & (frame["stat"] == "mean")]
    assert dict(zip(means["benchmark"], means["value"], strict=True)) == pytest.approx(
        {"old / tool one": 0.2397, "new / tool one": 0.1397}
    )

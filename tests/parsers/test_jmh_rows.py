"""JMH rows without a table header, and scores that JMH does not print in digits."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Source
from benchkit.parsers.jmh import CSV, TEXT

ROW = "Squares.logs    avgt   15  0.327 ± 0.001  us/op\n"
TABLE = """\
Benchmark      (size)  Mode  Cnt  Score   Error  Units
Squares.roots      10  avgt   15  0.127 ± 0.001  us/op
"""


def read(text: str) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(TEXT.parse(Source(None, "x", text.encode())))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


@pytest.mark.parametrize("heads", ["Score  Score error", "Mean   Mean error", "Score   Error"])
def test_old_tables_with_an_unsigned_error_are_read(heads: str) -> None:
    row = "o.s.Scan.read  thrpt        10  123.400        1.200  ops/ms"
    runs, problems = read(f"Benchmark      Mode   Samples   {heads}  Units\n{row}\n")
    assert not problems
    assert [(run.benchmark, run.rows[0][3:6]) for run in runs] == [
        ("Scan.read", (123400.0, "1/s", 10))
    ]


def is_claimed(text: str) -> bool:
    return TEXT.claims(Head("x", text.encode(), text))


@pytest.mark.parametrize("text", [ROW, f"{ROW}\nsome text\n{TABLE}", f"{TABLE}\n## Older\n\n{ROW}"])
def test_a_row_without_a_header_is_read(text: str) -> None:
    assert is_claimed(text)
    runs, problems = read(text)
    assert not problems
    (logs,) = (run for run in runs if run.benchmark == "Squares.logs")
    assert logs.rows[0][1:3] == ("time_per_op", "mean")
    assert logs.rows[0][3] == pytest.approx(0.327e-6)


def test_row_with_unnamed_params_is_skipped_with_a_diagnostic() -> None:
    text = TABLE.splitlines()[1] + "\n"
    assert is_claimed(text)
    runs, (problem,) = read(f"{text}\n{TABLE}")
    assert [run.params for run in runs] == [{"size": "10", "mode": "avgt"}]
    assert (problem.line, problem.severity) == (1, "warning")
    assert "no header above this row names its params" in problem.what


@pytest.mark.parametrize("text", ["take a sample 5 minutes later\n", "one sample 3 us\n"])
def test_prose_is_not_a_row(text: str) -> None:
    assert not is_claimed(text)
    runs, (problem,) = read(text)
    assert not runs
    assert problem.what == "no complete report of JMH here"


@pytest.mark.parametrize("score", ["≈ 10⁻⁶", "≈ 0"])
def test_memory_rounded_to_zero_is_zero(score: str) -> None:
    (run,), problems = read(
        f"{TABLE}Squares.roots:gc.alloc.rate.norm  10  avgt  15  {score}  B/op\n"
    )
    assert not problems
    (amount,) = (each for each in run.rows if each[1] == "bytes_per_op")
    assert (amount[3], amount[7]) == (0.0, 1e-3)


def test_approximate_nonzero_count_is_left_out() -> None:
    (run,), _ = read(f"{TABLE}Squares.roots:gc.count  10  avgt  15  ≈ 4  counts\n")
    assert "gc.count" not in {row[1] for row in run.rows}


def test_zero_memory_in_a_csv_is_kept() -> None:
    head = "Benchmark,Mode,Threads,Samples,Score,Score Error (99.9%),Unit\n"
    rows = "a.B.c,avgt,1,5,2.5,0.1,ns/op\na.B.c:gc.alloc.rate.norm,avgt,1,5,0.000000,0,B/op\n"
    (run,) = CSV.parse(Source(None, "x", (head + rows).encode()))
    assert isinstance(run, Reading)
    assert [row[1:4] for row in run.rows][1] == ("bytes_per_op", "mean", 0.0)


def list_params(path: Path) -> list[str]:
    return list(load(path).runs["params"])


def test_tables_with_other_iteration_counts_are_not_repeats(tmp_path: Path) -> None:
    shorter = TABLE.replace("  15  ", "   5  ")
    (tmp_path / "both.txt").write_text(f"{TABLE}\n{shorter}", encoding="utf-8")
    apart = ["iterations=15,mode=avgt,size=10", "iterations=5,mode=avgt,size=10"]
    assert list_params(tmp_path / "both.txt") == apart
    findings = load(tmp_path / "both.txt").findings.set_index("code")
    assert "because they differ in the number of iterations" in str(findings.loc["B109", "message"])
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "none-1.txt").write_text(TABLE, encoding="utf-8")
    other = TABLE.replace("0.127", "0.129")
    (folder / "none-2.txt").write_text(other, encoding="utf-8")
    assert list_params(folder) == ["mode=avgt,size=10"] * 2
    (folder / "none-2.txt").write_text(other.replace("  15  ", "   5  "), encoding="utf-8")
    assert list_params(folder) == apart


def test_sample_count_is_not_a_parameter(tmp_path: Path) -> None:
    table = TABLE.replace("avgt", "sample")
    text = f"{table}\n{table.replace('  15  ', '  17  ')}"
    (tmp_path / "x.txt").write_text(text, encoding="utf-8")
    assert list_params(tmp_path / "x.txt") == ["mode=sample,size=10"] * 2

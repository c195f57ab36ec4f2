"""benchcmp's tables: a row is a run on each side, and the tables of one output belong together."""

from __future__ import annotations

from pathlib import Path

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.benchcmp import TEXT

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(text: str) -> list[Reading]:
    records = list(TEXT.parse(Source(None, "x", text.encode())))
    return [each for each in records if isinstance(each, Reading)]


RATES = (FIXTURES / "benchcmp-forms/synthetic-rates.txt").read_text(encoding="utf-8")


def test_both_sides_have_time_rate_allocations_and_bytes() -> None:
    runs = {(run.benchmark, run.variant): run for run in read(RATES)}
    assert len(runs) == 6
    old = {row[1]: (row[3], row[4], row[7]) for row in runs["Concat", "old"].rows}
    assert old == {
        "time_per_op": (523e-9, "s", 1e-9),
        "processing_rate": (36.4e6, "B/s", 1e4),
        "allocs_per_op": (3, "1", 1),
        "bytes_per_op": (530, "B", 1),
    }
    assert runs["Concat", "new"].rows[0][3] == 68.6e-9
    assert runs["Concat", "new"].params == {"gomaxprocs": "4"}


def test_rows_with_the_same_name_are_runs() -> None:
    runs = read((FIXTURES / "benchcmp/all.txt").read_text(encoding="utf-8"))
    pings = [run for run in runs if run.benchmark == "Redis/Ping" and run.variant == "old"]
    assert len(pings) == 10
    assert all(len(run.rows) == 3 for run in pings)


def test_second_output_below_the_first_has_separate_runs() -> None:
    assert len(read(RATES + "\n" + RATES)) == 12


def test_row_without_its_delta_is_not_read() -> None:
    head, row = RATES.splitlines()[:2]
    assert read(f"{head}\n{row}\n")
    (problem,) = TEXT.parse(Source(None, "x", f"{head}\n{row[:-2]}\n".encode()))
    assert isinstance(problem, Diagnostic)
    assert problem.what == "the table has no complete row"


def test_other_lines_end_a_table() -> None:
    head, row = RATES.splitlines()[:2]
    assert not read(f"{head}\nso much for times\n{row}\n")

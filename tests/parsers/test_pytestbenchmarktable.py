"""pytest-benchmark's table and its CSV: the values of a row, and its unreadable cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.pytestbenchmark import CSV, TABLE

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/pytest-benchmark-table"
HEAD = "Name (time in us)     Min       Median      Rounds\n" + "-" * 60 + "\n"
ROW = "test_a           1.0000 (1.0)  2.0000 (1.0)  9\n"


def read(text: str | Path, form: Format = TABLE) -> tuple[list[Reading], list[str]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(form.parse(source))
    runs = [each for each in records if isinstance(each, Reading)]
    return runs, [str(each) for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[str, float]:
    assert {(row[1], row[4]) for row in run.rows} == {("time_per_op", "s")}
    return {row[2]: row[3] for row in run.rows}


def test_each_row_is_a_test_with_its_resolution() -> None:
    runs, problems = read(FIXTURES / "none-1.txt")
    assert not problems
    assert [(run.benchmark, run.params, run.variant) for run in runs] == [
        ("test_sort", {"param": "10"}, ""),
        ("test_sort", {"param": "200"}, ""),
        ("test_join", {}, ""),
    ]
    assert values(runs[0]) == {
        "min": 8.110001e-07,
        "max": 0.0077820000006,
        "mean": 1.8481297e-06,
        "stdev": 6.10358743e-05,
        "median": 1.0719996e-06,
    }
    assert {(row[5], row[7]) for row in runs[0].rows} == {(39104, 1e-13)}


def test_sessions_of_a_comparison_are_variants() -> None:
    result = load(FIXTURES / "compared.txt")
    verdicts = result.compare(baseline="0001_base", variant="NOW").verdicts
    assert len(verdicts.primary) == 3
    runs, problems = read(
        HEAD + ROW.replace("test_a ", "a (0001) ") + ROW.replace(" ", " (NOW) ", 1)
    )
    assert not problems
    assert [(run.benchmark, run.variant) for run in runs] == [("a", "0001"), ("test_a", "NOW")]


def test_csv_has_seconds_and_parameters_by_name() -> None:
    runs, problems = read(FIXTURES / "table.csv", CSV)
    assert not problems
    assert [(run.benchmark, run.params) for run in runs] == [
        ("test_sort", {"size": "10"}),
        ("test_sort", {"size": "200"}),
        ("test_join", {}),
    ]
    assert values(runs[2])["median"] == 2.3925000277813524e-05
    assert runs[2].rows[0][5] == 5596


def test_table_within_a_page_is_read() -> None:
    text = "# Results\n\n```\n" + HEAD + ROW + "-" * 60 + "\n```\n\ntest_b 1.0000 3.0000 4\n"
    runs, problems = read(text)
    assert [run.benchmark for run in runs] == ["test_a"]
    assert not problems


@pytest.mark.parametrize(
    ("row", "is_read"),
    [
        ("test_a[a b]      1,234.5000 (>1000.0)  2,000,000.0000 (inf)  9\n", True),
        ("test_a           1.0000  2.0000  9\n", True),
        ("test_a           1.0000 (1.0)  nan (nan)  9\n", False),
        ("test_a           1.0000 (1.0)  2.0000 (1.0)  9", False),  # may be truncated
        ("test_a           1.0000 (1.0)  9\n", False),
        ("1.0000 (1.0)     2.0000 (1.0)  9\n", False),
        ("test_a           1.0000 (1.0)  2.0000 (1.0)  -9\n", False),
    ],
)
def test_row_is_read_completely_or_reported(row: str, is_read: bool) -> None:
    runs, problems = read(HEAD + ROW + row)
    assert (len(runs), len(problems)) == (1 + is_read, 1 - is_read)
    assert is_read or problems[0].startswith("x:4: ")


def test_header_without_rows_is_an_error() -> None:
    (problem,) = read(HEAD)[1]
    assert problem.startswith("x: no complete table of pytest-benchmark here")


def test_csv_without_rounds_is_refused() -> None:
    runs, (problem,) = read("name,median,iqr,outliers\nt.py::test_a,2e-06,0,1;2\n", CSV)
    assert not runs
    assert "rounds" in problem


def test_two_sessions_in_one_csv_are_not_two_runs() -> None:
    head = "name,min,median,iqr,outliers,rounds\n"
    runs, problems = read(head + "t.py::a,1,2,0,1;2,9\nt.py::a,1,3,0,1;2,9\n", CSV)
    assert [values(run)["median"] for run in runs] == [2.0]
    assert "t.py::a appears twice" in problems[0]


def test_damaged_csv_cell_is_skipped_with_a_diagnostic() -> None:
    head = "name,min,median,iqr,outliers,rounds\n"
    ((run,), (problem,)) = read(head + "a,1,x,0,1;2,9\n", CSV)
    assert values(run) == {"min": 1.0}
    assert problem.startswith("x:2: median is")


def test_names_do_not_contain_how_many_tests_a_group_has(tmp_path: Path) -> None:
    """A test that was added renamed all others of its group: no row of two versions was paired."""
    groups = (
        f"------ benchmark 'g{group}': {group} tests ------\n"
        "Name (time in ms)  Mean          Rounds\n---------------\n"
        f"test_{group}  9.4863 (2.63)  9\ntest_{group}b  3.6009 (1.0)  9\n---------------\n\n"
        for group in (1, 2)
    )
    page = tmp_path / "page.txt"
    page.write_text("".join(groups), encoding="utf-8")
    names = ["test_1", "test_1b", "test_2", "test_2b"]
    assert load(page).observations["benchmark"].unique().tolist() == names

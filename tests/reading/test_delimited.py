"""Rows of a table with their lines; a bad row is reported and costs only itself."""

from __future__ import annotations

import csv
import re
from dataclasses import fields
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Format
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.source import Source

NUMBER = re.compile(r"^(-?\d+)\.(\d+\D*)$")
FIXTURES = Path(__file__).parents[2] / "fixtures"


def read(data: bytes) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    results = list(read_rows(Source(None, "x.csv", data), "the tool", ["a"]))
    rows = [(line, each) for line, each in results if not isinstance(each, Diagnostic)]
    return rows, [str(each) for _, each in results if isinstance(each, Diagnostic)]


def test_quoted_cell_may_contain_line_ends() -> None:
    rows, problems = read(b'a,b\n\n1,"x\ny"\n2,z\n')
    assert rows == [(3, {"a": "1", "b": "x\ny"}), (5, {"a": "2", "b": "z"})]
    assert not problems


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (
            b"a,b\n1,2,3\n4,5\n",
            ("x.csv:2: this row has 3 cells, but the header has 2; the row is left out"),
        ),
        (b"a,b\n4,5\n6,7", "x.csv:3: the last row is left out: it has no line end"),
        (b'a,b\n4,5\n"6,7\n', "x.csv:3: not valid CSV from here on (unexpected end of data)"),
        (b'a,b\n4,5\n"' + b"x" * 200_000, "x.csv:3: "),
    ],
)
def test_bad_row_is_reported_and_costs_only_itself(data: bytes, problem: str) -> None:
    rows, problems = read(data)
    assert [each for _, each in rows] == [{"a": "4", "b": "5"}]
    assert problems[0].startswith(problem)


def test_problems_of_many_bad_rows_are_summarised() -> None:
    rows, problems = read(b"a,b\n" + b"1\n" * 100)
    assert not rows
    assert len(problems) == 21
    assert "80 more rows" in problems[-1]


def test_header_without_required_columns_is_refused() -> None:
    rows, problems = read(b"b,c\n1,2\n")
    assert not rows
    assert [each.partition("; ")[0] for each in problems] == ["x.csv:1: the header lacks a"]


def test_header_is_the_first_line() -> None:
    assert header_of("\n a , b\nc") == ["a", "b"]
    assert header_of('"a') == []


@pytest.mark.parametrize("truncated", ["6", "6,7", "6,"])
def test_header_after_a_truncated_row_begins_another_table(truncated: str) -> None:
    rows, (problem,) = read(f"a,b\n4,5\n{truncated}a,b\n8,9\n".encode())
    assert rows == [(2, {"a": "4", "b": "5"}), (3, {"a": "a", "b": "b"}), (4, {"a": "8", "b": "9"})]
    assert "x.csv:3: this row is cut, and the header of another table follows" in problem


@pytest.mark.parametrize(("delimiter", "point"), [(";", ","), (";", "."), ("\t", ".")])
@pytest.mark.parametrize(
    "name",
    ["google-benchmark-forms/table.csv", "hyperfine/table-scan.csv", "jmh/small.csv",
     "jmeter-forms/synthetic-table.csv", "locust/none-1_stats.csv", "nginx-ab/nginx/ab-c1-1.csv",
     "nginx-ab/nginx/ab-small-c30-1.tsv.gz", "nginx-ab/nginx/hey-c30-1.csv.gz",
     "k6-edge/tiny/k6-raw-1.csv"],
)  # fmt: skip
def test_table_saved_by_a_spreadsheet_gives_the_same_values(
    name: str, delimiter: str, point: str
) -> None:
    data, saved = Source.load(FIXTURES / name).text().encode(), StringIO()
    usual = "\t" if ".tsv" in name else ","
    table = (
        [NUMBER.sub(rf"\1{point}\2", cell) for cell in row] if number else row
        for number, row in enumerate(csv.reader(StringIO(data.decode()), delimiter=usual))
    )
    csv.writer(saved, delimiter=delimiter, lineterminator="\n").writerows(table)
    for content in (data, saved.getvalue().encode()):
        (form,) = registry.identify(Source(None, name, content))
        assert show(form, content) == show(form, data)


@pytest.mark.parametrize("name", ["nginx-ab/nginx/ab-c1-1.csv", "nginx-ab/nginx/hey-c30-1.csv.gz"])
def test_zeros_dropped_by_a_spreadsheet_are_not_needed(name: str) -> None:
    text = Source.load(FIXTURES / name).text()
    saved = re.sub(r"(?m)\.?0*(?=,|$)", "", re.sub(r"(?m)(?<![.\d])(\d+)(?=,|$)", r"\1.", text))
    (form,) = registry.identify(Source(None, name, saved.encode()))
    assert show(form, saved.encode()) == show(form, text.encode())


def show(form: Format, content: bytes) -> list[list[object]]:
    """Return the parsed values of a format, with arrays as lists."""
    records = form.parse(Source(None, "x.csv", content))
    values = ([getattr(each, key.name) for key in fields(each)] for each in records)
    return [[v.tolist() if isinstance(v, np.ndarray) else v for v in of] for of in values]

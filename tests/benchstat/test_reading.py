"""Reading, refusals and summaries that the recorded cases do not cover."""

from __future__ import annotations

import statistics
import sys
from io import BytesIO, TextIOWrapper
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.benchstat import Printed, print_tables
from benchkit.benchstat.numbers import parse_float, write_fixed, write_float
from benchkit.benchstat.reader import Reader, UnitMetadata
from benchkit.benchstat.utest import median, median_orders
from benchkit.errors import DataError

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_without_a_crash(data: bytes) -> None:
    reader = Reader("a.txt", "a", UnitMetadata())
    for result in reader.read(b"BenchmarkA 1 5 ns/op\n" + data):
        assert result.values


@given(end=st.integers(0, 60))
def test_truncated_line_yields_a_warning_or_complete_pairs(end: int) -> None:
    line = b"BenchmarkA-2  100  40094 ns/op  195 B/op  6 allocs/op"[:end]
    reader = Reader("a.txt", "a", UnitMetadata())
    results = list(reader.read(line))
    assert len(results) + len(reader.warnings) <= 1


@given(value=FINITE)
def test_floats_round_trip_through_text(value: float) -> None:
    assert parse_float(write_float(value)) == value


@given(values=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60))
def test_median_is_the_usual_one(values: list[float]) -> None:
    scale = max(map(abs, values))
    expected = statistics.median(values)
    assert median(sorted(values)) == pytest.approx(expected, rel=1e-12, abs=1e-15 * scale)


@pytest.mark.parametrize(
    ("n", "orders"),
    [(1, (0, 2)), (6, (1, 6)), (10, (2, 9)), (24, (8, 18)), (26, (8, 19)), (60, (22, 38))],
)
def test_bounds_of_the_median(n: int, orders: tuple[int, int]) -> None:
    assert median_orders(n, 0.95) == orders


def test_non_finite_values_are_written_as_in_go() -> None:
    assert [write_float(value) for value in (inf, -inf, nan)] == ["+Inf", "-Inf", "NaN"]
    assert [write_fixed(nan, 2, signed=True), write_fixed(nan, 0)] == ["+NaN", "NaN"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no result\n", ""),
        ("", ""),
        ("\n" + "x" * 65536 + "\nBenchmarkA 1 5 ns/op\n",
         "benchstat: a.txt:1: bufio.Scanner: token too long"),
    ],
)  # fmt: skip
def test_inputs_without_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(text, encoding="utf-8")
    assert print_tables(["a.txt"]) == Printed(error=error)


def test_nan_is_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("BenchmarkA 1 NaN ns/op\n", encoding="utf-8")
    with pytest.raises(DataError, match="NaN cannot be compared"):
        print_tables([str(path), f"b={path}"])


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("nowhere.txt", "open nowhere.txt: no such file or directory"),
        ("label=", "open : no such file or directory"),
        (".", ".:0: read .: is a directory"),
    ],
)
def test_read_errors_use_the_wording_of_benchstat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("BenchmarkA 1 5 ns/op\nBenchmarkA 1\n", encoding="utf-8")
    printed = print_tables(["a.txt", path])
    assert printed == Printed(
        warnings=("a.txt:2: missing measurements",), error=f"benchstat: {error}"
    )


def test_standard_input_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = TextIOWrapper(BytesIO(b"BenchmarkA 1 5 ns/op\r\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    lines = print_tables(["-"], as_csv=True).output.splitlines()
    assert lines[:3] == [",-,", ",sec/op,CI", "A,5e-09,∞"]


def test_invalid_utf8_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"BenchmarkA\xff 1 5 hits\n")
    assert "A\ufffd,5,∞" in print_tables([str(tmp_path / "a.txt")], as_csv=True).output

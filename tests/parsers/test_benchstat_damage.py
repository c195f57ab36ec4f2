"""benchstat's output truncated, altered and mixed: no wrong number, and losses are reported."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchstat_readings import (
    BENCHSTAT,
    EDGE,
    as_source,
    centers,
    parsed,
    readings,
    records,
    remarks,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Record
from benchkit.parsers.benchstat import files, reader
from benchkit.parsers.benchstat.amounts import Comparison
from benchkit.reading.source import Source, UnreadableError

Form = tuple[Callable[[Source], Iterator[Record]], Path]

TRUNCATED = sorted(EDGE.glob("*.cut*"))
FORMS: list[Form] = [
    (reader.parse, BENCHSTAT / "new-2file-labels.txt"),
    (reader.parse, BENCHSTAT / "old-2file-geomean.txt"),
    (reader.parse, BENCHSTAT / "old-3file.txt"),
    (reader.parse, EDGE / "levels.txt"),
    (files.parse, BENCHSTAT / "new-2file.csv"),
    (files.parse, EDGE / "old-groups-3.csv"),
    (files.parse, EDGE / "old-groups-3.html"),
]


@pytest.mark.parametrize("path", TRUNCATED, ids=lambda path: path.name)
def test_truncated_output_is_partial_and_reported(path: Path) -> None:
    actual = records(path)
    assert {record.status for record in actual if isinstance(record, Reading)} == {"partial"}
    ((_, message),) = remarks(actual)
    assert "the source ends inside this benchstat output" in message


def test_truncated_fixtures_exist() -> None:
    assert len(TRUNCATED) == 6


def test_file_without_a_final_line_end_is_complete() -> None:
    for name in ("new-1file.txt", "old-2file.txt", "new-2file.csv", "old-2file.csv"):
        text = (BENCHSTAT / name).read_text()
        assert centers(text.rstrip("\n")) == centers(text)
        assert {reading.status for reading in readings(text.rstrip("\n"))} == {"complete"}


def test_truncated_run_count_is_ignored() -> None:
    """The values of the truncated row are kept, as the row above shows the kind of its centres."""
    head = ",a.txt,,b.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
    text = f"{head}W,2,1%,1,1%,~,p=0.500 n=9\nX,2,1%,1,1%,~,p=0.500 n=1"
    assert [row[5] for reading in readings(text) for row in reading.rows] == [9] * 6 + [None] * 6
    whole = readings(f"{text}0\n")
    assert [row[5] for reading in whole for row in reading.rows] == [9] * 6 + [10] * 6


def test_centre_of_unknown_kind_after_truncation_is_left_out() -> None:
    """For an exact unit it would be a mode, and a missing p-value would show that."""
    head = ",a.txt,,b.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
    assert centers(f"{head}X,2,1%,1,0%,-50.00%,n=1") == {("b", "X", "time_per_op", "median"): 1.0}
    assert centers(f"{head}X,2,1%,1,0%,-50.00%,n=10\n") == {
        ("a", "X", "time_per_op", "mode"): 2.0,
        ("b", "X", "time_per_op", "median"): 1.0,
    }


@given(st.sampled_from(FORMS), st.floats(0, 1))
def test_truncation_yields_no_centre_missing_from_the_full_file(form: Form, share: float) -> None:
    parse, path = form
    data = path.read_bytes()
    part = parsed(parse, data[: int(share * len(data))])
    whole = {
        (reading.variant, *row[:5])
        for reading in parsed(parse, data)
        if isinstance(reading, Reading)
        for row in reading.rows
    }
    actual = {
        (reading.variant, *row[:5])
        for reading in part
        if isinstance(reading, Reading)
        for row in reading.rows
    }
    assert actual <= whole


@given(st.sampled_from(FORMS), st.data())
def test_altered_bytes_never_raise(form: Form, data: st.DataObject) -> None:
    parse, path = form
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + 1] = data.draw(st.binary(max_size=3))
    assume(not raw.startswith(b"\x1f\x8b"))  # gzip's magic: not the parser's task
    actual = parsed(parse, bytes(raw))
    assert any(isinstance(record, Diagnostic) for record in actual)


def test_row_with_a_gap_and_collapsed_blanks_is_not_guessed() -> None:
    """Without its blanks, nothing shows which column a row's only cell belongs to."""
    text = (EDGE / "gaps.txt").read_text()
    squeezed = "".join(
        " ".join(line.split()) + "\n" if line.startswith(("Y-4", "X/fmt=a/n=2")) else line
        for line in text.splitlines(keepends=True)
    )
    removed = {key for key in centers(text) if key[1] in {"Y", "X/fmt=a/n=2"}}
    assert removed
    remaining = {key: value for key, value in centers(text).items() if key not in removed}
    rate = "processing_rate"
    actual = centers(squeezed)
    assert {key: value for key, value in actual.items() if key[2] != rate} == {
        key: value for key, value in remaining.items() if key[2] != rate
    }
    assert sum("do not line up" in message for _, message in remarks(records(squeezed))) >= 6


def test_damaged_archive_raises_after_what_precedes_the_damage() -> None:
    packed = gzip.compress((BENCHSTAT / "new-single.txt").read_bytes())
    actual: list[object] = []
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        actual.extend(reader.parse(as_source(packed[:-4])))
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        actual.extend(files.parse(as_source(packed[:-4])))


def test_text_without_a_table_is_reported() -> None:
    for parse in (reader.parse, files.parse):
        (problem,) = parsed(parse, "12.5 ± 3 is no table\n")
        assert isinstance(problem, Diagnostic)
        assert problem.severity == "error"
        assert "no benchstat table" in problem.what


@pytest.mark.parametrize(
    "text",
    [
        ",a,\n,sec/op,CI\nX," + "9" * 200_000 + ",1%\n",
        ",a,\n,sec/op,CI\nX,NaN,1%\n",
        ",a,\n,sec/op,CI\nX,1e999,1%\n",
        ",a,\n,sec/op,CI\nX,+Inf,?\n",
        "name,time/op (ns/op),±\nX,1.00000E+999,1%\n",
    ],
    ids=lambda text: text[:40],
)
def test_invalid_numbers_are_skipped_with_a_diagnostic(text: str) -> None:
    actual = parsed(files.parse, text)
    assert not any(isinstance(record, Reading) for record in actual)
    assert len(actual) == 2


def test_infinite_interval_is_left_out() -> None:
    (reading, *_) = parsed(files.parse, ",a,\n,sec/op,CI\nX,1e308,999999999%\n")
    assert isinstance(reading, Reading)
    assert [row[2] for row in reading.rows] == ["median"]


@pytest.mark.parametrize(
    ("sizes", "pvalue", "is_possible"),
    [
        ((5, 5), "0.008", True),
        ((5, 5), "0.007", False),
        ((4, 4), "0.029", True),
        ((4, 4), "0.028", False),
        ((10, 9), "0.000", True),
        ((1, 1), "1.000", True),
        ((1, 2), "0.500", False),
        ((2, 1), "1.333", False),
        ((500, 500), "0.000", True),
        ((10**9, 3), "0.000", True),
        ((0, 5), "0.000", True),
    ],
)
def test_smallest_p_follows_from_the_numbers_of_runs(
    sizes: tuple[int, int], pvalue: str, is_possible: bool
) -> None:
    assert (Comparison(sizes, pvalue).find_fault() == "") == is_possible


def test_repeated_row_counts_once() -> None:
    text = "name  time/op\nFoo   1.00ns ± 1%\nFoo   2.00ns ± 1%\n"
    assert centers(text) == {("", "Foo", "time_per_op", "mean"): 1e-9}
    assert remarks(records(text)) == [
        (3, "Foo: this table repeats time_per_op; the first one counts")
    ]


def test_truncated_cell_inside_a_page_is_reported() -> None:
    page = (BENCHSTAT / "old-2file.html").read_text().replace("35.4µs ±34%", "35.4")
    assert len(centers(page)) == 29
    assert remarks(records(page)) == [(24, "Redis/Ping-2: '35.4' is truncated or altered")]

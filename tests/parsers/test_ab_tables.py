"""Tables of ab -g and ab -e: real files against the run's report, old versions, damage."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import numpy as np
import pytest
from ab_readings import (
    EDGE,
    NGINX,
    claimed,
    latency,
    near,
    only,
    records,
    records_before_damage,
    remarks,
    samples,
    values,
)
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.ab import percentages
from benchkit.parsers.ab import samples as requests
from benchkit.parsers.base import Reading, Samples
from benchkit.reading.source import LINE_BLOCK, Source

RAW = gzip.decompress((NGINX / "ab-small-c30-1.tsv.gz").read_bytes())
CSV = NGINX / "ab-small-c30-1.csv"
REPORT = NGINX / "ab-small-c30-1.txt"
OLD = EDGE / "synthetic-g-2.0.tsv"


def text_index(n: int, percent: int) -> int:
    """Return the index of the sorted time that the report prints; 100 is the last."""
    return min(n * percent // 100, n - 1)


def csv_index(n: int, percent: int) -> int:
    """Return the index of the sorted time that ``-e`` prints; 0 is the first, 100 the last."""
    return min((n * percent + 50) // 100, n - 1) if percent else 0


def test_raw_times_are_samples_with_lines_and_timestamps() -> None:
    blocks = [record for record in records(RAW, "ab_tsv") if isinstance(record, Samples)]
    assert [(b.metric, b.subject, b.unit, b.stat) for b in blocks] == [
        ("latency", None, "s", "sample"),
        ("phase_time", "connect", "s", "sample"),
        ("phase_time", "processing", "s", "sample"),
        ("phase_time", "wait", "s", "sample"),
    ]
    for block in blocks:
        assert block.times is not None
        assert len(block.values) == len(block.lines) == len(block.times) == 3000
        assert block.resolution == 0.001
        assert (block.lines[0], block.lines[-1]) == (2, 3001)
        assert block.times[0] == np.datetime64("2026-11-21T00:30:18")


def test_raw_times_give_the_start_but_no_load() -> None:
    reading = only(RAW, "ab_tsv")
    assert (reading.tool, reading.form, reading.status) == ("ab", "tsv", "complete")
    assert reading.started_at == datetime(2026, 11, 21, 0, 30, 18, tzinfo=UTC)
    assert (reading.rows, reading.params, reading.load_model) == ([], {}, "closed")
    assert (reading.line, reading.last_line) == (1, 3001)


def test_second_header_starts_a_second_run() -> None:
    actual = list(records(RAW * 2, "ab_tsv"))
    runs = [record for record in actual if isinstance(record, Reading)]
    ends = len(RAW.splitlines())
    assert [(run.line, run.last_line) for run in runs] == [(1, ends), (ends + 1, 2 * ends)]
    whole = samples(RAW, "ab_tsv")[None].tolist()
    for run in runs:
        blocks = [each for each in actual if isinstance(each, Samples) and each.reading is run]
        times = [each.values for each in blocks if each.metric == "latency"]
        assert np.concatenate(times).tolist() == whole
    strays = [each.line for each in remarks((RAW + b"no row\n") * 2, "ab_tsv")]
    assert strays == [ends + 1, 2 * ends + 2]  # each belongs to the table above it


def test_raw_times_reproduce_the_percentiles_of_the_report() -> None:
    times, reported = np.sort(samples(RAW, "ab_tsv")[None]), latency(only(REPORT))
    assert len(times) == values(only(REPORT))[None, "requests", "count"]
    for percent in (50, 66, 75, 80, 90, 95, 98, 99):
        assert times[text_index(len(times), percent)] == reported[f"p{percent}"]
    assert (times[0], times[text_index(len(times), 100)]) == (reported["min"], reported["max"])


def test_raw_times_reproduce_the_percentiles_of_the_csv() -> None:
    times, reported = np.sort(samples(RAW, "ab_tsv")[None]), latency(only(CSV, "ab_csv"))
    assert len(reported) == 101
    for percent in range(1, 100):
        actual = times[csv_index(len(times), percent)]
        assert actual == pytest.approx(reported[f"p{percent}"], abs=0.00050001)


def test_columns_are_rounded_independently() -> None:
    actual = samples(OLD, "ab_tsv")
    assert actual[None].tolist() == [0.020, 0.031, 0.041]
    assert actual["processing"].tolist() == [0.019, 0.031, 0.040]
    assert actual["connect"].tolist() == [0.001, 0.0, 0.002]
    assert actual["wait"].tolist() == [0.018, 0.030, 0.0]


def test_version_2_0_has_microseconds_and_unsorted_lines() -> None:
    reading, (remark,) = only(OLD, "ab_tsv"), remarks(OLD, "ab_tsv")
    assert reading.started_at == datetime(2006, 4, 18, 20, 26, 38, 500000, tzinfo=UTC)
    assert (remark.line, remark.severity) == (4, "warning")
    assert reading.status == "complete"


def test_large_file_is_read_in_blocks() -> None:
    head, _, row = RAW.partition(b"\n")
    row = row.partition(b"\n")[0]
    count = 2 * LINE_BLOCK // len(row) + 5
    sizes = [
        len(record.values)
        for record in records(head + b"\n" + (row + b"\n") * count, "ab_tsv")
        if isinstance(record, Samples) and record.metric == "latency"
    ]
    assert len(sizes) == 3
    assert sum(sizes) == count


@given(st.integers(0, 400))
def test_truncated_raw_times_lose_only_the_last_line(place: int) -> None:
    data = RAW[: len(RAW) - place]
    actual, whole = samples(data, "ab_tsv")[None], samples(RAW, "ab_tsv")[None]
    assert np.array_equal(actual, whole[: len(actual)])
    assert len(actual) == data.count(b"\n") - 1
    assert (only(data, "ab_tsv").status == "complete") == data.endswith(b"\n")


def test_table_without_rows_is_a_failed_run() -> None:
    data = requests.HEADER.encode() + b"\n"
    assert claimed(data) == ["ab_tsv"]
    assert only(data, "ab_tsv").status == "failed"
    assert [remark.what for remark in remarks(data, "ab_tsv")] == ["the table of times is empty"]


def test_damaged_gzip_yields_the_rows_before_the_damage() -> None:
    actual = records_before_damage(gzip.compress(RAW, compresslevel=0)[:70000], "ab_tsv")
    times = next(block.values for block in actual if isinstance(block, Samples))
    assert 1000 < len(times) < 3000
    assert np.array_equal(times, samples(RAW, "ab_tsv")[None][: len(times)])
    (reading,) = [record for record in actual if isinstance(record, Reading)]
    assert reading.status == "partial"


def test_damaged_gzip_of_a_csv_yields_the_rows_before_the_damage() -> None:
    actual = records_before_damage(gzip.compress(CSV.read_bytes(), compresslevel=0)[:500], "ab_csv")
    (reading,) = [record for record in actual if isinstance(record, Reading)]
    assert reading.status == "partial"
    assert set(reading.rows) < set(only(CSV, "ab_csv").rows)


def test_every_percent_of_the_csv_is_kept() -> None:
    reading = only(CSV, "ab_csv")
    reported = latency(reading)
    assert (reading.tool, reading.form, reading.status) == ("ab", "csv", "complete")
    assert (reported["min"], reported["p1"], reported["p2"]) == near((0.000732, 0.000858, 0.00091))
    assert (reported["p98"], reported["p99"], reported["max"]) == near(
        (0.029315, 0.041004, 0.042464)
    )
    assert "p0" not in reported
    assert "p100" not in reported
    assert {row[7] for row in reading.rows} == {1e-6}
    assert [row[9] for row in reading.rows] == list(range(2, 103))
    assert remarks(CSV, "ab_csv") == []


@pytest.mark.parametrize(
    ("name", "p50", "resolution"),
    [("1.3", 0.12, 0.001), ("2.0", 0.12, 0.001), ("2.2", 0.00675, 1e-6)],
)
def test_older_tables_end_at_99_percent(name: str, p50: float, resolution: float) -> None:
    path = EDGE / f"synthetic-e-{name}.csv"
    reading = only(path, "ab_csv")
    assert reading.status == "complete"
    assert latency(reading)["p50"] == near(p50)
    assert "max" not in latency(reading)
    assert {row[7] for row in reading.rows} == {resolution}


@pytest.mark.parametrize("name", ["1.3", "2.0", "2.2"])
def test_truncated_csv_yields_no_wrong_number(name: str) -> None:
    data = (EDGE / f"synthetic-e-{name}.csv").read_bytes()
    whole = set(only(data, "ab_csv").rows)
    for place in range(len(data)):
        assert set(only(data[:place], "ab_csv").rows) <= whole


def test_csv_without_a_final_line_end_is_complete() -> None:
    data = CSV.read_bytes().rstrip(b"\n")
    assert len(only(data, "ab_csv").rows) == 101
    assert only(data[:-1], "ab_csv").status == "complete"
    assert "max" not in latency(only(data[:-1], "ab_csv"))


def test_unrelated_lines_of_a_csv_are_skipped_with_a_diagnostic() -> None:
    data = CSV.read_bytes().replace(b"\n50,", b"\nhalf of them\n\n50,")
    assert len(only(data, "ab_csv").rows) == 101
    assert [remark.line for remark in remarks(data, "ab_csv")] == [52]


def test_rows_out_of_order_are_skipped_with_a_diagnostic() -> None:
    data = CSV.read_bytes().replace(b"\n50,", b"\n51,")
    reading = only(data, "ab_csv")
    assert (reading.status, len(reading.rows)) == ("partial", 50)
    assert [remark.line for remark in remarks(data, "ab_csv")] == [51, 52]
    assert "ends before 50 %" in remarks(data, "ab_csv")[0].what


@pytest.mark.parametrize(
    "text",
    [
        'gnuplot <<E\nplot "a.tsv"  # starttime\tseconds\tctime\tdtime\tttime\twait\nE\n',
        "starttime\tseconds\tctime\tdtime\tttime\twait\nno line of times\n",
        "Percentage served,Time in ms\nfifty,1.0\n",
    ],
)
def test_header_alone_is_not_a_table(text: str) -> None:
    assert not requests.recognises(Source(None, "x", text.encode()).head())
    assert not percentages.recognises(Source(None, "x", text.encode()).head())

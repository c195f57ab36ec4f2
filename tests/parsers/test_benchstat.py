"""benchstat's texts, new and old: values by hand, columns by their bars, outputs within prose."""

from __future__ import annotations

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
    sizes,
    values,
)

from benchkit.errors import Diagnostic
from benchkit.parsers.benchstat.reader import parse, recognises

COUNTS = {
    "new-1file.txt": (["baseline"], 15),
    "new-2file.txt": (["baseline", "enabled"], 30),
    "new-2file-labels.txt": (["base", "otel"], 30),
    "new-3file.txt": (["baseline", "disabled", "enabled"], 45),
    "new-pinned-3file.txt": (
        ["pinned/Baseline", "pinned/OTel_Disabled", "pinned/OTel_Enabled"],
        45,
    ),
    "new-single.txt": (["single/gobench-all-1"], 45),
    "new-fewsamples.txt": (["few", "few2"], 12),
    "new-col-size.txt": (["1024", "65536"], 8),
    "new-custom-metric.txt": (["single/gobench-copy-custom-metric"], 8),
    "old-1file.txt": ([""], 15),
    "old-2file.txt": (["new", "old"], 30),
    "old-2file-geomean.txt": (["new", "old"], 30),
    "old-2file-notest.txt": (["new", "old"], 30),
    "old-3file.txt": (["baseline", "disabled", "enabled"], 45),
    "edge/crlf-new.txt": (["baseline", "enabled"], 30),
    "edge/crlf-old.txt": (["new", "old"], 30),
}


@pytest.mark.parametrize(("name", "expected"), COUNTS.items(), ids=COUNTS)
def test_every_text_is_recognised_and_complete(name: str, expected: tuple[list[str], int]) -> None:
    assert recognises(as_source(BENCHSTAT / name).head())
    actual = readings(BENCHSTAT / name)
    assert (
        sorted({reading.variant for reading in actual}),
        len(centers(BENCHSTAT / name)),
    ) == expected
    assert remarks(records(BENCHSTAT / name)) == []
    assert {reading.status for reading in actual} == {"complete"}
    assert {reading.tool for reading in actual} == {"benchstat"}
    assert {reading.form for reading in actual} == {
        "old-text" if "old" in name.rpartition("/")[2] else "text"
    }


def test_every_value_of_the_first_benchmark_is_read() -> None:
    first = readings(BENCHSTAT / "new-2file.txt")[0]
    assert (first.variant, first.benchmark, first.params) == (
        "baseline",
        "Redis/Ping",
        {"gomaxprocs": "2"},
    )
    assert (first.line, first.last_line, first.group) == (7, 25, "")
    assert first.env == {
        "goos": "linux",
        "goarch": "amd64",
        "pkg": "bench/redisbench",
        "cpu": "Intel(R) Xeon(R) Processor",
        "lossy": "benchstat summary",
    }
    median, low, high = first.rows[:3]
    assert median == ((None, "time_per_op", "median", 66.98e-6, "s", 10, None, 1e-8, "reported", 7))
    assert (low[2], high[2], low[8]) == ("ci_low", "ci_high", "computed")
    assert (low[3], high[3]) == pytest.approx((66.98e-6 * 0.79, 66.98e-6 * 1.21), rel=1e-12)
    assert low[7] == pytest.approx(66.98e-8)


def test_new_tool_scales_bytes_by_1024_and_old_tool_by_1000() -> None:
    new, old = (centers(BENCHSTAT / f"{form}-2file.txt") for form in ("new", "old"))
    assert new["baseline", "Redis/Pipeline", "bytes_per_op", "median"] == 3.065 * 1024
    assert old["old", "Redis/Pipeline", "bytes_per_op", "mean"] == 3150.0
    assert old["new", "Redis/Ping", "bytes_per_op", "mean"] == 4108.0


def test_old_tool_has_means_deviations_and_run_counts() -> None:
    actual = readings(BENCHSTAT / "old-2file.txt")
    assert values(actual)["old", "Redis/Ping", "time_per_op", "mean"] == 65.9e-6
    deviation = values(actual)["old", "Redis/Ping", "time_per_op", "max_deviation"]
    assert deviation == pytest.approx(65.9e-6 * 0.26)
    assert sizes(actual, "bytes_per_op")["old", "Redis/SetGet_Mixed"] == 7
    assert sizes(actual, "bytes_per_op")["new", "Redis/SetGet_Mixed"] == 10
    assert set(sizes(readings(BENCHSTAT / "old-1file.txt"), "time_per_op").values()) == {None}


def test_runs_per_side_are_read_from_the_comparisons() -> None:
    actual = sizes(readings(BENCHSTAT / "new-fewsamples.txt"), "time_per_op")
    assert [actual[side, "Redis/Ping"] for side in ("few", "few2")] == [10, 10]
    assert [actual[side, "Redis/Set"] for side in ("few", "few2")] == [6, 6]


def test_three_columns_are_kept_apart() -> None:
    actual = centers(BENCHSTAT / "new-3file.txt")
    variants = ("baseline", "disabled", "enabled")
    row = [actual[variant, "Redis/Pipeline", "bytes_per_op", "median"] for variant in variants]
    assert row == [3.065 * 1024, 7.153 * 1024, 9.973 * 1024]
    old = centers(BENCHSTAT / "old-3file.txt")
    row = [old[variant, "Redis/Get", "time_per_op", "mean"] for variant in variants]
    assert row == [54.8e-6, 58.3e-6, 51.7e-6]


def test_columns_may_be_labels_and_units_unknown() -> None:
    actual = centers(BENCHSTAT / "new-col-size.txt")
    assert actual["1024", "Copy", "time_per_op", "median"] == 8.964e-9
    assert actual["65536", "Copy", "processing_rate", "median"] == 45.23 * 2**30
    assert actual["65536", "Copy", "copied/op", "median"] == 65536.0
    assert actual["1024", "Copy", "p99-sec", "median"] == 99.5e-9
    units = {
        row[1]: row[4]
        for reading in readings(BENCHSTAT / "new-col-size.txt")
        for row in reading.rows
    }
    assert units == {"time_per_op": "s", "processing_rate": "B/s", "copied/op": "1", "p99-sec": "s"}


def test_interval_that_reaches_below_zero_is_left_out() -> None:
    """± 104 % of a time says nothing about its lower end."""
    actual = values(readings(BENCHSTAT / "new-single.txt"))
    label = ("single/gobench-all-1", "OTelOverhead/OTel_Enabled/SetGet_Mixed", "time_per_op")
    assert (*label, "ci_low") not in actual
    assert actual[(*label, "ci_high")] == pytest.approx(40.83e-6 * 2.04)


def test_missing_cells_do_not_shift_the_others() -> None:
    actual = centers(EDGE / "gaps.txt")
    assert ("b", "Y", "time_per_op", "median") not in actual
    assert actual["a", "Y", "time_per_op", "median"] == 11.5e-9
    assert actual["b", "X/fmt=a/n=2", "time_per_op", "median"] == 13.5e-9
    assert ("a", "X/fmt=a/n=2", "time_per_op", "median") not in actual
    old = centers(EDGE / "old-groups-3.txt")
    row = {key[0]: value for key, value in old.items() if key[1:3] == ("Y", "time_per_op")}
    assert row == {"a": 11.5e-9}
    row = {
        key[0]: value for key, value in old.items() if key[1:3] == ("X/fmt=a/n=2", "time_per_op")
    }
    assert row == {"b": 13.5e-9, "c": 13.5e-9}


def test_infinite_intervals_are_left_out() -> None:
    assert {stat for *_, stat in values(readings(EDGE / "gaps.txt"))} <= {
        "median",
        "mode",
        "ci_low",
        "ci_high",
    }
    assert ("b", "X/fmt=b/n=2", "time_per_op", "ci_low") not in values(readings(EDGE / "gaps.txt"))


def test_an_exact_unit_that_varies_has_a_mode_and_no_interval() -> None:
    actual = values(readings(EDGE / "gaps.txt"))
    label = ("a", "X/fmt=a/n=1", "text-bytes")
    assert {key[3]: value for key, value in actual.items() if key[:3] == label} == {"mode": 101.0}
    assert actual["b", "X/fmt=a/n=1", "text-bytes", "median"] == 102.0


@pytest.mark.parametrize("name", ["gaps.txt", "gaps.csv"])
def test_separate_table_of_zeros_is_reported(name: str) -> None:
    ((line, reported),) = remarks(records(EDGE / name))
    assert line == 5
    assert "separate table (ns/op)" in reported
    assert centers(EDGE / name)["a", "X/fmt=a/n=1", "time_per_op", "median"] == 1.3e-8


def test_packages_go_to_the_environment() -> None:
    for name in ("gaps.txt", "old-groups.txt", "old-groups-3.txt"):
        packages = {reading.benchmark: reading.env["pkg"] for reading in readings(EDGE / name)}
        assert packages["X/fmt=a/n=1"] == "p"
        assert packages["Z"] == "q"


def test_labels_on_several_levels_are_one_variant() -> None:
    """The bars of the units are to the right of the columns; those of the labels are not."""
    actual = values([run for run in readings(EDGE / "levels.txt") if run.env["pkg"] == "p"])
    assert actual["a 1", "a", "time_per_op", "median"] == 13e-9
    assert actual["b 1", "a", "time_per_op", "median"] == 11.25e-9
    assert actual["b 2", "a", "time_per_op", "median"] == 13.5e-9
    assert actual["a 2", "b", "bytes_per_op", "median"] == 2048.0
    assert sum(key[2] == "allocs_per_op" for key in actual) == 6


def test_page_with_several_outputs_and_prose_is_read() -> None:
    actual = readings(EDGE / "synthetic-page.md")
    pings = [
        (reading.line, reading.variant, reading.rows[0][3])
        for reading in actual
        if reading.benchmark == "Overhead/Ping"
    ]
    assert pings == [
        (7, "old", 30.1e-6),
        (7, "new", 31.5e-6),
        (17, "old", 20.1e-6),
        (17, "new", 21.5e-6),
        (26, "old", 30.1e-6),
        (26, "new", 31.5e-6),
    ]
    assert [reading.env.get("pkg") for reading in actual][-1] == "example.org/a"
    assert actual[2].rows == [
        (None, "bytes_per_op", "mean", 0.0, "B", None, None, 0.01, "reported", 11)
    ]


def test_impossible_and_unreadable_values_are_reported() -> None:
    reported = remarks(records(EDGE / "synthetic-page.md"))
    assert [line for line, _ in reported] == [10, 18, 27, 28]
    assert "p=0.000 is impossible with 5+5 runs" in reported[0][1]
    assert "0.0079" in reported[0][1]
    (fault, *damage) = [
        each for each in records(EDGE / "synthetic-page.md") if isinstance(each, Diagnostic)
    ][:4]
    assert not fault.is_damage  # the values are there
    assert all(each.is_damage for each in damage)
    assert all("do not line up" in text for _, text in reported[1:3])
    assert "'+Inf' is not a finite sec/op" in reported[3][1]


def test_old_columns_may_have_been_renamed() -> None:
    text = """\
name     JSON time/op    CBOR time/op   delta
Info-32    15.3ns ± 1%     11.7ns ± 3%  -23.78%  (p=0.000 n=9+10)
"""
    assert centers(text) == {
        ("JSON", "Info", "time_per_op", "mean"): 15.3e-9,
        ("CBOR", "Info", "time_per_op", "mean"): 11.7e-9,
    }


def test_row_without_a_heading_is_reported() -> None:
    text = "name     time/op\nLoad-2   27.2ns ±11%\n\nLoads only:\nMap-2    12.0ns ± 0%\n"
    ((line, message),) = remarks(records(text))
    assert (line, "no heading above" in message) == (5, True)


def test_repeated_table_is_two_outputs() -> None:
    text = (BENCHSTAT / "old-2file.txt").read_text()
    actual = readings(f"{text}\n{text}")
    assert len(actual) == 20
    assert [reading.line for reading in actual if reading.benchmark == "Redis/Ping"] == [
        2,
        2,
        23,
        23,
    ]


def test_second_output_has_a_separate_configuration() -> None:
    text = (BENCHSTAT / "new-1file.txt").read_text()
    other = text.replace("goarch: amd64\n", "").replace("redisbench", "other")
    packages = [reading.env.get("goarch") for reading in readings(f"{text}```\n\n{other}")]
    assert packages == ["amd64"] * 5 + [None] * 5


def test_names_without_a_common_suffix_are_kept() -> None:
    table = "name  time/op\nSort/n-10   1.00ns ± 1%\nSort/n-100  2.00ns ± 1%\n"
    assert [reading.benchmark for reading in readings(table)] == ["Sort/n-10", "Sort/n-100"]


@pytest.mark.parametrize(
    ("metric", "cell", "expected"),
    [
        ("time/op", "7200s ± 0%", ("time_per_op", 7200.0, "s", 1.0)),
        ("user-time/op", "1.50ms ± 0%", ("user-sec/op", 0.0015, "s", 1e-5)),
        ("time/GC", "5.00ns ± 0%", ("sec/GC", 5e-9, "s", 1e-11)),
        ("quick-bytes", "13.6B ±18%", ("quick-bytes", 13.6, "B", 0.1)),
        ("a-bytes", "1.23GB ± 0%", ("a-bytes", 1.23e9, "B", 1e7)),
        ("speed", "65.1MB/s ± 1%", ("processing_rate", 65.1e6, "B/s", 1e5)),
        ("p99-ns", "1.23k ± 1%", ("p99-sec", 1.23e-6, "s", 1e-8)),
        ("allocs/op", "1.20M ± 1%", ("allocs_per_op", 1.2e6, "1", 1e4)),
        ("allocs/op", "0.00     ", ("allocs_per_op", 0.0, "1", 0.01)),
        ("alloc/op", "0.0B", ("bytes_per_op", 0.0, "B", 0.1)),
        ("alloc/op", "0B", ("bytes_per_op", 0.0, "B", 1.0)),
        ("allocs", "12.0 ± 1%", ("allocs_per_op", 12.0, "1", 0.1)),
        ("ms", "12.5 ± 1%", ("time_per_op", 0.0125, "s", 1e-4)),
        ("µs/op", "12.5k ± 1%", ("time_per_op", 0.0125, "s", 1e-4)),
        ("us", "12.5 ± 1%", ("time_per_op", 12.5e-6, "s", 1e-7)),
        ("s", "12.5m ± 1%", ("time_per_op", 0.0125, "s", 1e-4)),
        ("p99-ms", "12.5 ± 1%", ("p99-sec", 0.0125, "s", 1e-4)),
        ("kB", "1.5 ± 1%", ("B", 1500.0, "B", 100.0)),
        ("peak-GB", "1.5k ± 1%", ("peak-B", 1.5e12, "B", 1e11)),
    ],
)
def test_units_of_the_old_tool(
    metric: str, cell: str, expected: tuple[str, float, str, float]
) -> None:
    actual = parsed(parse, f"name  {metric}\nFoo   {cell}\n")[0]
    row = actual.rows[0]  # type: ignore[union-attr]
    assert (row[1], row[3], row[4], row[7]) == expected


def test_milliseconds_next_to_time_per_op_are_a_separate_metric() -> None:
    table = "name  ms\nFoo   12.5 ± 1%\n\nname  time/op\nFoo   1.50s ± 1%\n"
    rows = readings(table)[0].rows
    assert {row[1]: row[3] for row in rows if row[2] == "mean"} == {
        "sec": 0.0125,
        "time_per_op": 1.5,
    }


def test_one_warning_reports_that_single_runs_are_missing() -> None:
    last = records(BENCHSTAT / "new-3file.txt")[-1]
    assert str(last).startswith("out.txt:5: benchstat's summaries")
    assert "ingest the raw `go test -bench` files to compare" in str(last)

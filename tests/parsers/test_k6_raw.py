"""k6's raw points: totals and percentiles equal k6's summary of the same run."""

from __future__ import annotations

import gzip
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit.parsers import series
from benchkit.parsers.base import Diagnostic, Format, Reading, Record, Samples
from benchkit.parsers.k6 import RAW as FORMAT
from benchkit.parsers.k6 import SUMMARY, TEXT, columns
from benchkit.parsers.k6 import raw as k6_raw
from benchkit.reading import source
from benchkit.reading.source import Head, Source, UnreadableError
from benchkit.stats.quantiles import quantile

EDGE = Path(__file__).parents[2] / "fixtures" / "k6-edge"
SMALL, NESTED = EDGE / "small", EDGE / "nested"
RAW = sorted(EDGE.glob("**/*raw*.gz"))

Trends = dict[tuple[str | None, str], np.ndarray]


def read(data: Path | bytes | str) -> tuple[list[Reading], list[Trends], list[Diagnostic]]:
    raw = data.read_bytes() if isinstance(data, Path) else data
    source = Source(None, "k6", raw.encode() if isinstance(raw, str) else raw)
    readings: list[Reading] = []
    blocks: list[dict[tuple[str | None, str], list[np.ndarray]]] = []
    problems = []
    for record in FORMAT.parse(source):
        if isinstance(record, Reading):
            readings.append(record)
            blocks.append(defaultdict(list))
        elif isinstance(record, Samples):
            assert record.reading is readings[-1]
            assert len(record.values) == len(record.lines)
            assert record.times is not None
            assert len(record.values) == len(record.times)
            blocks[-1][record.subject, record.metric].append(record.values)
        elif isinstance(record, Diagnostic):
            problems.append(record)
    trends = [{key: np.concatenate(parts) for key, parts in run.items()} for run in blocks]
    return readings, trends, problems


def values(reading: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in reading.rows}


def summary(path: Path, form: Format) -> Reading:
    (reading,) = (r for r in form.parse(Source.load(path)) if isinstance(r, Reading))
    return reading


def aggregate(stat: str, values: np.ndarray) -> float:
    if stat == "mean":
        return float(values.mean())
    if stat in {"min", "max"}:
        return float(values.min() if stat == "min" else values.max())
    return float(quantile(values, [float(stat[1:]) / 100], FORMAT.quantile_rule)[0])


@pytest.mark.parametrize(
    ("raw", "report", "form"),
    [
        ("small/k6-raw-small.json.gz", "small/k6-small.txt", TEXT),
        ("small/k6-raw-small.csv.gz", "small/k6-small.txt", TEXT),
        ("nested/k6-raw-2.csv.gz", "nested/k6-2.txt", TEXT),
        ("nested/k6-raw-3.json.gz", "nested/k6-3.txt", TEXT),
        ("nested/k6-raw-3.json.gz", "nested/k6-export-3.json", SUMMARY),
        ("nested/k6-raw-micro-3.csv.gz", "nested/k6-export-3.json", SUMMARY),
    ],
)
def test_points_reproduce_the_summary(raw: str, report: str, form: Format) -> None:
    (reading,), (trends,), _ = read(EDGE / raw)
    totals, compared = values(reading), 0
    for subject, metric, stat, value, unit, _, _, step, origin, _ in summary(
        EDGE / report, form
    ).rows:
        if (subject, metric) in trends:
            computed = aggregate(stat, trends[subject, metric])
        elif (subject, metric, stat) in totals and (origin, metric) != ("reported", "duration"):
            computed = totals[subject, metric, stat]
        else:
            continue
        compared += 1
        margin = (step or 0.0) * (1 + 1e-9) + 1e-12 * abs(value)
        assert value - (margin if unit == "B" else 1e-12 * abs(value)) <= computed <= value + margin
    assert compared > 20


def test_points_and_totals_of_a_run_are_read() -> None:
    (reading,), (trends,), problems = read(SMALL / "k6-raw-small.json.gz")
    assert problems == []
    assert (reading.form, reading.status, reading.line, reading.last_line) == (
        "json",
        "complete",
        1,
        1434,
    )
    assert reading.started_at == datetime(2026, 11, 21, 0, 32, 4, 208702, tzinfo=UTC)
    assert reading.duration == 1.998731
    assert (reading.connections, reading.load_model) == (50, "unknown")
    assert {key[1] for key in trends} == {"latency", "iteration_time", "phase_time"}
    assert len(trends) == 2 + 6
    assert {len(points) for points in trends.values()} == {101}
    assert {row[8] for row in reading.rows} == {"computed"}
    actual = values(reading)
    assert actual[None, "requests", "count"] == 101
    assert actual[None, "bytes_in", "total"] == 18883
    assert actual[None, "bytes_out", "total"] == 13365
    assert actual[None, "checks", "count"] == 101
    assert actual[None, "error_rate", "mean"] == 0
    assert trends[None, "latency"][0] == 0.000480853


def test_json_and_csv_agree() -> None:
    (_,), (json,), _ = read(SMALL / "k6-raw-small.json.gz")
    (_,), (csv,), _ = read(SMALL / "k6-raw-small.csv.gz")
    assert json.keys() == csv.keys()
    for key, points in json.items():
        assert np.array_equal(points, csv[key])


def test_each_sample_has_its_line() -> None:
    path = SMALL / "k6-raw-small.csv.gz"
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    for record in FORMAT.parse(Source.load(path)):
        if isinstance(record, Samples):
            for value, line in zip(record.values, record.lines, strict=True):
                assert float(lines[line - 1].split(",")[2]) == pytest.approx(value * 1000)


def test_samples_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    (_,), (full,), _ = read(SMALL / "k6-raw-small.json.gz")
    monkeypatch.setattr(series, "BLOCK", 7)
    monkeypatch.setattr(source, "_BLOCK", 1 << 12)
    monkeypatch.setattr(k6_raw, "BLOCK_BYTES", 1 << 12)
    sizes = [
        len(record.values)
        for record in FORMAT.parse(Source.load(SMALL / "k6-raw-small.json.gz"))
        if isinstance(record, Samples)
    ]
    assert 7 <= max(sizes) < 20
    (_,), (parts,), _ = read(SMALL / "k6-raw-small.json.gz")
    assert all(np.array_equal(points, parts[key]) for key, points in full.items())


def test_custom_metrics_of_the_csv_are_skipped_with_a_diagnostic() -> None:
    (_,), (trends,), (problem,) = read(NESTED / "k6-raw-2.csv.gz")
    assert "latency" in problem.what
    assert problem.severity == "warning"
    assert (None, "k6_latency") not in trends
    (_,), (declared,), _ = read(NESTED / "k6-raw-3.json.gz")
    assert len(declared[None, "k6_latency"]) == 20


OLD = """\
metric_name,timestamp,metric_value,check,error,error_code,group,method,name,proto,scenario,status,subproto,tls_version,url,extra_tags
http_reqs,{time},1.000000,,,,,GET,http://test.k6.io,HTTP/1.1,default,200,,,http://h.io:80/a?b=1,
http_req_duration,{time},221.899000,,,,,GET,http://test.k6.io,HTTP/1.1,default,200,,,http://h.io:80/a?b=1,
"""
MOMENTS = [
    ("1595325560", datetime(2020, 7, 21, 9, 59, 20, tzinfo=UTC), 1.0),
    ("1595325560123", datetime(2020, 7, 21, 9, 59, 20, 123000, tzinfo=UTC), 1e-3),
    ("1595325560123456", datetime(2020, 7, 21, 9, 59, 20, 123456, tzinfo=UTC), 1e-6),
    ("1595325560123456789", datetime(2020, 7, 21, 9, 59, 20, 123456, tzinfo=UTC), 1e-6),
    ("2020-07-21T12:59:20+03:00", datetime(2020, 7, 21, 9, 59, 20, tzinfo=UTC), 1e-6),
    ("2020-07-21T09:59:20.123456789Z", datetime(2020, 7, 21, 9, 59, 20, 123456, tzinfo=UTC), 1e-6),
]


@pytest.mark.parametrize(("time", "moment", "step"), MOMENTS)
def test_time_formats_are_read(time: str, moment: datetime, step: float) -> None:
    (reading,), (trends,), problems = read(OLD.format(time=time))
    assert problems == []
    assert reading.started_at == moment
    assert reading.rows[-1][1:4:2] == ("duration", 0.0)
    assert reading.rows[-1][7] == step
    assert trends[None, "latency"].tolist() == [0.221899]
    assert reading.target == "/a"


@pytest.mark.parametrize("time", [time for time, *_ in MOMENTS])
def test_rows_are_read_in_columns_for_every_time_format(time: str) -> None:
    header, *rows = OLD.format(time=time).splitlines(keepends=True)
    assert columns.read_csv("".join(rows).encode(), header.strip().split(",")).left == []


def test_repeated_headers_are_several_runs() -> None:
    readings, trends, _ = read(OLD.format(time=1595325560) + OLD.format(time=1595325600))
    assert [reading.line for reading in readings] == [1, 4]
    assert [reading.last_line for reading in readings] == [3, 6]
    assert [len(run[None, "latency"]) for run in trends] == [1, 1]


def test_repeated_declarations_are_several_runs() -> None:
    text = gzip.decompress((SMALL / "k6-raw-small.json.gz").read_bytes())
    readings, _, _ = read(text + text)
    assert [reading.line for reading in readings] == [1, 1435]
    assert values(readings[0]) == values(readings[1])


def test_keys_in_the_old_order_are_read() -> None:
    text = (
        '{"type":"Metric","data":{"name":"http_reqs","type":"counter"},"metric":"http_reqs"}\n'
        '{"type":"Point","data":{"time":"2017-05-09T14:34:45.239531499+02:00","value":1e-7,'
        '"tags":{"url":"http://h/x"}},"metric":"http_req_duration"}\n'
    )
    assert FORMAT.recognises(Head("x", text.encode(), text))
    (reading,), (trends,), _ = read(text)
    assert trends[None, "latency"].tolist() == [1e-10]
    assert reading.started_at == datetime(2017, 5, 9, 12, 34, 45, 239531, tzinfo=UTC)


def test_quoted_fields_are_read() -> None:
    header = "metric_name,timestamp,metric_value,check,url\n"
    rows = (
        'checks,1595325560,1.000000,"says ""hi"",\nand more",\n'
        'http_reqs,1595325560,1.000000,,"http://h/a,b"\n'
    )
    (reading,), _, problems = read(header + rows)
    assert problems == []
    assert values(reading)[None, "checks", "count"] == 1
    assert reading.target == "/a,b"


def test_stray_quote_loses_only_one_line() -> None:
    text = OLD.format(time=1595325560)
    stray = text + 'checks,1595325560,1.0,"oops,,,,,,,,,,,,\n' + text.split("\n", 1)[1]
    (reading,), (trends,), _ = read(stray)
    assert len(trends[None, "latency"]) == 2
    assert values(reading)[None, "requests", "count"] == 2


def test_blank_lines_after_a_stray_quote_count_as_lines() -> None:
    header, *rows = OLD.format(time=1595325560).splitlines(keepends=True)
    text = header + 'checks,1595325560,1.0,"oops,,,,,,,,,,,,\n\n\n' + "".join(rows)
    actual = [r for r in FORMAT.parse(Source(None, "x", text.encode())) if isinstance(r, Samples)]
    lines = text.splitlines()
    for block in actual:
        for value, line in zip(block.values.tolist(), block.lines.tolist(), strict=True):
            assert f"{value * 1000:.6f}" in lines[line - 1]


def test_file_that_ends_within_a_quoted_field_is_truncated() -> None:
    text = OLD.format(time=1595325560) + 'checks,1595325560,1.000000,"says,\nand,,,,,,,,,,,,,more\n'
    (reading,), _, (problem,) = read(text)
    assert (problem.line, problem.severity) == (5, "warning")
    assert "truncated after its value" in problem.what
    assert (reading.status, reading.rows) == ("partial", [])
    (reading,), (trends,), problems = read(text + text.split("\n", 1)[1].partition("checks")[0])
    assert problems == []
    assert values(reading)[None, "requests", "count"] == 2
    assert len(trends[None, "latency"]) == 2


def test_lines_that_are_not_points_are_counted_and_drop_the_totals() -> None:
    text = OLD.format(time=1595325560)
    noise = (
        text
        + "http_reqs,yesterday,1.0,,,,,,,,,,,,,\nhttp_req_duration,1595325560,NaN,,,,,,,,,,,,,\n"
    )
    (reading,), (trends,), (problem,) = read(noise + text.split("\n", 1)[1])
    assert "2 lines" in problem.what
    assert problem.line == 4
    assert (reading.status, reading.rows, reading.duration) == ("partial", [], None)
    assert reading.started_at == datetime(2020, 7, 21, 9, 59, 20, tzinfo=UTC)
    assert len(trends[None, "latency"]) == 2


@pytest.mark.parametrize("path", RAW, ids=lambda path: path.name)
def test_truncated_archive_yields_its_samples_and_no_totals(path: Path) -> None:
    text = gzip.decompress(path.read_bytes())
    packed = gzip.compress(text, mtime=0)
    (_,), (full,), _ = read(text)
    actual: list[Record] = []
    with pytest.raises(UnreadableError):
        actual.extend(FORMAT.parse(Source(None, "k6", packed[: len(packed) * 3 // 4])))
    (reading,) = (record for record in actual if isinstance(record, Reading))
    assert (reading.status, reading.rows) == ("partial", [])
    for record in actual:
        if isinstance(record, Samples):
            expected = full[record.subject, record.metric][: len(record.values)]
            assert np.array_equal(record.values, expected)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(RAW), st.data())
def test_samples_before_a_truncation_are_right(path: Path, data: st.DataObject) -> None:
    text = gzip.decompress(path.read_bytes())
    (_,), (full,), _ = read(text)
    readings, runs, problems = read(text[: data.draw(st.integers(0, len(text)))])
    assert all(problems or reading.status == "complete" for reading in readings)
    assert all(not reading.rows or reading.status == "complete" for reading in readings)
    for trends in runs:
        for key, points in trends.items():
            assert np.array_equal(points, full[key][: len(points)])


@given(st.text(max_size=200))
def test_arbitrary_text_never_raises(text: str) -> None:
    read("metric_name,timestamp,metric_value,url\n" + text)
    read('{"metric":"http_reqs","type":"Point","data":{"time":"x","value":1}}\n' + text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=3))
def test_arbitrary_value_never_raises(value: object) -> None:
    import json

    data = {"time": value, "value": value, "tags": value}
    line = json.dumps({"metric": "http_reqs", "type": "Point", "data": data})
    declared = json.dumps({"metric": "http_reqs", "type": "Metric", "data": {"type": value}})
    readings, _, problems = read(f"{declared}\n{line}\n{line}\n")
    assert readings or problems


def test_header_alone_is_an_error() -> None:
    readings, _, (problem,) = read(OLD.split("\n", 1)[0] + "\n")
    assert readings == []
    assert "without any data point" in problem.what


def test_run_of_refused_requests_is_failed() -> None:
    header = "metric_name,timestamp,metric_value,url\n"
    names = {"http_reqs": 1, "http_req_duration": 0, "http_req_failed": 1, "data_received": 0}
    lines = [f"{name},1595325560,{value}.000000,http://h/\n" for name, value in names.items()]
    (reading,), _, _ = read(header + "".join(lines))
    assert reading.status == "failed"


@pytest.mark.parametrize("path", RAW, ids=lambda path: path.name)
def test_every_fixture_is_recognised_by_one_format(path: Path) -> None:
    head = Source.load(path).head()
    assert [form.recognises(head) for form in (TEXT, SUMMARY, FORMAT)] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "text", ["", "{}", '{"type":"Point"}\n', "metric,timestamp,value\n", '{"Action":"run"}\n']
)
def test_other_files_are_not_recognised(text: str) -> None:
    assert not FORMAT.recognises(Head("x", text.encode(), text))


def test_quantile_rule_is_linear() -> None:
    assert FORMAT.quantile_rule == "linear"
    assert aggregate("p75", np.array([1.0, 2.0, 4.0])) == 3.0


def test_point_without_a_time_is_left_out() -> None:
    point = '{"metric":"http_req_duration","type":"Point","data":{"time":"%s","value":1.5}}\n'
    readings, trends, problems = read(point % "" + point % "2026-11-21T00:32:04Z")
    assert [len(values) for values in trends[0].values()] == [1]
    assert readings[0].started_at == datetime(2026, 11, 21, 0, 32, 4, tzinfo=UTC)
    assert [problem.line for problem in problems] == [1]

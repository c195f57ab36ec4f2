"""Vegeta's histogram and plot data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.base import Diagnostic, Reading, Source
from benchkit.parsers.vegeta import REPORT as FORMAT

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCENARIO = FIXTURES / "skywalking-vegeta"
OLD = FIXTURES / "vegeta-edge" / "old"


def parse(data: bytes) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(FORMAT.parse(Source(None, "table.txt", data)))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def rows(reading: Reading) -> list[tuple[str, str, float, str, int]]:
    return [(row[1], row[2], row[3], row[8], row[9]) for row in reading.rows]


@pytest.mark.parametrize(
    ("path", "count", "line"),
    [
        (SCENARIO / "agent" / "vegeta-hist-1.txt", 9000, 9),
        (SCENARIO / "edge" / "vegeta-hist-partial.txt", 8800, 6),
        (SCENARIO / "edge" / "vegeta-hist-refused.txt", 200, 3),
        (OLD / "v5.9.0-hist.txt", 40, 5),
    ],
)
def test_sum_of_a_histogram_is_the_number_of_requests(path: Path, count: int, line: int) -> None:
    (reading,), problems = parse(path.read_bytes())
    assert (reading.form, reading.line, reading.last_line) == ("hist", 1, line)
    assert (reading.status, problems) == ("complete", [])
    assert rows(reading) == [("requests", "count", count, "computed", line)]


def test_plot_has_the_percentiles_of_its_rows() -> None:
    (reading,), problems = parse((SCENARIO / "no-agent" / "vegeta-hdrplot-1.txt").read_bytes())
    assert (reading.form, reading.status, problems) == ("hdrplot", "complete", [])
    lines = (SCENARIO / "no-agent" / "vegeta-hdrplot-1.txt").read_text().splitlines()
    actual = {stat: value for metric, stat, value, _, _ in rows(reading) if metric == "latency"}
    assert actual.keys() == {"p50", "p75", "p80", "p90", "p95"}
    assert (actual["p50"], actual["p90"], actual["p95"]) == (0.001877548, 0.005967472, 0.008117921)
    assert rows(reading)[-1] == ("requests", "count", 9000, "reported", len(lines))
    for _, _, value, _, line in rows(reading)[:-1]:
        assert lines[line - 1].startswith(f"{value * 1e3:.6f}")
    assert {row[7] for row in reading.rows} == {1e-9, None}


def test_plot_agrees_with_the_report_of_the_same_results() -> None:
    (plot,), _ = parse((OLD / "v12.6.0-hdrplot.txt").read_bytes())
    (report,), _ = parse((OLD / "v12.6.0-report.json").read_bytes())
    exact = {(row[1], row[2]): row[3] for row in report.rows if row[0] is None}
    common = [row for row in plot.rows if (row[1], row[2]) in exact]
    assert [row[3] for row in common] == [exact[row[1], row[2]] for row in common]
    assert {row[2] for row in common} == {"p50", "p95", "count"}


@given(st.data())
def test_truncated_table_is_reported_and_yields_no_wrong_number(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["vegeta-hist-1.txt", "vegeta-hdrplot-1.txt"]))
    whole = (SCENARIO / "agent" / name).read_bytes()
    size = data.draw(st.integers(0, len(whole) - 1))
    (complete,), _ = parse(whole)
    readings, problems = parse(whole[:size])
    actual = [row for reading in readings for row in reading.rows]
    assert set(actual) <= set(complete.rows)
    is_whole = any(row[1] == "requests" for row in actual)
    is_seen = FORMAT.recognises(Source(None, "x", whole[:size]).head())
    assert (
        is_whole
        or not is_seen
        or ["is truncated" in problem.what for problem in problems] == [True]
    )


def test_tables_among_other_text_are_read() -> None:
    hist = (SCENARIO / "agent" / "vegeta-hist-1.txt").read_text()
    plot = (SCENARIO / "agent" / "vegeta-hdrplot-1.txt").read_text()
    text = "".join(f"# {line}\r\n" for line in f"{hist}then\n{plot}{hist}".splitlines())
    readings, problems = parse(text.encode())
    assert [reading.form for reading in readings] == ["hist", "hdrplot", "hist"]
    assert not problems


@pytest.mark.parametrize("digits", [19, 300])
def test_invalid_count_is_refused_with_its_line(digits: int) -> None:
    text = (SCENARIO / "agent" / "vegeta-hist-1.txt").read_text()
    readings, (problem,) = parse(text.replace("4078", "9" * digits).encode())
    assert not readings
    assert problem.line == 3
    assert f"which begins with '{'9' * 18}', has {digits} digits" in problem.what
    assert "truncated" not in problem.what


@pytest.mark.parametrize(("old", "new"), [("1.877548", "9.877548"), (" 9000 ", " 900 ")])
def test_plot_with_decreasing_numbers_is_left_out(old: str, new: str) -> None:
    text = (SCENARIO / "no-agent" / "vegeta-hdrplot-1.txt").read_text()
    readings, (problem,) = parse(text.replace(old, new).encode())
    assert not readings
    assert "is below that in the row above" in problem.what


ATTACK = "$ echo 'GET http://h/a' | vegeta attack -rate=9/s -duration=1s | vegeta report\n"
REPORT = """\
Requests      [total, rate, throughput]         9, 9.00, 9.00
Duration      [total, attack, wait]             1s, 1s, 1ms
Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 3ms, 3ms, 3ms, 4ms
Bytes In      [total, mean]                     9, 1.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:9
Error Set:
"""
TABLE = """\
Bucket         #  %        Histogram
[0s,     1ms]  2  22.22%   ################
[1ms,   +Inf]  7  77.78%   ##########################################################
"""
SAVED = "$ vegeta report -type='hist[0,1ms]' results.bin\n"


def roles(text: str) -> tuple[list[tuple[str, str]], list[Diagnostic]]:
    readings, problems = parse(text.encode())
    return [(reading.form, reading.role) for reading in readings], problems


@pytest.mark.parametrize(
    "between", ["", "\n\n", "```\n\n```\n", SAVED, f"As a histogram:\n{SAVED}"]
)
def test_table_below_a_report_is_not_a_repeat(between: str) -> None:
    pair = ATTACK + REPORT + between + TABLE
    assert roles(pair) == ([("text", ""), ("hist", "part")], [])
    assert roles(pair + pair) == ([("text", ""), ("hist", "part")] * 2, [])


@pytest.mark.parametrize(
    "between", ["", "\n\n", "and the report:\n", SAVED.replace("hist", "text")]
)
def test_table_above_its_report_is_not_a_repeat(between: str) -> None:
    pair = TABLE + between + REPORT
    actual, problems = roles(pair)
    assert (actual, problems) == ([("hist", "part"), ("text", "")], [])
    more = ATTACK + pair.replace("]  7", "]  8").replace("9, 9.00, 9", "10, 9.00, 9")
    assert roles(f"{pair}\n{more}")[0] == [("hist", "part"), ("text", "")] * 2
    readings, _ = parse(f"{ATTACK}{pair}".encode())
    assert [reading.target for reading in readings] == ["/a", "/a"]


def test_table_between_reports_belongs_to_the_one_with_its_count() -> None:
    second = REPORT.replace("9, 9.00, 9", "3, 9.00, 9")
    actual, problems = roles(f"{REPORT}\n{TABLE.replace(']  7', ']  1')}\n{second}")
    assert (actual, problems) == ([("text", ""), ("hist", "part"), ("text", "")], [])


def test_table_above_a_report_with_another_count_is_reported() -> None:
    actual, (problem,) = roles(TABLE.replace("]  7", "]  1") + REPORT)
    assert actual == [("hist", "part"), ("text", "")]
    assert (problem.line, problem.is_remark) == (1, True)
    assert "counts 3 requests, and the report below it, in line 4, 9" in problem.what


def test_two_tables_of_one_attack_are_one_run() -> None:
    hist = (SCENARIO / "agent" / "vegeta-hist-1.txt").read_text()
    plot = (SCENARIO / "agent" / "vegeta-hdrplot-1.txt").read_text()
    for text in (hist + plot, plot + hist):
        assert sorted(roles(text)[0]) == [("hdrplot", ""), ("hist", "part")]


def test_text_and_json_of_one_attack_are_one_run() -> None:
    text, data = (
        (SCENARIO / "agent" / name).read_text()
        for name in ("vegeta-text-1.txt", "vegeta-report-1.json")
    )
    other = (SCENARIO / "no-agent" / "vegeta-report-1.json").read_text()
    assert roles(f"{text}\n{data}\n")[0] == [("text", "part"), ("json", "")]
    assert roles(f"{data}\n{text}\n")[0] == [("json", ""), ("text", "part")]
    assert roles(f"{text}\n{other}\n")[0] == [("text", ""), ("json", "")]


def test_table_below_a_report_with_another_count_is_reported() -> None:
    actual, (problem,) = roles(ATTACK + REPORT + "\n" + TABLE.replace("]  7", "]  1"))
    assert actual[1] == ("hist", "part")
    assert (problem.line, problem.is_remark) == (11, True)
    assert "counts 3 requests, and the report above it, in line 2, 9" in problem.what


@pytest.mark.parametrize("between", [ATTACK, "## Histogram of caddy\n"])
def test_table_with_a_separate_attack_or_heading_is_a_run(between: str) -> None:
    actual, problems = roles(ATTACK + REPORT + between + TABLE)
    assert (actual[0][1], problems) == (actual[1][1], [])

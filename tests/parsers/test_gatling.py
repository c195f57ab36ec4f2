"""Gatling: a request's time is its end minus its start; a binary log is refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Record, Samples, Source
from benchkit.parsers.gatling import JSON, LOG

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RUN = "RUN\ta.Basic\tbasic\t1539600000000\t \t3.9.5\n"


def read(text: str | bytes, form: Format = LOG) -> list[Record]:
    data = text.encode() if isinstance(text, str) else text
    assert form.recognises(Source(None, "x", data).head())
    return list(form.parse(Source(None, "x", data)))


@pytest.mark.parametrize(
    "line",
    [
        "REQUEST\t\tSearch\t1539600000100\t1539600000350\tOK\t \n",
        "REQUEST\tgroup\tSearch\t1539600000100\t1539600000350\tOK\t\n",
        "REQUEST\t1\t\tSearch\t1539600000100\t1539600000350\tOK\t \n",
        "Scenario\t1\tREQUEST\t\tSearch\t1539600000100\t1539600000350\tOK\t \n",
        "REQUEST\t\tSearch\t1539600000100" + 2 * "\t1539600000200" + "\t1539600000350\tOK\t \n",
    ],
)
def test_times_of_every_version_are_read(line: str) -> None:
    run, samples = read(RUN + line)
    assert isinstance(run, Reading)
    assert isinstance(samples, Samples)
    assert (samples.values.tolist(), samples.lines.tolist()) == ([0.25], [2])
    assert (run.tool_version, run.duration) == ("3.9.5", 0.25)


def test_assertions_may_precede_the_run() -> None:
    line = "REQUEST\t\tSearch\t1539600000100\t1539600000350\tOK\t \n"
    run, samples = read("ASSERTION\tAAEDAAECAQ==\nASSERTION\tAAECAAIF\n" + RUN + line)
    assert isinstance(run, Reading)
    assert isinstance(samples, Samples)
    assert (samples.values.tolist(), samples.lines.tolist()) == ([0.25], [4])
    assert run.tool_version == "3.9.5"


def test_failed_requests_count_as_failures() -> None:
    ok = "REQUEST\t\ta\t1539600000100\t1539600000200\tOK\t \n"
    run, *_ = read(RUN + ok + ok.replace("OK\t ", "KO\tno"))
    assert isinstance(run, Reading)
    actual = {row[:3]: row[3] for row in run.rows}
    assert actual[None, "failures", "count"] == 1.0
    assert actual[None, "error_rate", "mean"] == 0.5
    assert actual[None, "request_rate", "mean"] == 20.0


def test_run_is_failed_if_all_requests_failed() -> None:
    run, _, remark = read(RUN + "REQUEST\t\ta\t1539600000100\t1539600000200\tKO\tno\n" * 3)
    report, other = read(
        '{"numberOfRequests": {"total": 3, "ok": 0, "ko": 3}, '
        '"meanResponseTime": {"total": 1}, "percentiles1": {"total": 2}}',
        JSON,
    )
    assert isinstance(run, Reading)
    assert isinstance(report, Reading)
    assert (run.status, report.status) == ("failed", "failed")
    assert isinstance(remark, Diagnostic)
    assert isinstance(other, Diagnostic)
    assert {remark.what, other.what} == {"all 3 requests failed, so this run has no result"}


@pytest.mark.parametrize(
    "line",
    [
        "REQUEST\t\ta\t1539600000100\t1539600000050\tOK\t \n",
        "REQUEST\t\ta\t1539600000100\tx\tOK\t \n",
        "REQUEST\t\ta\t1539600000100\t1539600000200\tOK\t",
    ],
)
def test_bad_line_is_skipped_with_a_diagnostic(line: str) -> None:
    records = read(RUN + "REQUEST\t\ta\t1539600000100\t1539600000200\tOK\t \n" + line)
    (problem,) = (each for each in records if isinstance(each, Diagnostic))
    assert (problem.line, problem.what[:17]) == (3, "this row (1 of 1)")
    (run,) = (each for each in records if isinstance(each, Reading))
    assert run.status == "partial"


@pytest.mark.parametrize("end", [None, -2, -20])
def test_a_second_log_in_a_file_is_a_second_run(end: int | None) -> None:
    """Both were one run, whose rate covered the time between them, or twice the requests."""
    line = "REQUEST\t\ta\t1539600000100\t1539600000300\tOK\t \n"
    first, second = RUN + line * 2, RUN.replace("3.9.5", "3.10.5") + line.replace("15396", "15397")
    records = read((first + line)[:end] + second)
    runs = [each for each in records if isinstance(each, Reading)]
    samples = [each for each in records if isinstance(each, Samples)]
    counts = [next(row[3] for row in run.rows if row[1] == "requests") for run in runs]
    assert counts == [3 if end is None else 2, 1]
    assert [each.values.tolist() for each in samples] == [[0.2] * int(counts[0]), [0.2]]
    assert [(run.duration, run.tool_version) for run in runs] == [(0.2, "3.9.5"), (0.2, "3.10.5")]
    assert [run.line for run in runs] == [1, 5 if end is None else 4]
    assert [run.status for run in runs] == ["complete" if end is None else "partial", "complete"]


def test_binary_log_is_recognised_and_refused() -> None:
    (problem,) = read(b"\x00\x00\x00\x00\x063.12.1\x00\x00\x00\x00+computerdatabase.X\x00\xff\xfe")
    assert isinstance(problem, Diagnostic)
    assert "Gatling 3.12 or later is binary" in problem.what


def test_statistics_are_totals() -> None:
    for name in ("synthetic-global_stats.json", "synthetic-stats.json"):
        text = (FIXTURES / "gatling-forms" / name).read_text(encoding="utf-8")
        (run,) = read(text, JSON)
        assert isinstance(run, Reading)
        actual = {row[:3]: row[3] for row in run.rows}
        assert actual[None, "requests", "count"] == 13.0
        assert actual[None, "failures", "count"] == 1.0
        assert actual[None, "latency", "p95"] == 0.084
        assert actual[None, "request_rate", "mean"] == 1.4444444444444444


def test_report_script_agrees_with_its_json() -> None:
    """It was refused, although it may be the only part of a report that is left."""
    text = (FIXTURES / "gatling-report/global_stats.json").read_text(encoding="utf-8")
    (report,) = read(text, JSON)
    stats = re.sub(r'("(?:total|ok|ko)": )([\d.]+)', r'\1"\2"', text.strip()).replace("null", '"-"')
    head = 'var stats = {\n    type: "GROUP",\nname: "All Requests",\nstats: '
    script = head + stats + ',\ncontents: {\n"req_a": {\n  type: "REQUEST",\nstats: ' + stats
    (run,) = read(f"{script}\n}}\n}}\n}}\nfunction fillStats(stat){{\n}}\n", JSON)
    assert isinstance(run, Reading)
    assert isinstance(report, Reading)
    assert [row[:9] for row in run.rows] == [row[:9] for row in report.rows]
    assert run.line == report.line + 3


def test_script_truncated_within_its_statistics_is_an_error() -> None:
    head = 'var stats = {\nstats: {"numberOfRequests": {"total": "5"}, "meanResponseTime": {}, '
    (problem,) = read(head + '"percentiles1": {"total"', JSON)
    assert isinstance(problem, Diagnostic)


def _values(name: str) -> dict[tuple[str, str], float]:
    frame = load(FIXTURES / name).observations
    rows = frame[frame["subject"].isna()]
    names = zip(rows["metric"], rows["stat"], strict=True)
    return dict(zip(names, rows["value"], strict=True))


def test_log_and_report_of_one_run_agree() -> None:
    log, report = map(_values, ("gatling/none-1.log", "gatling-report/global_stats.json"))
    assert report["requests", "count"] == log["requests", "count"] == 80
    for stat in ("min", "max", "mean", "p50", "p75", "p95"):
        assert report["latency", stat] == pytest.approx(log["latency", stat], rel=0.02, abs=1e-3)


def test_two_variants_are_compared() -> None:
    frame = load(FIXTURES / "gatling").compare(baseline="none").frame
    primary = frame[frame["primary"]]
    assert list(zip(primary["metric"], primary["stat"], strict=True)) == [("latency", "p50")]
    assert list(primary["verdict"]) == ["regression"]

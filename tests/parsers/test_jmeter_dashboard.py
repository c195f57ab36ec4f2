"""The statistics of JMeter's dashboard, and dates of a JTL that end with the year."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Samples, Source
from benchkit.parsers.jmeter import DASHBOARD, JTL

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/jmeter-forms"


class Result:
    def __init__(self, data: bytes, form: Format) -> None:
        records = list(form.parse(Source(None, "x", data)))
        self.runs = [each for each in records if isinstance(each, Reading)]
        self.samples = [each for each in records if isinstance(each, Samples)]
        self.problems = [str(each) for each in records if isinstance(each, Diagnostic)]

    def values(self) -> dict[tuple[str | None, str, str], float]:
        return {row[:3]: row[3] for row in self.runs[0].rows}


@pytest.mark.parametrize(
    ("first", "last", "day"),
    [
        ("13/01/24 00:00:00", "13/01/24 00:00:01", "2024-01-13"),
        ("01/13/2024 00:00:00.000", "01/13/2024 00:00:01.000", "2024-01-13"),
        ("12-31-24 23:59:59", "01-01-25 00:00:00", "2024-12-31"),
        ("05.01.24 00:00:00", "05.01.24 00:00:01", "2024-01-05"),
        ("05/05/24 00:00:00", "05/05/24 00:00:01", "2024-05-05"),
    ],
)
def test_number_above_12_identifies_the_day_of_a_date(first: str, last: str, day: str) -> None:
    result = Result(
        f"timeStamp,elapsed,label,success\n{first},1000,a,true\n{last},1000,a,true\n".encode(), JTL
    )
    assert not result.problems
    assert result.values()[None, "request_rate", "mean"] == 1.0
    assert str(result.runs[0].started_at).startswith(day)


@pytest.mark.parametrize("last", ["05/01/24 00:00:01", "13/01/24 00:00:01"])
def test_ambiguous_date_is_not_guessed(last: str) -> None:
    row = "06/01/24 00:00:00,1000,a,true\n"
    text = "timeStamp,elapsed,label,success\n" + row * 9000 + f"{last},1000,a,true\n"
    result = Result(text.encode(), JTL)
    assert "which number is the day and which the month" in result.problems[0]
    assert (None, "request_rate", "mean") not in result.values()
    assert result.runs[0].started_at is None
    assert [len(each.values) for each in result.samples] == [9001]


def test_dashboard_has_labels_and_a_total() -> None:
    result = Result((FIXTURES / "synthetic-statistics.json").read_bytes(), DASHBOARD)
    (note,) = result.problems
    assert "p90, p95 and p99" in note
    assert result.runs[0].status == "complete"
    values = result.values()
    assert {key[1:]: value for key, value in values.items() if key[0] is None} == {
        ("requests", "count"): 240.0,
        ("failures", "count"): 2.0,
        ("error_rate", "mean"): 0.00833333,
        ("latency", "mean"): 0.0185,
        ("latency", "p50"): 0.017,
        ("latency", "min"): 0.004,
        ("latency", "max"): 0.071,
        ("latency", "p90"): 0.029,
        ("latency", "p95"): 0.0339,
        ("latency", "p99"): 0.05,
        ("request_rate", "mean"): 121.951219,
        ("bandwidth_in", "mean"): 21.5 * 1024,
        ("bandwidth_out", "mean"): 14.65 * 1024,
    }
    assert values["order", "requests", "count"] == 120.0


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ('{"a": {"sampleCount": 2, "pct1ResTime": 1.0}}', "partial", "no entry Total"),
        ('{"Total": {"sampleCount": 2, "errorCount": 2}}', "failed", "all 2 requests failed"),
        ('{"Total": {"sampleCount": 2, "meanResTime": -1.0}}', "complete", "meanResTime is -1.0"),
        ('{"Total": {}}', "", "no numbers"),
    ],
)
def test_dashboard_reports_what_is_missing(text: str, status: str, message: str) -> None:
    result = Result(text.encode(), DASHBOARD)
    assert [each.status for each in result.runs] == [status] * bool(status)
    assert any(message in each for each in result.problems)


@pytest.mark.parametrize("place", ["report/statistics.json", "statistics.json"])
def test_dashboard_next_to_its_jtl_adds_no_run(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    copyfile(FIXTURES / "failing.jtl", tmp_path / "result.jtl")
    copyfile(FIXTURES / "synthetic-statistics.json", tmp_path / place)
    assert len(load(tmp_path).runs) == 1

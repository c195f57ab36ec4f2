"""Rates of ab outside a report are reported with their line, next to complete reports in a file."""

from __future__ import annotations

import pytest
from ab_readings import NGINX, readings, remarks

TEXT = (NGINX / "ab-small-c30-1.txt").read_text()
#: Without its percentages, no line marks the end of the report for certain.
OPEN = TEXT[: TEXT.index("Percentage of")]
SHORTENED = """\
## Heavy load (1000 requests, 50 concurrent)

Server Software:        Apache/2.4.62
Document Path:          /
Requests per second:    3252.17 [#/sec]
Time per request:       15.374 [ms]
Failed requests:        0
"""
TABLE = """\

Connection Times (ms):
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       1
Percentage of requests served within a certain time (ms):
  50%     15
"""


@pytest.mark.parametrize(
    ("loose", "rate"),
    [
        (SHORTENED, "3252.17"),
        (SHORTENED + TABLE, "3252.17"),
        ("Requests per second:    948.89\n", "948.89"),
        ("## Heavy load\n\nRequests per second:    948.89 [#/sec]\n", "948.89"),
        ("Requests per second:    948.89 [#/sec]\n", "948.89"),
    ],
    ids=["block", "block and table", "line", "title", "cut line"],
)
@pytest.mark.parametrize("place", ["above", "below", "between"])
@pytest.mark.parametrize("report", [TEXT, OPEN], ids=["whole", "open"])
def test_rate_outside_a_report_is_reported_with_its_line(
    loose: str, rate: str, place: str, report: str
) -> None:
    parts = {
        "above": [loose, report],
        "below": [report, loose],
        "between": [report, loose, report],
    }[place]
    text = "\n".join(parts)
    (remark,) = remarks(text.encode())
    assert rate in text.splitlines()[remark.line - 1]
    assert rate in remark.what
    assert not remark.is_remark
    whole = [run for run in readings(text.encode()) if len(run.rows) > 1]
    (expected,) = readings(report.encode())
    assert [len(run.rows) for run in whole] == [len(expected.rows)] * (len(parts) - 1)


def test_every_loose_rate_is_reported() -> None:
    text = f"{TEXT}\n{SHORTENED}{TABLE}\nRequests per second:    948.89\n\n{SHORTENED}"
    assert [text.splitlines()[r.line - 1].split()[3] for r in remarks(text.encode())] == [
        "3252.17",
        "948.89",
        "3252.17",
    ]


def test_label_without_a_rate_is_not_reported() -> None:
    assert remarks(f"{TEXT}\nRequests per second: the more the better\n".encode()) == []


def test_source_with_only_rates_is_an_error() -> None:
    (remark,) = remarks(SHORTENED.encode())
    assert (remark.severity, remark.line) == ("error", 0)


def test_times_outside_a_report_are_reported() -> None:
    times = TEXT[TEXT.index("Connect:  ") : TEXT.index("Percentage of")]
    (remark,) = remarks(f"{TEXT}\n{times}".encode())
    assert remark.line == TEXT.count("\n") + 2
    assert "this part of an ab report is ignored" in remark.what

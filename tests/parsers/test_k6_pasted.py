"""Pasted k6 texts: runs whose banner is missing, below headings and in fences."""

from __future__ import annotations

import pytest

from benchkit.parsers import registry
from benchkit.parsers.base import Diagnostic, Reading
from benchkit.parsers.k6 import TEXT as FORMAT
from benchkit.reading.source import Source

_STATUS = "running ({0}.0s), 00/50 VUs, {0}0 complete and 0 interrupted iterations"
_METRICS = "http_reqs......................: {0}0   10/s\nvus............................: 50"
_MARKED = "default ✓ [======] 50 VUs  {0}s"
_SCENARIO = "scenarios: (100.00%) 1 scenario, 50 max VUs, 40s max duration"


def read(text: str) -> list[Reading]:
    records = FORMAT.parse(Source(None, "k6.txt", text.encode()))
    return [record for record in records if isinstance(record, Reading)]


def count_requests(reading: Reading) -> float:
    return next(row[3] for row in reading.rows if row[:3] == (None, "requests", "count"))


@pytest.mark.parametrize(
    "parts",
    [
        ("```", _STATUS, _MARKED, "", _METRICS, "```"),
        (_STATUS, _MARKED, "", _METRICS),
        (_SCENARIO, "", _METRICS, "", _STATUS, _MARKED),
    ],
)
def test_run_without_a_banner_starts_at_its_first_line(parts: tuple[str, ...]) -> None:
    pages = ["\n".join([f"# {n}", "", *parts, ""]).format(n) for n in (10, 20, 30)]
    readings = read("\n".join(pages))
    assert [reading.duration for reading in readings] == [10, 20, 30]
    assert [count_requests(reading) for reading in readings] == [100, 200, 300]


@pytest.mark.parametrize(
    "parts",
    [(_STATUS, _MARKED, "", _METRICS), (_STATUS, "", _METRICS), (_METRICS, "", _STATUS, _MARKED)],
)
@pytest.mark.parametrize("heading", ["## {}", "=== {} ==="])
def test_equal_status_lines_below_other_headings_are_separate_runs(
    parts: tuple[str, ...], heading: str
) -> None:
    names = ["nginx", "caddy", "envoy"]
    body = "\n".join(parts).format(10)
    text = "".join(f"{heading.format(name)}\n\n{body}\n\n" for name in names)
    readings = read(text)
    lines = text.split("\n")
    assert [lines[reading.line - 3] for reading in readings] == [heading.format(n) for n in names]
    assert {reading.last_line - reading.line for reading in readings} == {body.count("\n")}


def test_metrics_below_another_heading_are_another_run() -> None:
    first, _ = _METRICS.format(10).split("\n")
    last = first.replace("http_reqs.", "iterations")
    readings = read(f"## nginx\n\n{first}\n\n## caddy\n\n{last}\n")
    assert [reading.line for reading in readings] == [3, 7]


def test_status_line_repeated_after_the_summary_is_the_same_run() -> None:
    parts = (_STATUS, _MARKED, "", _METRICS, "", _STATUS, _MARKED)
    readings = read("\n".join(parts).format(10))
    assert [reading.duration for reading in readings] == [10]


def test_values_before_a_damaged_number_are_kept() -> None:
    text = "http_reqs.........: 100 1}0.5/s\niterations........: 100 10/s\n"
    records = list(FORMAT.parse(Source(None, "k6.txt", text.encode())))
    (reading,) = (record for record in records if isinstance(record, Reading))
    (problem,) = (record for record in records if isinstance(record, Diagnostic))
    assert count_requests(reading) == 100
    assert not [row for row in reading.rows if row[1] == "request_rate"]
    assert (problem.line, problem.severity) == (1, "warning")
    assert "rate is left out" in problem.what


def test_browser_metrics_alone_are_read() -> None:
    (run,) = read("  browser_http_req_duration...: avg=215.4ms min=124.9ms\n")
    assert {row[1] for row in run.rows} == {"browser_http_req_duration"}


_DOCUMENT = """\
{"metrics": {"http_reqs": {"type": "counter", "contains": "default",
  "values": {"count": 100, "rate": 10.25}},
 "http_req_duration": {"type": "trend", "contains": "time", "values": {"avg": 17.5}}}}
"""


def test_document_takes_precedence_over_text_of_the_same_run() -> None:
    source = Source(None, "k6.txt", f"{_DOCUMENT}\n{_METRICS.format(10)}\n".encode())
    (form,) = registry.identify(source)
    assert form.name == "k6_summary"
    records = list(form.parse(source))
    (reading,) = (record for record in records if isinstance(record, Reading))
    assert count_requests(reading) == 100
    assert ("latency", "mean", 0.0175) in {row[1:4] for row in reading.rows}
    (remark,) = (record for record in records if isinstance(record, Diagnostic))
    assert remark.what.startswith("extra text after the end of the document")


def test_wrapped_line_is_read_completely() -> None:
    """Pages wrapped k6's lines at 80 columns, and the maxima and percentiles were lost."""
    times = (
        "http_req_duration..............: avg=8ms min=3ms med=6ms{0}max=5.5s p(90)=1.8s{0}p(95)=2s"
    )
    whole, wrapped = (read(f"{times.format(gap)}\n{_METRICS.format(1)}") for gap in (" ", "\n"))
    assert [row[1:4] for row in wrapped[0].rows] == [row[1:4] for row in whole[0].rows]
    assert ("latency", "p95", 2.0) in [row[1:4] for row in wrapped[0].rows]
    assert wrapped[0].rows[0][-1] == whole[0].rows[0][-1]


_TREND = "avg=2.77ms min=283µs med=2.28ms max=109ms p(90)=5ms p(95)=6.32ms"
_RATE = "checks.........................: 100.00% 10 out of 10\n"
_REQUESTS = "http_reqs......: 70 10/s\niterations.....: 70 10/s\n"


@pytest.mark.parametrize(
    ("above", "line"),
    [
        (_RATE, 2),
        (f"http_req_blocked....: {_TREND}\nhttp_req_duration...: ~2.77ms\n", 3),
        (f"http_req_blocked....: {_TREND}\nINFO[0001] 2.77ms   \n", 3),
        (f"http_req_blocked....: {_TREND}\nhttp_req_duration...: 100.00% 10 out of 10\n", 3),
    ],
)
def test_subset_values_belong_to_the_line_directly_above(above: str, line: int) -> None:
    text = f"{above}  {{ expected_response:true }}...: {_TREND}\n{_REQUESTS}"
    records = list(FORMAT.parse(Source(None, "k6.txt", text.encode())))
    (reading,) = (record for record in records if isinstance(record, Reading))
    assert {row[0] for row in reading.rows} <= {None, "blocked"}
    (problem,) = (x for x in records if isinstance(x, Diagnostic) and x.line == line)
    assert "directly above the values of '{ expected_response:true }'" in problem.what


def test_ellipsis_characters_are_read_as_dots() -> None:
    trends = f"http_req_duration..............: {_TREND}\n  {{ name:a }}...: {_TREND}\n"
    text = f"{_RATE}{trends}{_REQUESTS}"
    joined = text.replace("...", "…")
    assert FORMAT.recognises(Source(None, "k6.txt", joined.encode()).head())
    assert [r.rows for r in read(joined)] == [r.rows for r in read(text)]
    assert [reading.rows[1][3] for reading in read(joined)] == [10]


def test_percentages_without_counts_are_read() -> None:
    """Pages often show only the percentage; without any request there is none."""
    lines = "http_req_failed...: {}\nplaced............: 99.20%\nhttp_reqs.........: 500   10/s"
    for printed, share in (("0.20%", 0.002), ("0.00%", 0.0), ("0.20% 1 / 500", 0.002)):
        (reading,) = read(lines.format(printed))
        values = {row[1]: row[3] for row in reading.rows}
        assert values["error_rate"] == pytest.approx(share)
        assert values["placed"] == 0.992
        counts = {row[1]: row[5] for row in reading.rows}
        assert counts["error_rate"] is counts["placed"] is None
    (reading,) = read(lines.format("0.00%  0 out of 0"))
    assert "error_rate" not in {row[1] for row in reading.rows}

"""oha's text: its units, and a rate of answered requests only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import benchkit as bk
from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.oha import TEXT

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/oha"
MS = (FIXTURES / "text-ms.txt").read_text(encoding="utf-8")


def read(text: str) -> tuple[list[Reading], list[str]]:
    records = list(TEXT.parse(Source(None, "x.txt", text.encode())))
    readings = [each for each in records if isinstance(each, Reading)]
    return readings, [each.what for each in records if isinstance(each, Diagnostic)]


def values(reading: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in reading.rows}


def test_every_value_of_a_report_is_read() -> None:
    (run,), problems = read(MS)
    assert not problems
    assert values(run) == {
        (None, "duration", "total"): 60.0038388,
        (None, "latency", "max"): 0.0737278,
        (None, "latency", "min"): 0.0000753,
        (None, "latency", "mean"): 0.0091649,
        (None, "request_rate", "mean"): 3_272_093 / 60.0038388,
        (None, "bytes_in", "total"): 2.70 * 2**30,
        (None, "bytes_in", "mean"): 885.0,
        (None, "bandwidth_in", "mean"): 48255467.52,
        (None, "latency", "p10"): 0.0034208,
        (None, "latency", "p25"): 0.0054255,
        (None, "latency", "p50"): 0.0081712,
        (None, "latency", "p75"): 0.0117421,
        (None, "latency", "p90"): 0.0161065,
        (None, "latency", "p95"): 0.0194296,
        (None, "latency", "p99"): 0.0273239,
        (None, "latency", "p99.9"): 0.0383188,
        (None, "latency", "p99.99"): 0.0496870,
        ("connect", "phase_time", "mean"): 0.0110390,
        ("connect", "phase_time", "min"): 0.0003218,
        ("connect", "phase_time", "max"): 0.0210907,
        ("dns", "phase_time", "mean"): 0.0000011,
        ("dns", "phase_time", "min"): 0.0000004,
        ("dns", "phase_time", "max"): 0.0000319,
        ("200", "responses", "count"): 3_272_093.0,
        (None, "requests", "count"): 3_272_093.0,
    }
    assert (run.status, run.target, run.params) == ("complete", "/", {"connections": "500"})
    assert (run.load_model, run.env["host"]) == ("closed", "192.168.178.53:8000")


def test_rate_is_kept_and_5xx_counts_as_failure() -> None:
    (run,), _ = read((FIXTURES / "text-sec.txt").read_text(encoding="utf-8"))
    actual = values(run)
    assert actual[None, "request_rate", "mean"] == 9.3638
    assert actual["non2xx", "failures", "count"] == 16.0
    assert actual[None, "requests", "count"] == 30.0


def test_units_and_reasons_are_read_but_not_the_2xx_breakdown() -> None:
    text = MS.replace("8.1712 ms", "0.8171 10 sec").replace("-c 500", "-c 500 -q 100")
    text = text.replace("[438] aborted due to deadline", "[2] connection error")
    part = "Response time distribution (2xx only):\n  50.00% in 9.0000 ms\n\nDetails"
    (run,), _ = read(text.replace("Details", part, 1))
    actual = values(run)
    assert actual[None, "latency", "p50"] == 8.171
    assert actual["connection error", "failures", "count"] == 2.0
    assert run.load_model == "open"


@pytest.mark.parametrize(
    ("end", "status", "missing"),
    [
        ("Status code", "partial", "`Status code distribution`"),
        ("Response time distribution", "partial", "`Response time distribution`"),
    ],
)
def test_report_without_its_end_is_partial(end: str, status: str, missing: str) -> None:
    (run,), (problem,) = read(MS[: MS.index(end)])
    assert (run.status, missing in problem) == (status, True)
    assert not {"requests", "request_rate"} & {row[1] for row in run.rows}


def test_incomplete_status_codes_make_the_run_partial() -> None:
    (run,), (problem,) = read(MS.replace("[200] 3272093", "[200] 3272000"))
    assert (run.status, "in full" in problem) == ("partial", True)


def test_run_without_a_response_is_failed() -> None:
    lines = MS.split("Response time histogram")[0].split("\n")
    for name in ("Slowest", "Fastest", "Average"):
        lines = [f"  {name}: NaN ms" if name in line else line for line in lines]
    text = "\n".join(lines) + (
        "Response time histogram:\n\nResponse time distribution:\n\n"
        "Details (average, fastest, slowest):\n  DNS+dialup: NaN ms, NaN ms, NaN ms\n\n"
        "Status code distribution:\n\nError distribution:\n  [20] connection refused\n"
    )
    (run,), (problem,) = read(text)
    assert run.status == "failed"
    assert problem == "no request was answered (20 failed), so this run has no result"
    assert {row[1] for row in run.rows} == {"duration", "failures"}


def test_wording_of_an_early_version_is_read() -> None:
    early = MS.replace("Response time distribution", "Latency distribution")
    early = re.sub(r"  99\.9\d% in .*\n", "", early).replace(".00% in", "% in")
    (expected,), _ = read(re.sub(r"  99\.9\d% in .*\n", "", MS))
    (run,), problems = read(early)
    assert not problems
    assert (run.status, values(run)) == ("complete", values(expected))


@pytest.mark.parametrize("name", ["text-ms.txt", "text-sec.txt", "text-secs.txt"])
def test_oha_report_is_not_recognised_as_hey(name: str) -> None:
    assert registry.identify(Source.load(FIXTURES / name)) == (TEXT,)


def test_report_without_its_first_line_is_read_completely() -> None:
    text = MS.partition("Summary:\n")[2]
    (run,), problems = read(text)
    assert not problems
    assert values(run) == values(read(MS)[0][0])
    assert TEXT.recognises(Source(None, "x.txt", text.encode()).head())


def test_hey_report_next_to_an_oha_report_is_read_once(tmp_path: Path) -> None:
    hey = (FIXTURES.parent / "nginx-ab/nginx/hey-c50-1.txt").read_text(encoding="utf-8")
    (tmp_path / "a.md").write_text(f"{MS}\n{hey}", encoding="utf-8")
    runs = bk.load(tmp_path / "a.md").runs
    assert sorted(zip(runs["tool"], runs["role"], strict=True)) == [
        ("hey", "measured"),
        ("oha", "measured"),
    ]


@pytest.mark.parametrize("first", ["Requests/sec:", "Total data:", "Details (average"])
def test_partial_report_next_to_a_complete_one_is_reported(first: str) -> None:
    part = first + MS.partition(first)[2]
    for text in (f"{MS}\n{part}", f"{part}\n# B\n\n{MS}"):
        runs, problems = read(text)
        assert [values(run) for run in runs] == [values(read(MS)[0][0])]
        assert problems == [
            "this part of an oha report is ignored, because the report is not complete"
        ]

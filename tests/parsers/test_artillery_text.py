"""Artillery's summary on the terminal: the values of a run, and missing lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.artillery import TEXT
from benchkit.parsers.base import Reading, Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/artillery-forms"
COUNTS = {
    (None, "requests", "count"): 118.0,
    ("200", "responses", "count"): 115.0,
    ("404", "responses", "count"): 3.0,
    ("timeout", "failures", "count"): 2.0,
}


def read(text: str) -> tuple[list[Reading], list[str]]:
    records = list(TEXT.parse(Source(None, "x", text.encode())))
    runs = [each for each in records if isinstance(each, Reading)]
    return runs, [str(each) for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_the_summary_of_version_2_is_a_run() -> None:
    ((run,), problems) = read((FIXTURES / "synthetic-text-version2.txt").read_text())
    assert not problems
    assert (run.status, run.load_model, run.line) == ("complete", "open", 15)
    assert values(run) == COUNTS | {
        (None, "bytes_in", "total"): 1298.0,
        (None, "latency", "min"): 0.001,
        (None, "latency", "max"): 0.412,
        (None, "latency", "mean"): 0.0382,
        (None, "latency", "p50"): 0.0121,
        (None, "latency", "p95"): 0.1624,
        (None, "latency", "p99"): 0.3543,
    }


def test_the_summary_of_version_1_is_a_run() -> None:
    ((run,), problems) = read((FIXTURES / "synthetic-text-version1.txt").read_text())
    assert run.status == "complete"
    assert "the rate of 11.83/s is left out" not in " ".join(problems)
    assert values(run) == COUNTS | {
        (None, "request_rate", "mean"): 11.83,
        (None, "latency", "min"): 0.0009,
        (None, "latency", "max"): 0.0412,
        (None, "latency", "p50"): 0.002,
        (None, "latency", "p95"): 0.006,
        (None, "latency", "p99"): 0.0121,
    }


def test_summaries_of_two_variants_are_compared(tmp_path: Path) -> None:
    lines = (FIXTURES / "synthetic-text-version2.txt").read_text().splitlines(keepends=True)
    text = "".join(line for line in lines if "ETIMEDOUT" not in line and "404" not in line)
    for name, median in (("none", 12), ("otlp", 19)):
        for run in range(6):
            changed = text.replace("12.1", f"{median + run / 10:.1f}")
            (tmp_path / f"{name}-{run}.txt").write_text(changed, encoding="utf-8")
    (verdict,) = load(tmp_path).compare(baseline="none").verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("latency", "regression")


def test_each_summary_on_a_page_is_a_run() -> None:
    summary = (FIXTURES / "synthetic-text-version1.txt").read_text()
    runs, problems = read(f"# Before\n```\n{summary}```\nCodes: 9\n# After\n```\n{summary}```\n")
    assert [len(run.rows) for run in runs] == [10, 10]
    assert not problems


@pytest.mark.parametrize(
    ("row", "status", "message"),
    [
        ("vusers.created: .... 9", "complete", ""),
        ("vusers.completed: .. 9", "partial", "`vusers.created` line"),
        ("http.codes.500: .... x\nvusers.created: .... 9", "partial", "http.codes.500: x"),
    ],
)
def test_summary_is_complete_or_names_what_is_missing(row: str, status: str, message: str) -> None:
    head = "Summary report @ 10:12:43(+0100)\n-----------\n\nhttp.responses: .... 9\n"
    ((run,), problems) = read(f"{head}{row}\n")
    assert run.status == status
    assert [message in each for each in problems] == [True] * bool(message)


def test_summary_without_a_response_is_a_failed_run() -> None:
    head = "Summary report @ 10:12:43(+0100)\n-----------\n\nerrors.ECONNREFUSED: .. 9\n"
    ((run,), problems) = read(f"{head}vusers.created: .... 9\n")
    assert run.status == "failed"
    assert "no request was answered (9 failed)" in problems[0]


def test_summary_of_another_protocol_is_refused() -> None:
    head = "Summary report @ 10:12:43(+0100)\n-----------\n\n"
    runs, (problem,) = read(f"{head}socketio.emit: ... 9\nvusers.created: .... 9\n")
    assert not runs
    assert "no requests over HTTP" in problem

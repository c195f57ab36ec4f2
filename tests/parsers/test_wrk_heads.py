"""wrk reports without their first lines, below their command."""

from __future__ import annotations

from pathlib import Path

import pytest
from wrk_readings import only, remarks, values

import benchkit as bk

FIXTURES = Path(__file__).parents[2] / "fixtures"
HEADLESS = """\
{command}
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.96ms  847.93us  17.29ms   95.32%
    Req/Sec     5.13k   521.60     6.28k    77.67%
  103100 requests in 10.00s, 38.50MB read
Requests/sec:  10310.00
Transfer/sec:      3.85MB
"""
COMMAND = "wrk -t2 -c10 -d10s http://10.0.0.2:8080/a"


@pytest.mark.parametrize("above", [COMMAND, f"$ {COMMAND}", f"`{COMMAND}`\n\n```text"])
def test_command_replaces_missing_first_lines(above: str) -> None:
    data = HEADLESS.format(command=above).encode()
    reading = only(data)
    assert (reading.status, reading.target) == ("complete", "/a")
    assert reading.params == {"connections": "10", "threads": "2"}
    assert remarks(data) == []


@pytest.mark.parametrize("above", ["", "wrk -t2 http://10.0.0.2:8080/a", "wrk -t2 -c10 -d10s $URL"])
def test_incomplete_command_does_not_replace_the_first_lines(above: str) -> None:
    data = HEADLESS.format(command=above).encode()
    assert only(data).status == "partial"
    assert "lacks its `Running … test @`, `threads and connections` lines" in remarks(data)[0].what


def test_altered_connections_line_keeps_the_line_above() -> None:
    head = "Running 10s test @ http://10.0.0.2/a\n  2 threads and 10 conne ctions"
    data = HEADLESS.format(command=head).encode()
    reading = only(data)
    assert (reading.target, reading.params, reading.load_model) == ("/a", {}, "closed")
    (remark,) = remarks(data)
    assert "lacks its `threads and connections` line;" in remark.what
    assert remarks(HEADLESS.format(command=f"{COMMAND}\n{head}").encode()) == []


def test_run_without_its_count_has_the_duration_of_its_head() -> None:
    head = "Running 2m test @ http://10.0.0.2/\n  2 threads and 10 connections\n"
    data = HEADLESS.format(command=head).replace("  103100 requests in 10.00s, 38.50MB read\n", "")
    reading = only(data.encode())
    assert (reading.duration, reading.status) == (120.0, "partial")
    assert values(reading)["duration", "total"] == 120.0


def test_two_variants_of_wrk2_compare_by_the_median() -> None:
    frame = bk.load(FIXTURES / "wrk2").compare(baseline="synthetic-none").frame
    (row,) = frame[frame["primary"]].to_dict("records")
    assert (row["metric"], row["stat"], row["verdict"]) == ("latency", "p50", "regression")


def test_damage_of_another_tool_is_not_attributed_to_wrk(tmp_path: Path) -> None:
    intact = (FIXTURES / "tracing-wrk/none/wrk-1.txt").read_text(encoding="utf-8")
    ab = (FIXTURES / "nginx-ab/nginx/ab-c1-1.txt").read_text(encoding="utf-8")
    (tmp_path / "none.txt").write_text(f"{intact}\n{ab.partition('Time per request')[0]}")
    runs = bk.load(tmp_path).runs
    assert runs.set_index("role")["tool"].groupby(level=0).agg(sorted).to_dict() == {
        "measured": ["ab", "wrk"], "damaged": ["ab"]
    }  # fmt: skip
